// SPDX-License-Identifier: GPL-3.0-or-later
// Runtime functions that the driver API shares. Defined in the files of their subjects.
#pragma once

#include "core/emulator/runtime/graph.h"
#include "core/emulator/runtime/pool.h"

namespace ridgeline::emu {

extern "C" {

#define RIDGELINE_BOTH(name, suffix, parameters)                                                   \
    int name parameters;                                                                           \
    int name##suffix parameters;

int cudaDriverGetVersion(int* version);
int cudaDeviceGetByPCIBusId(int* device, const char* text);
int cudaDeviceGetPCIBusId(char* text, int length, int device);
int cudaDeviceGetDefaultMemPool(Pool** pool, int device);
int cudaDeviceGetMemPool(Pool** pool, int device);
int cudaDeviceSetMemPool(int device, Pool* pool);
int cudaDeviceCanAccessPeer(int* can, int device, int peer);
int cudaDeviceGetP2PAttribute(int* value, int attribute, int from, int to);
int cudaDeviceSynchronize();
int cudaDeviceSetLimit(int limit, std::size_t value);
int cudaDeviceGetLimit(std::size_t* value, int limit);
int cudaDeviceGetCacheConfig(int* config);
int cudaDeviceSetCacheConfig(int config);
int cudaDeviceGetSharedMemConfig(int* config);
int cudaDeviceSetSharedMemConfig(int config);
int cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
int cudaCtxResetPersistingL2Cache();
int cudaDeviceGraphMemTrim(int device);
int cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value);
int cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value);
int cudaMemGetInfo(std::size_t* free, std::size_t* total);
int cudaMalloc(void** pointer, std::size_t bytes);
int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags);
int cudaFree(void* pointer);
int cudaMallocHost(void** pointer, std::size_t bytes);
int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
int cudaFreeHost(void* pointer);
int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
int cudaHostUnregister(void* pointer);
int cudaHostGetDevicePointer(void** result, void* pointer, unsigned flags);
int cudaHostGetFlags(unsigned* flags, void* pointer);
RIDGELINE_BOTH(cudaMallocAsync, _ptsz, (void** pointer, std::size_t bytes, Stream* stream))
RIDGELINE_BOTH(cudaMallocFromPoolAsync, _ptsz,
               (void** pointer, std::size_t bytes, Pool* pool, Stream* stream))
RIDGELINE_BOTH(cudaFreeAsync, _ptsz, (void* pointer, Stream* stream))
int cudaMemPoolCreate(Pool** pool, const abi::MemPoolProps* props);
int cudaMemPoolDestroy(Pool* pool);
int cudaMemPoolTrimTo(Pool* pool, std::size_t bytes);
int cudaMemPoolSetAttribute(Pool* pool, int attribute, void* value);
int cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value);
int cudaMemPoolSetAccess(Pool* pool, const abi::MemAccessDesc* descs, std::size_t count);
int cudaMemPoolGetAccess(int* flags, Pool* pool, abi::MemLocation* location);
int cudaMemGetDefaultMemPool(Pool** pool, abi::MemLocation* location, int type);
int cudaMemGetMemPool(Pool** pool, abi::MemLocation* location, int type);
int cudaMemSetMemPool(abi::MemLocation* location, int type, Pool* pool);
int cudaMemAdvise(const void* pointer, std::size_t bytes, int advice, abi::MemLocation location);
RIDGELINE_BOTH(cudaMemPrefetchAsync, _ptsz,
               (const void* pointer, std::size_t bytes, abi::MemLocation location, unsigned flags,
                Stream* stream))
int cudaMemRangeGetAttribute(void* data, std::size_t size, int id, const void* pointer,
                             std::size_t bytes);
int cudaMemRangeGetAttributes(void** data, std::size_t* sizes, int* ids, std::size_t count,
                              const void* pointer, std::size_t bytes);

int cudaStreamCreateWithFlags(Stream** stream, unsigned flags);
int cudaStreamCreateWithPriority(Stream** stream, unsigned flags, int priority);
int cudaStreamDestroy(Stream* stream);
RIDGELINE_BOTH(cudaStreamSynchronize, _ptsz, (Stream * stream))
RIDGELINE_BOTH(cudaStreamQuery, _ptsz, (Stream * stream))
RIDGELINE_BOTH(cudaStreamGetPriority, _ptsz, (Stream * stream, int* value))
RIDGELINE_BOTH(cudaStreamGetFlags, _ptsz, (Stream * stream, unsigned* value))
RIDGELINE_BOTH(cudaStreamGetId, _ptsz, (Stream * stream, unsigned long long* value))
RIDGELINE_BOTH(cudaStreamGetDevice, _ptsz, (Stream * stream, int* value))
RIDGELINE_BOTH(cudaStreamCopyAttributes, _ptsz, (Stream * to, Stream* from))
RIDGELINE_BOTH(cudaStreamGetAttribute, _ptsz,
               (Stream * stream, int id, abi::LaunchAttributeValue* value))
RIDGELINE_BOTH(cudaStreamSetAttribute, _ptsz,
               (Stream * stream, int id, const abi::LaunchAttributeValue* value))
RIDGELINE_BOTH(cudaStreamAttachMemAsync, _ptsz,
               (Stream * stream, void* pointer, std::size_t bytes, unsigned flags))
RIDGELINE_BOTH(cudaLaunchHostFunc, _ptsz, (Stream * stream, abi::HostFunction function, void* data))
RIDGELINE_BOTH(cudaStreamAddCallback, _ptsz,
               (Stream * stream, void (*callback)(Stream*, int, void*), void* data, unsigned flags))
