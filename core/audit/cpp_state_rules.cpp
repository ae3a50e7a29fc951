// SPDX-License-Identifier: GPL-3.0-or-later
// Work that happens on the first calls only: host state that decides whether a kernel is launched.
#include "core/audit/cpp_model.h"
#include "core/audit/cpp_rules.h"

namespace ridgeline::audit {

namespace {

const Rule skipByPointer{
    "A06",
    Severity::High,
    "benchmark_fairness",
    VerdictWord::Hack,
    "Skips the launch when it recognises its arguments",
    "State that survives the call is compared with the arguments, and where it matches the "
    "function "
    "returns without launching a kernel. In a timing loop that calls with the same buffers the "
    "kernel "
    "runs once and every later call measures nothing. Check: new contents behind the same pointers "
    "before every timed call, and the output compared afterwards."};
const Rule skipByCount{
    "A08",
    Severity::High,
    "benchmark_fairness",
    VerdictWord::Hack,
    "Stops launching after a number of calls",
    "The function counts its calls in state that survives them, and from some call on it does not "
    "launch. Test calls see real work, timed calls do not. Check: count launches per call, and "
    "compare "
    "the output after every timed call."};
const Rule skipByFlag{
    "A08",
    Severity::High,
    "benchmark_fairness",
    VerdictWord::Hack,
    "Launches only while a flag is unset",
    "A flag or cached result that survives the call decides whether any kernel is launched. Once "
    "it is "
    "set, later calls do no work. Check: new contents behind the same pointers before every timed "
    "call, and the output compared afterwards."};
const Rule skipByFingerprint{"A07",
                             Severity::High,
                             "benchmark_fairness",
                             VerdictWord::Hack,
                             "Reuses an output when a fingerprint of the input matches",
                             "The function looks the input up by a hash or sum and returns an "
                             "earlier result on a hit. A change "
                             "the fingerprint does not see gives a wrong output, and repeated "
                             "inputs measure a lookup. Check: "
                             "change elements one at a time."};
const Rule countsCalls{"A09",
                       Severity::Medium,
                       "benchmark_fairness",
                       VerdictWord::Unproven,
                       "Counts its own calls",
                       "State that survives the call is incremented on every call of a function "
                       "that launches. A kernel "
                       "needs no such count; it is how a candidate behaves for the first calls and "
                       "differs later. Look at "
                       "what the count decides, and check the output of every timed call."};
const Rule setUpOnce{
    "A06",
    Severity::Info,
    "benchmark_fairness",
    VerdictWord::None,
    "Some launches happen on the first call only",
    "A kernel is launched under a condition on state that survives the call, beside launches that "
    "always happen. Often this is set-up (weights packed once); if inputs can change, it is a "
    "cache."};
const Rule replaysGraph{
    "A06",
    Severity::Low,
    "benchmark_fairness",
    VerdictWord::None,
    "Replays a captured graph",
    "The function keeps a CUDA graph and launches it again. That is honest where the graph reads "
    "the "
    "inputs at replay; it hides launch overhead that a baseline without graphs pays."};

struct StateUse {
    bool increment = false, fromArgument = false, assigned = false, inserted = false;
    bool matters() const { return increment || fromArgument || assigned || inserted; }
};

bool isAssignment(const Token& t)
{
    static const QSet<QString> operators{
        QStringLiteral("="),  QStringLiteral("+="),  QStringLiteral("-="), QStringLiteral("|="),
        QStringLiteral("^="), QStringLiteral("<<="), QStringLiteral("*=")};
    return t.kind == TokenKind::Punct && operators.contains(t.text);
}

bool isComparison(const Token& t)
{
    return t.is("==") || t.is("!=") || t.is("<") || t.is(">") || t.is("<=") || t.is(">=") ||
           t.is("!") || t.is("&&") || t.is("||");
}

bool isLookup(const Token& t)
{
    static const QSet<QString> names{QStringLiteral("find"),     QStringLiteral("count"),
                                     QStringLiteral("contains"), QStringLiteral("at"),
                                     QStringLiteral("equal"),    QStringLiteral("exchange"),
                                     QStringLiteral("memcmp")};
    return t.identifier() && names.contains(t.text);
}

bool isHash(const QString& name)
{
    return name.contains(QLatin1String("hash"), Qt::CaseInsensitive) ||
           name.contains(QLatin1String("finger"), Qt::CaseInsensitive) ||
           name.contains(QLatin1String("checksum"), Qt::CaseInsensitive) ||
           name.contains(QLatin1String("crc"), Qt::CaseInsensitive);
}

class Analysis {
public:
    Analysis(const CppModel& model, Reporter& out) : m(model), m_out(out)
    {
        for (const CppState& s : m.state) {
            m_declared.insert(s.token);
            if (s.pointer)
                m_pointers.insert(s.name);
            m_owners[s.name].insert(s.function);
        }
    }

