// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/cpp_model.h"

#include <algorithm>

namespace ridgeline::audit {

namespace {

bool isLaunchName(const QString& name)
{
    static const QSet<QString> names{
        QStringLiteral("cudaLaunchKernel"),      QStringLiteral("cudaLaunchKernelEx"),
        QStringLiteral("cudaLaunchKernelExC"),   QStringLiteral("cudaLaunchCooperativeKernel"),
        QStringLiteral("cuLaunchKernel"),        QStringLiteral("cuLaunchKernelEx"),
        QStringLiteral("cudaGraphLaunch"),       QStringLiteral("cuGraphLaunch"),
        QStringLiteral("hipLaunchKernelGGL"),    QStringLiteral("hipLaunchKernel"),
        QStringLiteral("hipModuleLaunchKernel"), QStringLiteral("hipGraphLaunch"),
        QStringLiteral("hipExtLaunchKernel")};
    return names.contains(name);
}

class Builder {
public:
    explicit Builder(const QString& text) { m.tokens = tokenizeCpp(text); }

    CppModel build()
    {
        scope(0, int(m.tokens.size()));
        for (int i = 0; i < int(m.tokens.size()); ++i) {
            const Token& t = m.tokens[i];
            if (t.directive)
                continue;
            if (t.is("<<<") || (t.identifier() && isLaunchName(t.text) && next(i).is("(")))
                m.launches.push_back(i);
        }
        defines();
        constants();
        for (int f = 0; f < int(m.functions.size()); ++f) {
            if (m.functions[f].host())
                statics(f);
        }
        callers();
        return std::move(m);
    }

private:
    const Token& at(int i) const
    {
        static const Token none;
        return i >= 0 && i < int(m.tokens.size()) ? m.tokens[i] : none;
    }
    const Token& next(int i) const { return at(i + 1); }

    // Declarations of one namespace, class or file.
    void scope(int begin, int end, int depth = 0)
    {
        if (depth > 64)
            return;
        int start = begin;
        for (int i = begin; i < end; ++i) {
            const Token& t = m.tokens[i];
            if (t.directive) {
                if (start == i)
                    start = i + 1;
                continue;
            }
            if (t.is(";")) {
                declaration(start, i);
                start = i + 1;
            } else if (t.is("(") || t.is("[")) {
                const int close = matching(m.tokens, i);
                if (close < 0)
                    return;
                i = close;
            } else if (t.is("}")) {
                start = i + 1;
            } else if (t.is("{")) {
                const int close = matching(m.tokens, i);
                if (close < 0)
                    return;
                if (block(start, i, close, depth))
                    start = close + 1;
                i = close;
            }
        }
    }

    bool has(int begin, int end, const char* word) const
    {
        for (int i = begin; i < end; ++i) {
            if (m.tokens[i].is(word))
                return true;
        }
        return false;
    }

    // The first "(" of a declarator: not that of an attribute. -1 if there is none.
    int declarator(int begin, int end) const
    {
        for (int i = begin; i < end; ++i) {
            if (m.tokens[i].is("=") || m.tokens[i].directive)
                return -1;
            if (!m.tokens[i].is("("))
                continue;
            const Token& before = at(i - 1);
            static const QSet<QString> attributes{
                QStringLiteral("__launch_bounds__"), QStringLiteral("__attribute__"),
                QStringLiteral("alignas"),           QStringLiteral("__align__"),
                QStringLiteral("decltype"),          QStringLiteral("__declspec"),
                QStringLiteral("noexcept"),          QStringLiteral("requires"),
                QStringLiteral("__cluster_dims__"),  QStringLiteral("__block_size__"),
                QStringLiteral("__maxnreg__")};
            if (attributes.contains(before.text)) {
                const int close = matching(m.tokens, i);
                if (close < 0)
                    return -1;
                i = close;
                continue;
            }
            return i;
        }
        return -1;
    }

    // True when the block ends the declaration (a function or namespace), false when more follows.
    bool block(int start, int open, int close, int depth)
    {
        if (has(start, open, "namespace")) {
            scope(open + 1, close, depth + 1);
            return true;
        }
        if (has(start, open, "extern") && at(open - 1).kind == TokenKind::String) {
            scope(open + 1, close, depth + 1);
            return true;
        }
        const int paren = declarator(start, open);
        if (paren > start && (at(paren - 1).identifier() || at(paren - 1).is(")") ||
                              has(start, paren, "operator"))) {
            function(start, paren, open, close);
            return true;
        }
        if (has(start, open, "class") || has(start, open, "struct") || has(start, open, "union"))
            scope(open + 1, close, depth + 1);
        return false; // an initialiser, an enum or a class: the declaration goes on to ";"
    }

