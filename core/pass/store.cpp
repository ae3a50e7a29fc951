// SPDX-License-Identifier: GPL-3.0-or-later
// Where runs go.
#include "core/pass/run_state.h"
#include "core/support/paths.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>

#include <unistd.h>

namespace ridgeline {

namespace {

/// Makes the folder and finds out whether files can be made in it.
bool usable(const QString& folder, QString& why)
{
    if (!QDir().mkpath(folder)) {
        why = QStringLiteral("the folder %1 cannot be made").arg(folder);
        return false;
    }
    QFile probe(folder +
                QStringLiteral("/.ridgeline-%1").arg(QRandomGenerator::global()->generate()));
    if (!probe.open(QIODevice::WriteOnly) || probe.write("x") != 1 || !probe.flush()) {
        why = QStringLiteral("%1: %2").arg(folder, probe.errorString());
        probe.remove();
        return false;
    }
    probe.remove();
    return true;
}

/// A name no other run has, also when two start in one millisecond.
QString freshName(const QString& folder, const QString& stem)
{
    for (int n = 1;; ++n) {
        const QString name = n == 1 ? stem : QStringLiteral("%1-%2").arg(stem).arg(n);
        if (!QFileInfo::exists(folder + QLatin1Char('/') + name +
                               QStringLiteral(".kresult.json")) &&
            QDir(folder).mkdir(name))
            return name;
        if (n > 1000)
            return stem;
    }
}

} // namespace

RunPlace choosePlace(const RunRequest& request, const Device& device, const QDateTime& started)
{
    RunPlace place;
    const QString stem = started.toUTC().toString(QStringLiteral("yyyyMMdd'T'HHmmss.zzz'Z'")) +
                         QLatin1Char('-') +
                         QString(device.id).replace(QLatin1Char(':'), QLatin1Char('-'));
    QString why;
    if (!request.save) {
        const QString root = cacheDir() + QStringLiteral("/unsaved-runs");
        // Logs of runs nobody keeps: the last few are enough.
        const QFileInfoList old =
            QDir(root).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time);
        for (qsizetype i = 8; i < old.size(); ++i)
            QDir(old.at(i).absoluteFilePath()).removeRecursively();
        if (usable(root, why))
            place.artefactDir = root + QLatin1Char('/') + freshName(root, stem);
        else
            place.note = QStringLiteral("no artefacts are kept: %1").arg(why);
        return place;
    }
    const QString own = request.bundle.dir + QStringLiteral("/results");
    QString root = own;
    // A link out of the bundle would let a bundle choose where we write.
    if (!resolveInside(request.bundle.dir, QStringLiteral("results")))
        why = QStringLiteral("%1 leads out of the bundle").arg(own);
    if (!why.isEmpty() || !usable(own, why)) {
        root = dataDir() + QStringLiteral("/results/") + safeName(request.bundle.id);
        place.note =
            QStringLiteral("the bundle's results folder cannot be written (%1); the run is in %2")
                .arg(why, root);
        QString second;
        if (!usable(root, second)) {
            place.note = QStringLiteral("the run cannot be saved: %1; %2").arg(why, second);
            return place;
        }
    }
    const QString name = freshName(root, stem);
    place.artefactDir = root + QLatin1Char('/') + name;
    place.recordFile = place.artefactDir + QStringLiteral(".kresult.json");
    return place;
}

} // namespace ridgeline
