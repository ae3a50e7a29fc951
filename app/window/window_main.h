// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QApplication;

namespace ridgeline {

/// Opens the window on the given bundles, or on what the last session had open, and runs the event
/// loop. Returns the exit code.
int windowMain(QApplication& app, const QStringList& bundles);

} // namespace ridgeline
