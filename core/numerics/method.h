// SPDX-License-Identifier: GPL-3.0-or-later
// The tolerance methods as an enum: inside this room only.
#pragma once

#include <QString>
#include <optional>

namespace ridgeline {

enum class ToleranceMethod { AllClose, BothExceed, Abs, Exact, Ulp };

std::optional<ToleranceMethod> methodOf(const QString& name);

} // namespace ridgeline
