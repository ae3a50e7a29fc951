// SPDX-License-Identifier: GPL-3.0-or-later
// Theoretical occupancy on the modelled device.
#pragma once

#include "core/emulator/runtime/device.h"

namespace ridgeline::emu {

/// Registers per thread as an estimate: PTX has virtual registers only, so the number ptxas would
/// choose is not known here. Between 16 and what the block size allows; never a reason to refuse.
int estimatedRegisters(const KernelInfo& info);

/// Blocks that fit on one multiprocessor at a time, 0 when the block cannot run at all.
/// Limits: block slots, threads, shared memory (with 1 KiB reserved per block), registers.
int activeBlocksPerSm(const Function& function, int blockSize, std::size_t dynamicShared);

} // namespace ridgeline::emu
