// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/import_dialog.h"
#include "app/window/main_window.h"
#include "core/bundle/unpack.h"
#include "core/support/paths.h"

#include <QFileInfo>
#include <QFutureWatcher>
#include <QSettings>
#include <QtConcurrentRun>

namespace ridgeline {

void MainWindow::openPaths(const QStringList& paths)
{
    QStringList bundles;
    for (const QString& path : paths) {
        const QFileInfo info(path);
        if (info.fileName() == QLatin1String("kbundle.json") ||
            QFileInfo::exists(path + QStringLiteral("/kbundle.json"))) {
            bundles << path;
            continue;
        }
        if (!info.isFile() || !isBundleArchive(path)) {
            showImport(path);
            continue;
        }
        ++m_busy;
        tell(tr("Unpacking %1 …").arg(info.fileName()), 60000);
        using Unpacked = Result<QString>;
        auto* watcher = new QFutureWatcher<Unpacked>(this);
        connect(watcher, &QFutureWatcher<Unpacked>::finished, this, [this, watcher, path] {
            watcher->deleteLater();
            --m_busy;
            const Unpacked unpacked = watcher->result();
            if (unpacked) {
                tell(tr("Unpacked to %1").arg(*unpacked));
                openBundles({*unpacked});
            } else if (unpacked.error().code == ErrorCode::BadSchema) {
                tell(QString(), 0);
                showImport(path); // an archive of tasks
            } else {
                tell(unpacked.error().toString(), 60000);
            }
        });
        watcher->setFuture(QtConcurrent::run([path] { return unpackedBundle(path); }));
    }
    if (!bundles.isEmpty())
        openBundles(bundles);
}

ImportDialog* MainWindow::showImport(const QString& path)
{
    if (!QFileInfo::exists(path)) {
        tell(tr("There is nothing at %1.").arg(path));
        return nullptr;
    }
    const QString last = m_settings->value(QStringLiteral("import/folder")).toString();
    const QString name = QFileInfo(path).fileName();
    const QString dir = (last.isEmpty() ? dataDir() + QStringLiteral("/imported") : last) +
                        (name.isEmpty() ? QString() : QLatin1Char('/') + name);
    auto* dialog = new ImportDialog(QFileInfo(path).absoluteFilePath(), dir, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ImportDialog::bundlesImported, this, [this, dialog](const QStringList& dirs) {
        m_settings->setValue(QStringLiteral("import/folder"),
                             QFileInfo(dialog->dir()).absolutePath());
        openBundles(dirs);
    });
    dialog->show();
    return dialog;
}

} // namespace ridgeline
