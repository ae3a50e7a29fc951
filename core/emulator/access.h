// SPDX-License-Identifier: GPL-3.0-or-later
// From lanes' addresses to host memory: bounds, alignment, counters, checkers.
#pragma once

#include "core/emulator/lanes.h"

namespace ridgeline::emu {

enum class AccessKind : u8 { Read, Write, Atomic };

/// Where the lanes of one memory instruction go.
struct Access {
    enum class Pattern : u8 { Uniform, Unit, Scattered } pattern = Pattern::Scattered;
    std::byte* base =
        nullptr;       ///< Uniform: the place; Unit: lane 0's, lane i is `size` bytes further
    std::byte* at[32]; ///< Scattered: valid for active lanes
};

/// Resolves the address operand of `I` (register src[0] + imm, or imm alone) for the current lanes.
/// `size`: bytes per lane. False after a fault. aux bits 24–26: Space; bit 27: 32-bit address
/// register.
bool resolve(Warp& w, const Instr* I, u32 size, AccessKind kind, Access& access);

/// One lane's `size` bytes at a generic address; null after a fault.
std::byte* resolveGeneric(Warp& w, const Instr* I, unsigned lane, u64 address, u32 size,
                          AccessKind kind);
/// As above in shared memory, without counting.
std::byte* resolveShared(Warp& w, const Instr* I, unsigned lane, u64 offset, u32 size);

/// Shared-memory wavefronts of one request: distinct 4-byte words per bank, in phases of 128 bytes.
u32 wavefronts(const u64* offsets, u32 mask, u32 size);

constexpr u32 spaceShift = 24;
constexpr u32 narrowAddress = 1U << 27;
inline Space spaceOf(const Instr* I)
{
    return static_cast<Space>((I->aux >> spaceShift) & 7U);
}

} // namespace ridgeline::emu
