// SPDX-License-Identifier: GPL-3.0-or-later
// Modules, functions, launches. CUmodule and CUlibrary are Binary*, CUfunction and CUkernel
// Function*.
#include "core/emulator/runtime/driver.h"
#include "core/emulator/runtime/launch.h"
#include "core/emulator/runtime/library.h"
#include "core/emulator/runtime/occupancy.h"
#include "core/emulator/runtime/runtime_functions.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ridgeline::emu {

namespace {

enum JitOption { InfoLog = 3, InfoLogSize, ErrorLog, ErrorLogSize };

/// Puts the loader's message into the buffer that the caller offered for errors, and empties the
/// other one: programs print both.
void giveLog(const std::string& log, unsigned count, const int* options, void** values)
{
    const auto fill = [&](int bufferOption, int sizeOption, const std::string& text) {
        char* buffer = nullptr;
        void** sizeSlot = nullptr;
        for (unsigned i = 0; options && values && i < count; ++i) {
            if (options[i] == bufferOption)
                buffer = static_cast<char*>(values[i]);
            else if (options[i] == sizeOption)
                sizeSlot = &values[i];
        }
        // The size is an unsigned int in a pointer's place.
        const std::size_t room =
            sizeSlot ? std::size_t(reinterpret_cast<std::uintptr_t>(*sizeSlot) & 0xffffffffu) : 0;
        if (!buffer || room == 0)
            return;
        const std::size_t used = std::min(text.size(), room - 1);
        std::memcpy(buffer, text.data(), used);
        buffer[used] = '\0';
        *sizeSlot = reinterpret_cast<void*>(used);
    };
    fill(InfoLog, InfoLogSize, {});
    fill(ErrorLog, ErrorLogSize, log);
}

int cuModuleLoadDataEx(Binary** module, const void* image, unsigned count, int* options,
                       void** values)
{
    return driver::call("cuModuleLoadData", true, [&] {
        std::string log;
        const int error = loadImage(image, module, log);
        giveLog(log, count, options, values);
        return error;
    });
}

int cuModuleLoadData(Binary** module, const void* image)
{
    return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

int cuModuleLoad(Binary** module, const char* path)
{
    return driver::call("cuModuleLoad", true, [&] {
        std::string log;
        return loadImageFile(path, module, log);
    });
}

int cuModuleGetLoadingMode(int* mode)
{
    return driver::call("cuModuleGetLoadingMode", false, [&]() -> int {
        return mode ? (*mode = 2, abi::Success) : abi::InvalidValue;
    }); // lazy
}

int cuModuleGetGlobal(void** pointer, std::size_t* bytes, Binary* module, const char* name)
{
    return driver::Call<&cudaLibraryGetGlobal>::run(pointer, bytes, module, name);
}

int cuLibraryLoadData(Binary** library, const void* image, int* options, void** values,
                      unsigned count, int*, void**, unsigned)
{
    return driver::call("cuLibraryLoadData", false, [&] {
        std::string log;
        const int error = loadImage(image, library, log);
        giveLog(log, count, options, values);
        return error;
    });
}

int cuLibraryLoadFromFile(Binary** library, const char* path, int*, void**, unsigned, int*, void**,
                          unsigned)
{
    return driver::call("cuLibraryLoadFromFile", false, [&] {
        std::string log;
        return loadImageFile(path, library, log);
    });
}

int cuLibraryGetModule(Binary** module, Binary* library)
{
    return driver::call("cuLibraryGetModule", true, [&]() -> int {
        if (!module || !Device::instance().isBinary(library))
            return abi::InvalidResourceHandle;
        *module = library;
        return abi::Success;
    });
}

template <typename Body>
int withFunction(const char* name, Function* handle, Body body)
{
    return driver::call(name, false, [&]() -> int {
        Function* function = Device::instance().findFunction(handle);
        if (!function)
            return abi::InvalidResourceHandle;
        if (const int error = function->binary->resolve(*function))
            return error;
        return body(*function);
    });
}

int cuKernelGetFunction(Function** function, Function* kernel)
{
    return withFunction("cuKernelGetFunction", kernel, [&](Function& found) -> int {
        return function ? (*function = &found, abi::Success) : abi::InvalidValue;
    });
}

int cuFuncGetModule(Binary** module, Function* function)
{
    return withFunction("cuFuncGetModule", function, [&](Function& found) -> int {
        return module ? (*module = found.binary, abi::Success) : abi::InvalidValue;
    });
}

int cuFuncGetAttribute(int* value, int attribute, Function* handle)
{
    return withFunction("cuFuncGetAttribute", handle, [&](Function& function) -> int {
        const KernelInfo& info = *function.info;
        const int capability = Device::instance().model().capability();
        if (!value)
            return abi::InvalidValue;
        switch (attribute) {
        case 0:
            *value = info.maxThreads ? int(info.maxThreads) : maxThreadsPerBlock;
            break;
        case 1:
            *value = int(info.sharedStatic);
            break;
        case 3:
            *value = int(info.localBytes);
            break;
        case 4:
            *value = estimatedRegisters(info);
            break;
        case 5:
        case 6:
            *value = capability;
            break;
        case 8:
            *value = function.allowedDynamicShared();
            break;
        case 9:
            *value = function.carveout;
            break;
        case 14:
            *value = function.nonPortableCluster;
            break;
        default:
            if (attribute < 0 || attribute > 15)
                return abi::InvalidValue;
            *value = 0;
        }
        return abi::Success;
    });
}

int cuKernelGetAttribute(int* value, int attribute, Function* kernel, int)
{
    return cuFuncGetAttribute(value, attribute, kernel);
}

int cuFuncSetAttribute(Function* function, int attribute, int value)
{
    return withFunction("cuFuncSetAttribute", function, [&](Function& found) {
        return cudaFuncSetAttribute(&found, attribute, value);
    });
}

int cuKernelSetAttribute(int attribute, int value, Function* kernel, int)
{
    return cuFuncSetAttribute(kernel, attribute, value);
}

int cuKernelSetCacheConfig(Function* kernel, int config, int)
{
    return driver::Call<&cudaFuncSetCacheConfig>::run(kernel, config);
}

int cuFuncIsLoaded(int* state, Function* function)
{
    return withFunction("cuFuncIsLoaded", function, [&](Function&) -> int {
        return state ? (*state = 1, abi::Success) : abi::InvalidValue;
    });
}

int cuFuncLoad(Function* function)
{
    return withFunction("cuFuncLoad", function, [](Function&) -> int { return abi::Success; });
}

/// Parameters from pointers, or packed behind `extra` (0 end, 1 buffer, 2 size).
int launch(const char* name, Function* handle, KernelWork& work, void** params, void** extra,
           Stream* stream, DefaultStream which)
{
    return driver::call(name, true, [&]() -> int {
        Function* function = Device::instance().findFunction(handle);
        if (!function)
            return abi::InvalidResourceHandle;
        if (const int error = function->binary->resolve(*function))
            return error;
        work.function = function;
        if (const int error = validateLaunch(*function, work))
            return error;
        if (params && extra)
            return abi::InvalidValue;
        const void* buffer = nullptr;
        std::size_t bytes = 0;
        for (int i = 0; extra && extra[i] && i < 8; i += 2) {
            if (extra[i] == reinterpret_cast<void*>(1))
                buffer = extra[i + 1];
            else if (extra[i] == reinterpret_cast<void*>(2))
                bytes = *static_cast<std::size_t*>(extra[i + 1]);
        }
        const bool copied = extra ? copyPackedArguments(*function->info, buffer, bytes, work)
                                  : copyArguments(*function->info, params, work);
        return copied ? submit(stream, which, std::move(work)) : int(abi::InvalidValue);
    });
}

template <DefaultStream Which, bool Cooperative>
int launchKernel(Function* function, unsigned gridX, unsigned gridY, unsigned gridZ,
                 unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared, Stream* stream,
                 void** params, void** extra)
{
    KernelWork work;
    work.grid = {gridX, gridY, gridZ};
    work.block = {blockX, blockY, blockZ};
    work.dynamicShared = shared;
    work.cooperative = Cooperative;
    return launch("cuLaunchKernel", function, work, params, extra, stream, Which);
}

template <DefaultStream Which>
int launchCooperative(Function* function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,
                      Stream* stream, void** params)
{
    return launchKernel<Which, true>(function, gridX, gridY, gridZ, blockX, blockY, blockZ, shared,
                                     stream, params, nullptr);
}

template <DefaultStream Which>
int launchEx(const abi::DriverLaunchConfig* config, Function* function, void** params, void** extra)
{
    if (!config)
        return abi::InvalidValue;
    KernelWork work;
    work.grid = {config->gridX, config->gridY, config->gridZ};
    work.block = {config->blockX, config->blockY, config->blockZ};
    work.dynamicShared = config->sharedBytes;
    if (const int error = applyAttributes(config->attributes, config->attributeCount, work))
        return error;
    return launch("cuLaunchKernelEx", function, work, params, extra, config->stream, Which);
}

/// The largest occupancy over block sizes, as the runtime's header template searches it.
int maxPotentialBlockSize(int* minGrid, int* block, Function* handle, std::size_t (*sharedOf)(int),
                          std::size_t shared, int limit, unsigned)
{
    return withFunction("cuOccupancyMaxPotentialBlockSize", handle, [&](Function& function) -> int {
        if (!minGrid || !block)
            return abi::InvalidValue;
        int most = function.info->maxThreads ? int(function.info->maxThreads) : maxThreadsPerBlock;
        if (limit > 0)
            most = std::min(most, limit);
        int bestThreads = 0, bestBlocks = 0;
        *block = 0;
        for (int size = (most + 31) / 32 * 32; size > 0; size -= 32) {
            const int tried = std::min(size, most);
            const int blocks =
                activeBlocksPerSm(function, tried, sharedOf ? sharedOf(tried) : shared);
            if (blocks * tried > bestThreads) {
                bestThreads = blocks * tried;
                bestBlocks = blocks;
                *block = tried;
            }
        }
        *minGrid = bestBlocks * Device::instance().model().multiprocessors;
        return abi::Success;
    });
}

int cuOccupancyMaxPotentialBlockSize(int* minGrid, int* block, Function* function,
                                     std::size_t (*sharedOf)(int), std::size_t shared, int limit)
{
    return maxPotentialBlockSize(minGrid, block, function, sharedOf, shared, limit, 0);
}

// ---- the linker: keeps PTX texts, and hands out an image that cuModuleLoadData takes

struct Linker {
    std::vector<std::string> images;
    std::vector<const void*> list;
    abi::FatbinWrapper wrapper{};
};

/// A fat binary with one uncompressed PTX image for every device.
std::string wrapPtx(const std::string& text)
{
    const std::uint64_t padded = (text.size() + 8) / 8 * 8, total = 0x50 + padded;
    std::string out(16 + total, '\0');
    const auto put = [&](std::size_t at, auto value) {
        std::memcpy(out.data() + at, &value, sizeof value);
    };
    put(0, std::uint32_t(0xba55ed50));
    put(4, std::uint16_t(1));
    put(6, std::uint16_t(16));
    put(8, total);
    put(16, std::uint16_t(1));
    put(20, std::uint32_t(0x50));
    put(24, padded);
    std::memcpy(out.data() + 16 + 0x50, text.data(), text.size());
    return out;
}

int addText(Linker* linker, int type, const void* data, std::size_t size)
{
    if (!linker || !data)
        return abi::InvalidValue;
    if (type != 1) { // PTX is all the emulated device links
        complain("cuLinkAddData: only PTX can be linked on the emulated device");
        return abi::NotSupported;
    }
    std::string text(static_cast<const char*>(data), size);
    text.resize(strnlen(text.data(), text.size()));
    linker->images.push_back(wrapPtx(text));
    return abi::Success;
}

int cuLinkCreate(unsigned, int*, void**, Linker** result)
{
    return driver::call("cuLinkCreate", true, [&]() -> int {
        return result ? (*result = new Linker, abi::Success) : abi::InvalidValue;
    });
}

int cuLinkAddData(Linker* linker, int type, void* data, std::size_t size, const char*, unsigned,
                  int*, void**)
{
    return driver::call("cuLinkAddData", true, [&] { return addText(linker, type, data, size); });
}

int cuLinkAddFile(Linker* linker, int type, const char* path, unsigned, int*, void**)
{
    return driver::call("cuLinkAddFile", true, [&]() -> int {
        std::ifstream file(path ? path : "", std::ios::binary);
        std::ostringstream bytes;
        if (!file || !(bytes << file.rdbuf()))
            return abi::FileNotFound;
        const std::string text = bytes.str();
        return addText(linker, type, text.data(), text.size());
    });
}

int cuLinkComplete(Linker* linker, void** image, std::size_t* size)
{
    return driver::call("cuLinkComplete", true, [&]() -> int {
        if (!linker || !image || linker->images.empty())
            return abi::InvalidValue;
        linker->list.clear();
        for (const std::string& each : linker->images)
            linker->list.push_back(each.data());
        linker->list.push_back(nullptr);
        linker->wrapper = {0x466243b1, 2, nullptr, linker->list.data()};
        *image = &linker->wrapper;
        if (size)
            *size = sizeof linker->wrapper;
        return abi::Success;
    });
}

int cuLinkDestroy(Linker* linker)
{
    delete linker;
    return abi::Success;
}

} // namespace

DriverFunctions driverModuleFunctions()
{
    using driver::address;
    constexpr auto legacy = DefaultStream::Legacy, perThread = DefaultStream::PerThread;
    return {
        {"cuModuleLoad", address(cuModuleLoad)},
        {"cuModuleLoadData", address(cuModuleLoadData)},
        {"cuModuleLoadDataEx", address(cuModuleLoadDataEx)},
        {"cuModuleLoadFatBinary", address(cuModuleLoadData)},
        {"cuModuleGetLoadingMode", address(cuModuleGetLoadingMode)},
        {"cuModuleGetGlobal_v2", address(cuModuleGetGlobal)},
        RIDGELINE_ALIAS(cuModuleUnload, cudaLibraryUnload),
        RIDGELINE_ALIAS(cuModuleGetFunction, cudaLibraryGetKernel),
        RIDGELINE_ALIAS(cuModuleGetFunctionCount, cudaLibraryGetKernelCount),
        RIDGELINE_ALIAS(cuModuleEnumerateFunctions, cudaLibraryEnumerateKernels),
        {"cuLibraryLoadData", address(cuLibraryLoadData)},
        {"cuLibraryLoadFromFile", address(cuLibraryLoadFromFile)},
        {"cuLibraryGetModule", address(cuLibraryGetModule)},
        {"cuLibraryUnload", address(cudaLibraryUnload)},
        {"cuLibraryGetKernel", address(cudaLibraryGetKernel)},
        {"cuLibraryGetKernelCount", address(cudaLibraryGetKernelCount)},
        {"cuLibraryEnumerateKernels", address(cudaLibraryEnumerateKernels)},
        RIDGELINE_ALIAS(cuLibraryGetGlobal, cudaLibraryGetGlobal),
        RIDGELINE_ALIAS(cuLibraryGetManaged, cudaLibraryGetManaged),
        {"cuKernelGetFunction", address(cuKernelGetFunction)},
        {"cuKernelGetLibrary", address(cuFuncGetModule)},
        {"cuKernelGetAttribute", address(cuKernelGetAttribute)},
        {"cuKernelSetAttribute", address(cuKernelSetAttribute)},
        {"cuKernelSetCacheConfig", address(cuKernelSetCacheConfig)},
        {"cuKernelGetName", address(cudaFuncGetName)},
        {"cuKernelGetParamInfo", address(cudaFuncGetParamInfo)},
        {"cuFuncGetAttribute", address(cuFuncGetAttribute)},
        {"cuFuncSetAttribute", address(cuFuncSetAttribute)},
        {"cuFuncGetModule", address(cuFuncGetModule)},
        {"cuFuncIsLoaded", address(cuFuncIsLoaded)},
        {"cuFuncLoad", address(cuFuncLoad)},
        RIDGELINE_ALIAS(cuFuncSetCacheConfig, cudaFuncSetCacheConfig),
        RIDGELINE_ALIAS(cuFuncSetSharedMemConfig, cudaFuncSetSharedMemConfig),
        RIDGELINE_ALIAS(cuFuncGetName, cudaFuncGetName),
        RIDGELINE_ALIAS(cuFuncGetParamInfo, cudaFuncGetParamInfo),
        {"cuLaunchKernel", address(&launchKernel<legacy, false>)},
        {"cuLaunchKernel_ptsz", address(&launchKernel<perThread, false>)},
        {"cuLaunchKernelEx", address(&launchEx<legacy>)},
        {"cuLaunchKernelEx_ptsz", address(&launchEx<perThread>)},
        {"cuLaunchCooperativeKernel", address(&launchCooperative<legacy>)},
        {"cuLaunchCooperativeKernel_ptsz", address(&launchCooperative<perThread>)},
        RIDGELINE_ALIAS(cuOccupancyMaxActiveBlocksPerMultiprocessor,
                        cudaOccupancyMaxActiveBlocksPerMultiprocessor),
        RIDGELINE_ALIAS(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
        RIDGELINE_ALIAS(cuOccupancyAvailableDynamicSMemPerBlock,
                        cudaOccupancyAvailableDynamicSMemPerBlock),
        {"cuOccupancyMaxPotentialBlockSize", address(cuOccupancyMaxPotentialBlockSize)},
        {"cuOccupancyMaxPotentialBlockSizeWithFlags", address(maxPotentialBlockSize)},
        {"cuLinkCreate_v2", address(cuLinkCreate)},
        {"cuLinkAddData_v2", address(cuLinkAddData)},
        {"cuLinkAddFile_v2", address(cuLinkAddFile)},
        {"cuLinkComplete", address(cuLinkComplete)},
        {"cuLinkDestroy", address(cuLinkDestroy)},
    };
}

} // namespace ridgeline::emu
