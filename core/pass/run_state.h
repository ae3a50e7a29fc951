// SPDX-License-Identifier: GPL-3.0-or-later
// Private to core/pass: what the passes of one run share.
#pragma once

#include "core/exec/compile.h"
#include "core/exec/device.h"
#include "core/numerics/compare.h"
#include "core/pass/harness_run.h"
#include "core/pass/pipeline.h"
#include "core/pass/reference.h"

#include <QFile>

namespace ridgeline {

class PassContext;
struct RunState;

/// What the emulated device counted in one call of the entry, per kernel.
struct CountedKernel {
    QString caseId;
    QString kernel;
    int launches = 0;
    double fp64 = 0, fp32 = 0, fp16 = 0, bf16 = 0, tensor = 0; ///< FLOPs
    double loadBytes = 0, storeBytes = 0, loadSectors = 0, storeSectors = 0;
    double loadRequests = 0, storeRequests = 0, sharedBytes = 0, warpInstructions = 0;
    double uniqueBytes = 0; ///< distinct 32-byte sectors touched: least DRAM traffic
    double flops() const { return fp64 + fp32 + fp16 + bf16 + tensor; }
};

/// Reads a counters file of the emulated device (core/emulator/README.md). Only launches whose
/// label `caseOf` maps to a case id (not empty) count; lines it cannot read are left out.
QVector<CountedKernel> readCounters(const QString& file,
                                    const std::function<QString(const QString& label)>& caseOf);

/// Adds the findings of a report file of the emulated device's checkers. Returns how many
/// different errors there are that prove the candidate wrong.
int addCheckerFindings(PassContext& context, const QString& file);

/// One output against the reference's answer.
Result<OutputComparison> compareParam(const CaseParam& param, const QByteArray& got,
                                      const QByteArray& reference, const ToleranceRule& rule);

/// Adds what a case that did not end well means: crash, hang, CUDA error, flood …
void addRunFinding(PassContext& context, const HarnessOutcome& outcome, const QString& caseId);

/// Findings that follow from inputs changed, guards broken and forged report lines.
void addTamperFindings(PassContext& context, const HarnessOutcome& outcome, const QString& caseId);

/// A bundle's seeds for a case with the request's seed added.
QVector<quint64> seedsOf(const RunState& run, const BundleCase& c);

/// Why nothing can run on the device of the run, which is no CUDA device.
Error noCudaDevice(const RunState& run);

/// The axes of a case as JSON.
Json axesJson(const BundleCase& c);

/// One run. Used by one thread.
struct RunState {
    RunState(const RunRequest& r, const RunObserver& o, const CancelToken& c)
        : request(r), observer(o), cancel(c)
    {
    }

    const RunRequest& request;
    const RunObserver& observer;
    const CancelToken& cancel;
    Device device;
    std::optional<CudaToolchain> cuda;
    std::optional<HostCompiler> host;
    QString cudaMissing, hostMissing; ///< why, with the hint
    Json environment;
    QString artefactDir; ///< absolute
    std::optional<ReferenceProgram> reference;
    std::optional<Error> referenceError;
    QMap<QString, CompileResult> compiled;         ///< by candidate id
    QMap<QString, QVector<CountedKernel>> counted; ///< by candidate id; emulated device only
    Json hostRoof;         ///< "host" of the roofline result; null until measured, once per run
    QStringList temporary; ///< folders to remove when the run is over
    int done = 0;
    int total = 0;

    const Bundle& bundle() const { return request.bundle; }
    void progress(const QString& label)
    {
        if (observer.progress)
            observer.progress(done, total, label);
    }
};

/// One pass over one candidate.
class PassContext {
public:
    PassContext(RunState& runState, const Candidate& candidateRef, CandidateRun& runRecord,
                PassRecord& passRecord);
    ~PassContext();

    RunState& run;
    const Candidate& candidate;
    CandidateRun& record;
    PassRecord& pass;

    /// To the log file of the pass (at most 16 MiB) and to the observer.
    void log(const QString& line);
    /// Writes a file below the candidate's artefact folder and lists it. Failures go to the log.
    void artefact(const QString& name, const QString& fileName, const QString& media,
                  const QByteArray& bytes);
    /// Adds a finding; fills id, pass and candidate.
    Finding& add(const QString& code, Severity severity, const QString& title,
                 const QString& explanation, VerdictWord word);
    void end(PassState state, const QString& summary);
    /// Ends the pass by an error: Cancelled, or Error with message and hint.
    void endWith(const Error& error);
    bool cancelled() const { return run.cancel.isCancelled(); }

private:
    QFile m_log;
    qint64 m_logged = 0;
};

/// Evidence helpers.
Evidence numberEvidence(const QString& text, double value, const QString& rule);
Evidence logEvidence(const QString& text);
Evidence reproduceEvidence(const PassContext& context);
/// A range of a bundle file with the hash of its text; nothing when the file or lines are not
/// there.
std::optional<SourceRange> sourceRange(const Bundle& bundle, const QString& file, int line);

/// Path component made of a candidate id.
QString safeName(const QString& id);

// The passes. Each leaves state, summary, result and artefacts in context.pass.
void environmentPass(PassContext& context);
void compilePass(PassContext& context);
void auditPass(PassContext& context);
void correctnessPass(PassContext& context);
void benchmarkPass(PassContext& context);
void rooflinePass(PassContext& context);

/// Looks at the machine once per run: tools, device, sandbox; fills `run` with what the passes
/// need.
Result<void> prepareEnvironment(RunState& run);

/// Compiles a candidate once per run; the result is kept in `run`.
Result<CompileResult> compiledCandidate(RunState& run, const Candidate& candidate,
                                        const std::function<void(const QString&)>& onLine);

/// The fp64 reference, built once per run.
Result<const ReferenceProgram*> referenceProgram(RunState& run,
                                                 const std::function<void(const QString&)>& onLine);

/// Sets verdict and reason from passes and findings.
void decideVerdict(CandidateRun& run);

/// Where the record of a run goes; makes the artefact folder. `note` says when it is not the
/// bundle's own results folder, and why.
struct RunPlace {
    QString recordFile;  ///< empty: nothing is saved
    QString artefactDir; ///< empty: no place at all
    QString note;
};
RunPlace choosePlace(const RunRequest& request, const Device& device, const QDateTime& started);

} // namespace ridgeline
