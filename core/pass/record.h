// SPDX-License-Identifier: GPL-3.0-or-later
// What a run leaves: kresult/1 as values. The JSON shape of each pass's `result` is in README.md.
#pragma once

#include "core/audit/finding.h"
#include "core/support/json.h"

#include <QDateTime>
#include <QString>
#include <QVector>

namespace ridgeline {

enum class PassState { Pending, Running, Passed, Failed, Error, Skipped, Cancelled, Timeout };

/// pass: every pass that ran is fine. fail: a pass proved it wrong. suspect: a finding of severity
/// high that only a person can settle. unknown: what would decide could not run here.
enum class CandidateVerdict { Pass, Fail, Suspect, Unknown };

/// A file a pass left behind, relative to the run's artefact folder.
struct Artefact {
    QString name; ///< for people: "PTX", "ptxas log"
    QString path;
    QString media; ///< text/x-ptx, text/plain, application/json …
    bool operator==(const Artefact&) const = default;
};

struct PassRecord {
    QString pass; ///< environment, compile, audit, correctness, benchmark, roofline …
    PassState state = PassState::Pending;
    QDateTime started; ///< UTC
    qint64 wallNs = 0;
    QString summary; ///< one line for people
    Json result;     ///< shape by pass, see core/pass/README.md
    QString log;     ///< path of the log, relative to the artefact folder
    QVector<Artefact> artefacts;
    bool operator==(const PassRecord&) const = default;
};

struct CandidateRun {
    QString id;
    CandidateVerdict verdict = CandidateVerdict::Unknown;
    QString verdictReason; ///< why, one line
    QVector<PassRecord> passes;
    QVector<Finding> findings;
    bool operator==(const CandidateRun&) const = default;

    const PassRecord* pass(const QString& name) const;
};

struct RunRecord {
    QString bundle; ///< bundle id
    QString device; ///< "emulated-cuda:a100-80-sxm", "cuda:0", "cpu"
    QDateTime started;
    Json environment;    ///< tool versions, host, flags; see README.md
    QString artefactDir; ///< absolute folder of artefacts and logs; not part of the JSON's meaning
    QVector<CandidateRun> candidates;
    bool operator==(const RunRecord&) const = default;

    const CandidateRun* candidate(const QString& id) const;
};

QString passStateName(
    PassState state); ///< passed, failed, error, skipped, cancelled, timeout, pending, running
QString verdictName(CandidateVerdict verdict); ///< pass, fail, suspect, unknown

/// kresult/1.
Json toJson(const RunRecord& run);
Json toJson(const PassRecord& pass);
/// Reads kresult/1; errors carry a JSON pointer.
Result<RunRecord> runFromJson(const Json& json, const QString& file);

} // namespace ridgeline
