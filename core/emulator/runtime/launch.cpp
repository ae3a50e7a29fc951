// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/launch.h"

#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/occupancy.h"
#include "core/emulator/runtime/report.h"

#include <cstring>

namespace ridgeline::emu {

int validateLaunch(const Function& function, const KernelWork& work)
{
    const KernelInfo& info = *function.info;
    const DeviceModel& model = Device::instance().model();
    const Dim3 &grid = work.grid, &block = work.block;
    const bool empty = grid.count() == 0 || block.count() == 0;
    if (empty || block.x > 1024 || block.y > 1024 || block.z > 64 ||
        block.count() > maxThreadsPerBlock)
        return abi::InvalidConfiguration;
    if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
        return abi::InvalidConfiguration;
    if (info.requiredBlock[0] != 0 &&
        (info.requiredBlock[0] != block.x || info.requiredBlock[1] != block.y ||
         info.requiredBlock[2] != block.z))
        return abi::InvalidValue;
    if (info.maxThreads != 0 && block.count() > info.maxThreads)
        return abi::LaunchOutOfResources;
    if (info.sharedStatic > unsigned(sharedPerBlockDefault) ||
        work.dynamicShared > unsigned(function.allowedDynamicShared()))
        return abi::InvalidValue;
    if (work.cluster.count() != 0) {
        const Dim3& cluster = work.cluster;
        if (model.major < 9)
            return abi::InvalidValue;
        if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z ||
            cluster.count() > (function.nonPortableCluster ? 16u : 8u))
            return abi::InvalidClusterSize;
    }
    if (work.cooperative) {
        const int resident = activeBlocksPerSm(function, int(block.count()), work.dynamicShared);
        if (grid.count() > std::uint64_t(resident) * std::uint64_t(model.multiprocessors))
            return abi::CooperativeLaunchTooLarge;
    }
    return abi::Success;
}

bool copyArguments(const KernelInfo& info, void* const* arguments, KernelWork& work)
{
    work.params.assign(info.paramBytes, std::byte(0));
    work.paramPointers.clear();
    if (!info.params.empty() && !arguments)
        return false;
    for (std::size_t i = 0; i < info.params.size(); ++i) {
        const ParamInfo& param = info.params[i];
        std::byte* place = work.params.data() + param.offset;
        if (!arguments[i])
            return false;
        std::memcpy(place, arguments[i], param.size);
        work.paramPointers.push_back(place);
    }
    return true;
}

bool copyPackedArguments(const KernelInfo& info, const void* buffer, std::size_t bytes,
                         KernelWork& work)
{
    if (!buffer || bytes < info.paramBytes)
        return false;
    const auto* from = static_cast<const std::byte*>(buffer);
    work.params.assign(from, from + info.paramBytes);
    work.paramPointers.clear();
    for (const ParamInfo& param : info.params)
        work.paramPointers.push_back(work.params.data() + param.offset);
    return true;
}

int makeKernelWork(const void* symbol, Dim3 grid, Dim3 block, std::size_t dynamicShared,
                   void* const* arguments, KernelWork& work)
{
    Function* function = Device::instance().findFunction(symbol);
    if (!function)
        return abi::InvalidDeviceFunction;
    if (const int error = function->binary->resolve(*function))
        return error;
    if (dynamicShared > 0xffffffffu)
        return abi::InvalidValue;
    work.function = function;
    work.grid = grid;
    work.block = block;
    work.dynamicShared = std::uint32_t(dynamicShared);
    if (const int error = validateLaunch(*function, work))
        return error;
    return copyArguments(*function->info, arguments, work) ? abi::Success : abi::InvalidValue;
}

int applyAttributes(const abi::LaunchAttribute* attributes, unsigned count, KernelWork& work)
{
    if (count && !attributes)
        return abi::InvalidValue;
    for (unsigned i = 0; i < count; ++i) {
        if (attributes[i].id == abi::CooperativeAttribute)
            work.cooperative = attributes[i].value.cooperative != 0;
        else if (attributes[i].id == abi::ClusterDimension) {
            const abi::Dim3Abi& dim = attributes[i].value.clusterDim;
            work.cluster = {dim.x, dim.y, dim.z};
            if (work.cluster.count() == 1)
                work.cluster = {0, 0, 0};
        }
    }
    return abi::Success;
}

int launchKernel(const char* name, const void* symbol, Dim3 grid, Dim3 block, void** arguments,
                 std::size_t dynamicShared, Stream* stream, DefaultStream whichDefault,
                 bool cooperative)
{
    return apiCall(name, [&]() -> int {
        KernelWork work;
        work.cooperative = cooperative;
        if (const int error = makeKernelWork(symbol, grid, block, dynamicShared, arguments, work))
            return error;
        return submit(stream, whichDefault, std::move(work));
    });
}

