// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/review_store.h"

#include "core/review/journal_replay.h"
#include "core/review/journal_writer.h"
#include "core/review/review_files.h"
#include "core/support/paths.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QUuid>
#include <cerrno>
#include <cstring>

namespace ridgeline {

namespace {

constexpr qint64 maxJournalBytes = 256 * 1024 * 1024;
constexpr qint64 compactOverBytes = 1024 * 1024;
constexpr qint64 mergeWithinMs = 2000;
constexpr int maxReviewerName = 200;

QString nowText()
{
    return QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs);
}

Json headerOf(const Review& review)
{
    return {{"op", "header"},
            {"schema", "kreview-journal/1"},
            {"at", sstr(nowText())},
            {"bundle", sstr(review.bundle)},
            {"reviewer", sstr(review.reviewer)},
            {"rubric", toJson(review.rubric)}};
}

} // namespace

struct ReviewStore::Private {
    explicit Private(ReviewStore* store) : q(store) {}

    ReviewStore* q;
    ReviewFiles files;
    FileLock lock;
    Rubric rubric;
    ReviewState state;
    ReviewOpening opening;
    QString lastEdit; // op and criterion of the last edit that may be merged
    QElapsedTimer sinceLastEdit;
    qint64 journalBytes = 0;
    bool closed = false;
    std::unique_ptr<JournalWriter> writer; // null when read-only; last: its thread ends first

    Result<void> chooseFolder(const QString& bundleDir, const QString& bundleId,
                              const QString& stem);
    Result<void> replay(const QString& bundleId, const QString& reviewer);
    void append(const Json& entry);
    Result<void> edit(Json entry, const QString& mergeKey = {});
    Result<void> writable() const;
    Result<void> hasCriterion(const QString& criterion) const;
};

/// Picks the folder and brings along a review that lies in the other one.
Result<void> ReviewStore::Private::chooseFolder(const QString& bundleDir, const QString& bundleId,
                                                const QString& stem)
{
    const ReviewFiles inBundle{bundleReviewDir(bundleDir), stem};
    const ReviewFiles inData{userReviewDir(bundleId), stem};
    // A bundle is somebody else's: a link among its files may point at anything of the user's.
    const bool bundleLinks = inBundle.hasLinks();
    const bool bundleWritable = !bundleLinks && isWritableDir(inBundle.dir);
    if (!bundleWritable && !isWritableDir(inData.dir)) {
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("neither the bundle's reviews folder nor %1 can be written")
                         .arg(inData.dir),
                     {bundleDir},
                     QStringLiteral("make one of the two writable: reviews are saved as they are "
                                    "made")};
    }
    files = bundleWritable ? inBundle : inData;
    if (files.hasLinks())
        return Error{ErrorCode::UnsafePath,
                     QStringLiteral("a file of the review is a link"),
                     {files.journal()},
                     QStringLiteral("replace it by a regular file")};
    const ReviewFiles& other = bundleWritable ? inData : inBundle;
    if (!bundleWritable)
        opening.notices << QStringLiteral("the bundle's reviews folder cannot be written (or holds "
                                          "links): the review is kept in %1")
                               .arg(inData.dir);
    if (other.dir.isEmpty() || other.hasLinks() || !QFileInfo(other.journal()).isFile())
        return {};
    if (QFileInfo::exists(files.journal())) {
        if (QFileInfo(other.journal()).lastModified() > QFileInfo(files.journal()).lastModified())
            opening.notices << QStringLiteral("there is a later review of the same name in %1; it "
                                              "was not touched")
                                   .arg(other.journal());
        return {};
    }
    auto bytes = readFile(other.journal(), maxJournalBytes);
    if (!bytes)
        return bytes.error();
    auto written = writeFileAtomically(files.journal(), *bytes);
    if (!written)
        return written.error();
    opening.notices << QStringLiteral("the review was continued from %1").arg(other.journal());
    return {};
}