RIDGELINE_BOTH(cudaStreamWaitEvent, _ptsz, (Stream * stream, Event* event, unsigned flags))
RIDGELINE_BOTH(cudaStreamBeginCapture, _ptsz, (Stream * stream, int mode))
RIDGELINE_BOTH(cudaStreamBeginCaptureToGraph, _ptsz,
               (Stream * stream, Graph* graph, GraphNode* const* dependencies,
                const abi::EdgeData* data, std::size_t count, int mode))
RIDGELINE_BOTH(cudaStreamEndCapture, _ptsz, (Stream * stream, Graph** graph))
RIDGELINE_BOTH(cudaStreamIsCapturing, _ptsz, (Stream * stream, int* status))
RIDGELINE_BOTH(cudaStreamGetCaptureInfo, _ptsz,
               (Stream * stream, int* status, unsigned long long* id, Graph** graph,
                GraphNode* const** dependencies, const abi::EdgeData** edges, std::size_t* count))
RIDGELINE_BOTH(cudaStreamUpdateCaptureDependencies, _ptsz,
               (Stream * stream, GraphNode** dependencies, const abi::EdgeData* data,
                std::size_t count, unsigned flags))
int cudaThreadExchangeStreamCaptureMode(int* mode);
int cudaEventCreateWithFlags(Event** event, unsigned flags);
int cudaEventDestroy(Event* event);
int cudaEventQuery(Event* event);
int cudaEventSynchronize(Event* event);
int cudaEventElapsedTime(float* milliseconds, Event* start, Event* end);
RIDGELINE_BOTH(cudaEventRecord, _ptsz, (Event * event, Stream* stream))
RIDGELINE_BOTH(cudaEventRecordWithFlags, _ptsz, (Event * event, Stream* stream, unsigned flags))

int cudaGraphCreate(Graph** graph, unsigned flags);
int cudaGraphDestroy(Graph* graph);
int cudaGraphClone(Graph** clone, Graph* graph);
int cudaGraphDestroyNode(GraphNode* node);
int cudaGraphNodeGetType(GraphNode* node, int* type);
int cudaGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count);
int cudaGraphGetRootNodes(Graph* graph, GraphNode** nodes, std::size_t* count);
int cudaGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, abi::EdgeData* data,
                      std::size_t* count);
int cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                             const abi::EdgeData* data, std::size_t count);
int cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                          std::size_t count);
int cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                         std::size_t count, const abi::HostNodeParams* params);
int cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                               std::size_t count, Graph* child);
int cudaGraphAddEventRecordNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                                std::size_t count, Event* event);
int cudaGraphAddEventWaitNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                              std::size_t count, Event* event);
int cudaGraphInstantiateWithFlags(GraphExec** exec, Graph* graph, unsigned long long flags);
int cudaGraphExecDestroy(GraphExec* exec);
int cudaGraphExecGetFlags(GraphExec* exec, unsigned long long* flags);
int cudaGraphExecUpdate(GraphExec* exec, Graph* graph, abi::GraphUpdateResult* result);
int cudaGraphNodeSetEnabled(GraphExec* exec, GraphNode* node, unsigned enabled);
int cudaGraphNodeGetEnabled(GraphExec* exec, GraphNode* node, unsigned* enabled);
int cudaGraphDebugDotPrint(Graph* graph, const char* path, unsigned flags);
RIDGELINE_BOTH(cudaGraphInstantiateWithParams, _ptsz,
               (GraphExec * *exec, Graph* graph, abi::GraphInstantiateParams* params))
RIDGELINE_BOTH(cudaGraphLaunch, _ptsz, (GraphExec * exec, Stream* stream))
RIDGELINE_BOTH(cudaGraphUpload, _ptsz, (GraphExec * exec, Stream* stream))
int cudaUserObjectCreate(UserObject** object, void* pointer, abi::HostFunction destroy,
                         unsigned references, unsigned flags);
int cudaUserObjectRetain(UserObject* object, unsigned count);
int cudaUserObjectRelease(UserObject* object, unsigned count);
int cudaGraphRetainUserObject(Graph* graph, UserObject* object, unsigned count, unsigned flags);
int cudaGraphReleaseUserObject(Graph* graph, UserObject* object, unsigned count);

int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int blockSize,
                                                  std::size_t shared);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                           int blockSize, std::size_t shared,
                                                           unsigned flags);
int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                              int blockSize);
int cudaFuncSetCacheConfig(const void* function, int config);
int cudaFuncSetSharedMemConfig(const void* function, int config);
int cudaFuncGetName(const char** name, const void* function);
int cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                         std::size_t* size);
int cudaFuncSetAttribute(const void* function, int attribute, int value);
int cudaFuncGetAttributes(abi::FuncAttributes* attributes, const void* function);

int cudaLibraryUnload(Binary* library);
int cudaLibraryGetKernel(Function** kernel, Binary* library, const char* name);
int cudaLibraryGetKernelCount(unsigned* count, Binary* library);
int cudaLibraryEnumerateKernels(Function** kernels, unsigned count, Binary* library);
int cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, Binary* library, const char* name);
int cudaLibraryGetManaged(void** pointer, std::size_t* bytes, Binary* library, const char* name);
int cudaProfilerStart();
int cudaProfilerStop();

#undef RIDGELINE_BOTH
}

} // namespace ridgeline::emu
