// SPDX-License-Identifier: GPL-3.0-or-later
// Our declarations of CUDA's binary interface against NVIDIA's headers. Compiled only where a
// CUDA 13 toolkit is; a difference is a compile error.
#include <cuda_runtime_api.h>

#include "core/emulator/runtime/abi.h"

namespace abi = ridgeline::emu::abi;

#define SAME_SIZE(ours, theirs) static_assert(sizeof(abi::ours) == sizeof(theirs), #ours)
#define SAME_PLACE(ours, member, theirs, name)                                                     \
    static_assert(offsetof(abi::ours, member) == offsetof(theirs, name) &&                         \
                      sizeof(abi::ours::member) == sizeof(theirs::name),                           \
                  #ours "." #member)
#define SAME_VALUE(ours, theirs) static_assert(int(abi::ours) == int(theirs), #ours)

SAME_SIZE(DeviceProperties, cudaDeviceProp);
SAME_PLACE(DeviceProperties, totalGlobalMem, cudaDeviceProp, totalGlobalMem);
SAME_PLACE(DeviceProperties, sharedMemPerBlock, cudaDeviceProp, sharedMemPerBlock);
SAME_PLACE(DeviceProperties, maxThreadsDim, cudaDeviceProp, maxThreadsDim);
SAME_PLACE(DeviceProperties, major, cudaDeviceProp, major);
SAME_PLACE(DeviceProperties, multiProcessorCount, cudaDeviceProp, multiProcessorCount);
SAME_PLACE(DeviceProperties, maxTexture2DLinear, cudaDeviceProp, maxTexture2DLinear);
SAME_PLACE(DeviceProperties, maxSurfaceCubemapLayered, cudaDeviceProp, maxSurfaceCubemapLayered);
SAME_PLACE(DeviceProperties, eccEnabled, cudaDeviceProp, ECCEnabled);
SAME_PLACE(DeviceProperties, unifiedAddressing, cudaDeviceProp, unifiedAddressing);
SAME_PLACE(DeviceProperties, l2CacheSize, cudaDeviceProp, l2CacheSize);
SAME_PLACE(DeviceProperties, maxThreadsPerMultiProcessor, cudaDeviceProp,
           maxThreadsPerMultiProcessor);
SAME_PLACE(DeviceProperties, sharedMemPerMultiprocessor, cudaDeviceProp,
           sharedMemPerMultiprocessor);
SAME_PLACE(DeviceProperties, managedMemory, cudaDeviceProp, managedMemory);
SAME_PLACE(DeviceProperties, cooperativeLaunch, cudaDeviceProp, cooperativeLaunch);
SAME_PLACE(DeviceProperties, sharedMemPerBlockOptin, cudaDeviceProp, sharedMemPerBlockOptin);
SAME_PLACE(DeviceProperties, maxBlocksPerMultiProcessor, cudaDeviceProp,
           maxBlocksPerMultiProcessor);
SAME_PLACE(DeviceProperties, reservedSharedMemPerBlock, cudaDeviceProp, reservedSharedMemPerBlock);
SAME_PLACE(DeviceProperties, memoryPoolsSupported, cudaDeviceProp, memoryPoolsSupported);
SAME_PLACE(DeviceProperties, clusterLaunch, cudaDeviceProp, clusterLaunch);
SAME_PLACE(DeviceProperties, hostNumaId, cudaDeviceProp, hostNumaId);
SAME_PLACE(DeviceProperties, hostNumaMultinodeIpcSupported, cudaDeviceProp,
           hostNumaMultinodeIpcSupported);

SAME_SIZE(FuncAttributes, cudaFuncAttributes);
SAME_PLACE(FuncAttributes, maxThreadsPerBlock, cudaFuncAttributes, maxThreadsPerBlock);
SAME_PLACE(FuncAttributes, maxDynamicSharedBytes, cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_PLACE(FuncAttributes, nonPortableClusterSizeAllowed, cudaFuncAttributes,
           nonPortableClusterSizeAllowed);
SAME_SIZE(PointerAttributes, cudaPointerAttributes);
SAME_PLACE(PointerAttributes, hostPointer, cudaPointerAttributes, hostPointer);
SAME_SIZE(Copy3D, cudaMemcpy3DParms);
SAME_PLACE(Copy3D, dstPos, cudaMemcpy3DParms, dstPos);
SAME_PLACE(Copy3D, kind, cudaMemcpy3DParms, kind);
SAME_SIZE(Copy3DPeer, cudaMemcpy3DPeerParms);
SAME_PLACE(Copy3DPeer, dstDevice, cudaMemcpy3DPeerParms, dstDevice);
SAME_SIZE(PitchedPointer, cudaPitchedPtr);
SAME_SIZE(Extent, cudaExtent);
SAME_SIZE(ChannelDesc, cudaChannelFormatDesc);
SAME_SIZE(MemsetParams, cudaMemsetParams);
SAME_SIZE(MemLocation, cudaMemLocation);
SAME_SIZE(MemAccessDesc, cudaMemAccessDesc);
SAME_SIZE(MemPoolProps, cudaMemPoolProps);
SAME_PLACE(MemPoolProps, maxSize, cudaMemPoolProps, maxSize);
SAME_SIZE(CopyAttributes, cudaMemcpyAttributes);
SAME_SIZE(Dim3Abi, dim3);
SAME_SIZE(LaunchConfig, cudaLaunchConfig_t);
SAME_PLACE(LaunchConfig, attributeCount, cudaLaunchConfig_t, numAttrs);
SAME_SIZE(LaunchAttribute, cudaLaunchAttribute);
SAME_PLACE(LaunchAttribute, value, cudaLaunchAttribute, val);
SAME_SIZE(KernelNodeParams, cudaKernelNodeParams);
SAME_PLACE(KernelNodeParams, params, cudaKernelNodeParams, kernelParams);
SAME_SIZE(HostNodeParams, cudaHostNodeParams);
SAME_SIZE(MemAllocNodeParams, cudaMemAllocNodeParams);
SAME_SIZE(GraphNodeParams, cudaGraphNodeParams);
SAME_PLACE(GraphNodeParams, copy, cudaGraphNodeParams, memcpy);
SAME_SIZE(EdgeData, cudaGraphEdgeData);
SAME_SIZE(GraphInstantiateParams, cudaGraphInstantiateParams);
SAME_SIZE(GraphUpdateResult, cudaGraphExecUpdateResultInfo);
SAME_SIZE(ResourceDesc, cudaResourceDesc);
SAME_PLACE(ResourceDesc, flags, cudaResourceDesc, flags);
SAME_SIZE(ResourceViewDesc, cudaResourceViewDesc);
SAME_SIZE(TextureDesc, cudaTextureDesc);
SAME_PLACE(TextureDesc, seamlessCubemap, cudaTextureDesc, seamlessCubemap);

SAME_VALUE(InvalidConfiguration, cudaErrorInvalidConfiguration);
SAME_VALUE(InvalidPitchValue, cudaErrorInvalidPitchValue);
SAME_VALUE(InvalidSymbol, cudaErrorInvalidSymbol);
SAME_VALUE(InvalidMemcpyDirection, cudaErrorInvalidMemcpyDirection);
SAME_VALUE(MissingConfiguration, cudaErrorMissingConfiguration);
SAME_VALUE(InvalidDeviceFunction, cudaErrorInvalidDeviceFunction);
SAME_VALUE(NoKernelImageForDevice, cudaErrorNoKernelImageForDevice);
SAME_VALUE(InvalidPtx, cudaErrorInvalidPtx);
SAME_VALUE(InvalidResourceHandle, cudaErrorInvalidResourceHandle);
SAME_VALUE(IllegalState, cudaErrorIllegalState);
SAME_VALUE(IllegalAddress, cudaErrorIllegalAddress);
SAME_VALUE(LaunchOutOfResources, cudaErrorLaunchOutOfResources);
SAME_VALUE(HostMemoryAlreadyRegistered, cudaErrorHostMemoryAlreadyRegistered);
SAME_VALUE(HostMemoryNotRegistered, cudaErrorHostMemoryNotRegistered);
SAME_VALUE(CooperativeLaunchTooLarge, cudaErrorCooperativeLaunchTooLarge);
SAME_VALUE(StreamCaptureImplicit, cudaErrorStreamCaptureImplicit);
SAME_VALUE(StreamCaptureWrongThread, cudaErrorStreamCaptureWrongThread);
SAME_VALUE(GraphExecUpdateFailure, cudaErrorGraphExecUpdateFailure);
SAME_VALUE(InvalidClusterSize, cudaErrorInvalidClusterSize);
SAME_VALUE(MaxDynamicShared, cudaFuncAttributeMaxDynamicSharedMemorySize);
SAME_VALUE(NonPortableCluster, cudaFuncAttributeNonPortableClusterSizeAllowed);
SAME_VALUE(CooperativeAttribute, cudaLaunchAttributeCooperative);
SAME_VALUE(ClusterDimension, cudaLaunchAttributeClusterDimension);
