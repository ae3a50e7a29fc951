// SPDX-License-Identifier: GPL-3.0-or-later
// Compile and correctness of candidates that misbehave, on a stand-in for the CUDA runtime.
#include "core/pass/pipeline.h"
#include "core/support/paths.h"
#include "tests/pass/bundle_maker.h"

#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

using namespace ridgeline;
using ridgeline::test::BundleMaker;
using ridgeline::test::rightBody;

namespace {

const Finding* findingOf(const CandidateRun& run, const char* code)
{
    for (const Finding& finding : run.findings) {
        if (finding.code == QLatin1String(code))
            return &finding;
    }
    return nullptr;
}

QString describe(const CandidateRun& run)
{
    QString text = run.id + QStringLiteral(": ") + verdictName(run.verdict) + QStringLiteral(", ") +
                   run.verdictReason;
    for (const PassRecord& pass : run.passes)
        text +=
            QStringLiteral("\n  %1 %2 %3").arg(pass.pass, passStateName(pass.state), pass.summary);
    for (const Finding& finding : run.findings)
        text += QStringLiteral("\n  %1 %2").arg(finding.code, finding.title);
    return text;
}

} // namespace

class TestPipeline : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;

    RunRecord run(BundleMaker& maker, const QStringList& passes = {QStringLiteral("correctness")})
    {
        RunRequest request;
        request.bundle = maker.load();
        request.passes = passes;
        request.device = QStringLiteral("emulated-cuda");
        auto result = runPasses(request);
        if (!result)
            qFatal("%s", qPrintable(result.error().toString()));
        return result->record;
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CACHE_HOME", m_home.path().toUtf8() + "/cache");
        qputenv("XDG_DATA_HOME", m_home.path().toUtf8() + "/data");
        qputenv("RIDGELINE_EMULATOR", RIDGELINE_BINARY_DIR "/tests/standin-cuda");
    }

    void misbehaviour()
    {
        BundleMaker maker;
        maker.manifest()["run"]["timeouts_s"] = {{"compile", 120}, {"test", 4}, {"bench", 20}};
        maker.candidate("right", rightBody);
        maker.candidate("syntax", "    y[0] = nonsense;");
        maker.candidate(
            "off", "    for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + b + (i == 5 ? 0.01f : 0);");
        maker.candidate(
            "tail",
            "    for (int i = 0; i + 4 <= n; i += 4) for (int k = 0; k < 4; ++k) y[i + k] = 2 * "
            "x[i + k] + b;");
        maker.candidate("nothing", "    (void)x; (void)y; (void)b; (void)n;");
        maker.candidate("crash", "    if (n == 100) *(volatile int*)8 = 1;\n" + rightBody);
        maker.candidate("abort", "    std::abort();");
        maker.candidate("leave", "    std::exit(0);");
        maker.candidate("hang",
                        "    if (n == 777) for (volatile int i = 0;; i = i + 1) {}\n" + rightBody);
        maker.candidate("flood",
                        "    for (;;) std::puts(\"0123456789012345678901234567890123456789\");");
        maker.candidate("greedy", rightBody + "\n    std::memset((void*)x, 0, 4);");
        maker.candidate("launch", "    standin_fail(9);",
                        "extern \"C\" __attribute__((weak)) void standin_fail(int);");
        maker.candidate("racy", rightBody + "\n    standin_race(__FILE__, 5);",
                        "extern \"C\" __attribute__((weak)) void standin_race(const char*, int);");
        maker.candidate("forger", rightBody + "\n    (void)!write(3, \"x {}\\n\", 5);",
                        "#include <unistd.h>");
        const RunRecord record = run(maker);

        struct Want {
            const char* id;
            CandidateVerdict verdict;
            const char* code;
        };
        const Want wanted[] = {{"right", CandidateVerdict::Pass, nullptr},
                               {"syntax", CandidateVerdict::Fail, "RL-BUILD"},
                               {"off", CandidateVerdict::Fail, "RL-WRONG"},
                               {"tail", CandidateVerdict::Fail, "RL-UNWRITTEN"},
                               {"nothing", CandidateVerdict::Fail, "B15"},
                               {"crash", CandidateVerdict::Fail, "RL-CRASH"},
                               {"abort", CandidateVerdict::Fail, "RL-CRASH"},
                               {"leave", CandidateVerdict::Fail, "RL-EXIT"},
                               {"hang", CandidateVerdict::Fail, "RL-HANG"},
                               {"flood", CandidateVerdict::Fail, "RL-FLOOD"},
                               {"greedy", CandidateVerdict::Suspect, "A19"},
                               {"launch", CandidateVerdict::Fail, "E07"},
                               {"racy", CandidateVerdict::Fail, "RL-RACE"},
                               {"forger", CandidateVerdict::Suspect, "RL-FORGED"}};
        for (const Want& want : wanted) {
            const CandidateRun* candidate = record.candidate(QLatin1String(want.id));
            QVERIFY2(candidate != nullptr, want.id);
            QVERIFY2(candidate->verdict == want.verdict, qPrintable(describe(*candidate)));
            if (want.code != nullptr)
                QVERIFY2(findingOf(*candidate, want.code) != nullptr,
                         qPrintable(describe(*candidate)));
            else
                QVERIFY2(candidate->findings.isEmpty(), qPrintable(describe(*candidate)));
        }
        // The error is found in the candidate's own file.
        const Finding* syntax = findingOf(*record.candidate(QStringLiteral("syntax")), "RL-BUILD");
        QVERIFY(syntax->location.has_value());
        QCOMPARE(syntax->location->file, QStringLiteral("files/syntax.cpp"));
        QCOMPARE(syntax->location->firstLine, 7);
        const Finding* race = findingOf(*record.candidate(QStringLiteral("racy")), "RL-RACE");
        QVERIFY(race->location.has_value());
        QVERIFY2(race->title.endsWith(QLatin1String("kernel k")), qPrintable(race->title));
        QCOMPARE(race->location->file, QStringLiteral("files/racy.cpp"));
        // A crash or hang in one case does not lose the others.
        for (const char* id : {"crash", "hang"}) {
            const Json& result =
                record.candidate(QLatin1String(id))->pass(QStringLiteral("correctness"))->result;
            QCOMPARE(jsonMember(result, "cases").size(), std::size_t(3));
            QCOMPARE(jsonInt(result, "passed"),
                     qint64(QLatin1String(id) == QLatin1String("crash") ? 1 : 2));
        }
        // The worst element is named.
        const Json& off = record.candidate(QStringLiteral("off"))
                              ->pass(QStringLiteral("correctness"))
                              ->result["cases"][0];
        QCOMPARE(off["outputs"][0]["first_mismatches"][0]["index"][0].get<int>(), 5);
        QCOMPARE(off["outputs"][0]["mismatches"].get<int>(), 1);
    }
};

QTEST_GUILESS_MAIN(TestPipeline)
#include "tst_pipeline.moc"
