// SPDX-License-Identifier: GPL-3.0-or-later
// Asynchronous copies and matrix instructions.
#pragma once

#include "core/emulator/decode.h"

namespace ridgeline::emu {

void registerTensor(DecodeTable& table); ///< also registerWmma
void registerWmma(DecodeTable& table);

} // namespace ridgeline::emu
