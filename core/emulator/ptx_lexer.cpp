// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/ptx_lexer.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace ridgeline::emu {
namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
bool isWordStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%' || c == '$';
}
bool isWord(char c)
{
    return isWordStart(c) || isDigit(c);
}
int hexValue(char c)
{
    if (isDigit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return 99;
}

} // namespace

void PtxLexer::skipBraces()
{
    int depth = 1;
    while (depth > 0 && m_token.kind != Token::Kind::End) {
        if (m_token.is('{')) {
            ++depth;
        } else if (m_token.is('}')) {
            --depth;
        }
        advance();
    }
}

void PtxLexer::number()
{
    const std::size_t start = m_at;
    const auto at = [&](std::size_t i) { return i < m_text.size() ? m_text[i] : '\0'; };
    m_token.kind = Token::Kind::Integer;
    std::uint64_t value = 0;
    if (at(m_at) == '0' && (at(m_at + 1) == 'f' || at(m_at + 1) == 'F' || at(m_at + 1) == 'd' ||
                            at(m_at + 1) == 'D')) {
        const bool single = (at(m_at + 1) | 0x20) == 'f';
        const std::size_t digits = single ? 8 : 16;
        std::size_t n = 0;
        while (n < digits && hexValue(at(m_at + 2 + n)) < 16) {
            value = value * 16 + static_cast<std::uint64_t>(hexValue(at(m_at + 2 + n)));
            ++n;
        }
        if (n == digits) {
            m_at += 2 + n;
            m_token.kind = single ? Token::Kind::Float32 : Token::Kind::Float64;
            m_token.value = value;
            m_token.text = m_text.substr(start, m_at - start);
            return;
        }
        value = 0;
    }
    unsigned base = 10;
    if (at(m_at) == '0' && (at(m_at + 1) | 0x20) == 'x') {
        base = 16;
        m_at += 2;
    } else if (at(m_at) == '0' && (at(m_at + 1) | 0x20) == 'b' &&
               (at(m_at + 2) == '0' || at(m_at + 2) == '1')) {
        base = 2;
        m_at += 2;
    } else if (at(m_at) == '0' && isDigit(at(m_at + 1))) {
        base = 8;
    }
    while (static_cast<unsigned>(hexValue(at(m_at))) < (base == 8 ? 10 : base)) {
        value = value * base + static_cast<unsigned>(hexValue(at(m_at)));
        ++m_at;
    }
    if (base != 16 && base != 2 && (at(m_at) == '.' || (at(m_at) | 0x20) == 'e') &&
        (isDigit(at(m_at + 1)) || at(m_at + 1) == '-' || at(m_at + 1) == '+' || at(m_at) == '.')) {
        while (isDigit(at(m_at)) || at(m_at) == '.') {
            ++m_at;
        }
        if ((at(m_at) | 0x20) == 'e') {
            ++m_at;
            if (at(m_at) == '-' || at(m_at) == '+') {
                ++m_at;
            }
            while (isDigit(at(m_at))) {
                ++m_at;
            }
        }
        const double number =
            std::strtod(std::string(m_text.substr(start, m_at - start)).c_str(), nullptr);
        std::memcpy(&value, &number, sizeof value);
        m_token.kind = Token::Kind::Float64;
    } else if (at(m_at) == 'U') {
        ++m_at;
    }
    m_token.value = value;
    m_token.text = m_text.substr(start, m_at - start);
}

void PtxLexer::advance()
{
    m_token = Token{};
    for (;;) {
        while (m_at < m_text.size() && (static_cast<unsigned char>(m_text[m_at]) <= ' ')) {
            if (m_text[m_at] == '\n') {
                ++m_line;
            } else if (m_text[m_at] == '\0') {
                break;
            }
            ++m_at;
        }
        if (m_text.substr(m_at, 2) == "//") {
            while (m_at < m_text.size() && m_text[m_at] != '\n') {
                ++m_at;
            }
            continue;
        }
        if (m_text.substr(m_at, 2) == "/*") {
            m_at += 2;
            while (m_at < m_text.size() && m_text.substr(m_at, 2) != "*/") {
                m_line += m_text[m_at] == '\n';
                ++m_at;
            }
            m_at = m_at + 2 > m_text.size() ? m_text.size() : m_at + 2;
            continue;
        }
        break;
    }
    m_token.line = m_line;
    if (m_at >= m_text.size() || m_text[m_at] == '\0') {
        m_at = m_text.size();
        return;
    }
    const char c = m_text[m_at];
    const std::size_t start = m_at;
    if (isDigit(c)) {
        number();
        return;
    }
    if (isWordStart(c) || (c == '.' && m_at + 1 < m_text.size() && isWord(m_text[m_at + 1]))) {
        const bool dot = c == '.';
        m_at += dot ? 2 : 1;
        while (m_at < m_text.size()) {
            if (isWord(m_text[m_at])) {
                ++m_at;
            } else if (dot && m_text.substr(m_at, 2) == "::") {
                m_at += 2;
            } else {
                break;
            }
        }
        m_token.kind = dot ? Token::Kind::Dot : Token::Kind::Word;
        m_token.text = m_text.substr(start + (dot ? 1 : 0), m_at - start - (dot ? 1 : 0));
        return;
    }
    if (c == '"') {
        ++m_at;
        while (m_at < m_text.size() && m_text[m_at] != '"') {
            m_line += m_text[m_at] == '\n';
            m_at += m_text[m_at] == '\\' && m_at + 1 < m_text.size() ? 2 : 1;
        }
        m_at = m_at > m_text.size() ? m_text.size() : m_at;
        m_token.kind = Token::Kind::String;
        m_token.text = m_text.substr(start + 1, m_at - start - 1);
        m_at += m_at < m_text.size();
        return;
    }
    ++m_at;
    m_token.kind = Token::Kind::Punct;
    m_token.text = m_text.substr(start, 1);
}

} // namespace ridgeline::emu
