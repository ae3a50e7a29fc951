// SPDX-License-Identifier: GPL-3.0-or-later
// What the parser makes of PTX text: functions, variables and instructions with resolved registers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::emu {

enum class Type : std::uint8_t {
    None,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    BF16,
    BF16x2,
    F32,
    F32x2,
    F64,
    TF32,
    E4M3,
    E5M2,
    E4M3x2,
    E5M2x2,
    E2M1x2,
    E2M3x2,
    E3M2x2,
    UE8M0x2,
    U4,
    S4,
    B1,
    Pred
};

/// Size in bits of one value; predicates and unknown types are 1 and 0.
unsigned bitsOf(Type type);
/// `name` without the leading dot; Type::None when it is no type.
Type typeFromName(std::string_view name);
bool isSigned(Type type);
bool isFloat(Type type);

enum class Space : std::uint8_t { Generic, Global, Shared, Local, Const, Param };

struct Variable;

struct Operand {
    enum class Kind : std::uint8_t {
        None,
        Reg,
        Imm,
        Float32,
        Float64,
        Symbol,
        Address,
        Vector,
        Sink,
        Special,
        Label
    };
    Kind kind = Kind::None;
    bool negated = false;  ///< !p
    std::uint32_t reg = 0; ///< Reg, or the base of an Address (hasReg)
    bool hasReg = false;
    std::uint64_t imm =
        0; ///< Imm and float bits; an Address's or Symbol's offset; a Label's index into code
    std::string_view name;              ///< Symbol, Special, or an Address's symbol
    const Variable* variable = nullptr; ///< function-scoped symbol
    std::vector<Operand>
        list; ///< Vector elements; a pair p|q; extra parts of an Address ([tex, {x, y}])
    bool pair = false;
};

struct SourcePos {
    std::uint32_t file = 0, line = 0; ///< .loc; 0 = none
};

struct AstInstr {
    std::string_view opcode;            ///< first word
    std::vector<std::string_view> mods; ///< without dots
    std::vector<Operand> ops;
    int guard = -1; ///< register, -1 = none
    bool guardNegated = false;
    int line = 0;
    SourcePos source;
    std::vector<Operand> callResults, callArgs; ///< call only
    std::string_view callTarget; ///< call only: name, or empty when ops[0] is a register
    std::string_view callPrototype;
    std::string fullName() const;
};

struct InitValue {
    enum class Kind : std::uint8_t {
        Integer,
        Float32,
        Float64,
        Symbol,
        GenericSymbol
    } kind = Kind::Integer;
    std::uint64_t bits = 0; ///< value, or the offset of a symbol
    std::string_view symbol;
    std::uint8_t maskShift = 0xFF; ///< 0xFF00(symbol): byte of the address to take
};

struct Variable {
    std::string_view name;
    Space space = Space::Global;
    Type type = Type::B8;
    std::uint32_t vec = 1;
    std::uint64_t count = 1; ///< elements (product of dimensions)
    bool unsized = false;    ///< name[] without initialiser
    std::uint32_t align = 1;
    bool isExtern = false, isWeak = false, isVisible = false, managed = false;
    bool isReg = false; ///< a .reg formal of a function
    std::uint32_t reg = 0;
    std::vector<InitValue> init;
    int line = 0;
    std::uint64_t bytes() const;
};

struct AstFunction;
struct Prototype {
    std::vector<std::unique_ptr<Variable>> results, params;
};

struct AstFunction {
    std::string_view name;
    bool isEntry = false, isExtern = false, isWeak = false, isVisible = false, hasBody = false;
    std::vector<std::unique_ptr<Variable>> results, params;
    std::vector<std::unique_ptr<Variable>> variables; ///< declared in the body
    std::vector<Type> registers;
    std::vector<AstInstr> code;
    std::map<std::string_view, Prototype> prototypes;
    std::map<std::string_view, std::vector<std::uint32_t>>
        branchTargets;                  ///< list name → code indices
    std::set<std::string_view> symbols; ///< module-level names it mentions
    std::array<std::uint32_t, 3> maxThreads{0, 0, 0}, requiredThreads{0, 0, 0};
    int line = 0;
};

struct AstModule {
    std::string text; ///< owns what the views point to
    std::vector<std::unique_ptr<AstFunction>> functions;
    std::vector<std::unique_ptr<Variable>> variables;
    std::map<std::uint32_t, std::string> files;
    std::map<std::string_view, std::string_view> aliases;
};

struct ParseError {
    std::string message;
    int line = 0;
};

/// Null and an error when the text is not PTX. Memory is bounded by a small multiple of the text's
/// size.
std::unique_ptr<AstModule> parsePtx(std::string_view text, ParseError& error);

} // namespace ridgeline::emu
