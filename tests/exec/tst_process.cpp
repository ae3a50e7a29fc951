// SPDX-License-Identifier: GPL-3.0-or-later
// The child-process runner, unhappy paths first.
#include "core/exec/process.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <thread>

#include <csignal>

using namespace ridgeline;

namespace {

/// Processes whose command line contains `marker`, ourselves left out.
int countProcesses(const QByteArray& marker)
{
    int count = 0;
    const QStringList pids = QDir(QStringLiteral("/proc")).entryList({QStringLiteral("[1-9]*")});
    for (const QString& pid : pids) {
        QFile file(QStringLiteral("/proc/%1/cmdline").arg(pid));
        if (pid.toLongLong() != QCoreApplication::applicationPid() &&
            file.open(QIODevice::ReadOnly) && file.readAll().contains(marker))
            ++count;
    }
    return count;
}

} // namespace

class TestProcess : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;

    ProcessSpec shell(const QString& script) const
    {
        ProcessSpec spec;
        spec.program = QStringLiteral("/bin/sh");
        spec.arguments = {QStringLiteral("-c"), script};
        spec.workDir = m_dir.path();
        spec.environment = cleanEnvironment(m_dir.path());
        spec.limits.wallMs = 30000;
        return spec;
    }
    ProcessSpec boxed(const QString& script) const
    {
        ProcessSpec spec = shell(script);
        spec.sandbox = Sandbox{{}, {m_dir.path()}, false};
        return spec;
    }

