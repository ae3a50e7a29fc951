// SPDX-License-Identifier: GPL-3.0-or-later
// What an executable says about the CUDA runtime it needs.
#pragma once

#include <QByteArray>
#include <QByteArrayList>

namespace ridgeline {

struct ElfFacts {
    bool isElf = false;         ///< 64-bit little-endian ELF whose tables could be read
    bool hasDeviceCode = false; ///< it has a section that nvcc puts GPU code into
    QByteArrayList needed;      ///< shared libraries it asks for
};

/// Reads the tables of an ELF file given as its bytes. Anything broken or cut off gives what was
/// read up to there; never reads outside `bytes`.
ElfFacts readElf(const QByteArray& bytes);

} // namespace ridgeline
