// SPDX-License-Identifier: GPL-3.0-or-later
// Layout (little endian), found in nvcc 13's output:
//   header  u32 magic 0xba55ed50, u16 version, u16 header size (16), u64 size of the entries
//   entry   u16 kind (1 PTX, 2 cubin) | +4 u32 header size | +8 u64 padded payload size
//           | +0x10 u32 compressed size | +0x18 u16 PTX minor, +0x1a u16 PTX major | +0x1c u32 arch
//           | +0x28 u64 flags (0x2000 LZ4, 0x8000 zstd) | +0x38 u64 uncompressed size
//           payload at entry + header size
#include "core/emulator/runtime/fatbin.h"

#include <zstd.h>

#include <cstring>

namespace ridgeline::emu {

namespace {

constexpr std::uint32_t magicNumber = 0xba55ed50;
constexpr std::size_t headerBytes = 16;
constexpr std::size_t entryHeaderBytes = 0x40;
constexpr std::uint64_t flagLz4 = 0x2000, flagZstd = 0x8000;
constexpr std::uint64_t largestText = std::uint64_t(256) << 20;

template <typename T>
T readAt(const char* data)
{
    T value;
    std::memcpy(&value, data, sizeof value);
    return value;
}

/// LZ4 block format: token (literal length, match length), literals, u16 distance.
bool decompressLz4(std::string_view in, std::string& out, std::uint64_t size)
{
    out.clear();
    out.reserve(size);
    std::size_t at = 0;
    const auto length = [&](std::size_t start) -> std::size_t {
        std::size_t value = start;
        if (start == 15) {
            while (at < in.size()) {
                const auto byte = static_cast<unsigned char>(in[at++]);
                value += byte;
                if (byte != 255)
                    break;
            }
        }
        return value;
    };
    while (at < in.size() && out.size() < size) {
        const auto token = static_cast<unsigned char>(in[at++]);
        const std::size_t literals = length(token >> 4);
        if (literals > in.size() - at || literals > size - out.size())
            return false;
        out.append(in.substr(at, literals));
        at += literals;
        if (out.size() == size)
            return true;
        if (in.size() - at < 2)
            return false;
        const std::size_t distance = readAt<std::uint16_t>(in.data() + at);
        at += 2;
        const std::size_t match = length(token & 15) + 4;
        if (distance == 0 || distance > out.size() || match > size - out.size())
            return false;
        for (std::size_t i = 0; i < match; ++i)
            out.push_back(out[out.size() - distance]);
    }
    return out.size() == size;
}

bool decompressZstd(std::string_view in, std::string& out, std::uint64_t size)
{
    // A frame that promises another size than the directory is a lie in one of them.
    const unsigned long long content = ZSTD_getFrameContentSize(in.data(), in.size());
    if (content == ZSTD_CONTENTSIZE_ERROR ||
        (content != ZSTD_CONTENTSIZE_UNKNOWN && content != size))
        return false;
    out.resize(size);
    const std::size_t got = ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
    return !ZSTD_isError(got) && got == size;
}

} // namespace

std::size_t fatbinSize(const void* data)
{
    const char* bytes = static_cast<const char*>(data);
    if (!bytes || readAt<std::uint32_t>(bytes) != magicNumber)
        return 0;
    const std::uint64_t header = readAt<std::uint16_t>(bytes + 6);
    const auto payload = readAt<std::uint64_t>(bytes + 8);
    if (header < headerBytes || payload > SIZE_MAX - header)
        return 0;
    return header + payload;
}

Fatbin parseFatbin(const void* data, std::size_t size)
{
    Fatbin result;
    const char* bytes = static_cast<const char*>(data);
    if (!bytes || size < headerBytes || fatbinSize(bytes) == 0) {
        result.error = "no fat binary header";
        return result;
    }
    const std::size_t total = fatbinSize(bytes);
    const std::size_t end = total < size ? total : size;
    if (total > size)
        result.error = "the fat binary ends after " + std::to_string(size) + " of " +
                       std::to_string(total) + " bytes";
    std::size_t at = readAt<std::uint16_t>(bytes + 6);
    while (at < end) {
        const char* entry = bytes + at;
        if (end - at < entryHeaderBytes) {
            if (result.error.empty())
                result.error = "an image's header is cut off at byte " + std::to_string(at);
            return result;
        }
        const auto header = readAt<std::uint32_t>(entry + 4);
        const auto padded = readAt<std::uint64_t>(entry + 8);
        if (header < entryHeaderBytes || header > end - at || padded > end - at - header) {
            result.error =
                "the image at byte " + std::to_string(at) + " does not fit into the fat binary";
            return result;
        }
        FatbinEntry found;
        const auto kind = readAt<std::uint16_t>(entry);
        found.kind = kind == 1   ? FatbinKind::Ptx
                     : kind == 2 ? FatbinKind::Cubin
                                 : FatbinKind::Other;
        found.ptxMinor = readAt<std::uint16_t>(entry + 0x18);
        found.ptxMajor = readAt<std::uint16_t>(entry + 0x1a);
        found.arch = readAt<std::uint32_t>(entry + 0x1c);
        found.flags = readAt<std::uint64_t>(entry + 0x28);
        std::uint64_t stored = padded;
        if (found.flags & (flagLz4 | flagZstd)) {
            found.uncompressedSize = readAt<std::uint64_t>(entry + 0x38);
            const auto compressed = readAt<std::uint32_t>(entry + 0x10);
            if (compressed != 0)
                stored = compressed;
            if (stored > padded) {
                result.error =
                    "the image at byte " + std::to_string(at) + " is larger than its place";
                return result;
            }
        }
        found.payload = std::string_view(entry + header, stored);
        result.entries.push_back(found);
        at += header + padded;
    }
    return result;
}

bool extractPtx(const FatbinEntry& entry, std::string& text, std::string& error)
{
    text.clear();
    if (entry.kind != FatbinKind::Ptx) {
        error = "the image is machine code, not PTX";
        return false;
    }
    if (entry.flags & (flagLz4 | flagZstd)) {
        if (entry.uncompressedSize == 0 || entry.uncompressedSize > largestText) {
            error =
                "the PTX image says it has " + std::to_string(entry.uncompressedSize) + " bytes";
            return false;
        }
        const bool good = entry.flags & flagZstd
                              ? decompressZstd(entry.payload, text, entry.uncompressedSize)
                              : decompressLz4(entry.payload, text, entry.uncompressedSize);
        if (!good) {
            text.clear();
            error = "the compressed PTX image is damaged";
            return false;
        }
    } else {
        text.assign(entry.payload);
    }
    if (const auto end = text.find('\0'); end != std::string::npos)
        text.resize(end);
    return true;
}

} // namespace ridgeline::emu
