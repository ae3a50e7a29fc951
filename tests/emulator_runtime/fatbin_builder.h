// SPDX-License-Identifier: GPL-3.0-or-later
// Builds fat binaries as nvcc writes them, for tests that must not depend on nvcc.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace fatbin_builder {

template <typename T>
void put(std::string& out, std::size_t at, T value)
{
    std::memcpy(out.data() + at, &value, sizeof value);
}

/// One image; `stored` is the payload as it lies in the file.
inline std::string entry(std::uint16_t kind, std::uint32_t arch, const std::string& stored,
                         std::uint64_t flags = 0x11, std::uint64_t uncompressed = 0)
{
    const std::size_t padded = (stored.size() + 7) / 8 * 8;
    std::string out(0x50 + padded, '\0');
    put<std::uint16_t>(out, 0, kind);
    put<std::uint16_t>(out, 2, 0x101);
    put<std::uint32_t>(out, 4, 0x50);
    put<std::uint64_t>(out, 8, padded);
    put<std::uint32_t>(out, 0x10, uncompressed ? std::uint32_t(stored.size()) : 0);
    put<std::uint16_t>(out, 0x18, 0);
    put<std::uint16_t>(out, 0x1a, 9);
    put<std::uint32_t>(out, 0x1c, arch);
    put<std::uint64_t>(out, 0x28, flags);
    put<std::uint64_t>(out, 0x38, uncompressed);
    std::memcpy(out.data() + 0x50, stored.data(), stored.size());
    return out;
}

inline std::string plainPtx(const std::string& text, std::uint32_t arch = 80)
{
    return entry(1, arch, text + '\0');
}

inline std::string zstdPtx(const std::string& text, std::uint32_t arch = 80)
{
    const std::string raw = text + '\0';
    std::string packed(ZSTD_compressBound(raw.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), 3));
    return entry(1, arch, packed, 0x8011, raw.size());
}

inline std::string fatbin(const std::string& entries)
{
    std::string out(16, '\0');
    put<std::uint32_t>(out, 0, 0xba55ed50);
    put<std::uint16_t>(out, 4, 1);
    put<std::uint16_t>(out, 6, 16);
    put<std::uint64_t>(out, 8, entries.size());
    return out + entries;
}

/// What __cudaRegisterFatBinary takes. Keep it alive together with `image`.
struct Wrapper {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    const void* const* prelinked = nullptr;
};

} // namespace fatbin_builder
