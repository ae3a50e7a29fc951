// SPDX-License-Identifier: GPL-3.0-or-later
// Choosing the (one) device, limits, peers, function attributes.
#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/occupancy.h"
#include "core/emulator/runtime/stream.h"

#include <cstdio>
#include <cstring>

namespace ridgeline::emu {

namespace {

std::atomic<unsigned> deviceFlags{0};
std::atomic<int> cacheConfig{0};

/// Set and get only: the emulation takes what a kernel needs. Defaults as on an A100.
std::atomic<std::size_t> limits[] = {1024, 1048576, 8388608, 2, 2048, 128, 0};
constexpr std::size_t limitCount = sizeof limits / sizeof *limits;

template <typename Body>
int withFunction(const char* name, const void* symbol, Body body)
{
    return apiCall(name, [&]() -> int {
        Function* function = Device::instance().findFunction(symbol);
        if (!function)
            return abi::InvalidDeviceFunction;
        if (const int error = function->binary->resolve(*function))
            return error;
        return body(*function);
    });
}

int setFunctionAttribute(Function& function, int attribute, int value)
{
    switch (attribute) {
    case abi::MaxDynamicShared:
        if (value < 0 || value > Device::instance().model().sharedPerBlockOptin -
                                     int(function.info->sharedStatic))
            return abi::InvalidValue;
        function.dynamicShared = value;
        return abi::Success;
    case abi::PreferredCarveout:
        if (value < -1 || value > 100)
            return abi::InvalidValue;
        function.carveout = value;
        return abi::Success;
    case abi::NonPortableCluster:
        function.nonPortableCluster = value != 0;
        return abi::Success;
    case 10: // cluster dimensions are read from the launch; these are compile-time facts
    case 11:
    case 12:
    case 13:
    case 15:
        return Device::instance().model().major >= 9 ? abi::Success : abi::InvalidValue;
    default:
        return abi::InvalidValue;
    }
}

int refusePeer(const char* name, int peer)
{
    return apiCall(
        name, [&]() -> int { return peer == 0 ? abi::PeerAccessUnsupported : abi::InvalidDevice; });
}

} // namespace

RIDGELINE_CUDA_API int cudaGetDeviceCount(int* count)
{
    return apiCall("cudaGetDeviceCount",
                   [&]() -> int { return count ? (*count = 1, abi::Success) : abi::InvalidValue; });
}

RIDGELINE_CUDA_API int cudaGetDevice(int* device)
{
    return apiCall("cudaGetDevice", [&]() -> int {
        return device ? (*device = 0, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaSetDevice(int device)
{
    return apiCall("cudaSetDevice",
                   [&]() -> int { return device == 0 ? abi::Success : abi::InvalidDevice; });
}

RIDGELINE_CUDA_API int cudaInitDevice(int device, unsigned, unsigned)
{
    return apiCall("cudaInitDevice",
                   [&]() -> int { return device == 0 ? abi::Success : abi::InvalidDevice; });
}

RIDGELINE_CUDA_API int cudaChooseDevice(int* device, const abi::DeviceProperties* wanted)
{
    return apiCall("cudaChooseDevice", [&]() -> int {
        return device && wanted ? (*device = 0, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaSetValidDevices(int* devices, int count)
{
    return apiCall("cudaSetValidDevices", [&]() -> int {
        if (count < 0 || (count > 0 && !devices))
            return abi::InvalidValue;
        for (int i = 0; i < count; ++i) {
            if (devices[i] != 0)
                return abi::InvalidDevice;
        }
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaSetDeviceFlags(unsigned flags)
{
    return apiCall("cudaSetDeviceFlags", [&]() -> int {
        if (flags & ~0xffu)
            return abi::InvalidValue;
        deviceFlags = flags;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGetDeviceFlags(unsigned* flags)
{
    return apiCall("cudaGetDeviceFlags", [&]() -> int {
        return flags ? (*flags = deviceFlags | 8, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaDeviceReset()
{
    // The process' memory stays mapped: programs that reset before their last frees must not crash.
    return apiCall("cudaDeviceReset", Waits::Yes, [] {
        lastError() = abi::Success;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaDeviceSetLimit(int limit, std::size_t value)
{
    return apiCall("cudaDeviceSetLimit", [&]() -> int {
        if (limit < 0 || std::size_t(limit) >= limitCount)
            return abi::InvalidValue;
        if (limit == 3)
            return abi::UnsupportedLimit;
        limits[limit] = value;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaDeviceGetLimit(std::size_t* value, int limit)
{
    return apiCall("cudaDeviceGetLimit", [&]() -> int {
        if (!value || limit < 0 || std::size_t(limit) >= limitCount)
            return abi::InvalidValue;
        if (limit == 3)
            return abi::UnsupportedLimit;
        *value = limits[limit];
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaDeviceSetCacheConfig(int config)
{
    return apiCall("cudaDeviceSetCacheConfig", [&]() -> int {
        return config >= 0 && config <= 3 ? (cacheConfig = config, abi::Success)
                                          : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaDeviceGetCacheConfig(int* config)
{
    return apiCall("cudaDeviceGetCacheConfig", [&]() -> int {
        return config ? (*config = cacheConfig, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaDeviceGetSharedMemConfig(int* config)
{
    return apiCall("cudaDeviceGetSharedMemConfig", [&]() -> int {
        return config ? (*config = 1, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaDeviceSetSharedMemConfig(int config)
{
    return apiCall("cudaDeviceSetSharedMemConfig", [&]() -> int {
        return config >= 0 && config <= 2 ? abi::Success : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaDeviceGetPCIBusId(char* text, int length, int device)
{
    return apiCall("cudaDeviceGetPCIBusId", [&]() -> int {
        if (device != 0)
            return abi::InvalidDevice;
        if (!text || length < 13)
            return abi::InvalidValue;
        std::snprintf(text, std::size_t(length), "0000:01:00.0");
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaDeviceGetByPCIBusId(int* device, const char* text)
{
    return apiCall("cudaDeviceGetByPCIBusId", [&]() -> int {
        if (!device || !text)
            return abi::InvalidValue;
        *device = 0;
        return std::strstr(text, "01:00") ? abi::Success : abi::InvalidDevice;
    });
}

RIDGELINE_CUDA_API int cudaDeviceCanAccessPeer(int* can, int device, int peer)
{
    return apiCall("cudaDeviceCanAccessPeer", [&]() -> int {
        if (!can)
            return abi::InvalidValue;
        *can = 0;
        return device == 0 && peer == 0 ? abi::Success : abi::InvalidDevice;
    });
}

RIDGELINE_CUDA_API int cudaDeviceEnablePeerAccess(int peer, unsigned)
{
    return refusePeer("cudaDeviceEnablePeerAccess", peer == 0 ? -1 : peer);
}

RIDGELINE_CUDA_API int cudaDeviceDisablePeerAccess(int peer)
{
    return apiCall("cudaDeviceDisablePeerAccess", [&]() -> int {
        return peer == 0 ? abi::PeerAccessNotEnabled : abi::InvalidDevice;
    });
}

RIDGELINE_CUDA_API int cudaProfilerStart()
{
    return abi::Success;
}

RIDGELINE_CUDA_API int cudaProfilerStop()
{
    return abi::Success;
}

RIDGELINE_CUDA_API int cudaFuncGetAttributes(abi::FuncAttributes* result, const void* symbol)
{
    return withFunction("cudaFuncGetAttributes", symbol, [&](Function& function) -> int {
        if (!result)
            return abi::InvalidValue;
        *result = {};
        const KernelInfo& info = *function.info;
        const int version = Device::instance().model().capability();
        result->sharedBytes = info.sharedStatic;
        result->localBytes = info.localBytes;
        result->maxThreadsPerBlock = info.maxThreads ? int(info.maxThreads) : maxThreadsPerBlock;
        result->numRegs = estimatedRegisters(info);
        result->ptxVersion = version;
        result->binaryVersion = version;
        result->maxDynamicSharedBytes = function.allowedDynamicShared();
        result->preferredCarveout = function.carveout;
        result->nonPortableClusterSizeAllowed = function.nonPortableCluster;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaFuncSetAttribute(const void* symbol, int attribute, int value)
{
    return withFunction("cudaFuncSetAttribute", symbol, [&](Function& function) {
        return setFunctionAttribute(function, attribute, value);
    });
}

RIDGELINE_CUDA_API int cudaKernelSetAttributeForDevice(Function* kernel, int attribute, int value,
                                                       int device)
{
    return withFunction("cudaKernelSetAttributeForDevice", kernel, [&](Function& function) -> int {
        return device == 0 ? setFunctionAttribute(function, attribute, value)
                           : int(abi::InvalidDevice);
    });
}

RIDGELINE_CUDA_API int cudaFuncSetCacheConfig(const void* symbol, int config)
{
    return withFunction("cudaFuncSetCacheConfig", symbol, [&](Function&) -> int {
        return config >= 0 && config <= 3 ? abi::Success : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaFuncSetSharedMemConfig(const void* symbol, int config)
{
    return withFunction("cudaFuncSetSharedMemConfig", symbol, [&](Function&) -> int {
        return config >= 0 && config <= 2 ? abi::Success : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaFuncGetName(const char** result, const void* symbol)
{
    return withFunction("cudaFuncGetName", symbol, [&](Function& function) -> int {
        return result ? (*result = function.name.c_str(), abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaFuncGetParamInfo(const void* symbol, std::size_t index,
                                            std::size_t* offset, std::size_t* size)
{
    return withFunction("cudaFuncGetParamInfo", symbol, [&](Function& function) -> int {
        const std::vector<ParamInfo>& params = function.info->params;
        if (!offset || index >= params.size())
            return abi::InvalidValue;
        *offset = params[index].offset;
        if (size)
            *size = params[index].size;
        return abi::Success;
    });
}

} // namespace ridgeline::emu
