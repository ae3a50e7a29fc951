// SPDX-License-Identifier: GPL-3.0-or-later
// Other people's task formats into kbundle/1. Nothing of what is imported is ever executed.
#pragma once

#include "core/bundle/bundle.h"
#include "core/import/source_tree.h"

#include <functional>

namespace ridgeline {

struct TaskFormat {
    QString id;           ///< "kernelbench": for --format and for files
    QString title;        ///< "KernelBench": for people
    QString recognised;   ///< what it is recognised by, one line
    bool results = false; ///< holds results of tasks that are elsewhere
};

/// Every format this version imports, in the order they are tried.
const QVector<TaskFormat>& taskFormats();
/// Null when there is none of that id.
const TaskFormat* taskFormat(const QString& id);

/// One task found in a tree.
struct Detection {
    QString format;        ///< id of a TaskFormat
    double confidence = 1; ///< 0 to 1: 1 a manifest of its own, 0.9 a folder layout, less a guess
    QString path;          ///< folder or file, relative to the tree's root; "" = the root
    QString record; ///< which entry of a file that holds several (row, name); empty = the one
    QString name;   ///< suggested id of the bundle
    QString why;    ///< what it was recognised by
    QStringList alternatives; ///< other formats that fit as well; empty = not ambiguous
    QStringList files;        ///< relative files it was recognised by or takes; at least one

    bool isAmbiguous() const { return !alternatives.isEmpty(); }
    /// Names the task in a collection: format, path and record.
    QString key() const;
};

struct DetectionReport {
    QVector<Detection> tasks; ///< in the order of their paths
    QStringList notes;        ///< what was left out and why
    /// Files with a suffix of a kernel language that belong to no task found.
    QStringList unknown;
};

/// Finds the tasks below the chosen path. `format`: look for this one only, and accept what looks
/// less like it. Errors: BadUsage for an unknown format, Cancelled.
Result<DetectionReport> detectTasks(const SourceTree& tree, const QString& format = {},
                                    const CancelToken& cancel = {});

/// Which file plays which part, said by a person. Paths relative to the tree's root.
struct HandMapping {
    QString spec;
    QString reference;
    QStringList candidates;
    QString callStyle = QStringLiteral("module");
    QString referenceEntry;
    QString entry;
};

/// What became of one task.
struct ImportOutcome {
    Detection task;
    QString id;        ///< of the bundle
    QString bundleDir; ///< empty when nothing was written
    BundleStatus status = BundleStatus::Ready;
    int candidates = 0;
    int cases = 0;
    int results = 0;            ///< imported result records
    QStringList mapped;         ///< "correctness: allclose, rtol 1e-4 (fp32)"
    QStringList unmapped;       ///< what the bundle cannot say and where it is kept
    QStringList warnings;       ///< each with file and place
    std::optional<Error> error; ///< nothing was written
    bool kept = false;          ///< was there from an earlier import of the same files
    qint64 wallNs = 0;
};

/// Imports one task to DIR/<id>.kbundle; the folder appears whole or not at all. `again`: replaces
/// a bundle of that name made from the same task, else it is numbered. Any thread; blocks.
ImportOutcome importTask(const SourceTree& tree, const Detection& task, const QString& dir,
                         bool again = false);

/// Imports what a person mapped by hand.
ImportOutcome importByHand(const SourceTree& tree, const HandMapping& mapping, const QString& dir);

/// The outcome for files: {format, confidence, path, id, bundle, status, mapped[], …}.
Json toJson(const ImportOutcome& outcome);
Json toJson(const Detection& detection);

/// Writes the original files of bundles back below DIR, byte for byte, and returns their paths
/// relative to DIR. Each of `bundles` is a bundle's folder or a folder of them. Entries of one file
/// that several bundles hold are put together again; the file is whole when all are there. A file
/// that exists in DIR with other contents is refused (BadUsage), as is one of a bundle whose hash
/// no longer is what was imported (BadSchema), or two bundles that disagree.
Result<QStringList> exportNative(const QStringList& bundles, const QString& dir,
                                 bool overwrite = false);

} // namespace ridgeline
