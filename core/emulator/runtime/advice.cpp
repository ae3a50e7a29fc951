// SPDX-License-Identifier: GPL-3.0-or-later
// Managed memory's hints. There is one memory, so they are checked and remembered, and move
// nothing.
#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/pairs.h"
#include "core/emulator/runtime/stream.h"

namespace ridgeline::emu {

namespace {

constexpr int cpuDevice = -1, noDevice = -2;

struct Advice {
    bool readMostly = false, accessedByDevice = false, accessedByHost = false;
    int preferred = noDevice, lastPrefetch = noDevice;
};

std::mutex& adviceMutex()
{
    static auto* mutex = new std::mutex;
    return *mutex;
}

/// By allocation serial, so that a new allocation at an old address starts without.
Advice& adviceOf(const Allocation& allocation)
{
    static auto* all = new std::unordered_map<std::uint64_t, Advice>;
    return (*all)[allocation.serial];
}

std::unique_ptr<Allocation> managedRange(const void* pointer, std::size_t bytes)
{
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto found = Device::instance().memory().find(address);
    if (!found || bytes == 0 || bytes > found->size - (address - found->base) ||
        found->kind != MemoryKind::Managed)
        return nullptr;
    return found;
}

/// -1 for the host, 0 for the device, nothing for a place that is not here.
bool device(const abi::MemLocation& location, int& number)
{
    if (location.type == 1 && location.id == 0)
        number = 0;
    else if (location.type >= 2 && location.type <= 4)
        number = cpuDevice;
    else
        return false;
    return true;
}

int prefetch(const void* pointer, std::size_t bytes, abi::MemLocation location, unsigned flags,
             Stream* stream, DefaultStream which)
{
    int where = noDevice;
    if (!findStream(stream, which))
        return abi::InvalidResourceHandle;
    if (!device(location, where))
        return abi::InvalidDevice;
    const auto found = managedRange(pointer, bytes);
    if (!found || flags != 0)
        return abi::InvalidValue;
    const std::lock_guard lock(adviceMutex());
    adviceOf(*found).lastPrefetch = where;
    return abi::Success;
}

int prefetchBatch(void** pointers, const std::size_t* sizes, std::size_t count,
                  const abi::MemLocation* locations, const std::size_t* indices,
                  std::size_t locationCount, Stream* stream, DefaultStream which)
{
    if (!pointers || !sizes || count == 0 || !locations || !indices || locationCount == 0)
        return abi::InvalidValue;
    std::size_t place = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (place + 1 < locationCount && indices[place + 1] == i)
            ++place;
        if (const int error = prefetch(pointers[i], sizes[i], locations[place], 0, stream, which))
            return error;
    }
    return abi::Success;
}

int discardBatch(void** pointers, const std::size_t* sizes, std::size_t count, Stream* stream,
                 DefaultStream which)
{
    if (!findStream(stream, which))
        return abi::InvalidResourceHandle;
    if (!pointers || !sizes || count == 0)
        return abi::InvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
        if (!managedRange(pointers[i], sizes[i]))
            return abi::InvalidValue;
    }
    return abi::Success;
}

int attribute(void* data, std::size_t size, int id, const void* pointer, std::size_t bytes)
{
    const auto found = managedRange(pointer, bytes);
    if (!found || !data || size < sizeof(int))
        return abi::InvalidValue;
    const std::lock_guard lock(adviceMutex());
    const Advice& advice = adviceOf(*found);
    auto* out = static_cast<int*>(data);
    const auto type = [](int number) {
        return number == noDevice ? 0 : number == cpuDevice ? 2 : 1;
    };
    switch (id) {
    case 1:
        *out = advice.readMostly;
        break;
    case 2:
        *out = advice.preferred;
        break;
    case 3: {
        std::size_t used = 0;
        if (advice.accessedByDevice)
            out[used++] = 0;
        if (advice.accessedByHost && used < size / sizeof(int))
            out[used++] = cpuDevice;
        for (; used < size / sizeof(int); ++used)
            out[used] = noDevice;
        break;
    }
    case 4:
        *out = advice.lastPrefetch;
        break;
    case 5:
        *out = type(advice.preferred);
        break;
    case 6:
        *out = 0;
        break;
    case 7:
        *out = type(advice.lastPrefetch);
        break;
    case 8:
        *out = 0;
        break;
    default:
        return abi::InvalidValue;
    }
    return abi::Success;
}

} // namespace

