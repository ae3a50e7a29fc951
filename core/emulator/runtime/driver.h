// SPDX-License-Identifier: GPL-3.0-or-later
// The driver API (libcuda.so.1): the same device seen through cu* functions. They live in
// libcudart.so.13 and are found by name, in the table below; libcuda.so.1 only jumps to them.
#pragma once

#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/stream.h"

namespace ridgeline::emu {

/// CUdeviceptr, passed like a pointer.
using DevicePointer = void*;

struct DriverFunction {
    const char* name; ///< symbol, e.g. "cuMemAlloc_v2"
    void* address;
};
using DriverFunctions = std::vector<DriverFunction>;

// One list per file.
DriverFunctions driverContextFunctions();
DriverFunctions driverModuleFunctions();
DriverFunctions driverMemoryFunctions();
DriverFunctions driverStreamFunctions();

/// By symbol; every symbol of the real library has an address, if only one that refuses. Null for
/// names it does not have.
void* driverSymbol(const std::string& symbol);
/// By plain name: the newest form not newer than `version` (e.g. 12030). `perThread` prefers the
/// form for the per-thread default stream.
void* driverEntryPoint(const std::string& name, int version, bool perThread, bool& nameKnown);

/// CUDA_ERROR_… for an error of the runtime's own.
int driverCode(int runtimeCode);

namespace driver {

constexpr int notInitialized = 3, invalidContext = 201, notFound = 500;

/// Success, or why a driver call cannot be made: no cuInit, no current context, or a fault.
int ready(bool needsContext);
void initialise();
/// CUcontext of the calling thread, null when none.
void* currentContext();
void* primaryContext();

/// Leaves the calling thread's runtime state as it was.
struct RuntimeState {
    int error = lastError();
    bool used = runtimeUsed();
    ~RuntimeState()
    {
        lastError() = error;
        runtimeUsed() = used;
    }
};

/// A runtime function called through the driver API: its checks, the driver's codes, and the
/// calling thread's last runtime error left alone.
template <auto Runtime>
struct Call;
template <typename... Args, int (*Runtime)(Args...)>
struct Call<Runtime> {
    static int run(Args... args)
    {
        if (const int error = ready(true))
            return error;
        const RuntimeState keep;
        return driverCode(Runtime(args...));
    }
};

/// For functions that are the driver's alone.
template <typename Body>
int call(const char* name, bool needsContext, Body&& body)
{
    if (const int error = ready(needsContext))
        return error;
    const RuntimeState keep;
    return driverCode(guardedCall(name, Waits::No, static_cast<Body&&>(body)));
}

template <typename Function>
void* address(Function* function)
{
    return reinterpret_cast<void*>(function);
}

} // namespace driver

} // namespace ridgeline::emu

#define RIDGELINE_ALIAS(name, runtime)                                                             \
    {                                                                                              \
#name, driver::address(&driver::Call <&runtime>::run)                                      \
    }
/// The same with the form for the per-thread default stream.
#define RIDGELINE_ALIAS_PAIR(name, runtime, suffix)                                                \
    RIDGELINE_ALIAS(name, runtime), RIDGELINE_ALIAS(name##suffix, runtime##suffix)
