// SPDX-License-Identifier: GPL-3.0-or-later
// cvt's small formats, apart from the wide ones.
#pragma once

#include "core/emulator/decode.h"

namespace ridgeline::emu {

struct CvtSpec {
    Type to, from;
    std::uint32_t integral; ///< 0 rni 1 rzi 2 rmi 3 rpi, 99 none
    int mode;               ///< cfenv constant
    bool ftz, sat, satfinite, relu, away;
};
/// f16, bf16, tf32, fp8 and their pairs.
void decodeCvtSmall(Decoder& decoder, const CvtSpec& spec);
/// cvt.pack.sat.
void decodeCvtPack(Decoder& decoder);

} // namespace ridgeline::emu
