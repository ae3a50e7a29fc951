// SPDX-License-Identifier: GPL-3.0-or-later
// From a parsed function to Instr records. Each instruction class registers its decoders; a decoder
// consumes every modifier it understands, so that one nobody knows is refused by name.
#pragma once

#include "core/emulator/ir.h"

#include <map>
#include <string_view>
#include <unordered_map>

namespace ridgeline::emu {

class Decoder;
using DecodeFn = void (*)(Decoder&);

/// Why an instruction is refused.
struct DecodeFailure {
    std::string message;
};

/// What functions of one kernel share while they are compiled (compile.cpp).
struct LinkContext {
    virtual ~LinkContext() = default;
    /// Address of a module variable; throws DecodeFailure when nobody defines it.
    virtual std::uint64_t globalAddress(const AstModule& module, std::string_view name) = 0;
    /// True when the name is a .shared variable; its offset in the block's shared memory.
    virtual bool sharedOffset(const AstModule& module, std::string_view name, const Variable* local,
                              std::uint64_t& offset) = 0;
    /// Compiled function for a call or an address; null when there is none.
    virtual Function* functionFor(const AstModule& module, std::string_view name) = 0;
    virtual std::uint32_t memorySlot() = 0;
};

/// Instr fields that hold registers, for the allocator.
enum class Field : std::uint8_t { Dst, Dst2, Src0, Src1, Src2, Src3, Guard, Extra };

struct RegRef {
    std::uint32_t instr;
    std::uint32_t reg;
    std::uint32_t extraIndex;
    Field field;
    bool def;
    bool partial; ///< a definition that may leave the old value
};

struct Flow {
    std::vector<std::uint32_t> targets; ///< code indices after the label marker
    bool falls = true;
};

class Decoder {
public:
    Decoder(Function& function, LinkContext& link);
    /// Decodes the whole function; throws DecodeFailure with opcode and line set in `error`.
    void run(LoadError& error);

    const AstInstr& ast() const { return *m_ast; }
    LinkContext& link() { return m_link; }
    Function& function() { return m_function; }

    // Modifiers.
    bool has(std::string_view name);
    Type type(); ///< the next type; throws when there is none
    Type typeOr(Type fallback);
    template <class E, std::size_t N>
    E oneOf(const std::pair<std::string_view, E> (&table)[N], E fallback)
    {
        for (const auto& [name, value] : table) {
            if (has(name)) {
                return value;
            }
        }
        return fallback;
    }
    /// The first unread modifier, consumed; empty when there is none.
    std::string_view nextModifier();
    bool hasPrefixed(std::string_view prefix); ///< consumes every modifier that begins so

    // Operands.
    std::size_t count() const { return m_ast->ops.size(); }
    const Operand& op(std::size_t i) const;
    void expectCount(std::size_t n) const;
    /// Sets a source field to the operand's register or constant; width must match the type's
    /// unless `loose`.
    void use(Field field, std::size_t index, Type type, bool loose = false)
    {
        use(field, op(index), type, loose);
    }
    void use(Field field, const Operand& operand, Type type, bool loose = false);
    void def(Field field, std::size_t index, Type type, bool loose = false)
    {
        def(field, op(index), type, loose);
    }
    void def(Field field, const Operand& operand, Type type, bool loose = false);
    void constant(Field field, std::uint64_t bits, unsigned width);
    /// Appends a vector element to the instruction's extra registers.
    void extraUse(const Operand& operand, Type type, bool loose = false);
    void extraDef(const Operand& operand, Type type, bool loose = false);
    void extraValue(std::uint32_t value) { m_function.extra.push_back(value); }
    void beginExtra() { m_instr.extra = static_cast<std::uint32_t>(m_function.extra.size()); }
    unsigned registerBits(const Operand& operand) const; ///< 0 when it is no register
    std::uint64_t immediateBits(const Operand& operand, Type type) const;

