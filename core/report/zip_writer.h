// SPDX-License-Identifier: GPL-3.0-or-later
// A ZIP archive in memory.
#pragma once

#include "core/support/result.h"

#include <QByteArray>
#include <QString>
#include <QVector>

namespace ridgeline {

struct ZipEntry {
    QString name; ///< path inside the archive
    QByteArray bytes;
};

/// The archive, entries in the order given. Same entries, same bytes: every entry carries one fixed
/// time.
Result<QByteArray> zipOf(const QVector<ZipEntry>& entries);

} // namespace ridgeline