private Q_SLOTS:
    void missingProgram()
    {
        ProcessSpec spec = shell({});
        spec.program = QStringLiteral("/nonexistent/tool");
        const ProcessOutcome outcome = runProcess(spec);
        QCOMPARE(outcome.end, ProcessEnd::NotStarted);
        QVERIFY(outcome.describe().contains(QLatin1String("/nonexistent/tool")));
    }

    void missingWorkDir()
    {
        ProcessSpec spec = shell(QStringLiteral("true"));
        spec.workDir = QStringLiteral("/nonexistent/dir");
        QCOMPARE(runProcess(spec).end, ProcessEnd::NotStarted);
    }

    void notABinary()
    {
        const QString path = m_dir.filePath(QStringLiteral("junk"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("\x01\x02\x03\x04");
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        ProcessSpec spec = shell({});
        spec.program = path;
        const ProcessOutcome outcome = runProcess(spec);
        QCOMPARE(outcome.end, ProcessEnd::NotStarted);
        QVERIFY(!outcome.problem.isEmpty());
    }

    void exitCodeAndStreams()
    {
        QList<QByteArray> lines;
        ProcessSpec spec = shell(QStringLiteral("echo one; echo two >&2; printf last; exit 3"));
        spec.onLine = [&](ProcessStream stream, const QByteArray& line, ProcessControl&) {
            lines << (stream == ProcessStream::Err ? "E:" : "O:") + line;
        };
        const ProcessOutcome outcome = runProcess(spec);
        QCOMPARE(outcome.end, ProcessEnd::Exited);
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.out.text(), QByteArray("one\nlast"));
        QCOMPARE(outcome.err.text(), QByteArray("two\n"));
        QVERIFY(lines.contains("O:one") && lines.contains("E:two") && lines.contains("O:last"));
        QVERIFY(!outcome.success());
    }

    void crash_data()
    {
        QTest::addColumn<bool>("sandbox");
        QTest::newRow("bare") << false;
        QTest::newRow("sandboxed") << true;
    }
    void crash()
    {
        QFETCH(bool, sandbox);
        const QString script = QStringLiteral("kill -SEGV $$");
        const ProcessOutcome outcome = runProcess(sandbox ? boxed(script) : shell(script));
        QCOMPARE(outcome.end, ProcessEnd::Signalled);
        QCOMPARE(outcome.signal, SIGSEGV);
        QVERIFY(outcome.describe().contains(QLatin1String("SIGSEGV")));
    }

    void timeoutKillsEvenWhatIgnoresSigterm()
    {
        ProcessSpec spec = shell(QStringLiteral("trap '' TERM; while :; do sleep 0.05; done"));
        spec.limits.wallMs = 300;
        QElapsedTimer timer;
        timer.start();
        const ProcessOutcome outcome = runProcess(spec);
        QCOMPARE(outcome.end, ProcessEnd::TimedOut);
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(outcome.describe().contains(QLatin1String("did not finish")));
    }

    void deadlineIsMovedByTheCallback()
    {
        ProcessSpec spec = shell(QStringLiteral("echo go; sleep 0.6; echo done"));
        spec.limits.wallMs = 60000;
        spec.onLine = [](ProcessStream, const QByteArray& line, ProcessControl& control) {
            if (line == "go")
                control.setDeadline(100);
        };
        QCOMPARE(runProcess(spec).end, ProcessEnd::TimedOut);
    }

    void cancelReapsGrandchildren_data() { crash_data(); }
    void cancelReapsGrandchildren()
    {
        QFETCH(bool, sandbox);
        // One in the group, one that left it by setsid, one whose parent has already gone.
        const QString script = QStringLiteral("sleep 98765 & setsid sleep 98765 & "
                                              "(setsid sleep 98765 &) ; echo up; sleep 98765");
        ProcessSpec spec = sandbox ? boxed(script) : shell(script);
        std::atomic<bool> up{false};
        spec.onLine = [&](ProcessStream, const QByteArray&, ProcessControl&) { up = true; };
        CancelToken token;
        ProcessOutcome outcome;
        std::thread worker([&] { outcome = runProcess(spec, token); });
        QTRY_VERIFY_WITH_TIMEOUT(up, 20000);
        QTest::qWait(100);
        QVERIFY(countProcesses("98765") >= 4);
        QElapsedTimer timer;
        timer.start();
        token.cancel();
        worker.join();
        QCOMPARE(outcome.end, ProcessEnd::Cancelled);
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(countProcesses("98765"), 0);
    }

    void leftoversOfANormalEndAreKilled()
    {
        const ProcessOutcome outcome =
            runProcess(shell(QStringLiteral("setsid sleep 87654 & exit 0")));
        QVERIFY(outcome.success());
        QCOMPARE(countProcesses("87654"), 0);
    }

    void endlessOutputIsStoppedAndBounded()
    {
        ProcessSpec spec = shell(QStringLiteral("yes 0123456789abcdef"));
        spec.limits.floodBytes = 8 << 20;
        spec.limits.keepBytes = 64 << 10;
        const ProcessOutcome outcome = runProcess(spec);
        QCOMPARE(outcome.end, ProcessEnd::OutputLimit);
        QVERIFY(outcome.out.head.size() + outcome.out.tail.size() <= 64 << 10);
        QVERIFY(outcome.out.dropped() > 0);
        QVERIFY(outcome.out.text().contains("bytes left out"));
        QVERIFY(outcome.describe().contains(QLatin1String("printed without end")));
    }

    void headAndTailAreKept()
    {
        ProcessSpec spec = shell(
            QStringLiteral("echo first; head -c 300000 /dev/zero | tr '\\0' x; echo; echo last"));
        spec.limits.keepBytes = 2000;
        const ProcessOutcome outcome = runProcess(spec);
        QVERIFY(outcome.success());
        QVERIFY(outcome.out.head.startsWith("first\n"));
        QVERIFY(outcome.out.tail.endsWith("last\n"));
        QCOMPARE(outcome.out.total, 300000 + 6 + 1 + 5);
        QCOMPARE(outcome.out.head.size() + outcome.out.tail.size(), 2000);
    }

    void memoryBombOfTheTree()
    {
        ProcessSpec spec = shell(QStringLiteral("head -c 3000000000 /dev/zero | tail -c 2900000000 "
                                                "> /dev/null"));
        spec.limits.memoryBytes = 100 << 20;
        const ProcessOutcome outcome = runProcess(spec);
        QCOMPARE(outcome.end, ProcessEnd::MemoryLimit);
        QVERIFY(outcome.peakTreeBytes > 100 << 20);
    }

    void addressSpaceLimitIsInherited()
    {
        ProcessSpec spec = shell(QStringLiteral("head -c 900000000 /dev/zero | tail -c 800000000"
                                                " | wc -c"));
        spec.limits.addressSpaceBytes = 64 << 20;
        const ProcessOutcome outcome = runProcess(spec);
        QVERIFY(outcome.err.text().contains("memory exhausted"));
    }

    void forkBombIsBounded_data() { crash_data(); }
    void forkBombIsBounded()
    {
        QFETCH(bool, sandbox);
        const QString script = QStringLiteral("f() { sleep 76543 & f & sleep 0.02; f; }; f");
        ProcessSpec spec = sandbox ? boxed(script) : shell(script);
        spec.limits.processes = 40;
        const ProcessOutcome outcome = runProcess(spec);
        QCOMPARE(outcome.end, ProcessEnd::ProcessLimit);
        QCOMPARE(countProcesses("76543"), 0);
    }

    void busyLoopHitsTheProcessorLimit()
    {
        ProcessSpec spec = shell(QStringLiteral("while :; do :; done"));
        spec.limits.cpuSeconds = 1;
        QCOMPARE(runProcess(spec).end, ProcessEnd::CpuLimit);
    }

    void fileSizeLimit()
    {
        ProcessSpec spec = shell(QStringLiteral("exec head -c 50000000 /dev/zero > big"));
        spec.limits.fileBytes = 1 << 20;
        QCOMPARE(runProcess(spec).end, ProcessEnd::FileLimit);
        QVERIFY(QFile(m_dir.filePath(QStringLiteral("big"))).size() <= 1 << 20);
        QFile::remove(m_dir.filePath(QStringLiteral("big")));
    }

    void manyFilesHitTheScratchLimit()
    {
        ProcessSpec spec = shell(
            QStringLiteral("i=0; while :; do head -c 200000 /dev/zero > f$i; i=$((i+1)); done"));
        spec.limits.scratchBytes = 4 << 20;
        QCOMPARE(runProcess(spec).end, ProcessEnd::FileLimit);
    }

    void sandboxHidesAndForbids()
    {
        if (!sandboxProbe().works) {
            // Nothing to check but that the reason is told.
            QVERIFY(!sandboxProbe().why.isEmpty());
            return;
        }
        const QString script = QStringLiteral(
            "touch /usr/x 2>/dev/null && echo wrote-usr; touch ~root/x 2>/dev/null && echo "
            "wrote-home; ls -A \"%1\" | grep -q . && echo saw-home; "
            "test \"$(ls /sys/class/net 2>/dev/null | wc -l)\" -le 1 || cat /proc/net/dev | grep "
            "-c eth; touch mine && echo wrote-scratch; ls /proc | grep -c '^[0-9]' ");
        const ProcessOutcome outcome = runProcess(boxed(script.arg(QDir::homePath())));
        const QByteArray text = outcome.out.text();
        QVERIFY(outcome.sandboxed);
        QVERIFY2(!text.contains("wrote-usr"), text);
        QVERIFY2(!text.contains("wrote-home"), text);
        QVERIFY2(!text.contains("saw-home"), text);
        QVERIFY2(text.contains("wrote-scratch"), text);
        QVERIFY(QFile::exists(m_dir.filePath(QStringLiteral("mine"))));
    }

    void reportPipeIsApart()
    {
        ProcessSpec spec = boxed(QStringLiteral("echo to-out; echo to-report >&3"));
        spec.reportPipe = true;
        const ProcessOutcome outcome = runProcess(spec);
        QCOMPARE(outcome.out.text(), QByteArray("to-out\n"));
        QCOMPARE(outcome.report.text(), QByteArray("to-report\n"));
    }

    void environmentIsClean()
    {
        qputenv("RIDGELINE_TEST_SECRET", "hush");
        const ProcessOutcome outcome = runProcess(shell(QStringLiteral("env")));
        QVERIFY(!outcome.out.text().contains("hush"));
    }

    void manyAtOnce()
    {
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&, i] {
                const ProcessOutcome outcome =
                    runProcess(shell(QStringLiteral("sleep 0.1; echo %1").arg(i)));
                if (outcome.success() && outcome.out.text() == QByteArray::number(i) + '\n')
                    ++good;
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(good.load(), 8);
    }
};

QTEST_GUILESS_MAIN(TestProcess)
#include "tst_process.moc"
