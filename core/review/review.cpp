// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/review.h"

#include <QSet>
#include <array>

namespace ridgeline {

namespace {

const std::array<const char*, 4> verdicts{"undecided", "accept", "revise", "reject"};

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

QString stamp(const QDateTime& time)
{
    return time.toUTC().toString(Qt::ISODateWithMs);
}

QDateTime stampFromJson(const Json& json, const char* key)
{
    return QDateTime::fromString(jsonString(json, key), Qt::ISODateWithMs);
}

CriterionScore scoreFromJson(const Json& json)
{
    CriterionScore score;
    if (jsonMember(json, "score").is_number_integer())
        score.score = int(jsonInt(json, "score"));
    score.notApplicable = jsonBool(json, "not_applicable");
    score.comment = jsonString(json, "comment");
    for (const Json& link : jsonMember(json, "evidence"))
        score.evidence.push_back(evidenceLinkFromJson(link));
    return score;
}

} // namespace

QString reviewVerdictName(ReviewVerdict verdict)
{
    return QString::fromLatin1(verdicts[std::size_t(verdict)]);
}

ReviewVerdict reviewVerdictFromName(const QString& name)
{
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (name == QLatin1String(verdicts[i]))
            return ReviewVerdict(int(i));
    }
    return ReviewVerdict::Undecided;
}

RubricPin pinOf(const Rubric& rubric)
{
    RubricPin pin{rubric.id, rubric.version, rubric.hash, rubric.scale.min, rubric.scale.max, {}};
    for (const RubricCriterion& c : rubric.criteria)
        pin.criteria.push_back({c.id, c.title, c.weight, criterionHash(c)});
    return pin;
}

Json toJson(const EvidenceLink& link)
{
    Json json{{"kind", sstr(link.kind)}};
    if (!link.ref.isEmpty())
        json["ref"] = sstr(link.ref);
    if (link.source)
        json["source"] = toJson(*link.source);
    if (!link.text.isEmpty())
        json["text"] = sstr(link.text);
    return json;
}

EvidenceLink evidenceLinkFromJson(const Json& json)
{
    EvidenceLink link{jsonString(json, "kind"), jsonString(json, "ref"), std::nullopt,
                      jsonString(json, "text")};
    if (jsonMember(json, "source").is_object())
        link.source = rangeFromJson(jsonMember(json, "source"));
    return link;
}

Json toJson(const AnchoredComment& comment)
{
    return {{"id", sstr(comment.id)},
            {"range", toJson(comment.range)},
            {"before", sstr(comment.before)},
            {"after", sstr(comment.after)},
            {"quote", sstr(comment.quote)},
            {"text", sstr(comment.text)},
            {"criterion", sstr(comment.criterion)}};
}

AnchoredComment anchoredCommentFromJson(const Json& json)
{
    return {jsonString(json, "id"),       rangeFromJson(jsonMember(json, "range")),
            jsonString(json, "before"),   jsonString(json, "after"),
            jsonString(json, "quote"),    jsonString(json, "text"),
            jsonString(json, "criterion")};
}

Json toJson(const RubricPin& pin)
{
    Json criteria = Json::array();
    for (const CriterionPin& c : pin.criteria)
        criteria.push_back({{"id", sstr(c.id)},
                            {"title", sstr(c.title)},
                            {"weight", c.weight},
                            {"hash", sstr(c.hash)}});
    return {{"id", sstr(pin.id)},
            {"version", sstr(pin.version)},
            {"hash", sstr(pin.hash)},
            {"scale", {{"min", pin.scaleMin}, {"max", pin.scaleMax}}},
            {"criteria", std::move(criteria)}};
}

RubricPin rubricPinFromJson(const Json& json)
{
    RubricPin pin{jsonString(json, "id"), jsonString(json, "version"), jsonString(json, "hash")};
    const Json& scale = jsonMember(json, "scale");
    pin.scaleMin = int(jsonInt(scale, "min", 1));
    pin.scaleMax = int(jsonInt(scale, "max", 5));
    for (const Json& c : jsonMember(json, "criteria"))
        pin.criteria.push_back({jsonString(c, "id"), jsonString(c, "title"),
                                jsonNumber(c, "weight", 1), jsonString(c, "hash")});
    return pin;
}

Json toJson(const Review& review)
{
    Json scores = Json::object();
    for (auto it = review.scores.cbegin(); it != review.scores.cend(); ++it) {
        const CriterionScore& s = it.value();
        Json evidence = Json::array();
        for (const EvidenceLink& link : s.evidence)
            evidence.push_back(toJson(link));
        scores[sstr(it.key())] = {{"score", s.score ? Json(*s.score) : Json(nullptr)},
                                  {"not_applicable", s.notApplicable},
                                  {"comment", sstr(s.comment)},
                                  {"evidence", std::move(evidence)}};
    }
    Json decisions = Json::object();
    for (auto it = review.decisions.cbegin(); it != review.decisions.cend(); ++it)
        decisions[sstr(it.key())] = {{"state", sstr(findingStateName(it->state))},
                                     {"reason", sstr(it->reason)}};
    Json comments = Json::array();
    for (const AnchoredComment& c : review.comments)
        comments.push_back(toJson(c));
    return {{"schema", "kreview/1"},
            {"bundle", sstr(review.bundle)},
            {"reviewer", sstr(review.reviewer)},
            {"rubric", toJson(review.rubric)},
            {"scores", std::move(scores)},
            {"decisions", std::move(decisions)},
            {"comments", std::move(comments)},
            {"verdict", sstr(reviewVerdictName(review.verdict))},
            {"verdict_word", sstr(verdictWordName(review.word))},
            {"summary", sstr(review.summary)},
            {"active_ms", review.activeMs},
            {"started", sstr(stamp(review.started))},
            {"changed", sstr(stamp(review.changed))}};
}

