// SPDX-License-Identifier: GPL-3.0-or-later
// Streams, events and graphs: the runtime's, under the driver's names.
#include "core/emulator/runtime/driver.h"
#include "core/emulator/runtime/runtime_functions.h"

#include <cstring>

namespace ridgeline::emu {

namespace {

/// cuStreamWriteValue / WaitValue: `flags` of a wait are 0 >=, 1 ==, 2 and, 3 nor.
template <typename Value>
int writeValue(Stream* stream, Value* address, Value value, unsigned)
{
    return driver::call("cuStreamWriteValue", true, [&]() -> int {
        if (!Device::instance().memory().find(reinterpret_cast<std::uintptr_t>(address)) ||
            reinterpret_cast<std::uintptr_t>(address) % sizeof(Value))
            return abi::InvalidValue;
        struct Order {
            Value* address;
            Value value;
        };
        auto* order = new Order{address, value};
        const int error = submit(
            stream, DefaultStream::Legacy,
            HostWork{[](void* data) {
                         auto* job = static_cast<Order*>(data);
                         __atomic_store_n(job->address, job->value, __ATOMIC_RELEASE);
                         Device::instance().memory().markInitialised(job->address, sizeof(Value));
                         delete job;
                     },
                     order});
        if (error)
            delete order;
        return error;
    });
}

int cuStreamWriteValue32(Stream* stream, std::uint32_t* address, std::uint32_t value,
                         unsigned flags)
{
    return writeValue(stream, address, value, flags);
}

int cuStreamWriteValue64(Stream* stream, std::uint64_t* address, std::uint64_t value,
                         unsigned flags)
{
    return writeValue(stream, address, value, flags);
}

} // namespace

DriverFunctions driverStreamFunctions()
{
    using driver::address;
    return {
        {"cuStreamWriteValue32_v2", address(cuStreamWriteValue32)},
        {"cuStreamWriteValue64_v2", address(cuStreamWriteValue64)},
        RIDGELINE_ALIAS(cuStreamCreate, cudaStreamCreateWithFlags),
        RIDGELINE_ALIAS(cuStreamCreateWithPriority, cudaStreamCreateWithPriority),
        RIDGELINE_ALIAS(cuStreamDestroy, cudaStreamDestroy),
        RIDGELINE_ALIAS(cuStreamDestroy_v2, cudaStreamDestroy),
        RIDGELINE_ALIAS_PAIR(cuStreamSynchronize, cudaStreamSynchronize, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamQuery, cudaStreamQuery, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamGetPriority, cudaStreamGetPriority, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamGetFlags, cudaStreamGetFlags, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamGetId, cudaStreamGetId, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamGetDevice, cudaStreamGetDevice, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamCopyAttributes, cudaStreamCopyAttributes, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamGetAttribute, cudaStreamGetAttribute, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamSetAttribute, cudaStreamSetAttribute, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamAttachMemAsync, cudaStreamAttachMemAsync, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuLaunchHostFunc, cudaLaunchHostFunc, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamAddCallback, cudaStreamAddCallback, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamWaitEvent, cudaStreamWaitEvent, _ptsz),
        RIDGELINE_ALIAS(cuStreamBeginCapture_v2, cudaStreamBeginCapture),
        RIDGELINE_ALIAS(cuStreamBeginCapture_v2_ptsz, cudaStreamBeginCapture_ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamEndCapture, cudaStreamEndCapture, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuStreamIsCapturing, cudaStreamIsCapturing, _ptsz),
        RIDGELINE_ALIAS(cuStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo),
        RIDGELINE_ALIAS(cuStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_ptsz),
        RIDGELINE_ALIAS(cuStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies),
        RIDGELINE_ALIAS(cuStreamUpdateCaptureDependencies_v2_ptsz,
                        cudaStreamUpdateCaptureDependencies_ptsz),
        RIDGELINE_ALIAS(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode),
        RIDGELINE_ALIAS(cuEventCreate, cudaEventCreateWithFlags),
        RIDGELINE_ALIAS(cuEventDestroy, cudaEventDestroy),
        RIDGELINE_ALIAS(cuEventDestroy_v2, cudaEventDestroy),
        RIDGELINE_ALIAS(cuEventQuery, cudaEventQuery),
        RIDGELINE_ALIAS(cuEventSynchronize, cudaEventSynchronize),
        RIDGELINE_ALIAS(cuEventElapsedTime, cudaEventElapsedTime),
        RIDGELINE_ALIAS(cuEventElapsedTime_v2, cudaEventElapsedTime),
        RIDGELINE_ALIAS_PAIR(cuEventRecord, cudaEventRecord, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuEventRecordWithFlags, cudaEventRecordWithFlags, _ptsz),
        RIDGELINE_ALIAS(cuGraphCreate, cudaGraphCreate),
        RIDGELINE_ALIAS(cuGraphDestroy, cudaGraphDestroy),
        RIDGELINE_ALIAS(cuGraphClone, cudaGraphClone),
        RIDGELINE_ALIAS(cuGraphDestroyNode, cudaGraphDestroyNode),
        RIDGELINE_ALIAS(cuGraphNodeGetType, cudaGraphNodeGetType),
        RIDGELINE_ALIAS(cuGraphGetNodes, cudaGraphGetNodes),
        RIDGELINE_ALIAS(cuGraphGetRootNodes, cudaGraphGetRootNodes),
        RIDGELINE_ALIAS(cuGraphGetEdges_v2, cudaGraphGetEdges),
        RIDGELINE_ALIAS(cuGraphAddDependencies_v2, cudaGraphAddDependencies),
        RIDGELINE_ALIAS(cuGraphAddEmptyNode, cudaGraphAddEmptyNode),
        RIDGELINE_ALIAS(cuGraphAddHostNode, cudaGraphAddHostNode),
        RIDGELINE_ALIAS(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode),
        RIDGELINE_ALIAS(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode),
        RIDGELINE_ALIAS(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode),
        RIDGELINE_ALIAS(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags),
        RIDGELINE_ALIAS_PAIR(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuGraphLaunch, cudaGraphLaunch, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuGraphUpload, cudaGraphUpload, _ptsz),
        RIDGELINE_ALIAS(cuGraphExecDestroy, cudaGraphExecDestroy),
        RIDGELINE_ALIAS(cuGraphExecGetFlags, cudaGraphExecGetFlags),
        RIDGELINE_ALIAS(cuGraphExecUpdate_v2, cudaGraphExecUpdate),
        RIDGELINE_ALIAS(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled),
        RIDGELINE_ALIAS(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled),
        RIDGELINE_ALIAS(cuGraphDebugDotPrint, cudaGraphDebugDotPrint),
        RIDGELINE_ALIAS(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim),
        RIDGELINE_ALIAS(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute),
        RIDGELINE_ALIAS(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute),
        RIDGELINE_ALIAS(cuUserObjectCreate, cudaUserObjectCreate),
        RIDGELINE_ALIAS(cuUserObjectRetain, cudaUserObjectRetain),
        RIDGELINE_ALIAS(cuUserObjectRelease, cudaUserObjectRelease),
        RIDGELINE_ALIAS(cuGraphRetainUserObject, cudaGraphRetainUserObject),
        RIDGELINE_ALIAS(cuGraphReleaseUserObject, cudaGraphReleaseUserObject),
    };
}

} // namespace ridgeline::emu
