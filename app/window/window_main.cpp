// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/window_main.h"

#include "app/window/main_window.h"
#include "core/support/paths.h"
#include "widgets/queue_view.h"

#include <QApplication>
#include <QIcon>
#include <QListView>
#include <QTimer>

namespace ridgeline {

int windowMain(QApplication& app, const QStringList& bundles)
{
    app.setApplicationDisplayName(QStringLiteral("Ridgeline"));
    app.setWindowIcon(QIcon(resourceDir() + QStringLiteral("/icons/ridgeline.svg")));
    MainWindow window(makePipelineRunner(), {});
    window.restoreSession();
    if (window.isFirstStart())
        window.showMaximized();
    else
        window.show();
    // Not a text field: digits and single keys work from the first moment.
    window.queue()->list()->setFocus();
    if (!bundles.isEmpty())
        QTimer::singleShot(0, &window, [&window, bundles] { window.openPaths(bundles); });
    return app.exec();
}

} // namespace ridgeline
