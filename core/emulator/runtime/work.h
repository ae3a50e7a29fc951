// SPDX-License-Identifier: GPL-3.0-or-later
// What streams do and graphs remember. One list of kinds serves both, so that a captured call does
// at replay exactly what it does when called.
#pragma once

#include "core/emulator/runtime/device.h"

#include <memory>
#include <variant>

namespace ridgeline::emu {

struct GraphBody;
struct GraphMemory; ///< pool.h

struct KernelWork {
    Function* function = nullptr;
    Dim3 grid, block, cluster{0, 0, 0};
    std::uint32_t dynamicShared = 0;
    bool cooperative = false;
    std::vector<std::byte> params;
    std::vector<void*> paramPointers; ///< into params, one per parameter: what Get…Params hands out
};

/// Any copy: a linear one has extent {bytes, 1, 1}. Positions and extent.width count elements of
/// the array when one takes part, bytes otherwise.
struct CopyWork {
    abi::Copy3D copy{};
};
struct MemsetWork {
    abi::MemsetParams params{};
    std::size_t depth = 1, slicePitch = 0;
};
struct HostWork {
    abi::HostFunction function = nullptr;
    void* userData = nullptr;
};
struct EventRecordWork {
    Event* event = nullptr;
};
struct EventWaitWork {
    Event* event = nullptr;
};
struct ChildWork {
    std::shared_ptr<GraphBody> body;
};
struct AllocWork {
    abi::MemAllocNodeParams params{};
    std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
    void* pointer = nullptr;
};
struct EmptyWork {};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, MemsetWork, HostWork, EventRecordWork,
                          EventWaitWork, ChildWork, AllocWork, FreeWork>;

/// Does the work now, in the calling thread. The code is that of the call that asked for it; a
/// kernel's fault is set on the device instead, as it would come later on a real one.
int perform(const Work& work);

int performKernel(const KernelWork& work);
int performCopy(const CopyWork& work);
int performMemset(const MemsetWork& work);

/// Checks as the API does before anything starts: pointers known, ranges inside allocations, kind
/// fitting the pointers.
int validateCopy(const abi::Copy3D& copy);
int validateMemset(const MemsetWork& work);

/// A linear copy as the general one.
abi::Copy3D linearCopy(void* dst, const void* src, std::size_t bytes, int kind);

} // namespace ridgeline::emu
