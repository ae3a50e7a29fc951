// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/importer.h"

#include <QElapsedTimer>
#include <algorithm>

namespace ridgeline {

using namespace import;

namespace import {

Scan::Scan(const SourceTree& tree, bool forced, const CancelToken& cancel)
    : m_tree(tree), m_forced(forced), m_cancel(cancel)
{
}

bool Scan::inChosen(const QString& path) const
{
    const QString& chosen = m_tree.chosen();
    return chosen.isEmpty() || path == chosen || path.startsWith(chosen + QLatin1Char('/'));
}

void Scan::claim(const QStringList& files)
{
    for (const QString& file : files)
        m_claimed.insert(file);
}

void Scan::add(const Detection& detection)
{
    claim(detection.files);
    // A single file stands for the task it belongs to.
    bool wanted = inChosen(detection.path);
    for (const QString& file : detection.files)
        wanted = wanted || file == m_tree.chosen();
    if (wanted)
        found << detection;
}

QStringList Scan::free(const char* suffix) const
{
    const QLatin1String end(suffix);
    QStringList all;
    for (const QString& file : m_tree.files()) {
        if (file.endsWith(end) && inChosen(file) && !m_claimed.contains(file))
            all << file;
    }
    return all;
}

const PythonText* Scan::python(const QString& file)
{
    auto it = m_python.find(file);
    if (it == m_python.end()) {
        const QString source = text(file);
        it =
            m_python.insert(file, source.isNull() ? nullptr : std::make_shared<PythonText>(source));
    }
    return it->get();
}

QString Scan::text(const QString& file)
{
    constexpr qint64 largest = 4 * 1024 * 1024;
    if (m_tree.size(file) > largest)
        return {};
    const auto bytes = m_tree.read(file);
    if (!bytes || bytes->contains('\0'))
        return {};
    // Latin-1 never fails, and what is looked for is ASCII; import complains about the rest.
    const QString text = QString::fromUtf8(*bytes);
    return text.isNull() ? QStringLiteral("") : text;
}

const QVector<Importer>& importers()
{
    static const QVector<Importer> all{gpuModeImporter(),     solImporter(),
                                       flashInferImporter(),  kernelBenchResultsImporter(),
                                       kernelBenchImporter(), kernelBenchCandidateImporter()};
    return all;
}

} // namespace import

const QVector<TaskFormat>& taskFormats()
{
    static const QVector<TaskFormat> all = [] {
        QVector<TaskFormat> formats;
        for (const Importer& importer : importers())
            formats << importer.format;
        formats << TaskFormat{QStringLiteral("by-hand"), QStringLiteral("Mapped by hand"),
                              QStringLiteral("files named by a person"), false};
        return formats;
    }();
    return all;
}

const TaskFormat* taskFormat(const QString& id)
{
    for (const TaskFormat& format : taskFormats()) {
        if (format.id == id)
            return &format;
    }
    return nullptr;
}

QString Detection::key() const
{
    QString text = format + QLatin1Char(':') + path;
    if (!record.isEmpty())
        text += QLatin1Char('#') + record;
    return text;
}

Result<DetectionReport> detectTasks(const SourceTree& tree, const QString& format,
                                    const CancelToken& cancel)
{
    if (!format.isEmpty() &&
        (taskFormat(format) == nullptr || format == QLatin1String("by-hand"))) {
        QStringList ids;
        for (const Importer& importer : importers())
            ids << importer.format.id;
        return Error{ErrorCode::BadUsage,
                     QStringLiteral("\"%1\" is no task format").arg(format.left(80)),
                     {},
                     QStringLiteral("known: %1").arg(ids.join(QStringLiteral(", ")))};
    }
    Scan scan(tree, !format.isEmpty(), cancel);
    for (const Importer& importer : importers()) {
        if (cancel.isCancelled())
            return Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {tree.origin()}, {}};
        if (format.isEmpty() || importer.format.id == format)
            importer.find(scan);
    }
    DetectionReport report;
    report.tasks = scan.found;
    std::stable_sort(report.tasks.begin(), report.tasks.end(),
                     [](const Detection& a, const Detection& b) { return a.path < b.path; });
    report.notes = tree.notes();
    for (const char* suffix : {".py", ".cu", ".hip", ".jsonl", ".json"}) {
        for (const QString& file : scan.free(suffix)) {
            if (tree.chosen().isEmpty() || scan.inChosen(file))
                report.unknown << file;
        }
    }
    return report;
}