namespace {

int faultCode(LaunchStatus status)
{
    switch (status) {
    case LaunchStatus::Ok:
        return abi::Success;
    case LaunchStatus::IllegalAddress:
        return abi::IllegalAddress;
    case LaunchStatus::MisalignedAddress:
        return abi::MisalignedAddress;
    case LaunchStatus::Trap:
        return abi::LaunchFailure;
    case LaunchStatus::Assert:
        return abi::Assert;
    case LaunchStatus::IllegalInstruction:
        return abi::IllegalInstruction;
    case LaunchStatus::Deadlock:
        return abi::LaunchTimeout;
    case LaunchStatus::NotImplemented:
        return abi::NotSupported;
    case LaunchStatus::OutOfMemory:
        return abi::MemoryAllocation;
    }
    return abi::UnknownError;
}

int launchEx(const char* name, const abi::LaunchConfig* config, const void* symbol,
             void** arguments, DefaultStream whichDefault)
{
    return apiCall(name, [&]() -> int {
        if (!config)
            return abi::InvalidValue;
        KernelWork work;
        if (const int error = applyAttributes(config->attributes, config->attributeCount, work))
            return error;
        const Dim3 grid{config->grid.x, config->grid.y, config->grid.z};
        const Dim3 block{config->block.x, config->block.y, config->block.z};
        if (const int error =
                makeKernelWork(symbol, grid, block, config->dynamicShared, arguments, work))
            return error;
        return submit(config->stream, whichDefault, std::move(work));
    });
}

Dim3 dim(abi::Dim3Abi value)
{
    return {value.x, value.y, value.z};
}

} // namespace

int performKernel(const KernelWork& work)
{
    Device& device = Device::instance();
    const Settings& settings = device.settings();
    LaunchConfig config;
    config.grid = work.grid;
    config.block = work.block;
    config.dynamicShared = work.dynamicShared;
    config.cooperative = work.cooperative;
    config.params = work.params.data();
    ExecOptions options;
    options.threads = settings.threads;
    options.seed = settings.seed;
    options.checkMemory = settings.checkMemory;
    options.checkRace = settings.checkRace;
    options.checkInit = settings.checkInit;
    options.checkSync = settings.checkSync;
    options.count = !settings.countersPath.empty();
    const LaunchResult result = launch(*work.function->binary->module(), *work.function->info,
                                       device.memory(), config, options);
    recordLaunch(work, result);
    const int code = faultCode(result.status);
    if (code == abi::Success)
        return code;
    reportFault(result, code);
    // These two are the emulation's own limits, not the kernel's doing: told at once, not sticky.
    if (result.status == LaunchStatus::NotImplemented || result.status == LaunchStatus::OutOfMemory)
        return code;
    device.setFault(code);
    return abi::Success;
}

RIDGELINE_CUDA_API int cudaLaunchKernel(const void* function, abi::Dim3Abi grid, abi::Dim3Abi block,
                                        void** arguments, std::size_t dynamicShared, Stream* stream)
{
    return launchKernel("cudaLaunchKernel", function, dim(grid), dim(block), arguments,
                        dynamicShared, stream, DefaultStream::Legacy, false);
}

RIDGELINE_CUDA_API int cudaLaunchKernel_ptsz(const void* function, abi::Dim3Abi grid,
                                             abi::Dim3Abi block, void** arguments,
                                             std::size_t dynamicShared, Stream* stream)
{
    return launchKernel("cudaLaunchKernel", function, dim(grid), dim(block), arguments,
                        dynamicShared, stream, DefaultStream::PerThread, false);
}

RIDGELINE_CUDA_API int __cudaLaunchKernel(Function* function, abi::Dim3Abi grid, abi::Dim3Abi block,
                                          void** arguments, std::size_t dynamicShared,
                                          Stream* stream)
{
    return launchKernel("cudaLaunchKernel", function, dim(grid), dim(block), arguments,
                        dynamicShared, stream, DefaultStream::Legacy, false);
}

RIDGELINE_CUDA_API int __cudaLaunchKernel_ptsz(Function* function, abi::Dim3Abi grid,
                                               abi::Dim3Abi block, void** arguments,
                                               std::size_t dynamicShared, Stream* stream)
{
    return launchKernel("cudaLaunchKernel", function, dim(grid), dim(block), arguments,
                        dynamicShared, stream, DefaultStream::PerThread, false);
}

RIDGELINE_CUDA_API int cudaLaunchCooperativeKernel(const void* function, abi::Dim3Abi grid,
                                                   abi::Dim3Abi block, void** arguments,
                                                   std::size_t dynamicShared, Stream* stream)
{
    return launchKernel("cudaLaunchCooperativeKernel", function, dim(grid), dim(block), arguments,
                        dynamicShared, stream, DefaultStream::Legacy, true);
}

RIDGELINE_CUDA_API int cudaLaunchCooperativeKernel_ptsz(const void* function, abi::Dim3Abi grid,
                                                        abi::Dim3Abi block, void** arguments,
                                                        std::size_t dynamicShared, Stream* stream)
{
    return launchKernel("cudaLaunchCooperativeKernel", function, dim(grid), dim(block), arguments,
                        dynamicShared, stream, DefaultStream::PerThread, true);
}

RIDGELINE_CUDA_API int cudaLaunchKernelExC(const abi::LaunchConfig* config, const void* function,
                                           void** arguments)
{
    return launchEx("cudaLaunchKernelExC", config, function, arguments, DefaultStream::Legacy);
}

RIDGELINE_CUDA_API int cudaLaunchKernelExC_ptsz(const abi::LaunchConfig* config,
                                                const void* function, void** arguments)
{
    return launchEx("cudaLaunchKernelExC", config, function, arguments, DefaultStream::PerThread);
}

} // namespace ridgeline::emu
