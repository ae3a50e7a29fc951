// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/emulator/runtime/abi.h"

namespace ridgeline::emu {

/// The modelled device's properties; memory is what the emulation has.
void fillProperties(abi::DeviceProperties& properties);
/// By cudaDeviceAttr / CUdevice_attribute (same numbers). InvalidValue for a number CUDA 13.0
/// lacks.
int deviceAttribute(int attribute, int& value);

} // namespace ridgeline::emu
