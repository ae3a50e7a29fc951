// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the fat binaries that nvcc puts into programs. Format: docs in fatbin.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::emu {

enum class FatbinKind { Ptx, Cubin, Other };

/// One image of a fat binary. `payload` points into the caller's memory.
struct FatbinEntry {
    FatbinKind kind = FatbinKind::Other;
    unsigned arch = 0;     ///< 80 for sm_80 or compute_80
    unsigned ptxMajor = 0; ///< PTX language version
    unsigned ptxMinor = 0;
    std::uint64_t flags = 0;
    std::string_view payload;           ///< as stored, perhaps compressed
    std::uint64_t uncompressedSize = 0; ///< as the entry says; 0 when not compressed
};

struct Fatbin {
    std::vector<FatbinEntry> entries;
    std::string error; ///< empty when the whole binary was read
};

/// Bytes that the fat binary at `data` says it has, header included; 0 when at least 16 readable
/// bytes at `data` are no fat binary header.
std::size_t fatbinSize(const void* data);

/// Reads the directory. Never reads at or beyond `data + size`; a truncated or hostile binary gives
/// the entries before the fault and an error.
Fatbin parseFatbin(const void* data, std::size_t size);

/// PTX text of an entry (decompressed: zstd or LZ4, as nvcc's --compress-mode chooses), without the
/// closing NUL. False with an error when it is no PTX, or broken, or says it is over 256 MiB.
bool extractPtx(const FatbinEntry& entry, std::string& text, std::string& error);

} // namespace ridgeline::emu
