// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/review.h"

#include <QtTest>

using namespace ridgeline;

namespace {

Json rubricJson()
{
    return Json::parse(R"({
        "schema": "krubric/1", "id": "r", "version": "1", "title": "R", "description": "d",
        "scale": {"min": 1, "max": 3, "labels": ["a", "b", "c"]},
        "criteria": [
          {"id": "heavy", "title": "Heavy", "guideline": "g", "weight": 3, "levels": [
            {"score": 1, "label": "a", "text": "x"}, {"score": 2, "label": "b", "text": "y"},
            {"score": 3, "label": "c", "text": "z"}],
            "required_evidence": ["pass:compile", "source"], "justification_required_at": [1, 3]},
          {"id": "light", "title": "Light", "guideline": "g", "weight": 1, "levels": [
            {"score": 1, "label": "a", "text": "x"}, {"score": 2, "label": "b", "text": "y"},
            {"score": 3, "label": "c", "text": "z"}]},
          {"id": "debug_only", "title": "Debug", "guideline": "g", "weight": 10, "levels": [
            {"score": 1, "label": "a", "text": "x"}, {"score": 2, "label": "b", "text": "y"},
            {"score": 3, "label": "c", "text": "z"}], "applies_to": ["debug"]}]})");
}

Rubric rubric()
{
    return *rubricFromJson(rubricJson(), {});
}

const QString heavy = QStringLiteral("heavy");
const QString light = QStringLiteral("light");

} // namespace

