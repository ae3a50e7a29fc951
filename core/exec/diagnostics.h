// SPDX-License-Identifier: GPL-3.0-or-later
// What compilers print, as values.
#pragma once

#include <QString>
#include <QVector>

namespace ridgeline {

struct Diagnostic {
    QString severity; ///< error, warning, note
    QString file;     ///< relative to the bundle when it is one of its files; may be empty
    int line = 0;     ///< one-based, 0 = unknown
    int column = 0;
    QString message;
    bool operator==(const Diagnostic&) const = default;
};

/// What ptxas -v says of one kernel.
struct KernelUsage {
    QString name; ///< demangled
    QString mangled;
    QString arch; ///< sm_80
    int registers = 0;
    int spillStoreBytes = 0;
    int spillLoadBytes = 0;
    int stackBytes = 0;
    int sharedBytes = 0; ///< static
    int constBytes = 0;  ///< all banks together
    int barriers = 0;
    bool operator==(const KernelUsage&) const = default;
};

/// Reads the messages of nvcc and cudafe++ ("file(12): error: …"), gcc and clang
/// ("file:12:3: error: …"), ptxas, nvlink and ld. Files below `root` become relative to it. At most
/// `most` are returned.
QVector<Diagnostic> parseDiagnostics(const QString& log, const QString& root, int most = 200);

/// The first error with a place in a file of the bundle, else the first error, else null.
const Diagnostic* firstError(const QVector<Diagnostic>& diagnostics);

/// Reads ptxas -v.
QVector<KernelUsage> parsePtxasUsage(const QString& log);

/// C++ name of a mangled one; the same text when it is none.
QString demangle(const QString& name);

} // namespace ridgeline
