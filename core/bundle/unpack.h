// SPDX-License-Identifier: GPL-3.0-or-later
// Bundles that come as one file.
#pragma once

#include "core/support/cancel.h"
#include "core/support/result.h"

#include <QString>

namespace ridgeline {

/// Limits for archives that come from strangers; counted while unpacking, whatever the archive
/// says about itself.
struct UnpackLimits {
    qint64 maxTotalBytes = qint64(2) << 30;
    qint64 maxFileBytes = qint64(1) << 30;
    int maxEntries = 20000;
    int maxDepth = 32; ///< steps of a path
};

/// Whether the name ends like an archive unpackBundle reads: .zip .kbundle.zip .tar .tar.gz .tgz
/// .tar.xz .tar.zst .tar.bz2.
bool isBundleArchive(const QString& path);

/// Unpacks a zip or tar archive into `destDir`, which must not exist or be empty, and returns the
/// folder that holds kbundle.json: destDir or its one sub-folder. Only files and folders are
/// unpacked; links, devices, absolute paths, "..", entries that occur twice, encrypted entries and
/// anything over the limits are refused. Unpacks beside the target first: after an error or a
/// cancel nothing is left. Any thread; blocks.
Result<QString> unpackBundle(const QString& archive, const QString& destDir,
                             const CancelToken& cancel = {}, const UnpackLimits& limits = {});

/// The same for any archive: returns destDir, whatever is in it.
Result<QString> unpackArchive(const QString& archive, const QString& destDir,
                              const CancelToken& cancel = {}, const UnpackLimits& limits = {});

/// Unpacks an archived bundle to a folder of the user's data that belongs to this archive (its place,
/// size and time of change), or finds it there from before, so that a review goes on where it was.
/// Returns the folder with kbundle.json. Errors as unpackBundle.
Result<QString> unpackedBundle(const QString& archive, const CancelToken& cancel = {});

} // namespace ridgeline