class TestReview : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingScoredHasNoTotal()
    {
        const ReviewStanding standing = standingOf({}, rubric(), QStringLiteral("generate"));
        QVERIFY(!standing.total.has_value());
        QCOMPARE(standing.missing, (QStringList{heavy, light}));
        QCOMPARE(standing.notApplicable, QStringList{QStringLiteral("debug_only")});
        QVERIFY(!standing.complete());
    }

    void missingIsNotZero()
    {
        Review review;
        review.scores[heavy].score = 3;
        review.scores[heavy].comment = QStringLiteral("because");
        const ReviewStanding standing = standingOf(review, rubric(), QStringLiteral("generate"));
        QCOMPARE(*standing.total, 3.0);
        QCOMPARE(standing.scoredWeight, 3.0);
        QCOMPARE(standing.applicableWeight, 4.0);
        QCOMPARE(standing.missing, QStringList{light});
    }

    void weightsCount()
    {
        Review review;
        review.scores[heavy].score = 3;
        review.scores[light].score = 1;
        QCOMPARE(*standingOf(review, rubric(), QStringLiteral("generate")).total, 2.5);
        review.scores[heavy].notApplicable = true;
        QCOMPARE(*standingOf(review, rubric(), QStringLiteral("generate")).total, 1.0);
    }

    void extremesNeedWordsAndScoresNeedEvidence()
    {
        Review review;
        review.scores[heavy].score = 1;
        review.scores[heavy].comment = QStringLiteral(" \n");
        ReviewStanding standing = standingOf(review, rubric(), {});
        QCOMPARE(standing.unjustified, QStringList{heavy});
        QCOMPARE(standing.evidenceGaps.size(), 2);
        QCOMPARE(standing.evidenceGaps[0], (EvidenceGap{heavy, QStringLiteral("pass:compile")}));

        Finding finding;
        finding.id = QStringLiteral("c/compile/X/1");
        finding.pass = QStringLiteral("compile");
        review.scores[heavy].comment = QStringLiteral("it does not build");
        review.scores[heavy].evidence = {{QStringLiteral("finding"), finding.id, std::nullopt, {}},
                                         {QStringLiteral("source"), {}, SourceRange{}, {}}};
        standing = standingOf(review, rubric(), {}, {finding});
        QVERIFY(standing.unjustified.isEmpty());
        QVERIFY(standing.evidenceGaps.isEmpty());
        // The same link to a finding nobody knows shows no pass.
        QCOMPARE(standingOf(review, rubric(), {}, {}).evidenceGaps.size(), 1);
        review.scores[heavy].evidence[0] = {
            QStringLiteral("pass"), QStringLiteral("c/compile"), std::nullopt, {}};
        QVERIFY(standingOf(review, rubric(), {}, {}).evidenceGaps.isEmpty());
    }

    void scoreOffTheScaleCountsAsMissing()
    {
        Review review;
        review.scores[light].score = 99;
        const ReviewStanding standing = standingOf(review, rubric(), {});
        QVERIFY(!standing.total.has_value());
        QVERIFY(standing.missing.contains(light));
    }

    void jsonRoundTrip()
    {
        Review review;
        review.bundle = QStringLiteral("b");
        review.reviewer = QStringLiteral("Ada \u202e <x>");
        review.rubric = pinOf(rubric());
        review.scores[heavy] = {
            2,
            false,
            QStringLiteral("c"),
            {{QStringLiteral("source"),
              {},
              SourceRange{QStringLiteral("files/a.cu"), 1, 2, QStringLiteral("h")},
              QStringLiteral("t")}}};
        review.scores[light].notApplicable = true;
        review.decisions[QStringLiteral("f")] = {FindingState::Dismissed, QStringLiteral("why")};
        review.comments.push_back({QStringLiteral("id"),
                                   {QStringLiteral("files/a.cu"), 3, 4, QStringLiteral("h")},
                                   QStringLiteral("b"),
                                   QStringLiteral("a"),
                                   QStringLiteral("q\n"),
                                   QStringLiteral("t"),
                                   heavy});
        review.verdict = ReviewVerdict::Revise;
        review.word = VerdictWord::Unproven;
        review.summary = QStringLiteral("s");
        review.activeMs = 1234;
        review.started = QDateTime(QDate(2026, 12, 1), QTime(1, 2, 3, 4), Qt::UTC);
        review.changed = review.started.addSecs(5);
        const auto back = reviewFromJson(toJson(review), {});
        QVERIFY(back.ok());
        QCOMPARE(*back, review);
    }

    void wrongTypesAreLeftOut()
    {
        QVERIFY(!reviewFromJson(Json::parse(R"({"schema": "kreview/9"})"), {}).ok());
        const auto review = reviewFromJson(Json::parse(R"({"schema": "kreview/1", "scores":
            {"a": {"score": "5", "evidence": [3, null]}, "b": 7}, "decisions": [1], "comments": {"x": 1},
            "verdict": 3, "verdict_word": "NOPE", "active_ms": -5, "rubric": [], "started": "soon"})"),
                                           {});
        QVERIFY(review.ok());
        QVERIFY(!review->scores[QStringLiteral("a")].score.has_value());
        QCOMPARE(review->verdict, ReviewVerdict::Undecided);
        QCOMPARE(review->word, VerdictWord::None);
        QCOMPARE(review->activeMs, 0);
    }

    void otherRubricSaysWhatChanged()
    {
        Json json = rubricJson();
        json["version"] = "2";
        json["scale"] = Json::parse(R"({"min": 1, "max": 2, "labels": ["a", "b"]})");
        for (auto& criterion : json["criteria"])
            criterion["levels"].erase(2);
        json["criteria"][0]["justification_required_at"] = Json::array({1});
        json["criteria"][0]["weight"] = 5;
        json["criteria"].erase(2);
        Json added = json["criteria"][1];
        added["id"] = "fresh";
        added["title"] = "Fresh";
        json["criteria"].push_back(added);
        const auto now = rubricFromJson(json, {});
        QVERIFY2(now.ok(), now ? "" : qPrintable(now.error().toString()));

        QVERIFY(rubricChanges(pinOf(rubric()), rubric()).isEmpty());
        const QString changes = rubricChanges(pinOf(rubric()), *now).join(QLatin1Char('\n'));
        for (const char* expected :
             {"version 1", "version 2", "\"Debug\" is gone", "\"Fresh\" is new", "weighed 3",
              "scale was 1 to 3", "\"Heavy\" has other words"})
            QVERIFY2(changes.contains(QLatin1String(expected)), expected);

        Review review;
        review.rubric = pinOf(rubric());
        review.scores[heavy] = {3, false, QStringLiteral("kept"), {}};
        review.scores[light].score = 2;
        QStringList notes;
        const Review moved = migrated(review, *now, &notes);
        QCOMPARE(moved.rubric.hash, now->hash);
        QCOMPARE(*moved.scores[light].score, 2);
        QVERIFY(!moved.scores[heavy].score.has_value());
        QCOMPARE(moved.scores[heavy].comment, QStringLiteral("kept"));
        QVERIFY(notes.last().contains(QStringLiteral("score it again")));
    }
};

QTEST_GUILESS_MAIN(TestReview)
#include "tst_review.moc"
