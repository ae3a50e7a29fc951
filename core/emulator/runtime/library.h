// SPDX-License-Identifier: GPL-3.0-or-later
// Loading modules at run time: cudaLibrary* and cuModule* alike.
#pragma once

#include "core/emulator/runtime/device.h"

namespace ridgeline::emu {

/// `image`: PTX text with its closing NUL, a fat binary, or nvcc's wrapper of one. Parsed at once.
/// `log` gets the reason on failure. InvalidKernelImage for machine code (a cubin) and anything
/// else.
int loadImage(const void* image, Binary** result, std::string& log);
/// Same for a file.
int loadImageFile(const char* path, Binary** result, std::string& log);

} // namespace ridgeline::emu
