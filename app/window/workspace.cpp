// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workspace.h"

#include "core/support/paths.h"
#include "widgets/lexers.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QtConcurrentRun>

namespace ridgeline {

namespace {

constexpr qint64 maxShownBytes = 4 * 1024 * 1024;

CodeDocument documentFor(const Bundle& bundle, const QString& file, const QString& id,
                         const QString& title, const QString& language)
{
    CodeDocument document;
    document.id = id;
    document.path = file;
    document.title = title.isEmpty() ? file : title;
    document.language = languageOfFile(file);
    if (document.language.isEmpty())
        document.language = language;
    for (const BundleFile& entry : bundle.files) {
        if (entry.path == file && !entry.language.isEmpty() && document.language.isEmpty())
            document.language = entry.language;
    }
    const auto bytes = readFile(bundle.absolute(file), maxShownBytes);
    if (bytes)
        document.text = QString::fromUtf8(*bytes);
    else
        document.error = bytes.error().toString();
    return document;
}

void readTexts(OpenBundle& open)
{
    const Bundle& bundle = open.bundle;
    if (!bundle.specFile.isEmpty())
        open.spec.append(documentFor(bundle, bundle.specFile, {}, {}, QStringLiteral("markdown")));
    if (bundle.reference)
        open.reference.append(documentFor(bundle, bundle.reference->file, {}, {}, {}));
    if (!bundle.sourceImpl.isEmpty())
        open.reference.append(documentFor(bundle, bundle.sourceImpl, {}, {}, {}));
    for (const BundleFile& file : bundle.files) {
        const bool shown = file.visibility != QLatin1String("hidden");
        if (file.role == QLatin1String("header") && shown)
            open.reference.append(documentFor(bundle, file.path, {}, {}, file.language));
    }
    for (const Candidate& candidate : bundle.candidates) {
        bool first = true;
        for (const QString& file : candidate.files) {
            const QString title = candidate.title.isEmpty() ? candidate.id : candidate.title;
            open.candidates.append(documentFor(
                bundle, file, candidate.id,
                first ? title : QStringLiteral("%1 – %2").arg(title, QFileInfo(file).fileName()),
                candidate.language));
            first = false;
        }
    }
}

void readNewestRun(OpenBundle& open)
{
    QFileInfoList files;
    for (const QString& folder : {open.bundle.dir + QStringLiteral("/results"),
                                  dataDir() + QStringLiteral("/results/") + open.bundle.id})
        files += QDir(folder).entryInfoList({QStringLiteral("*.kresult.json")}, QDir::Files);
    // Names begin with the UTC time of the run.
    std::sort(files.begin(), files.end(),
              [](const QFileInfo& a, const QFileInfo& b) { return a.fileName() > b.fileName(); });
    for (const QFileInfo& file : std::as_const(files)) {
        const auto json = readJsonFile(file.absoluteFilePath());
        const auto run =
            json ? runFromJson(*json, file.fileName()) : Result<RunRecord>(json.error());
        if (!run) {
            if (open.runError.isEmpty())
                open.runError = run.error().toString();
            continue;
        }
        open.run = *run;
        open.run.artefactDir = file.absolutePath() + QLatin1Char('/') +
                               file.fileName().chopped(int(qstrlen(".kresult.json")));
        open.haveRun = true;
        return;
    }
}

/// The rubric asked for, else that of the reviewer's newest review here, else the one that suits.
Result<Rubric> rubricFor(const Bundle& bundle, const QString& reviewer, const QString& asked,
                         const QVector<Rubric>& rubrics)
{
    QStringList wanted{asked};
    for (const StoredReview& stored : listReviews(bundle.dir, bundle.id)) {
        if (stored.reviewer == reviewer)
            wanted << stored.rubric;
    }
    QStringList languages;
    for (const Candidate& candidate : bundle.candidates)
        languages << candidate.language;
    wanted << suggestedRubric(rubrics, taskTypeName(bundle.taskType), languages);
    for (const QString& id : std::as_const(wanted)) {
        for (const Rubric& rubric : rubrics) {
            if (!id.isEmpty() && rubric.id == id)
                return rubric;
        }
    }
    return findRubric(QStringLiteral("general-kernel-task"));
}

std::shared_ptr<OpenBundle> loadEverything(const QString& dir, const QString& reviewer,
                                           const QString& rubricId, QFuture<void> closing)
{
    closing.waitForFinished(); // the lock of the review before this one
    auto open = std::make_shared<OpenBundle>();
    open->dir = dir;
    open->loading = false;
    const auto bundle = loadBundle(dir);
    if (!bundle) {
        open->error = bundle.error();
        if (const auto manifest = readJsonFile(dir + QStringLiteral("/kbundle.json")))
            open->complaints = validateBundle(*manifest, dir);
        return open;
    }
    open->bundle = *bundle;
    readTexts(*open);
    readNewestRun(*open);
    open->rubrics = listRubrics().rubrics;
    const auto rubric = rubricFor(*bundle, reviewer, rubricId, open->rubrics);
    if (!rubric) {
        open->reviewError = rubric.error().toString();
        return open;
    }
    auto store = ReviewStore::open(bundle->dir, bundle->id, reviewer, *rubric);
    if (!store) {
        open->reviewError = store.error().toString();
        return open;
    }
    open->review = std::move(*store);
    open->review->moveToThread(QCoreApplication::instance()->thread());
    return open;
}

} // namespace

QVector<Finding> OpenBundle::findings() const
{
    QVector<Finding> all;
    for (const CandidateRun& candidate : run.candidates) {
        for (Finding finding : candidate.findings) {
            if (finding.candidate.isEmpty())
                finding.candidate = candidate.id;
            if (review) {
                const auto& decisions = review->review().decisions;
                const auto it = decisions.constFind(finding.id);
                if (it != decisions.cend()) {
                    finding.state = it->state;
                    finding.reason = it->reason;
                }
            }
            all.append(finding);
        }
    }
    return all;
}

Workspace::Workspace(QObject* parent) : QObject(parent) {}

Workspace::~Workspace()
{
    for (auto& [dir, bundle] : m_bundles)
        closeReview(dir, *bundle);
    for (auto& [dir, closing] : m_closing)
        closing.waitForFinished();
}

QString Workspace::keyFor(const QString& path)
{
    const QFileInfo info(path);
    const QString folder = info.isDir() ? info.absoluteFilePath() : info.absolutePath();
    return QDir::cleanPath(folder);
}

void Workspace::open(const QStringList& paths)
{
    for (const QString& path : paths) {
        const QString dir = keyFor(path);
        if (find(dir)) {
            if (!find(dir)->loading)
                Q_EMIT loaded(dir);
            continue;
        }
        m_order.append(dir);
        load(dir);
    }
}

void Workspace::reload(const QString& dir)
{
    if (find(dir))
        load(dir);
}

void Workspace::setRubric(const QString& dir, const QString& rubricId)
{
    const OpenBundle* bundle = find(dir);
    if (bundle && !(bundle->review && bundle->review->rubric().id == rubricId))
        load(dir, rubricId);
}

void Workspace::load(const QString& dir, const QString& rubricId)
{
    if (OpenBundle* old = find(dir))
        closeReview(dir, *old);
    auto placeholder = std::make_unique<OpenBundle>();
    placeholder->dir = dir;
    m_bundles[dir] = std::move(placeholder);
    const quint64 token = m_nextToken++;
    m_tokens[dir] = token;
    Q_EMIT changed(dir);

    using Loaded = std::shared_ptr<OpenBundle>;
    auto* watcher = new QFutureWatcher<Loaded>(this);
    connect(watcher, &QFutureWatcher<Loaded>::finished, this, [this, watcher, dir, token] {
        watcher->deleteLater();
        const auto current = m_tokens.find(dir);
        if (current == m_tokens.end() || current->second != token)
            return;
        const Loaded loadedBundle = watcher->result();
        m_bundles[dir] = std::make_unique<OpenBundle>(std::move(*loadedBundle));
        if (ReviewStore* store = m_bundles[dir]->review.get())
            connect(store, &ReviewStore::changed, this, [this, dir] { Q_EMIT changed(dir); });
        Q_EMIT changed(dir);
        Q_EMIT loaded(dir);
    });
    watcher->setFuture(
        QtConcurrent::run(loadEverything, dir, m_reviewer, rubricId, m_closing[dir]));
}

void Workspace::closeReview(const QString& dir, OpenBundle& bundle)
{
    if (!bundle.review)
        return;
    bundle.review->disconnect(this);
    bundle.review->moveToThread(nullptr); // whichever thread deletes it
    std::shared_ptr<ReviewStore> store(std::move(bundle.review));
    m_closing[dir] =
        QtConcurrent::run([store = std::move(store), before = m_closing[dir]]() mutable {
            before.waitForFinished();
            store.reset();
        });
}

void Workspace::close(const QString& dir)
{
    const auto it = m_bundles.find(dir);
    if (it == m_bundles.end())
        return;
    closeReview(dir, *it->second);
    m_bundles.erase(it);
    m_tokens.erase(dir);
    m_order.removeAll(dir);
    Q_EMIT removed(dir);
}

OpenBundle* Workspace::find(const QString& dir)
{
    const auto it = m_bundles.find(dir);
    return it == m_bundles.end() ? nullptr : it->second.get();
}

bool Workspace::isLoading() const
{
    for (const auto& [dir, bundle] : m_bundles) {
        if (bundle->loading)
            return true;
    }
    return false;
}

void Workspace::setRun(const QString& dir, const RunRecord& run)
{
    if (OpenBundle* bundle = find(dir)) {
        bundle->run = run;
        bundle->haveRun = true;
        bundle->runError.clear();
        Q_EMIT changed(dir);
    }
}

} // namespace ridgeline
