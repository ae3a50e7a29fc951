// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/expr.h"

#include <cmath>

namespace ridgeline {

namespace {

/// Recursive descent over the text; stops at the first problem.
class Parser {
public:
    /// Without values only the form is checked.
    Parser(const QString& text, const ExprEnv& env, bool hasValues)
        : m_text(text), m_env(env), m_hasValues(hasValues)
    {
    }

    Result<double> run()
    {
        if (m_text.size() > 1000)
            return fail(0, QStringLiteral("longer than 1,000 characters"));
        const double value = sum();
        skipSpace();
        if (!m_problem && m_at < m_text.size())
            problem(m_at, QStringLiteral("unexpected \"%1\"").arg(m_text.at(m_at)));
        if (!m_problem && m_hasValues && !std::isfinite(value))
            problem(0, QStringLiteral("the result is not finite"));
        if (m_problem)
            return *m_problem;
        return value;
    }

private:
    Error fail(qsizetype at, const QString& why)
    {
        Error error{ErrorCode::BadSyntax,
                    QStringLiteral("expression \"%1\": %2").arg(m_text.left(120), why),
                    {},
                    {}};
        error.where.column = int(at) + 1;
        return error;
    }
    void problem(qsizetype at, const QString& why)
    {
        if (!m_problem)
            m_problem = fail(at, why + QStringLiteral(" at column %1").arg(at + 1));
        m_at = m_text.size();
    }
    void skipSpace()
    {
        while (m_at < m_text.size() && m_text.at(m_at).isSpace())
            ++m_at;
    }
    bool take(const char* token)
    {
        skipSpace();
        const QLatin1String wanted(token);
        if (!QStringView(m_text).mid(m_at).startsWith(wanted))
            return false;
        // A single * or / must not eat half of ** or //.
        if (wanted.size() == 1 && (token[0] == '*' || token[0] == '/') &&
            m_at + 1 < m_text.size() && m_text.at(m_at + 1) == QLatin1Char(token[0]))
            return false;
        m_at += wanted.size();
        return true;
    }
    double sum()
    {
        double value = product();
        while (!m_problem) {
            if (take("+"))
                value += product();
            else if (take("-"))
                value -= product();
            else
                break;
        }
        return value;
    }
    double product()
    {
        double value = unary();
        while (!m_problem) {
            if (take("*")) {
                value *= unary();
                continue;
            }
            const bool floors = take("//");
            const bool modulo = !floors && take("%");
            if (!floors && !modulo && !take("/"))
                break;
            const qsizetype at = m_at;
            const double divisor = unary();
            if (divisor == 0 && m_hasValues) {
                problem(at, QStringLiteral("division by zero"));
                break;
            }
            if (floors)
                value = std::floor(value / divisor);
            else if (modulo)
                value -= divisor * std::floor(value / divisor);
            else
                value /= divisor;
        }
        return value;
    }
    double unary()
    {
        if (++m_depth > 100) {
            problem(m_at, QStringLiteral("nested deeper than 100"));
            return 0;
        }
        double value = 0;
        if (take("-"))
            value = -unary();
        else if (take("+"))
            value = unary();
        else
            value = power();
        --m_depth;
        return value;
    }
    double power()
    {
        const double base = atom();
        if (!m_problem && take("**"))
            return std::pow(base, unary());
        return base;
    }
    double atom()
    {
        skipSpace();
        if (m_at >= m_text.size()) {
            problem(m_at, QStringLiteral("ends where a value is expected"));
            return 0;
        }
        if (take("(")) {
            const double value = sum();
            if (!m_problem && !take(")"))
                problem(m_at, QStringLiteral("\")\" expected"));
            return value;
        }
        const qsizetype start = m_at;
        const auto ascii = [this](qsizetype i) {
            return i < m_text.size() ? m_text.at(i).unicode() : u'\0';
        };
        const auto digit = [&](qsizetype i) { return ascii(i) >= u'0' && ascii(i) <= u'9'; };
        const auto letter = [&](qsizetype i) {
            const char16_t c = ascii(i);
            return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || c == u'_';
        };
        if (digit(m_at)) {
            while (digit(m_at))
                ++m_at;
            if (ascii(m_at) == u'.') {
                ++m_at;
                while (digit(m_at))
                    ++m_at;
            }
            if (ascii(m_at) == u'e' || ascii(m_at) == u'E') {
                const bool sign = ascii(m_at + 1) == u'-' || ascii(m_at + 1) == u'+';
                if (digit(m_at + 1 + sign)) {
                    m_at += 1 + sign;
                    while (digit(m_at))
                        ++m_at;
                }
            }
            if (letter(m_at))
                problem(m_at, QStringLiteral("unexpected letter in a number"));
            return QStringView(m_text).mid(start, m_at - start).toDouble();
        }
        if (letter(m_at)) {
            while (letter(m_at) || digit(m_at))
                ++m_at;
            const QString name = m_text.mid(start, m_at - start);
            const auto it = m_env.find(name);
            if (it == m_env.end()) {
                problem(start, QStringLiteral("unknown name \"%1\"").arg(name.left(60)));
                return 0;
            }
            return it.value();
        }
        problem(m_at, QStringLiteral("unexpected \"%1\"").arg(m_text.at(m_at)));
        return 0;
    }

    const QString& m_text;
    const ExprEnv& m_env;
    const bool m_hasValues;
    qsizetype m_at = 0;
    int m_depth = 0;
    std::optional<Error> m_problem;
};

} // namespace

Result<double> evaluateExpr(const QString& text, const ExprEnv& env)
{
    return Parser(text, env, true).run();
}

Result<void> checkExpr(const QString& text, const QStringList& names)
{
    ExprEnv env;
    for (const QString& name : names)
        env.insert(name, 1);
    const auto result = Parser(text, env, false).run();
    if (!result)
        return result.error();
    return {};
}

Result<qint64> evaluateCount(const QString& text, const ExprEnv& env)
{
    const auto value = evaluateExpr(text, env);
    if (!value)
        return value.error();
    constexpr double largest = 9007199254740992.0; // 2^53: exact in a double
    if (*value < 0 || *value > largest || *value != std::floor(*value)) {
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("expression \"%1\" gives %2, which is no count")
                         .arg(text.left(120))
                         .arg(*value, 0, 'g', 17),
                     {},
                     QStringLiteral("it must give a whole number from 0 to 2^53")};
    }
    return qint64(*value);
}

} // namespace ridgeline