Result<void> ReviewStore::Private::replay(const QString& bundleId, const QString& reviewer)
{
    opening.journal = files.journal();
    JournalReplay read;
    if (QFileInfo::exists(files.journal())) {
        auto bytes = readFile(files.journal(), maxJournalBytes);
        if (!bytes)
            return bytes.error();
        read = replayJournal(*bytes, files.journal());
        journalBytes = bytes->size();
    } else if (QFileInfo(files.snapshot()).isFile()) {
        // The journal was lost or never came along: the snapshot is a review all the same.
        auto json = readJsonFile(files.snapshot());
        auto review = json ? reviewFromJson(*json, files.snapshot()) : Result<Review>(json.error());
        if (review) {
            read.state.review = std::move(*review);
            opening.notices
                << QStringLiteral("the journal is gone: continued from %1").arg(files.snapshot());
        } else {
            opening.notices << review.error().toString();
        }
    }
    state = std::move(read.state);
    opening.notices << read.notices;
    opening.replayedEdits = read.edits;
    opening.rejectedLines = int(read.rejected.size());
    if (read.newer)
        opening.readOnlyWhy =
            QStringLiteral("the journal was written by a later Ridgeline: update to edit it");
    const bool foreign = state.hasHeader && state.review.bundle != bundleId;
    if (foreign)
        opening.notices << QStringLiteral("the journal says it reviews \"%1\", not \"%2\"")
                               .arg(state.review.bundle, bundleId);
    if (!opening.readOnlyWhy.isEmpty())
        return {};

    const bool torn = !read.rejected.isEmpty();
    if (torn) {
        // Set aside first, then replaced: whatever stops us, no line is lost.
        auto aside = appendToFile(files.rejected(), read.rejected.join('\n') + '\n');
        if (!aside)
            return aside.error();
        auto mended = writeFileAtomically(files.journal(), read.kept);
        if (!mended)
            return mended.error();
    }
    const int fd = openForAppend(files.journal());
    if (fd < 0)
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("cannot open the journal: %1")
                         .arg(QString::fromLocal8Bit(std::strerror(errno))),
                     {files.journal()},
                     QStringLiteral("it must be a regular file that can be written")};
    writer = std::make_unique<JournalWriter>(
        fd, files.journal(), [this](const QDateTime& when) { Q_EMIT q->saved(when); },
        [this](const Error& error) { Q_EMIT q->failed(error); });
    if (!read.kept.isEmpty() && !torn) {
        // A last line that lacks only its line end was good; the next must not run into it.
        auto bytes = readFile(files.journal(), maxJournalBytes);
        if (bytes && !bytes->endsWith('\n'))
            writer->append({});
    }
    if (!state.hasHeader) {
        const bool fromSnapshot = state.review.rubric.id == rubric.id && !rubric.id.isEmpty();
        state.hasHeader = true;
        if (!fromSnapshot) {
            state.review.bundle = bundleId;
            state.review.reviewer = reviewer;
            state.review.rubric = pinOf(rubric);
            state.review.started = QDateTime::currentDateTimeUtc();
            state.review.changed = state.review.started;
        }
        append(headerOf(state.review));
        if (fromSnapshot)
            append(Json{
                {"op", "snapshot"}, {"at", sstr(nowText())}, {"review", toJson(state.review)}});
    }
    return {};
}

void ReviewStore::Private::append(const Json& entry)
{
    const QByteArray line = toJsonLine(entry);
    journalBytes += line.size() + 1;
    writer->append(line);
}

Result<void> ReviewStore::Private::writable() const
{
    if (writer)
        return {};
    return Error{ErrorCode::BadUsage,
                 closed ? QStringLiteral("the review is closed") : opening.readOnlyWhy,
                 {files.journal()},
                 QStringLiteral("the review is open for reading only")};
}

Result<void> ReviewStore::Private::hasCriterion(const QString& criterion) const
{
    if (rubric.criterion(criterion) != nullptr)
        return writable();
    return Error{ErrorCode::BadUsage,
                 QStringLiteral("the rubric has no criterion \"%1\"").arg(criterion.left(80)),
                 {rubric.file},
                 {}};
}

/// Applies an entry to the value and hands it to the writer. Edits of the same text within two
/// seconds become one undo step, so that undo takes back words, not letters.
Result<void> ReviewStore::Private::edit(Json entry, const QString& mergeKey)
{
    const auto may = writable();
    if (!may)
        return may;
    const bool merge = !mergeKey.isEmpty() && mergeKey == lastEdit && sinceLastEdit.isValid() &&
                       sinceLastEdit.elapsed() < mergeWithinMs;
    entry["at"] = sstr(nowText());
    if (merge)
        entry["merge"] = true;
    ReviewState next = state;
    const QString problem = applyEntry(next, entry);
    if (!problem.isEmpty())
        return Error{ErrorCode::BadUsage, problem, {files.journal()}, {}};
    Review compared = next.review;
    compared.changed = state.review.changed;
    if (compared == state.review)
        return {};
    state = std::move(next);
    lastEdit = mergeKey;
    sinceLastEdit.start();
    append(entry);
    Q_EMIT q->changed();
    return {};
}

