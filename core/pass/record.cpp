// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/record.h"

#include <array>

namespace ridgeline {

namespace {

const std::array<const char*, 8> states{"pending", "running", "passed",    "failed",
                                        "error",   "skipped", "cancelled", "timeout"};
const std::array<const char*, 4> verdicts{"pass", "fail", "suspect", "unknown"};

template <class Enum, std::size_t N>
std::optional<Enum> fromName(const std::array<const char*, N>& names, const QString& name)
{
    for (std::size_t i = 0; i < N; ++i) {
        if (name == QLatin1String(names[i]))
            return Enum(int(i));
    }
    return std::nullopt;
}

Error bad(const QString& file, const QString& pointer, const QString& what)
{
    return Error{
        ErrorCode::BadSchema, what, {file, 0, 0, pointer}, QStringLiteral("expected kresult/1")};
}

} // namespace

const PassRecord* CandidateRun::pass(const QString& name) const
{
    for (const PassRecord& record : passes) {
        if (record.pass == name)
            return &record;
    }
    return nullptr;
}

const CandidateRun* RunRecord::candidate(const QString& id) const
{
    for (const CandidateRun& run : candidates) {
        if (run.id == id)
            return &run;
    }
    return nullptr;
}

QString passStateName(PassState state)
{
    return QString::fromLatin1(states[std::size_t(state)]);
}

QString verdictName(CandidateVerdict verdict)
{
    return QString::fromLatin1(verdicts[std::size_t(verdict)]);
}

Json toJson(const PassRecord& pass)
{
    Json artefacts = Json::array();
    for (const Artefact& a : pass.artefacts)
        artefacts.push_back(
            {{"name", sstr(a.name)}, {"path", sstr(a.path)}, {"media", sstr(a.media)}});
    return Json{{"pass", sstr(pass.pass)},
                {"state", sstr(passStateName(pass.state))},
                {"started", sstr(pass.started.toUTC().toString(Qt::ISODateWithMs))},
                {"wall_ns", pass.wallNs},
                {"summary", sstr(pass.summary)},
                {"result", pass.result},
                {"log", sstr(pass.log)},
                {"artefacts", std::move(artefacts)}};
}

Json toJson(const RunRecord& run)
{
    Json candidates = Json::array();
    for (const CandidateRun& c : run.candidates) {
        Json passes = Json::array();
        for (const PassRecord& p : c.passes)
            passes.push_back(toJson(p));
        Json findings = Json::array();
        for (const Finding& f : c.findings)
            findings.push_back(toJson(f));
        candidates.push_back({{"id", sstr(c.id)},
                              {"verdict", sstr(verdictName(c.verdict))},
                              {"verdict_reason", sstr(c.verdictReason)},
                              {"passes", std::move(passes)},
                              {"findings", std::move(findings)}});
    }
    return Json{{"schema", "kresult/1"},
                {"bundle", sstr(run.bundle)},
                {"device", sstr(run.device)},
                {"started", sstr(run.started.toUTC().toString(Qt::ISODateWithMs))},
                {"environment", run.environment},
                {"artefact_dir", sstr(run.artefactDir)},
                {"candidates", std::move(candidates)}};
}

Result<RunRecord> runFromJson(const Json& json, const QString& file)
{
    if (jsonString(json, "schema") != QLatin1String("kresult/1"))
        return bad(file, QStringLiteral("/schema"), QStringLiteral("is not \"kresult/1\""));
    const Json& candidates = jsonMember(json, "candidates");
    if (!candidates.is_array())
        return bad(file, QStringLiteral("/candidates"), QStringLiteral("is missing or no array"));
    RunRecord run;
    run.bundle = jsonString(json, "bundle");
    run.device = jsonString(json, "device");
    run.started = QDateTime::fromString(jsonString(json, "started"), Qt::ISODateWithMs);
    run.environment = jsonMember(json, "environment");
    run.artefactDir = jsonString(json, "artefact_dir");
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Json& c = candidates[i];
        const QString at = QStringLiteral("/candidates/%1").arg(i);
        CandidateRun candidate;
        candidate.id = jsonString(c, "id");
        if (candidate.id.isEmpty())
            return bad(file, at + QStringLiteral("/id"), QStringLiteral("is missing or no string"));
        const auto verdict = fromName<CandidateVerdict>(verdicts, jsonString(c, "verdict"));
        if (!verdict)
            return bad(file, at + QStringLiteral("/verdict"),
                       QStringLiteral("is none of pass, fail, suspect, unknown"));
        candidate.verdict = *verdict;
        candidate.verdictReason = jsonString(c, "verdict_reason");
        const Json& passes = jsonMember(c, "passes");
        for (std::size_t j = 0; passes.is_array() && j < passes.size(); ++j) {
            const Json& p = passes[j];
            PassRecord record;
            record.pass = jsonString(p, "pass");
            const auto state = fromName<PassState>(states, jsonString(p, "state"));
            if (record.pass.isEmpty() || !state)
                return bad(file, at + QStringLiteral("/passes/%1").arg(j),
                           QStringLiteral("has no pass name or no known state"));
            record.state = *state;
            record.started = QDateTime::fromString(jsonString(p, "started"), Qt::ISODateWithMs);
            record.wallNs = jsonInt(p, "wall_ns");
            record.summary = jsonString(p, "summary");
            record.result = jsonMember(p, "result");
            record.log = jsonString(p, "log");
            for (const Json& a : jsonMember(p, "artefacts"))
                record.artefacts.push_back(
                    {jsonString(a, "name"), jsonString(a, "path"), jsonString(a, "media")});
            candidate.passes.push_back(std::move(record));
        }
        const Json& findings = jsonMember(c, "findings");
        if (findings.is_array()) {
            for (const Json& f : findings)
                candidate.findings.push_back(findingFromJson(f));
        }
        run.candidates.push_back(std::move(candidate));
    }
    return run;
}

} // namespace ridgeline
