// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the harness program of one candidate over cases, and restarts it after a case that killed
// it.
#pragma once

#include "core/exec/device.h"
#include "core/exec/process.h"
#include "core/pass/case_data.h"

#include <functional>

namespace ridgeline {

struct HarnessCase {
    int index = 0; ///< chosen by the caller, unique in the job
    QString label; ///< names the launches in the counters
    CaseLayout layout;
    QVector<QStringList>
        inputs; ///< per input set: files by parameter index, relative to the scratch
    bool bench = false;
    int warmup = 0;
    int reps = 1;
    QVector<int> dump; ///< repetitions whose outputs are kept
    int timeoutMs = 120000;
};

struct HarnessSample {
    int rep = 0;
    int set = 0;
    double eventNs = 0; ///< between events around the call, on the default stream
    double fullNs = 0;  ///< to an event after a device-wide synchronisation
    double hostNs = 0;
    QString hash; ///< of the outputs; starts with "-" when they were too large
};

enum class HarnessEnd { Done, CudaError, Crashed, Hung, Stopped, Left, NotRun, Cancelled };

struct HarnessOutcome {
    int index = 0;
    HarnessEnd end = HarnessEnd::NotRun;
    QString message;   ///< one line for people when not Done
    QString errorCode; ///< catalogue id (E06 …) of a CUDA error, when known
    QString errorName; ///< cudaErrorIllegalAddress …
    QStringList inputsChanged, guardsBroken;
    QVector<HarnessSample> samples;
    QVector<QPair<int, int>> dumps;          ///< repetition, input set
    ProcessEnd process = ProcessEnd::Exited; ///< how the process ended when it ended in this case
    int signal = 0;
    QByteArray stderrTail;
    qint64 wallNs = 0;
};

struct HarnessJob {
    QString program;
    QString scratch; ///< absolute; inputs are there, outputs come there
    Device device;
    CudaToolchain cuda;
    EmulatorOptions emulator;
    ProcessLimits limits; ///< the wall limit is set per case
    QVector<HarnessCase> cases;
    std::function<void(const QString&)> onLine;        ///< candidate's output
    std::function<void(const HarnessOutcome&)> onCase; ///< each case as it ends
};

struct HarnessReport {
    QVector<HarnessOutcome> outcomes; ///< one per case, in order
    bool sandboxed = false;
    int forged = 0; ///< lines on the report pipe that were not ours
    Json device;    ///< what the harness saw
};

/// File of an output below the scratch folder.
QString outputFile(int caseIndex, qsizetype param, int rep = -1);

/// Limits for candidates on this machine: half the memory, 64 processes (threads do not count), 2
/// GiB files.
ProcessLimits candidateLimits();

/// Errors are the machine's; whatever the candidate does is in the outcomes.
Result<HarnessReport> runHarness(const HarnessJob& job, const CancelToken& cancel);

} // namespace ridgeline
