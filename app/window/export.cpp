// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

namespace ridgeline {

void MainWindow::exportReport()
{
    tell(tr("This build has no report writer."));
}

} // namespace ridgeline
