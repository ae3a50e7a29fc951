// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/source_audit.h"
#include "core/pass/run_state.h"

namespace ridgeline {

void auditPass(PassContext& c)
{
    auto findings = auditCandidate(c.run.bundle(), c.candidate);
    if (!findings)
        return c.endWith(findings.error());
    int high = 0;
    for (Finding finding : *findings) {
        finding.pass = c.pass.pass;
        finding.candidate = c.candidate.id;
        high += finding.severity == Severity::High ? 1 : 0;
        c.log(QStringLiteral("%1 %2: %3")
                  .arg(finding.code, severityName(finding.severity), finding.title));
        c.record.findings.push_back(finding);
    }
    c.pass.result = {{"rules", auditRuleCount()},
                     {"files", c.candidate.files.size()},
                     {"findings", findings->size()}};
    c.end(PassState::Passed,
          findings->isEmpty()
              ? QStringLiteral("nothing found")
              : QStringLiteral("%1 findings, %2 of them severe").arg(findings->size()).arg(high));
}

} // namespace ridgeline