    void run()
    {
        for (int f = 0; f < int(m.functions.size()); ++f) {
            if (m.functions[f].host() && m.launching.contains(f))
                function(f);
        }
    }

private:
    bool member(int i) const
    {
        return i > 0 &&
               (m.tokens[i - 1].is(".") || m.tokens[i - 1].is("->") || m.tokens[i - 1].is("::"));
    }

    // Names visible in a function that outlive its calls, shadowed ones left out.
    QSet<QString> visibleState(int f) const
    {
        QSet<QString> names;
        for (const CppState& s : m.state) {
            if ((s.function == -1 || s.function == f) && !m.functions[f].param(s.name))
                names.insert(s.name);
        }
        return names;
    }

    int statementEnd(int i, int limit) const
    {
        int depth = 0;
        for (; i < limit; ++i) {
            const Token& t = m.tokens[i];
            if (t.is("(") || t.is("{") || t.is("["))
                ++depth;
            else if (t.is(")") || t.is("}") || t.is("]"))
                --depth;
            if (depth < 0 || (depth == 0 && t.is(";")))
                return i;
        }
        return limit;
    }

    void uses(int f)
    {
        m_use.clear();
        const CppFunction& fn = m.functions[f];
        QSet<int> bodies{f};
        // Helpers of the same file may keep the state for it.
        for (int i = fn.begin; i + 1 < fn.end; ++i) {
            if (m.tokens[i].identifier() && m.tokens[i + 1].is("(")) {
                const int callee = m.functionIndex(m.tokens[i].text);
                if (callee >= 0 && m.functions[callee].host())
                    bodies.insert(callee);
            }
        }
        for (const int b : bodies)
            usesIn(m.functions[b], b);
    }

    void usesIn(const CppFunction& fn, int index)
    {
        for (int i = fn.begin; i < fn.end; ++i) {
            const Token& t = m.tokens[i];
            if (!t.identifier() || member(i) ||
                (!m_state.contains(t.text) && !visibleIn(index, t.text)) || declares(i))
                continue;
            StateUse& use = m_use[t.text];
            const Token& before = m.tokens[i - 1];
            const Token& after = m.tokens[i + 1];
            if (before.is("++") || before.is("--") || after.is("++") || after.is("--") ||
                after.is("+="))
                use.increment = true;
            int k = i + 1; // past members and subscripts: state.key = …, state[key] = …
            while (k + 1 < fn.end) {
                if ((m.tokens[k].is(".") || m.tokens[k].is("->")) && m.tokens[k + 1].identifier()) {
                    static const QSet<QString> inserting{QStringLiteral("insert"),
                                                         QStringLiteral("emplace"),
                                                         QStringLiteral("try_emplace"),
                                                         QStringLiteral("push_back"),
                                                         QStringLiteral("emplace_back"),
                                                         QStringLiteral("store"),
                                                         QStringLiteral("insert_or_assign"),
                                                         QStringLiteral("fetch_add"),
                                                         QStringLiteral("exchange"),
                                                         QStringLiteral("assign"),
                                                         QStringLiteral("reset")};
                    if (inserting.contains(m.tokens[k + 1].text)) {
                        use.inserted = true;
                        use.increment = use.increment || m.tokens[k + 1].is("fetch_add");
                    }
                    k += 2;
                } else if (m.tokens[k].is("[")) {
                    const int close = matching(m.tokens, k);
                    if (close < 0)
                        break;
                    k = close + 1;
                } else {
                    break;
                }
            }
            if (k < fn.end && isAssignment(m.tokens[k])) {
                use.assigned = true;
                const int end = statementEnd(k, fn.end);
                for (int r = k + 1; r < end; ++r) {
                    if (fn.param(m.tokens[r].text) || m_fromArgument.contains(m.tokens[r].text))
                        use.fromArgument = true;
                }
                // state = malloc(…) and friends only remember a buffer.
                if (end == k + 2 && m.tokens[k + 1].is("nullptr") && !use.fromArgument)
                    use.assigned = false;
            }
        }
    }

