// SPDX-License-Identifier: GPL-3.0-or-later
// kreport/1: the report model as JSON, for programs that collect feedback.
#include "core/report/report_model.h"

namespace ridgeline {

namespace {

Json texts(const QStringList& list)
{
    Json array = Json::array();
    for (const QString& text : list)
        array.push_back(sstr(text));
    return array;
}

Json toJson(const ReportTable& table)
{
    Json columns = Json::array();
    for (const ReportColumn& column : table.columns)
        columns.push_back(sstr(column.name));
    Json rows = Json::array();
    for (const QStringList& row : table.rows)
        rows.push_back(texts(row));
    return {{"id", sstr(table.id)},     {"title", sstr(table.title)},
            {"note", sstr(table.note)}, {"columns", std::move(columns)},
            {"rows", std::move(rows)},  {"rows_left_out", table.rowsLeftOut}};
}

Json toJson(const ReportScore& score)
{
    return {{"criterion", sstr(score.criterion)},
            {"title", sstr(score.title)},
            {"weight", score.weight},
            {"score", score.score ? Json(*score.score) : Json(nullptr)},
            {"not_applicable", score.notApplicable},
            {"label", sstr(score.label)},
            {"level", sstr(score.levelText)},
            {"comment", sstr(score.comment)},
            {"evidence", texts(score.evidence)},
            {"missing_evidence", texts(score.missingEvidence)},
            {"needs_justification", score.needsJustification}};
}

Json toJson(const QVector<ReportFinding>& findings)
{
    Json array = Json::array();
    for (const ReportFinding& f : findings)
        array.push_back({{"id", sstr(f.id)},
                         {"code", sstr(f.code)},
                         {"severity", sstr(f.severity)},
                         {"title", sstr(f.title)},
                         {"explanation", sstr(f.explanation)},
                         {"candidate", sstr(f.candidate)},
                         {"pass", sstr(f.pass)},
                         {"place", sstr(f.place)},
                         {"evidence", texts(f.evidence)},
                         {"verdict_word", sstr(f.word)},
                         {"criterion", sstr(f.criterion)},
                         {"state", sstr(findingStateName(f.state))},
                         {"reason", sstr(f.reason)}});
    return array;
}

Json toJson(const RoofPlot& plot)
{
    Json points = Json::array();
    for (const RoofPoint& p : plot.points)
        points.push_back(
            {{"case", sstr(p.name)},
             {"source", p.counted ? "counted" : "expression"},
             {"intensity", p.intensity},
             {"achieved_gflops", p.achievedGflops ? Json(*p.achievedGflops) : Json(nullptr)}});
    return {{"device", sstr(plot.device)},
            {"dtype", sstr(plot.dtype)},
            {"peak_gflops", plot.peakGflops},
            {"bandwidth_gbps", plot.bandwidthGbps},
            {"points", std::move(points)}};
}

} // namespace

Json toJson(const ReportModel& model)
{
    Json scores = Json::array();
    for (const ReportScore& score : model.scores)
        scores.push_back(toJson(score));
    Json comments = Json::array();
    for (const ReportComment& c : model.comments)
        comments.push_back({{"place", sstr(c.place)},
                            {"note", sstr(c.note)},
                            {"quote", sstr(c.quote)},
                            {"text", sstr(c.text)},
                            {"criterion", sstr(c.criterion)}});
    Json candidates = Json::array();
    for (const ReportCandidate& c : model.candidates) {
        Json tables = Json::array();
        for (const ReportTable& table : c.tables)
            tables.push_back(toJson(table));
        candidates.push_back({{"id", sstr(c.id)},
                              {"title", sstr(c.title)},
                              {"origin", sstr(c.origin)},
                              {"verdict", sstr(c.verdict)},
                              {"verdict_reason", sstr(c.reason)},
                              {"tables", std::move(tables)},
                              {"roofline", toJson(c.plot)},
                              {"reproduce", texts(c.reproduce)}});
    }
    Json environment = Json::object();
    for (const QStringList& row : model.environment)
        environment[sstr(row.value(0))] = sstr(row.value(1));
    return {{"schema", "kreport/1"},
            {"ridgeline", sstr(model.version)},
            {"bundle",
             {{"id", sstr(model.bundle)},
              {"title", sstr(model.bundleTitle)},
              {"task_type", sstr(model.taskType)}}},
            {"run",
             {{"file", sstr(model.runFile)},
              {"started", sstr(model.runStarted.toUTC().toString(Qt::ISODateWithMs))},
              {"device", sstr(model.device)},
              {"device_kind", sstr(model.deviceKind)},
              {"device_name", sstr(model.deviceName)},
              {"label", sstr(model.deviceLabel)}}},
            {"review",
             {{"reviewer", sstr(model.reviewer)},
              {"rubric", sstr(model.rubric)},
              {"rubric_hash", sstr(model.rubricHash)},
              {"active_ms", model.activeMs},
              {"verdict", sstr(model.verdict)},
              {"verdict_word", sstr(model.word)},
              {"summary", sstr(model.summary)},
              {"total", model.total ? Json(*model.total) : Json(nullptr)},
              {"scale", {{"min", model.scaleMin}, {"max", model.scaleMax}}},
              {"scored_weight", model.scoredWeight},
              {"applicable_weight", model.applicableWeight},
              {"scores", std::move(scores)},
              {"comments", std::move(comments)}}},
            {"findings",
             {{"confirmed", toJson(model.confirmed)},
              {"open", toJson(model.open)},
              {"dismissed", toJson(model.dismissed)}}},
            {"candidates", std::move(candidates)},
            {"environment", std::move(environment)},
            {"missing", texts(model.missing)}};
}

} // namespace ridgeline
