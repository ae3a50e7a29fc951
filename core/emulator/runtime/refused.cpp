// SPDX-License-Identifier: GPL-3.0-or-later
// What the real library exports and the emulated device does not have: exported all the same, so
// that programs load, and refused by name when called.
#include "core/emulator/runtime/api.h"

namespace ridgeline::emu {

// The parameters do not matter: under the C calling convention the caller owns them.
#define RIDGELINE_REFUSE(name)                                                                     \
    RIDGELINE_CUDA_API int name()                                                                  \
    {                                                                                              \
        return refuse(#name);                                                                      \
    }

#include "core/emulator/runtime/refused_symbols.inc"

} // namespace ridgeline::emu
