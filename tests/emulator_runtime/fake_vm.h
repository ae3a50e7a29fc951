// SPDX-License-Identifier: GPL-3.0-or-later
// A test double of core/emulator's virtual machine: knows kernels by name and what they are to do,
// so that the runtime can be tested without executing PTX.
#pragma once

#include "core/emulator/vm.h"

#include <functional>

namespace ridgeline::emu::fake {

/// What a launch does; the default does nothing and succeeds.
using Behaviour = std::function<LaunchResult(const KernelInfo&, Memory&, const LaunchConfig&,
                                             const ExecOptions&)>;
void onLaunch(Behaviour behaviour);
int launches();

} // namespace ridgeline::emu::fake
