// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/compile.h"
#include "core/exec/diagnostics.h"

#include <QTest>

using namespace ridgeline;

class TestDiagnostics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void strangers()
    {
        QVERIFY(parseDiagnostics({}, QStringLiteral("/b")).isEmpty());
        QVERIFY(
            parseDiagnostics(QStringLiteral("\n\n:::: ((( \xff"), QStringLiteral("/b")).isEmpty());
        // Bounded, also for a log of nothing but errors.
        QString many;
        for (int i = 0; i < 5000; ++i)
            many += QStringLiteral("/b/a.cu(%1): error: x\n").arg(i);
        QCOMPARE(parseDiagnostics(many, QStringLiteral("/b"), 100).size(), 100);
        QVERIFY(firstError({}) == nullptr);
        QVERIFY(parsePtxasUsage(QStringLiteral("Used 8 registers")).isEmpty());
    }

    void cudafe()
    {
        const auto d = parseDiagnostics(
            QStringLiteral("/b/files/k.cu(12): error: identifier \"foo\" is undefined\n"
                           "/b/files/k.cu(3): warning #177-D: variable \"x\" was declared but "
                           "never referenced\n"),
            QStringLiteral("/b"));
        QCOMPARE(d.size(), 2);
        QCOMPARE(d.at(0).file, QStringLiteral("files/k.cu"));
        QCOMPARE(d.at(0).line, 12);
        QCOMPARE(d.at(0).severity, QStringLiteral("error"));
        QCOMPARE(d.at(1).severity, QStringLiteral("warning"));
    }

    void othersAndTheFirstOne()
    {
        const auto d = parseDiagnostics(
            QStringLiteral("/usr/include/x.h:5:3: error: something far\n"
                           "/b/files/a.cpp:7:9: error: 'y' was not declared\n"
                           "ptxas error   : Entry function 'k' uses too much shared data (0xc400 "
                           "bytes, 0xc000 max)\n"
                           "nvcc fatal   : Unsupported gpu architecture 'compute_89'\n"
                           "/usr/bin/ld: thunk.o: in function `ridgeline_call':\n"
                           "thunk.cpp:(.text+0x12): undefined reference to `solve'\n"
                           "collect2: error: ld returned 1 exit status\n"),
            QStringLiteral("/b"));
        QCOMPARE(d.size(), 6);
        const Diagnostic* first = firstError(d);
        QVERIFY(first != nullptr);
        QCOMPARE(first->file, QStringLiteral("files/a.cpp"));
        QCOMPARE(first->line, 7);
        QCOMPARE(first->column, 9);
        QVERIFY(d.at(2).message.contains(QLatin1String("too much shared data")));
        QVERIFY(d.at(4).message.contains(QLatin1String("undefined reference to `solve'")));
    }

    void ptxas()
    {
        const auto k = parsePtxasUsage(QStringLiteral(
            "ptxas info    : 0 bytes gmem\n"
            "ptxas info    : Compiling entry function '_Z4axpyPf' for 'sm_80'\n"
            "ptxas info    : Function properties for _Z4axpyPf\n"
            "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
            "ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem, 376 bytes "
            "cmem[0], 8 bytes cmem[2]\n"
            "ptxas info    : Compiling entry function 'plain' for 'sm_80'\n"
            "ptxas info    : Function properties for plain\n"
            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
            "ptxas info    : Used 8 registers, used 0 barriers, 360 bytes cmem[0]\n"));
        QCOMPARE(k.size(), 2);
        QCOMPARE(k.at(0).name, QStringLiteral("axpy(float*)"));
        QCOMPARE(k.at(0).registers, 40);
        QCOMPARE(k.at(0).stackBytes, 16);
        QCOMPARE(k.at(0).spillStoreBytes, 8);
        QCOMPARE(k.at(0).spillLoadBytes, 12);
        QCOMPARE(k.at(0).sharedBytes, 2048);
        QCOMPARE(k.at(0).constBytes, 384);
        QCOMPARE(k.at(0).barriers, 1);
        QCOMPARE(k.at(1).name, QStringLiteral("plain"));
        QCOMPARE(k.at(1).registers, 8);
    }

    void thunk()
    {
        Signature signature;
        signature.entry = QStringLiteral("solve");
        Param pointer, scalar, half;
        pointer.pointer = true;
        scalar.dtype = DType::Int32;
        half.dtype = DType::Fp16;
        signature.params = {pointer, scalar, half};
        const QString text = thunkSource(signature, {});
        QVERIFY2(text.contains(QLatin1String("void solve(void*, int32_t, uint16_t);")),
                 qPrintable(text));
        QVERIFY(
            thunkSource(signature, QStringLiteral("mine")).contains(QLatin1String("mine(void*")));
    }
};

QTEST_GUILESS_MAIN(TestDiagnostics)
#include "tst_diagnostics.moc"
