// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what the rules find in one file. Inside this room.
#pragma once

#include "core/audit/source_audit.h"

namespace ridgeline::audit {

/// The constant part of a finding.
struct Rule {
    const char* code;
    Severity severity;
    const char* criterion;
    VerdictWord verdict;
    const char* title;
    const char* explanation;
};

class Reporter {
public:
    Reporter(const QString& text, const QString& path, const QString& language,
             const AuditTask& task, int lineOffset = 0)
        : m_text(text), m_path(path), m_language(language), m_task(task), m_offset(lineOffset)
    {
    }

    const AuditTask& task() const { return m_task; }
    const QString& language() const { return m_language; }
    const QString& path() const { return m_path; }
    /// The whole file, even while a string inside it is audited.
    const QString& text() const { return m_text; }

    /// Adds a place to the finding of this rule, or starts it. Lines are those of the audited text;
    /// at most eight places are kept. `severity` overrides the rule's when it is higher.
    void add(const Rule& rule, int firstLine, int lastLine, const QString& what,
             std::optional<Severity> severity = std::nullopt);

    QVector<Finding> take() { return std::move(m_findings); }

    /// While a string of the file is audited as source of its own, lines are shifted by this.
    void setLineOffset(int offset) { m_offset = offset; }

private:
    const QString& m_text;
    QString m_path;
    QString m_language;
    const AuditTask& m_task;
    int m_offset;
    QVector<Finding> m_findings;
};

void auditCpp(const QString& text, Reporter& out);
void auditPython(const QString& text, Reporter& out);

} // namespace ridgeline::audit
