// SPDX-License-Identifier: GPL-3.0-or-later
// Private to core/exec: what a tree of processes uses, read from /proc.
#pragma once

#include <QString>
#include <QtGlobal>

namespace ridgeline {

struct TreeUse {
    int processes = 0;        ///< without the root itself
    qint64 residentBytes = 0; ///< shared pages count once per process
};

/// Descendants of `root`. Processes that end while we look are left out.
TreeUse treeUse(qint64 root);

/// Threads of all processes of our user: what RLIMIT_NPROC is compared with.
qint64 threadsOfUser();

/// Bytes of the regular files under a folder, links not followed; stops counting at `enough`.
qint64 folderBytes(const QString& folder, qint64 enough);

} // namespace ridgeline
