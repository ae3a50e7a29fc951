// SPDX-License-Identifier: GPL-3.0-or-later
// The binary interface of NVIDIA's CUDA 13 runtime, declared by ourselves so that Ridgeline builds
// without a CUDA toolkit: enum values and struct layouts that compiled programs already contain.
// Names follow ours, not NVIDIA's, so that the real headers can be included beside this one:
// tests/emulator_runtime/abi_check.cpp compares every layout with them where they exist.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ridgeline::emu {
struct Array;
struct Event;
struct Graph;
struct GraphNode;
struct Stream;
} // namespace ridgeline::emu

namespace ridgeline::emu::abi {

/// cudaError_t / CUresult (the numbers are the same from CUDA 10.1 on, except the few below 100
/// that only the runtime has). Names and texts: error.cpp.
enum Error : int {
    Success = 0,
    InvalidValue = 1,
    MemoryAllocation = 2,
    InitializationError = 3,
    ProfilerAlreadyStopped = 8,
    InvalidConfiguration = 9,
    InvalidPitchValue = 12,
    InvalidSymbol = 13,
    InvalidChannelDescriptor = 20,
    InvalidMemcpyDirection = 21,
    MissingConfiguration = 52,
    InvalidDeviceFunction = 98,
    NoDevice = 100,
    InvalidDevice = 101,
    InvalidKernelImage = 200,
    DeviceUninitialized = 201,
    NoKernelImageForDevice = 209,
    UnsupportedLimit = 215,
    PeerAccessUnsupported = 217,
    InvalidPtx = 218,
    InvalidSource = 300,
    FileNotFound = 301,
    InvalidResourceHandle = 400,
    IllegalState = 401,
    SymbolNotFound = 500,
    NotReady = 600,
    IllegalAddress = 700,
    LaunchOutOfResources = 701,
    LaunchTimeout = 702,
    PeerAccessNotEnabled = 705,
    Assert = 710,
    HostMemoryAlreadyRegistered = 712,
    HostMemoryNotRegistered = 713,
    IllegalInstruction = 715,
    MisalignedAddress = 716,
    LaunchFailure = 719,
    CooperativeLaunchTooLarge = 720,
    NotPermitted = 800,
    NotSupported = 801,
    StreamCaptureUnsupported = 900,
    StreamCaptureInvalidated = 901,
    StreamCaptureMerge = 902,
    StreamCaptureUnmatched = 903,
    StreamCaptureUnjoined = 904,
    StreamCaptureIsolation = 905,
    StreamCaptureImplicit = 906,
    CapturedEvent = 907,
    StreamCaptureWrongThread = 908,
    GraphExecUpdateFailure = 910,
    InvalidClusterSize = 912,
    UnknownError = 999,
};

enum CopyKind : int {
    HostToHost = 0,
    HostToDevice = 1,
    DeviceToHost = 2,
    DeviceToDevice = 3,
    DefaultCopy = 4
};
enum MemoryType : int { Unregistered = 0, HostMemory = 1, DeviceMemory = 2, ManagedMemory = 3 };

struct Extent {
    std::size_t width, height, depth;
};
struct Position {
    std::size_t x, y, z;
};
struct PitchedPointer {
    void* pointer;
    std::size_t pitch, xsize, ysize;
};
struct ChannelDesc {
    int x, y, z, w; ///< bits per component
    int kind;       ///< 0 signed, 1 unsigned, 2 float, 3 none
};

struct Copy3D {
    Array* srcArray;
    Position srcPos;
    PitchedPointer src;
    Array* dstArray;
    Position dstPos;
    PitchedPointer dst;
    Extent extent;
    int kind;
};
struct Copy3DPeer {
    Array* srcArray;
    Position srcPos;
    PitchedPointer src;
    int srcDevice;
    Array* dstArray;
    Position dstPos;
    PitchedPointer dst;
    int dstDevice;
    Extent extent;
};
struct MemsetParams {
    void* dst;
    std::size_t pitch;
    unsigned value, elementSize;
    std::size_t width, height;
};
struct MemLocation {
    int type; ///< 0 none, 1 device, 2 host, 3 host NUMA node, 4 current host NUMA node
    int id;
};
struct PointerAttributes {
    int type; ///< MemoryType
    int device;
    void* devicePointer;
    void* hostPointer;
    long reserved[8];
};
struct MemAccessDesc {
    MemLocation location;
    int flags;
};
struct MemPoolProps {
    int allocType, handleTypes;
    MemLocation location;
    void* securityAttributes;
    std::size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};
struct CopyAttributes {
    int srcAccessOrder;
    MemLocation srcHint, dstHint;
    unsigned flags;
};

struct FuncAttributes {
    std::size_t sharedBytes, constBytes, localBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedBytes,
        preferredCarveout;
    int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicy, nonPortableClusterSizeAllowed;
    int reserved[16];
};
enum FuncAttribute : int { MaxDynamicShared = 8, PreferredCarveout = 9, NonPortableCluster = 14 };

using HostFunction = void (*)(void*);
struct HostNodeParams {
    HostFunction function;
    void* userData;
};

struct Dim3Abi {
    unsigned x, y, z;
};
union LaunchAttributeValue {
    char pad[64];
    int cooperative;
    Dim3Abi clusterDim;
    int priority;
    void* pointers[8];
};
struct LaunchAttribute {
    int id;
    int pad;
    LaunchAttributeValue value;
};
enum LaunchAttributeId : int { CooperativeAttribute = 2, ClusterDimension = 4 };
struct LaunchConfig {
    Dim3Abi grid, block;
    std::size_t dynamicShared;
    Stream* stream;
    LaunchAttribute* attributes;
    unsigned attributeCount;
};
/// cuLaunchKernelEx' configuration.
struct DriverLaunchConfig {
    unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
    Stream* stream;
    LaunchAttribute* attributes;
    unsigned attributeCount;
};

struct KernelNodeParams {
    void* function;
    Dim3Abi grid, block;
    unsigned sharedBytes;
    void** params;
    void** extra;
};
struct MemAllocNodeParams {
    MemPoolProps pool;
    const MemAccessDesc* accessDescs;
    std::size_t accessDescCount, bytes;
    void* pointer;
};
struct CopyNodeParams {
    int flags;
    int reserved[3];
    Copy3D copy;
};
struct ConditionalParams {
    unsigned long long handle;
    int type;
    unsigned size;
    Graph** bodies;
};
struct GraphNodeParams {
    int type;
    int reserved0[3];
    union {
        long long reserved1[29];
        KernelNodeParams kernel;
        CopyNodeParams copy;
        MemsetParams memset;
        HostNodeParams host;
        Graph* child;
        Event* event;
        MemAllocNodeParams alloc;
        void* freed;
        ConditionalParams conditional;
    };
    long long reserved2;
};
struct EdgeData {
    unsigned char fromPort, toPort, type;
    unsigned char reserved[5];
};
struct GraphInstantiateParams {
    unsigned long long flags;
    Stream* uploadStream;
    GraphNode* errorNode;
    int result;
};
struct GraphUpdateResult {
    int result;
    GraphNode* errorNode;
    GraphNode* errorFromNode;
};

struct LinearResource {
    void* pointer;
    ChannelDesc desc;
    std::size_t bytes;
};
struct Pitch2DResource {
    void* pointer;
    ChannelDesc desc;
    std::size_t width, height, pitch;
};
struct ResourceDesc {
    int type; ///< 0 array, 1 mipmapped array, 2 linear, 3 pitched 2-D
    union {
        Array* array;
        void* mipmap;
        LinearResource linear;
        Pitch2DResource pitch2D;
        int reserved[32];
    };
    unsigned flags;
};
struct ResourceViewDesc {
    int format;
    std::size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
    unsigned reserved[16];
};
struct TextureDesc {
    int addressMode[3]; ///< 0 wrap, 1 clamp, 2 mirror, 3 border
    int filterMode;     ///< 0 point, 1 linear
    int readMode;       ///< 0 element type, 1 normalised float
    int srgb;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

struct DeviceProperties {
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    std::size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    std::size_t totalConstMem;
    int major, minor;
    std::size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory;
    int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2],
        maxTexture2DLinear[3];
    int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap,
        maxTexture1DLayered[2];
    int maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2],
        maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap,
        maxSurfaceCubemapLayered[2];
    std::size_t surfaceAlignment;
    int concurrentKernels, eccEnabled, pciBusId, pciDeviceId, pciDomainId, tccDriver,
        asyncEngineCount;
    int unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
        maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupId,
        hostNativeAtomicSupported;
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
        canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    std::size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
        maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    std::size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRdmaSupported;
    unsigned gpuDirectRdmaFlushWritesOptions;
    int gpuDirectRdmaWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch,
        unifiedFunctionPointers;
    int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceId, gpuPciSubsystemId;
    int hostNumaMultinodeIpcSupported;
    int reserved[56];
};

/// What nvcc puts into .nvFatBinSegment and hands to __cudaRegisterFatBinary.
struct FatbinWrapper {
    std::uint32_t magic;          ///< 0x466243b1
    std::uint32_t version;        ///< 1, or 2 after device linking (-rdc=true)
    const void* data;             ///< the fat binary; empty in version 2 when only PTX was linked
    const void* const* prelinked; ///< version 2: null-terminated list of each object's fat binary
};

} // namespace ridgeline::emu::abi
