// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps a review on disk while it is made: one journal line per edit, written at once.
#pragma once

#include "core/review/review.h"
#include "core/support/result.h"

#include <QObject>
#include <memory>

namespace ridgeline {

/// What opening a journal had to say. Everything here is for people.
struct ReviewOpening {
    QString journal;     ///< absolute path
    QString readOnlyWhy; ///< not empty: another window or a newer Ridgeline owns it, edits refused
    QStringList notices; ///< fallback folder, torn or unreadable lines (with their number), imports
    QStringList rubricChanges; ///< not empty: the review was pinned to another rubric
    int replayedEdits = 0;
    int rejectedLines = 0; ///< kept in JOURNAL.rejected
};

/// Owner of one review and its journal.
///
/// Files: BUNDLE/reviews/REVIEWER.RUBRIC.journal.jsonl (truth), .review.json (snapshot for readers,
/// written by close() and compact()), .lock. When BUNDLE/reviews cannot be written, the same in
/// dataDir()/reviews/BUNDLE-ID/.
///
/// Threads: one thread uses it (the window's). Edits change the value at once and hand a line to a
/// writer thread, which writes and fsyncs it immediately; lines that arrive during an fsync share
/// the next one. Nothing here blocks on the disk except open(), flush(), compact() and close().
/// saved() and failed() are emitted from the writer thread: connect with a context object.
class ReviewStore : public QObject {
    Q_OBJECT

public:
    /// Replays or starts the journal of (bundle folder, reviewer, rubric). A review pinned to
    /// another version is migrated, and the opening says what changed. Errors: reviewer
    /// name empty or over 200 characters, no folder can be written and none can be read.
    static Result<std::unique_ptr<ReviewStore>> open(const QString& bundleDir,
                                                     const QString& bundleId,
                                                     const QString& reviewer, const Rubric& rubric);
    /// Like close(), without its answer.
    ~ReviewStore() override;

    const Review& review() const;
    const Rubric& rubric() const;
    const ReviewOpening& opening() const;
    bool isReadOnly() const;

    // Edits. Each is one undo step, except that edits of the same comment or summary within two
    // seconds are one. An edit that changes nothing writes nothing. Errors: read-only; a score off
    // the scale; a criterion or comment that does not exist.
    Result<void> setScore(const QString& criterion, std::optional<int> score);
    Result<void> setNotApplicable(const QString& criterion, bool notApplicable);
    Result<void> setComment(const QString& criterion, const QString& text);
    Result<void> addEvidence(const QString& criterion, const EvidenceLink& link);
    Result<void> removeEvidence(const QString& criterion, const EvidenceLink& link);
    Result<void> decideFinding(const QString& findingId, FindingState state, const QString& reason);
    /// Adds, or replaces the one with the same id; an empty id gets a fresh one, which is returned.
    Result<QString> putAnchoredComment(const AnchoredComment& comment);
    Result<void> removeAnchoredComment(const QString& id);
    Result<void> setVerdict(ReviewVerdict verdict, VerdictWord word);
    Result<void> setSummary(const QString& text);
    /// Adds to activeMs; no undo step.
    Result<void> addActiveTime(qint64 ms);

    bool canUndo() const;
    bool canRedo() const;
    Result<void> undo();
    Result<void> redo();

    /// Edits handed to the writer and not yet on disk.
    int unsavedEdits() const;
    /// Waits until everything is on disk. False: it is not, after that time.
    bool flush(int timeoutMs = 5000);
    /// Writes .review.json and replaces the journal by its state. Undo history ends here.
    Result<void> compact();
    /// Flushes, writes .review.json, compacts a journal over 1 MiB, ends the thread, unlocks.
    Result<void> close();

Q_SIGNALS:
    void saved(const QDateTime& when); ///< writer thread: everything handed over so far is on disk
    void
    failed(const ridgeline::Error& error); ///< writer thread: it will be tried again each second
    void changed();                        ///< caller's thread: review() differs

private:
    struct Private;
    ReviewStore();
    std::unique_ptr<Private> d;
};

/// What is known of a review that lies in a bundle.
struct StoredReview {
    QString reviewer;
    QString rubric;
    QString path; ///< the journal, or .review.json where there is no journal
    QDateTime modified;
};

/// Reviews of a bundle, in its own folder and in the user's; newest first. Executes nothing.
QVector<StoredReview> listReviews(const QString& bundleDir, const QString& bundleId);

/// Reads a review without locking it, whatever rubric it was made with. `notices` gets what replay
/// had to leave out.
Result<Review> readReview(const StoredReview& stored, QStringList* notices = nullptr);

} // namespace ridgeline
