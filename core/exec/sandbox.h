// SPDX-License-Identifier: GPL-3.0-or-later
// Bubblewrap around child processes, where the machine allows it.
#pragma once

#include <QString>
#include <QStringList>

namespace ridgeline {

/// What a sandboxed child may see: the system read-only, no home, a private /tmp, no network, own
/// process ids; besides these folders at their own paths.
struct Sandbox {
    QStringList readOnly;
    QStringList writable;
    bool gpu = false; ///< NVIDIA's device nodes too
};

struct SandboxProbe {
    bool works = false;
    QString program; ///< bwrap
    QString version;
    QString why; ///< why it does not work, and what to install
};

/// Tries bubblewrap once per process and remembers; thread-safe. $RIDGELINE_SANDBOX=off turns it
/// off.
const SandboxProbe& sandboxProbe();

/// Arguments for bwrap up to and with "--"; the command follows.
QStringList sandboxArguments(const Sandbox& sandbox, const QString& workDir);

} // namespace ridgeline
