// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/elf.h"

#include <cstring>
#include <elf.h>

namespace ridgeline {

namespace {

template <typename T>
bool readAt(const QByteArray& bytes, quint64 at, T& value)
{
    const auto size = quint64(bytes.size());
    if (at > size || sizeof(T) > size - at)
        return false;
    std::memcpy(&value, bytes.constData() + at, sizeof(T));
    return true;
}

/// The NUL-terminated text at `at` inside a string table.
QByteArray text(const QByteArray& bytes, const Elf64_Shdr& table, quint64 at)
{
    const auto size = quint64(bytes.size());
    if (at >= table.sh_size || table.sh_offset > size || table.sh_size > size - table.sh_offset)
        return {};
    const char* begin = bytes.constData() + table.sh_offset + at;
    return QByteArray(begin, qsizetype(strnlen(begin, table.sh_size - at)));
}

} // namespace

ElfFacts readElf(const QByteArray& bytes)
{
    ElfFacts facts;
    Elf64_Ehdr header;
    if (!readAt(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return facts;
    const auto section = [&](quint64 index, Elf64_Shdr& out) {
        return index < header.e_shnum && header.e_shentsize == sizeof(Elf64_Shdr) &&
               readAt(bytes, header.e_shoff + index * sizeof(Elf64_Shdr), out);
    };
    Elf64_Shdr names;
    if (!section(header.e_shstrndx, names))
        return facts;
    facts.isElf = true;
    for (quint64 i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr current, strings;
        if (!section(i, current))
            break;
        const QByteArray name = text(bytes, names, current.sh_name);
        if (name == ".nv_fatbin" || name == ".nvFatBinSegment")
            facts.hasDeviceCode = true;
        if (current.sh_type != SHT_DYNAMIC || !section(current.sh_link, strings))
            continue;
        const quint64 count = current.sh_size / sizeof(Elf64_Dyn);
        for (quint64 entry = 0; entry < count; ++entry) {
            Elf64_Dyn dynamic;
            if (!readAt(bytes, current.sh_offset + entry * sizeof(Elf64_Dyn), dynamic) ||
                dynamic.d_tag == DT_NULL)
                break;
            if (dynamic.d_tag == DT_NEEDED)
                facts.needed.append(text(bytes, strings, dynamic.d_un.d_val));
        }
    }
    return facts;
}

} // namespace ridgeline