ReviewStore::ReviewStore() : d(std::make_unique<Private>(this)) {}

ReviewStore::~ReviewStore()
{
    [[maybe_unused]] const auto ignored = close();
    d->writer.reset();
}

Result<std::unique_ptr<ReviewStore>> ReviewStore::open(const QString& bundleDir,
                                                       const QString& bundleId,
                                                       const QString& reviewer,
                                                       const Rubric& rubric)
{
    const QString name = reviewer.trimmed();
    if (name.isEmpty() || name.size() > maxReviewerName)
        return Error{
            ErrorCode::BadUsage,
            QStringLiteral("a reviewer's name has 1 to %1 characters").arg(maxReviewerName),
            {},
            QStringLiteral("set your name in the settings or with --reviewer")};
    if (!rubric.isValid())
        return Error{
            ErrorCode::BadUsage, QStringLiteral("there is no rubric to review with"), {}, {}};

    std::unique_ptr<ReviewStore> store(new ReviewStore);
    Private& d = *store->d;
    d.rubric = rubric;
    const QString stem = fileNamePart(name) + QLatin1Char('.') + fileNamePart(rubric.id);
    auto chosen = d.chooseFolder(bundleDir, bundleId, stem);
    if (!chosen)
        return chosen.error();
    auto lock = FileLock::take(d.files.lock());
    if (lock)
        d.lock = std::move(*lock);
    else
        d.opening.readOnlyWhy = lock.error().message;
    auto replayed = d.replay(bundleId, name);
    if (!replayed)
        return replayed.error();
    d.opening.rubricChanges = rubricChanges(d.state.review.rubric, rubric);
    if (!d.opening.rubricChanges.isEmpty()) {
        QStringList notes;
        const Review moved = migrated(d.state.review, rubric, &notes);
        d.opening.rubricChanges = notes;
        if (d.writer) {
            auto pinned = d.edit(Json{{"op", "rubric"}, {"rubric", toJson(pinOf(rubric))}});
            if (!pinned)
                return pinned.error();
        } else {
            d.state.review = moved;
        }
    }
    return store;
}

const Review& ReviewStore::review() const
{
    return d->state.review;
}

const Rubric& ReviewStore::rubric() const
{
    return d->rubric;
}

const ReviewOpening& ReviewStore::opening() const
{
    return d->opening;
}

bool ReviewStore::isReadOnly() const
{
    return d->writer == nullptr;
}

Result<void> ReviewStore::setScore(const QString& criterion, std::optional<int> score)
{
    if (const auto may = d->hasCriterion(criterion); !may)
        return may;
    if (score && (*score < d->rubric.scale.min || *score > d->rubric.scale.max))
        return Error{ErrorCode::BadUsage,
                     QStringLiteral("%1 is not on the scale from %2 to %3")
                         .arg(*score)
                         .arg(d->rubric.scale.min)
                         .arg(d->rubric.scale.max),
                     {d->rubric.file},
                     {}};
    return d->edit(Json{{"op", "score"},
                        {"criterion", sstr(criterion)},
                        {"value", score ? Json(*score) : Json(nullptr)}});
}

Result<void> ReviewStore::setNotApplicable(const QString& criterion, bool notApplicable)
{
    if (const auto may = d->hasCriterion(criterion); !may)
        return may;
    return d->edit(Json{{"op", "na"}, {"criterion", sstr(criterion)}, {"value", notApplicable}});
}

Result<void> ReviewStore::setComment(const QString& criterion, const QString& text)
{
    if (const auto may = d->hasCriterion(criterion); !may)
        return may;
    return d->edit(Json{{"op", "comment"}, {"criterion", sstr(criterion)}, {"text", sstr(text)}},
                   QStringLiteral("comment/") + criterion);
}

Result<void> ReviewStore::addEvidence(const QString& criterion, const EvidenceLink& link)
{
    if (const auto may = d->hasCriterion(criterion); !may)
        return may;
    return d->edit(
        Json{{"op", "evidence+"}, {"criterion", sstr(criterion)}, {"link", toJson(link)}});
}

