// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommands of the batch tool. None touches a widget. Each prints to stdout and stderr and
// returns the exit code of the design: 0 clean, 1 failing passes or findings, 2 bad usage or input,
// 3 the environment cannot do it.
#pragma once

#include <QStringList>

namespace ridgeline {

int runCommand(const QStringList& args);     ///< ridgeline run BUNDLE …
int devicesCommand(const QStringList& args); ///< ridgeline devices [--json]
int auditCommand(const QStringList& args);   ///< ridgeline audit FILE|BUNDLE
int compareCommand(const QStringList& args); ///< ridgeline compare A.npy B.npy …
int reportCommand(const QStringList& args);  ///< ridgeline report BUNDLE …
int rubricCommand(const QStringList& args);  ///< ridgeline rubric check FILE
int setupCommand(const QStringList& args);   ///< ridgeline setup [cuda,…]
int importCommand(const QStringList& args);  ///< ridgeline import PATH -o DIR
int exportCommand(const QStringList& args);  ///< ridgeline export BUNDLE.. -o DIR
int execCommand(const QStringList& args);    ///< ridgeline exec … -- PROGRAM [ARG..]

} // namespace ridgeline
