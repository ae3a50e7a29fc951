// SPDX-License-Identifier: GPL-3.0-or-later
// From a launch call to work: finding the function, checking the configuration, copying parameters.
#pragma once

#include "core/emulator/runtime/stream.h"

namespace ridgeline::emu {

/// What a launch must not exceed, in the codes that a real device returns.
int validateLaunch(const Function& function, const KernelWork& work);

/// Parameters from the array of pointers that launches pass; false when `arguments` is missing.
bool copyArguments(const KernelInfo& info, void* const* arguments, KernelWork& work);
/// Parameters from one packed buffer (the driver API's `extra`).
bool copyPackedArguments(const KernelInfo& info, const void* buffer, std::size_t bytes,
                         KernelWork& work);

/// Finds, checks and copies. `function` is a host stub's address or a handle.
int makeKernelWork(const void* function, Dim3 grid, Dim3 block, std::size_t dynamicShared,
                   void* const* arguments, KernelWork& work);

/// Cooperative and cluster launch attributes. Unknown ones are hints and are ignored.
int applyAttributes(const abi::LaunchAttribute* attributes, unsigned count, KernelWork& work);

int launchKernel(const char* name, const void* function, Dim3 grid, Dim3 block, void** arguments,
                 std::size_t dynamicShared, Stream* stream, DefaultStream whichDefault,
                 bool cooperative);

} // namespace ridgeline::emu
