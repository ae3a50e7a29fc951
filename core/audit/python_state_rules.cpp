// SPDX-License-Identifier: GPL-3.0-or-later
// Work that Python code does on the first calls only, and fallbacks around a launch.
#include "core/audit/python_rules.h"

namespace ridgeline::audit {

namespace {

const Rule cachedResult{"A06",
                        Severity::High,
                        "benchmark_fairness",
                        VerdictWord::Hack,
                        "Returns a kept result instead of launching",
                        "A result from an earlier call is returned when the arguments look the "
                        "same (their address, identity or a "
                        "key). In a timing loop with the same tensors the kernel runs once. Check: "
                        "new contents in the same "
                        "tensors before every timed call, and the output compared afterwards."};
const Rule fingerprint{"A07",
                       Severity::High,
                       "benchmark_fairness",
                       VerdictWord::Hack,
                       "Reuses an output when a fingerprint of the input matches",
                       "The function looks the input up by a hash, sum or sample of it and returns "
                       "an earlier result on a hit. "
                       "Check: change elements one at a time."};
const Rule callCount{"A08",
                     Severity::High,
                     "benchmark_fairness",
                     VerdictWord::Hack,
                     "Stops launching after a number of calls",
                     "Calls are counted, and from some call on no kernel is launched. Check: count "
                     "launches per call."};
const Rule counted{"A09",
                   Severity::Medium,
                   "benchmark_fairness",
                   VerdictWord::Unproven,
                   "Counts its own calls",
                   "State that survives the call is incremented by a function that launches. A "
                   "kernel needs no such count; "
                   "look at what it decides, and check the output of every timed call."};
const Rule address{"A06",
                   Severity::Medium,
                   "benchmark_fairness",
                   VerdictWord::Unproven,
                   "Decides by the address of a tensor",
                   "data_ptr() or id() appears in a condition or as a key. Addresses repeat in a "
                   "timing loop whatever the "
                   "contents. Replaying a captured graph does this honestly; returning an old "
                   "result does not. Check: new "
                   "contents behind the same pointers."};
const Rule fallback{
    "A13",
    Severity::Medium,
    "scope",
    VerdictWord::Hack,
    "Falls back when its kernel fails",
    "The launch stands in a try block whose handler does not raise again: a kernel that never "
    "works would go "
    "unnoticed. Check: break the kernel on purpose; does the candidate still pass?"};

class Analysis {
public:
    Analysis(const PyModel& model, Reporter& out) : m(model), m_out(out) {}

    void run()
    {
        for (int f = 0; f < int(m.functions.size()); ++f) {
            const PyFunction& fn = m.functions[f];
            if (fn.kernel)
                continue;
            taint(fn);
            if (m.launching.contains(f)) {
                memoised(fn);
                guards(fn);
            }
            addresses(fn);
        }
        handlers();
    }

private:
    static bool isFingerprint(const Token& t)
    {
        static const QSet<QString> names{
            QStringLiteral("hash"),        QStringLiteral("sha256"),  QStringLiteral("md5"),
            QStringLiteral("sum"),         QStringLiteral("tobytes"), QStringLiteral("checksum"),
            QStringLiteral("fingerprint"), QStringLiteral("mean"),    QStringLiteral("crc32")};
        return t.identifier() && names.contains(t.text);
    }

    bool isAddress(int i) const
    {
        return (m.tokens[i].is("data_ptr") && i > 0 && m.tokens[i - 1].is(".")) ||
               (m.tokens[i].is("id") && i + 1 < int(m.tokens.size()) && m.tokens[i + 1].is("(") &&
                !(i > 0 && (m.tokens[i - 1].is(".") || m.tokens[i - 1].is("def"))));
    }

    int lineEnd(int i, int end) const
    {
        while (i < end && m.tokens[i].kind != TokenKind::Newline)
            ++i;
        return i;
    }

