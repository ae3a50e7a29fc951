// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/arrays.h"

#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/pairs.h"
#include "core/emulator/runtime/stream.h"

#include <set>

namespace ridgeline::emu {

namespace {

std::mutex& arrayMutex()
{
    static auto* mutex = new std::mutex;
    return *mutex;
}

std::set<const Array*>& arrays()
{
    static auto* all = new std::set<const Array*>;
    return *all;
}

/// Copies between an array and pitched memory, given in bytes as the 2-D functions do.
int copyWithArray(Array* array, std::size_t xBytes, std::size_t y, void* pointer, std::size_t pitch,
                  std::size_t widthBytes, std::size_t height, int kind, bool toArray,
                  Stream* stream, DefaultStream which)
{
    if (!isArray(array))
        return abi::InvalidResourceHandle;
    const std::size_t element = array->elementBytes;
    if (xBytes % element || widthBytes % element)
        return abi::InvalidValue;
    if (pitch < widthBytes && height > 1)
        return abi::InvalidPitchValue;
    abi::Copy3D copy{};
    const abi::Position inArray{xBytes / element, y, 0};
    const abi::PitchedPointer memory{pointer, pitch, widthBytes, height};
    if (toArray) {
        copy.dstArray = array;
        copy.dstPos = inArray;
        copy.src = memory;
    } else {
        copy.srcArray = array;
        copy.srcPos = inArray;
        copy.dst = memory;
    }
    copy.extent = {widthBytes / element, height, 1};
    copy.kind = kind;
    if (const int error = validateCopy(copy))
        return error;
    return submit(stream, which, CopyWork{copy});
}

/// The old linear form: `bytes` that run on over row ends.
int copyRunning(Array* array, std::size_t xBytes, std::size_t y, char* pointer, std::size_t bytes,
                int kind, bool toArray, Stream* stream, DefaultStream which)
{
    if (!isArray(array))
        return abi::InvalidResourceHandle;
    while (bytes > 0) {
        if (xBytes >= array->pitch())
            return abi::InvalidValue;
        const std::size_t now = std::min(bytes, array->pitch() - xBytes);
        if (const int error =
                copyWithArray(array, xBytes, y, pointer, now, now, 1, kind, toArray, stream, which))
            return error;
        bytes -= now;
        pointer += now;
        xBytes = 0;
        ++y;
    }
    return abi::Success;
}

int copyBetween(Array* dst, std::size_t dstX, std::size_t dstY, Array* src, std::size_t srcX,
                std::size_t srcY, std::size_t widthBytes, std::size_t height)
{
    if (!isArray(dst) || !isArray(src))
        return abi::InvalidResourceHandle;
    const std::size_t element = src->elementBytes;
    if (element != dst->elementBytes || (dstX | srcX | widthBytes) % element)
        return abi::InvalidValue;
    abi::Copy3D copy{};
    copy.srcArray = src;
    copy.srcPos = {srcX / element, srcY, 0};
    copy.dstArray = dst;
    copy.dstPos = {dstX / element, dstY, 0};
    copy.extent = {widthBytes / element, height, 1};
    copy.kind = abi::DeviceToDevice;
    if (const int error = validateCopy(copy))
        return error;
    return submit(nullptr, DefaultStream::Legacy, CopyWork{copy});
}

} // namespace

bool isArray(const Array* array)
{
    const std::lock_guard lock(arrayMutex());
    return arrays().count(array) != 0;
}

std::size_t elementBytes(const abi::ChannelDesc& desc)
{
    const int bits[] = {desc.x, desc.y, desc.z, desc.w};
    if (desc.x != 8 && desc.x != 16 && desc.x != 32)
        return 0;
    int channels = 1;
    while (channels < 4 && bits[channels] == desc.x)
        ++channels;
    for (int i = channels; i < 4; ++i) {
        if (bits[i] != 0)
            return 0;
    }
    const bool known = (desc.kind >= 0 && desc.kind <= 2) || (desc.kind >= 5 && desc.kind <= 16);
    return channels == 3 || !known ? 0 : std::size_t(channels * desc.x / 8);
}

int makeArray(Array** result, const abi::ChannelDesc& desc, abi::Extent extent, unsigned flags)
{
    if (!result)
        return abi::InvalidValue;
    *result = nullptr;
    auto array = std::make_unique<Array>();
    array->desc = desc;
    array->extent = extent;
    array->flags = flags;
    array->elementBytes = elementBytes(desc);
    if (array->elementBytes == 0)
        return abi::InvalidChannelDescriptor;
    // The texture unit's limits; a layered array's depth is its number of layers.
    if (extent.width == 0 || extent.width > 131072 || extent.height > 65536 || extent.depth > 16384)
        return abi::InvalidValue;
    array->data = static_cast<char*>(
        Device::instance().memory().allocate(array->bytes(), MemoryKind::Array, "cudaMallocArray"));
    if (!array->data)
        return abi::MemoryAllocation;
    const std::lock_guard lock(arrayMutex());
    arrays().insert(array.get());
    *result = array.release();
    return abi::Success;
}

int destroyArray(Array* array)
{
    {
        const std::lock_guard lock(arrayMutex());
        if (!arrays().erase(array))
            return abi::InvalidResourceHandle;
    }
    if (array->ownsData)
        Device::instance().memory().release(array->data);
    delete array;
    return abi::Success;
}

RIDGELINE_CUDA_API abi::ChannelDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return {x, y, z, w, kind};
}

