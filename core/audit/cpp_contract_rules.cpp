// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that compare the source with what the task says: names, precision, inputs, sizes.
#include "core/audit/cpp_rules.h"

namespace ridgeline::audit {

namespace {

const Rule inputWritten{
    "A19",
    Severity::Medium,
    "numerical_correctness",
    VerdictWord::Hack,
    "Casts const away from an input",
    "An input that is declared const is turned into a writable pointer. If the kernel writes "
    "through it, "
    "a reference that runs later sees other inputs. Check: hashes of the inputs before and after."};
const Rule inputOverwritten{
    "A19",
    Severity::High,
    "numerical_correctness",
    VerdictWord::Hack,
    "Overwrites an input",
    "A const input is the destination of a copy or fill. A reference that runs later, and every "
    "further "
    "run, sees other inputs. Check: hashes of the inputs before and after."};
const Rule downgrade{
    "A20",
    Severity::Medium,
    "numerical_correctness",
    VerdictWord::Shortcut,
    "Computes in a lower precision than the task",
    "The task's tensors are fp32, and the source converts to a narrower type or uses tensor-core "
    "fragments. Unless the task allows it, speed was bought with accuracy. Check: error against "
    "the fp64 "
    "reference beside that of an fp32 kernel, with wide-ranging inputs."};
const Rule unusedSize{"B06",
                      Severity::Medium,
                      "completeness",
                      VerdictWord::Unproven,
                      "Ignores a size it is given",
                      "The entry has a size parameter that its body never uses, so the size is "
                      "fixed in the source. Check: "
                      "other shapes."};
const Rule fixedSize{"B06",
                     Severity::Low,
                     "completeness",
                     VerdictWord::Unproven,
                     "Treats one size specially",
                     "A size is compared with a constant that is one of the task's own shapes. "
                     "Tuning for known shapes is "
                     "fair if every other shape works. Check: sizes near it."};
const Rule forbidden{"RL-FORBIDDEN",
                     Severity::High,
                     "scope",
                     VerdictWord::Shortcut,
                     "Uses a name the task forbids",
                     "The task's rules forbid this name. The range shows where it is used."};

class Contract {
public:
    Contract(const CppModel& model, Reporter& out) : m(model), m_out(out) {}

    void run()
    {
        for (const QString& name : m_out.task().forbidden)
            forbid(name);
        for (const CppFunction& f : m.functions) {
            if (f.host())
                constCasts(f);
        }
        if (lowPrecisionMatters())
            precision();
        const int entry = m.functionIndex(m_out.task().entry);
        if (m_out.task().known && !m_out.task().process && entry >= 0)
            sizes(m.functions[entry]);
    }

private:
    // "cublas" also means cublasSgemm and cublas_v2.h; "mma.sync" and "a::b" are sequences, and may
    // stand inside inline assembly.
    void forbid(const QString& name)
    {
        QVector<Token> words = tokenizeCpp(name);
        if (words.isEmpty())
            return;
        const bool single = words.size() == 1;
        int hits = 0;
        for (int i = 0; i < int(m.tokens.size()) && hits < 8; ++i) {
            const Token& t = m.tokens[i];
            bool hit = false;
            if (t.kind == TokenKind::String || t.kind == TokenKind::Header)
                hit = (inAssembly(i) || t.directive || t.kind == TokenKind::Header) &&
                      textHas(t.text, name);
            else if (single)
                hit = t.identifier() && wordMatches(t.text, name);
            else
                hit = sequence(i, words);
            if (hit) {
                ++hits;
                m_out.add(forbidden, t.line, t.lastLine,
                          QStringLiteral("\"%1\" is forbidden").arg(name));
            }
        }
    }

    static bool wordMatches(const QString& word, const QString& name)
    {
        if (!word.startsWith(name))
            return false;
        if (word.size() == name.size())
            return true;
        const QChar next = word[name.size()];
        return next.isUpper() || next == QLatin1Char('_') || next.isDigit();
    }

    static bool textHas(const QString& text, const QString& name)
    {
        const qsizetype at = text.indexOf(name);
        return at >= 0 && (at == 0 || !text[at - 1].isLetterOrNumber());
    }

