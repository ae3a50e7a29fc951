// SPDX-License-Identifier: GPL-3.0-or-later
// The entry points the tests call, as a program compiled by nvcc sees them.
#pragma once

#include "core/emulator/runtime/abi.h"

extern "C" {
using namespace ridgeline::emu::abi;
using ridgeline::emu::Array;
using ridgeline::emu::Event;
using ridgeline::emu::Graph;
using ridgeline::emu::Stream;
struct GraphExecHandle;

void** __cudaRegisterFatBinary(const void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int limit, void* tid, void* bid, void* bdim, void* gdim, int* size);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int ext,
                       std::size_t size, int constant, int global);
unsigned __cudaPushCallConfiguration(Dim3Abi grid, Dim3Abi block, std::size_t shared,
                                     Stream* stream);
int __cudaPopCallConfiguration(Dim3Abi* grid, Dim3Abi* block, std::size_t* shared, Stream** stream);
int __cudaGetKernel(void** kernel, const void* host);
int __cudaLaunchKernel(void* kernel, Dim3Abi grid, Dim3Abi block, void** args, std::size_t shared,
                       Stream* stream);

int cudaGetLastError();
int cudaPeekAtLastError();
const char* cudaGetErrorName(int code);
const char* cudaGetErrorString(int code);
int cudaMalloc(void** pointer, std::size_t bytes);
int cudaMallocHost(void** pointer, std::size_t bytes);
int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags);
int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height);
int cudaMallocAsync(void** pointer, std::size_t bytes, Stream* stream);
int cudaFreeAsync(void* pointer, Stream* stream);
int cudaFree(void* pointer);
int cudaFreeHost(void* pointer);
int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
int cudaHostUnregister(void* pointer);
int cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer);
int cudaMemGetInfo(std::size_t* free, std::size_t* total);
int cudaMemcpy(void* dst, const void* src, std::size_t bytes, int kind);
int cudaMemcpyAsync(void* dst, const void* src, std::size_t bytes, int kind, Stream* stream);
int cudaMemcpy2D(void* dst, std::size_t dpitch, const void* src, std::size_t spitch,
                 std::size_t width, std::size_t height, int kind);
int cudaMemcpyToSymbol(const void* symbol, const void* src, std::size_t bytes, std::size_t offset,
                       int kind);
int cudaMemcpyFromSymbol(void* dst, const void* symbol, std::size_t bytes, std::size_t offset,
                         int kind);
int cudaMemset(void* pointer, int value, std::size_t bytes);
int cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width,
                 std::size_t height);
int cudaDeviceSynchronize();
int cudaDeviceReset();
int cudaGetDeviceCount(int* count);
int cudaSetDevice(int device);
int cudaGetDeviceProperties(DeviceProperties* properties, int device);
int cudaDeviceGetAttribute(int* value, int attribute, int device);
int cudaDeviceCanAccessPeer(int* can, int device, int peer);
int cudaDeviceEnablePeerAccess(int peer, unsigned flags);
int cudaLaunchKernel(const void* function, Dim3Abi grid, Dim3Abi block, void** args,
                     std::size_t shared, Stream* stream);
int cudaLaunchCooperativeKernel(const void* function, Dim3Abi grid, Dim3Abi block, void** args,
                                std::size_t shared, Stream* stream);
int cudaFuncSetAttribute(const void* function, int attribute, int value);
int cudaFuncGetAttributes(FuncAttributes* attributes, const void* function);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int blockSize,
                                                  std::size_t shared);
int cudaStreamCreate(Stream** stream);
int cudaStreamDestroy(Stream* stream);
int cudaStreamSynchronize(Stream* stream);
int cudaStreamQuery(Stream* stream);
int cudaStreamWaitEvent(Stream* stream, Event* event, unsigned flags);
int cudaStreamBeginCapture(Stream* stream, int mode);
int cudaStreamEndCapture(Stream* stream, Graph** graph);
int cudaLaunchHostFunc(Stream* stream, HostFunction function, void* data);
int cudaEventCreate(Event** event);
int cudaEventCreateWithFlags(Event** event, unsigned flags);
int cudaEventDestroy(Event* event);
int cudaEventRecord(Event* event, Stream* stream);
int cudaEventSynchronize(Event* event);
int cudaEventElapsedTime(float* ms, Event* start, Event* end);
int cudaIpcGetMemHandle(void* handle, void* pointer);
int cudaGraphInstantiate(GraphExecHandle** exec, Graph* graph, unsigned long long flags);
int cudaGraphLaunch(GraphExecHandle* exec, Stream* stream);
int cudaGraphExecDestroy(GraphExecHandle* exec);
int cudaGraphDestroy(Graph* graph);
void ridgeline_emu_mark(const char* label);
}