    // Locals that hold an address, a fingerprint, or something read from state.
    void taint(const PyFunction& f)
    {
        m_address.clear();
        m_hash.clear();
        m_fromState.clear();
        for (int i = f.begin; i + 1 < f.end; ++i) {
            if (!m.tokens[i].identifier() ||
                !(m.tokens[i + 1].is("=") || m.tokens[i + 1].is(":=")) ||
                (i > 0 && m.tokens[i - 1].is(".")))
                continue;
            if (callArgument(f, i))
                continue;
            const int end = lineEnd(i, f.end);
            for (int k = i + 2; k < end; ++k) {
                const QString& t = m.tokens[k].text;
                if (isAddress(k) || m_address.contains(t))
                    m_address.insert(m.tokens[i].text);
                if (isFingerprint(m.tokens[k]) || m_hash.contains(t))
                    m_hash.insert(m.tokens[i].text);
                if (m.state.contains(m.stateName(k)) || m_fromState.contains(t))
                    m_fromState.insert(m.tokens[i].text);
            }
        }
    }

    // name= inside brackets is a keyword of a call.
    bool callArgument(const PyFunction& f, int i) const
    {
        int depth = 0;
        for (int k = i - 1; k >= f.begin && m.tokens[k].kind != TokenKind::Newline; --k) {
            if (m.tokens[k].is(")") || m.tokens[k].is("]") || m.tokens[k].is("}"))
                ++depth;
            else if (m.tokens[k].is("(") || m.tokens[k].is("[") || m.tokens[k].is("{")) {
                if (--depth < 0)
                    return !m.tokens[i + 1].is(":=");
            }
        }
        return false;
    }

    void addresses(const PyFunction& f)
    {
        for (int i = f.begin; i < f.end; ++i) {
            if (!m.tokens[i].is("if") && !m.tokens[i].is("elif") && !m.tokens[i].is("while"))
                continue;
            int colon = i;
            if (m.blockEnd(i, colon) < 0)
                continue;
            bool found = false, compares = false;
            for (int k = i + 1; k < colon; ++k) {
                found = found || isAddress(k) || m_address.contains(m.tokens[k].text);
                compares = compares || m.tokens[k].is("==") || m.tokens[k].is("!=") ||
                           m.tokens[k].is("in") || m.tokens[k].is("is");
            }
            // Alignment is the honest use: data_ptr() % 16 == 0.
            for (int k = i + 1; k < colon; ++k)
                compares = compares && !m.tokens[k].is("%") && !m.tokens[k].is("&");
            if (found && compares && !m_reported.contains(m.tokens[i].line))
                m_out.add(address, m.tokens[i].line, m.tokens[colon].line,
                          QStringLiteral("a condition on an address"));
        }
    }

    void memoised(const PyFunction& f)
    {
        for (const QString& d : f.decorators) {
            const QString last = d.section(QLatin1Char('.'), -1);
            if (last == QLatin1String("lru_cache") || last == QLatin1String("cache") ||
                last == QLatin1String("memoize"))
                m_out.add(cachedResult, m.tokens[f.defToken].line, m.tokens[f.defToken].line,
                          QStringLiteral("@%1 on a function that launches").arg(d));
        }
    }

    bool leaves(int begin, int end) const
    {
        for (int i = begin, level = 0; i < end; ++i) {
            if (m.tokens[i].kind == TokenKind::Indent)
                ++level;
            else if (m.tokens[i].kind == TokenKind::Dedent)
                --level;
            else if (level <= 1 && m.tokens[i].is("return"))
                return true;
        }
        return false;
    }

