// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/ptx_parser.h"

#include <algorithm>
#include <charconv>

namespace ridgeline::emu {

std::uint32_t PtxParser::newRegister(Type type)
{
    m_function->registers.push_back(type);
    return static_cast<std::uint32_t>(m_function->registers.size() - 1);
}

void PtxParser::body(AstFunction& f)
{
    expect('{');
    f.hasBody = true;
    openScope();
    const std::size_t outer = m_scopes.size();
    for (;;) {
        if (m_lexer.peek().kind == Token::Kind::End) {
            fail("unfinished function body");
        }
        if (m_lexer.accept('}')) {
            const bool last = m_scopes.size() == outer;
            closeScope();
            if (last) {
                break;
            }
            continue;
        }
        statement();
    }
    // What is still open is a label that nobody declared.
    closeScope();
}

void PtxParser::closeScope()
{
    Scope& scope = m_scopes.back();
    const auto resolve = [&](std::string_view name, std::uint32_t& index) {
        const auto found = scope.labels.find(name);
        if (found == scope.labels.end()) {
            return false;
        }
        index = found->second;
        return true;
    };
    for (const auto& [name, labels] : scope.targetLists) {
        std::vector<std::uint32_t> indices;
        for (std::string_view label : labels) {
            std::uint32_t index = 0;
            if (!resolve(label, index)) {
                fail("label '" + std::string(label) + "' of .branchtargets is not declared");
            }
            indices.push_back(index);
        }
        m_function->branchTargets[name] = std::move(indices);
    }
    std::vector<PendingLabel> open;
    for (const PendingLabel& pending : scope.pending) {
        Operand& operand = m_function->code[pending.instr].ops[pending.operand];
        std::uint32_t index = 0;
        if (resolve(operand.name, index)) {
            operand.kind = Operand::Kind::Label;
            operand.imm = index;
        } else {
            open.push_back(pending);
        }
    }
    m_scopes.pop_back();
    if (m_scopes.empty()) {
        return;
    }
    if (m_scopes.size() == 1 && !open.empty()) {
        const AstInstr& instr = m_function->code[open[0].instr];
        throw Failure{"label '" + std::string(instr.ops[open[0].operand].name) +
                          "' is not declared",
                      instr.line};
    }
    auto& outer = m_scopes.back().pending;
    outer.insert(outer.end(), open.begin(), open.end());
}

void PtxParser::statement()
{
    if (m_lexer.accept(';')) {
        return;
    }
    if (m_lexer.accept('{')) {
        if (m_scopes.size() > 200) {
            fail("scopes are nested too deeply");
        }
        openScope();
        return;
    }
    if (m_lexer.peek().kind == Token::Kind::Dot) {
        directiveInBody(m_lexer.next().text);
        return;
    }
    const int line = m_lexer.peek().line;
    if (m_lexer.accept('@')) {
        const bool negated = m_lexer.accept('!');
        const std::string_view text = word();
        Entry entry;
        if (!lookup(text, entry) || !entry.isReg ||
            m_function->registers[entry.reg] != Type::Pred) {
            fail("guard '" + std::string(text) + "' is not a predicate register");
        }
        instruction(word(), line, static_cast<int>(entry.reg), negated);
        return;
    }
    const std::string_view text = word();
    if (m_lexer.accept(':')) {
        // `name: .callprototype …` and `name: .branchtargets …` are no labels.
        const Token& token = m_lexer.peek();
        if (token.kind == Token::Kind::Dot && token.text == "callprototype") {
            m_lexer.next();
            Prototype& prototype = m_function->prototypes[text];
            if (m_lexer.peek().is('(')) {
                parameters(prototype.results, nullptr);
            }
            word();
            if (m_lexer.peek().is('(')) {
                parameters(prototype.params, nullptr);
            }
            while (m_lexer.peek().kind == Token::Kind::Dot) {
                m_lexer.next();
            }
            expect(';');
        } else if (token.kind == Token::Kind::Dot &&
                   (token.text == "branchtargets" || token.text == "calltargets")) {
            const bool branch = m_lexer.next().text == "branchtargets";
            std::vector<std::string_view> labels;
            do {
                labels.push_back(word());
            } while (m_lexer.accept(','));
            expect(';');
            if (branch) {
                m_scopes.back().targetLists.emplace_back(text, std::move(labels));
            }
        } else {
            m_scopes.back().labels[text] = static_cast<std::uint32_t>(m_function->code.size());
        }
        return;
    }
    instruction(text, line, -1, false);
}

void PtxParser::directiveInBody(std::string_view name)
{
    if (name == "reg") {
        registers();
    } else if (name == "loc") {
        location();
    } else if (name == "file") {
        file();
    } else if (name == "pragma") {
        m_lexer.next();
        while (m_lexer.accept(',')) {
            m_lexer.next();
        }
        m_lexer.accept(';');
    } else if (name == "local" || name == "shared" || name == "param" || name == "global" ||
               name == "const") {
        const Space space = name == "local"    ? Space::Local
                            : name == "shared" ? Space::Shared
                            : name == "param"  ? Space::Param
                            : name == "const"  ? Space::Const
                                               : Space::Global;
        if (space == Space::Global || space == Space::Const) {
            variables(space, {}, m_module.variables);
            m_scopes.back().names.erase(m_module.variables.back()->name);
            return;
        }
        variables(space, {}, m_function->variables);
    } else if (name == "extern") {
        if (m_lexer.peek().kind == Token::Kind::Dot && m_lexer.next().text == "shared") {
            Linkage linkage;
            linkage.isExtern = true;
            variables(Space::Shared, linkage, m_function->variables);
        } else {
            fail("only .extern .shared is implemented inside a function");
        }
    } else if (name == "section") {
        m_lexer.next();
        expect('{');
        m_lexer.skipBraces();
    } else if (name == "maxntid" || name == "noreturn") {
        while (m_lexer.peek().kind == Token::Kind::Integer || m_lexer.peek().is(',')) {
            m_lexer.next();
        }
    } else {
        fail("directive '." + std::string(name) + "' is not implemented");
    }
}

void PtxParser::registers()
{
    Type type = Type::None;
    while (m_lexer.peek().kind == Token::Kind::Dot) {
        const std::string_view name = m_lexer.next().text;
        if (name == "align") {
            integer();
            continue;
        }
        type = typeFromName(name);
        if (type == Type::None) {
            fail("register type '." + std::string(name) + "' is not implemented");
        }
    }
    if (type == Type::None) {
        fail("a register needs a type");
    }
    do {
        const std::string_view name = word();
        if (m_lexer.accept('<')) {
            const std::uint64_t count = integer();
            expect('>');
            m_scopes.back().ranges.push_back({name, count, type});
        } else {
            Entry entry;
            entry.isReg = true;
            entry.reg = newRegister(type);
            m_scopes.back().names[name] = entry;
        }
    } while (m_lexer.accept(','));
    expect(';');
}

bool PtxParser::lookup(std::string_view text, Entry& entry)
{
    std::size_t digits = text.size();
    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') {
        --digits;
    }
    std::uint64_t index = 0;
    const bool numbered =
        digits < text.size() && digits > 0 &&
        std::from_chars(text.data() + digits, text.data() + text.size(), index).ec == std::errc();
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
        if (const auto found = scope->names.find(text); found != scope->names.end()) {
            entry = found->second;
            return true;
        }
        if (!numbered) {
            continue;
        }
        // A prefix may itself end in digits ("%v1<4>" has %v10), so every range is tried.
        for (const RegRange& range : scope->ranges) {
            if (text.size() <= range.prefix.size() ||
                text.substr(0, range.prefix.size()) != range.prefix) {
                continue;
            }
            std::uint64_t n = 0;
            const char* end = text.data() + text.size();
            const auto parsed = std::from_chars(text.data() + range.prefix.size(), end, n);
            if (parsed.ec == std::errc() && parsed.ptr == end && n < range.count) {
                entry = {};
                entry.isReg = true;
                entry.reg = newRegister(range.type);
                scope->names[text] = entry;
                return true;
            }
        }
    }
    return false;
}