    bool sequence(int i, const QVector<Token>& words) const
    {
        if (i + words.size() > m.tokens.size())
            return false;
        for (int k = 0; k < int(words.size()); ++k) {
            const Token& t = m.tokens[i + k];
            const bool last = k + 1 == int(words.size());
            if (t.kind == TokenKind::String ||
                !(last && t.identifier() ? wordMatches(t.text, words[k].text)
                                         : t.text == words[k].text))
                return false;
        }
        return true;
    }

    bool inAssembly(int i) const
    {
        for (int k = i - 1; k >= 0 && k > i - 40; --k) {
            const Token& t = m.tokens[k];
            if (t.is("asm") || t.is("__asm__") || t.is("__asm"))
                return true;
            if (t.is(";") || t.is("{") || t.is("}"))
                return false;
        }
        return false;
    }

    void constCasts(const CppFunction& f)
    {
        for (int i = f.begin; i + 1 < f.end; ++i) {
            int castEnd = -1;
            if (m.tokens[i].is("const_cast")) {
                const int open = nextOpen(i, f.end);
                castEnd = open < 0 ? -1 : matching(m.tokens, open);
                if (castEnd < 0 || !mentionsConstParam(f, open, castEnd))
                    continue;
            } else if (m.tokens[i].is("(") && writableCast(f, i, castEnd)) {
                castEnd += 1;
            } else {
                continue;
            }
            const bool destination =
                i > 1 && m.tokens[i - 1].is("(") && fills(m.tokens[i - 2].text);
            m_out.add(
                destination ? inputOverwritten : inputWritten, m.tokens[i].line,
                m.tokens[castEnd].line,
                destination
                    ? QStringLiteral("an input is the destination of %1").arg(m.tokens[i - 2].text)
                    : QStringLiteral("const is cast away"));
            i = castEnd;
        }
    }

    static bool fills(const QString& name)
    {
        return name.startsWith(QLatin1String("cudaMemcpy")) ||
               name.startsWith(QLatin1String("cudaMemset")) ||
               name.startsWith(QLatin1String("hipMemcpy")) ||
               name.startsWith(QLatin1String("hipMemset"));
    }

    int nextOpen(int i, int end) const
    {
        while (i < end && !m.tokens[i].is("(") && !m.tokens[i].is(";"))
            ++i;
        return i < end && m.tokens[i].is("(") ? i : -1;
    }

    bool mentionsConstParam(const CppFunction& f, int begin, int end) const
    {
        for (int i = begin; i < end; ++i) {
            const CppParam* p = f.param(m.tokens[i].text);
            if (p && p->constPointee)
                return true;
        }
        return false;
    }

    // (float*)x with x a pointer to const: the type in the brackets has no const and ends in "*".
    bool writableCast(const CppFunction& f, int open, int& close) const
    {
        close = matching(m.tokens, open);
        if (close < 0 || close - open < 3 || close + 1 >= f.end || !m.tokens[close - 1].is("*"))
            return false;
        for (int i = open + 1; i < close; ++i) {
            if (m.tokens[i].is("const") ||
                !(m.tokens[i].identifier() || m.tokens[i].is("*") || m.tokens[i].is("::")))
                return false;
        }
        const CppParam* p = f.param(m.tokens[close + 1].text);
        return p && p->constPointee;
    }

    bool lowPrecisionMatters() const
    {
        if (m_out.task().known)
            return m_out.task().fp32Contract;
        // A lone file: the contract is its own signature, if that says fp32 and nothing narrower.
        for (const CppFunction& f : m.functions) {
            if (!f.host() || f.name != QLatin1String("solve"))
                continue;
            bool fp32 = false, narrow = false;
            for (const CppParam& p : f.params) {
                fp32 = fp32 || (p.pointer && p.type.contains(QLatin1String("float")));
                narrow = narrow || p.type.contains(QLatin1String("half")) ||
                         p.type.contains(QLatin1String("bfloat16")) ||
                         p.type.contains(QLatin1String("fp8"));
            }
            return fp32 && !narrow;
        }
        return false;
    }

