// SPDX-License-Identifier: GPL-3.0-or-later
// Between graph work and the parameter structures of the API.
#pragma once

#include "core/emulator/runtime/graph.h"

namespace ridgeline::emu {

int workFromKernel(const abi::KernelNodeParams* params, Work& work);
int workFromCopy(const abi::Copy3D* params, Work& work);
int workFromLinearCopy(void* dst, const void* src, std::size_t bytes, int kind, Work& work);
int workFromSymbolCopy(const void* symbol, void* other, std::size_t bytes, std::size_t offset,
                       int kind, bool toSymbol, Work& work);
int workFromMemset(const abi::MemsetParams* params, Work& work);
int workFromHost(const abi::HostNodeParams* params, Work& work);
int workFromChild(Graph* graph, Work& work);
int workFromEvent(Event* event, bool record, Work& work);
/// Also tells the program the address, in params.
int workFromAlloc(abi::MemAllocNodeParams* params, Work& work);
int workFromFree(void* pointer, Work& work);
/// By params->type.
int workFromAny(abi::GraphNodeParams* params, Work& work);

void kernelParams(const KernelWork& work, abi::KernelNodeParams& params);

} // namespace ridgeline::emu
