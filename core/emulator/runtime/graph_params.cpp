// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/graph_params.h"

#include "core/emulator/runtime/launch.h"
#include "core/emulator/runtime/pool.h"
#include "core/emulator/runtime/symbols.h"

namespace ridgeline::emu {

namespace {

/// CU_LAUNCH_PARAM_… keys of the `extra` array.
constexpr std::uintptr_t keyEnd = 0, keyPointer = 1, keySize = 2;

bool packed(void** extra, const void*& buffer, std::size_t& bytes)
{
    for (int i = 0; i < 16; i += 2) {
        const auto key = reinterpret_cast<std::uintptr_t>(extra[i]);
        if (key == keyEnd)
            return buffer != nullptr;
        if (key == keyPointer)
            buffer = extra[i + 1];
        else if (key == keySize)
            bytes = *static_cast<std::size_t*>(extra[i + 1]);
        else
            return false;
    }
    return false;
}

} // namespace

int workFromKernel(const abi::KernelNodeParams* params, Work& work)
{
    if (!params || !params->function)
        return abi::InvalidValue;
    const Dim3 grid{params->grid.x, params->grid.y, params->grid.z};
    const Dim3 block{params->block.x, params->block.y, params->block.z};
    KernelWork kernel;
    const void* buffer = nullptr;
    std::size_t bytes = 0;
    if (params->extra && packed(params->extra, buffer, bytes)) {
        kernel.function = Device::instance().findFunction(params->function);
        if (!kernel.function)
            return abi::InvalidDeviceFunction;
        if (const int error = kernel.function->binary->resolve(*kernel.function))
            return error;
        kernel.grid = grid;
        kernel.block = block;
        kernel.dynamicShared = params->sharedBytes;
        if (const int error = validateLaunch(*kernel.function, kernel))
            return error;
        if (!copyPackedArguments(*kernel.function->info, buffer, bytes, kernel))
            return abi::InvalidValue;
    } else if (const int error = makeKernelWork(params->function, grid, block, params->sharedBytes,
                                                params->params, kernel)) {
        return error;
    }
    work = std::move(kernel);
    return abi::Success;
}

int workFromCopy(const abi::Copy3D* params, Work& work)
{
    if (!params)
        return abi::InvalidValue;
    if (const int error = validateCopy(*params))
        return error;
    work = CopyWork{*params};
    return abi::Success;
}

int workFromLinearCopy(void* dst, const void* src, std::size_t bytes, int kind, Work& work)
{
    const abi::Copy3D copy = linearCopy(dst, src, bytes, kind);
    return workFromCopy(&copy, work);
}

int workFromSymbolCopy(const void* symbol, void* other, std::size_t bytes, std::size_t offset,
                       int kind, bool toSymbol, Work& work)
{
    char* address = nullptr;
    std::size_t size = 0;
    if (const int error = symbolPlace(symbol, address, size))
        return error;
    if (offset > size || bytes > size - offset)
        return abi::InvalidValue;
    return toSymbol ? workFromLinearCopy(address + offset, other, bytes, kind, work)
                    : workFromLinearCopy(other, address + offset, bytes, kind, work);
}

int workFromMemset(const abi::MemsetParams* params, Work& work)
{
    if (!params)
        return abi::InvalidValue;
    MemsetWork fill;
    fill.params = *params;
    if (const int error = validateMemset(fill))
        return error;
    work = fill;
    return abi::Success;
}

int workFromHost(const abi::HostNodeParams* params, Work& work)
{
    if (!params || !params->function)
        return abi::InvalidValue;
    work = HostWork{params->function, params->userData};
    return abi::Success;
}

int workFromChild(Graph* graph, Work& work)
{
    if (!isGraph(graph))
        return abi::InvalidValue;
    work = ChildWork{cloneBody(*graph->body, nullptr)};
    return abi::Success;
}

int workFromEvent(Event* event, bool record, Work& work)
{
    if (!isEvent(event))
        return abi::InvalidValue;
    if (record)
        work = EventRecordWork{event};
    else
        work = EventWaitWork{event};
    return abi::Success;
}

int workFromAlloc(abi::MemAllocNodeParams* params, Work& work)
{
    if (!params || params->bytes == 0 || params->pool.allocType != 1 ||
        params->pool.location.type != 1)
        return abi::InvalidValue;
    AllocWork alloc;
    alloc.memory = makeGraphMemory(params->bytes);
    if (!alloc.memory)
        return abi::MemoryAllocation;
    params->pointer = alloc.memory->pointer;
    alloc.params = *params;
    // The program's array need not outlive the call.
    alloc.params.accessDescs = nullptr;
    alloc.params.accessDescCount = 0;
    work = alloc;
    return abi::Success;
}

int workFromFree(void* pointer, Work& work)
{
    if (!pointer || !Device::instance().memory().find(reinterpret_cast<std::uintptr_t>(pointer)))
        return abi::InvalidValue;
    work = FreeWork{pointer};
    return abi::Success;
}

int workFromAny(abi::GraphNodeParams* params, Work& work)
{
    if (!params)
        return abi::InvalidValue;
    switch (params->type) {
    case 0:
        return workFromKernel(&params->kernel, work);
    case 1:
        return workFromCopy(&params->copy.copy, work);
    case 2:
        return workFromMemset(&params->memset, work);
    case 3:
        return workFromHost(&params->host, work);
    case 4:
        return workFromChild(params->child, work);
    case 5:
        work = EmptyWork{};
        return abi::Success;
    case 6:
        return workFromEvent(params->event, false, work);
    case 7:
        return workFromEvent(params->event, true, work);
    case 10:
        return workFromAlloc(&params->alloc, work);
    case 11:
        return workFromFree(params->freed, work);
    default:
        return abi::NotSupported;
    }
}

void kernelParams(const KernelWork& work, abi::KernelNodeParams& params)
{
    const void* handle = work.function->hostSymbol ? work.function->hostSymbol : work.function;
    params.function = const_cast<void*>(handle);
    params.grid = {work.grid.x, work.grid.y, work.grid.z};
    params.block = {work.block.x, work.block.y, work.block.z};
    params.sharedBytes = work.dynamicShared;
    params.params = const_cast<void**>(work.paramPointers.data());
    params.extra = nullptr;
}

} // namespace ridgeline::emu