Operand PtxParser::name(std::string_view text)
{
    Operand result;
    Entry entry;
    if (text == "_") {
        result.kind = Operand::Kind::Sink;
    } else if (text == "WARP_SZ") {
        result.kind = Operand::Kind::Imm;
        result.imm = 32;
    } else if (lookup(text, entry)) {
        if (entry.isReg) {
            result.kind = Operand::Kind::Reg;
            result.reg = entry.reg;
        } else {
            result.kind = Operand::Kind::Symbol;
            result.name = text;
            result.variable = entry.variable;
        }
    } else if (text[0] == '%') {
        result.kind = Operand::Kind::Special;
        result.name = text;
        if (m_lexer.peek().kind == Token::Kind::Dot) {
            const Token part = m_lexer.next();
            result.name = std::string_view(
                text.data(),
                static_cast<std::size_t>(part.text.data() + part.text.size() - text.data()));
        }
    } else {
        result.kind = Operand::Kind::Symbol;
        result.name = text;
        m_function->symbols.insert(text);
    }
    return result;
}

Operand PtxParser::address()
{
    Operand result;
    if (m_lexer.peek().kind == Token::Kind::Integer || m_lexer.peek().is('-')) {
        result.imm = static_cast<std::uint64_t>(signedInteger());
    } else {
        const Operand base = name(word());
        if (base.kind == Operand::Kind::Reg) {
            result.hasReg = true;
            result.reg = base.reg;
        } else if (base.kind == Operand::Kind::Symbol) {
            result.name = base.name;
            result.variable = base.variable;
        } else {
            fail("an address needs a register, a symbol or a number");
        }
        while (m_lexer.peek().is('+') || m_lexer.peek().is('-')) {
            result.imm += static_cast<std::uint64_t>(signedInteger());
        }
    }
    result.kind = Operand::Kind::Address;
    while (m_lexer.accept(',')) {
        result.list.push_back(operand(1));
        if (result.list.size() > 16) {
            fail("too many parts in an address");
        }
    }
    expect(']');
    return result;
}

