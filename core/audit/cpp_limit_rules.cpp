// SPDX-License-Identifier: GPL-3.0-or-later
// Launch checks, atomics, shared memory, block sizes, warp width.
#include "core/audit/cpp_rules.h"

namespace ridgeline::audit {

namespace {

constexpr qint64 staticSharedLimit = 48 * 1024;
constexpr qint64 blockLimit = 1024;

const Rule unchecked{"B15",
                     Severity::Info,
                     "code_quality",
                     VerdictWord::None,
                     "Launches without asking for errors",
                     "A launch that is rejected (too many threads, too much shared memory) leaves "
                     "the output as it was, and "
                     "nobody here would notice. One cudaGetLastError() after the launch says so."};
const Rule floatAtomics{"C08",
                        Severity::Info,
                        "numerical_correctness",
                        VerdictWord::None,
                        "Adds floats with atomics",
                        "The order of atomic additions changes from run to run, and floating-point "
                        "addition depends on it: the "
                        "last bits differ. State it if the task wants the same bits every time."};
const Rule tooMuchShared{"E05",
                         Severity::Medium,
                         "compile_validity",
                         VerdictWord::Build,
                         "More than 48 KiB of static shared memory",
                         "A kernel may declare at most 48 KiB of shared memory statically; ptxas "
                         "refuses more. Larger tiles need "
                         "dynamic shared memory and cudaFuncSetAttribute."};
const Rule blockTooLarge{"E07",
                         Severity::Medium,
                         "runtime_validity",
                         VerdictWord::Run,
                         "Block of more than 1024 threads",
                         "No CUDA device runs blocks of more than 1024 threads. The launch fails "
                         "with \"invalid configuration "
                         "argument\", and the output stays unwritten."};
const Rule wave64{"G11",
                  Severity::Medium,
                  "runtime_validity",
                  VerdictWord::Port,
                  "Keeps a 64-lane wavefront",
                  "CUDA warps have 32 lanes. A width of 64 carried over from HIP makes shuffles "
                  "and ballots miss half of "
                  "the values."};
const Rule warp32{"G11",
                  Severity::Medium,
                  "runtime_validity",
                  VerdictWord::Port,
                  "Keeps a 32-lane warp",
                  "AMD wavefronts of CDNA devices have 64 lanes, and masks are 64-bit. A width of "
                  "32 or a 32-bit mask "
                  "carried over from CUDA reduces only half of the lanes."};

qint64 sizeOf(const QString& type)
{
    static const QHash<QString, qint64> sizes{
        {QStringLiteral("double"), 8},        {QStringLiteral("float"), 4},
        {QStringLiteral("int"), 4},           {QStringLiteral("unsigned"), 4},
        {QStringLiteral("half"), 2},          {QStringLiteral("__half"), 2},
        {QStringLiteral("float4"), 16},       {QStringLiteral("float2"), 8},
        {QStringLiteral("double2"), 16},      {QStringLiteral("char"), 1},
        {QStringLiteral("int4"), 16},         {QStringLiteral("uint32_t"), 4},
        {QStringLiteral("int32_t"), 4},       {QStringLiteral("uint8_t"), 1},
        {QStringLiteral("__nv_bfloat16"), 2}, {QStringLiteral("half2"), 4},
        {QStringLiteral("short"), 2},         {QStringLiteral("uint64_t"), 8}};
    return sizes.value(type, 0);
}

class Limits {
public:
    Limits(const CppModel& model, Reporter& out) : m(model), m_out(out) {}

    void run()
    {
        launchErrors();
        for (const CppFunction& f : m.functions) {
            if (f.host())
                continue;
            atomics(f);
            if (f.kernel)
                shared(f);
        }
        blocks();
        if (m_out.task().migration)
            width();
    }

private:
    void launchErrors()
    {
        int first = -1;
        for (const int l : m.launches) {
            if (m.tokens[l].is("<<<") && first < 0)
                first = l;
        }
        if (first < 0)
            return;
        for (const Token& t : m.tokens) {
            if (t.identifier() && (t.text.endsWith(QLatin1String("GetLastError")) ||
                                   t.text.endsWith(QLatin1String("PeekAtLastError")) ||
                                   t.text.contains(QLatin1String("KERNEL_LAUNCH_CHECK")) ||
                                   t.is("cudaDeviceSynchronize") || t.is("cudaStreamSynchronize")))
                return;
        }
        m_out.add(unchecked, m.tokens[first].line, m.tokens[first].line,
                  QStringLiteral("%1 launches, no check").arg(m.launches.size()));
    }

