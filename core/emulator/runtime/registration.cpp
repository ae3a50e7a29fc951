// SPDX-License-Identifier: GPL-3.0-or-later
// What nvcc's generated code calls: registering a program's kernels and variables before main(),
// and the launch configuration that <<<>>> puts aside.
#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/fatbin.h"
#include "core/emulator/runtime/report.h"
#include "core/emulator/runtime/stream.h"

namespace ridgeline::emu {

namespace {

constexpr std::uint32_t wrapperMagic = 0x466243b1;

/// nvcc keeps a void**; we hand out the address of a slot that holds the binary.
struct Handle {
    Binary* binary = nullptr;
};

struct Configuration {
    Dim3 grid, block;
    std::size_t dynamicShared = 0;
    Stream* stream = nullptr;
};

std::vector<Configuration>& configurations()
{
    thread_local std::vector<Configuration> stack;
    return stack;
}

Binary* binaryOf(void** handle)
{
    return handle ? reinterpret_cast<Handle*>(handle)->binary : nullptr;
}

void loadManaged(Binary& binary)
{
    for (const auto& variable : binary.variables()) {
        if (variable->managedPointer) {
            binary.load();
            return;
        }
    }
}

} // namespace

RIDGELINE_CUDA_API void** __cudaRegisterFatBinary(const void* wrapperAddress)
{
    auto* handle = new Handle;
    const auto* wrapper = static_cast<const abi::FatbinWrapper*>(wrapperAddress);
    std::vector<const void*> images;
    if (wrapper && wrapper->magic == wrapperMagic) {
        // After device linking the objects' PTX is listed apart, and the main image is empty.
        if (wrapper->version == 2 && wrapper->prelinked) {
            for (const void* const* each = wrapper->prelinked; *each; ++each) {
                if (fatbinSize(*each) != 0)
                    images.push_back(*each);
            }
        }
        if (images.empty() && wrapper->data)
            images.push_back(wrapper->data);
    }
    if (images.empty())
        complain("the program registers device code in a form that is not known here");
    handle->binary = Device::instance().addBinary(std::make_unique<Binary>(std::move(images)));
    return reinterpret_cast<void**>(handle);
}

RIDGELINE_CUDA_API void __cudaRegisterFatBinaryEnd(void**) {}

RIDGELINE_CUDA_API void __cudaUnregisterFatBinary(void** handle)
{
    if (!handle)
        return;
    Device::instance().removeBinary(binaryOf(handle));
    delete reinterpret_cast<Handle*>(handle);
}

RIDGELINE_CUDA_API char __cudaInitModule(void** handle)
{
    if (Binary* binary = binaryOf(handle))
        loadManaged(*binary);
    return 1;
}

RIDGELINE_CUDA_API void __cudaRegisterFunction(void** handle, const char* hostFunction, char*,
                                               const char* deviceName, int, void*, void*, void*,
                                               void*, int*)
{
    Binary* binary = binaryOf(handle);
    if (!binary || !deviceName)
        return;
    Device::instance().mapHostFunction(hostFunction, binary->addFunction(deviceName, hostFunction));
}

RIDGELINE_CUDA_API void __cudaRegisterVar(void** handle, char* hostVariable, char*,
                                          const char* deviceName, int, std::size_t size, int, int)
{
    Binary* binary = binaryOf(handle);
    if (!binary || !deviceName)
        return;
    Device::instance().mapHostVariable(
        hostVariable, binary->addVariable(deviceName, hostVariable, size, nullptr));
}

RIDGELINE_CUDA_API void __cudaRegisterManagedVar(void** handle, void** hostPointer, char*,
                                                 const char* deviceName, int, std::size_t size, int,
                                                 int)
{
    Binary* binary = binaryOf(handle);
    if (!binary || !deviceName)
        return;
    Device::instance().mapHostVariable(
        hostPointer, binary->addVariable(deviceName, hostPointer, size, hostPointer));
}

RIDGELINE_CUDA_API void __cudaRegisterHostVar(void**, const char*, char*, std::size_t)
{
    refuse("__cudaRegisterHostVar");
}

RIDGELINE_CUDA_API unsigned __cudaPushCallConfiguration(abi::Dim3Abi grid, abi::Dim3Abi block,
                                                        std::size_t dynamicShared, Stream* stream)
{
    configurations().push_back(
        {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamicShared, stream});
    return 0;
}

RIDGELINE_CUDA_API int __cudaPopCallConfiguration(abi::Dim3Abi* grid, abi::Dim3Abi* block,
                                                  std::size_t* dynamicShared, Stream** stream)
{
    std::vector<Configuration>& stack = configurations();
    if (stack.empty())
        return finishCall("__cudaPopCallConfiguration", abi::MissingConfiguration);
    const Configuration top = stack.back();
    stack.pop_back();
    *grid = {top.grid.x, top.grid.y, top.grid.z};
    *block = {top.block.x, top.block.y, top.block.z};
    *dynamicShared = top.dynamicShared;
    *stream = top.stream;
    return abi::Success;
}

RIDGELINE_CUDA_API int __cudaGetKernel(Function** result, const void* hostFunction)
{
    // Success is remembered by the caller for good, so an unknown function must fail here.
    Function* function = Device::instance().findFunction(hostFunction);
    *result = function;
    return function ? abi::Success : finishCall("cudaGetKernel", abi::InvalidDeviceFunction);
}

RIDGELINE_CUDA_API int cudaGetKernel(Function** result, const void* hostFunction)
{
    return apiCall("cudaGetKernel", [&]() -> int {
        if (!result)
            return abi::InvalidValue;
        *result = Device::instance().findFunction(hostFunction);
        return *result ? abi::Success : abi::InvalidDeviceFunction;
    });
}

RIDGELINE_CUDA_API int cudaGetFuncBySymbol(Function** result, const void* hostFunction)
{
    return apiCall("cudaGetFuncBySymbol", [&]() -> int {
        if (!result)
            return abi::InvalidValue;
        *result = Device::instance().findFunction(hostFunction);
        return *result ? (*result)->binary->resolve(**result) : int(abi::InvalidDeviceFunction);
    });
}

/// Ours alone: names the launches to come in the counters.
RIDGELINE_CUDA_API void ridgeline_emu_mark(const char* label)
{
    setLaunchLabel(label ? label : "");
}

} // namespace ridgeline::emu