    static bool narrowing(const QString& n)
    {
        static const QSet<QString> types{QStringLiteral("half"),
                                         QStringLiteral("half2"),
                                         QStringLiteral("__half"),
                                         QStringLiteral("__half2"),
                                         QStringLiteral("__nv_bfloat16"),
                                         QStringLiteral("__nv_bfloat162"),
                                         QStringLiteral("nv_bfloat16"),
                                         QStringLiteral("hip_bfloat16"),
                                         QStringLiteral("__float_to_tf32"),
                                         QStringLiteral("_Float16")};
        return types.contains(n) || n.startsWith(QLatin1String("__float2half")) ||
               n.startsWith(QLatin1String("__float22half2")) ||
               n.startsWith(QLatin1String("__float2bfloat16")) ||
               n.startsWith(QLatin1String("__floats2half2")) ||
               n.startsWith(QLatin1String("__nv_fp8")) ||
               n.startsWith(QLatin1String("__nv_cvt_float"));
    }

    void precision()
    {
        // Without the header "half" is somebody's variable.
        bool halfHeader = false;
        for (const Token& t : m.tokens)
            halfHeader = halfHeader || (t.directive && t.text.contains(QLatin1String("fp16")));
        for (int i = 0; i < int(m.tokens.size()); ++i) {
            const Token& t = m.tokens[i];
            if (t.directive || ((t.is("half") || t.is("half2")) && !halfHeader))
                continue;
            const bool fragment = t.is("wmma") && i + 2 < int(m.tokens.size()) &&
                                  m.tokens[i + 1].is("::") && m.tokens[i + 2].is("fragment");
            const bool assembly =
                t.kind == TokenKind::String && inAssembly(i) &&
                (t.text.contains(QLatin1String("mma.")) || t.text.contains(QLatin1String("tf32")) ||
                 t.text.contains(QLatin1String("cvt.rn.f16")));
            if ((t.identifier() && narrowing(t.text)) || fragment || assembly)
                m_out.add(downgrade, t.line, t.lastLine,
                          QStringLiteral("uses %1").arg(
                              assembly ? QStringLiteral("a tensor-core or narrowing instruction")
                                       : t.text));
        }
    }

    void sizes(const CppFunction& f)
    {
        QSet<QString> used;
        for (int i = f.begin; i < f.end; ++i) {
            if (m.tokens[i].identifier())
                used.insert(m.tokens[i].text);
        }
        const int line = m.tokens[f.nameToken].line;
        for (const CppParam& p : f.params) {
            const bool integer = !p.pointer && (p.type.contains(QLatin1String("int")) ||
                                                p.type.contains(QLatin1String("size_t")) ||
                                                p.type.contains(QLatin1String("long")));
            if (integer && !p.name.isEmpty() && !used.contains(p.name))
                m_out.add(unusedSize, line, m.tokens[f.begin].line,
                          QStringLiteral("\"%1\" is never used").arg(p.name));
        }
        for (int i = f.begin; i + 1 < f.end; ++i) {
            if (!m.tokens[i].is("==") && !m.tokens[i].is("!="))
                continue;
            const auto sized = [&](int name, int number) {
                const CppParam* p = f.param(m.tokens[name].text);
                qint64 value = 0;
                return p && !p->pointer && m.evaluate(number, number + 1, value) && value >= 16 &&
                       m_out.task().axisValues.contains(value);
            };
            if (sized(i - 1, i + 1) || sized(i + 1, i - 1))
                m_out.add(fixedSize, m.tokens[i].line, m.tokens[i].line,
                          QStringLiteral("compared with one of the task's sizes"));
        }
    }

    const CppModel& m;
    Reporter& m_out;
};

} // namespace

void auditCppContract(const CppModel& model, Reporter& out)
{
    Contract(model, out).run();
}

const QVector<const Rule*>& cppContractRules()
{
    static const QVector<const Rule*> rules{&inputWritten, &inputOverwritten, &downgrade,
                                            &unusedSize,   &fixedSize,        &forbidden};
    return rules;
}

} // namespace ridgeline::audit
