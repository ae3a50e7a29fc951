// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/ptx_parser.h"

#include <algorithm>

namespace ridgeline::emu {

std::unique_ptr<AstModule> parsePtx(std::string_view text, ParseError& error)
{
    auto module = std::make_unique<AstModule>();
    module->text.assign(text);
    try {
        PtxParser(*module).parseModule();
    } catch (const PtxParser::Failure& failure) {
        error = {failure.message, failure.line};
        return nullptr;
    }
    return module;
}

void PtxParser::fail(const std::string& message) const
{
    const Token& token = m_lexer.peek();
    std::string near(token.text.substr(0, 40));
    for (char& c : near) {
        c = c >= ' ' && c < 127 ? c : '?';
    }
    throw Failure{message + (token.kind == Token::Kind::End ? " at the end of the text"
                                                            : " near '" + near + "'"),
                  token.line};
}

void PtxParser::expect(char c)
{
    if (!m_lexer.accept(c)) {
        fail(std::string("expected '") + c + "'");
    }
}

std::string_view PtxParser::word()
{
    if (m_lexer.peek().kind != Token::Kind::Word) {
        fail("expected a name");
    }
    return m_lexer.next().text;
}

std::uint64_t PtxParser::integer()
{
    if (m_lexer.peek().kind != Token::Kind::Integer) {
        fail("expected an integer");
    }
    return m_lexer.next().value;
}

std::int64_t PtxParser::signedInteger()
{
    bool negative = false;
    while (m_lexer.peek().is('-') || m_lexer.peek().is('+')) {
        negative ^= m_lexer.next().is('-');
    }
    const std::uint64_t value = integer();
    return static_cast<std::int64_t>(negative ? 0 - value : value);
}

void PtxParser::parseModule()
{
    if (!(m_lexer.peek().kind == Token::Kind::Dot && m_lexer.peek().text == "version")) {
        fail("not PTX: the text does not begin with .version");
    }
    Linkage linkage;
    while (m_lexer.peek().kind != Token::Kind::End) {
        if (m_lexer.accept(';')) {
            continue;
        }
        if (m_lexer.peek().kind != Token::Kind::Dot) {
            fail("expected a directive");
        }
        const std::string_view name = m_lexer.next().text;
        if (name == "version") {
            m_lexer.next(); // a decimal number
        } else if (name == "target") {
            word();
            while (m_lexer.accept(',')) {
                word();
            }
        } else if (name == "address_size") {
            if (integer() != 64) {
                fail("only 64-bit addresses are supported: compile with -m64");
            }
        } else if (name == "extern") {
            linkage.isExtern = true;
            continue;
        } else if (name == "visible") {
            linkage.isVisible = true;
            continue;
        } else if (name == "weak" || name == "common") {
            linkage.isWeak = true;
            continue;
        } else if (name == "entry" || name == "func") {
            function(name == "entry", linkage);
        } else if (name == "global" || name == "const" || name == "shared") {
            variables(name == "global"  ? Space::Global
                      : name == "const" ? Space::Const
                                        : Space::Shared,
                      linkage, m_module.variables);
        } else if (name == "file") {
            file();
        } else if (name == "loc") {
            location();
        } else if (name == "section") {
            m_lexer.next();
            expect('{');
            m_lexer.skipBraces();
        } else if (name == "alias") {
            alias();
        } else if (name == "pragma") {
            m_lexer.next();
            m_lexer.accept(';');
        } else {
            fail("directive '." + std::string(name) + "' is not implemented");
        }
        linkage = {};
    }
}

void PtxParser::alias()
{
    const std::string_view from = word();
    expect(',');
    m_module.aliases[from] = word();
    expect(';');
}

void PtxParser::file()
{
    const std::uint64_t index = integer();
    if (m_lexer.peek().kind != Token::Kind::String) {
        fail("expected a file name");
    }
    m_module.files[static_cast<std::uint32_t>(index)] = std::string(m_lexer.next().text);
    while (m_lexer.accept(',')) {
        integer();
    }
}

void PtxParser::location()
{
    m_source.file = static_cast<std::uint32_t>(integer());
    m_source.line = static_cast<std::uint32_t>(integer());
    if (m_lexer.peek().kind == Token::Kind::Integer) {
        integer();
    }
    while (m_lexer.accept(',')) {
        const std::string_view attribute = word();
        if (attribute == "function_name") {
            m_lexer.next();
            if (m_lexer.accept('+')) {
                integer();
            }
        } else if (attribute == "inlined_at") {
            integer();
            integer();
            integer();
        } else {
            fail("unknown attribute of .loc");
        }
    }
}

void PtxParser::function(bool entry, const Linkage& linkage)
{
    auto owned = std::make_unique<AstFunction>();
    AstFunction& f = *owned;
    f.isEntry = entry;
    f.isExtern = linkage.isExtern;
    f.isWeak = linkage.isWeak;
    f.isVisible = linkage.isVisible;
    f.line = m_lexer.peek().line;
    m_scopes.clear();
    openScope();
    m_function = &f;
    m_source = {};
    while (m_lexer.peek().kind == Token::Kind::Dot && m_lexer.peek().text == "attribute") {
        m_lexer.next();
        expect('(');
        while (!m_lexer.accept(')')) {
            if (m_lexer.next().kind == Token::Kind::End) {
                fail("unfinished .attribute");
            }
        }
    }
    if (m_lexer.peek().is('(')) {
        parameters(f.results, &f);
    }
    f.name = word();
    if (m_lexer.peek().is('(')) {
        parameters(f.params, &f);
    }
    functionDirectives(f);
    if (!m_lexer.accept(';')) {
        body(f);
    }
    m_function = nullptr;
    m_scopes.clear();
    m_module.functions.push_back(std::move(owned));
}

void PtxParser::functionDirectives(AstFunction& f)
{
    while (m_lexer.peek().kind == Token::Kind::Dot) {
        const std::string_view name = m_lexer.next().text;
        if (name == "maxntid" || name == "reqntid") {
            std::array<std::uint32_t, 3> dims{1, 1, 1};
            for (std::size_t i = 0; i < 3; ++i) {
                dims[i] = static_cast<std::uint32_t>(integer());
                if (!m_lexer.accept(',')) {
                    break;
                }
            }
            (name == "maxntid" ? f.maxThreads : f.requiredThreads) = dims;
        } else if (name == "minnctapersm" || name == "maxnctapersm" || name == "maxnreg" ||
                   name == "maxclusterrank" || name == "reqnctapercluster" ||
                   name == "abi_preserve" || name == "abi_preserve_control") {
            integer();
            while (m_lexer.accept(',')) {
                integer();
            }
        } else if (name == "pragma") {
            m_lexer.next();
            expect(';');
        } else if (name == "noreturn" || name == "explicitcluster" || name == "blocksareclusters" ||
                   name == "unique") {
        } else {
            fail("directive '." + std::string(name) + "' of a function is not implemented");
        }
    }
}

void PtxParser::parameters(std::vector<std::unique_ptr<Variable>>& into, AstFunction* owner)
{
    expect('(');
    while (!m_lexer.accept(')')) {
        Variable pattern;
        pattern.space = Space::Param;
        pattern.line = m_lexer.peek().line;
        while (m_lexer.peek().kind == Token::Kind::Dot) {
            const std::string_view name = m_lexer.next().text;
            if (name == "reg") {
                pattern.isReg = true;
            } else if (name == "align") {
                pattern.align =
                    static_cast<std::uint32_t>(std::clamp<std::uint64_t>(integer(), 1, 4096));
            } else if (const Type type = typeFromName(name); type != Type::None) {
                pattern.type = type;
                pattern.align = std::max(pattern.align, std::max(1U, bitsOf(type) / 8));
            } else if (name == "v2" || name == "v4") {
                pattern.vec = name == "v2" ? 2 : 4;
            } else if (name != "param" && name != "ptr" && name != "global" && name != "shared" &&
                       name != "const" && name != "local" && name != "generic") {
                fail("unknown parameter attribute '." + std::string(name) + "'");
            }
            // `.ptr .align 16` speaks of the pointee.
            if (name == "ptr") {
                while (m_lexer.peek().kind == Token::Kind::Dot) {
                    if (m_lexer.next().text == "align") {
                        integer();
                    }
                }
            }
        }
        auto variable = std::make_unique<Variable>(pattern);
        variable->name = word();
        if (m_lexer.accept('[')) {
            variable->count = m_lexer.peek().is(']') ? 0 : integer();
            variable->unsized = variable->count == 0;
            expect(']');
            if (variable->count > (1U << 20)) {
                fail("parameter is too large");
            }
        }
        if (owner != nullptr) {
            Entry entry;
            if (variable->isReg) {
                entry.isReg = true;
                entry.reg = variable->reg = newRegister(variable->type);
            } else {
                entry.variable = variable.get();
            }
            m_scopes.back().names[variable->name] = entry;
        }
        into.push_back(std::move(variable));
        if (!m_lexer.accept(',') && !m_lexer.peek().is(')')) {
            fail("expected ',' or ')' in a parameter list");
        }
    }
}

void PtxParser::variables(Space space, const Linkage& linkage,
                          std::vector<std::unique_ptr<Variable>>& into)
{
    Variable pattern;
    pattern.space = space;
    pattern.isExtern = linkage.isExtern;
    pattern.isWeak = linkage.isWeak;
    pattern.isVisible = linkage.isVisible;
    pattern.line = m_lexer.peek().line;
    bool typed = false;
    while (m_lexer.peek().kind == Token::Kind::Dot) {
        const std::string_view name = m_lexer.next().text;
        if (name == "align") {
            pattern.align =
                static_cast<std::uint32_t>(std::clamp<std::uint64_t>(integer(), 1, 1U << 16));
        } else if (name == "v2" || name == "v4") {
            pattern.vec = name == "v2" ? 2 : 4;
        } else if (name == "attribute") {
            expect('(');
            while (!m_lexer.accept(')')) {
                const Token token = m_lexer.next();
                if (token.kind == Token::Kind::End) {
                    fail("unfinished .attribute");
                }
                pattern.managed |= token.kind == Token::Kind::Dot && token.text == "managed";
            }
        } else if (const Type type = typeFromName(name); type != Type::None) {
            pattern.type = type;
            typed = true;
        } else {
            fail("type or attribute '." + std::string(name) + "' of a variable is not implemented");
        }
    }
    if (!typed) {
        fail("a variable needs a type");
    }
    const std::uint32_t natural = std::max(1U, bitsOf(pattern.type) / 8 * pattern.vec);
    pattern.align = std::max(pattern.align, natural);
    do {
        into.push_back(declarator(pattern));
        if (m_function != nullptr) {
            Entry entry;
            entry.variable = into.back().get();
            m_scopes.back().names[into.back()->name] = entry;
        }
    } while (m_lexer.accept(','));
    expect(';');
}

std::unique_ptr<Variable> PtxParser::declarator(const Variable& pattern)
{
    auto variable = std::make_unique<Variable>(pattern);
    variable->name = word();
    std::vector<std::uint64_t> dims;
    while (m_lexer.accept('[')) {
        dims.push_back(m_lexer.peek().is(']') ? 0 : integer());
        expect(']');
        if (dims.size() > 16) {
            fail("too many dimensions");
        }
    }
    for (std::uint64_t dim : dims) {
        if (dim > (1ULL << 36) || (dim != 0 && variable->count > (1ULL << 36) / dim)) {
            fail("variable is too large");
        }
        variable->count *= dim;
    }
    variable->unsized = !dims.empty() && dims[0] == 0;
    if (m_lexer.accept('=')) {
        initialiser(*variable, dims);
        if (variable->unsized) {
            variable->count = variable->init.size();
            variable->unsized = false;
        }
    }
    return variable;
}

void PtxParser::initialiser(Variable& variable, const std::vector<std::uint64_t>& dims)
{
    if (m_lexer.peek().is('{')) {
        initLevel(variable, dims, 0, 0);
    } else {
        initScalar(variable);
    }
}

void PtxParser::initLevel(Variable& variable, const std::vector<std::uint64_t>& dims,
                          std::size_t level, unsigned depth)
{
    if (depth > 32) {
        fail("initialiser is nested too deeply");
    }
    expect('{');
    std::uint64_t inner = 1;
    for (std::size_t i = level + 1; i < dims.size(); ++i) {
        inner *= dims[i];
    }
    while (!m_lexer.accept('}')) {
        const std::size_t start = variable.init.size();
        if (m_lexer.peek().is('{')) {
            initLevel(variable, dims, level + 1, depth + 1);
            // A short inner list leaves zeros behind it, up to what the array can hold.
            if (level + 1 < dims.size() && inner <= (1U << 24)) {
                variable.init.resize(std::max<std::size_t>(variable.init.size(), start + inner));
            }
        } else {
            initScalar(variable);
        }
        if (!m_lexer.accept(',') && !m_lexer.peek().is('}')) {
            fail("expected ',' or '}' in an initialiser");
        }
    }
}

void PtxParser::initScalar(Variable& variable)
{
    InitValue value;
    bool negative = false;
    while (m_lexer.peek().is('-') || m_lexer.peek().is('+')) {
        negative ^= m_lexer.next().is('-');
    }
    const Token token = m_lexer.next();
    switch (token.kind) {
    case Token::Kind::Integer:
        value.bits = negative ? 0 - token.value : token.value;
        if (m_lexer.accept('(')) { // mask of an address byte: 0xFF00(symbol)
            std::uint8_t shift = 0;
            while (shift < 56 && ((token.value >> shift) & 0xFF) == 0) {
                shift = static_cast<std::uint8_t>(shift + 8);
            }
            value.maskShift = shift;
            std::string_view symbol = word();
            value.kind = InitValue::Kind::Symbol;
            if (symbol == "generic") {
                expect('(');
                symbol = word();
                expect(')');
                value.kind = InitValue::Kind::GenericSymbol;
            }
            value.symbol = symbol;
            value.bits = m_lexer.accept('+') ? static_cast<std::uint64_t>(signedInteger()) : 0;
            expect(')');
        }
        break;
    case Token::Kind::Float32:
        value.kind = InitValue::Kind::Float32;
        value.bits = token.value ^ (negative ? 0x80000000U : 0U);
        break;
    case Token::Kind::Float64:
        value.kind = InitValue::Kind::Float64;
        value.bits = token.value ^ (negative ? 1ULL << 63 : 0);
        break;
    case Token::Kind::Word:
        value.kind = InitValue::Kind::Symbol;
        value.symbol = token.text;
        if (token.text == "generic" && m_lexer.accept('(')) {
            value.kind = InitValue::Kind::GenericSymbol;
            value.symbol = word();
            expect(')');
        }
        if (m_lexer.peek().is('+') || m_lexer.peek().is('-')) {
            value.bits = static_cast<std::uint64_t>(signedInteger());
        }
        break;
    default:
        fail("expected a constant in an initialiser");
    }
    variable.init.push_back(value);
}

} // namespace ridgeline::emu
