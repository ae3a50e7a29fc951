// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/roofline/roofline.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>

using namespace ridgeline;

namespace {

QString tablePath()
{
    return QStringLiteral(RIDGELINE_SOURCE_DIR "/resources/hardware/hardware.json");
}

HardwareDevice device(const char* id)
{
    const auto table = loadHardware(tablePath());
    const HardwareDevice* d = table ? table->device(QString::fromLatin1(id)) : nullptr;
    return d ? *d : HardwareDevice{};
}

const QString fp32 = QStringLiteral("fp32");
const QString dram = QStringLiteral("dram");

} // namespace

class TestRoofline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void badTables_data();
    void badTables();
    void everyPeakComesFromItsFactors();
    void confidenceIsEarned();
    void kindsForTypes();
    void publishedRidges();
    void memoryBound();
    void computeBound();
    void nothingToPlace();
    void missingCeilings();
    void twoDevicesInOnePackage();
    void timesOfOtherKindsAreNotPlotted();
    void expressions();
    void json();
};

void TestRoofline::badTables_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("place");
    const QByteArray head = R"({"schema":"hardware-roofs/1","devices":[)";
    const QByteArray good =
        R"({"id":"a","name":"A","core_count":2,"memory_bandwidth_GBps":1,"source":["s"],"peak_TFLOPS_dense":{"fp32":1}})";
    QTest::newRow("no json") << QByteArray("{") << QString();
    QTest::newRow("other schema") << QByteArray(R"({"schema":"x","devices":[]})")
                                  << QStringLiteral("/schema");
    QTest::newRow("no devices") << QByteArray(R"({"schema":"hardware-roofs/1","devices":[]})")
                                << QStringLiteral("/devices");
    QTest::newRow("not an object") << head + "3]}" << QStringLiteral("/devices/0");
    QTest::newRow("twice") << head + good + "," + good + "]}" << QStringLiteral("/devices/1/id");
    QByteArray bad = good;
    QTest::newRow("no source") << head + bad.replace(R"(["s"])", "[]") + "]}"
                               << QStringLiteral("/devices/0/source");
    bad = good;
    QTest::newRow("zero bandwidth") << head + bad.replace("GBps\":1", "GBps\":0") + "]}"
                                    << QStringLiteral("/devices/0/memory_bandwidth_GBps");
    bad = good;
    QTest::newRow("unknown peak") << head + bad.replace("fp32", "fp31") + "]}"
                                  << QStringLiteral("/devices/0/peak_TFLOPS_dense/fp31");
    bad = good;
    QTest::newRow("peak is text") << head + bad.replace("\"fp32\":1", "\"fp32\":\"1\"") + "]}"
                                  << QStringLiteral("/devices/0/peak_TFLOPS_dense/fp32");
    bad = good;
    QTest::newRow("no cores") << head + bad.replace("count\":2", "count\":0") + "]}"
                              << QStringLiteral("/devices/0/core_count");
}

void TestRoofline::badTables()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, place);
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("h.json"));
    QVERIFY(writeFileAtomically(path, text).ok());
    const auto table = loadHardware(path);
    QVERIFY(!table.ok());
    QCOMPARE(table.error().where.pointer, place);
    QVERIFY(table.error().where.file.endsWith(QStringLiteral("h.json")));
    QVERIFY(!loadHardware(dir.filePath(QStringLiteral("none.json"))).ok());
}

void TestRoofline::everyPeakComesFromItsFactors()
{
    const auto table = loadHardware(tablePath());
    QVERIFY2(table.ok(), table ? "" : qPrintable(table.error().toString()));
    QVERIFY(table->devices.size() >= 30);
    for (const HardwareDevice& d : table->devices) {
        for (const Peak& p : d.peaks) {
            double off = HUGE_VAL;
            for (const double clock : {d.boostClockMHz, d.tensorClockMHz}) {
                if (const auto units = d.peakAtClock(p.kind, clock))
                    off = std::min(off, std::fabs(*units / p.gflops - 1));
            }
            const QString what = QStringLiteral("%1 %2 off by %3").arg(d.id, p.kind).arg(off);
            // Either it reproduces, or it says why not; a mark on a figure that reproduces is
            // stale.
            QVERIFY2((off <= 0.015) == p.notReproduced.isEmpty(), qPrintable(what));
        }
    }
}

