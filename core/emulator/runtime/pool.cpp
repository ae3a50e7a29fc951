// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/pool.h"

#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/pairs.h"
#include "core/emulator/runtime/stream.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace ridgeline::emu {

struct Pool {
    std::uint64_t reuse[3] = {1, 1, 1};
    std::uint64_t releaseThreshold = 0;
    std::uint64_t used = 0, usedHigh = 0;
    std::size_t maxSize = 0; ///< 0 = no limit of its own
};

namespace {

struct Pools {
    std::mutex mutex;
    Pool standard;
    Pool* current = &standard;
    std::set<Pool*> all{&standard};
    std::unordered_map<void*, std::pair<Pool*, std::size_t>> owners;
    std::unordered_map<void*, GraphMemory*> graphMemory;
};

Pools& pools()
{
    static auto* made = new Pools;
    return *made;
}

enum Attribute {
    ReuseFirst = 1,
    ReuseLast = 3,
    ReleaseThreshold,
    ReservedCurrent,
    ReservedHigh,
    UsedCurrent,
    UsedHigh
};

template <typename Body>
int withPool(const char* name, Pool* pool, Body body)
{
    return apiCall(name, [&]() -> int {
        Pools& all = pools();
        const std::lock_guard lock(all.mutex);
        return all.all.count(pool) ? body(*pool) : int(abi::InvalidValue);
    });
}

int getCurrent(const char* name, Pool** result, bool standard)
{
    return apiCall(name, [&]() -> int {
        if (!result)
            return abi::InvalidValue;
        const std::lock_guard lock(pools().mutex);
        *result = standard ? &pools().standard : pools().current;
        return abi::Success;
    });
}

int setCurrent(const char* name, Pool* pool)
{
    return withPool(name, pool, [](Pool& chosen) -> int {
        pools().current = &chosen;
        return abi::Success;
    });
}

int allocateInStream(void** result, std::size_t bytes, Pool* pool, Stream* handle,
                     DefaultStream which)
{
    Stream* stream = findStream(handle, which);
    if (!stream)
        return abi::InvalidResourceHandle;
    if (!result || bytes == 0)
        return abi::InvalidValue;
    if (stream->capture) {
        AllocWork work;
        work.memory = makeGraphMemory(bytes);
        if (!work.memory)
            return abi::MemoryAllocation;
        work.params.bytes = bytes;
        work.params.pointer = *result = work.memory->pointer;
        return submit(handle, which, work);
    }
    return poolAllocate(result, bytes, pool);
}

int freeInStream(void* pointer, Stream* handle, DefaultStream which)
{
    if (!pointer)
        return abi::InvalidValue;
    Stream* stream = findStream(handle, which);
    if (!stream)
        return abi::InvalidResourceHandle;
    if (stream->capture)
        return submit(handle, which, FreeWork{pointer});
    return poolFree(pointer);
}

bool isDeviceLocation(const abi::MemLocation* location)
{
    return location && location->type == 1 && location->id == 0;
}

} // namespace

int poolAllocate(void** result, std::size_t bytes, Pool* pool)
{
    Pools& all = pools();
    const std::lock_guard lock(all.mutex);
    if (!pool)
        pool = all.current;
    if (!all.all.count(pool))
        return abi::InvalidValue;
    if (pool->maxSize && bytes > pool->maxSize - std::min<std::size_t>(pool->used, pool->maxSize))
        return abi::MemoryAllocation;
    *result = Device::instance().memory().allocate(bytes, MemoryKind::Device, "cudaMallocAsync");
    if (!*result)
        return abi::MemoryAllocation;
    all.owners[*result] = {pool, bytes};
    pool->used += bytes;
    pool->usedHigh = std::max(pool->usedHigh, pool->used);
    return abi::Success;
}

void forgetPoolAllocation(void* pointer)
{
    Pools& all = pools();
    const std::lock_guard lock(all.mutex);
    const auto found = all.owners.find(pointer);
    if (found == all.owners.end())
        return;
    found->second.first->used -= found->second.second;
    all.owners.erase(found);
}

