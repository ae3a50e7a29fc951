// SPDX-License-Identifier: GPL-3.0-or-later
#include "report_fixture.h"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

using namespace ridgeline;

namespace {

const ReportTable* tableOf(const ReportModel& model, int candidate, const char* id)
{
    for (const ReportTable& table : model.candidates[candidate].tables) {
        if (table.id == QLatin1String(id))
            return &table;
    }
    return nullptr;
}

/// Every value of a JSON document in turn, replaced by something else.
void mangle(Json& json, QRandomGenerator& random)
{
    if (random.bounded(12) == 0) {
        const Json others[] = {nullptr, "text",        -1,
                               1e308,   Json::array(), Json::object(),
                               true,    "nan",         Json::array({1, "x", nullptr})};
        json = others[random.bounded(9)];
        return;
    }
    if (json.is_structured()) {
        for (Json& item : json)
            mangle(item, random);
    }
}

} // namespace

class TestReportModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingThereIsSaidNotInvented()
    {
        ReportInput input;
        input.bundle.id = QStringLiteral("b");
        const ReportModel model = buildReport(input);
        const QString lacks = model.missing.join(QLatin1Char('\n'));
        QVERIFY(lacks.contains(QStringLiteral("no run")));
        QVERIFY(lacks.contains(QStringLiteral("no review")));
        QVERIFY(!model.total.has_value());
        QVERIFY(model.candidates.isEmpty());
        QVERIFY(model.scores.isEmpty());
        QVERIFY(!model.hasProblems());
    }

    void emulatedDeviceIsLabelled()
    {
        const ReportModel model = buildReport(fixture::wholeInput(m_dir.path()));
        QCOMPARE(model.deviceLabel,
                 QStringLiteral("emulated CUDA device: counts are exact, times are not GPU times"));
        QVERIFY(tableOf(model, 0, "benchmark")->note.contains(QStringLiteral("emulated")));
        ReportInput input = fixture::wholeInput(m_dir.path());
        input.run->environment = Json();
        input.run->device = QStringLiteral("cuda:0");
        QVERIFY(buildReport(input).deviceLabel.startsWith(QStringLiteral("real CUDA")));
        input.run->device = QStringLiteral("toaster");
        QVERIFY(buildReport(input).deviceLabel.contains(QStringLiteral("not recorded")));
    }

    void emulatedTimeIsNeverPerformance()
    {
        ReportInput input = fixture::wholeInput(m_dir.path());
        // A file that breaks the contract does not get its way.
        for (CandidateRun& run : input.run->candidates) {
            for (PassRecord& pass : run.passes) {
                if (pass.pass != QLatin1String("roofline"))
                    continue;
                for (Json& point : pass.result["points"]) {
                    point["timing_kind"] = "emulated";
                    point["achieved_gflops"] = 777.25;
                }
            }
        }
        const ReportModel model = buildReport(input);
        QVERIFY(!QString::fromUtf8(toJsonBytes(toJson(model))).contains(QStringLiteral("777.25")));
    }

    void findingsGoByThePersonsWord()
    {
        ReportInput input = fixture::wholeInput(m_dir.path());
        // What a result file claims about its own findings counts for nothing.
        input.run->candidates[1].findings[1].state = FindingState::Confirmed;
        ReportModel model = buildReport(input);
        QCOMPARE(model.confirmed.size(), 1);
        QCOMPARE(model.confirmed[0].code, QStringLiteral("RL-MISMATCH"));
        QCOMPARE(model.confirmed[0].criterion, QStringLiteral("Numerical correctness"));
        QCOMPARE(model.open.size(), 1);
        QCOMPARE(model.open[0].code, QStringLiteral("RL-UNWRITTEN"));
        QCOMPARE(model.dismissed.size(), 1);
        QCOMPARE(model.dismissed[0].reason, QStringLiteral("The harness checks the launch."));
        QVERIFY(model.hasProblems());

        input.review.reset();
        model = buildReport(input);
        QCOMPARE(model.open.size(), 3);
        QVERIFY(model.confirmed.isEmpty());
    }

    void oneCandidateOnly()
    {
        ReportInput input = fixture::wholeInput(m_dir.path());
        input.candidate = QStringLiteral("shared-reduction");
        const ReportModel model = buildReport(input);
        QCOMPARE(model.candidates.size(), 1);
        QVERIFY(model.confirmed.isEmpty());
        QVERIFY(!model.hasProblems());
        input.candidate = QStringLiteral("nobody");
        QVERIFY(buildReport(input).missing.last().contains(QStringLiteral("nobody")));
    }

    void scoresCarryTheirWords()
    {
        const ReportModel model = buildReport(fixture::wholeInput(m_dir.path()));
        QCOMPARE(model.scores.size(), 10);
        const auto byId = [&](const char* id) {
            for (const ReportScore& score : model.scores) {
                if (score.criterion == QLatin1String(id))
                    return score;
            }
            return ReportScore();
        };
        const ReportScore numeric = byId("numerical_correctness");
        QCOMPARE(*numeric.score, 1);
        QCOMPARE(numeric.label, QStringLiteral("Wrong"));
        QVERIFY(!numeric.levelText.isEmpty());
        QCOMPARE(numeric.evidence.size(), 2);
        QVERIFY(numeric.evidence[0].contains(QStringLiteral("Output y is wrong")));
        QVERIFY(!numeric.needsJustification);
        QVERIFY(byId("compile_validity").needsJustification);
        QCOMPARE(byId("spec_quality").missingEvidence, QStringList{QStringLiteral("source")});
        QVERIFY(byId("written_feedback").notApplicable);
        QVERIFY(!byId("scope").score.has_value());
        // (3·1 + 2·4 + 1·5) / 6
        QVERIFY(std::abs(*model.total - 16.0 / 6.0) < 1e-12);
        QCOMPARE(model.scoredWeight, 6.0);
        QCOMPARE(model.applicableWeight, 16.0);
    }

    void commentsFollowTheirText()
    {
        ReportInput input = fixture::wholeInput(m_dir.path());
        QCOMPARE(buildReport(input).comments[0].place, QStringLiteral("files/unshifted.cu:4"));
        const QString file = m_dir.filePath(QStringLiteral("files/unshifted.cu"));
        QVERIFY(writeFileAtomically(file, "// new\n" + fixture::candidateSource).ok());
        QCOMPARE(buildReport(input).comments[0].place, QStringLiteral("files/unshifted.cu:5"));
        QCOMPARE(buildReport(input).comments[0].note, QStringLiteral("moved from line 4"));
        QVERIFY(writeFileAtomically(file, "nothing\n").ok());
        QVERIFY(buildReport(input).comments[0].note.startsWith(QStringLiteral("orphaned")));
        input.review->comments[0].range.file = QStringLiteral("../../etc/passwd");
        QVERIFY(buildReport(input).comments[0].note.startsWith(QStringLiteral("orphaned")));
    }

    void passesWithoutAResultAreSaid()
    {
        ReportInput input = fixture::wholeInput(m_dir.path());
        input.run->candidates[0].passes.removeLast();
        input.run->candidates[0].passes[3].state = PassState::Timeout;
        QVERIFY(buildReport(input).missing.contains(QStringLiteral(
            "Candidate shared-reduction has no result of: correctness (timeout), roofline.")));
    }

    void otherRubricIsSaid()
    {
        ReportInput input = fixture::wholeInput(m_dir.path());
        input.review->rubric.hash = QStringLiteral("0");
        input.review->rubric.criteria[0].hash = QStringLiteral("0");
        QVERIFY(buildReport(input)
                    .missing.join(QLatin1Char(' '))
                    .contains(QStringLiteral("check its score")));
        input.rubric.reset();
        const ReportModel model = buildReport(input);
        QVERIFY(!model.total.has_value());
        QCOMPARE(model.scores.size(), 10);
        QVERIFY(model.missing.join(QLatin1Char(' '))
                    .contains(QStringLiteral("rubric of the review is not here")));
    }

    void commandsAreQuotedForAShell()
    {
        ReportInput input = fixture::wholeInput(m_dir.path());
        input.run->candidates[0].id = QStringLiteral("x; rm -rf ~ 'y'");
        QCOMPARE(
            buildReport(input).candidates[0].reproduce[0],
            QStringLiteral("ridgeline run BUNDLE --candidate 'x; rm -rf ~ '\\''y'\\''' --device "
                           "emulated-cuda:a100-80-sxm"));
    }

    void mangledResultsNeverCrash()
    {
        const ReportInput good = fixture::wholeInput(m_dir.path());
        QRandomGenerator random(20261201);
        for (int round = 0; round < 300; ++round) {
            ReportInput input = good;
            for (CandidateRun& run : input.run->candidates) {
                for (PassRecord& pass : run.passes)
                    mangle(pass.result, random);
            }
            mangle(input.run->environment, random);
            const ReportModel model = buildReport(input);
            QVERIFY(model.candidates.size() == 2);
        }
    }

    void hugeTablesAreCut()
    {
        ReportInput input = fixture::wholeInput(m_dir.path());
        for (PassRecord& pass : input.run->candidates[0].passes) {
            if (pass.pass == QLatin1String("correctness")) {
                const Json one = pass.result["cases"][0];
                for (int i = 0; i < 1000; ++i)
                    pass.result["cases"].push_back(one);
            }
        }
        const ReportTable* table = nullptr;
        const ReportModel model = buildReport(input);
        table = tableOf(model, 0, "correctness");
        QCOMPARE(table->rows.size(), 200);
        QCOMPARE(table->rowsLeftOut, 803);
    }

private:
    QTemporaryDir m_dir;
};

QTEST_GUILESS_MAIN(TestReportModel)
#include "tst_report_model.moc"
