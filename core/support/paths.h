// SPDX-License-Identifier: GPL-3.0-or-later
// Where Ridgeline's own files and the user's are, and how a stranger's path is made safe.
#pragma once

#include "core/support/result.h"

#include <QByteArray>
#include <QString>

namespace ridgeline {

/// Folder of resources/: $RIDGELINE_RESOURCES, else ../share/ridgeline/resources beside the
/// executable, else the source tree this was built from.
QString resourceDir();
/// Folder of rubrics/: found the same way ($RIDGELINE_RUBRICS).
QString rubricDir();
/// Folder that holds the emulated device's libcudart.so.13: $RIDGELINE_EMULATOR, else
/// ../lib/ridgeline/emulated-cuda beside the executable, else the build tree.
QString emulatorDir();
/// $XDG_CACHE_HOME/ridgeline or ~/.cache/ridgeline; made on demand, mode 0700.
QString cacheDir();
/// $XDG_DATA_HOME/ridgeline or ~/.local/share/ridgeline; made on demand, mode 0700.
QString dataDir();

/// Resolves a relative path of a bundle or archive against `root`. Refuses empty and absolute
/// paths, "..", NUL, backslashes, and anything whose real path (links followed) is outside
/// `root`. The file need not exist, but every existing parent is checked. Error: UnsafePath.
Result<QString> resolveInside(const QString& root, const QString& relative);

/// Reads a whole file, at most `maxBytes` (TooLarge). Only regular files.
Result<QByteArray> readFile(const QString& path, qint64 maxBytes = 64 * 1024 * 1024);

/// Lower-case hexadecimal SHA-256.
QString sha256Hex(const QByteArray& bytes);

} // namespace ridgeline
