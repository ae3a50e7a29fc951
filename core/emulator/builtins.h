// SPDX-License-Identifier: GPL-3.0-or-later
// Device functions without PTX: vprintf, __assertfail, malloc, free.
#pragma once

#include "core/emulator/machine.h"

#include <string_view>

namespace ridgeline::emu {

Builtin builtinFor(std::string_view name);
std::size_t builtinArguments(Builtin builtin);
const Instr* runBuiltin(Warp& warp, const Instr* instr, const CallSite& site);
/// A call frame from the worker's pool; registers hold what they held.
Frame* newFrame(Warp& warp, const Function* function);

} // namespace ridgeline::emu
