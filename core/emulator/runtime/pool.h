// SPDX-License-Identifier: GPL-3.0-or-later
// Stream-ordered allocation. Work is done when submitted, so a pool only keeps accounts.
#pragma once

#include <cstddef>
#include <memory>

namespace ridgeline::emu {

struct Pool;

/// Memory of an allocation node. It keeps its address from launch to launch, so it is taken when
/// the node is made and given back when the last graph that has the node is gone; `live` says
/// whether the program may use it now.
struct GraphMemory {
    void* pointer = nullptr;
    std::size_t bytes = 0;
    bool live = false;
    ~GraphMemory();
};

/// Null when memory runs out.
std::shared_ptr<GraphMemory> makeGraphMemory(std::size_t bytes);
/// True when the pointer is a graph's memory: it is only marked as not live then.
bool freeGraphMemory(void* pointer);
/// Bytes of live graph memory, and of all of it.
void graphMemoryUse(std::size_t& used, std::size_t& reserved);

/// Pool null: the device's current pool. Success or MemoryAllocation.
int poolAllocate(void** result, std::size_t bytes, Pool* pool);
int poolFree(void* pointer);
/// Freed by another call: only the account changes.
void forgetPoolAllocation(void* pointer);

} // namespace ridgeline::emu