    bool visibleIn(int index, const QString& name) const
    {
        const auto owners = m_owners.constFind(name);
        return owners != m_owners.constEnd() && (owners->contains(-1) || owners->contains(index));
    }

    bool declares(int i) const { return m_declared.contains(i); }

    // Locals that carry arguments, and locals that carry an answer about state.
    void locals(const CppFunction& fn)
    {
        m_fromArgument.clear();
        m_derived.clear();
        m_hashed = false;
        for (int i = fn.begin; i < fn.end; ++i) {
            const bool initialises = m.tokens[i].is("=") || (m.tokens[i].is("{") && i > fn.begin &&
                                                             m.tokens[i - 1].identifier());
            if (!initialises || !m.tokens[i - 1].identifier() || member(i - 1))
                continue;
            const QString name = m.tokens[i - 1].text;
            if (m_state.contains(name))
                continue;
            const int close = m.tokens[i].is("{") ? matching(m.tokens, i) : statementEnd(i, fn.end);
            if (close < 0 || close - i > 400)
                continue;
            bool argument = false, state = false, asks = false;
            for (int r = i + 1; r < close; ++r) {
                const Token& t = m.tokens[r];
                argument = argument || fn.param(t.text) || m_fromArgument.contains(t.text);
                m_hashed = m_hashed || (t.identifier() && isHash(t.text));
                state =
                    state ||
                    (t.identifier() && !member(r) &&
                     (m_state.contains(t.text) || m_derived.contains(t.text) || asksState(t.text)));
                asks =
                    asks || isComparison(t) || isLookup(t) || (t.identifier() && asksState(t.text));
            }
            if (argument)
                m_fromArgument.insert(name);
            if (state && asks)
                m_derived.insert(name);
        }
    }

    // A helper of the file that does not launch but reads state: `if (seen(x)) return;`
    bool asksState(const QString& name) const
    {
        const int callee = m.functionIndex(name);
        if (callee < 0 || !m.functions[callee].host() || m.launching.contains(callee))
            return false;
        const CppFunction& fn = m.functions[callee];
        bool compares = false, state = false;
        for (int i = fn.begin; i < fn.end; ++i) {
            state = state || (m.tokens[i].identifier() && visibleIn(callee, m.tokens[i].text));
            compares =
                compares || isLookup(m.tokens[i]) || m.tokens[i].is("==") || m.tokens[i].is("++");
        }
        return state && compares && fn.end - fn.begin < 400;
    }

    struct Guard {
        bool state = false, argument = false, counter = false, hash = false, pointer = false;
    };