Operand PtxParser::operand(unsigned depth)
{
    if (depth > 8) {
        fail("operand is nested too deeply");
    }
    Operand result;
    if (m_lexer.accept('{')) {
        result.kind = Operand::Kind::Vector;
        while (!m_lexer.accept('}')) {
            result.list.push_back(operand(depth + 1));
            if (!m_lexer.accept(',') && !m_lexer.peek().is('}')) {
                fail("expected ',' or '}' in a vector operand");
            }
        }
        return result;
    }
    if (m_lexer.accept('[')) {
        return address();
    }
    if (m_lexer.accept('!')) {
        result = operand(depth + 1);
        result.negated = true;
        return result;
    }
    const Token token = m_lexer.peek();
    if (token.is('-') || token.is('+') || token.kind == Token::Kind::Integer ||
        token.kind == Token::Kind::Float32 || token.kind == Token::Kind::Float64) {
        bool negative = false;
        while (m_lexer.peek().is('-') || m_lexer.peek().is('+')) {
            negative ^= m_lexer.next().is('-');
        }
        const Token number = m_lexer.next();
        switch (number.kind) {
        case Token::Kind::Integer:
            result.kind = Operand::Kind::Imm;
            result.imm = negative ? 0 - number.value : number.value;
            break;
        case Token::Kind::Float32:
            result.kind = Operand::Kind::Float32;
            result.imm = number.value ^ (negative ? 0x80000000U : 0U);
            break;
        case Token::Kind::Float64:
            result.kind = Operand::Kind::Float64;
            result.imm = number.value ^ (negative ? 1ULL << 63 : 0);
            break;
        default:
            fail("expected a number");
        }
        return result;
    }
    if (token.kind != Token::Kind::Word) {
        fail("expected an operand");
    }
    result = name(m_lexer.next().text);
    if (result.kind == Operand::Kind::Symbol &&
        (m_lexer.peek().is('+') || m_lexer.peek().is('-'))) {
        result.imm = static_cast<std::uint64_t>(signedInteger());
    }
    if (m_lexer.accept('|')) {
        Operand both;
        both.kind = Operand::Kind::Vector;
        both.pair = true;
        both.list.push_back(result);
        both.list.push_back(operand(depth + 1));
        return both;
    }
    return result;
}

std::vector<Operand> PtxParser::parenthesised()
{
    std::vector<Operand> list;
    expect('(');
    while (!m_lexer.accept(')')) {
        list.push_back(operand());
        if (!m_lexer.accept(',') && !m_lexer.peek().is(')')) {
            fail("expected ',' or ')'");
        }
    }
    return list;
}

void PtxParser::call(AstInstr& instr)
{
    if (m_lexer.peek().is('(')) {
        instr.callResults = parenthesised();
        expect(',');
    }
    const Operand target = operand();
    if (target.kind == Operand::Kind::Symbol) {
        instr.callTarget = target.name;
    } else if (target.kind == Operand::Kind::Reg) {
        instr.ops.push_back(target);
    } else {
        fail("a call needs a function name or a register");
    }
    if (m_lexer.accept(',')) {
        if (m_lexer.peek().is('(')) {
            instr.callArgs = parenthesised();
            if (m_lexer.accept(',')) {
                instr.callPrototype = word();
            }
        } else {
            instr.callPrototype = word();
        }
    }
    expect(';');
}

void PtxParser::instruction(std::string_view opcode, int line, int guard, bool guardNegated)
{
    AstInstr instr;
    instr.opcode = opcode;
    instr.line = line;
    instr.guard = guard;
    instr.guardNegated = guardNegated;
    instr.source = m_source;
    while (m_lexer.peek().kind == Token::Kind::Dot) {
        instr.mods.push_back(m_lexer.next().text);
    }
    if (instr.mods.size() > 40) {
        fail("too many modifiers");
    }
    if (opcode == "call") {
        call(instr);
        m_function->code.push_back(std::move(instr));
        return;
    }
    if (!m_lexer.accept(';')) {
        do {
            instr.ops.push_back(operand());
        } while (m_lexer.accept(','));
        expect(';');
    }
    if (opcode == "bra") {
        if (instr.ops.size() != 1 || instr.ops[0].kind != Operand::Kind::Symbol) {
            fail("bra needs a label");
        }
        m_function->symbols.erase(instr.ops[0].name);
        m_scopes.back().pending.push_back({static_cast<std::uint32_t>(m_function->code.size()), 0});
    }
    m_function->code.push_back(std::move(instr));
}

} // namespace ridgeline::emu
