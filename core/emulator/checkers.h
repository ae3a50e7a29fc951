// SPDX-License-Identifier: GPL-3.0-or-later
// Reports in compute-sanitizer's wording, and the shadow state behind them.
#pragma once

#include "core/emulator/access.h"

namespace ridgeline::emu {

/// An access outside of memory: ends the launch, and is a report of the memory checker.
void reportInvalid(Warp& w, const Instr* I, unsigned lane, u64 address, u32 size, AccessKind kind,
                   const char* space);
void reportMisaligned(Warp& w, const Instr* I, unsigned lane, u64 address, u32 size,
                      AccessKind kind, const char* space);

// Called for accesses inside of memory when a checker is on.
void checkGlobal(Warp& w, const Instr* I, const u64* address, u32 mask, u32 size, AccessKind kind,
                 const MemoryRange* range);
void checkShared(Warp& w, const Instr* I, const u64* offset, u32 mask, u32 size, AccessKind kind);
void checkLocal(Warp& w, const Instr* I, const u64* offset, u32 mask, u32 size, AccessKind kind);

/// The current lanes arrive at a barrier; before they are counted.
void checkBarrier(Warp& w, const Instr* I, u32 number, u32 count);

/// The warp passed a .sync instruction: accesses of its lanes before and after are ordered.
void noteWarpSync(Warp& w);
/// Lanes wait at a .sync instruction for lanes that will not come.
void reportStuckLanes(Warp& w, const Group& group);
void beginBlockChecks(Block& block);

/// Adds to the launch's reports, or counts up the one of the same checker, kind and place.
void addReport(Launch& launch, CheckReport report);
AccessSite siteOf(const Warp& w, const Instr* I, unsigned lane, const char* access, u32 size);

/// A block's shadow state; made anew for each block.
class Checkers {
public:
    virtual ~Checkers() = default;
};

} // namespace ridgeline::emu
