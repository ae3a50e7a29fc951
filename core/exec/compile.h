// SPDX-License-Identifier: GPL-3.0-or-later
// Builds a candidate: kernels by nvcc, our harness around them, PTX kept, registers by ptxas.
#pragma once

#include "core/bundle/bundle.h"
#include "core/exec/diagnostics.h"
#include "core/exec/process.h"
#include "core/exec/toolchain.h"

#include <functional>

namespace ridgeline {

struct CompileRequest {
    Bundle bundle;
    Candidate candidate;
    CudaToolchain cuda;
    HostCompiler host;
    QString realArch; ///< "sm_90": machine code for a real GPU too; empty = PTX only
    /// Lines of the compilers, on the calling thread.
    std::function<void(const QString&)> onLine;
};

struct CompileResult {
    bool ok = false;
    bool fromCache = false;
    QString folder;  ///< where the files below are; in the cache, do not write there
    QString program; ///< absolute; set when ok
    QString arch;    ///< what ptxas figures are for, e.g. sm_80
    QStringList commands;
    QString log; ///< all compiler output, capped
    QString ptxasLog;
    QStringList ptxFiles; ///< absolute
    QVector<Diagnostic> diagnostics;
    QVector<KernelUsage> kernels;
    ProcessEnd end = ProcessEnd::NotStarted; ///< of the step that decided
    QString failure;                         ///< why not ok, one line
};

/// Compiles, or takes the result from the cache: the key covers every file of the bundle, all
/// flags, our harness text and the tools' versions. Errors are the machine's (no space, no
/// compiler); a candidate that does not compile is a result with ok false. Cancelled when asked.
Result<CompileResult> compileCandidate(const CompileRequest& request, const CancelToken& cancel);

/// The C++ text between harness and candidate. Empty parameters are fine.
QString thunkSource(const Signature& signature, const QString& entry);

/// The type a scalar or integer tensor element has in C++ ("int32_t", "float" …; 16-bit floats,
/// which travel as their bits, "uint16_t").
QString hostTypeName(DType type);

/// Hash of every regular file below bundle.dir/files and of the manifest's fields that matter;
/// empty when there is more than 256 MiB (then nothing is cached).
QByteArray bundleContentHash(const Bundle& bundle);

/// A fresh folder of ours below cacheDir()/scratch; removed with the object.
class ScratchDir {
public:
    ScratchDir();
    ~ScratchDir();
    ScratchDir(const ScratchDir&) = delete;
    ScratchDir& operator=(const ScratchDir&) = delete;
    bool isValid() const { return !m_path.isEmpty(); }
    const QString& path() const { return m_path; }
    QString file(const QString& name) const { return m_path + QLatin1Char('/') + name; }
    /// Leaves the folder to somebody else.
    void release() { m_path.clear(); }

private:
    QString m_path;
};

} // namespace ridgeline