GraphMemory::~GraphMemory()
{
    Pools& all = pools();
    const std::lock_guard lock(all.mutex);
    all.graphMemory.erase(pointer);
    // What the program still uses is an ordinary allocation from now on.
    if (!live)
        Device::instance().memory().release(pointer);
}

std::shared_ptr<GraphMemory> makeGraphMemory(std::size_t bytes)
{
    void* pointer =
        Device::instance().memory().allocate(bytes, MemoryKind::Device, "graph allocation");
    if (!pointer)
        return nullptr;
    auto memory = std::make_shared<GraphMemory>();
    memory->pointer = pointer;
    memory->bytes = bytes;
    Pools& all = pools();
    const std::lock_guard lock(all.mutex);
    all.graphMemory[pointer] = memory.get();
    return memory;
}

bool freeGraphMemory(void* pointer)
{
    Pools& all = pools();
    const std::lock_guard lock(all.mutex);
    const auto found = all.graphMemory.find(pointer);
    if (found == all.graphMemory.end())
        return false;
    found->second->live = false;
    return true;
}

void graphMemoryUse(std::size_t& used, std::size_t& reserved)
{
    Pools& all = pools();
    const std::lock_guard lock(all.mutex);
    used = reserved = 0;
    for (const auto& [pointer, memory] : all.graphMemory) {
        reserved += memory->bytes;
        used += memory->live ? memory->bytes : 0;
    }
}

int poolFree(void* pointer)
{
    if (freeGraphMemory(pointer))
        return abi::Success;
    Memory& memory = Device::instance().memory();
    const auto found = memory.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (!found || found->base != reinterpret_cast<std::uintptr_t>(pointer) ||
        found->kind != MemoryKind::Device)
        return abi::InvalidValue;
    forgetPoolAllocation(pointer);
    return memory.release(pointer) ? abi::Success : abi::InvalidValue;
}

RIDGELINE_ASYNC_PAIR(cudaMallocAsync, (void** result, std::size_t bytes, Stream* stream),
                     allocateInStream(result, bytes, nullptr, stream, which))
RIDGELINE_ASYNC_PAIR(cudaMallocFromPoolAsync,
                     (void** result, std::size_t bytes, Pool* pool, Stream* stream),
                     pool ? allocateInStream(result, bytes, pool, stream, which)
                          : int(abi::InvalidValue))
RIDGELINE_ASYNC_PAIR(cudaFreeAsync, (void* pointer, Stream* stream),
                     freeInStream(pointer, stream, which))

RIDGELINE_CUDA_API int cudaDeviceGetDefaultMemPool(Pool** result, int device)
{
    if (device != 0)
        return finishCall("cudaDeviceGetDefaultMemPool", abi::InvalidDevice);
    return getCurrent("cudaDeviceGetDefaultMemPool", result, true);
}

RIDGELINE_CUDA_API int cudaDeviceGetMemPool(Pool** result, int device)
{
    if (device != 0)
        return finishCall("cudaDeviceGetMemPool", abi::InvalidDevice);
    return getCurrent("cudaDeviceGetMemPool", result, false);
}

RIDGELINE_CUDA_API int cudaDeviceSetMemPool(int device, Pool* pool)
{
    if (device != 0)
        return finishCall("cudaDeviceSetMemPool", abi::InvalidDevice);
    return setCurrent("cudaDeviceSetMemPool", pool);
}

RIDGELINE_CUDA_API int cudaMemGetDefaultMemPool(Pool** result, abi::MemLocation* location, int type)
{
    if (!isDeviceLocation(location) || type != 1)
        return finishCall("cudaMemGetDefaultMemPool", abi::InvalidValue);
    return getCurrent("cudaMemGetDefaultMemPool", result, true);
}

RIDGELINE_CUDA_API int cudaMemGetMemPool(Pool** result, abi::MemLocation* location, int type)
{
    if (!isDeviceLocation(location) || type != 1)
        return finishCall("cudaMemGetMemPool", abi::InvalidValue);
    return getCurrent("cudaMemGetMemPool", result, false);
}

