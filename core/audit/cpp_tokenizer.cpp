// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/token.h"

#include <QStringList>

namespace ridgeline::audit {

namespace {

constexpr int maxTokens = 2000000;

bool startsIdentifier(QChar c)
{
    return c.isLetter() || c == QLatin1Char('_') || c == QLatin1Char('$');
}

bool continuesIdentifier(QChar c)
{
    return startsIdentifier(c) || c.isDigit();
}

// Longest first.
const QStringList& operators()
{
    static const QStringList list{
        QStringLiteral("<<<"), QStringLiteral(">>>"), QStringLiteral("<<="), QStringLiteral(">>="),
        QStringLiteral("..."), QStringLiteral("->*"), QStringLiteral("<=>"), QStringLiteral("::"),
        QStringLiteral("->"),  QStringLiteral("++"),  QStringLiteral("--"),  QStringLiteral("=="),
        QStringLiteral("!="),  QStringLiteral("<="),  QStringLiteral(">="),  QStringLiteral("&&"),
        QStringLiteral("||"),  QStringLiteral("+="),  QStringLiteral("-="),  QStringLiteral("*="),
        QStringLiteral("/="),  QStringLiteral("%="),  QStringLiteral("&="),  QStringLiteral("|="),
        QStringLiteral("^="),  QStringLiteral("<<"),  QStringLiteral(">>"),  QStringLiteral("##")};
    return list;
}

class Scanner {
public:
    explicit Scanner(const QString& text) : m_text(text) {}

    QVector<Token> run()
    {
        while (m_at < m_text.size() && m_tokens.size() < maxTokens)
            step();
        return std::move(m_tokens);
    }

private:
    QChar peek(qsizetype ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : QChar();
    }

    // A backslash before a line end joins the lines; the token goes on behind it.
    bool splice()
    {
        if (peek() != QLatin1Char('\\'))
            return false;
        qsizetype next = m_at + 1;
        if (next < m_text.size() && m_text[next] == QLatin1Char('\r'))
            ++next;
        if (next >= m_text.size() || m_text[next] != QLatin1Char('\n'))
            return false;
        m_at = next + 1;
        ++m_line;
        return true;
    }

    void advance()
    {
        if (peek() == QLatin1Char('\n'))
            ++m_line;
        ++m_at;
    }

    void emitToken(TokenKind kind, const QString& text, int line)
    {
        if (!m_dead)
            m_tokens.push_back({kind, text, line, m_line, m_directive});
        if (m_directive)
            m_directiveText << text;
    }

    void step()
    {
        if (splice())
            return;
        const QChar c = peek();
        if (c == QLatin1Char('\n')) {
            endDirective();
            advance();
            m_lineStart = true;
            return;
        }
        if (c.isSpace() || c.isNull()) {
            advance();
            return;
        }
        if (c == QLatin1Char('/') && peek(1) == QLatin1Char('/'))
            return lineComment();
        if (c == QLatin1Char('/') && peek(1) == QLatin1Char('*'))
            return blockComment();
        if (c == QLatin1Char('#') && m_lineStart) {
            m_directive = true;
            m_directiveText.clear();
        }
        m_lineStart = false;
        if (startsIdentifier(c))
            return identifier();
        if (c.isDigit() || (c == QLatin1Char('.') && peek(1).isDigit()))
            return number();
        if (c == QLatin1Char('"'))
            return quoted(QLatin1Char('"'));
        if (c == QLatin1Char('\''))
            return quoted(QLatin1Char('\''));
        if (c == QLatin1Char('<') && m_directive && m_directiveText.size() == 2 &&
            m_directiveText[1] == QLatin1String("include"))
            return header();
        punct();
    }

    void lineComment()
    {
        while (m_at < m_text.size() && peek() != QLatin1Char('\n')) {
            if (!splice())
                ++m_at;
        }
    }

    void blockComment()
    {
        m_at += 2;
        while (m_at < m_text.size() && !(peek() == QLatin1Char('*') && peek(1) == QLatin1Char('/')))
            advance();
        m_at = std::min(m_at + 2, m_text.size());
    }

    void identifier()
    {
        const int line = m_line;
        QString word;
        while (m_at < m_text.size()) {
            if (splice())
                continue;
            if (!continuesIdentifier(peek()))
                break;
            word += peek();
            ++m_at;
        }
        if (peek() == QLatin1Char('"')) {
            if (word == QLatin1String("R") || word == QLatin1String("u8R") ||
                word == QLatin1String("uR") || word == QLatin1String("UR") ||
                word == QLatin1String("LR"))
                return raw();
            if (word == QLatin1String("L") || word == QLatin1String("u") ||
                word == QLatin1String("U") || word == QLatin1String("u8"))
                return quoted(QLatin1Char('"'));
        }
        emitToken(TokenKind::Identifier, word, line);
    }

