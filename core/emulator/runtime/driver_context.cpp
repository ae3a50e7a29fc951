// SPDX-License-Identifier: GPL-3.0-or-later
// Initialisation, devices, contexts, error names, and looking functions up by name.
#include "core/emulator/runtime/driver.h"
#include "core/emulator/runtime/error.h"
#include "core/emulator/runtime/properties.h"
#include "core/emulator/runtime/runtime_functions.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace ridgeline::emu {

namespace {

/// A CUcontext. All of them are the one device; they only differ as handles.
struct Context {
    std::uint64_t id = 0;
    unsigned flags = 0;
};

std::atomic<bool> initialised{false};
std::atomic<int> primaryUsers{0};

std::mutex& contextMutex()
{
    static auto* mutex = new std::mutex;
    return *mutex;
}

std::set<Context*>& contexts()
{
    static auto* all = new std::set<Context*>;
    return *all;
}

std::vector<Context*>& contextStack()
{
    thread_local std::vector<Context*> stack;
    return stack;
}

Context* primary()
{
    static auto* context = [] {
        auto* made = new Context;
        made->id = 1;
        const std::lock_guard lock(contextMutex());
        contexts().insert(made);
        return made;
    }();
    return context;
}

bool known(Context* context)
{
    const std::lock_guard lock(contextMutex());
    return contexts().count(context) != 0;
}

/// For functions of a device: what to return for another ordinal.
int checkDevice(int device)
{
    return device == 0 ? abi::Success : abi::InvalidDevice;
}

// ---- errors

/// "cudaErrorInvalidValue" as the driver spells it: CUDA_ERROR_INVALID_VALUE.
std::string driverName(int code)
{
    if (code == 0)
        return "CUDA_SUCCESS";
    static const std::map<int, const char*> own{
        {2, "CUDA_ERROR_OUT_OF_MEMORY"},
        {3, "CUDA_ERROR_NOT_INITIALIZED"},
        {4, "CUDA_ERROR_DEINITIALIZED"},
        {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
        {200, "CUDA_ERROR_INVALID_IMAGE"},
        {201, "CUDA_ERROR_INVALID_CONTEXT"},
        {205, "CUDA_ERROR_MAP_FAILED"},
        {206, "CUDA_ERROR_UNMAP_FAILED"},
        {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
        {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
        {216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"},
        {225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"},
        {304, "CUDA_ERROR_OPERATING_SYSTEM"},
        {400, "CUDA_ERROR_INVALID_HANDLE"},
        {500, "CUDA_ERROR_NOT_FOUND"},
        {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
        {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
        {719, "CUDA_ERROR_LAUNCH_FAILED"},
        {909, "CUDA_ERROR_TIMEOUT"},
    };
    if (const auto found = own.find(code); found != own.end())
        return found->second;
    const std::string runtime = errorName(code);
    std::string name = "CUDA_ERROR";
    for (std::size_t i = std::strlen("cudaError"); i < runtime.size(); ++i) {
        const char c = runtime[i];
        const bool upper = c >= 'A' && c <= 'Z';
        const bool next = i + 1 < runtime.size() && runtime[i + 1] >= 'a' && runtime[i + 1] <= 'z';
        const bool before = i > 9 && runtime[i - 1] >= 'a' && runtime[i - 1] <= 'z';
        if (upper && (before || next || i == 9))
            name += '_';
        name += c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    }
    return name;
}

bool driverKnows(int code)
{
    // 103 and 127 are the runtime's own.
    return isKnownError(code) && driverCode(code) == code && code != 103 && code != 127;
}

int cuGetErrorName(int code, const char** text)
{
    static std::mutex mutex;
    static auto* names = new std::map<int, std::string>;
    if (!text)
        return abi::InvalidValue;
    *text = nullptr;
    if (!driverKnows(code))
        return abi::InvalidValue;
    const std::lock_guard lock(mutex);
    std::string& name = (*names)[code];
    if (name.empty())
        name = driverName(code);
    *text = name.c_str();
    return abi::Success;
}

int cuGetErrorString(int code, const char** text)
{
    if (!text)
        return abi::InvalidValue;
    *text = driverKnows(code) ? errorText(code) : nullptr;
    return *text ? abi::Success : abi::InvalidValue;
}

// ---- devices

int cuInit(unsigned flags)
{
    if (flags != 0)
        return abi::InvalidValue;
    driver::initialise();
    return abi::Success;
}

int cuDriverGetVersion(int* version)
{
    return version ? (*version = 13000, abi::Success) : abi::InvalidValue;
}

int cuDeviceGet(int* device, int ordinal)
{
    return driver::call("cuDeviceGet", false, [&]() -> int {
        if (!device)
            return abi::InvalidValue;
        *device = 0;
        return checkDevice(ordinal);
    });
}

int cuDeviceGetCount(int* count)
{
    return driver::call("cuDeviceGetCount", false, [&]() -> int {
        return count ? (*count = 1, abi::Success) : abi::InvalidValue;
    });
}

template <typename Body>
int withProperties(const char* name, int device, Body body)
{
    return driver::call(name, false, [&]() -> int {
        if (const int error = checkDevice(device))
            return error;
        abi::DeviceProperties properties;
        fillProperties(properties);
        return body(properties);
    });
}

int cuDeviceGetName(char* name, int length, int device)
{
    return withProperties("cuDeviceGetName", device, [&](const abi::DeviceProperties& p) -> int {
        if (!name || length <= 0)
            return abi::InvalidValue;
        std::strncpy(name, p.name, std::size_t(length));
        name[length - 1] = '\0';
        return abi::Success;
    });
}

int cuDeviceGetUuid(unsigned char* uuid, int device)
{
    return withProperties("cuDeviceGetUuid", device, [&](const abi::DeviceProperties& p) -> int {
        return uuid ? (std::memcpy(uuid, p.uuid, 16), abi::Success) : abi::InvalidValue;
    });
}

int cuDeviceTotalMem(std::size_t* bytes, int device)
{
    return withProperties("cuDeviceTotalMem", device, [&](const abi::DeviceProperties& p) -> int {
        return bytes ? (*bytes = p.totalGlobalMem, abi::Success) : abi::InvalidValue;
    });
}

int cuDeviceComputeCapability(int* major, int* minor, int device)
{
    return withProperties("cuDeviceComputeCapability", device,
                          [&](const abi::DeviceProperties& p) -> int {
                              if (!major || !minor)
                                  return abi::InvalidValue;
                              *major = p.major;
                              *minor = p.minor;
                              return abi::Success;
                          });
}

int cuDeviceGetAttribute(int* value, int attribute, int device)
{
    return driver::call("cuDeviceGetAttribute", false, [&]() -> int {
        if (!value)
            return abi::InvalidValue;
        return device == 0 ? deviceAttribute(attribute, *value) : int(abi::InvalidDevice);
    });
}

// ---- contexts

int cuDevicePrimaryCtxRetain(Context** context, int device)
{
    return driver::call("cuDevicePrimaryCtxRetain", false, [&]() -> int {
        if (!context)
            return abi::InvalidValue;
        if (const int error = checkDevice(device))
            return error;
        ++primaryUsers;
        *context = primary();
        return abi::Success;
    });
}

int cuDevicePrimaryCtxRelease(int device)
{
    return driver::call("cuDevicePrimaryCtxRelease", false, [&]() -> int {
        if (const int error = checkDevice(device))
            return error;
        if (primaryUsers == 0)
            return abi::DeviceUninitialized;
        --primaryUsers;
        return abi::Success;
    });
}

int cuDevicePrimaryCtxSetFlags(int device, unsigned flags)
{
    return driver::call("cuDevicePrimaryCtxSetFlags", false, [&]() -> int {
        primary()->flags = flags;
        return checkDevice(device);
    });
}

int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active)
{
    return driver::call("cuDevicePrimaryCtxGetState", false, [&]() -> int {
        if (!flags || !active)
            return abi::InvalidValue;
        *flags = primary()->flags;
        *active = primaryUsers > 0 || driver::currentContext() == primary();
        return checkDevice(device);
    });
}

int cuDevicePrimaryCtxReset(int device)
{
    return driver::call("cuDevicePrimaryCtxReset", false, [&] { return checkDevice(device); });
}

int createContext(Context** context, unsigned flags, int device)
{
    return driver::call("cuCtxCreate", false, [&]() -> int {
        if (!context)
            return abi::InvalidValue;
        if (const int error = checkDevice(device))
            return error;
        auto* made = new Context;
        made->id = Device::instance().nextId() + 1;
        made->flags = flags;
        const std::lock_guard lock(contextMutex());
        contexts().insert(made);
        contextStack().push_back(made);
        *context = made;
        return abi::Success;
    });
}

int cuCtxCreate_v3(Context** context, const void*, int, unsigned flags, int device)
{
    return createContext(context, flags, device);
}

int cuCtxCreate_v4(Context** context, const void*, unsigned flags, int device)
{
    return createContext(context, flags, device);
}

int cuCtxDestroy(Context* context)
{
    return driver::call("cuCtxDestroy", false, [&]() -> int {
        if (!known(context) || context == primary())
            return driver::invalidContext;
        std::erase(contextStack(), context);
        const std::lock_guard lock(contextMutex());
        contexts().erase(context);
        delete context;
        return abi::Success;
    });
}

int cuCtxPushCurrent(Context* context)
{
    return driver::call("cuCtxPushCurrent", false, [&]() -> int {
        if (!known(context))
            return driver::invalidContext;
        contextStack().push_back(context);
        return abi::Success;
    });
}

int cuCtxPopCurrent(Context** context)
{
    return driver::call("cuCtxPopCurrent", true, [&]() -> int {
        if (contextStack().empty())
            return driver::invalidContext;
        if (context)
            *context = contextStack().back();
        contextStack().pop_back();
        return abi::Success;
    });
}

int cuCtxSetCurrent(Context* context)
{
    return driver::call("cuCtxSetCurrent", false, [&]() -> int {
        if (context && !known(context))
            return driver::invalidContext;
        if (!contextStack().empty())
            contextStack().pop_back();
        if (context)
            contextStack().push_back(context);
        return abi::Success;
    });
}

int cuCtxGetCurrent(void** context)
{
    return driver::call("cuCtxGetCurrent", false, [&]() -> int {
        return context ? (*context = driver::currentContext(), abi::Success) : abi::InvalidValue;
    });
}

int cuCtxGetDevice(int* device)
{
    return driver::call("cuCtxGetDevice", true, [&]() -> int {
        return device ? (*device = 0, abi::Success) : abi::InvalidValue;
    });
}

int cuCtxGetDevice_v2(int* device, Context*)
{
    return cuCtxGetDevice(device);
}

int cuCtxGetFlags(unsigned* flags)
{
    return driver::call("cuCtxGetFlags", true, [&]() -> int {
        return flags
                   ? (*flags = static_cast<Context*>(driver::currentContext())->flags, abi::Success)
                   : abi::InvalidValue;
    });
}

int cuCtxSetFlags(unsigned flags)
{
    return driver::call("cuCtxSetFlags", true, [&]() -> int {
        static_cast<Context*>(driver::currentContext())->flags = flags;
        return abi::Success;
    });
}

int cuCtxGetId(Context* context, unsigned long long* id)
{
    return driver::call("cuCtxGetId", true, [&]() -> int {
        if (!context)
            context = static_cast<Context*>(driver::currentContext());
        if (!known(context))
            return driver::invalidContext;
        return id ? (*id = context->id, abi::Success) : abi::InvalidValue;
    });
}

int cuCtxGetApiVersion(Context*, unsigned* version)
{
    return driver::call("cuCtxGetApiVersion", true, [&]() -> int {
        return version ? (*version = 3020, abi::Success) : abi::InvalidValue;
    });
}

int cuCtxSynchronize_v2(Context* context)
{
    return known(context) ? driver::Call<&cudaDeviceSynchronize>::run() : driver::invalidContext;
}

int cuCtxEnablePeerAccess(Context*, unsigned)
{
    return driver::call("cuCtxEnablePeerAccess", true,
                        []() -> int { return abi::PeerAccessUnsupported; });
}

int cuCtxDisablePeerAccess(Context*)
{
    return driver::call("cuCtxDisablePeerAccess", true,
                        []() -> int { return abi::PeerAccessNotEnabled; });
}

int cuStreamGetCtx(Stream* stream, void** context)
{
    return driver::call("cuStreamGetCtx", true, [&]() -> int {
        if (!findStream(stream))
            return abi::InvalidResourceHandle;
        return context ? (*context = driver::currentContext(), abi::Success) : abi::InvalidValue;
    });
}

// ---- by name

int lookUp(const char* name, void** address, int version, unsigned long long flags, int* status)
{
    if (!name || !address || flags > 2)
        return abi::InvalidValue;
    bool known = false;
    *address = driverEntryPoint(name, version, flags == 2, known);
    if (status) // 0 found, 1 no such name, 2 needs a newer version
        *status = *address ? 0 : known ? 2 : 1;
    return *address || status ? abi::Success : driver::notFound;
}

int cuGetProcAddress(const char* name, void** address, int version, unsigned long long flags)
{
    return lookUp(name, address, version, flags, nullptr);
}

int cuGetProcAddress_v2(const char* name, void** address, int version, unsigned long long flags,
                        int* status)
{
    return lookUp(name, address, version, flags, status);
}

int runtimeLookUp(const char* api, const char* name, void** address, int version,
                  unsigned long long flags, int* status)
{
    return apiCall(api, [&]() -> int {
        driver::initialise();
        int found = 0;
        if (const int error = lookUp(name, address, version, flags, &found))
            return error;
        if (status)
            *status = found;
        // The runtime's own form reports a name it does not know through `status` alone.
        return abi::Success;
    });
}

} // namespace

namespace driver {

void initialise()
{
    Device::instance();
    initialised = true;
}

void* primaryContext()
{
    return primary();
}

void* currentContext()
{
    const std::vector<Context*>& stack = contextStack();
    if (!stack.empty())
        return stack.back();
    return runtimeUsed() ? primary() : nullptr;
}

int ready(bool needsContext)
{
    if (!initialised && !runtimeUsed())
        return notInitialized;
    return needsContext && !currentContext() ? invalidContext : abi::Success;
}

} // namespace driver

int driverCode(int code)
{
    switch (code) {
    case abi::InvalidSymbol:
        return driver::notFound;
    case abi::InvalidDeviceFunction:
        return abi::InvalidResourceHandle;
    case abi::Success:
    case abi::InvalidValue:
    case abi::MemoryAllocation:
    case abi::InitializationError:
    case 4: // driver shutting down
    case 5:
    case 6:
    case 7:
    case 8: // profiler
    case 34:
    case 36:
    case 46:
        return code;
    default:
        return code < 100 ? int(abi::InvalidValue) : code;
    }
}

RIDGELINE_CUDA_API int cudaGetDriverEntryPoint(const char* name, void** address,
                                               unsigned long long flags, int* status)
{
    return runtimeLookUp("cudaGetDriverEntryPoint", name, address, 13000, flags, status);
}

RIDGELINE_CUDA_API int cudaGetDriverEntryPoint_ptsz(const char* name, void** address,
                                                    unsigned long long flags, int* status)
{
    return runtimeLookUp("cudaGetDriverEntryPoint", name, address, 13000, flags == 0 ? 2 : flags,
                         status);
}

RIDGELINE_CUDA_API int cudaGetDriverEntryPointByVersion(const char* name, void** address,
                                                        unsigned version, unsigned long long flags,
                                                        int* status)
{
    return runtimeLookUp("cudaGetDriverEntryPointByVersion", name, address, int(version), flags,
                         status);
}

RIDGELINE_CUDA_API int cudaGetDriverEntryPointByVersion_ptsz(const char* name, void** address,
                                                             unsigned version,
                                                             unsigned long long flags, int* status)
{
    return runtimeLookUp("cudaGetDriverEntryPointByVersion", name, address, int(version),
                         flags == 0 ? 2 : flags, status);
}

DriverFunctions driverContextFunctions()
{
    using driver::address;
    return {
        {"cuGetErrorName", address(cuGetErrorName)},
        {"cuGetErrorString", address(cuGetErrorString)},
        {"cuInit", address(cuInit)},
        {"cuDriverGetVersion", address(cuDriverGetVersion)},
        {"cuDeviceGet", address(cuDeviceGet)},
        {"cuDeviceGetCount", address(cuDeviceGetCount)},
        {"cuDeviceGetName", address(cuDeviceGetName)},
        {"cuDeviceGetUuid", address(cuDeviceGetUuid)},
        {"cuDeviceGetUuid_v2", address(cuDeviceGetUuid)},
        {"cuDeviceTotalMem_v2", address(cuDeviceTotalMem)},
        {"cuDeviceComputeCapability", address(cuDeviceComputeCapability)},
        {"cuDeviceGetAttribute", address(cuDeviceGetAttribute)},
        {"cuDevicePrimaryCtxRetain", address(cuDevicePrimaryCtxRetain)},
        {"cuDevicePrimaryCtxRelease", address(cuDevicePrimaryCtxRelease)},
        {"cuDevicePrimaryCtxRelease_v2", address(cuDevicePrimaryCtxRelease)},
        {"cuDevicePrimaryCtxSetFlags", address(cuDevicePrimaryCtxSetFlags)},
        {"cuDevicePrimaryCtxSetFlags_v2", address(cuDevicePrimaryCtxSetFlags)},
        {"cuDevicePrimaryCtxGetState", address(cuDevicePrimaryCtxGetState)},
        {"cuDevicePrimaryCtxReset", address(cuDevicePrimaryCtxReset)},
        {"cuDevicePrimaryCtxReset_v2", address(cuDevicePrimaryCtxReset)},
        {"cuCtxCreate", address(createContext)},
        {"cuCtxCreate_v2", address(createContext)},
        {"cuCtxCreate_v3", address(cuCtxCreate_v3)},
        {"cuCtxCreate_v4", address(cuCtxCreate_v4)},
        {"cuCtxDestroy", address(cuCtxDestroy)},
        {"cuCtxDestroy_v2", address(cuCtxDestroy)},
        {"cuCtxPushCurrent", address(cuCtxPushCurrent)},
        {"cuCtxPushCurrent_v2", address(cuCtxPushCurrent)},
        {"cuCtxPopCurrent", address(cuCtxPopCurrent)},
        {"cuCtxPopCurrent_v2", address(cuCtxPopCurrent)},
        {"cuCtxSetCurrent", address(cuCtxSetCurrent)},
        {"cuCtxGetCurrent", address(cuCtxGetCurrent)},
        {"cuCtxGetDevice", address(cuCtxGetDevice)},
        {"cuCtxGetDevice_v2", address(cuCtxGetDevice_v2)},
        {"cuCtxGetFlags", address(cuCtxGetFlags)},
        {"cuCtxSetFlags", address(cuCtxSetFlags)},
        {"cuCtxGetId", address(cuCtxGetId)},
        {"cuCtxGetApiVersion", address(cuCtxGetApiVersion)},
        {"cuCtxSynchronize_v2", address(cuCtxSynchronize_v2)},
        {"cuCtxEnablePeerAccess", address(cuCtxEnablePeerAccess)},
        {"cuCtxDisablePeerAccess", address(cuCtxDisablePeerAccess)},
        {"cuStreamGetCtx", address(cuStreamGetCtx)},
        {"cuStreamGetCtx_ptsz", address(cuStreamGetCtx)},
        {"cuGetProcAddress", address(cuGetProcAddress)},
        {"cuGetProcAddress_v2", address(cuGetProcAddress_v2)},
        RIDGELINE_ALIAS(cuCtxSynchronize, cudaDeviceSynchronize),
        RIDGELINE_ALIAS(cuCtxSetLimit, cudaDeviceSetLimit),
        RIDGELINE_ALIAS(cuCtxGetLimit, cudaDeviceGetLimit),
        RIDGELINE_ALIAS(cuCtxGetCacheConfig, cudaDeviceGetCacheConfig),
        RIDGELINE_ALIAS(cuCtxSetCacheConfig, cudaDeviceSetCacheConfig),
        RIDGELINE_ALIAS(cuCtxGetSharedMemConfig, cudaDeviceGetSharedMemConfig),
        RIDGELINE_ALIAS(cuCtxSetSharedMemConfig, cudaDeviceSetSharedMemConfig),
        RIDGELINE_ALIAS(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange),
        RIDGELINE_ALIAS(cuCtxResetPersistingL2Cache, cudaCtxResetPersistingL2Cache),
        RIDGELINE_ALIAS(cuProfilerStart, cudaProfilerStart),
        RIDGELINE_ALIAS(cuProfilerStop, cudaProfilerStop),
        {"cuDeviceGetByPCIBusId", address(cudaDeviceGetByPCIBusId)},
        {"cuDeviceGetPCIBusId", address(cudaDeviceGetPCIBusId)},
        {"cuDeviceCanAccessPeer", address(cudaDeviceCanAccessPeer)},
        {"cuDeviceGetP2PAttribute", address(cudaDeviceGetP2PAttribute)},
        {"cuDeviceGetDefaultMemPool", address(cudaDeviceGetDefaultMemPool)},
        {"cuDeviceGetMemPool", address(cudaDeviceGetMemPool)},
        {"cuDeviceSetMemPool", address(cudaDeviceSetMemPool)},
    };
}

} // namespace ridgeline::emu
