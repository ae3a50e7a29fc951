// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the compilers, and makes a CUDA compiler from PyPI's packages where there is none.
#pragma once

#include "core/support/cancel.h"
#include "core/support/result.h"

#include <QString>
#include <QStringList>
#include <functional>

namespace ridgeline {

struct HostCompiler {
    QString path;    ///< g++ or another C++ compiler
    QString version; ///< first line of --version
    bool operator==(const HostCompiler&) const = default;
};

struct CudaToolchain {
    QString nvcc;         ///< absolute
    QString version;      ///< "13.0.88"
    QString root;         ///< holds bin/ and include/
    QString includeDir;   ///< with cuda_runtime_api.h
    QString libDir;       ///< with libcudart.so
    QString ptxas;        ///< empty when not found
    QString ptxasVersion; ///< "13.0.88"
    QString cuobjdump;    ///< empty when not found
    QString nvdisasm;     ///< empty when not found
    bool managed = false; ///< our own, in cacheDir()
    bool operator==(const CudaToolchain&) const = default;
};

/// The C++ compiler for harness and reference: g++, else c++, else clang++ of PATH.
Result<HostCompiler> findHostCompiler();

/// nvcc of $RIDGELINE_NVCC, else PATH, else /usr/local/cuda*, else the managed one. At least 12.0.
/// Asks the compiler for its version in a child process. Any thread; nothing is remembered.
Result<CudaToolchain> findCudaToolchain();

/// cacheDir()/cuda-13.0: a virtual environment with NVIDIA's own compiler packages of PyPI.
QString managedCudaDir();

/// Makes (or completes, or checks) the managed toolchain: about 0.4 GB from PyPI. `progress` gets
/// lines for people on the calling thread. Ends by compiling a small kernel. May be repeated and
/// resumed; two at a time wait for each other.
Result<CudaToolchain> setupManagedCuda(const std::function<void(const QString&)>& progress,
                                       const CancelToken& cancel = {});

/// The path without ASAN's or other tools' additions, for children that compile: environment of
/// cleanEnvironment plus what nvcc needs (its folder and the host compiler's).
QStringList compilerEnvironment(const QString& scratch, const CudaToolchain& toolchain);

} // namespace ridgeline
