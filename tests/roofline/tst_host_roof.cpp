// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/roofline/host_kernels.h"
#include "core/roofline/host_roof.h"
#include "core/roofline/roofline.h"

#include <QElapsedTimer>
#include <QTest>
#include <cmath>
#include <thread>
#include <vector>

using namespace ridgeline;

class TestHostRoof : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cancelledBeforeAndDuring();
    void loopsComputeWhatTheyCount();
    void triadComputes();
    void measures();
};

void TestHostRoof::cancelledBeforeAndDuring()
{
    CancelToken token;
    token.cancel();
    QCOMPARE(measureHostRoof(token).error().code, ErrorCode::Cancelled);
    CancelToken later;
    std::thread stopper([later]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        later.cancel();
    });
    QElapsedTimer timer;
    timer.start();
    const auto roof = measureHostRoof(later);
    stopper.join();
    QVERIFY(!roof.ok());
    QCOMPARE(roof.error().code, ErrorCode::Cancelled);
    QVERIFY2(timer.elapsed() < 1500, qPrintable(QString::number(timer.elapsed())));
}

void TestHostRoof::loopsComputeWhatTheyCount()
{
    // Every chain converges to 1 = term / (1 − factor); after many rounds the sum counts the lanes.
    for (const host::Isa isa : {host::Isa::Scalar, host::detectIsa()}) {
        double sink32 = 0, sink64 = 0;
        const double flops32 = host::fmaFp32(isa, 1000, sink32);
        const double flops64 = host::fmaFp64(isa, 20000000, sink64);
        const double lanes32 = flops32 / 2 / 1000, lanes64 = flops64 / 2 / 20000000;
        QVERIFY(lanes32 >= 16 && lanes64 >= 16);
        QVERIFY2(std::fabs(sink64 / lanes64 - 1) < 1e-6,
                 qPrintable(QString::number(sink64 / lanes64)));
        QVERIFY(std::isfinite(sink32) && sink32 > 0);
        // Twice the rounds are twice the FLOPs.
        QCOMPARE(host::fmaFp32(isa, 2000, sink32), 2 * flops32);
    }
}

void TestHostRoof::triadComputes()
{
    const std::size_t n = 1024;
    std::vector<double> store(3 * n + 8);
    auto* a =
        reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(store.data()) + 63) / 64 * 64);
    double *b = a + n, *c = b + n;
    for (std::size_t i = 0; i < n; ++i) {
        b[i] = double(i);
        c[i] = 2.0 * double(i);
    }
    for (const host::Isa isa : {host::Isa::Scalar, host::detectIsa()}) {
        std::fill_n(a, n, -1.0);
        host::triad(isa, a, b, c, 0.5, n);
        for (std::size_t i = 0; i < n; ++i)
            QCOMPARE(a[i], 2.0 * double(i));
    }
}

void TestHostRoof::measures()
{
    const auto roof = measureHostRoof();
    QVERIFY2(roof.ok(), roof ? "" : qPrintable(roof.error().toString()));
    QVERIFY(roof->fp32Single.samples.size() >= 3);
    for (const RoofSamples* r : {&roof->fp32Single, &roof->fp32All, &roof->fp64Single,
                                 &roof->fp64All, &roof->triadSingle, &roof->triadAll}) {
        QVERIFY(r->best > 0);
        for (const double s : r->samples)
            QVERIFY(s > 0 && s <= r->best);
    }
    QVERIFY(roof->cacheBytes > 0);
    QCOMPARE(roof->arraysBigEnough, roof->arrayBytes > 4 * roof->cacheBytes);
    const HardwareDevice host = hostDevice(*roof);
    auto point = makePoint(host, QStringLiteral("fp32"), QStringLiteral("dram"),
                           QStringLiteral("c"), QStringLiteral("counted"), {1e6, 1e6});
    QVERIFY(point.ok());
    QVERIFY(setTime(*point, host, 1e6, QStringLiteral("host")));
    const Json j = toJson(*roof);
    QVERIFY(j["source"] == "measured");
    QCOMPARE(j["gflops"].get<double>(), std::max(roof->fp32All.best, roof->fp32Single.best));
    qInfo("%s", toJsonLine(j).constData());
}

QTEST_APPLESS_MAIN(TestHostRoof)
#include "tst_host_roof.moc"
