// SPDX-License-Identifier: GPL-3.0-or-later
// Cancelling, folders that cannot be written, missing tools, bad requests.
#include "core/pass/pipeline.h"
#include "tests/pass/bundle_maker.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using namespace ridgeline;
using ridgeline::test::BundleMaker;
using ridgeline::test::rightBody;

namespace {

/// Descendants of this process.
int childCount()
{
    QFile file(
        QStringLiteral("/proc/self/task/%1/children").arg(QCoreApplication::applicationPid()));
    int count = 0;
    const QStringList threads =
        QDir(QStringLiteral("/proc/self/task")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString& thread : threads) {
        QFile list(QStringLiteral("/proc/self/task/%1/children").arg(thread));
        if (list.open(QIODevice::ReadOnly))
            count += int(list.readAll().split(' ').size()) - 1;
    }
    return count;
}

} // namespace

class TestUnhappy : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;

    static RunRequest requestFor(const Bundle& bundle, const char* pass)
    {
        RunRequest request;
        request.bundle = bundle;
        request.device = QStringLiteral("emulated-cuda");
        request.passes = {QLatin1String(pass)};
        return request;
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CACHE_HOME", m_home.path().toUtf8() + "/cache");
        qputenv("XDG_DATA_HOME", m_home.path().toUtf8() + "/data");
        qputenv("RIDGELINE_EMULATOR", RIDGELINE_BINARY_DIR "/tests/standin-cuda");
    }

    void badRequests()
    {
        BundleMaker maker;
        maker.candidate("right", rightBody);
        RunRequest request = requestFor(maker.load(), "correctness");
        request.candidates = {QStringLiteral("nobody")};
        auto result = runPasses(request);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::BadUsage);
        QVERIFY(result.error().hint.contains(QLatin1String("right")));
        request.candidates.clear();
        request.passes = {QStringLiteral("magic")};
        QCOMPARE(runPasses(request).error().code, ErrorCode::BadUsage);
        request.passes.clear();
        request.device = QStringLiteral("abacus");
        QCOMPARE(runPasses(request).error().code, ErrorCode::BadUsage);
    }

    void missingCompiler()
    {
        const QByteArray real = qgetenv("RIDGELINE_NVCC");
        const auto restore = qScopeGuard([real] {
            if (real.isNull())
                qunsetenv("RIDGELINE_NVCC");
            else
                qputenv("RIDGELINE_NVCC", real);
        });
        qputenv("RIDGELINE_NVCC", "/nonexistent/nvcc");
        BundleMaker maker;
        maker.candidate("right", rightBody);
        RunRequest request = requestFor(maker.load(), "correctness");
        request.passes = {QStringLiteral("environment"), QStringLiteral("correctness")};
        const auto result = runPasses(request);
        QVERIFY(result.ok());
        const CandidateRun& run = result->record.candidates.first();
        QCOMPARE(run.verdict, CandidateVerdict::Unknown);
        QVERIFY2(run.verdictReason.contains(QLatin1String("nvcc")), qPrintable(run.verdictReason));
        QVERIFY2(run.verdictReason.contains(QLatin1String("ridgeline setup cuda")),
                 qPrintable(run.verdictReason));
        QVERIFY(jsonMember(result->record.environment, "nvcc").is_null());
    }

    void brokenReferenceIsTheTasksFault()
    {
        BundleMaker maker;
        maker.candidate("right", rightBody);
        maker.write("files/reference.cpp",
                    "extern \"C\" void reference(const double*, double*, double, int) { oops }\n");
        const auto result = runPasses(requestFor(maker.load(), "correctness"));
        QVERIFY(result.ok());
        const CandidateRun& run = result->record.candidates.first();
        QCOMPARE(run.verdict, CandidateVerdict::Unknown);
        QVERIFY2(run.verdictReason.contains(QLatin1String("reference does not compile")),
                 qPrintable(run.verdictReason));
    }

    void resultsGoElsewhereWhenTheBundleIsReadOnly()
    {
        BundleMaker maker;
        maker.candidate("right", rightBody);
        RunRequest request = requestFor(maker.load(), "compile");
        // A file where the folder should be: works for root too, whom permissions do not stop.
        QFile block(maker.dir() + QStringLiteral("/results"));
        QVERIFY(block.open(QIODevice::WriteOnly));
        block.close();
        const auto result = runPasses(request);
        QVERIFY(result.ok());
        QVERIFY2(result->savedTo.startsWith(m_home.path()), qPrintable(result->savedTo));
        QVERIFY(QFile::exists(result->savedTo));
        QVERIFY(result->saveNote.contains(QLatin1String("cannot be written")));
    }

    void resultsThroughALinkAreRefused()
    {
        BundleMaker maker;
        maker.candidate("right", rightBody);
        RunRequest request = requestFor(maker.load(), "compile");
        QTemporaryDir outside;
        QVERIFY(QFile::link(outside.path(), maker.dir() + QStringLiteral("/results")));
        const auto result = runPasses(request);
        QVERIFY(result.ok());
        QVERIFY(QDir(outside.path()).isEmpty());
        QVERIFY(!result->saveNote.isEmpty());
    }

    void fullDisk()
    {
        // /dev/full as a stand-in: every write says that no space is left.
        QVERIFY(!writeFileAtomically(QStringLiteral("/dev/full"), "x"));
        BundleMaker maker;
        maker.candidate("right", rightBody);
        const RunRequest request = requestFor(maker.load(), "correctness");
        qputenv("XDG_CACHE_HOME", "/proc/nowhere");
        const auto result = runPasses(request);
        qputenv("XDG_CACHE_HOME", m_home.path().toUtf8() + "/cache");
        QVERIFY(result.ok());
        const CandidateRun& run = result->record.candidates.first();
        QCOMPARE(run.verdict, CandidateVerdict::Unknown);
        QVERIFY2(run.verdictReason.contains(QLatin1String("scratch")),
                 qPrintable(run.verdictReason));
    }

    void savedRecordCanBeRead()
    {
        BundleMaker maker;
        maker.candidate("right", rightBody);
        const auto result = runPasses(requestFor(maker.load(), "correctness"));
        QVERIFY(result.ok());
        QVERIFY(result->savedTo.startsWith(maker.dir() + QStringLiteral("/results/")));
        const auto json = readJsonFile(result->savedTo);
        QVERIFY(json.ok());
        const auto record = runFromJson(*json, result->savedTo);
        QVERIFY(record.ok());
        QCOMPARE(record->candidates.first().verdict, CandidateVerdict::Pass);
        for (const PassRecord& pass : record->candidates.first().passes) {
            if (!pass.log.isEmpty())
                QVERIFY(QFile::exists(record->artefactDir + QLatin1Char('/') + pass.log));
        }
    }

    void cancelWhileCompiling()
    {
        BundleMaker maker;
        // The preprocessor alone takes longer than the test waits.
        QByteArray slow =
            "template <int A, int B> struct F { static const long v = F<A - 1, B>::v + F<A - 1, B "
            "+ "
            "1>::v; };\ntemplate <int B> struct F<0, B> { static const long v = B; };\n"
            "long use = F<600, 0>::v;\n";
        maker.candidate("slow", rightBody, slow);
        Pipeline pipeline;
        QSignalSpy started(&pipeline, &Pipeline::passChanged);
        QSignalSpy finished(&pipeline, &Pipeline::finished);
        QSignalSpy cancelling(&pipeline, &Pipeline::cancelling);
        QVERIFY(pipeline.start(requestFor(maker.load(), "compile")));
        QVERIFY(!pipeline.start(requestFor(maker.load(), "compile")));
        QTRY_VERIFY_WITH_TIMEOUT(!started.isEmpty(), 20000);
        QTRY_VERIFY_WITH_TIMEOUT(childCount() > 0, 20000);
        QTest::qWait(300);
        QElapsedTimer clock;
        clock.start();
        pipeline.cancel();
        QVERIFY(clock.elapsed() < 100);
        QCOMPARE(cancelling.size(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 10000);
        QVERIFY2(clock.elapsed() < 5000, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(childCount(), 0);
        const auto record = finished.first().first().value<RunRecord>();
        QCOMPARE(record.candidates.first().passes.first().state, PassState::Cancelled);
        QVERIFY(!pipeline.isRunning());
    }

    void cancelWhileRunning()
    {
        BundleMaker maker;
        maker.candidate("hang", "    std::puts(\"in the loop\"); std::fflush(stdout);\n"
                                "    for (volatile int i = 0;; i = i + 1) {}");
        Pipeline pipeline;
        QSignalSpy lines(&pipeline, &Pipeline::logLines);
        QSignalSpy finished(&pipeline, &Pipeline::finished);
        QVERIFY(pipeline.start(requestFor(maker.load(), "correctness")));
        const auto seen = [&lines] {
            for (const auto& call : lines) {
                if (call.at(2).toStringList().contains(QStringLiteral("in the loop")))
                    return true;
            }
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(seen(), 120000);
        QElapsedTimer clock;
        clock.start();
        pipeline.cancel();
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 10000);
        QVERIFY2(clock.elapsed() < 5000, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(childCount(), 0);
        const auto record = finished.first().first().value<RunRecord>();
        QCOMPARE(record.candidates.first().pass(QStringLiteral("correctness"))->state,
                 PassState::Cancelled);
        QCOMPARE(record.candidates.first().verdict, CandidateVerdict::Unknown);
    }

    void destroyedWhileRunning()
    {
        BundleMaker maker;
        maker.candidate("hang", "    for (volatile int i = 0;; i = i + 1) {}");
        {
            Pipeline pipeline;
            QVERIFY(pipeline.start(requestFor(maker.load(), "correctness")));
            QTest::qWait(500);
        }
        QCOMPARE(childCount(), 0);
    }

    void logFloodIsBatched()
    {
        BundleMaker maker;
        maker.candidate(
            "chatty",
            rightBody + "\n    for (int i = 0; i < 30000; ++i) std::printf(\"line %d\\n\", i);");
        Pipeline pipeline;
        int calls = 0, lines = 0;
        connect(&pipeline, &Pipeline::logLines, this,
                [&](const QString&, const QString&, const QStringList& batch) {
                    ++calls;
                    lines += int(batch.size());
                });
        QSignalSpy finished(&pipeline, &Pipeline::finished);
        QElapsedTimer clock;
        clock.start();
        QVERIFY(pipeline.start(requestFor(maker.load(), "correctness")));
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 120000);
        QVERIFY2(calls <= 20 * (clock.elapsed() / 1000 + 1) * 2,
                 qPrintable(QString::number(calls)));
        QVERIFY(lines > 0 && lines <= calls * 1100);
        const auto record = finished.first().first().value<RunRecord>();
        const PassRecord* pass = record.candidates.first().pass(QStringLiteral("correctness"));
        QCOMPARE(pass->state, PassState::Passed);
        QFile log(record.artefactDir + QLatin1Char('/') + pass->log);
        QVERIFY(log.open(QIODevice::ReadOnly));
        QVERIFY(log.readAll().contains("line 29999"));
    }
};

QTEST_GUILESS_MAIN(TestUnhappy)
#include "tst_unhappy.moc"