void TestRoofline::confidenceIsEarned()
{
    const auto table = loadHardware(tablePath());
    QVERIFY2(table.ok(), table ? "" : qPrintable(table.error().toString()));
    for (const HardwareDevice& d : table->devices) {
        const bool all = std::all_of(d.peaks.begin(), d.peaks.end(),
                                     [](const Peak& p) { return p.notReproduced.isEmpty(); });
        QVERIFY(
            QStringList({QStringLiteral("high"), QStringLiteral("medium"), QStringLiteral("low")})
                .contains(d.confidence));
        if (d.confidence == QLatin1String("high"))
            QVERIFY2(all, qPrintable(d.id));
        if (!all)
            QVERIFY2(!d.notes.isEmpty(), qPrintable(d.id));
    }
}

void TestRoofline::kindsForTypes()
{
    const auto a100 = device("a100-80-sxm"), t4 = device("t4");
    QCOMPARE(peakKind(a100, DType::Fp32, false), QStringLiteral("fp32"));
    QCOMPARE(peakKind(a100, DType::Fp32, true), QStringLiteral("tf32"));
    QCOMPARE(peakKind(a100, DType::Fp64, true), QStringLiteral("fp64_tensor"));
    QCOMPARE(peakKind(a100, DType::Fp16, false), QStringLiteral("fp16"));
    QCOMPARE(peakKind(t4, DType::Bf16, true), QString()); // Turing has no bf16
    QCOMPARE(peakKind(t4, DType::Fp32, true), QString());
    QCOMPARE(peakKind(a100, DType::Int32, false), QString());
}

void TestRoofline::publishedRidges()
{
    // Quotients of the vendors' own figures.
    QCOMPARE(std::round(ridge(device("a100-80-sxm"), QStringLiteral("bf16"), dram)), 153.0);
    QCOMPARE(std::round(ridge(device("h100-sxm"), QStringLiteral("bf16"), dram)), 295.0);
    QCOMPARE(std::round(ridge(device("v100-sxm2"), QStringLiteral("fp16"), dram)), 139.0);
    QCOMPARE(ridge(device("t4"), QStringLiteral("bf16"), dram), 0.0);
    // 108 SMs · 128 bytes · 1.41 GHz.
    QVERIFY(std::fabs(device("a100-80-sxm").level(QStringLiteral("l1"))->gbps - 19491.84) < 0.01);
}

void TestRoofline::memoryBound()
{
    const auto p = *makePoint(device("a100-80-sxm"), fp32, dram, QStringLiteral("c"),
                              QStringLiteral("expression"), {81920, 131072});
    QCOMPARE(p.boundBy, QStringLiteral("memory"));
    QCOMPARE(p.intensity, 0.625);
    QCOMPARE(p.attainableGflops, 0.625 * 2039);
    QCOMPARE(p.boundNs, 131072 / 2039.0);
    QVERIFY(!p.timeNs);
}

void TestRoofline::computeBound()
{
    const auto p = *makePoint(device("a100-80-sxm"), fp32, dram, QStringLiteral("c"),
                              QStringLiteral("expression"), {2e12, 1e6});
    QCOMPARE(p.boundBy, QStringLiteral("compute"));
    QCOMPARE(p.attainableGflops, 19500.0);
    QCOMPARE(p.boundNs, 2e12 / 19500);
    // No bytes: infinitely intense, still a number for the bound.
    const auto q = *makePoint(device("a100-80-sxm"), fp32, dram, QStringLiteral("c"),
                              QStringLiteral("counted"), {1000, 0});
    QVERIFY(std::isinf(q.intensity));
    QCOMPARE(q.attainableGflops, 19500.0);
    QVERIFY(toJson(q)["intensity"] == "inf");
}