Result<Review> reviewFromJson(const Json& json, const QString& file)
{
    if (jsonString(json, "schema") != QLatin1String("kreview/1"))
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("is not \"kreview/1\""),
                     {file, 0, 0, QStringLiteral("/schema")},
                     QStringLiteral("expected a review written by Ridgeline")};
    Review review;
    review.bundle = jsonString(json, "bundle");
    review.reviewer = jsonString(json, "reviewer");
    review.rubric = rubricPinFromJson(jsonMember(json, "rubric"));
    const Json& scores = jsonMember(json, "scores");
    if (scores.is_object()) {
        for (const auto& [key, value] : scores.items())
            review.scores.insert(qstr(key), scoreFromJson(value));
    }
    const Json& decisions = jsonMember(json, "decisions");
    if (decisions.is_object()) {
        for (const auto& [key, value] : decisions.items()) {
            // findingFromJson knows the words of a state.
            const Finding finding = findingFromJson(value);
            review.decisions.insert(qstr(key), {finding.state, finding.reason});
        }
    }
    for (const Json& comment : jsonMember(json, "comments"))
        review.comments.push_back(anchoredCommentFromJson(comment));
    review.verdict = reviewVerdictFromName(jsonString(json, "verdict"));
    review.word = findingFromJson(Json{{"suggested_verdict", jsonMember(json, "verdict_word")}})
                      .suggestedVerdict;
    review.summary = jsonString(json, "summary");
    review.activeMs = std::max<qint64>(0, jsonInt(json, "active_ms"));
    review.started = stampFromJson(json, "started");
    review.changed = stampFromJson(json, "changed");
    return review;
}

ReviewStanding standingOf(const Review& review, const Rubric& rubric, const QString& taskType,
                          const QVector<Finding>& findings)
{
    QMap<QString, QString> passOfFinding;
    for (const Finding& finding : findings)
        passOfFinding.insert(finding.id, finding.pass);

    ReviewStanding standing;
    double sum = 0;
    for (const RubricCriterion& c : rubric.criteria) {
        const CriterionScore score = review.scores.value(c.id);
        if (!c.appliesToTask(taskType) || score.notApplicable) {
            standing.notApplicable << c.id;
            continue;
        }
        standing.applicableWeight += c.weight;
        if (!score.score || c.level(*score.score) == nullptr) {
            standing.missing << c.id;
            continue;
        }
        standing.scoredWeight += c.weight;
        sum += c.weight * *score.score;
        if (c.justificationRequiredAt.contains(*score.score) && score.comment.trimmed().isEmpty())
            standing.unjustified << c.id;

        QSet<QString> shown;
        for (const EvidenceLink& link : score.evidence) {
            shown.insert(link.kind);
            if (link.kind == QLatin1String("pass"))
                shown.insert(QStringLiteral("pass:") + link.ref.section(QLatin1Char('/'), -1));
            else if (link.kind == QLatin1String("finding"))
                shown.insert(QStringLiteral("pass:") + passOfFinding.value(link.ref));
        }
        for (const QString& required : c.requiredEvidence) {
            if (!shown.contains(required))
                standing.evidenceGaps.push_back({c.id, required});
        }
    }
    if (standing.scoredWeight > 0)
        standing.total = sum / standing.scoredWeight;
    return standing;
}

QStringList rubricChanges(const RubricPin& pinned, const Rubric& now)
{
    QStringList lines;
    if (pinned.hash == now.hash)
        return lines;
    lines << QStringLiteral("the review was made with %1 version %2, this is %3 version %4")
                 .arg(pinned.id, pinned.version, now.id, now.version);
    if (pinned.scaleMin != now.scale.min || pinned.scaleMax != now.scale.max)
        lines << QStringLiteral("the scale was %1 to %2 and is %3 to %4 now")
                     .arg(pinned.scaleMin)
                     .arg(pinned.scaleMax)
                     .arg(now.scale.min)
                     .arg(now.scale.max);
    QSet<QString> known;
    for (const CriterionPin& before : pinned.criteria) {
        known.insert(before.id);
        const RubricCriterion* after = now.criterion(before.id);
        if (after == nullptr) {
            lines << QStringLiteral("\"%1\" is gone").arg(before.title);
            continue;
        }
        if (before.hash != criterionHash(*after))
            lines << QStringLiteral("\"%1\" has other words: check its score").arg(after->title);
        if (before.weight != after->weight)
            lines << QStringLiteral("\"%1\" weighed %2 and weighs %3 now")
                         .arg(after->title)
                         .arg(before.weight)
                         .arg(after->weight);
    }
    for (const RubricCriterion& c : now.criteria) {
        if (!known.contains(c.id))
            lines << QStringLiteral("\"%1\" is new").arg(c.title);
    }
    return lines;
}

Review migrated(const Review& review, const Rubric& now, QStringList* notes)
{
    Review result = review;
    if (notes != nullptr)
        *notes << rubricChanges(review.rubric, now);
    result.rubric = pinOf(now);
    for (auto it = result.scores.begin(); it != result.scores.end(); ++it) {
        if (!it->score || (*it->score >= now.scale.min && *it->score <= now.scale.max))
            continue;
        if (notes != nullptr)
            *notes << QStringLiteral(
                          "the score %1 of \"%2\" is not on the new scale: score it again")
                          .arg(*it->score)
                          .arg(it.key());
        it->score.reset();
    }
    return result;
}

} // namespace ridgeline
