// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/compile.h"
#include "core/support/paths.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <mutex>

#include <cstdlib>

namespace ridgeline {

namespace {

/// A run that was killed leaves its folders; after a day nobody is in them.
void removeOld(const QString& parent)
{
    const QDateTime yesterday = QDateTime::currentDateTimeUtc().addDays(-1);
    const QFileInfoList entries = QDir(parent).entryInfoList({QStringLiteral("r-*")}, QDir::Dirs);
    for (const QFileInfo& entry : entries) {
        if (!entry.isSymLink() && entry.lastModified() < yesterday)
            QDir(entry.absoluteFilePath()).removeRecursively();
    }
}

} // namespace

ScratchDir::ScratchDir()
{
    const QString parent = cacheDir() + QStringLiteral("/scratch");
    static std::once_flag once;
    std::call_once(once, removeOld, parent);
    if (!QDir().mkpath(parent))
        return;
    QByteArray pattern = (parent + QStringLiteral("/r-XXXXXX")).toUtf8();
    if (::mkdtemp(pattern.data()) != nullptr)
        m_path = QString::fromUtf8(pattern);
}

ScratchDir::~ScratchDir()
{
    if (!m_path.isEmpty())
        QDir(m_path).removeRecursively();
}

} // namespace ridgeline
