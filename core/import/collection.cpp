// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/collection.h"

#include "core/support/paths.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>

namespace ridgeline {

namespace {

QString journalOf(const QString& dir)
{
    return dir + QStringLiteral("/import.jsonl");
}

/// Changes when a file of the task does.
QString stampOf(const SourceTree& tree, const Detection& task)
{
    QByteArray all = tree.origin().toUtf8();
    for (const QString& file : task.files)
        all += '\n' + file.toUtf8() + ' ' + tree.stamp(file).toUtf8();
    return sha256Hex(all).left(32);
}

/// The last line of every key. A line that was cut off by a crash is left out.
QMap<QString, Json> readJournal(const QString& dir)
{
    QMap<QString, Json> entries;
    const auto bytes = readFile(journalOf(dir), 256 * 1024 * 1024);
    if (!bytes)
        return entries;
    for (const QByteArray& line : bytes->split('\n')) {
        if (line.isEmpty())
            continue;
        const auto json = parseJson(line, journalOf(dir));
        if (json && json->is_object())
            entries.insert(jsonString(*json, "key"), *json);
    }
    return entries;
}

ImportOutcome keptOutcome(const Detection& task, const Json& entry, const QString& dir)
{
    ImportOutcome outcome;
    outcome.task = task;
    outcome.kept = true;
    outcome.id = jsonString(entry, "id");
    outcome.bundleDir = dir + QLatin1Char('/') + outcome.id + QStringLiteral(".kbundle");
    const QString status = jsonString(entry, "status");
    outcome.status = status == QLatin1String("stub")     ? BundleStatus::Stub
                     : status == QLatin1String("broken") ? BundleStatus::Broken
                                                         : BundleStatus::Ready;
    outcome.candidates = int(jsonInt(entry, "candidates"));
    outcome.cases = int(jsonInt(entry, "cases"));
    outcome.results = int(jsonInt(entry, "results"));
    outcome.mapped = jsonStrings(entry, "mapped");
    outcome.unmapped = jsonStrings(entry, "unmapped");
    outcome.warnings = jsonStrings(entry, "warnings");
    return outcome;
}

} // namespace

Result<CollectionResult> importCollection(const CollectionRequest& request,
                                          const CollectionObserver& observer,
                                          const CancelToken& cancel)
{
    QElapsedTimer clock;
    clock.start();
    auto tree = SourceTree::open(request.path, request.root, cancel);
    if (!tree)
        return tree.error();
    auto report = detectTasks(*tree, request.format, cancel);
    if (!report)
        return report.error();
    CollectionResult result;
    result.detectNs = clock.nsecsElapsed();
    result.report = *report;
    if (observer.found)
        observer.found(*report);
    if (request.dir.isEmpty())
        return result;
    QVector<Detection> wanted;
    for (Detection task : std::as_const(report->tasks)) {
        if (!request.only.isEmpty() && !request.only.contains(task.key()))
            continue;
        const QString chosen = request.choices.value(task.key(), request.format);
        if (!chosen.isEmpty()) {
            task.format = chosen;
            task.alternatives.clear();
        }
        if (task.isAmbiguous())
            result.ambiguous << task;
        else
            wanted << task;
    }
    if (wanted.isEmpty())
        return result;
    if (!QDir().mkpath(request.dir))
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("the folder cannot be made"),
                     {request.dir},
                     QStringLiteral("check permissions and free space")};
    const QMap<QString, Json> before = readJournal(request.dir);
    QFile journal(journalOf(request.dir));
    if (!journal.open(QIODevice::WriteOnly | QIODevice::Append))
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("cannot write: %1").arg(journal.errorString()),
                     {journal.fileName()},
                     QStringLiteral("check permissions and free space")};
    int done = 0;
    for (const Detection& task : std::as_const(wanted)) {
        if (cancel.isCancelled()) {
            result.cancelled = true;
            break;
        }
        if (observer.progress)
            observer.progress(done, int(wanted.size()), task.name);
        const QString stamp = stampOf(*tree, task);
        const auto old = before.constFind(task.key());
        if (!request.again && old != before.constEnd() && jsonString(*old, "stamp") == stamp &&
            QFileInfo(request.dir + QLatin1Char('/') + jsonString(*old, "id") +
                      QStringLiteral(".kbundle/kbundle.json"))
                .isFile()) {
            result.outcomes << keptOutcome(task, *old, request.dir);
        } else {
            const ImportOutcome outcome = importTask(*tree, task, request.dir, true);
            result.outcomes << outcome;
            if (!outcome.error) {
                Json line = toJson(outcome);
                line["key"] = sstr(task.key());
                line["stamp"] = sstr(stamp);
                journal.write(toJsonLine(line) + '\n');
                journal.flush();
            }
        }
        ++done;
        if (observer.imported)
            observer.imported(result.outcomes.constLast());
    }
    if (observer.progress)
        observer.progress(done, int(wanted.size()), QString());
    return result;
}

} // namespace ridgeline
