// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/token.h"

#include <QStringList>

namespace ridgeline::audit {

namespace {

constexpr int maxTokens = 2000000;

const QStringList& operators()
{
    static const QStringList list{
        QStringLiteral("**="), QStringLiteral("//="), QStringLiteral("<<="), QStringLiteral(">>="),
        QStringLiteral("..."), QStringLiteral("**"),  QStringLiteral("//"),  QStringLiteral("<<"),
        QStringLiteral(">>"),  QStringLiteral("=="),  QStringLiteral("!="),  QStringLiteral("<="),
        QStringLiteral(">="),  QStringLiteral("->"),  QStringLiteral("+="),  QStringLiteral("-="),
        QStringLiteral("*="),  QStringLiteral("/="),  QStringLiteral("%="),  QStringLiteral("@="),
        QStringLiteral("&="),  QStringLiteral("|="),  QStringLiteral("^="),  QStringLiteral(":=")};
    return list;
}

class Scanner {
public:
    explicit Scanner(const QString& text) : m_text(text) {}

    QVector<Token> run()
    {
        while (m_at < m_text.size() && m_tokens.size() < maxTokens)
            step();
        endLine();
        while (m_indents.size() > 1) {
            m_indents.removeLast();
            emitToken(TokenKind::Dedent, {}, m_line);
        }
        return std::move(m_tokens);
    }

private:
    QChar peek(qsizetype ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : QChar();
    }

    void emitToken(TokenKind kind, const QString& text, int line)
    {
        m_tokens.push_back({kind, text, line, m_line, false});
    }

    void endLine()
    {
        if (m_inLine)
            emitToken(TokenKind::Newline, {}, m_line);
        m_inLine = false;
    }

    // Blank and comment lines do not count for indentation.
    void indentation()
    {
        int column = 0;
        qsizetype i = m_at;
        for (; i < m_text.size(); ++i) {
            if (m_text[i] == QLatin1Char(' '))
                ++column;
            else if (m_text[i] == QLatin1Char('\t'))
                column = (column / 8 + 1) * 8;
            else
                break;
        }
        m_at = i;
        const QChar c = peek();
        if (c.isNull() || c == QLatin1Char('\n') || c == QLatin1Char('\r') || c == QLatin1Char('#'))
            return;
        if (column > m_indents.last()) {
            m_indents.push_back(column);
            emitToken(TokenKind::Indent, {}, m_line);
        }
        while (column < m_indents.last()) {
            m_indents.removeLast();
            emitToken(TokenKind::Dedent, {}, m_line);
        }
    }

    void step()
    {
        if (m_lineStart && m_depth == 0) {
            m_lineStart = false;
            indentation();
            return;
        }
        const QChar c = peek();
        if (c == QLatin1Char('\n')) {
            if (m_depth == 0) {
                endLine();
                m_lineStart = true;
            }
            ++m_line;
            ++m_at;
            return;
        }
        if (c == QLatin1Char('\\') &&
            (peek(1) == QLatin1Char('\n') || peek(1) == QLatin1Char('\r'))) {
            m_at += peek(1) == QLatin1Char('\r') && peek(2) == QLatin1Char('\n') ? 3 : 2;
            ++m_line;
            return;
        }
        if (c.isSpace() || c.isNull()) {
            ++m_at;
            return;
        }
        if (c == QLatin1Char('#')) {
            while (m_at < m_text.size() && peek() != QLatin1Char('\n'))
                ++m_at;
            return;
        }
        m_inLine = true;
        if (c.isLetter() || c == QLatin1Char('_'))
            return name();
        if (c.isDigit() || (c == QLatin1Char('.') && peek(1).isDigit()))
            return number();
        if (c == QLatin1Char('"') || c == QLatin1Char('\''))
            return string();
        punct();
    }

    void name()
    {
        const qsizetype start = m_at;
        while (m_at < m_text.size() && (peek().isLetterOrNumber() || peek() == QLatin1Char('_')))
            ++m_at;
        const QString word = m_text.mid(start, m_at - start);
        const bool quote = peek() == QLatin1Char('"') || peek() == QLatin1Char('\'');
        if (quote && word.size() <= 2) {
            const QString prefix = word.toLower();
            static const QStringList prefixes{
                QStringLiteral("r"),  QStringLiteral("b"),  QStringLiteral("u"),
                QStringLiteral("f"),  QStringLiteral("rb"), QStringLiteral("br"),
                QStringLiteral("rf"), QStringLiteral("fr"), QStringLiteral("t"),
                QStringLiteral("rt"), QStringLiteral("tr")};
            if (prefixes.contains(prefix))
                return string();
        }
        emitToken(TokenKind::Identifier, word, m_line);
    }

    void number()
    {
        const qsizetype start = m_at;
        while (m_at < m_text.size()) {
            const QChar c = peek();
            const QChar last = m_at > start ? m_text[m_at - 1].toLower() : QChar();
            const bool hex = QStringView(m_text).mid(start, 2).compare(QLatin1String("0x"),
                                                                       Qt::CaseInsensitive) == 0;
            if (c.isLetterOrNumber() || c == QLatin1Char('_') || c == QLatin1Char('.') ||
                ((c == QLatin1Char('+') || c == QLatin1Char('-')) && last == QLatin1Char('e') &&
                 !hex))
                ++m_at;
            else
                break;
        }
        emitToken(TokenKind::Number, m_text.mid(start, m_at - start).remove(QLatin1Char('_')),
                  m_line);
    }

    // In raw strings, too, a backslash keeps the next quote from ending the string.
    void string()
    {
        const int line = m_line;
        const QChar quote = peek();
        const bool triple = peek(1) == quote && peek(2) == quote;
        m_at += triple ? 3 : 1;
        const qsizetype start = m_at;
        while (m_at < m_text.size()) {
            if (peek() == QLatin1Char('\\') && m_at + 1 < m_text.size()) {
                if (peek(1) == QLatin1Char('\n'))
                    ++m_line;
                m_at += 2;
                continue;
            }
            if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote)))
                break;
            if (peek() == QLatin1Char('\n')) {
                if (!triple)
                    break; // unterminated: the line is over
                ++m_line;
            }
            ++m_at;
        }
        const QString contents = m_text.mid(start, m_at - start);
        if (peek() == quote)
            m_at += triple ? 3 : 1;
        emitToken(TokenKind::String, contents, line);
    }

    void punct()
    {
        for (const QString& op : operators()) {
            if (QStringView(m_text).mid(m_at, op.size()) == op) {
                m_at += op.size();
                return emitToken(TokenKind::Punct, op, m_line);
            }
        }
        const QChar c = peek();
        if (c == QLatin1Char('(') || c == QLatin1Char('[') || c == QLatin1Char('{'))
            ++m_depth;
        else if (c == QLatin1Char(')') || c == QLatin1Char(']') || c == QLatin1Char('}'))
            m_depth = std::max(0, m_depth - 1);
        ++m_at;
        emitToken(TokenKind::Punct, QString(c), m_line);
    }

    const QString& m_text;
    qsizetype m_at = 0;
    int m_line = 1;
    int m_depth = 0;
    bool m_lineStart = true;
    bool m_inLine = false;
    QVector<int> m_indents{0};
    QVector<Token> m_tokens;
};

} // namespace

QVector<Token> tokenizePython(const QString& text)
{
    return Scanner(text).run();
}

} // namespace ridgeline::audit
