// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/finding.h"

#include "core/support/paths.h"

#include <array>

namespace ridgeline {

namespace {

const std::array<const char*, 4> severities{"info", "low", "medium", "high"};
const std::array<const char*, 3> states{"open", "confirmed", "dismissed"};
const std::array<const char*, 11> words{"",      "HACK", "SHORTCUT", "WRONG", "UNPROVEN", "UNFAIR",
                                        "BUILD", "RUN",  "ENV",      "TASK",  "PORT"};

template <class Enum, std::size_t N>
Enum fromName(const std::array<const char*, N>& names, const QString& name)
{
    for (std::size_t i = 0; i < N; ++i) {
        if (name == QLatin1String(names[i]))
            return Enum(int(i));
    }
    return Enum(0);
}

Json toJson(const SourceRange& range)
{
    return {{"file", sstr(range.file)},
            {"first_line", range.firstLine},
            {"last_line", range.lastLine},
            {"sha256", sstr(range.sha256)}};
}

SourceRange rangeFromJson(const Json& json)
{
    return {jsonString(json, "file"), int(jsonInt(json, "first_line")),
            int(jsonInt(json, "last_line")), jsonString(json, "sha256")};
}

} // namespace

QVector<QByteArray> linesOf(const QByteArray& text)
{
    QVector<QByteArray> lines;
    qsizetype start = 0;
    while (start < text.size()) {
        qsizetype end = text.indexOf('\n', start);
        if (end < 0)
            end = text.size();
        QByteArray line = text.mid(start, end - start);
        if (line.endsWith('\r'))
            line.chop(1);
        lines.push_back(line);
        start = end + 1;
    }
    return lines;
}

QString hashOfLines(const QByteArray& fileText, int firstLine, int lastLine)
{
    const auto lines = linesOf(fileText);
    if (firstLine < 1 || lastLine < firstLine || lastLine > lines.size())
        return {};
    QByteArray text;
    for (int i = firstLine; i <= lastLine; ++i)
        text += lines[i - 1] + '\n';
    return sha256Hex(text);
}

QString severityName(Severity severity)
{
    return QString::fromLatin1(severities[std::size_t(severity)]);
}

QString verdictWordName(VerdictWord word)
{
    return QString::fromLatin1(words[std::size_t(word)]);
}

QString findingStateName(FindingState state)
{
    return QString::fromLatin1(states[std::size_t(state)]);
}

Json toJson(const Finding& finding)
{
    Json evidence = Json::array();
    for (const Evidence& e : finding.evidence) {
        Json item{{"kind", sstr(e.kind)}, {"text", sstr(e.text)}};
        if (e.value)
            item["value"] = *e.value;
        if (!e.rule.isEmpty())
            item["rule"] = sstr(e.rule);
        if (e.source)
            item["source"] = toJson(*e.source);
        if (!e.artefact.isEmpty())
            item["artefact"] = sstr(e.artefact);
        evidence.push_back(std::move(item));
    }
    Json json{{"id", sstr(finding.id)},
              {"code", sstr(finding.code)},
              {"severity", sstr(severityName(finding.severity))},
              {"title", sstr(finding.title)},
              {"explanation", sstr(finding.explanation)},
              {"evidence", std::move(evidence)},
              {"pass", sstr(finding.pass)},
              {"candidate", sstr(finding.candidate)}};
    if (finding.location)
        json["location"] = toJson(*finding.location);
    json["suggested_criterion"] = sstr(finding.suggestedCriterion);
    json["suggested_verdict"] = sstr(verdictWordName(finding.suggestedVerdict));
    json["state"] = sstr(findingStateName(finding.state));
    json["reason"] = sstr(finding.reason);
    return json;
}

Finding findingFromJson(const Json& json)
{
    Finding finding;
    finding.id = jsonString(json, "id");
    finding.code = jsonString(json, "code");
    finding.severity = fromName<Severity>(severities, jsonString(json, "severity"));
    finding.title = jsonString(json, "title");
    finding.explanation = jsonString(json, "explanation");
    finding.pass = jsonString(json, "pass");
    finding.candidate = jsonString(json, "candidate");
    finding.suggestedCriterion = jsonString(json, "suggested_criterion");
    finding.suggestedVerdict = fromName<VerdictWord>(words, jsonString(json, "suggested_verdict"));
    finding.state = fromName<FindingState>(states, jsonString(json, "state"));
    finding.reason = jsonString(json, "reason");
    if (jsonMember(json, "location").is_object())
        finding.location = rangeFromJson(jsonMember(json, "location"));
    for (const Json& item : jsonMember(json, "evidence")) {
        Evidence e;
        e.kind = jsonString(item, "kind");
        e.text = jsonString(item, "text");
        if (jsonMember(item, "value").is_number())
            e.value = jsonNumber(item, "value");
        e.rule = jsonString(item, "rule");
        if (jsonMember(item, "source").is_object())
            e.source = rangeFromJson(jsonMember(item, "source"));
        e.artefact = jsonString(item, "artefact");
        finding.evidence.push_back(std::move(e));
    }
    return finding;
}

} // namespace ridgeline
