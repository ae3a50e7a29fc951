// SPDX-License-Identifier: GPL-3.0-or-later
// Journal entries and what they do to a review. Live edits and replay go through the same function.
#pragma once

#include "core/review/review.h"

namespace ridgeline {

/// A review with its undo history. Values share what they did not change, so a step is cheap.
struct ReviewState {
    Review review;
    QVector<Review> undo; ///< oldest first, at most maxUndoSteps
    QVector<Review> redo;
    bool hasHeader = false;
};

constexpr int maxUndoSteps = 500;

/// Applies one entry of kreview-journal/1:
/// {"op": "header"|"snapshot"|"rubric"|"score"|"na"|"comment"|"evidence+"|"evidence-"|"finding"|
///  "anchor"|"anchor-"|"verdict"|"summary"|"time"|"undo"|"redo", "at": UTC, …}.
/// Returns why it cannot be applied (the state is then as before), or an empty string.
QString applyEntry(ReviewState& state, const Json& entry);

/// What a journal holds.
struct JournalReplay {
    ReviewState state;
    int edits = 0;                ///< entries applied, header and snapshot not counted
    bool newer = false;           ///< written by a later format: nothing after the header was read
    QVector<QByteArray> rejected; ///< lines that could not be applied, as they are
    QStringList notices;          ///< one per rejected line, the first 20, with line numbers
    QByteArray kept;              ///< the journal without the rejected lines
};

/// Reads a journal of any age. A torn last line and garbage lines are left out and listed.
JournalReplay replayJournal(const QByteArray& text, const QString& file);

} // namespace ridgeline
