// SPDX-License-Identifier: GPL-3.0-or-later
// Copies and fills: checked against the allocations first, then done row by row.
#include "core/emulator/runtime/arrays.h"
#include "core/emulator/runtime/work.h"

#include <cstring>

namespace ridgeline::emu {

namespace {

/// One side of a copy, in bytes.
struct Side {
    char* base = nullptr; ///< first byte of the first row
    std::size_t pitch = 0, slice = 0;
};

enum class Place { Host, Device };

std::uintptr_t address(const void* pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Bytes from the first to the last one touched; 0 when the numbers overflow.
std::size_t span(std::size_t width, std::size_t height, std::size_t depth, std::size_t pitch,
                 std::size_t slice)
{
    std::size_t rows = 0, slices = 0, sum = 0;
    if (__builtin_mul_overflow(height - 1, pitch, &rows) ||
        __builtin_mul_overflow(depth - 1, slice, &slices) ||
        __builtin_add_overflow(rows, slices, &sum) || __builtin_add_overflow(sum, width, &sum))
        return 0;
    return sum;
}

/// Whether a pointer side may be where the kind says, and inside its allocation.
int checkPointer(const void* pointer, std::size_t bytes, Place place, bool anyPlace)
{
    const auto found = Device::instance().memory().find(address(pointer));
    if (!found) {
        // Pageable host memory: the device does not know it, so it can only be the host side.
        return place == Place::Host || anyPlace ? abi::Success : abi::InvalidValue;
    }
    const bool deviceOnly = found->kind == MemoryKind::Device ||
                            found->kind == MemoryKind::Module || found->kind == MemoryKind::Array;
    if (place == Place::Host && deviceOnly && !anyPlace)
        return abi::InvalidValue;
    const std::size_t offset = address(pointer) - found->base;
    // A registered range may be part of a larger host buffer.
    if (found->kind == MemoryKind::PinnedHost)
        return abi::Success;
    return bytes <= found->size - offset ? abi::Success : abi::InvalidValue;
}

std::size_t copyElement(const abi::Copy3D& copy)
{
    if (copy.srcArray)
        return copy.srcArray->elementBytes;
    return copy.dstArray ? copy.dstArray->elementBytes : 1;
}

Side arraySide(const Array& array, const abi::Position& pos)
{
    return {array.data + pos.x * array.elementBytes + pos.y * array.pitch() + pos.z * array.slice(),
            array.pitch(), array.slice()};
}

Side pointerSide(const abi::PitchedPointer& at, const abi::Position& pos, std::size_t rowBytes,
                 std::size_t rows)
{
    const std::size_t pitch = at.pitch ? at.pitch : rowBytes;
    const std::size_t slice = pitch * (at.ysize ? at.ysize : rows);
    return {static_cast<char*>(at.pointer) + pos.x + pos.y * pitch + pos.z * slice, pitch, slice};
}

Side side(const abi::Copy3D& copy, bool destination)
{
    const std::size_t rowBytes = copy.extent.width * copyElement(copy);
    const Array* array = destination ? copy.dstArray : copy.srcArray;
    if (array)
        return arraySide(*array, destination ? copy.dstPos : copy.srcPos);
    return pointerSide(destination ? copy.dst : copy.src, destination ? copy.dstPos : copy.srcPos,
                       rowBytes, copy.extent.height);
}

bool fitsArray(const Array& array, const abi::Position& pos, const abi::Extent& extent)
{
    return pos.x <= array.width() && extent.width <= array.width() - pos.x &&
           pos.y <= array.height() && extent.height <= array.height() - pos.y &&
           pos.z <= array.depth() && extent.depth <= array.depth() - pos.z;
}

} // namespace

abi::Copy3D linearCopy(void* dst, const void* src, std::size_t bytes, int kind)
{
    abi::Copy3D copy{};
    copy.src = {const_cast<void*>(src), bytes, bytes, 1};
    copy.dst = {dst, bytes, bytes, 1};
    copy.extent = {bytes, 1, 1};
    copy.kind = kind;
    return copy;
}

int validateCopy(const abi::Copy3D& copy)
{
    if (copy.kind < 0 || copy.kind > 4)
        return abi::InvalidMemcpyDirection;
    const abi::Extent& extent = copy.extent;
    const bool empty = extent.width == 0 || extent.height == 0 || extent.depth == 0;
    std::size_t rowBytes = 0;
    if (__builtin_mul_overflow(extent.width, copyElement(copy), &rowBytes))
        return abi::InvalidValue;
    for (const bool destination : {false, true}) {
        const Array* array = destination ? copy.dstArray : copy.srcArray;
        const abi::PitchedPointer& pointer = destination ? copy.dst : copy.src;
        const abi::Position& pos = destination ? copy.dstPos : copy.srcPos;
        if (array) {
            if (!isArray(array))
                return abi::InvalidResourceHandle;
            if (!fitsArray(*array, pos, extent))
                return abi::InvalidValue;
            continue;
        }
        if (empty)
            continue;
        if (!pointer.pointer)
            return abi::InvalidValue;
        const std::size_t pitch = pointer.pitch ? pointer.pitch : rowBytes;
        if (pitch < rowBytes && extent.height > 1)
            return abi::InvalidPitchValue;
        const Side where = side(copy, destination);
        const std::size_t bytes =
            span(rowBytes, extent.height, extent.depth, where.pitch, where.slice);
        if (bytes == 0)
            return abi::InvalidValue;
        const bool onDevice =
            destination ? copy.kind == abi::HostToDevice || copy.kind == abi::DeviceToDevice
                        : copy.kind == abi::DeviceToHost || copy.kind == abi::DeviceToDevice;
        if (const int error =
                checkPointer(where.base, bytes, onDevice ? Place::Device : Place::Host,
                             copy.kind == abi::DefaultCopy))
            return error;
    }
    return abi::Success;
}

int performCopy(const CopyWork& work)
{
    const abi::Copy3D& copy = work.copy;
    const abi::Extent& extent = copy.extent;
    const std::size_t rowBytes = extent.width * copyElement(copy);
    if (rowBytes == 0 || extent.height == 0 || extent.depth == 0)
        return abi::Success;
    const Side from = side(copy, false), to = side(copy, true);
    Memory& memory = Device::instance().memory();
    for (std::size_t z = 0; z < extent.depth; ++z) {
        for (std::size_t y = 0; y < extent.height; ++y) {
            char* row = to.base + z * to.slice + y * to.pitch;
            std::memmove(row, from.base + z * from.slice + y * from.pitch, rowBytes);
            memory.markInitialised(row, rowBytes);
        }
    }
    return abi::Success;
}

int validateMemset(const MemsetWork& work)
{
    const abi::MemsetParams& params = work.params;
    if (params.elementSize != 1 && params.elementSize != 2 && params.elementSize != 4)
        return abi::InvalidValue;
    if (params.width == 0 || params.height == 0 || work.depth == 0)
        return abi::Success;
    std::size_t rowBytes = 0;
    if (__builtin_mul_overflow(params.width, std::size_t(params.elementSize), &rowBytes))
        return abi::InvalidValue;
    if (params.height > 1 && params.pitch < rowBytes)
        return abi::InvalidPitchValue;
    const std::size_t bytes =
        span(rowBytes, params.height, work.depth, params.pitch, work.slicePitch);
    const auto found = Device::instance().memory().find(address(params.dst));
    if (!found || bytes == 0 || bytes > found->size - (address(params.dst) - found->base))
        return abi::InvalidValue;
    return address(params.dst) % params.elementSize == 0 ? abi::Success : abi::InvalidValue;
}

int performMemset(const MemsetWork& work)
{
    const abi::MemsetParams& params = work.params;
    Memory& memory = Device::instance().memory();
    const std::size_t rowBytes = params.width * params.elementSize;
    if (rowBytes == 0 || params.height == 0)
        return abi::Success;
    for (std::size_t z = 0; z < work.depth; ++z) {
        for (std::size_t y = 0; y < params.height; ++y) {
            char* row = static_cast<char*>(params.dst) + z * work.slicePitch + y * params.pitch;
            if (params.elementSize == 1)
                std::memset(row, int(params.value & 0xff), rowBytes);
            else
                for (std::size_t x = 0; x < rowBytes; x += params.elementSize)
                    std::memcpy(row + x, &params.value, params.elementSize);
            memory.markInitialised(row, rowBytes);
        }
    }
    return abi::Success;
}

} // namespace ridgeline::emu