    // The type of a name as the function declares it: a parameter, a local or a shared array.
    QString typeOf(const CppFunction& f, const QString& name) const
    {
        if (const CppParam* p = f.param(name))
            return p->type;
        for (int i = f.begin + 1; i < f.end; ++i) {
            if (m.tokens[i].text == name && m.tokens[i - 1].identifier() &&
                sizeOf(m.tokens[i - 1].text))
                return m.tokens[i - 1].text;
        }
        return {};
    }

    void atomics(const CppFunction& f)
    {
        for (int i = f.begin; i + 2 < f.end; ++i) {
            if (!(m.tokens[i].is("atomicAdd") || m.tokens[i].is("atomicAdd_block") ||
                  m.tokens[i].is("unsafeAtomicAdd")) ||
                !m.tokens[i + 1].is("("))
                continue;
            int k = i + 2;
            while (k < f.end && !m.tokens[k].identifier())
                ++k;
            const QString type = typeOf(f, m.tokens[k].text);
            if (type.contains(QLatin1String("float")) || type.contains(QLatin1String("double")) ||
                type.contains(QLatin1String("half")))
                m_out.add(floatAtomics, m.tokens[i].line, m.tokens[i].line,
                          QStringLiteral("atomicAdd to %1").arg(type));
        }
    }

    void shared(const CppFunction& f)
    {
        qint64 total = 0;
        int first = -1, last = -1;
        for (int i = f.begin; i < f.end; ++i) {
            if (!m.tokens[i].is("__shared__") || (i > 0 && m.tokens[i - 1].is("extern")))
                continue;
            int k = i + 1;
            qint64 element = 0;
            while (k < f.end && !m.tokens[k].is("[") && !m.tokens[k].is(";")) {
                element = std::max(element, sizeOf(m.tokens[k].text));
                ++k;
            }
            qint64 count = 1;
            bool known = element > 0;
            while (known && k < f.end && m.tokens[k].is("[")) {
                const int close = matching(m.tokens, k);
                qint64 n = 0;
                known = close > 0 && m.evaluate(k + 1, close, n) && n > 0 &&
                        !__builtin_mul_overflow(count, n, &count);
                k = close + 1;
            }
            qint64 bytes = 0;
            if (known && !__builtin_mul_overflow(count, element, &bytes) &&
                !__builtin_add_overflow(total, bytes, &total)) {
                first = first < 0 ? i : first;
                last = i;
            }
        }
        if (total > staticSharedLimit)
            m_out.add(tooMuchShared, m.tokens[first].line, m.tokens[last].line,
                      QStringLiteral("%1 declares %2 bytes, the limit is %3")
                          .arg(f.name)
                          .arg(total)
                          .arg(staticSharedLimit));
    }

    // Product of the constant arguments of dim3 name(a, b, c); 0 if not all are known.
    qint64 product(int open, int close) const
    {
        qint64 total = 1;
        int from = open + 1;
        for (int i = open + 1, depth = 0; i <= close; ++i) {
            const Token& t = m.tokens[i];
            if (i < close && (t.is("(") || t.is("[")))
                ++depth;
            else if (i < close && (t.is(")") || t.is("]")))
                --depth;
            if ((t.is(",") && depth == 0) || i == close) {
                qint64 n = 0;
                if (!m.evaluate(from, i, n) || __builtin_mul_overflow(total, n, &total))
                    return 0;
                from = i + 1;
            }
        }
        return total;
    }

