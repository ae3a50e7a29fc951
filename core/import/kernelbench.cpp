// SPDX-License-Identifier: GPL-3.0-or-later
// KernelBench: one file with class Model, get_inputs and get_init_inputs; candidates define
// ModelNew.
#include "core/import/module_style.h"

#include <QRegularExpression>

namespace ridgeline::import {

namespace {

bool looksLikeTask(const PythonText& python)
{
    return python.hasClass(QStringLiteral("Model")) &&
           python.hasFunction(QStringLiteral("get_inputs")) &&
           python.hasFunction(QStringLiteral("get_init_inputs")) &&
           !python.matches("^(?:import|from) jax\\b");
}

struct Number {
    QString level, problem;
};

/// level1/23_Softmax.py → 1, 23; runs/…/level_1_problem_23_sample_0_kernel.py → 1, 23.
Number numberOf(const QString& path)
{
    static const QRegularExpression task(QStringLiteral("level_?(\\d+)/(\\d+)_[^/]*\\.py$"));
    static const QRegularExpression sample(
        QStringLiteral("level_(\\d+)_problem_(\\d+)_sample_\\d+[^/]*$"));
    auto match = sample.match(path);
    if (!match.hasMatch())
        match = task.match(path);
    return {match.captured(1), match.captured(2)};
}

bool belongs(const SourceTree& tree, const QString& candidate, const QString& task,
             qsizetype tasksInFolder)
{
    const Number number = numberOf(tree.absolute(candidate));
    if (!number.problem.isEmpty()) {
        const Number of = numberOf(tree.absolute(task));
        return of.level == number.level && of.problem == number.problem;
    }
    if (parentOf(candidate) != parentOf(task))
        return false;
    const QString stem = baseOf(task).chopped(3);
    return tasksInFolder == 1 || baseOf(candidate).startsWith(stem + QLatin1Char('_'));
}

void find(Scan& scan)
{
    QStringList tasks, candidates;
    for (const QString& file : scan.free(".py")) {
        const PythonText* python = scan.python(file);
        if (python == nullptr)
            continue;
        if (looksLikeTask(*python))
            tasks << file;
        else if (python->hasClass(QStringLiteral("ModelNew")) &&
                 !python->hasClass(QStringLiteral("Model")))
            candidates << file;
    }
    // One file named by the user: its neighbours may be its candidates.
    if (tasks.size() == 1 && tasks[0] == scan.tree().chosen())
        candidates = moduleCandidates(scan, parentOf(tasks[0]));
    QHash<QString, int> tasksIn;
    for (const QString& task : tasks)
        ++tasksIn[parentOf(task)];
    for (const QString& task : std::as_const(tasks)) {
        Detection detection;
        detection.format = QStringLiteral("kernelbench");
        detection.confidence = 0.9;
        detection.path = task;
        const Number number = numberOf(scan.tree().absolute(task));
        detection.name =
            number.level.isEmpty()
                ? baseOf(task).chopped(3)
                : QStringLiteral("level%1-%2").arg(number.level, baseOf(task).chopped(3));
        detection.why = QStringLiteral("class Model, get_inputs and get_init_inputs");
        detection.files << task;
        for (const QString& candidate : std::as_const(candidates)) {
            if (!belongs(scan.tree(), candidate, task, tasksIn.value(parentOf(task))))
                continue;
            detection.files << candidate;
            const QString results =
                joined(parentOf(candidate), QStringLiteral("eval_results.json"));
            if (scan.tree().contains(results) && !detection.files.contains(results))
                detection.files << results;
        }
        // The same file may also be what another collection calls a task.
        const PythonText* python = scan.python(task);
        if (scan.text(task).contains(QRegularExpression(QStringLiteral("^#{100,}\\s*$"),
                                                        QRegularExpression::MultilineOption)) &&
            python->matches("^def test_"))
            detection.alternatives << QStringLiteral("tritonbench");
        if (python->matches("^[ \\t]*@nki\\.(?:jit|baremetal|trace)"))
            detection.alternatives << QStringLiteral("nki");
        scan.add(detection);
    }
}

/// Results of the samples of one problem, as eval_results.json keeps them.
QVector<ImportedRow> rowsOf(const Json& samples, const QMap<QString, QString>& idBySample)
{
    QVector<ImportedRow> rows;
    if (!samples.is_array() && !samples.is_object())
        return rows;
    Json list = samples.is_array() ? samples : Json::array({samples});
    for (const Json& sample : list) {
        if (!sample.is_object())
            continue;
        const QString number = qstr(jsonMember(sample, "sample_id").is_null()
                                        ? "0"
                                        : jsonMember(sample, "sample_id").dump());
        ImportedRow row;
        row.candidate = idBySample.value(number, QStringLiteral("sample-%1").arg(idFrom(number)));
        if (jsonMember(sample, "compiled").is_boolean())
            row.compiled = jsonBool(sample, "compiled");
        if (jsonMember(sample, "correctness").is_boolean())
            row.correct = jsonBool(sample, "correctness");
        const Json& stats = jsonMember(sample, "runtime_stats");
        const double ms = jsonNumber(stats, "mean", jsonNumber(sample, "runtime", -1));
        if (ms > 0) {
            // Comments of the collection say microseconds; its code writes milliseconds.
            row.ns = ms * 1e6;
            row.rawValue = ms;
            row.rawUnit = QStringLiteral("ms");
            row.statistic = QStringLiteral("mean");
        }
        row.message = jsonString(jsonMember(sample, "metadata"), "correctness_issue",
                                 jsonString(jsonMember(sample, "metadata"), "compilation_error"))
                          .left(500);
        row.more = sample;
        rows << row;
    }
    return rows;
}

void fill(Draft& draft)
{
    const QString& file = draft.task().path;
    const Number number = numberOf(draft.tree().absolute(file));
    const QString stem = baseOf(file).chopped(3);
    draft.manifest()["title"] =
        sstr(QString(stem).replace(QLatin1Char('_'), QLatin1Char(' ')).simplified());
    if (!number.level.isEmpty()) {
        draft.manifest()["difficulty"] = sstr(QStringLiteral("level %1").arg(number.level));
        draft.object("provenance")["upstream_id"] = sstr(number.problem);
        draft.mapped(QStringLiteral("level %1, problem %2: from the path")
                         .arg(number.level, number.problem));
    } else {
        draft.unmapped(QStringLiteral("level: the path does not say it"));
    }
    fillModule(draft, file);
    kernelBenchTolerance(draft);
    draft.object("correctness")["trials"] = 5;
    draft.object("correctness")["seed_policy"] = "five seeds drawn from 42";
    draft.manifest()["cases"] = Json::array({{{"id", "inputs"}, {"seeds", {42, 43, 44, 45, 46}}}});
    draft.object("timing") = {{"clock", "cuda_event"},
                              {"warmup", {{"n", 3}}},
                              {"reps", {{"n", 100}}},
                              {"discard_first", 1},
                              {"cache", {{"policy", "cold"}, {"bytes", 268435456}}},
                              {"fresh_inputs", false},
                              {"statistic", "mean"}};
    draft.mapped(QStringLiteral("timing: CUDA events, 3 warm-ups, 100 repetitions with a cold L2, "
                                "mean in ms"));
    draft.unmapped(QStringLiteral("the five trial seeds: upstream draws them with torch; here they "
                                  "are 42 to 46"));

    QMap<QString, QString> idBySample;
    const auto text = draft.text(file);
    if (text && PythonText(*text).hasClass(QStringLiteral("ModelNew"))) {
        const QString path = jsonString(jsonMember(draft.manifest(), "reference"), "file");
        draft.candidate(QStringLiteral("in-the-task-file"), {path}, QStringLiteral("python"));
    }
    static const QRegularExpression sample(QStringLiteral("_sample_(\\d+)"));
    for (const QString& other : draft.task().files) {
        if (other == file || !other.endsWith(QLatin1String(".py")))
            continue;
        const auto source = draft.text(other);
        QString id = baseOf(other).chopped(3);
        if (const auto match = sample.match(id); match.hasMatch()) {
            id = QStringLiteral("sample-%1").arg(match.captured(1));
            idBySample.insert(match.captured(1), id);
        }
        draft.candidate(id,
                        {draft.add(other, QStringLiteral("candidate"), QStringLiteral("python"))},
                        source ? dslOf(PythonText(*source)) : QStringLiteral("python"));
    }
    for (const QString& results : draft.task().files) {
        if (baseOf(results) != QLatin1String("eval_results.json"))
            continue;
        draft.keep(results);
        const auto bytes = draft.tree().read(results);
        const auto json = bytes ? parseJson(*bytes, results) : Result<Json>(bytes.error());
        if (!json) {
            draft.warn(json.error().toString());
            continue;
        }
        const auto rows =
            rowsOf(jsonMember(*json, number.problem.toUtf8().constData()), idBySample);
        if (!rows.isEmpty()) {
            draft.result(importedRecord(rows, results));
            draft.mapped(QStringLiteral("results: %1 samples of %2").arg(rows.size()).arg(results));
        }
    }
}

void findCandidates(Scan& scan)
{
    for (const QString& file : scan.free(".py")) {
        const PythonText* python = scan.python(file);
        if (python == nullptr || !python->hasClass(QStringLiteral("ModelNew")) ||
            python->hasClass(QStringLiteral("Model")))
            continue;
        Detection detection;
        detection.format = QStringLiteral("kernelbench-candidate");
        detection.confidence = 0.8;
        detection.path = file;
        detection.name = baseOf(file).chopped(3);
        detection.why = QStringLiteral("class ModelNew without a Model beside it");
        detection.files << file;
        scan.add(detection);
    }
}

void fillCandidate(Draft& draft)
{
    const QString& file = draft.task().path;
    const auto source = draft.text(file);
    draft.object("signature") = {{"call_style", "module"}, {"entry", "ModelNew"}};
    draft.candidate(baseOf(file).chopped(3),
                    {draft.add(file, QStringLiteral("candidate"), QStringLiteral("python"))},
                    source ? dslOf(PythonText(*source)) : QStringLiteral("python"));
    kernelBenchTolerance(draft);
    draft.stub(QStringLiteral("%1: a candidate alone; put it beside its task (class Model, "
                              "get_inputs, get_init_inputs) and import the folder")
                   .arg(file));
}

void findResults(Scan& scan)
{
    for (const QString& file : scan.free("eval_results.json")) {
        // Attached to tasks when their candidates are in the same folder.
        bool candidates = false;
        for (const QString& name : scan.tree().namesIn(parentOf(file)))
            candidates = candidates || numberOf(joined(parentOf(file), name)).problem.size() > 0;
        if (candidates && !scan.forced() && scan.tree().chosen() != file)
            continue;
        const QString text = scan.text(file);
        if (!text.trimmed().startsWith(QLatin1Char('{')))
            continue;
        Detection detection;
        detection.format = QStringLiteral("kernelbench-results");
        detection.confidence = 0.9;
        detection.path = file;
        detection.name = QStringLiteral("results-") + baseOf(parentOf(scan.tree().absolute(file)));
        detection.why = QStringLiteral("its name and problem numbers as keys");
        detection.files << file;
        scan.add(detection);
    }
}

void fillResults(Draft& draft)
{
    const QString& file = draft.task().path;
    draft.keep(file);
    const auto bytes = draft.tree().read(file);
    const auto json = bytes ? parseJson(*bytes, file) : Result<Json>(bytes.error());
    if (!json) {
        draft.outcome().error = json.error();
        return;
    }
    QVector<ImportedRow> all;
    for (const auto& [problem, samples] : json->items()) {
        for (ImportedRow row : rowsOf(samples, {})) {
            row.candidate =
                idFrom(QStringLiteral("problem-%1-%2").arg(qstr(problem), row.candidate));
            all << row;
        }
    }
    draft.result(importedRecord(all, file));
    draft.mapped(QStringLiteral("results: %1 samples, times in ms").arg(all.size()));
    draft.stub(
        QStringLiteral("%1: results only; their tasks and candidates are elsewhere").arg(file));
}

} // namespace

Importer kernelBenchImporter()
{
    return {{QStringLiteral("kernelbench"), QStringLiteral("KernelBench"),
             QStringLiteral("a file with class Model, get_inputs and get_init_inputs"), false},
            find,
            fill};
}

Importer kernelBenchCandidateImporter()
{
    return {{QStringLiteral("kernelbench-candidate"), QStringLiteral("KernelBench candidate"),
             QStringLiteral("a file with class ModelNew and no Model"), false},
            findCandidates,
            fillCandidate};
}

Importer kernelBenchResultsImporter()
{
    return {{QStringLiteral("kernelbench-results"), QStringLiteral("KernelBench results"),
             QStringLiteral("eval_results.json"), true},
            findResults,
            fillResults};
}

} // namespace ridgeline::import
