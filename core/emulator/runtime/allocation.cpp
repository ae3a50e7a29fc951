// SPDX-License-Identifier: GPL-3.0-or-later
// cudaMalloc and its kin, host memory, and what a program can ask about a pointer.
#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/pool.h"
#include "core/emulator/runtime/stream.h"

#include <cstring>
#include <unordered_map>

namespace ridgeline::emu {

namespace {

constexpr std::size_t pitchUnit = 512;
constexpr std::size_t largest = std::size_t(1)
                                << 48; ///< beyond any device; keeps sums from overflowing

std::uintptr_t address(const void* pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer);
}

std::mutex& hostFlagsMutex()
{
    static auto* mutex = new std::mutex;
    return *mutex;
}

/// Flags of pinned and registered host memory, by base.
std::unordered_map<std::uintptr_t, unsigned>& hostFlags()
{
    static auto* flags = new std::unordered_map<std::uintptr_t, unsigned>;
    return *flags;
}

int allocate(void** result, std::size_t bytes, MemoryKind kind, const char* label)
{
    if (!result)
        return abi::InvalidValue;
    if (const int error = refuseDuringCapture())
        return error;
    *result = nullptr;
    if (bytes == 0)
        return abi::Success;
    if (bytes > largest)
        return abi::MemoryAllocation;
    *result = Device::instance().memory().allocate(bytes, kind, label);
    return *result ? abi::Success : abi::MemoryAllocation;
}

int allocateHost(void** result, std::size_t bytes, unsigned flags, const char* label)
{
    // Portable 1, mapped 2, write-combined 4.
    if (flags & ~7u)
        return abi::InvalidValue;
    const int error = allocate(result, bytes, MemoryKind::PinnedHost, label);
    if (!error && *result) {
        std::memset(*result, 0, bytes); // fresh pages of the operating system are zero
        Device::instance().memory().markInitialised(*result, bytes);
        const std::lock_guard lock(hostFlagsMutex());
        hostFlags()[address(*result)] = flags | 2;
    }
    return error;
}

int freeDevice(void* pointer)
{
    if (!pointer)
        return abi::Success;
    Memory& memory = Device::instance().memory();
    const auto found = memory.find(address(pointer));
    if (!found || found->base != address(pointer) ||
        (found->kind != MemoryKind::Device && found->kind != MemoryKind::Managed))
        return abi::InvalidValue;
    if (freeGraphMemory(pointer))
        return abi::Success;
    forgetPoolAllocation(pointer);
    return memory.release(pointer) ? abi::Success : abi::InvalidValue;
}

int allocatePitched(void** result, std::size_t* pitch, std::size_t width, std::size_t height,
                    std::size_t depth, const char* label)
{
    if (!result || !pitch)
        return abi::InvalidValue;
    if (width == 0 || height == 0 || depth == 0) {
        *result = nullptr;
        *pitch = 0;
        return abi::Success;
    }
    if (width > largest)
        return abi::MemoryAllocation;
    const std::size_t rowBytes = (width + pitchUnit - 1) / pitchUnit * pitchUnit;
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(rowBytes, height, &bytes) ||
        __builtin_mul_overflow(bytes, depth, &bytes))
        return abi::MemoryAllocation;
    *pitch = rowBytes;
    return allocate(result, bytes, MemoryKind::Device, label);
}

} // namespace

RIDGELINE_CUDA_API int cudaMalloc(void** result, std::size_t bytes)
{
    return apiCall("cudaMalloc",
                   [&] { return allocate(result, bytes, MemoryKind::Device, "cudaMalloc"); });
}

RIDGELINE_CUDA_API int cudaMallocManaged(void** result, std::size_t bytes, unsigned flags)
{
    return apiCall("cudaMallocManaged", [&]() -> int {
        if (flags != 1 && flags != 2)
            return abi::InvalidValue;
        if (bytes == 0)
            return abi::InvalidValue;
        const int error = allocate(result, bytes, MemoryKind::Managed, "cudaMallocManaged");
        // As fresh pages are zero on a real system. The host writes here without telling anybody:
        // never report it as uninitialised.
        if (!error) {
            std::memset(*result, 0, bytes);
            Device::instance().memory().markInitialised(*result, bytes);
        }
        return error;
    });
}

RIDGELINE_CUDA_API int cudaMallocPitch(void** result, std::size_t* pitch, std::size_t width,
                                       std::size_t height)
{
    return apiCall("cudaMallocPitch", [&] {
        return allocatePitched(result, pitch, width, height, 1, "cudaMallocPitch");
    });
}

RIDGELINE_CUDA_API int cudaMalloc3D(abi::PitchedPointer* result, abi::Extent extent)
{
    return apiCall("cudaMalloc3D", [&]() -> int {
        if (!result)
            return abi::InvalidValue;
        result->xsize = extent.width;
        result->ysize = extent.height;
        return allocatePitched(&result->pointer, &result->pitch, extent.width, extent.height,
                               extent.depth, "cudaMalloc3D");
    });
}