void TestRoofline::nothingToPlace()
{
    const auto d = device("a100-80-sxm");
    for (const Work& w :
         {Work{0, 0}, Work{-1, 5}, Work{5, -1}, Work{std::nan(""), 1}, Work{1, HUGE_VAL}})
        QVERIFY(!makePoint(d, fp32, dram, QStringLiteral("c"), QStringLiteral("counted"), w).ok());
    // A copy has no FLOPs and is still bound by memory.
    QCOMPARE(makePoint(d, fp32, dram, QStringLiteral("c"), QStringLiteral("counted"), {0, 2039})
                 ->boundNs,
             1.0);
}

void TestRoofline::missingCeilings()
{
    const auto t4 = device("t4");
    const auto p = makePoint(t4, QStringLiteral("bf16"), dram, QStringLiteral("c"),
                             QStringLiteral("counted"), {1, 1});
    QVERIFY(!p.ok());
    QVERIFY(p.error().message.contains(QStringLiteral("bf16")));
    QVERIFY(!makePoint(t4, fp32, QStringLiteral("l7"), QStringLiteral("c"),
                       QStringLiteral("counted"), {1, 1})
                 .ok());
}

void TestRoofline::twoDevicesInOnePackage()
{
    const auto p = *makePoint(device("mi250x"), fp32, dram, QStringLiteral("c"),
                              QStringLiteral("counted"), {1, 1638.5});
    QCOMPARE(p.bandwidthGbps, 3277.0 / 2);
    QCOMPARE(p.boundNs, 1.0);
}

void TestRoofline::timesOfOtherKindsAreNotPlotted()
{
    const auto d = device("a100-80-sxm");
    auto p = *makePoint(d, fp32, dram, QStringLiteral("c"), QStringLiteral("counted"), {1e6, 1e6});
    for (const char* kind : {"emulated", "host", "imported", "profiler", ""})
        QVERIFY(!setTime(p, d, 1000, QString::fromLatin1(kind)));
    QVERIFY(!setTime(p, d, 0, QStringLiteral("device")));
    QVERIFY(!setTime(p, d, std::nan(""), QStringLiteral("device")));
    QVERIFY(!p.achievedGflops);
    QVERIFY(setTime(p, d, 1000, QStringLiteral("device")));
    QCOMPARE(*p.achievedGflops, 1000.0);
    HardwareDevice host = d;
    host.id = QStringLiteral("host");
    QVERIFY(setTime(p, host, 500, QStringLiteral("host")));
    QVERIFY(!setTime(p, host, 500, QStringLiteral("device")));
}

void TestRoofline::expressions()
{
    RooflineSpec spec;
    BundleCase c;
    c.id = QStringLiteral("big");
    c.axes = {{QStringLiteral("M"), 4}, {QStringLiteral("K"), 8}};
    QVERIFY(!expressionWork(spec, c)->has_value());
    spec.flopsExpr = QStringLiteral("2*M*K");
    spec.bytesExpr = QStringLiteral("4*(M+K)");
    QCOMPARE(**expressionWork(spec, c), (Work{64, 48}));
    spec.bytesExpr = QStringLiteral("4*N");
    const auto bad = expressionWork(spec, c);
    QVERIFY(!bad.ok());
    QVERIFY(bad.error().message.contains(QStringLiteral("big")));
}

void TestRoofline::json()
{
    const auto d = device("a100-80-sxm");
    auto p = *makePoint(d, fp32, dram, QStringLiteral("c"), QStringLiteral("counted"), {1e6, 1e6});
    Json j = toJson(p);
    for (const char* key :
         {"case", "source", "flops", "bytes", "level", "intensity", "peak_gflops", "bandwidth_gbps",
          "attainable_gflops", "bound_by", "bound_ns", "achieved_gflops", "time_ns", "timing_kind"})
        QVERIFY2(j.contains(key), key);
    QVERIFY(j["time_ns"].is_null());
    QVERIFY(toJson(d)["peaks_gflops"]["tf32"] == 156000.0);
}

QTEST_APPLESS_MAIN(TestRoofline)
#include "tst_roofline.moc"
