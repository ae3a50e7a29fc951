// SPDX-License-Identifier: GPL-3.0-or-later
// Names and texts of CUDA's error codes.
#pragma once

namespace ridgeline::emu {

/// "cudaErrorInvalidValue"; "unrecognized error code" for a number CUDA does not define.
const char* errorName(int code);
/// "invalid argument"; "unrecognized error code" for a number CUDA does not define.
const char* errorText(int code);
bool isKnownError(int code);

} // namespace ridgeline::emu