RIDGELINE_CUDA_API int cudaFree(void* pointer)
{
    // Waits for the device, as the real one does: a fault of an earlier kernel shows here.
    return apiCall("cudaFree", Waits::Yes, [&]() -> int {
        if (const int error = refuseDuringCapture())
            return error;
        return freeDevice(pointer);
    });
}

RIDGELINE_CUDA_API int cudaMallocHost(void** result, std::size_t bytes)
{
    return apiCall("cudaMallocHost",
                   [&] { return allocateHost(result, bytes, 0, "cudaMallocHost"); });
}

RIDGELINE_CUDA_API int cudaHostAlloc(void** result, std::size_t bytes, unsigned flags)
{
    return apiCall("cudaHostAlloc",
                   [&] { return allocateHost(result, bytes, flags, "cudaHostAlloc"); });
}

RIDGELINE_CUDA_API int cudaFreeHost(void* pointer)
{
    return apiCall("cudaFreeHost", Waits::Yes, [&]() -> int {
        if (!pointer)
            return abi::Success;
        const std::lock_guard lock(hostFlagsMutex());
        Memory& memory = Device::instance().memory();
        const auto found = memory.find(address(pointer));
        if (!found || found->base != address(pointer) || found->kind != MemoryKind::PinnedHost ||
            !memory.release(pointer))
            return abi::InvalidValue;
        hostFlags().erase(address(pointer));
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags)
{
    return apiCall("cudaHostRegister", [&]() -> int {
        // Portable 1, mapped 2, I/O memory 4, read-only 8.
        if (!pointer || bytes == 0 || (flags & ~15u))
            return abi::InvalidValue;
        Memory& memory = Device::instance().memory();
        if (memory.find(address(pointer)) || memory.find(address(pointer) + bytes - 1))
            return abi::HostMemoryAlreadyRegistered;
        const std::lock_guard lock(hostFlagsMutex());
        if (!memory.registerHost(pointer, bytes, "cudaHostRegister"))
            return abi::HostMemoryAlreadyRegistered;
        memory.markInitialised(pointer, bytes);
        hostFlags()[address(pointer)] = flags | 2;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaHostUnregister(void* pointer)
{
    return apiCall("cudaHostUnregister", Waits::Yes, [&]() -> int {
        if (!pointer)
            return abi::InvalidValue;
        const std::lock_guard lock(hostFlagsMutex());
        if (!Device::instance().memory().unregisterHost(pointer))
            return abi::HostMemoryNotRegistered;
        hostFlags().erase(address(pointer));
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaHostGetDevicePointer(void** result, void* pointer, unsigned flags)
{
    return apiCall("cudaHostGetDevicePointer", [&]() -> int {
        if (!result || flags != 0)
            return abi::InvalidValue;
        const auto found = Device::instance().memory().find(address(pointer));
        if (!found || found->kind != MemoryKind::PinnedHost)
            return abi::InvalidValue;
        *result = pointer;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaHostGetFlags(unsigned* result, void* pointer)
{
    return apiCall("cudaHostGetFlags", [&]() -> int {
        if (!result)
            return abi::InvalidValue;
        const auto found = Device::instance().memory().find(address(pointer));
        const std::lock_guard lock(hostFlagsMutex());
        const auto flags = found ? hostFlags().find(found->base) : hostFlags().end();
        if (flags == hostFlags().end())
            return abi::InvalidValue;
        *result = flags->second;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaMemGetInfo(std::size_t* free, std::size_t* total)
{
    return apiCall("cudaMemGetInfo", [&]() -> int {
        const Memory& memory = Device::instance().memory();
        if (free)
            *free = memory.limit() - std::min(memory.used(), memory.limit());
        if (total)
            *total = memory.limit();
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaPointerGetAttributes(abi::PointerAttributes* result, const void* pointer)
{
    return apiCall("cudaPointerGetAttributes", [&]() -> int {
        if (!result)
            return abi::InvalidValue;
        *result = {};
        void* same = const_cast<void*>(pointer);
        const auto found = Device::instance().memory().find(address(pointer));
        if (!found) {
            // Any other pointer is unregistered host memory, and that is no error.
            result->type = abi::Unregistered;
            result->device = -2;
            result->hostPointer = same;
            return abi::Success;
        }
        result->device = 0;
        result->devicePointer = same;
        if (found->kind == MemoryKind::PinnedHost) {
            result->type = abi::HostMemory;
            result->hostPointer = same;
        } else if (found->kind == MemoryKind::Managed) {
            result->type = abi::ManagedMemory;
            result->hostPointer = same;
        } else {
            result->type = abi::DeviceMemory;
        }
        return abi::Success;
    });
}

} // namespace ridgeline::emu