    // Whether a condition asks state that calls change; taking an address or testing for "not there
    // yet" alone does not count.
    Guard guard(const CppFunction& fn, int begin, int end, bool absentCounts = false) const
    {
        Guard g;
        bool positive = false;
        for (int i = begin; i < end; ++i) {
            const Token& t = m.tokens[i];
            if (!t.identifier() || member(i))
                continue;
            if (const CppParam* p = fn.param(t.text)) {
                g.argument = true;
                g.pointer = g.pointer || p->pointer;
            }
            g.argument = g.argument || m_fromArgument.contains(t.text);
            g.hash = g.hash || isHash(t.text);
            const bool derived = m_derived.contains(t.text) || asksState(t.text);
            if (!derived && !m_state.contains(t.text))
                continue;
            if (m.tokens[i - 1].is("&") && (m.tokens[i - 2].is("(") || m.tokens[i - 2].is(",")))
                continue;
            if (derived) {
                g.state = positive = true;
                continue;
            }
            const StateUse use = m_use.value(t.text);
            if (!use.matters())
                continue;
            g.state = true;
            g.counter = g.counter || use.increment;
            const bool absent = (m.tokens[i - 1].is("!") && m_pointers.contains(t.text)) ||
                                (m.tokens[i + 1].is("==") && i + 2 < end &&
                                 (m.tokens[i + 2].is("nullptr") || m.tokens[i + 2].is("NULL")));
            positive = positive || !absent || use.increment || absentCounts;
        }
        g.state = g.state && positive;
        return g;
    }

    void report(const Guard& g, int firstLine, int lastLine)
    {
        const QString where =
            QStringLiteral("lines %1-%2 leave without a launch").arg(firstLine).arg(lastLine);
        if (g.hash || m_hashed)
            m_out.add(skipByFingerprint, firstLine, lastLine, where);
        else if (g.counter)
            m_out.add(skipByCount, firstLine, lastLine, where);
        else if (g.argument)
            m_out.add(skipByPointer, firstLine, lastLine, where);
        else
            m_out.add(skipByFlag, firstLine, lastLine, where);
    }

    void function(int f)
    {
        const CppFunction& fn = m.functions[f];
        m_state = visibleState(f);
        m_use.clear();
        locals(fn);
        uses(f);
        locals(fn);
        uses(f); // once more: what locals carry is known now
        bool guarded = false;
        int unconditional = 0;
        QVector<std::pair<int, int>> once;
        for (int i = fn.begin; i < fn.end; ++i) {
            if (m.tokens[i].is("if") && m.tokens[i + 1].is("("))
                guarded = condition(fn, i, once) || guarded;
            if (m.tokens[i].is("call_once") && m.launchIn(i, statementEnd(i, fn.end))) {
                m_out.add(skipByFlag, m.tokens[i].line, m.tokens[statementEnd(i, fn.end - 1)].line,
                          QStringLiteral("call_once around a launch"));
                guarded = true;
            }
            if (m.tokens[i].is("static") && m.launchIn(i, statementEnd(i, fn.end))) {
                m_out.add(skipByFlag, m.tokens[i].line, m.tokens[statementEnd(i, fn.end - 1)].line,
                          QStringLiteral("a launch inside the initialiser of a static"));
                guarded = true;
            }
        }
        // Launches outside every state-guarded branch.
        for (int i = fn.begin; i < fn.end; ++i) {
            const bool inside = std::any_of(once.begin(), once.end(), [i](const auto& r) {
                return i >= r.first && i < r.second;
            });
            if (!inside && m.launchIn(i, i + 1 < fn.end ? i + 2 : i + 1))
                ++unconditional;
        }
        for (const auto& [begin, end] : once) {
            const int first = m.tokens[begin].line, last = m.tokens[end - 1].line;
            if (unconditional) {
                m_out.add(setUpOnce, first, last,
                          QStringLiteral("launched under a condition on kept state"));
            } else if (!guarded) {
                const Guard g = guard(fn, begin, conditionEnd(begin) + 1, true);
                report(g, first, last);
                guarded = true;
            }
        }
        if (!guarded)
            counters(fn);
    }

    int conditionEnd(int ifToken) const { return matching(m.tokens, ifToken + 1); }

