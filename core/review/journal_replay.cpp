// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/journal_replay.h"

#include <algorithm>

namespace ridgeline {

namespace {

constexpr qint64 maxLineBytes = 8 * 1024 * 1024;
constexpr int maxNotices = 20;

QString missing(const char* key)
{
    return QStringLiteral("\"%1\" is missing or of the wrong type").arg(QLatin1String(key));
}

/// Puts back what an undo step covers; time worked and the rubric pin are not edits.
void restore(Review& review, const Review& from)
{
    const qint64 activeMs = review.activeMs;
    const RubricPin pin = review.rubric;
    review = from;
    review.activeMs = activeMs;
    review.rubric = pin;
}

QString step(ReviewState& state, QVector<Review>& from, QVector<Review>& to)
{
    if (from.isEmpty())
        return QStringLiteral("there is nothing to undo or redo");
    to.push_back(state.review);
    restore(state.review, from.takeLast());
    return {};
}

/// Edits that are undo steps. Returns a problem, or empty.
QString edit(Review& review, const QString& op, const Json& entry)
{
    const QString criterion = jsonString(entry, "criterion");
    const auto needCriterion = [&] {
        return criterion.isEmpty() ? missing("criterion") : QString();
    };
    if (op == QLatin1String("score")) {
        const Json& value = jsonMember(entry, "value");
        if (criterion.isEmpty() || !(value.is_null() || value.is_number_integer()))
            return missing(criterion.isEmpty() ? "criterion" : "value");
        auto& score = review.scores[criterion].score;
        score = value.is_null() ? std::nullopt : std::optional<int>(int(jsonInt(entry, "value")));
        return {};
    }
    if (op == QLatin1String("na")) {
        if (!jsonMember(entry, "value").is_boolean())
            return missing("value");
        if (!criterion.isEmpty())
            review.scores[criterion].notApplicable = jsonBool(entry, "value");
        return needCriterion();
    }
    if (op == QLatin1String("comment")) {
        if (!jsonMember(entry, "text").is_string())
            return missing("text");
        if (!criterion.isEmpty())
            review.scores[criterion].comment = jsonString(entry, "text");
        return needCriterion();
    }
    if (op == QLatin1String("evidence+") || op == QLatin1String("evidence-")) {
        const EvidenceLink link = evidenceLinkFromJson(jsonMember(entry, "link"));
        if (link.kind.isEmpty() || criterion.isEmpty())
            return missing(criterion.isEmpty() ? "criterion" : "link");
        auto& links = review.scores[criterion].evidence;
        links.removeAll(link);
        if (op == QLatin1String("evidence+"))
            links.push_back(link);
        return {};
    }
    if (op == QLatin1String("finding")) {
        const Finding words = findingFromJson(entry);
        const QString id = jsonString(entry, "finding");
        if (id.isEmpty())
            return missing("finding");
        if (words.state == FindingState::Open && words.reason.isEmpty())
            review.decisions.remove(id);
        else
            review.decisions.insert(id, {words.state, words.reason});
        return {};
    }
    if (op == QLatin1String("anchor")) {
        const AnchoredComment comment = anchoredCommentFromJson(jsonMember(entry, "comment"));
        if (comment.id.isEmpty())
            return missing("comment");
        for (AnchoredComment& known : review.comments) {
            if (known.id == comment.id) {
                known = comment;
                return {};
            }
        }
        review.comments.push_back(comment);
        return {};
    }
    if (op == QLatin1String("anchor-")) {
        const QString id = jsonString(entry, "comment");
        const auto gone = std::remove_if(review.comments.begin(), review.comments.end(),
                                         [&](const AnchoredComment& c) { return c.id == id; });
        if (gone == review.comments.end())
            return QStringLiteral("there is no comment of that id");
        review.comments.erase(gone, review.comments.end());
        return {};
    }
    if (op == QLatin1String("verdict")) {
        if (!jsonMember(entry, "value").is_string())
            return missing("value");
        review.verdict = reviewVerdictFromName(jsonString(entry, "value"));
        review.word = findingFromJson(Json{{"suggested_verdict", jsonMember(entry, "word")}})
                          .suggestedVerdict;
        return {};
    }
    if (op == QLatin1String("summary")) {
        if (!jsonMember(entry, "text").is_string())
            return missing("text");
        review.summary = jsonString(entry, "text");
        return {};
    }
    return QStringLiteral("\"%1\" is no entry this version knows").arg(op.left(40));
}

} // namespace

QString applyEntry(ReviewState& state, const Json& entry)
{
    if (!entry.is_object())
        return QStringLiteral("the line is no JSON object");
    const QString op = jsonString(entry, "op");
    const QDateTime at = QDateTime::fromString(jsonString(entry, "at"), Qt::ISODateWithMs);
    Review& review = state.review;
    QString problem;
    if (op == QLatin1String("header")) {
        if (state.hasHeader)
            return QStringLiteral("a second header");
        review.bundle = jsonString(entry, "bundle");
        review.reviewer = jsonString(entry, "reviewer");
        review.rubric = rubricPinFromJson(jsonMember(entry, "rubric"));
        review.started = at;
        state.hasHeader = true;
    } else if (op == QLatin1String("snapshot")) {
        auto snapshot = reviewFromJson(jsonMember(entry, "review"), {});
        if (!snapshot)
            return snapshot.error().message;
        review = std::move(*snapshot);
        state.undo.clear();
        state.redo.clear();
        state.hasHeader = true;
        return {};
    } else if (op == QLatin1String("rubric")) {
        const RubricPin pin = rubricPinFromJson(jsonMember(entry, "rubric"));
        if (pin.id.isEmpty())
            return missing("rubric");
        review.rubric = pin;
        for (CriterionScore& score : review.scores) {
            if (score.score && (*score.score < pin.scaleMin || *score.score > pin.scaleMax))
                score.score.reset();
        }
        state.undo.clear();
        state.redo.clear();
    } else if (op == QLatin1String("time")) {
        const qint64 ms = jsonInt(entry, "ms", -1);
        constexpr qint64 aYear = qint64(366) * 24 * 3600 * 1000;
        if (ms < 0 || ms > aYear)
            return missing("ms");
        review.activeMs += ms;
    } else if (op == QLatin1String("undo")) {
        problem = step(state, state.undo, state.redo);
    } else if (op == QLatin1String("redo")) {
        problem = step(state, state.redo, state.undo);
    } else {
        const Review before = review;
        problem = edit(review, op, entry);
        if (!problem.isEmpty()) {
            review = before;
            return problem;
        }
        const bool merge = jsonBool(entry, "merge") && !state.undo.isEmpty();
        if (!merge)
            state.undo.push_back(before);
        if (state.undo.size() > maxUndoSteps)
            state.undo.removeFirst();
        state.redo.clear();
    }
    if (problem.isEmpty() && at.isValid())
        review.changed = at;
    return problem;
}

JournalReplay replayJournal(const QByteArray& text, const QString& file)
{
    JournalReplay replay;
    int lineNumber = 0;
    qsizetype start = 0;
    const auto reject = [&](const QByteArray& line, const QString& why) {
        replay.rejected.push_back(line);
        if (replay.notices.size() < maxNotices)
            replay.notices << QStringLiteral("%1:%2: %3; the line is kept aside")
                                  .arg(file)
                                  .arg(lineNumber)
                                  .arg(why);
    };
    while (start < text.size()) {
        const qsizetype found = text.indexOf('\n', start);
        const bool torn = found < 0;
        const QByteArray line = text.mid(start, (torn ? text.size() : found) - start);
        start = torn ? text.size() : found + 1;
        ++lineNumber;
        if (line.trimmed().isEmpty())
            continue;
        auto entry = parseJson(line, file, {maxLineBytes, 32});
        if (!entry) {
            reject(line, torn ? QStringLiteral("the last line is torn") : entry.error().message);
            continue;
        }
        // A line without its line end that still parses was written whole, all but one byte.
        if (jsonString(*entry, "op") == QLatin1String("header") && !replay.state.hasHeader) {
            const QString schema =
                jsonString(*entry, "schema", QStringLiteral("kreview-journal/1"));
            if (schema != QLatin1String("kreview-journal/1")) {
                replay.newer = true;
                replay.notices << QStringLiteral("%1 is a \"%2\", which this version cannot read")
                                      .arg(file, schema.left(40));
                return replay;
            }
        }
        const QString problem = applyEntry(replay.state, *entry);
        if (!problem.isEmpty()) {
            reject(line, problem);
            continue;
        }
        replay.kept += line + '\n';
        const QString op = jsonString(*entry, "op");
        if (op != QLatin1String("header") && op != QLatin1String("snapshot"))
            ++replay.edits;
    }
    return replay;
}

} // namespace ridgeline
