// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of a report out of the results of passes (shapes: core/pass/README.md).
#pragma once

#include "core/report/report_model.h"

namespace ridgeline {

/// All tables of one candidate, in reading order. Malformed results give fewer rows, never a crash.
QVector<ReportTable> tablesOf(const CandidateRun& run);

/// The roof and the points of a roofline result.
RoofPlot roofPlotOf(const CandidateRun& run);

/// What a number of that timing kind is worth, in words.
QString timingKindText(const QString& kind);

} // namespace ridgeline
