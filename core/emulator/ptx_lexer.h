// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of PTX text. A word with a leading dot (".global", ".shared::cta") is one token.
#pragma once

#include <cstdint>
#include <string_view>

namespace ridgeline::emu {

struct Token {
    enum class Kind : std::uint8_t {
        End,
        Word,
        Dot,
        Integer,
        Float32,
        Float64,
        String,
        Punct,
        Bad
    };
    Kind kind = Kind::End;
    std::string_view text; ///< Dot: without the dot; String: without quotes
    std::uint64_t value = 0;
    int line = 1;
    bool is(char c) const { return kind == Kind::Punct && text[0] == c; }
};

class PtxLexer {
public:
    explicit PtxLexer(std::string_view text) : m_text(text) { advance(); }
    const Token& peek() const { return m_token; }
    Token next()
    {
        const Token token = m_token;
        advance();
        return token;
    }
    bool accept(char c)
    {
        if (!m_token.is(c)) {
            return false;
        }
        advance();
        return true;
    }
    /// Skips to the matching '}' of an already opened brace.
    void skipBraces();

private:
    void advance();
    void number();

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
    Token m_token;
};

} // namespace ridgeline::emu