RIDGELINE_CUDA_API int cudaMallocArray(Array** result, const abi::ChannelDesc* desc,
                                       std::size_t width, std::size_t height, unsigned flags)
{
    return apiCall("cudaMallocArray", [&]() -> int {
        if (const int error = refuseDuringCapture())
            return error;
        return desc ? makeArray(result, *desc, {width, height, 0}, flags) : int(abi::InvalidValue);
    });
}

RIDGELINE_CUDA_API int cudaMalloc3DArray(Array** result, const abi::ChannelDesc* desc,
                                         abi::Extent extent, unsigned flags)
{
    return apiCall("cudaMalloc3DArray", [&]() -> int {
        if (const int error = refuseDuringCapture())
            return error;
        return desc ? makeArray(result, *desc, extent, flags) : int(abi::InvalidValue);
    });
}

RIDGELINE_CUDA_API int cudaFreeArray(Array* array)
{
    return apiCall("cudaFreeArray", Waits::Yes,
                   [&]() -> int { return array ? destroyArray(array) : int(abi::Success); });
}

RIDGELINE_CUDA_API int cudaArrayGetInfo(abi::ChannelDesc* desc, abi::Extent* extent,
                                        unsigned* flags, Array* array)
{
    return apiCall("cudaArrayGetInfo", [&]() -> int {
        if (!isArray(array))
            return abi::InvalidResourceHandle;
        if (desc)
            *desc = array->desc;
        if (extent)
            *extent = array->extent;
        if (flags)
            *flags = array->flags;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGetChannelDesc(abi::ChannelDesc* desc, const Array* array)
{
    return apiCall("cudaGetChannelDesc", [&]() -> int {
        if (!isArray(array))
            return abi::InvalidResourceHandle;
        return desc ? (*desc = array->desc, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_SYNC_PAIR(cudaMemcpy2DToArray,
                    (Array * dst, std::size_t x, std::size_t y, void* src, std::size_t pitch,
                     std::size_t width, std::size_t height, int kind),
                    copyWithArray(dst, x, y, src, pitch, width, height, kind, true, nullptr, which))
RIDGELINE_SYNC_PAIR(cudaMemcpy2DFromArray,
                    (void* dst, std::size_t pitch, Array* src, std::size_t x, std::size_t y,
                     std::size_t width, std::size_t height, int kind),
                    copyWithArray(src, x, y, dst, pitch, width, height, kind, false, nullptr,
                                  which))
RIDGELINE_ASYNC_PAIR(cudaMemcpy2DToArrayAsync,
                     (Array * dst, std::size_t x, std::size_t y, void* src, std::size_t pitch,
                      std::size_t width, std::size_t height, int kind, Stream* stream),
                     copyWithArray(dst, x, y, src, pitch, width, height, kind, true, stream, which))
RIDGELINE_ASYNC_PAIR(cudaMemcpy2DFromArrayAsync,
                     (void* dst, std::size_t pitch, Array* src, std::size_t x, std::size_t y,
                      std::size_t width, std::size_t height, int kind, Stream* stream),
                     copyWithArray(src, x, y, dst, pitch, width, height, kind, false, stream,
                                   which))
RIDGELINE_SYNC_PAIR(cudaMemcpy2DArrayToArray,
                    (Array * dst, std::size_t dstX, std::size_t dstY, Array* src, std::size_t srcX,
                     std::size_t srcY, std::size_t width, std::size_t height, int),
                    copyBetween(dst, dstX, dstY, src, srcX, srcY, width, height))
RIDGELINE_SYNC_PAIR(cudaMemcpyArrayToArray,
                    (Array * dst, std::size_t dstX, std::size_t dstY, Array* src, std::size_t srcX,
                     std::size_t srcY, std::size_t bytes, int),
                    copyBetween(dst, dstX, dstY, src, srcX, srcY, bytes, 1))
RIDGELINE_SYNC_PAIR(cudaMemcpyToArray,
                    (Array * dst, std::size_t x, std::size_t y, char* src, std::size_t bytes,
                     int kind),
                    copyRunning(dst, x, y, src, bytes, kind, true, nullptr, which))
RIDGELINE_SYNC_PAIR(cudaMemcpyFromArray,
                    (char* dst, Array* src, std::size_t x, std::size_t y, std::size_t bytes,
                     int kind),
                    copyRunning(src, x, y, dst, bytes, kind, false, nullptr, which))
RIDGELINE_ASYNC_PAIR(cudaMemcpyToArrayAsync,
                     (Array * dst, std::size_t x, std::size_t y, char* src, std::size_t bytes,
                      int kind, Stream* stream),
                     copyRunning(dst, x, y, src, bytes, kind, true, stream, which))
RIDGELINE_ASYNC_PAIR(cudaMemcpyFromArrayAsync,
                     (char* dst, Array* src, std::size_t x, std::size_t y, std::size_t bytes,
                      int kind, Stream* stream),
                     copyRunning(src, x, y, dst, bytes, kind, false, stream, which))

} // namespace ridgeline::emu
