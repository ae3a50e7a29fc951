// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/run_state.h"

namespace ridgeline {

void decideVerdict(CandidateRun& run)
{
    const auto decide = [&run](CandidateVerdict verdict, const QString& reason) {
        run.verdict = verdict;
        run.verdictReason = reason;
    };
    bool cancelled = false;
    for (const PassRecord& pass : run.passes) {
        // An error is the machine's or the task's, never proof against the candidate.
        if (pass.state == PassState::Failed || pass.state == PassState::Timeout)
            return decide(CandidateVerdict::Fail,
                          QStringLiteral("%1: %2").arg(pass.pass, pass.summary));
        cancelled = cancelled || pass.state == PassState::Cancelled;
    }
    for (const Finding& finding : run.findings) {
        if (finding.severity == Severity::High && finding.state != FindingState::Dismissed)
            return decide(CandidateVerdict::Suspect,
                          QStringLiteral("%1: %2").arg(finding.code, finding.title));
    }
    if (cancelled)
        return decide(CandidateVerdict::Unknown, QStringLiteral("the run was cancelled"));
    const PassRecord* correctness = run.pass(QStringLiteral("correctness"));
    if (correctness == nullptr)
        return decide(CandidateVerdict::Unknown, QStringLiteral("correctness was not checked"));
    if (correctness->state != PassState::Passed) {
        QString reason = correctness->summary;
        for (const PassRecord& pass : run.passes) {
            if (pass.state == PassState::Error) {
                reason = QStringLiteral("%1: %2").arg(pass.pass, pass.summary);
                break;
            }
        }
        return decide(CandidateVerdict::Unknown, reason);
    }
    for (const PassRecord& pass : run.passes) {
        if (pass.state == PassState::Error)
            return decide(CandidateVerdict::Pass,
                          QStringLiteral("right on every case; %1 could not be done: %2")
                              .arg(pass.pass, pass.summary));
    }
    decide(CandidateVerdict::Pass, correctness->summary);
}

} // namespace ridgeline
