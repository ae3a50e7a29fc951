// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/library.h"

#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/fatbin.h"

#include <cstring>
#include <fstream>
#include <sstream>

namespace ridgeline::emu {

namespace {

/// PTX starts with comments or directives.
bool looksLikePtx(const char* text)
{
    const std::string_view start(text, strnlen(text, 1 << 16));
    return start.find(".version") != std::string_view::npos;
}

std::vector<std::vector<char>> copyImages(const void* const* list)
{
    std::vector<std::vector<char>> images;
    for (; *list; ++list) {
        const char* bytes = static_cast<const char*>(*list);
        images.emplace_back(bytes, bytes + fatbinSize(bytes));
    }
    return images;
}

int adopt(std::unique_ptr<Binary> binary, Binary** result, std::string& log)
{
    if (const int error = binary->load()) {
        log = binary->message();
        return error;
    }
    *result = Device::instance().addBinary(std::move(binary));
    return abi::Success;
}

template <typename Body>
int withLibrary(const char* name, Binary* library, Body body)
{
    return apiCall(name, [&]() -> int {
        return Device::instance().isBinary(library) ? body(*library)
                                                    : int(abi::InvalidResourceHandle);
    });
}

int globalOf(Binary& library, void** pointer, std::size_t* bytes, const char* symbol, bool managed)
{
    if (!symbol)
        return abi::InvalidValue;
    int error = abi::Success;
    const GlobalInfo* found = library.global(symbol, error);
    if (!found)
        return error == abi::InvalidSymbol ? int(abi::SymbolNotFound) : error;
    if (managed) {
        const auto where =
            Device::instance().memory().find(reinterpret_cast<std::uintptr_t>(found->address));
        if (!where || where->kind != MemoryKind::Managed)
            return abi::SymbolNotFound;
    }
    if (pointer)
        *pointer = found->address;
    if (bytes)
        *bytes = found->size;
    return abi::Success;
}

} // namespace

int loadImage(const void* image, Binary** result, std::string& log)
{
    if (!image || !result)
        return abi::InvalidValue;
    std::uint32_t magic = 0;
    std::memcpy(&magic, image, sizeof magic);
    if (magic == 0x466243b1) {
        const auto& wrapper = *static_cast<const abi::FatbinWrapper*>(image);
        if (wrapper.version == 2 && wrapper.prelinked)
            return adopt(std::make_unique<Binary>(copyImages(wrapper.prelinked)), result, log);
        image = wrapper.data;
    }
    if (fatbinSize(image) != 0) {
        // The program may free the image after the call.
        const char* bytes = static_cast<const char*>(image);
        const std::vector<char> copy(bytes, bytes + fatbinSize(image));
        return adopt(std::make_unique<Binary>(std::vector<std::vector<char>>{copy}), result, log);
    }
    if (std::memcmp(&magic, "\177ELF", 4) == 0) {
        log = "the module is machine code (a cubin); the emulated device runs PTX only";
        complain(log);
        return abi::NoKernelImageForDevice;
    }
    const char* text = static_cast<const char*>(image);
    if (!looksLikePtx(text)) {
        log = "the module is neither PTX nor a fat binary";
        complain(log);
        return abi::InvalidKernelImage;
    }
    return adopt(std::make_unique<Binary>(std::string(text)), result, log);
}

int loadImageFile(const char* path, Binary** result, std::string& log)
{
    if (!path || !result)
        return abi::InvalidValue;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    if (!file || !(bytes << file.rdbuf()))
        return abi::FileNotFound;
    const std::string image = bytes.str() + std::string(16, '\0');
    if (fatbinSize(image.data()) > image.size() - 16)
        return abi::InvalidKernelImage;
    return loadImage(image.data(), result, log);
}

RIDGELINE_CUDA_API int cudaLibraryLoadData(Binary** library, const void* code, int*, void**,
                                           unsigned, int*, void**, unsigned)
{
    return apiCall("cudaLibraryLoadData", [&] {
        std::string log;
        return loadImage(code, library, log);
    });
}

RIDGELINE_CUDA_API int cudaLibraryLoadFromFile(Binary** library, const char* path, int*, void**,
                                               unsigned, int*, void**, unsigned)
{
    return apiCall("cudaLibraryLoadFromFile", [&] {
        std::string log;
        return loadImageFile(path, library, log);
    });
}

RIDGELINE_CUDA_API int cudaLibraryUnload(Binary* library)
{
    return withLibrary("cudaLibraryUnload", library, [](Binary& found) -> int {
        Device::instance().removeBinary(&found);
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaLibraryGetKernel(Function** kernel, Binary* library, const char* name)
{
    return withLibrary("cudaLibraryGetKernel", library, [&](Binary& found) -> int {
        if (!kernel || !name)
            return abi::InvalidValue;
        int error = abi::Success;
        *kernel = found.function(name, error);
        if (*kernel)
            Device::instance().adoptHandle(*kernel);
        return error;
    });
}

RIDGELINE_CUDA_API int cudaLibraryGetKernelCount(unsigned* count, Binary* library)
{
    return withLibrary("cudaLibraryGetKernelCount", library, [&](Binary& found) -> int {
        if (!count)
            return abi::InvalidValue;
        int error = abi::Success;
        *count = unsigned(found.functions(error).size());
        return error;
    });
}

RIDGELINE_CUDA_API int cudaLibraryEnumerateKernels(Function** kernels, unsigned count,
                                                   Binary* library)
{
    return withLibrary("cudaLibraryEnumerateKernels", library, [&](Binary& found) -> int {
        if (!kernels)
            return abi::InvalidValue;
        int error = abi::Success;
        const std::vector<Function*> all = found.functions(error);
        for (unsigned i = 0; i < count && i < all.size(); ++i) {
            kernels[i] = all[i];
            Device::instance().adoptHandle(all[i]);
        }
        return error;
    });
}

RIDGELINE_CUDA_API int cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, Binary* library,
                                            const char* name)
{
    return withLibrary("cudaLibraryGetGlobal", library,
                       [&](Binary& found) { return globalOf(found, pointer, bytes, name, false); });
}

RIDGELINE_CUDA_API int cudaLibraryGetManaged(void** pointer, std::size_t* bytes, Binary* library,
                                             const char* name)
{
    return withLibrary("cudaLibraryGetManaged", library,
                       [&](Binary& found) { return globalOf(found, pointer, bytes, name, true); });
}

} // namespace ridgeline::emu
