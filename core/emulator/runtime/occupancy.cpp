// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/occupancy.h"

#include "core/emulator/runtime/api.h"

#include <algorithm>

namespace ridgeline::emu {

namespace {

int roundUp(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

int maxActiveBlocks(const char* name, int* blocks, const void* symbol, int blockSize,
                    std::size_t dynamicShared, unsigned flags)
{
    return apiCall(name, [&]() -> int {
        if (!blocks || blockSize <= 0 || flags > 1)
            return abi::InvalidValue;
        Function* function = Device::instance().findFunction(symbol);
        if (!function)
            return abi::InvalidDeviceFunction;
        if (const int error = function->binary->resolve(*function))
            return error;
        *blocks = activeBlocksPerSm(*function, blockSize, dynamicShared);
        return abi::Success;
    });
}

} // namespace

int estimatedRegisters(const KernelInfo& info)
{
    // Virtual registers are far more than ptxas needs; 32 is what lets 2048 threads be resident.
    return std::clamp(int(std::min<std::uint32_t>(info.virtualRegisters, 32)), 16, 32);
}

int activeBlocksPerSm(const Function& function, int blockSize, std::size_t dynamicShared)
{
    const DeviceModel& model = Device::instance().model();
    const KernelInfo& info = *function.info;
    if (blockSize <= 0 || blockSize > maxThreadsPerBlock)
        return 0;
    if (info.maxThreads != 0 && unsigned(blockSize) > info.maxThreads)
        return 0;
    if (dynamicShared > std::size_t(function.allowedDynamicShared()))
        return 0;
    const int threads = roundUp(blockSize, 32);
    int blocks = std::min(model.blocksPerSm, model.threadsPerSm / threads);
    // Registers are handed out per warp in units of 256.
    const int perWarp = roundUp(estimatedRegisters(info) * 32, 256);
    blocks = std::min(blocks, registersPerSm / perWarp / (threads / 32));
    const int shared =
        roundUp(int(info.sharedStatic + dynamicShared), 128) + sharedReservedPerBlock;
    return std::min(blocks, model.sharedPerSm / shared);
}

RIDGELINE_CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                     const void* symbol,
                                                                     int blockSize,
                                                                     std::size_t dynamicShared)
{
    return maxActiveBlocks("cudaOccupancyMaxActiveBlocksPerMultiprocessor", blocks, symbol,
                           blockSize, dynamicShared, 0);
}

RIDGELINE_CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* symbol, int blockSize, std::size_t dynamicShared, unsigned flags)
{
    return maxActiveBlocks("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", blocks, symbol,
                           blockSize, dynamicShared, flags);
}

RIDGELINE_CUDA_API int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes,
                                                                 const void* symbol, int blocks,
                                                                 int blockSize)
{
    return apiCall("cudaOccupancyAvailableDynamicSMemPerBlock", [&]() -> int {
        if (!bytes || blocks <= 0 || blockSize <= 0)
            return abi::InvalidValue;
        Function* function = Device::instance().findFunction(symbol);
        if (!function)
            return abi::InvalidDeviceFunction;
        if (const int error = function->binary->resolve(*function))
            return error;
        const DeviceModel& model = Device::instance().model();
        const int each = std::min(model.sharedPerSm / blocks - sharedReservedPerBlock,
                                  model.sharedPerBlockOptin) -
                         int(function->info->sharedStatic);
        *bytes = std::size_t(std::max(0, each / 128 * 128));
        return abi::Success;
    });
}

namespace {

/// The cluster a configuration asks for, blocks per SM, and the largest cluster the device has.
int clusterFacts(const abi::LaunchConfig* config, const void* symbol, Function*& function,
                 int& perSm)
{
    if (!config)
        return abi::InvalidValue;
    if (Device::instance().model().major < 9)
        return abi::NotSupported;
    function = Device::instance().findFunction(symbol);
    if (!function)
        return abi::InvalidDeviceFunction;
    if (const int error = function->binary->resolve(*function))
        return error;
    const unsigned threads = config->block.x * config->block.y * config->block.z;
    perSm = activeBlocksPerSm(*function, int(threads), config->dynamicShared);
    return abi::Success;
}

} // namespace

RIDGELINE_CUDA_API int cudaOccupancyMaxPotentialClusterSize(int* size, const void* symbol,
                                                            const abi::LaunchConfig* config)
{
    return apiCall("cudaOccupancyMaxPotentialClusterSize", [&]() -> int {
        Function* function = nullptr;
        int perSm = 0;
        if (const int error = clusterFacts(config, symbol, function, perSm))
            return error;
        if (!size)
            return abi::InvalidValue;
        *size = perSm == 0 ? 0 : function->nonPortableCluster ? 16 : 8;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaOccupancyMaxActiveClusters(int* clusters, const void* symbol,
                                                      const abi::LaunchConfig* config)
{
    return apiCall("cudaOccupancyMaxActiveClusters", [&]() -> int {
        Function* function = nullptr;
        int perSm = 0;
        if (const int error = clusterFacts(config, symbol, function, perSm))
            return error;
        if (!clusters)
            return abi::InvalidValue;
        unsigned blocks = 1;
        for (unsigned i = 0; i < config->attributeCount; ++i) {
            if (config->attributes[i].id == abi::ClusterDimension) {
                const abi::Dim3Abi& dim = config->attributes[i].value.clusterDim;
                blocks = dim.x * dim.y * dim.z;
            }
        }
        *clusters =
            blocks == 0
                ? 0
                : int(unsigned(perSm * Device::instance().model().multiprocessors) / blocks);
        return abi::Success;
    });
}

} // namespace ridgeline::emu
