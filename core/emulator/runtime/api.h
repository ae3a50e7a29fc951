// SPDX-License-Identifier: GPL-3.0-or-later
// What every exported entry point does around its own work: error state, exceptions, API reports.
#pragma once

#include "core/emulator/runtime/device.h"

#include <new>

#define RIDGELINE_CUDA_API extern "C" __attribute__((visibility("default")))

namespace ridgeline::emu {

/// Whether a call waits for earlier work: those report the faults of earlier kernels.
enum class Waits { No, Yes };

/// The calling thread's last error, for cudaGetLastError and cudaPeekAtLastError.
int& lastError();

/// Whether the calling thread has made a runtime call: that makes the primary context current.
bool& runtimeUsed();

/// Remembers the error and, under the memory checker, reports it in compute-sanitizer's wording.
int finishCall(const char* name, int code);

/// Runs the body of a function of either API. `name` is what the program called.
template <typename Body>
int guardedCall(const char* name, Waits waits, Body&& body)
{
    Device& device = Device::instance();
    if (const int sticky = device.stickyError())
        return lastError() = sticky;
    if (waits == Waits::Yes) {
        if (const int fault = device.synchronise())
            return finishCall(name, fault);
    }
    int code = abi::UnknownError;
    try {
        code = body();
    } catch (const std::bad_alloc&) {
        code = abi::MemoryAllocation;
    }
    return finishCall(name, code);
}

/// The same for the runtime API.
template <typename Body>
int apiCall(const char* name, Waits waits, Body&& body)
{
    runtimeUsed() = true;
    return guardedCall(name, waits, static_cast<Body&&>(body));
}

template <typename Body>
int apiCall(const char* name, Body&& body)
{
    return apiCall(name, Waits::No, static_cast<Body&&>(body));
}

/// Says on stderr, once per name, that a function is not there, and returns NotSupported.
int refuse(const char* name);

} // namespace ridgeline::emu
