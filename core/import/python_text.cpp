// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/python_text.h"

#include <QRegularExpression>
#include <cmath>

namespace ridgeline {

namespace {

bool isNameChar(QChar c)
{
    return c.isLetterOrNumber() || c == QLatin1Char('_');
}

/// Replaces the inside of strings and comments by spaces.
class Masker {
public:
    explicit Masker(const QString& source) : m_in(source), m_out(source) {}

    QString run()
    {
        while (m_at < m_in.size())
            step();
        return m_out;
    }

private:
    QChar at(qsizetype i) const { return i < m_in.size() ? m_in[i] : QChar(); }
    void blank(qsizetype i)
    {
        if (i < m_out.size() && m_out[i] != QLatin1Char('\n'))
            m_out[i] = QLatin1Char(' ');
    }

    void step()
    {
        const QChar c = at(m_at);
        if (c == QLatin1Char('#')) {
            while (m_at < m_in.size() && at(m_at) != QLatin1Char('\n'))
                blank(m_at++);
            return;
        }
        if (c == QLatin1Char('"') || c == QLatin1Char('\'')) {
            string(c);
            return;
        }
        ++m_at;
    }

    void string(QChar quote)
    {
        const bool three = at(m_at + 1) == quote && at(m_at + 2) == quote;
        m_at += three ? 3 : 1;
        while (m_at < m_in.size()) {
            const QChar c = at(m_at);
            if (c == QLatin1Char('\\')) {
                blank(m_at);
                blank(m_at + 1);
                m_at += 2;
                continue;
            }
            if (!three && c == QLatin1Char('\n'))
                return; // unterminated: the next line is code again
            if (c == quote && (!three || (at(m_at + 1) == quote && at(m_at + 2) == quote))) {
                m_at += three ? 3 : 1;
                return;
            }
            blank(m_at++);
        }
    }

    const QString& m_in;
    QString m_out;
    qsizetype m_at = 0;
};

/// Reads literals by descent; every level and value is counted.
class LiteralReader {
public:
    LiteralReader(const QString& text, const QMap<QString, Json>& names)
        : m_text(text), m_names(names)
    {
    }

    std::optional<Json> read(qsizetype* used)
    {
        auto value = sum(0);
        if (used != nullptr)
            *used = m_at;
        return value;
    }

private:
    QChar peek()
    {
        while (m_at < m_text.size()) {
            const QChar c = m_text[m_at];
            if (c == QLatin1Char('#')) {
                while (m_at < m_text.size() && m_text[m_at] != QLatin1Char('\n'))
                    ++m_at;
            } else if (c == QLatin1Char(' ') || c == QLatin1Char('\t') || c == QLatin1Char('\r') ||
                       c == QLatin1Char('\\') || (m_brackets > 0 && c == QLatin1Char('\n'))) {
                ++m_at;
            } else {
                return c;
            }
        }
        return {};
    }
    bool take(QChar c)
    {
        if (peek() != c)
            return false;
        ++m_at;
        return true;
    }

    static std::optional<Json> arithmetic(const Json& a, const Json& b, char op)
    {
        if (!a.is_number() || !b.is_number())
            return std::nullopt;
        const double x = a.get<double>(), y = b.get<double>();
        double r = 0;
        bool whole = a.is_number_integer() && b.is_number_integer();
        switch (op) {
        case '+':
            r = x + y;
            break;
        case '-':
            r = x - y;
            break;
        case '*':
            r = x * y;
            break;
        case '/':
            r = x / y;
            whole = false;
            break;
        case 'f':
            r = std::floor(x / y);
            break;
        case '^':
            r = std::pow(x, y);
            whole = whole && y >= 0;
            break;
        default:
            return std::nullopt;
        }
        if (!std::isfinite(r))
            return std::nullopt;
        if (whole && std::abs(r) <= 9007199254740992.0)
            return Json(qint64(r));
        return Json(r);
    }

    std::optional<Json> sum(int depth)
    {
        auto left = product(depth);
        while (left) {
            const QChar c = peek();
            if (c != QLatin1Char('+') && c != QLatin1Char('-'))
                return left;
            ++m_at;
            const auto right = product(depth);
            left = right ? arithmetic(*left, *right, c.toLatin1()) : std::nullopt;
        }
        return left;
    }

    std::optional<Json> product(int depth)
    {
        auto left = power(depth);
        while (left) {
            const QChar c = peek();
            char op = 0;
            if (c == QLatin1Char('*'))
                op = '*';
            else if (c == QLatin1Char('/'))
                op = m_at + 1 < m_text.size() && m_text[m_at + 1] == QLatin1Char('/') ? 'f' : '/';
            if (op == 0)
                return left;
            m_at += op == 'f' ? 2 : 1;
            const auto right = power(depth);
            left = right ? arithmetic(*left, *right, op) : std::nullopt;
        }
        return left;
    }