Result<void> ReviewStore::removeEvidence(const QString& criterion, const EvidenceLink& link)
{
    if (const auto may = d->hasCriterion(criterion); !may)
        return may;
    return d->edit(
        Json{{"op", "evidence-"}, {"criterion", sstr(criterion)}, {"link", toJson(link)}});
}

Result<void> ReviewStore::decideFinding(const QString& findingId, FindingState state,
                                        const QString& reason)
{
    return d->edit(Json{{"op", "finding"},
                        {"finding", sstr(findingId)},
                        {"state", sstr(findingStateName(state))},
                        {"reason", sstr(reason)}});
}

Result<QString> ReviewStore::putAnchoredComment(const AnchoredComment& comment)
{
    AnchoredComment stored = comment;
    if (stored.id.isEmpty())
        stored.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    const auto done = d->edit(Json{{"op", "anchor"}, {"comment", toJson(stored)}},
                              QStringLiteral("anchor/") + stored.id);
    if (!done)
        return done.error();
    return stored.id;
}

Result<void> ReviewStore::removeAnchoredComment(const QString& id)
{
    return d->edit(Json{{"op", "anchor-"}, {"comment", sstr(id)}});
}

Result<void> ReviewStore::setVerdict(ReviewVerdict verdict, VerdictWord word)
{
    return d->edit(Json{{"op", "verdict"},
                        {"value", sstr(reviewVerdictName(verdict))},
                        {"word", sstr(verdictWordName(word))}});
}

Result<void> ReviewStore::setSummary(const QString& text)
{
    return d->edit(Json{{"op", "summary"}, {"text", sstr(text)}}, QStringLiteral("summary"));
}

Result<void> ReviewStore::addActiveTime(qint64 ms)
{
    return d->edit(Json{{"op", "time"}, {"ms", ms}}, d->lastEdit);
}

bool ReviewStore::canUndo() const
{
    return d->writer && !d->state.undo.isEmpty();
}

bool ReviewStore::canRedo() const
{
    return d->writer && !d->state.redo.isEmpty();
}

Result<void> ReviewStore::undo()
{
    return d->edit(Json{{"op", "undo"}});
}

Result<void> ReviewStore::redo()
{
    return d->edit(Json{{"op", "redo"}});
}

int ReviewStore::unsavedEdits() const
{
    return d->writer ? d->writer->pending() : 0;
}

bool ReviewStore::flush(int timeoutMs)
{
    return !d->writer || d->writer->flush(timeoutMs);
}

Result<void> ReviewStore::compact()
{
    if (const auto may = d->writable(); !may)
        return may;
    constexpr int waitMs = 10'000;
    if (!flush(waitMs))
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("edits are still not on disk after %1 s").arg(waitMs / 1000),
                     {d->files.journal()},
                     QStringLiteral("free space or check permissions")};
    auto snapshot = writeFileAtomically(d->files.snapshot(), toJsonBytes(toJson(d->state.review)));
    if (!snapshot)
        return snapshot;
    const QByteArray journal =
        toJsonLine(headerOf(d->state.review)) + '\n' +
        toJsonLine(Json{
            {"op", "snapshot"}, {"at", sstr(nowText())}, {"review", toJson(d->state.review)}}) +
        '\n';
    auto replaced = writeFileAtomically(d->files.journal(), journal);
    if (!replaced)
        return replaced;
    const int fd = openForAppend(d->files.journal());
    if (fd < 0) {
        d->opening.readOnlyWhy = QStringLiteral("the journal cannot be opened again");
        d->writer.reset();
        return d->writable();
    }
    d->writer->continueIn(fd);
    d->journalBytes = journal.size();
    d->state.undo.clear();
    d->state.redo.clear();
    return {};
}

Result<void> ReviewStore::close()
{
    if (d->closed || !d->writer) {
        d->closed = true;
        return {};
    }
    Result<void> answer;
    if (d->journalBytes > compactOverBytes)
        answer = compact();
    else if (flush())
        answer = writeFileAtomically(d->files.snapshot(), toJsonBytes(toJson(d->state.review)));
    else
        answer = Error{ErrorCode::Unreadable,
                       QStringLiteral("the last edits could not be saved"),
                       {d->files.journal()},
                       QStringLiteral("free space or check permissions")};
    d->closed = true;
    d->writer.reset();
    d->lock = FileLock();
    return answer;
}

} // namespace ridgeline
