// SPDX-License-Identifier: GPL-3.0-or-later
// What the benchmark pass must not believe, and roofline points from counts, on a stand-in for the
// CUDA runtime.
#include "core/pass/pipeline.h"
#include "tests/pass/bundle_maker.h"

#include <QTest>

using namespace ridgeline;
using ridgeline::test::BundleMaker;
using ridgeline::test::rightBody;

class TestBenchmark : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;

    static bool has(const CandidateRun& run, const char* code)
    {
        for (const Finding& finding : run.findings) {
            if (finding.code == QLatin1String(code))
                return true;
        }
        return false;
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CACHE_HOME", m_home.path().toUtf8() + "/cache");
        qputenv("XDG_DATA_HOME", m_home.path().toUtf8() + "/data");
        qputenv("RIDGELINE_EMULATOR", RIDGELINE_BINARY_DIR "/tests/standin-cuda");
    }

    void cheatsAndHonest()
    {
        BundleMaker maker;
        maker.manifest()["scoring"] = {{"baseline", "right"}};
        const QByteArray weakCount = "extern \"C\" __attribute__((weak)) void standin_count();";
        maker.candidate("right", rightBody + "\n    standin_count();", weakCount);
        // Remembers its answer by address; keeps a copy, so that poison does not help.
        maker.candidate(
            "memo",
            "    static float* keep = nullptr; static const float* of = nullptr; static int kn = "
            "0;\n"
            "    if (of == x && kn == n && n == 4096) { std::memcpy(y, keep, 4 * n); return; }\n" +
                rightBody +
                "\n    keep = (float*)std::realloc(keep, 4 * n); std::memcpy(keep, y, 4 * n); of = "
                "x; "
                "kn = n;");
        // Right for the first calls, then does nothing.
        maker.candidate("lazy",
                        "    static int calls = 0;\n    if (n == 4096 && ++calls > 4) return;\n" +
                            rightBody);
        // Dies in the middle of the repetitions.
        maker.candidate(
            "dies", "    static int calls = 0;\n    if (n == 4096 && ++calls > 3) std::abort();\n" +
                        rightBody);
        RunRequest request;
        request.bundle = maker.load();
        request.device = QStringLiteral("emulated-cuda");
        request.passes = {QStringLiteral("correctness"), QStringLiteral("benchmark"),
                          QStringLiteral("roofline")};
        const auto result = runPasses(request);
        QVERIFY2(result.ok(), result.ok() ? "" : qPrintable(result.error().toString()));

        const CandidateRun* right = result->record.candidate(QStringLiteral("right"));
        QVERIFY2(right->verdict == CandidateVerdict::Pass, qPrintable(right->verdictReason));
        const Json& bench = right->pass(QStringLiteral("benchmark"))->result;
        QCOMPARE(jsonString(bench, "timing_kind"), QStringLiteral("emulated"));
        const Json& one = bench["cases"][0];
        QCOMPARE(jsonInt(one, "wrong_reps"), 0);
        QCOMPARE(jsonInt(one, "verified_reps"), 8);
        QCOMPARE(one["samples_ns"].size(), std::size_t(8));
        QVERIFY(jsonNumber(one, "median_ns") > 0);
        QVERIFY(jsonBool(one, "fresh_inputs"));

        const CandidateRun* memo = result->record.candidate(QStringLiteral("memo"));
        QVERIFY2(memo->verdict == CandidateVerdict::Fail, qPrintable(memo->verdictReason));
        QVERIFY(memo->pass(QStringLiteral("correctness"))->state == PassState::Passed);
        QVERIFY(has(*memo, "A06"));
        const CandidateRun* lazy = result->record.candidate(QStringLiteral("lazy"));
        QVERIFY2(lazy->verdict == CandidateVerdict::Fail, qPrintable(lazy->verdictReason));
        QVERIFY(has(*lazy, "A09"));
        const CandidateRun* dies = result->record.candidate(QStringLiteral("dies"));
        QVERIFY2(dies->verdict == CandidateVerdict::Fail, qPrintable(dies->verdictReason));
        QVERIFY(has(*dies, "RL-CRASH"));

        // Emulated time never becomes achieved performance.
        const Json& roof = right->pass(QStringLiteral("roofline"))->result;
        bool expression = false, counted = false;
        for (const Json& point : roof["points"]) {
            QVERIFY(jsonMember(point, "achieved_gflops").is_null());
            QVERIFY(jsonMember(point, "time_ns").is_null());
            if (jsonString(point, "source") == QLatin1String("expression")) {
                expression = true;
                QCOMPARE(jsonNumber(point, "flops"), 2.0 * 4096);
                QCOMPARE(jsonNumber(point, "bytes"), 8.0 * 4096);
            } else if (jsonString(point, "level") == QLatin1String("dram")) {
                counted = true;
                QCOMPARE(jsonNumber(point, "flops"), 1000.0);
                QCOMPARE(jsonNumber(point, "bytes"), 832.0);
            }
        }
        QVERIFY(expression && counted);
        // One call's counts, however many repetitions there were.
        QCOMPARE(jsonInt(roof["counted"][0], "launches"), 1);
    }
};

QTEST_GUILESS_MAIN(TestBenchmark)
#include "tst_benchmark.moc"
