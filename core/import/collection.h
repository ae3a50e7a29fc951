// SPDX-License-Identifier: GPL-3.0-or-later
// A whole collection at once: every task below a path, with progress, cancel and resume.
#pragma once

#include "core/import/import.h"

namespace ridgeline {

struct CollectionRequest {
    QString path;       ///< folder, file or archive
    QString root;       ///< folder above `path` that references may reach; empty = `path`
    QString format;     ///< only this one; empty = whatever is recognised
    QString dir;        ///< bundles go here, and import.jsonl beside them
    bool again = false; ///< also import what an earlier run brought in unchanged
    QMap<QString, QString> choices; ///< by Detection::key(): the format a person chose
    QStringList only;               ///< keys of the tasks wanted; empty = all
};

/// Called on the thread of importCollection.
struct CollectionObserver {
    std::function<void(const DetectionReport&)> found;
    std::function<void(int done, int total, const QString& label)> progress;
    std::function<void(const ImportOutcome&)> imported;
};

struct CollectionResult {
    DetectionReport report;
    QVector<ImportOutcome> outcomes;
    QVector<Detection> ambiguous; ///< left out: somebody must choose
    bool cancelled = false;       ///< what was finished stays
    qint64 detectNs = 0;
};

/// Imports what `path` holds. Each finished task is one line of DIR/import.jsonl; a later call with
/// the same DIR keeps tasks whose files have not changed since (unless `again`). Errors are those
/// of SourceTree::open and detectTasks; what goes wrong with one task is in its outcome.
Result<CollectionResult> importCollection(const CollectionRequest& request,
                                          const CollectionObserver& observer = {},
                                          const CancelToken& cancel = {});

} // namespace ridgeline
