// SPDX-License-Identifier: GPL-3.0-or-later
// Source text as tokens: comments are gone, strings are one token each, so that no rule can be
// triggered by prose. Total functions: any bytes give some tokens, nothing fails.
#pragma once

#include <QString>
#include <QVector>

namespace ridgeline::audit {

enum class TokenKind {
    Identifier,
    Number,
    String, ///< text is the contents without quotes and prefix, escapes as written
    Character,
    Punct,   ///< longest match; "<<<" and ">>>" are tokens
    Header,  ///< what stands in #include <…>
    Newline, ///< Python: end of a logical line
    Indent,  ///< Python
    Dedent,  ///< Python
};

struct Token {
    TokenKind kind = TokenKind::Punct;
    QString text;
    int line = 1; ///< one-based line of the first character
    int lastLine = 1;
    bool directive = false; ///< part of a C++ preprocessor line; its "#" and name included
    bool operator==(const Token&) const = default;

    bool is(const char* word) const
    {
        return text == QLatin1String(word) && kind != TokenKind::String &&
               kind != TokenKind::Character;
    }
    bool identifier() const { return kind == TokenKind::Identifier; }
};

/// C, C++, CUDA, HIP. Handles line splices, comments, raw and prefixed strings, digit separators
/// and directives; leaves out what stands between #if 0 and its #else or #endif. At most 2 million
/// tokens.
QVector<Token> tokenizeCpp(const QString& text);

/// Python 3, lightly: names, numbers, strings with any prefix (f-string contents stay text),
/// operators, logical lines and indentation. At most 2 million tokens.
QVector<Token> tokenizePython(const QString& text);

/// Index of the token that closes the bracket at `open` ("(", "[", "{", "<<<"), or -1.
int matching(const QVector<Token>& tokens, int open);

} // namespace ridgeline::audit
