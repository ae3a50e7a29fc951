// SPDX-License-Identifier: GPL-3.0-or-later
// Finding and reading reviews that lie in a bundle, without opening them for editing.
#include "core/review/journal_replay.h"
#include "core/review/review_files.h"
#include "core/review/review_store.h"
#include "core/support/paths.h"

#include <QDir>
#include <QFileInfo>

namespace ridgeline {

namespace {

constexpr qint64 maxJournalBytes = 256 * 1024 * 1024;
constexpr const char* journalSuffix = ".journal.jsonl";
constexpr const char* snapshotSuffix = ".review.json";

/// Adds the reviews of a folder, a journal before the snapshot of the same review.
void addReviewsOf(const QString& folder, QVector<StoredReview>& reviews)
{
    if (folder.isEmpty())
        return;
    const QDir dir(folder);
    QStringList seen;
    for (const char* suffix : {journalSuffix, snapshotSuffix}) {
        const QString ending = QLatin1String(suffix);
        for (const QFileInfo& info :
             dir.entryInfoList({QLatin1Char('*') + ending}, QDir::Files | QDir::NoSymLinks)) {
            const QString stem = info.fileName().chopped(ending.size());
            const qsizetype dot = stem.lastIndexOf(QLatin1Char('.'));
            if (dot <= 0 || seen.contains(stem))
                continue;
            seen << stem;
            reviews.push_back({nameFromPart(stem.left(dot)), nameFromPart(stem.mid(dot + 1)),
                               info.absoluteFilePath(), info.lastModified()});
        }
    }
}

} // namespace

QVector<StoredReview> listReviews(const QString& bundleDir, const QString& bundleId)
{
    QVector<StoredReview> reviews;
    addReviewsOf(bundleReviewDir(bundleDir), reviews);
    addReviewsOf(userReviewDir(bundleId), reviews);
    std::stable_sort(
        reviews.begin(), reviews.end(),
        [](const StoredReview& a, const StoredReview& b) { return a.modified > b.modified; });
    return reviews;
}

Result<Review> readReview(const StoredReview& stored, QStringList* notices)
{
    if (stored.path.endsWith(QLatin1String(snapshotSuffix))) {
        auto json = readJsonFile(stored.path);
        return json ? reviewFromJson(*json, stored.path) : Result<Review>(json.error());
    }
    auto bytes = readFile(stored.path, maxJournalBytes);
    if (!bytes)
        return bytes.error();
    JournalReplay replay = replayJournal(*bytes, stored.path);
    if (notices != nullptr)
        *notices << replay.notices;
    if (!replay.state.hasHeader)
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("holds no review that this version can read"),
                     {stored.path},
                     QStringLiteral("the first line of a journal is its header")};
    return replay.state.review;
}

} // namespace ridgeline
