// SPDX-License-Identifier: GPL-3.0-or-later
// Stream-ordered allocation. Work is done when submitted, so a pool only keeps accounts.
#pragma once

#include <cstddef>

namespace ridgeline::emu {

struct Pool;

/// Pool null: the device's current pool. Success or MemoryAllocation.
int poolAllocate(void** result, std::size_t bytes, Pool* pool);
int poolFree(void* pointer);
/// Freed by another call: only the account changes.
void forgetPoolAllocation(void* pointer);

} // namespace ridgeline::emu
