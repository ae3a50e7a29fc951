// SPDX-License-Identifier: GPL-3.0-or-later
// Private to core/pass: candidates that are whole programs, judged by their exit code.
#pragma once

#include "core/pass/run_state.h"

namespace ridgeline {

struct ProgramRun {
    ProcessOutcome outcome;
    bool ok = false;     ///< ended with one of the bundle's good exit codes
    QString message;     ///< one line
    HarnessOutcome told; ///< the same as a harness outcome, for addRunFinding
};

/// Runs the compiled program once with the case's arguments in a fresh scratch folder.
ProgramRun runProgram(PassContext& context, const QString& program, const BundleCase& c,
                      const EmulatorOptions& emulator, int timeoutMs);

void processCorrectness(PassContext& context);

} // namespace ridgeline