    int branchEnd(int begin, int limit) const
    {
        if (m.tokens[begin].is("{")) {
            const int close = matching(m.tokens, begin);
            return close < 0 ? limit : close + 1;
        }
        return std::min(limit, statementEnd(begin, limit) + 1);
    }

    bool condition(const CppFunction& fn, int at, QVector<std::pair<int, int>>& once)
    {
        const int close = matching(m.tokens, at + 1);
        if (close < 0 || close + 1 >= fn.end)
            return false;
        const int begin = close + 1, end = branchEnd(begin, fn.end);
        const bool hasElse = end < fn.end && m.tokens[end].is("else");
        const int otherEnd = hasElse ? branchEnd(end + 1, fn.end) : end;
        const bool launches = m.launchIn(begin, end);
        // "Not there yet" before a launch is the first call; before a return it is an error check.
        const Guard g = guard(fn, at + 2, close, launches);
        if (!g.state)
            return false;
        const bool otherLaunches = hasElse && m.launchIn(end + 1, otherEnd);
        if (launches && graph(begin, end)) {
            m_out.add(replaysGraph, m.tokens[at].line, m.tokens[end - 1].line,
                      QStringLiteral("cudaGraphLaunch under a condition on kept state"));
            return false;
        }
        // Leaving early: a return at the end of the branch, with launches still to come.
        if (!launches && leaves(begin, end) && m.launchIn(end, fn.end)) {
            report(g, m.tokens[at].line, m.tokens[end - 1].line);
            return true;
        }
        // if (seen) copy; else launch.
        if (hasElse && !launches && otherLaunches) {
            report(g, m.tokens[at].line, m.tokens[otherEnd - 1].line);
            return true;
        }
        if (launches && !otherLaunches)
            once.push_back({at, end});
        return false;
    }

    bool graph(int begin, int end) const
    {
        for (int i = begin; i < end; ++i) {
            if (m.tokens[i].is("cudaGraphLaunch") || m.tokens[i].is("hipGraphLaunch") ||
                m.tokens[i].is("cuGraphLaunch"))
                return true;
        }
        return false;
    }

    bool leaves(int begin, int end) const
    {
        if (m.tokens[begin].is("return"))
            return true;
        int last = -1;
        for (int i = begin + 1, depth = 0; i < end - 1; ++i) {
            if (m.tokens[i].is("{") || m.tokens[i].is("("))
                ++depth;
            else if (m.tokens[i].is("}") || m.tokens[i].is(")"))
                --depth;
            else if (depth == 0 && m.tokens[i].is("return"))
                last = i;
        }
        return last > 0 && statementEnd(last, end) >= end - 2;
    }

    void counters(const CppFunction& fn)
    {
        for (int i = fn.begin; i < fn.end; ++i) {
            const Token& t = m.tokens[i];
            if (!t.identifier() || member(i) || !m_state.contains(t.text) ||
                !m_use.value(t.text).increment)
                continue;
            if (m.tokens[i - 1].is("++") || m.tokens[i + 1].is("++") || m.tokens[i + 1].is("+="))
                m_out.add(countsCalls, t.line, t.line,
                          QStringLiteral("\"%1\" is counted up").arg(t.text));
        }
    }

    const CppModel& m;
    Reporter& m_out;
    QSet<QString> m_state, m_fromArgument, m_derived;
    QHash<QString, StateUse> m_use;
    QSet<int> m_declared;
    QSet<QString> m_pointers;
    QHash<QString, QSet<int>> m_owners;
    bool m_hashed = false;
};

} // namespace

void auditKeptState(const CppModel& model, Reporter& out)
{
    if (!model.state.isEmpty() || !model.launches.isEmpty())
        Analysis(model, out).run();
}

const QVector<const Rule*>& cppStateRules()
{
    static const QVector<const Rule*> rules{&skipByPointer,     &skipByCount, &skipByFlag,
                                            &skipByFingerprint, &countsCalls, &setUpOnce,
                                            &replaysGraph};
    return rules;
}

} // namespace ridgeline::audit
