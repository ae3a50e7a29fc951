// SPDX-License-Identifier: GPL-3.0-or-later
// Gathers what a report is made of from where a bundle keeps it.
#pragma once

#include "core/report/report_model.h"

namespace ridgeline {

struct ReportRequest {
    QString bundle;    ///< folder or manifest
    QString runFile;   ///< empty = newest in BUNDLE/results and in the user's folder for it
    QString reviewer;  ///< empty = newest review of anybody
    QString rubric;    ///< rubric id; empty = any
    QString candidate; ///< empty = all
    QString version;   ///< of Ridgeline
};

/// Loads bundle, run, review and rubric. What is not there is left out and said in `notices`; what
/// was asked for by name and is not there is an error. Executes nothing. Any thread.
Result<ReportInput> gatherReport(const ReportRequest& request);

} // namespace ridgeline