    void function(int start, int paren, int open, int close)
    {
        CppFunction f;
        f.nameToken = paren - 1;
        f.name = m.tokens[paren - 1].text;
        f.begin = open;
        f.end = close + 1;
        f.kernel = has(start, paren, "__global__");
        f.device = has(start, paren, "__device__") && !has(start, paren, "__host__") && !f.kernel;
        const int last = matching(m.tokens, paren);
        int from = paren + 1;
        for (int i = paren + 1, depth = 0; i <= last; ++i) {
            const Token& t = m.tokens[i];
            if (t.is("(") || t.is("[") || t.is("{") || t.is("<"))
                ++depth;
            else if ((t.is(")") && i < last) || t.is("]") || t.is("}") || t.is(">"))
                depth = std::max(0, depth - 1);
            if ((t.is(",") && depth == 0) || i == last) {
                parameter(f, from, i);
                from = i + 1;
            }
        }
        if (!m.byName.contains(f.name))
            m.byName.insert(f.name, int(m.functions.size()));
        m.functions.push_back(f);
    }

    void parameter(CppFunction& f, int begin, int end) const
    {
        CppParam p;
        QStringList type;
        int nameAt = -1;
        for (int i = begin; i < end; ++i) {
            const Token& t = m.tokens[i];
            if (t.is("="))
                break;
            if (t.identifier() && !t.is("const") && !t.is("__restrict__") && !t.is("restrict") &&
                !t.is("unsigned") && !t.is("int"))
                nameAt = i;
            p.pointer = p.pointer || t.is("*") || t.is("[");
            if (t.is("const") && !p.pointer)
                p.constPointee = true;
        }
        for (int i = begin; i < end; ++i) {
            if (i != nameAt)
                type << m.tokens[i].text;
        }
        // A single identifier is a type without a name.
        if (nameAt > begin)
            p.name = m.tokens[nameAt].text;
        p.type = type.join(QLatin1Char(' '));
        p.constPointee = p.constPointee && p.pointer;
        if (!type.isEmpty() || !p.name.isEmpty())
            f.params.push_back(p);
    }

    // A variable that can change: not const (a pointer to const can), no type, no prototype.
    void declaration(int begin, int end, int inFunction = -1)
    {
        if (end - begin < 2)
            return;
        static const char* const never[] = {
            "using",      "typedef",       "template",  "constexpr",  "consteval",
            "friend",     "static_assert", "extern",    "__device__", "__constant__",
            "__shared__", "operator",      "namespace", "return"};
        for (const char* word : never) {
            if (has(begin, end, word))
                return;
        }
        if (declarator(begin, end) >= 0 && inFunction < 0)
            return;
        bool pointer = false, constant = false;
        int depth = 0, name = -1;
        for (int i = begin; i < end; ++i) {
            const Token& t = m.tokens[i];
            if (t.is("class") || t.is("struct") || t.is("union") || t.is("enum")) {
                const Token& last = at(end - 1);
                if (last.is("}") && !has(begin, end, "="))
                    return; // a type without an object
            }
            if (depth == 0 && (t.is("=") || t.is("{") || t.is("[") || t.is("(")))
                break;
            if (t.is("<"))
                ++depth;
            else if (t.is(">"))
                depth = std::max(0, depth - 1);
            else if (t.is(">>"))
                depth = std::max(0, depth - 2);
            if (depth)
                continue;
            if (t.is("*")) {
                pointer = true;
                constant = false;
            } else if (t.is("const")) {
                constant = true;
            } else if (t.identifier()) {
                name = i;
            }
        }
        if (constant || name <= begin)
            return;
        m.state.push_back({m.tokens[name].text, name, inFunction, pointer});
    }

    void statics(int f)
    {
        const CppFunction& fn = m.functions[f];
        for (int i = fn.begin; i < fn.end; ++i) {
            if (!m.tokens[i].is("static") && !m.tokens[i].is("thread_local"))
                continue;
            int end = i;
            while (end < fn.end && !m.tokens[end].is(";")) {
                if (m.tokens[end].is("(") || m.tokens[end].is("{") || m.tokens[end].is("[")) {
                    const int close = matching(m.tokens, end);
                    if (close < 0)
                        return;
                    end = close;
                }
                ++end;
            }
            declaration(i, end, f);
            i = end;
        }
    }

    // #define NAME expression
    void defines()
    {
        for (int i = 0; i + 3 < int(m.tokens.size()); ++i) {
            if (!m.tokens[i].directive || !m.tokens[i].is("#") || !at(i + 1).is("define"))
                continue;
            int end = i + 3;
            while (end < int(m.tokens.size()) && m.tokens[end].directive &&
                   m.tokens[end].line == m.tokens[i].line)
                ++end;
            qint64 value = 0;
            if (m.evaluate(i + 3, end, value))
                m.constants.insert(at(i + 2).text, value);
        }
    }