RIDGELINE_CUDA_API int cudaMemSetMemPool(abi::MemLocation* location, int type, Pool* pool)
{
    if (!isDeviceLocation(location) || type != 1)
        return finishCall("cudaMemSetMemPool", abi::InvalidValue);
    return setCurrent("cudaMemSetMemPool", pool);
}

RIDGELINE_CUDA_API int cudaMemPoolCreate(Pool** result, const abi::MemPoolProps* props)
{
    return apiCall("cudaMemPoolCreate", [&]() -> int {
        if (!result || !props || props->allocType != 1)
            return abi::InvalidValue;
        // Handles to share with other processes do not exist here; host pools neither.
        if (props->handleTypes != 0 || props->location.type != 1)
            return abi::NotSupported;
        if (props->location.id != 0)
            return abi::InvalidDevice;
        auto* pool = new Pool;
        pool->maxSize = props->maxSize;
        const std::lock_guard lock(pools().mutex);
        pools().all.insert(pool);
        *result = pool;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaMemPoolDestroy(Pool* pool)
{
    return apiCall("cudaMemPoolDestroy", [&]() -> int {
        Pools& all = pools();
        const std::lock_guard lock(all.mutex);
        if (pool == &all.standard || !all.all.erase(pool))
            return abi::InvalidValue;
        if (all.current == pool)
            all.current = &all.standard;
        // Its allocations live on until they are freed; only their account moves.
        for (auto& [pointer, owner] : all.owners) {
            if (owner.first == pool) {
                owner.first = &all.standard;
                all.standard.used += owner.second;
            }
        }
        delete pool;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaMemPoolTrimTo(Pool* pool, std::size_t)
{
    // Nothing is kept back after a free, so there is nothing to trim.
    return withPool("cudaMemPoolTrimTo", pool, [](Pool&) -> int { return abi::Success; });
}

RIDGELINE_CUDA_API int cudaMemPoolSetAttribute(Pool* pool, int attribute, void* value)
{
    return withPool("cudaMemPoolSetAttribute", pool, [&](Pool& chosen) -> int {
        if (!value)
            return abi::InvalidValue;
        if (attribute >= ReuseFirst && attribute <= ReuseLast)
            chosen.reuse[attribute - 1] = std::uint64_t(*static_cast<int*>(value));
        else if (attribute == ReleaseThreshold)
            chosen.releaseThreshold = *static_cast<std::uint64_t*>(value);
        else if ((attribute == UsedHigh || attribute == ReservedHigh) &&
                 *static_cast<std::uint64_t*>(value) == 0)
            chosen.usedHigh = chosen.used;
        else
            return abi::InvalidValue;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value)
{
    return withPool("cudaMemPoolGetAttribute", pool, [&](Pool& chosen) -> int {
        if (!value)
            return abi::InvalidValue;
        auto* wide = static_cast<std::uint64_t*>(value);
        if (attribute >= ReuseFirst && attribute <= ReuseLast)
            *static_cast<int*>(value) = int(chosen.reuse[attribute - 1]);
        else if (attribute == ReleaseThreshold)
            *wide = chosen.releaseThreshold;
        else if (attribute == ReservedCurrent || attribute == UsedCurrent)
            *wide = chosen.used;
        else if (attribute == ReservedHigh || attribute == UsedHigh)
            *wide = chosen.usedHigh;
        else
            return abi::InvalidValue;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaMemPoolSetAccess(Pool* pool, const abi::MemAccessDesc* descs,
                                            std::size_t count)
{
    return withPool("cudaMemPoolSetAccess", pool, [&](Pool&) -> int {
        for (std::size_t i = 0; i < count; ++i) {
            if (!descs || !isDeviceLocation(&descs[i].location))
                return abi::InvalidDevice;
        }
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaMemPoolGetAccess(int* flags, Pool* pool, abi::MemLocation* location)
{
    return withPool("cudaMemPoolGetAccess", pool, [&](Pool&) -> int {
        if (!flags || !isDeviceLocation(location))
            return abi::InvalidValue;
        *flags = 3; // read and write
        return abi::Success;
    });
}

} // namespace ridgeline::emu
