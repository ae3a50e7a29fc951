// SPDX-License-Identifier: GPL-3.0-or-later
// The static source audit: reads candidate sources as tokens and reports the failure catalogue's
// patterns. It runs nothing and proves nothing; each finding says what a person should look at.
#pragma once

#include "core/audit/finding.h"
#include "core/bundle/bundle.h"

#include <QStringList>
#include <QVector>

namespace ridgeline {

/// What the rules may know about the task beside the text.
struct AuditTask {
    bool known = false; ///< false: a lone file; rules that need the contract stay quiet
    bool fp32Contract =
        false;              ///< every float tensor is fp32 (or fp64) and tensor cores are not named
    bool migration = false; ///< HIP ↔ CUDA
    bool process = false;   ///< a whole program with main
    QString entry;          ///< "solve"
    QStringList forbidden;
    QVector<qint64> axisValues; ///< sizes of the cases
};

/// Rules in this audit; for the "rules" count of a run.
int auditRuleCount();

/// Audits one text. `path` is what findings name; `language`: cuda, cpp, hip, python, triton,
/// pallas, nki (others give no findings). Any bytes are fine; never fails. Any thread.
QVector<Finding> auditText(const QString& text, const QString& path, const QString& language,
                           const AuditTask& task = {});

/// Reads and audits one file (at most 8 MiB). Empty `language` = by suffix; BadUsage when it tells
/// nothing.
Result<QVector<Finding>> auditFile(const QString& path, const QString& language = {});

/// Audits all files of a candidate against its bundle. Findings carry candidate and ids
/// ("<candidate>/audit/<code>/<n>"), paths relative to the bundle, most severe first. A file that
/// cannot be read is the error.
Result<QVector<Finding>> auditCandidate(const Bundle& bundle, const Candidate& candidate);

/// The range of a text with the hash of its lines (hashOfLines); a last line past the end is cut.
SourceRange sourceRange(const QString& path, const QString& text, int firstLine, int lastLine);

} // namespace ridgeline