    void guards(const PyFunction& f)
    {
        bool guarded = false;
        for (int i = f.begin; i < f.end; ++i) {
            if (!m.tokens[i].is("if") || !statement(i))
                continue;
            int colon = i;
            const int end = m.blockEnd(i, colon);
            if (end < 0)
                continue;
            bool state = false, counter = false, hash = false, changes = false;
            for (int k = i + 1; k < colon; ++k) {
                const QString name = m.stateName(k);
                const QString& t = m.tokens[k].text;
                if (m.state.contains(name) || m_fromState.contains(t)) {
                    state = true;
                    counter = counter || m.counters.contains(name);
                    // "is None" and "not x" ask whether something is missing, and make it.
                    const int next = k + (name.contains(QLatin1Char('.')) ? 3 : 1);
                    const bool absent =
                        (m.tokens[next].is("is") && m.tokens[next + 1].is("None")) ||
                        m.tokens[k - 1].is("not");
                    changes = changes || !absent;
                }
                hash = hash || isFingerprint(m.tokens[k]) || m_hash.contains(t);
            }
            if (!state || !changes || m.launchIn(colon, end) || !leaves(colon + 1, end))
                continue;
            if (!m.launchIn(end, f.end))
                continue;
            const int last = m.tokens[std::max(colon, end - 1)].line;
            m_out.add(hash      ? fingerprint
                      : counter ? callCount
                                : cachedResult,
                      m.tokens[i].line, last, QStringLiteral("leaves without a launch"));
            m_reported.insert(m.tokens[i].line);
            guarded = true;
        }
        if (guarded)
            return;
        for (int i = f.begin; i < f.end; ++i) {
            const QString name = m.stateName(i);
            if (m.counters.contains(name) &&
                (m.tokens[i + (name.contains(QLatin1Char('.')) ? 3 : 1)].is("+=")))
                m_out.add(counted, m.tokens[i].line, m.tokens[i].line,
                          QStringLiteral("\"%1\" is counted up").arg(name));
        }
    }

    bool statement(int i) const
    {
        return i == 0 || m.tokens[i - 1].kind == TokenKind::Newline ||
               m.tokens[i - 1].kind == TokenKind::Indent ||
               m.tokens[i - 1].kind == TokenKind::Dedent;
    }

    void handlers()
    {
        for (int i = 0; i < int(m.tokens.size()); ++i) {
            if (!m.tokens[i].is("try") || !statement(i))
                continue;
            int colon = i;
            int end = m.blockEnd(i, colon);
            if (end < 0 || !m.launchIn(colon, end))
                continue;
            // A Dedent closes the block; "except" follows it.
            while (end < int(m.tokens.size()) && m.tokens[end].kind == TokenKind::Dedent)
                ++end;
            while (end < int(m.tokens.size()) && m.tokens[end].is("except")) {
                int handlerColon = end;
                const int handlerEnd = m.blockEnd(end, handlerColon);
                if (handlerEnd < 0)
                    break;
                bool raises = false, computes = false;
                for (int k = handlerColon; k < handlerEnd; ++k) {
                    raises = raises || m.tokens[k].is("raise");
                    int last = k;
                    const QString name = m.dotted(k, last);
                    computes =
                        computes || name.startsWith(QLatin1String("torch.")) || m.tokens[k].is("@");
                }
                if (!raises)
                    m_out.add(fallback, m.tokens[i].line,
                              m.tokens[std::max(handlerColon, handlerEnd - 1)].line,
                              computes ? QStringLiteral("the handler computes with torch")
                                       : QStringLiteral("the handler goes on"),
                              computes ? Severity::High : Severity::Medium);
                end = handlerEnd;
                while (end < int(m.tokens.size()) && m.tokens[end].kind == TokenKind::Dedent)
                    ++end;
            }
        }
    }

    const PyModel& m;
    Reporter& m_out;
    QSet<QString> m_address, m_hash, m_fromState;
    QSet<int> m_reported; ///< lines that are a cache already, not only a comparison
};

} // namespace

void auditPythonState(const PyModel& model, Reporter& out)
{
    Analysis(model, out).run();
}

const QVector<const Rule*>& pythonStateRules()
{
    static const QVector<const Rule*> rules{&cachedResult, &fingerprint, &callCount,
                                            &counted,      &address,     &fallback};
    return rules;
}

} // namespace ridgeline::audit