    void constants()
    {
        for (int i = 1; i + 2 < int(m.tokens.size()); ++i) {
            if (!m.tokens[i].is("=") || !m.tokens[i - 1].identifier() || m.tokens[i].directive)
                continue;
            bool constant = false;
            for (int k = i - 2; k >= 0 && k > i - 8; --k) {
                const Token& t = m.tokens[k];
                if (t.is(";") || t.is("{") || t.is("}") || t.is("*") || t.is(","))
                    break;
                constant = constant || t.is("constexpr") || t.is("const");
            }
            if (!constant)
                continue;
            int end = i + 1;
            while (end < int(m.tokens.size()) && !m.tokens[end].is(";") && !m.tokens[end].is(","))
                ++end;
            qint64 value = 0;
            if (end - i < 40 && m.evaluate(i + 1, end, value))
                m.constants.insert(m.tokens[i - 1].text, value);
        }
    }

    void callers()
    {
        for (int f = 0; f < int(m.functions.size()); ++f) {
            if (!m.functions[f].host())
                continue;
            for (const int l : m.launches) {
                if (l > m.functions[f].begin && l < m.functions[f].end)
                    m.launching.insert(f);
            }
        }
        // Chains of helpers in one file are short; the bound keeps hostile files quick.
        bool grew = true;
        for (int round = 0; grew && round < 16; ++round) {
            grew = false;
            for (int f = 0; f < int(m.functions.size()); ++f) {
                if (m.functions[f].host() && !m.launching.contains(f) &&
                    m.launchIn(m.functions[f].begin, m.functions[f].end)) {
                    m.launching.insert(f);
                    grew = true;
                }
            }
        }
    }

    CppModel m;
};

// Recursive descent over a handful of tokens.
class Arithmetic {
public:
    Arithmetic(const CppModel& model, int begin, int end) : m(model), m_at(begin), m_end(end) {}

    bool run(qint64& value)
    {
        if (m_at >= m_end || m_end - m_at > 64)
            return false;
        value = sum();
        return m_ok && m_at == m_end;
    }

private:
    bool take(const char* word)
    {
        if (m_at < m_end && m.tokens[m_at].is(word)) {
            ++m_at;
            return true;
        }
        return false;
    }

    qint64 sum()
    {
        qint64 v = product();
        while (m_ok) {
            qint64 out = 0;
            if (take("+"))
                m_ok = !__builtin_add_overflow(v, product(), &out) && m_ok;
            else if (take("-"))
                m_ok = !__builtin_sub_overflow(v, product(), &out) && m_ok;
            else
                break;
            v = out;
        }
        return v;
    }

    qint64 product()
    {
        qint64 v = atom();
        while (m_ok) {
            const bool times = take("*");
            const bool over = !times && take("/");
            if (!times && !over && !take("%"))
                break;
            const qint64 r = atom();
            qint64 out = 0;
            if (times)
                m_ok = !__builtin_mul_overflow(v, r, &out) && m_ok;
            else if (r <= 0)
                m_ok = false;
            else
                out = over ? v / r : v % r;
            v = out;
        }
        return v;
    }

    qint64 atom()
    {
        if (++m_depth > 40 || m_at >= m_end) {
            m_ok = false;
            return 0;
        }
        if (take("(")) {
            const qint64 v = sum();
            m_ok = take(")") && m_ok;
            return v;
        }
        const Token& t = m.tokens[m_at++];
        if (t.kind == TokenKind::Number) {
            QString digits = t.text;
            while (!digits.isEmpty() && QStringLiteral("uUlL").contains(digits.back()))
                digits.chop(1);
            bool ok = false;
            const qint64 v = digits.toLongLong(&ok, 0);
            m_ok = m_ok && ok;
            return v;
        }
        if (t.identifier() && m.constants.contains(t.text))
            return m.constants.value(t.text);
        m_ok = false;
        return 0;
    }

    const CppModel& m;
    int m_at;
    int m_end;
    int m_depth = 0;
    bool m_ok = true;
};

} // namespace

const CppParam* CppFunction::param(const QString& wanted) const
{
    for (const CppParam& p : params) {
        if (p.name == wanted && !wanted.isEmpty())
            return &p;
    }
    return nullptr;
}

const CppFunction* CppModel::functionAt(int token) const
{
    for (const CppFunction& f : functions) {
        if (token > f.begin && token < f.end)
            return &f;
    }
    return nullptr;
}

int CppModel::functionIndex(const QString& name) const
{
    return byName.value(name, -1);
}

bool CppModel::launchIn(int begin, int end) const
{
    const auto first = std::lower_bound(launches.begin(), launches.end(), begin);
    if (first != launches.end() && *first < end)
        return true;
    for (int i = begin; i + 1 < end; ++i) {
        if (!tokens[i].identifier() || !tokens[i + 1].is("("))
            continue;
        const int callee = functionIndex(tokens[i].text);
        if (callee >= 0 && launching.contains(callee))
            return true;
    }
    return false;
}

bool CppModel::evaluate(int begin, int end, qint64& value) const
{
    return Arithmetic(*this, begin, end).run(value);
}

CppModel modelCpp(const QString& text)
{
    return Builder(text).build();
}

} // namespace ridgeline::audit