    Instr& instr() { return m_instr; }
    Prefix& cost() { return m_cost; }
    Flow& flow() { return m_flow; }
    std::uint32_t targetIndex(std::uint64_t astIndex) const { return m_astStart[astIndex] + 1; }
    std::uint32_t nextIndex() const { return static_cast<std::uint32_t>(m_function.code.size()); }
    void finish(Handler handler);
    /// For handlers that evaluate the guard themselves (branches, ret, exit).
    void finishBranch(Handler handler);
    /// For handlers that may hand the warp over: lanes whose guard is false go on without waiting.
    void finishControl(Handler handler);
    /// Frame offset of a .param variable's byte array; throws when it is no such variable.
    CallSlot paramSlot(const Operand& operand);
    const std::map<const Variable*, CallSlot>& paramSlots() const { return m_params; }
    std::uint32_t localOffset(const Variable& variable) const;
    /// Sets a source field to the address (in the local window, without tag) of a .local variable
    /// plus `extra`.
    void useLocalAddress(Field field, const Variable& variable, std::uint64_t extra);
    bool isKernelParam(const Variable* variable, std::uint32_t& offset) const;

    [[noreturn]] static void refuse(const std::string& why) { throw DecodeFailure{why}; }

private:
    void one(const AstInstr& ast);
    enum class GuardBy { Wrapper, Handler, Control };
    void emit(Handler handler, GuardBy guard = GuardBy::Wrapper);
    void checkModifiers(Handler handler) const;
    void special(const Operand& operand, Type type, std::uint32_t& reg);
    std::uint32_t before(Handler handler, std::uint64_t imm, std::uint32_t aux, Type type);
    std::uint32_t newRegister(Type type);
    void setField(Field field, std::uint32_t reg, bool def, bool partial);
    void allocate();
    Reg poolConstant(std::uint64_t bits, unsigned width);
    void layoutVariables();
    Reg& fieldOf(Instr& instr, Field field) const;

    Function& m_function;
    LinkContext& m_link;
    const AstInstr* m_ast = nullptr;
    Instr m_instr;
    Prefix m_cost;
    Flow m_flow;
    std::uint64_t m_consumed = 0;
    std::vector<RegRef> m_pendingRefs;
    std::vector<RegRef> m_refs;
    std::vector<Flow> m_flows;
    std::vector<Prefix> m_costs;
    std::vector<Type> m_registers;
    std::vector<std::uint32_t> m_astStart;
    std::map<std::pair<std::uint64_t, unsigned>, Reg> m_constants;
    std::vector<std::byte> m_pool;
    std::map<const Variable*, CallSlot> m_params;
    std::map<const Variable*, std::uint32_t> m_locals;
    std::uint32_t m_paramBytes = 0;
    friend struct Allocator;
};

/// Address operand of a memory instruction: src[0], imm, space and width bits of aux.
void addressOperand(Decoder& decoder, const Operand& address, Space space);
/// Sets a 64-bit source field to a symbol's address in its own space.
void symbolAddress(Decoder& decoder, const Operand& symbol, Field field, unsigned width = 64);
void localSymbol(Decoder& decoder, const Operand& symbol, Field field);

using DecodeTable = std::unordered_map<std::string_view, DecodeFn>;
const DecodeTable& decodeTable();
void registerInteger(DecodeTable& table);
void registerBits(DecodeTable& table);
void registerFloat(DecodeTable& table);
void registerCompare(DecodeTable& table);
void registerConvert(DecodeTable& table);
void registerMove(DecodeTable& table);
void registerMemory(DecodeTable& table);
void registerAtomic(DecodeTable& table);
void registerWarp(DecodeTable& table);
void registerControl(DecodeTable& table);

/// Marks a basic block's beginning for lanes that fall into it.
const Instr* labelHandler(Warp& warp, const Instr* instr);
const Instr* guardHandler(Warp& warp, const Instr* instr);
const Instr* guardControlHandler(Warp& warp, const Instr* instr);
const Instr* specialHandler(Warp& warp, const Instr* instr);
/// Code of a special register for specialHandler, or -1; `is64` says its width.
int specialRegister(std::string_view name, bool& is64);
/// dst = address of a .local variable of the current call.
const Instr* localAddressHandler(Warp& warp, const Instr* instr);

} // namespace ridgeline::emu