RIDGELINE_ASYNC_PAIR(cudaMemPrefetchAsync,
                     (const void* pointer, std::size_t bytes, abi::MemLocation location,
                      unsigned flags, Stream* stream),
                     prefetch(pointer, bytes, location, flags, stream, which))
RIDGELINE_ASYNC_PAIR(cudaMemPrefetchBatchAsync,
                     (void** pointers, std::size_t* sizes, std::size_t count,
                      abi::MemLocation* locations, std::size_t* indices, std::size_t locationCount,
                      unsigned long long, Stream* stream),
                     prefetchBatch(pointers, sizes, count, locations, indices, locationCount,
                                   stream, which))
RIDGELINE_ASYNC_PAIR(cudaMemDiscardBatchAsync,
                     (void** pointers, std::size_t* sizes, std::size_t count, unsigned long long,
                      Stream* stream),
                     discardBatch(pointers, sizes, count, stream, which))
RIDGELINE_ASYNC_PAIR(cudaMemDiscardAndPrefetchBatchAsync,
                     (void** pointers, std::size_t* sizes, std::size_t count,
                      abi::MemLocation* locations, std::size_t* indices, std::size_t locationCount,
                      unsigned long long, Stream* stream),
                     prefetchBatch(pointers, sizes, count, locations, indices, locationCount,
                                   stream, which))

RIDGELINE_CUDA_API int cudaMemAdvise(const void* pointer, std::size_t bytes, int advice,
                                     abi::MemLocation location)
{
    return apiCall("cudaMemAdvise", [&]() -> int {
        int where = noDevice;
        const bool needsPlace = advice >= 3;
        if (advice < 1 || advice > 6)
            return abi::InvalidValue;
        if (needsPlace && !device(location, where))
            return abi::InvalidDevice;
        const auto found = managedRange(pointer, bytes);
        if (!found)
            return abi::InvalidValue;
        const std::lock_guard lock(adviceMutex());
        Advice& known = adviceOf(*found);
        if (advice <= 2)
            known.readMostly = advice == 1;
        else if (advice <= 4)
            known.preferred = advice == 3 ? where : noDevice;
        else
            (where == 0 ? known.accessedByDevice : known.accessedByHost) = advice == 5;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaMemRangeGetAttribute(void* data, std::size_t size, int id,
                                                const void* pointer, std::size_t bytes)
{
    return apiCall("cudaMemRangeGetAttribute",
                   [&] { return attribute(data, size, id, pointer, bytes); });
}

RIDGELINE_CUDA_API int cudaMemRangeGetAttributes(void** data, std::size_t* sizes, int* ids,
                                                 std::size_t count, const void* pointer,
                                                 std::size_t bytes)
{
    return apiCall("cudaMemRangeGetAttributes", [&]() -> int {
        if (!data || !sizes || !ids || count == 0)
            return abi::InvalidValue;
        for (std::size_t i = 0; i < count; ++i) {
            if (const int error = attribute(data[i], sizes[i], ids[i], pointer, bytes))
                return error;
        }
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaDeviceGetP2PAttribute(int* value, int, int from, int to)
{
    return apiCall("cudaDeviceGetP2PAttribute", [&]() -> int {
        if (!value)
            return abi::InvalidValue;
        *value = 0;
        return from == to || from != 0 || to != 0 ? abi::InvalidDevice : abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaDeviceFlushGPUDirectRDMAWrites(int, int)
{
    return apiCall("cudaDeviceFlushGPUDirectRDMAWrites", []() -> int { return abi::NotSupported; });
}

} // namespace ridgeline::emu
