// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA arrays: texel memory in row-major order, layers after one another.
#pragma once

#include "core/emulator/runtime/device.h"

namespace ridgeline::emu {

/// cudaArray_t and CUarray point at one of these.
struct Array {
    abi::ChannelDesc desc{};
    abi::Extent extent{}; ///< in elements; height or depth 0 as the program gave it
    unsigned flags = 0;   ///< 1 layered, 2 surface load/store, 4 cube map, 8 texture gather
    char* data = nullptr;
    std::size_t elementBytes = 0;
    bool ownsData = true; ///< false for a level of a mipmapped array

    std::size_t width() const { return extent.width; }
    std::size_t height() const { return extent.height ? extent.height : 1; }
    std::size_t depth() const { return extent.depth ? extent.depth : 1; }
    std::size_t pitch() const { return extent.width * elementBytes; }
    std::size_t slice() const { return pitch() * height(); }
    std::size_t bytes() const { return slice() * depth(); }
};

bool isArray(const Array* array);
/// Bytes per element; 0 when no texture unit knows such a format.
std::size_t elementBytes(const abi::ChannelDesc& desc);
/// Success with the array, or the error.
int makeArray(Array** result, const abi::ChannelDesc& desc, abi::Extent extent, unsigned flags);
int destroyArray(Array* array);

} // namespace ridgeline::emu
