// SPDX-License-Identifier: GPL-3.0-or-later
// The parser's state, shared by its two halves (declarations and statements).
#pragma once

#include "core/emulator/ptx_ast.h"
#include "core/emulator/ptx_lexer.h"

#include <unordered_map>

namespace ridgeline::emu {

class PtxParser {
public:
    struct Failure {
        std::string message;
        int line;
    };
    explicit PtxParser(AstModule& module) : m_module(module), m_lexer(module.text) {}
    void parseModule();

private:
    struct RegRange {
        std::string_view prefix;
        std::uint64_t count;
        Type type;
    };
    struct Entry {
        bool isReg = false;
        std::uint32_t reg = 0;
        const Variable* variable = nullptr;
    };
    struct PendingLabel {
        std::uint32_t instr, operand;
    };
    struct Scope {
        std::unordered_map<std::string_view, Entry> names;
        std::vector<RegRange> ranges;
        std::unordered_map<std::string_view, std::uint32_t> labels;
        std::vector<PendingLabel> pending;
        std::vector<std::pair<std::string_view, std::vector<std::string_view>>> targetLists;
    };

    [[noreturn]] void fail(const std::string& message) const;
    void expect(char c);
    std::string_view word();
    std::uint64_t integer();
    std::int64_t signedInteger();

    // Declarations (ptx_declarations.cpp)
    struct Linkage {
        bool isExtern = false, isVisible = false, isWeak = false;
    };
    void function(bool entry, const Linkage& linkage);
    void parameters(std::vector<std::unique_ptr<Variable>>& into, AstFunction* owner);
    void functionDirectives(AstFunction& function);
    void variables(Space space, const Linkage& linkage,
                   std::vector<std::unique_ptr<Variable>>& into);
    std::unique_ptr<Variable> declarator(const Variable& pattern);
    void initialiser(Variable& variable, const std::vector<std::uint64_t>& dims);
    void initLevel(Variable& variable, const std::vector<std::uint64_t>& dims, std::size_t level,
                   unsigned depth);
    void initScalar(Variable& variable);
    void location();
    void file();
    void alias();

    // Statements (ptx_statements.cpp)
    void body(AstFunction& function);
    void statement();
    void directiveInBody(std::string_view name);
    void registers();
    void instruction(std::string_view opcode, int line, int guard, bool guardNegated);
    void call(AstInstr& instr);
    Operand operand(unsigned depth = 0);
    Operand address();
    Operand name(std::string_view text);
    std::vector<Operand> parenthesised();
    bool lookup(std::string_view text, Entry& entry);
    std::uint32_t newRegister(Type type);
    void openScope() { m_scopes.emplace_back(); }
    void closeScope();

    AstModule& m_module;
    PtxLexer m_lexer;
    AstFunction* m_function = nullptr;
    std::vector<Scope> m_scopes;
    SourcePos m_source;
};

} // namespace ridgeline::emu
