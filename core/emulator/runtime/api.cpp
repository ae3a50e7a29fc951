// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/api.h"

#include "core/emulator/runtime/error.h"
#include "core/emulator/runtime/report.h"

#include <set>

namespace ridgeline::emu {

int& lastError()
{
    thread_local int error = abi::Success;
    return error;
}

bool& runtimeUsed()
{
    thread_local bool used = false;
    return used;
}

int finishCall(const char* name, int code)
{
    if (code == abi::Success || code == abi::NotReady)
        return code;
    lastError() = code;
    if (Device::instance().settings().checkMemory)
        reportApiError(name, code);
    return code;
}

int refuse(const char* name)
{
    static std::mutex mutex;
    static auto* said = new std::set<std::string>;
    {
        const std::lock_guard lock(mutex);
        if (said->insert(name).second)
            complain("not supported on the emulated device: " + std::string(name));
    }
    return finishCall(name, abi::NotSupported);
}

RIDGELINE_CUDA_API int cudaGetLastError()
{
    if (const int sticky = Device::instance().stickyError())
        return sticky;
    const int code = lastError();
    lastError() = abi::Success;
    return code;
}

RIDGELINE_CUDA_API int cudaPeekAtLastError()
{
    if (const int sticky = Device::instance().stickyError())
        return sticky;
    return lastError();
}

RIDGELINE_CUDA_API const char* cudaGetErrorName(int code)
{
    return errorName(code);
}

RIDGELINE_CUDA_API const char* cudaGetErrorString(int code)
{
    return errorText(code);
}

} // namespace ridgeline::emu