    // A preprocessing number: takes exponents with signs, suffixes and separators along.
    void number()
    {
        const int line = m_line;
        QString digits;
        while (m_at < m_text.size()) {
            if (splice())
                continue;
            const QChar c = peek();
            const bool sign = c == QLatin1Char('+') || c == QLatin1Char('-');
            const QChar last = digits.isEmpty() ? QChar() : digits.back().toLower();
            const bool hex = digits.startsWith(QLatin1String("0x"), Qt::CaseInsensitive);
            const bool exponent = last == QLatin1Char('p') || (last == QLatin1Char('e') && !hex);
            if (continuesIdentifier(c) || c == QLatin1Char('.') || (sign && exponent)) {
                digits += c;
                ++m_at;
            } else if (c == QLatin1Char('\'') && continuesIdentifier(peek(1))) {
                ++m_at;
            } else {
                break;
            }
        }
        emitToken(TokenKind::Number, digits, line);
    }

    void quoted(QChar quote)
    {
        const int line = m_line;
        QString contents;
        ++m_at;
        while (m_at < m_text.size() && peek() != quote) {
            if (splice())
                continue;
            if (peek() == QLatin1Char('\n'))
                break; // unterminated: the line is over
            if (peek() == QLatin1Char('\\') && m_at + 1 < m_text.size() &&
                peek(1) != QLatin1Char('\n')) {
                contents += peek();
                ++m_at;
            }
            contents += peek();
            ++m_at;
        }
        if (peek() == quote)
            ++m_at;
        emitToken(quote == QLatin1Char('"') ? TokenKind::String : TokenKind::Character, contents,
                  line);
    }

    void raw()
    {
        const int line = m_line;
        const qsizetype open = m_text.indexOf(QLatin1Char('('), m_at);
        if (open < 0 || open - m_at > 17)
            return quoted(QLatin1Char('"'));
        const QString end =
            QLatin1Char(')') + m_text.mid(m_at + 1, open - m_at - 1) + QLatin1Char('"');
        qsizetype close = m_text.indexOf(end, open + 1);
        if (close < 0)
            close = m_text.size();
        const QString contents = m_text.mid(open + 1, close - open - 1);
        m_line += int(contents.count(QLatin1Char('\n')));
        m_at = std::min(close + end.size(), m_text.size());
        emitToken(TokenKind::String, contents, line);
    }

    void header()
    {
        const int line = m_line;
        QString name;
        ++m_at;
        while (m_at < m_text.size() && peek() != QLatin1Char('>') && peek() != QLatin1Char('\n')) {
            name += peek();
            ++m_at;
        }
        if (peek() == QLatin1Char('>'))
            ++m_at;
        emitToken(TokenKind::Header, name, line);
    }

    void punct()
    {
        for (const QString& op : operators()) {
            if (QStringView(m_text).mid(m_at, op.size()) == op) {
                m_at += op.size();
                return emitToken(TokenKind::Punct, op, m_line);
            }
        }
        const QString one(peek());
        ++m_at;
        emitToken(TokenKind::Punct, one, m_line);
    }

    // Only literal 0 is decided; every other condition may be compiled.
    void endDirective()
    {
        if (!m_directive)
            return;
        m_directive = false;
        const QString name = m_directiveText.value(1);
        const bool opens = name == QLatin1String("if") || name == QLatin1String("ifdef") ||
                           name == QLatin1String("ifndef");
        const bool turns = name == QLatin1String("else") || name == QLatin1String("elif");
        if (m_dead) {
            if (opens)
                ++m_deadDepth;
            else if (name == QLatin1String("endif") && --m_deadDepth == 0)
                m_dead = false;
            else if (turns && m_deadDepth == 1)
                m_dead = false;
        } else if (name == QLatin1String("if") && m_directiveText.size() == 3 &&
                   m_directiveText[2] == QLatin1String("0")) {
            m_dead = true;
            m_deadDepth = 1;
        }
    }

    const QString& m_text;
    qsizetype m_at = 0;
    int m_line = 1;
    bool m_lineStart = true;
    bool m_directive = false;
    QStringList m_directiveText;
    bool m_dead = false;
    int m_deadDepth = 0;
    QVector<Token> m_tokens;
};

} // namespace

QVector<Token> tokenizeCpp(const QString& text)
{
    return Scanner(text).run();
}

int matching(const QVector<Token>& tokens, int open)
{
    if (open < 0 || open >= tokens.size())
        return -1;
    const bool launch = tokens[open].is("<<<");
    int depth = 0;
    for (int i = open; i < int(tokens.size()); ++i) {
        const Token& t = tokens[i];
        if (t.kind != TokenKind::Punct)
            continue;
        if (launch && i > open && depth == 1 && t.text == QLatin1String(">>>"))
            return i;
        if (t.text == QLatin1String("(") || t.text == QLatin1String("[") ||
            t.text == QLatin1String("{") || i == open) {
            ++depth;
        } else if (t.text == QLatin1String(")") || t.text == QLatin1String("]") ||
                   t.text == QLatin1String("}")) {
            if (--depth == 0)
                return launch ? -1 : i;
        }
    }
    return -1;
}

} // namespace ridgeline::audit
