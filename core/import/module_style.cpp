// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/module_style.h"

#include <QDateTime>

namespace ridgeline::import {

bool fillModule(Draft& draft, const QString& file, const char* inputsEntry)
{
    const QString source = draft.add(file, QStringLiteral("reference"), QStringLiteral("python"));
    if (source.isEmpty()) {
        draft.stub(QStringLiteral("%1: the reference cannot be read").arg(file));
        return false;
    }
    draft.object("signature") = {
        {"call_style", "module"},
        {"entry", "ModelNew"},
        {"generator",
         {{"file", sstr(source)}, {"entry", inputsEntry}, {"init_entry", "get_init_inputs"}}}};
    draft.reference(source, QStringLiteral("Model"), QStringLiteral("torch"));
    draft.mapped(QStringLiteral("reference: class Model; candidates: class ModelNew; inputs: %1()")
                     .arg(QLatin1String(inputsEntry)));
    draft.manifest()["cases"] = Json::array({{{"id", "inputs"}}});
    const auto text = draft.text(file);
    if (!text) {
        draft.stub(QStringLiteral("%1: not text, so it cannot run").arg(file));
        return false;
    }
    const PythonText python(*text);
    QString doc = python.docstring(QStringLiteral("Model"));
    if (doc.isEmpty())
        doc = python.docstring(QString());
    if (doc.isEmpty()) {
        draft.unmapped(QStringLiteral("spec: the class has no docstring"));
    } else {
        draft.spec(doc, "txt");
        draft.mapped(QStringLiteral("spec: docstring of class Model"));
    }
    draft.unmapped(QStringLiteral("shapes and element types: only %1 says them; they are seen when "
                                  "it runs")
                       .arg(QLatin1String(inputsEntry)));
    return true;
}

void kernelBenchTolerance(Draft& draft)
{
    Json& correctness = draft.object("correctness");
    correctness["default"] = tolerance("allclose", 1e-4, 1e-4);
    correctness["per_dtype"] = {{"fp32", tolerance("allclose", 1e-4, 1e-4)},
                                {"fp16", tolerance("allclose", 1e-2, 1e-2)},
                                {"bf16", tolerance("allclose", 1e-2, 1e-2)}};
    draft.mapped(QStringLiteral(
        "correctness: allclose with atol = rtol, 1e-4 for fp32 and 1e-2 for fp16 and bf16"));
}

QStringList moduleCandidates(Scan& scan, const QString& folder)
{
    QStringList files;
    for (const QString& name : scan.tree().namesIn(folder)) {
        const QString file = joined(folder, name);
        if (!name.endsWith(QLatin1String(".py")) || scan.isClaimed(file))
            continue;
        const PythonText* python = scan.python(file);
        if (python != nullptr && python->hasClass(QStringLiteral("ModelNew")) &&
            !python->hasClass(QStringLiteral("Model")))
            files << file;
    }
    return files;
}

Json importedRecord(const QVector<ImportedRow>& rows, const QString& source,
                    const Json& environment)
{
    const QString now = QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs);
    Json record{
        {"schema", "kresult/1"},      {"bundle", ""},           {"device", "imported"},
        {"kind", "imported"},         {"source", sstr(source)}, {"started", sstr(now)},
        {"environment", environment}, {"artefact_dir", ""},     {"candidates", Json::array()}};
    const auto passOf = [&now](const char* name, const char* state, const QString& summary,
                               Json result) {
        return Json{{"pass", name},
                    {"state", state},
                    {"started", sstr(now)},
                    {"wall_ns", 0},
                    {"summary", sstr(summary)},
                    {"result", std::move(result)},
                    {"log", ""},
                    {"artefacts", Json::array()}};
    };
    const auto candidateOf = [&record](const QString& id) -> Json& {
        Json& list = record["candidates"];
        for (Json& c : list) {
            if (jsonString(c, "id") == id)
                return c;
        }
        list.push_back({{"id", sstr(id)},
                        {"verdict", "unknown"},
                        {"verdict_reason", "claimed by the author's own harness; not run here"},
                        {"passes", Json::array()},
                        {"findings", Json::array()}});
        return list.back();
    };
    const auto member = [](Json& candidate, const char* name) -> Json* {
        for (Json& pass : candidate["passes"]) {
            if (jsonString(pass, "pass") == QLatin1String(name))
                return &pass;
        }
        return nullptr;
    };
    for (const ImportedRow& row : rows) {
        Json& candidate = candidateOf(row.candidate);
        const std::string id = sstr(row.caseId.isEmpty() ? QStringLiteral("all") : row.caseId);
        if (row.compiled && member(candidate, "compile") == nullptr)
            candidate["passes"].push_back(
                passOf("compile", *row.compiled ? "passed" : "failed",
                       QStringLiteral("imported: %1")
                           .arg(*row.compiled ? QStringLiteral("compiled")
                                              : QStringLiteral("did not compile")),
                       {{"kind", "imported"}}));
        if (row.correct) {
            Json* pass = member(candidate, "correctness");
            if (pass == nullptr) {
                candidate["passes"].push_back(passOf("correctness", "passed", {},
                                                     {{"kind", "imported"},
                                                      {"reference", nullptr},
                                                      {"passed", 0},
                                                      {"failed", 0},
                                                      {"cases", Json::array()}}));
                pass = &candidate["passes"].back();
            }
            Json& result = (*pass)["result"];
            const char* counter = *row.correct ? "passed" : "failed";
            result[counter] = result[counter].get<int>() + 1;
            result["cases"].push_back({{"case", id},
                                       {"axes", Json::object()},
                                       {"seed", 0},
                                       {"state", *row.correct ? "passed" : "failed"},
                                       {"message", sstr(row.message)},
                                       {"wall_ns", 0},
                                       {"outputs", Json::array()},
                                       {"imported", row.more}});
            if (!*row.correct)
                (*pass)["state"] = "failed";
            (*pass)["summary"] = sstr(QStringLiteral("imported: %1 correct, %2 wrong, as claimed")
                                          .arg(result["passed"].get<int>())
                                          .arg(result["failed"].get<int>()));
        }
        if (row.ns) {
            Json* pass = member(candidate, "benchmark");
            if (pass == nullptr) {
                candidate["passes"].push_back(
                    passOf("benchmark", "passed", QStringLiteral("imported: times as claimed"),
                           {{"timing_kind", "imported"},
                            {"clock", ""},
                            {"note", "Claimed by somebody else, not measured here."},
                            {"cases", Json::array()}}));
                pass = &candidate["passes"].back();
            }
            (*pass)["result"]["cases"].push_back({{"case", id},
                                                  {"axes", Json::object()},
                                                  {"samples_ns", Json::array()},
                                                  {"median_ns", *row.ns},
                                                  {"statistic", sstr(row.statistic)},
                                                  {"value_raw", row.rawValue},
                                                  {"unit_raw", sstr(row.rawUnit)},
                                                  {"imported", row.more},
                                                  {"flags", Json::array()},
                                                  {"baseline", nullptr}});
        }
    }
    return record;
}

} // namespace ridgeline::import
