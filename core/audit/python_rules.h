// SPDX-License-Identifier: GPL-3.0-or-later
// The rule groups for Python. Inside this room.
#pragma once

#include "core/audit/python_model.h"
#include "core/audit/reporter.h"

namespace ridgeline::audit {

void auditPythonState(const PyModel& model, Reporter& out); ///< A06 to A09, A13
void auditPythonNames(const PyModel& model, Reporter& out); ///< the rest
const QVector<const Rule*>& pythonStateRules();
const QVector<const Rule*>& pythonNameRules();

} // namespace ridgeline::audit