    void blocks()
    {
        for (const int l : m.launches) {
            if (!m.tokens[l].is("<<<"))
                continue;
            const int close = matching(m.tokens, l);
            int from = -1, to = close;
            for (int i = l + 1, depth = 0; i < close; ++i) {
                const Token& t = m.tokens[i];
                if (t.is("(") || t.is("{"))
                    ++depth;
                else if (t.is(")") || t.is("}"))
                    --depth;
                else if (depth == 0 && t.is(",") && from < 0)
                    from = i + 1;
                else if (depth == 0 && t.is(",") && to == close)
                    to = i;
            }
            if (from < 0)
                continue;
            qint64 threads = 0;
            if (!m.evaluate(from, to, threads))
                threads = m.tokens[from].is("dim3") && to - from > 2 ? product(from + 1, to - 1)
                                                                     : namedBlock(l, from, to);
            if (threads > blockLimit)
                m_out.add(blockTooLarge, m.tokens[l].line, m.tokens[close].line,
                          QStringLiteral("%1 threads in a block").arg(threads));
        }
    }

    qint64 namedBlock(int launch, int from, int to) const
    {
        const CppFunction* f = m.functionAt(launch);
        if (!f || to - from != 1)
            return 0;
        for (int i = launch; i > f->begin; --i) {
            if (m.tokens[i].text == m.tokens[from].text && m.tokens[i - 1].is("dim3") &&
                (m.tokens[i + 1].is("(") || m.tokens[i + 1].is("{"))) {
                const int close = matching(m.tokens, i + 1);
                return close < 0 ? 0 : product(i + 1, close);
            }
        }
        return 0;
    }

    static bool widthName(const QString& n)
    {
        return n.contains(QLatin1String("warp"), Qt::CaseInsensitive) ||
               n.contains(QLatin1String("wave"), Qt::CaseInsensitive) ||
               n.contains(QLatin1String("lanes"), Qt::CaseInsensitive);
    }

    static bool shuffle(const QString& n)
    {
        return n.startsWith(QLatin1String("__shfl")) || n.startsWith(QLatin1String("__ballot")) ||
               n.startsWith(QLatin1String("__any")) || n.startsWith(QLatin1String("__all"));
    }

    // Only where the file works across lanes at all; a tile of 64 is no wavefront.
    void width()
    {
        bool across = false;
        for (const Token& t : m.tokens)
            across = across || (t.identifier() && shuffle(t.text));
        if (!across)
            return;
        const bool hip = m_out.language() == QLatin1String("hip");
        const Rule& rule = hip ? warp32 : wave64;
        const qint64 wrong = hip ? 32 : 64;
        for (int i = 0; i + 2 < int(m.tokens.size()); ++i) {
            const Token& t = m.tokens[i];
            const bool named =
                t.identifier() && widthName(t.text) &&
                (m.tokens[i + 1].is("=") || (t.directive && i > 0 && m.tokens[i - 1].is("define")));
            qint64 value = 0;
            const int at = m.tokens[i + 1].is("=") ? i + 2 : i + 1;
            if (named && m.tokens[at].kind == TokenKind::Number && m.evaluate(at, at + 1, value) &&
                value == wrong)
                m_out.add(rule, t.line, t.line, QStringLiteral("%1 is %2").arg(t.text).arg(wrong));
            if (!t.identifier() || !shuffle(t.text) || !m.tokens[i + 1].is("("))
                continue;
            const int close = matching(m.tokens, i + 1);
            for (int k = i + 2; k < close; ++k) {
                const QString number = m.tokens[k].text.toLower();
                if (m.tokens[k].kind != TokenKind::Number)
                    continue;
                if (hip && number.startsWith(QLatin1String("0xffffffff")) && number.size() <= 12 &&
                    !number.startsWith(QLatin1String("0xfffffffff")))
                    m_out.add(rule, t.line, m.tokens[close].line,
                              QStringLiteral("a 32-bit mask in %1").arg(t.text));
                else if (m.evaluate(k, k + 1, value) && value == wrong && k + 1 == close)
                    m_out.add(rule, t.line, m.tokens[close].line,
                              QStringLiteral("width %1 in %2").arg(wrong).arg(t.text));
            }
        }
    }

    const CppModel& m;
    Reporter& m_out;
};

} // namespace

void auditCppLimits(const CppModel& model, Reporter& out)
{
    Limits(model, out).run();
}

const QVector<const Rule*>& cppLimitRules()
{
    static const QVector<const Rule*> rules{&unchecked,     &floatAtomics, &tooMuchShared,
                                            &blockTooLarge, &wave64,       &warp32};
    return rules;
}

} // namespace ridgeline::audit
