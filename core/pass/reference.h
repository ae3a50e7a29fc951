// SPDX-License-Identifier: GPL-3.0-or-later
// The fp64 reference: built once, run in a process of its own, answers kept by content.
#pragma once

#include "core/exec/compile.h"
#include "core/pass/case_data.h"

namespace ridgeline {

/// The expected outputs of one case and seed, by parameter index; entries of other parameters are
/// empty. Float types are doubles, integer types their own elements.
using ReferenceOutputs = QVector<QByteArray>;

class ReferenceProgram {
public:
    /// Builds (or finds in the cache) the program. Errors: BadSchema when the bundle has no C++
    /// reference or it does not compile (the message names file and line), Environment, Cancelled.
    static Result<ReferenceProgram> build(const Bundle& bundle, const HostCompiler& host,
                                          const std::function<void(const QString&)>& onLine,
                                          const CancelToken& cancel);

    /// Runs it, or takes the answer from the cache. Error BadSchema: the reference crashed, hung or
    /// left outputs unwritten: a fault of the task.
    Result<ReferenceOutputs> run(const CaseLayout& layout, const QVector<GeneratedTensor>& inputs,
                                 int timeoutMs, const CancelToken& cancel) const;

    const QString& command() const { return m_command; }
    const QString& file() const { return m_file; }

private:
    QString m_program, m_command, m_file;
    QByteArray m_key;
    QString m_manifest;
};

} // namespace ridgeline