    std::optional<Json> power(int depth)
    {
        auto base = atom(depth);
        if (base && peek() == QLatin1Char('*') && m_at + 1 < m_text.size() &&
            m_text[m_at + 1] == QLatin1Char('*')) {
            m_at += 2;
            const auto exponent = depth < maxDepth ? power(depth + 1) : std::nullopt;
            return exponent ? arithmetic(*base, *exponent, '^') : std::nullopt;
        }
        return base;
    }

    std::optional<Json> atom(int depth)
    {
        if (depth > maxDepth || ++m_values > maxValues)
            return std::nullopt;
        const QChar c = peek();
        if (c == QLatin1Char('-')) {
            ++m_at;
            const auto value = atom(depth + 1);
            return value ? arithmetic(Json(qint64(0)), *value, '-') : std::nullopt;
        }
        if (c == QLatin1Char('[') || c == QLatin1Char('('))
            return list(depth);
        if (c == QLatin1Char('{'))
            return dict(depth);
        if (c == QLatin1Char('"') || c == QLatin1Char('\''))
            return strings();
        if (c.isDigit() || c == QLatin1Char('.'))
            return number();
        if (c.isLetter() || c == QLatin1Char('_'))
            return name(depth);
        return std::nullopt;
    }

    std::optional<Json> list(int depth)
    {
        const bool round = m_text[m_at] == QLatin1Char('(');
        const QChar close = round ? QLatin1Char(')') : QLatin1Char(']');
        ++m_at;
        ++m_brackets;
        Json items = Json::array();
        bool comma = false;
        while (!take(close)) {
            const auto value = sum(depth + 1);
            if (!value)
                return std::nullopt;
            items.push_back(*value);
            if (take(QLatin1Char(','))) {
                comma = true;
            } else if (peek() != close) {
                return std::nullopt;
            }
        }
        --m_brackets;
        if (round && items.size() == 1 && !comma)
            return items[0];
        return items;
    }

    std::optional<Json> dict(int depth)
    {
        ++m_at;
        ++m_brackets;
        Json object = Json::object();
        Json set = Json::array();
        while (!take(QLatin1Char('}'))) {
            const auto key = sum(depth + 1);
            if (!key)
                return std::nullopt;
            if (take(QLatin1Char(':'))) {
                const auto value = sum(depth + 1);
                if (!value)
                    return std::nullopt;
                object[key->is_string() ? key->get<std::string>() : key->dump()] = *value;
            } else {
                set.push_back(*key);
            }
            if (!take(QLatin1Char(',')) && peek() != QLatin1Char('}'))
                return std::nullopt;
        }
        --m_brackets;
        return set.empty() ? object : set;
    }

    std::optional<Json> strings()
    {
        QString all;
        for (QChar c = peek(); c == QLatin1Char('"') || c == QLatin1Char('\''); c = peek()) {
            const QString three(3, c);
            const bool triple = m_text.mid(m_at, 3) == three;
            m_at += triple ? 3 : 1;
            for (;; ++m_at) {
                if (m_at >= m_text.size() || (!triple && m_text[m_at] == QLatin1Char('\n')))
                    return std::nullopt;
                if (m_text[m_at] == c && (!triple || m_text.mid(m_at, 3) == three))
                    break;
                if (m_text[m_at] == QLatin1Char('\\') && m_at + 1 < m_text.size()) {
                    ++m_at;
                    const QChar e = m_text[m_at];
                    all += e == QLatin1Char('n')   ? QLatin1Char('\n')
                           : e == QLatin1Char('t') ? QLatin1Char('\t')
                                                   : e;
                    continue;
                }
                all += m_text[m_at];
            }
            m_at += triple ? 3 : 1;
        }
        return Json(sstr(all));
    }

    std::optional<Json> number()
    {
        static const QRegularExpression pattern(QStringLiteral(
            "\\G(?:0[xX][0-9a-fA-F_]+|(?:[0-9][0-9_]*)?\\.?[0-9_]*(?:[eE][+-]?[0-9_]+)?)"));
        const auto match = pattern.match(m_text, m_at);
        QString word = match.captured().remove(QLatin1Char('_'));
        m_at += match.capturedLength();
        bool ok = false;
        if (word.startsWith(QLatin1String("0x"), Qt::CaseInsensitive)) {
            const qint64 value = word.mid(2).toLongLong(&ok, 16);
            return ok ? std::optional<Json>(value) : std::nullopt;
        }
        const qint64 whole = word.toLongLong(&ok);
        if (ok)
            return Json(whole);
        const double value = word.toDouble(&ok);
        return ok && std::isfinite(value) ? std::optional<Json>(value) : std::nullopt;
    }

