// SPDX-License-Identifier: GPL-3.0-or-later
// The rule groups for C++, CUDA and HIP. Inside this room.
#pragma once

#include "core/audit/cpp_model.h"
#include "core/audit/reporter.h"

namespace ridgeline::audit {

void auditKeptState(const CppModel& model, Reporter& out); ///< A06 to A09
void auditCppNames(const CppModel& model, Reporter& out);  ///< A02, A03, A05, A10, A11, A15 to A20
void auditCppContract(const CppModel& model, Reporter& out); ///< forbidden names, sizes, A19, A20
void auditCppLimits(const CppModel& model, Reporter& out);   ///< B15, C08, E05, E07, G11

const QVector<const Rule*>& cppStateRules();
const QVector<const Rule*>& cppNameRules();
const QVector<const Rule*>& cppContractRules();
const QVector<const Rule*>& cppLimitRules();

} // namespace ridgeline::audit
