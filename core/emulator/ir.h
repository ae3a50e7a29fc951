// SPDX-License-Identifier: GPL-3.0-or-later
// Decoded programs: what the interpreter runs. One Program per kernel, with every function it can
// reach.
#pragma once

#include "core/emulator/ptx_ast.h"
#include "core/emulator/vm.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ridgeline::emu {

struct Warp;
struct Instr;

/// Executes one instruction for the warp's current lanes and says what is next; null hands the warp
/// back to the block scheduler.
using Handler = const Instr* (*)(Warp&, const Instr*);

/// A register operand: byte offset into the frame's registers, or (top bit) into the constant pool.
using Reg = std::uint32_t;
constexpr Reg poolBit = 0x80000000U;
constexpr Reg noReg = 0x7FFFFFFFU;

struct Instr {
    Handler fn = nullptr;
    Handler inner = nullptr; ///< behind a guard
    std::uint64_t imm = 0;   ///< address offset, branch target index, …
    Reg dst = noReg, dst2 = noReg;
    Reg src[4] = {noReg, noReg, noReg, noReg};
    Reg guard = noReg;
    std::uint32_t extra = 0; ///< index into Function::extra (vector operands, call sites, tables)
    std::uint32_t aux = 0;   ///< meaning depends on the handler
    std::uint32_t slot = 0;  ///< memory instructions: index of the cached allocation
};
static_assert(sizeof(Instr) <= 72);

/// What instructions add per active lane, as sums from the function's start.
struct Prefix {
    std::uint32_t instrs = 0, fp64 = 0, fp32 = 0, fp16 = 0, bf16 = 0, special = 0, tensor = 0,
                  unused = 0;
};

struct InstrInfo {
    int line = 0; ///< of the PTX text
    SourcePos source;
    const AstInstr* ast = nullptr;
};

struct Function;

/// Where an argument or result lives: a .param variable's bytes in the frame, or a register.
struct CallSlot {
    std::uint32_t offset = 0; ///< frame offset of a byte array, or a register
    std::uint32_t bytes = 0;  ///< of one lane
    bool isReg = false;
};

enum class Builtin : std::uint8_t { None, Vprintf, AssertFail, Malloc, Free };

struct CallSite {
    Function* target = nullptr;
    Builtin builtin = Builtin::None;
    std::vector<CallSlot> args, results;
};

struct Function {
    std::string name;
    const AstModule* module = nullptr;
    const AstFunction* ast = nullptr;
    std::uint32_t id = 0;
    std::vector<Instr> code;
    std::vector<InstrInfo> info;
    std::vector<Prefix> prefix;       ///< code.size() + 1
    std::vector<std::uint32_t> extra; ///< registers of vector operands, branch tables
    std::vector<CallSite> calls;
    std::unique_ptr<std::byte[]> poolMemory;
    std::byte* pool = nullptr; ///< 128-byte aligned
    std::uint32_t poolBytes = 0;
    std::uint32_t frameBytes = 0; ///< registers, then .param byte arrays
    std::uint32_t localBytes = 0; ///< per lane, this function's own
    std::vector<CallSlot> params, results;
};

struct Program {
    std::vector<std::unique_ptr<Function>> functions; ///< [0] is the kernel
    std::vector<Function*> byId;     ///< module function id → compiled function or null
    std::uint32_t sharedBytes = 0;   ///< static
    std::uint32_t dynamicOffset = 0; ///< where extern .shared begins
    std::uint32_t localBytes = 0;    ///< per lane, whole stack
    std::uint32_t memorySlots = 0;
    bool recursive = false;
    LoadError error; ///< message is set when it cannot run
};

// Windows of generic addresses that are not host memory.
constexpr std::uint64_t windowMask = 0xFF00000000000000ULL;
constexpr std::uint64_t sharedWindow = 0x0100000000000000ULL;
constexpr std::uint64_t localWindow = 0x0200000000000000ULL;
constexpr std::uint64_t paramWindow = 0x0300000000000000ULL;
constexpr std::uint64_t codeWindow = 0x0400000000000000ULL;

constexpr std::uint32_t fullMask = 0xFFFFFFFFU;

} // namespace ridgeline::emu