    std::optional<Json> name(int depth)
    {
        const qsizetype start = m_at;
        while (m_at < m_text.size() &&
               (isNameChar(m_text[m_at]) || m_text[m_at] == QLatin1Char('.')))
            ++m_at;
        const QString word = m_text.mid(start, m_at - start);
        const QChar quote = m_at < m_text.size() ? m_text[m_at] : QChar();
        if ((quote == QLatin1Char('"') || quote == QLatin1Char('\'')) && word.size() <= 2) {
            if (word.contains(QLatin1Char('f'), Qt::CaseInsensitive))
                return std::nullopt; // what it says depends on names
            return strings();
        }
        if (word == QLatin1String("True") || word == QLatin1String("False"))
            return Json(word == QLatin1String("True"));
        if (word == QLatin1String("None"))
            return Json();
        if (word == QLatin1String("dict") && quote == QLatin1Char('('))
            return call(depth);
        const auto known = m_names.constFind(word);
        if (known != m_names.constEnd())
            return *known;
        // A dotted name (torch.float16, ctypes.c_int) is kept as text.
        if (word.contains(QLatin1Char('.')) && quote != QLatin1Char('('))
            return Json(sstr(word));
        return std::nullopt;
    }

    /// dict(a=1, b=2)
    std::optional<Json> call(int depth)
    {
        ++m_at;
        ++m_brackets;
        Json object = Json::object();
        while (!take(QLatin1Char(')'))) {
            peek();
            const qsizetype start = m_at;
            while (m_at < m_text.size() && isNameChar(m_text[m_at]))
                ++m_at;
            const QString key = m_text.mid(start, m_at - start);
            if (key.isEmpty() || !take(QLatin1Char('=')))
                return std::nullopt;
            const auto value = sum(depth + 1);
            if (!value)
                return std::nullopt;
            object[sstr(key)] = *value;
            if (!take(QLatin1Char(',')) && peek() != QLatin1Char(')'))
                return std::nullopt;
        }
        --m_brackets;
        return object;
    }

