// SPDX-License-Identifier: GPL-3.0-or-later
// What a program can ask about the device.
#include "core/emulator/runtime/properties.h"

#include "core/emulator/runtime/api.h"

#include <cstdio>
#include <cstring>

namespace ridgeline::emu {

namespace {

constexpr int cudaVersion = 13000;

} // namespace

void fillProperties(abi::DeviceProperties& p)
{
    const DeviceModel& model = Device::instance().model();
    std::memset(&p, 0, sizeof p);
    // The real name, marked: programs print it, and nobody must take the output for a real run.
    std::snprintf(p.name, sizeof p.name, "%s (emulated)", model.name);
    std::memcpy(p.uuid, "ridgeline-emu-00", 16);
    p.totalGlobalMem = Device::instance().memory().limit();
    p.sharedMemPerBlock = std::size_t(sharedPerBlockDefault);
    p.regsPerBlock = p.regsPerMultiprocessor = registersPerSm;
    p.warpSize = 32;
    p.memPitch = 2147483647;
    p.maxThreadsPerBlock = maxThreadsPerBlock;
    const int threadsDim[] = {1024, 1024, 64}, gridSize[] = {2147483647, 65535, 65535};
    std::memcpy(p.maxThreadsDim, threadsDim, sizeof threadsDim);
    std::memcpy(p.maxGridSize, gridSize, sizeof gridSize);
    p.totalConstMem = 65536;
    p.major = model.major;
    p.minor = model.minor;
    p.textureAlignment = 512;
    p.texturePitchAlignment = 32;
    p.multiProcessorCount = model.multiprocessors;
    p.canMapHostMemory = 1;
    p.maxTexture1D = 131072;
    p.maxTexture1DMipmap = 32768;
    const int texture2D[] = {131072, 65536}, mipmap2D[] = {32768, 32768},
              linear2D[] = {131072, 65000, 2097120};
    std::memcpy(p.maxTexture2D, texture2D, sizeof texture2D);
    std::memcpy(p.maxTexture2DMipmap, mipmap2D, sizeof mipmap2D);
    std::memcpy(p.maxTexture2DLinear, linear2D, sizeof linear2D);
    std::memcpy(p.maxTexture2DGather, mipmap2D, sizeof mipmap2D);
    const int texture3D[] = {16384, 16384, 16384}, texture3DAlt[] = {8192, 8192, 32768};
    std::memcpy(p.maxTexture3D, texture3D, sizeof texture3D);
    std::memcpy(p.maxTexture3DAlt, texture3DAlt, sizeof texture3DAlt);
    p.maxTextureCubemap = p.maxSurfaceCubemap = 32768;
    const int layered1D[] = {32768, 2048}, layered2D[] = {32768, 32768, 2048},
              cubemapLayered[] = {32768, 2046};
    std::memcpy(p.maxTexture1DLayered, layered1D, sizeof layered1D);
    std::memcpy(p.maxTexture2DLayered, layered2D, sizeof layered2D);
    std::memcpy(p.maxTextureCubemapLayered, cubemapLayered, sizeof cubemapLayered);
    p.maxSurface1D = 32768;
    std::memcpy(p.maxSurface2D, texture2D, sizeof texture2D);
    std::memcpy(p.maxSurface3D, texture3D, sizeof texture3D);
    std::memcpy(p.maxSurface1DLayered, layered1D, sizeof layered1D);
    std::memcpy(p.maxSurface2DLayered, layered2D, sizeof layered2D);
    std::memcpy(p.maxSurfaceCubemapLayered, cubemapLayered, sizeof cubemapLayered);
    p.surfaceAlignment = 512;
    p.concurrentKernels = 1;
    p.eccEnabled = model.ecc;
    p.pciBusId = 1;
    p.asyncEngineCount = model.copyEngines;
    p.unifiedAddressing = 1;
    p.memoryBusWidth = model.memoryBusBits;
    p.l2CacheSize = int(model.l2Bytes);
    p.persistingL2CacheMaxSize = int(model.l2Bytes / 4 * 3);
    p.maxThreadsPerMultiProcessor = model.threadsPerSm;
    p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.sharedMemPerMultiprocessor = std::size_t(model.sharedPerSm);
    p.managedMemory = 1;
    p.concurrentManagedAccess = 1;
    p.computePreemptionSupported = 1;
    p.canUseHostPointerForRegisteredMem = 1;
    p.cooperativeLaunch = 1;
    p.sharedMemPerBlockOptin = std::size_t(model.sharedPerBlockOptin);
    p.maxBlocksPerMultiProcessor = model.blocksPerSm;
    p.accessPolicyMaxWindowSize = 134213632;
    p.reservedSharedMemPerBlock = std::size_t(sharedReservedPerBlock);
    p.hostRegisterSupported = 1;
    p.memoryPoolsSupported = 1;
    p.clusterLaunch = model.major >= 9;
    p.deviceNumaId = p.hostNumaId = -1;
}

int deviceAttribute(int attribute, int& value)
{
    static const abi::DeviceProperties p = [] {
        abi::DeviceProperties filled;
        fillProperties(filled);
        return filled;
    }();
    const DeviceModel& model = Device::instance().model();
    switch (attribute) {
    case 1:
        value = p.maxThreadsPerBlock;
        break;
    case 2:
        value = p.maxThreadsDim[0];
        break;
    case 3:
        value = p.maxThreadsDim[1];
        break;
    case 4:
        value = p.maxThreadsDim[2];
        break;
    case 5:
        value = p.maxGridSize[0];
        break;
    case 6:
        value = p.maxGridSize[1];
        break;
    case 7:
        value = p.maxGridSize[2];
        break;
    case 8:
        value = int(p.sharedMemPerBlock);
        break;
    case 9:
        value = int(p.totalConstMem);
        break;
    case 10:
        value = p.warpSize;
        break;
    case 11:
        value = int(p.memPitch);
        break;
    case 12:
        value = p.regsPerBlock;
        break;
    case 13:
        value = model.clockKHz;
        break;
    case 14:
        value = int(p.textureAlignment);
        break;
    case 15:
        value = 1;
        break; // copies overlap kernels
    case 16:
        value = p.multiProcessorCount;
        break;
    case 17:
        value = 0;
        break; // no run time limit
    case 18:
        value = p.integrated;
        break;
    case 19:
        value = p.canMapHostMemory;
        break;
    case 20:
        value = 0;
        break; // default compute mode
    case 21:
        value = p.maxTexture1D;
        break;
    case 22:
        value = p.maxTexture2D[0];
        break;
    case 23:
        value = p.maxTexture2D[1];
        break;
    case 24:
        value = p.maxTexture3D[0];
        break;
    case 25:
        value = p.maxTexture3D[1];
        break;
    case 26:
        value = p.maxTexture3D[2];
        break;
    case 27:
        value = p.maxTexture2DLayered[0];
        break;
    case 28:
        value = p.maxTexture2DLayered[1];
        break;
    case 29:
        value = p.maxTexture2DLayered[2];
        break;
    case 30:
        value = int(p.surfaceAlignment);
        break;
    case 31:
        value = p.concurrentKernels;
        break;
    case 32:
        value = p.eccEnabled;
        break;
    case 33:
        value = p.pciBusId;
        break;
    case 34:
        value = p.pciDeviceId;
        break;
    case 35:
        value = p.tccDriver;
        break;
    case 36:
        value = model.memoryClockKHz;
        break;
    case 37:
        value = p.memoryBusWidth;
        break;
    case 38:
        value = p.l2CacheSize;
        break;
    case 39:
        value = p.maxThreadsPerMultiProcessor;
        break;
    case 40:
        value = p.asyncEngineCount;
        break;
    case 41:
        value = p.unifiedAddressing;
        break;
    case 42:
        value = p.maxTexture1DLayered[0];
        break;
    case 43:
        value = p.maxTexture1DLayered[1];
        break;
    case 45:
        value = p.maxTexture2DGather[0];
        break;
    case 46:
        value = p.maxTexture2DGather[1];
        break;
    case 47:
        value = p.maxTexture3DAlt[0];
        break;
    case 48:
        value = p.maxTexture3DAlt[1];
        break;
    case 49:
        value = p.maxTexture3DAlt[2];
        break;
    case 50:
        value = p.pciDomainId;
        break;
    case 51:
        value = int(p.texturePitchAlignment);
        break;
    case 52:
        value = p.maxTextureCubemap;
        break;
    case 53:
        value = p.maxTextureCubemapLayered[0];
        break;
    case 54:
        value = p.maxTextureCubemapLayered[1];
        break;
    case 55:
        value = p.maxSurface1D;
        break;
    case 56:
        value = p.maxSurface2D[0];
        break;
    case 57:
        value = p.maxSurface2D[1];
        break;
    case 58:
        value = p.maxSurface3D[0];
        break;
    case 59:
        value = p.maxSurface3D[1];
        break;
    case 60:
        value = p.maxSurface3D[2];
        break;
    case 61:
        value = p.maxSurface1DLayered[0];
        break;
    case 62:
        value = p.maxSurface1DLayered[1];
        break;
    case 63:
        value = p.maxSurface2DLayered[0];
        break;
    case 64:
        value = p.maxSurface2DLayered[1];
        break;
    case 65:
        value = p.maxSurface2DLayered[2];
        break;
    case 66:
        value = p.maxSurfaceCubemap;
        break;
    case 67:
        value = p.maxSurfaceCubemapLayered[0];
        break;
    case 68:
        value = p.maxSurfaceCubemapLayered[1];
        break;
    case 69:
        value = 268435456;
        break; // 1-D texture on linear memory
    case 70:
        value = p.maxTexture2DLinear[0];
        break;
    case 71:
        value = p.maxTexture2DLinear[1];
        break;
    case 72:
        value = p.maxTexture2DLinear[2];
        break;
    case 73:
        value = p.maxTexture2DMipmap[0];
        break;
    case 74:
        value = p.maxTexture2DMipmap[1];
        break;
    case 75:
        value = p.major;
        break;
    case 76:
        value = p.minor;
        break;
    case 77:
        value = p.maxTexture1DMipmap;
        break;
    case 78:
        value = p.streamPrioritiesSupported;
        break;
    case 79:
        value = p.globalL1CacheSupported;
        break;
    case 80:
        value = p.localL1CacheSupported;
        break;
    case 81:
        value = int(p.sharedMemPerMultiprocessor);
        break;
    case 82:
        value = p.regsPerMultiprocessor;
        break;
    case 83:
        value = p.managedMemory;
        break;
    case 87:
        value = model.fp32PerFp64;
        break;
    case 89:
        value = p.concurrentManagedAccess;
        break;
    case 90:
        value = p.computePreemptionSupported;
        break;
    case 91:
        value = p.canUseHostPointerForRegisteredMem;
        break;
    case 95:
        value = p.cooperativeLaunch;
        break;
    case 97:
        value = int(p.sharedMemPerBlockOptin);
        break;
    case 99:
        value = p.hostRegisterSupported;
        break;
    case 106:
        value = p.maxBlocksPerMultiProcessor;
        break;
    case 108:
        value = p.persistingL2CacheMaxSize;
        break;
    case 109:
        value = p.accessPolicyMaxWindowSize;
        break;
    case 111:
        value = int(p.reservedSharedMemPerBlock);
        break;
    case 115:
        value = p.memoryPoolsSupported;
        break;
    case 120:
        value = p.clusterLaunch;
        break;
    case 126:
        value = 1;
        break; // memory synchronisation domains
    case 131:
    case 134:
        value = -1;
        break; // no NUMA node
    default:
        // Every other attribute names a feature that is not here.
        if (attribute < 1 || attribute > 147)
            return abi::InvalidValue;
        value = 0;
    }
    return abi::Success;
}

RIDGELINE_CUDA_API int cudaGetDeviceProperties(abi::DeviceProperties* result, int device)
{
    return apiCall("cudaGetDeviceProperties", [&]() -> int {
        if (!result)
            return abi::InvalidValue;
        if (device != 0)
            return abi::InvalidDevice;
        fillProperties(*result);
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaDeviceGetAttribute(int* value, int attribute, int device)
{
    return apiCall("cudaDeviceGetAttribute", [&]() -> int {
        if (!value)
            return abi::InvalidValue;
        return device == 0 ? deviceAttribute(attribute, *value) : int(abi::InvalidDevice);
    });
}

RIDGELINE_CUDA_API int cudaRuntimeGetVersion(int* version)
{
    return version ? (*version = cudaVersion, abi::Success)
                   : finishCall("cudaRuntimeGetVersion", abi::InvalidValue);
}

RIDGELINE_CUDA_API int cudaDriverGetVersion(int* version)
{
    return version ? (*version = cudaVersion, abi::Success)
                   : finishCall("cudaDriverGetVersion", abi::InvalidValue);
}

} // namespace ridgeline::emu