ImportOutcome importTask(const SourceTree& tree, const Detection& task, const QString& dir,
                         bool again)
{
    QElapsedTimer clock;
    clock.start();
    Draft draft(tree, task);
    bool known = false;
    for (const Importer& importer : importers()) {
        if (importer.format.id != task.format)
            continue;
        known = true;
        importer.fill(draft);
        break;
    }
    if (!known)
        draft.outcome().error = Error{ErrorCode::BadUsage,
                                      QStringLiteral("\"%1\" is no task format").arg(task.format),
                                      {},
                                      {}};
    if (!draft.outcome().error)
        draft.write(dir, again);
    draft.outcome().wallNs = clock.nsecsElapsed();
    return draft.outcome();
}

ImportOutcome importByHand(const SourceTree& tree, const HandMapping& mapping, const QString& dir)
{
    QElapsedTimer clock;
    clock.start();
    Detection task;
    task.format = QStringLiteral("by-hand");
    task.confidence = 1;
    task.why = QStringLiteral("mapped by a person");
    task.path = mapping.reference.isEmpty() ? mapping.candidates.value(0) : mapping.reference;
    task.name = baseOf(task.path).section(QLatin1Char('.'), 0, 0);
    Draft draft(tree, task);
    const auto exists = [&](const QString& file) {
        if (tree.contains(file))
            return true;
        draft.outcome().error = Error{ErrorCode::NotFound,
                                      QStringLiteral("no such file below the chosen folder"),
                                      {file},
                                      {}};
        return false;
    };
    if (mapping.reference.isEmpty() && mapping.candidates.isEmpty())
        draft.outcome().error =
            Error{ErrorCode::BadUsage,
                  QStringLiteral("neither a reference nor a candidate is named"),
                  {tree.origin()},
                  {}};
    Json& signature = draft.object("signature");
    signature["call_style"] = sstr(mapping.callStyle);
    if (!mapping.entry.isEmpty())
        signature["entry"] = sstr(mapping.entry);
    if (!mapping.spec.isEmpty() && exists(mapping.spec)) {
        const QString file =
            draft.add(mapping.spec, QStringLiteral("spec"), languageOf(mapping.spec));
        draft.object("spec") = {{"file", sstr(file)}};
        draft.mapped(QStringLiteral("spec: %1").arg(mapping.spec));
    }
    if (!mapping.reference.isEmpty() && exists(mapping.reference)) {
        const QString language = languageOf(mapping.reference);
        const QString file = draft.add(mapping.reference, QStringLiteral("reference"), language);
        draft.reference(
            file,
            mapping.referenceEntry.isEmpty() ? QStringLiteral("reference") : mapping.referenceEntry,
            language == QLatin1String("python") ? QStringLiteral("torch") : QStringLiteral("cpp"));
        draft.mapped(QStringLiteral("reference: %1").arg(mapping.reference));
    }
    for (const QString& candidate : mapping.candidates) {
        if (!exists(candidate))
            break;
        const QString language = languageOf(candidate);
        draft.candidate(baseOf(candidate).section(QLatin1Char('.'), 0, 0),
                        {draft.add(candidate, QStringLiteral("candidate"), language)}, language);
        draft.mapped(QStringLiteral("candidate: %1").arg(candidate));
    }
    draft.unmapped(QStringLiteral("cases, tolerance and timing: not known to a mapping by hand; "
                                  "add them to kbundle.json"));
    if (!draft.outcome().error)
        draft.write(dir, false);
    draft.outcome().wallNs = clock.nsecsElapsed();
    return draft.outcome();
}

Json toJson(const Detection& detection)
{
    Json json{{"format", sstr(detection.format)}, {"confidence", detection.confidence},
              {"path", sstr(detection.path)},     {"record", sstr(detection.record)},
              {"name", sstr(detection.name)},     {"why", sstr(detection.why)},
              {"alternatives", Json::array()}};
    for (const QString& other : detection.alternatives)
        json["alternatives"].push_back(sstr(other));
    return json;
}

Json toJson(const ImportOutcome& outcome)
{
    Json json = toJson(outcome.task);
    json["id"] = sstr(outcome.id);
    json["bundle"] = sstr(outcome.bundleDir);
    json["status"] = outcome.error ? "refused" : sstr(bundleStatusName(outcome.status)).c_str();
    json["candidates"] = outcome.candidates;
    json["cases"] = outcome.cases;
    json["results"] = outcome.results;
    json["kept"] = outcome.kept;
    json["wall_ns"] = outcome.wallNs;
    const auto put = [&json](const char* key, const QStringList& lines) {
        json[key] = Json::array();
        for (const QString& line : lines)
            json[key].push_back(sstr(line));
    };
    put("mapped", outcome.mapped);
    put("unmapped", outcome.unmapped);
    put("warnings", outcome.warnings);
    json["error"] = outcome.error ? Json(sstr(outcome.error->toString())) : Json();
    return json;
}

} // namespace ridgeline