    static constexpr int maxDepth = 64;
    static constexpr int maxValues = 20000;
    const QString& m_text;
    const QMap<QString, Json>& m_names;
    qsizetype m_at = 0;
    int m_brackets = 0;
    int m_values = 0;
};

QString dedented(const QString& text)
{
    QStringList lines = text.split(QLatin1Char('\n'));
    qsizetype indent = -1;
    for (qsizetype i = 1; i < lines.size(); ++i) {
        const QString& line = lines[i];
        qsizetype n = 0;
        while (n < line.size() && line[n].isSpace())
            ++n;
        if (n < line.size() && (indent < 0 || n < indent))
            indent = n;
    }
    for (qsizetype i = 1; i < lines.size() && indent > 0; ++i)
        lines[i] = lines[i].mid(indent);
    return lines.join(QLatin1Char('\n')).trimmed();
}

} // namespace

PythonText::PythonText(const QString& source) : m_source(source)
{
    m_code = Masker(m_source).run();
    index();
}

bool PythonText::matches(const char* pattern) const
{
    return QRegularExpression(QString::fromLatin1(pattern), QRegularExpression::MultilineOption)
        .match(m_code)
        .hasMatch();
}

void PythonText::index()
{
    static const QRegularExpression pattern(
        QStringLiteral(
            "^(class|def|async[ \\t]+def)[ \\t]+([A-Za-z_]\\w*)[ \\t]*(?:\\(([^()]*)\\)[ "
            "\\t]*:)?"),
        QRegularExpression::MultilineOption);
    for (auto it = pattern.globalMatch(m_code); it.hasNext();) {
        const auto match = it.next();
        const QString name = match.captured(2);
        if (match.captured(1) == QLatin1String("class")) {
            m_classes << name;
            m_bases.insert(name, match.captured(3).simplified());
        } else {
            m_functions << name;
        }
        m_starts.insert(name, match.capturedStart());
    }
}

int PythonText::lineOf(const QString& name) const
{
    const auto it = m_starts.constFind(name);
    if (it == m_starts.constEnd())
        return 0;
    return 1 + int(QStringView(m_source).left(*it).count(QLatin1Char('\n')));
}

qsizetype PythonText::blockStart(const QString& name, qsizetype* end) const
{
    const QStringList parts = name.split(QLatin1Char('.'));
    const auto it = m_starts.constFind(parts[0]);
    if (it == m_starts.constEnd())
        return -1;
    qsizetype start = *it;
    const auto endOf = [this](qsizetype from, int indent) {
        // The first later line of code that is not indented deeper ends the block; a line inside
        // brackets is rarely at column 0, and then only the block is a little short.
        const QRegularExpression next(QStringLiteral("^[ \\t]{0,%1}[^\\s#)\\]}]").arg(indent),
                                      QRegularExpression::MultilineOption);
        const qsizetype line = m_code.indexOf(QLatin1Char('\n'), from);
        if (line < 0)
            return m_code.size();
        const auto match = next.match(m_code, line + 1);
        return match.hasMatch() ? match.capturedStart() : m_code.size();
    };
    *end = endOf(start, 0);
    if (parts.size() == 1)
        return start;
    const QRegularExpression method(
        QStringLiteral("^([ \\t]+)(?:async[ \\t]+)?def[ \\t]+%1\\b").arg(parts[1]),
        QRegularExpression::MultilineOption);
    const auto match = method.match(m_code, start);
    if (!match.hasMatch() || match.capturedStart() >= *end)
        return -1;
    *end = std::min(*end, endOf(match.capturedStart(), int(match.capturedLength(1))));
    return match.capturedStart();
}

QString PythonText::block(const QString& name) const
{
    qsizetype end = 0;
    const qsizetype start = blockStart(name, &end);
    return start < 0 ? QString() : m_source.mid(start, end - start);
}

QString PythonText::docstring(const QString& name) const
{
    qsizetype from = 0;
    if (!name.isEmpty()) {
        const auto it = m_starts.constFind(name);
        if (it == m_starts.constEnd())
            return {};
        static const QRegularExpression colon(QStringLiteral(":[ \\t]*$"),
                                              QRegularExpression::MultilineOption);
        const auto match = colon.match(m_code, *it);
        if (!match.hasMatch())
            return {};
        from = match.capturedEnd();
    }
    while (from < m_code.size() && m_code[from].isSpace())
        ++from;
    static const QRegularExpression quote(QStringLiteral("\\G[rRuU]?(\"\"\"|'''|\"|')"));
    const auto match = quote.match(m_source, from);
    if (!match.hasMatch())
        return {};
    const QString end = match.captured(1);
    const qsizetype close = m_source.indexOf(end, match.capturedEnd());
    if (close < 0)
        return {};
    return dedented(m_source.mid(match.capturedEnd(), close - match.capturedEnd()));
}

std::optional<Json> PythonText::literal(const QString& name) const
{
    const QStringList parts = name.split(QLatin1Char('.'));
    qsizetype from = 0, end = m_code.size();
    QString pattern = QStringLiteral("^%1[ \\t]*(?::[^=\\n]*)?=(?!=)");
    if (parts.size() == 2) {
        from = blockStart(parts[0], &end);
        if (from < 0)
            return std::nullopt;
        pattern = QStringLiteral("^[ \\t]+%1[ \\t]*(?::[^=\\n]*)?=(?!=)");
    }
    const QRegularExpression assignment(pattern.arg(parts.constLast()),
                                        QRegularExpression::MultilineOption);
    const auto match = assignment.match(m_code, from);
    if (!match.hasMatch() || match.capturedStart() >= end)
        return std::nullopt;
    // Names assigned plain numbers before it may be used in it.
    static const QRegularExpression simple(
        QStringLiteral("^([A-Za-z_]\\w*)[ \\t]*(?::[^=\\n]*)?=(?!=)[ \\t]*([^\\n]{1,200})$"),
        QRegularExpression::MultilineOption);
    QMap<QString, Json> names;
    for (auto it = simple.globalMatch(m_code); it.hasNext() && names.size() < 200;) {
        const auto assigned = it.next();
        if (assigned.capturedStart() >= match.capturedStart())
            break;
        const QString text = m_source.mid(assigned.capturedStart(2), assigned.capturedLength(2));
        if (const auto value = pythonLiteral(text, nullptr, names); value && value->is_number())
            names.insert(assigned.captured(1), *value);
    }
    return pythonLiteral(m_source.mid(match.capturedEnd()), nullptr, names);
}

std::optional<Json> pythonLiteral(const QString& text, qsizetype* used,
                                  const QMap<QString, Json>& names)
{
    LiteralReader reader(text, names);
    return reader.read(used);
}

WrittenTolerance writtenTolerance(const QString& code)
{
    const auto first = [&code](const char* name) -> std::optional<double> {
        const QRegularExpression pattern(
            QStringLiteral("\\b%1\\b[\"']?[ \\t]*(?::[ \\t]*float[ \\t]*)?[=:][ "
                           "\\t]*([0-9][0-9_]*(?:\\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)")
                .arg(QString::fromLatin1(name)));
        const auto match = pattern.match(code);
        bool ok = false;
        const double value = match.captured(1).toDouble(&ok);
        return ok ? std::optional<double>(value) : std::nullopt;
    };
    return {first("rtol"), first("atol")};
}

} // namespace ridgeline
