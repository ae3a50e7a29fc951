// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/statistics.h"

#include <QElapsedTimer>
#include <QTest>
#include <cmath>
#include <random>

using namespace ridgeline;

namespace {

// Two interleaved series with a common slow wave, the second `ratio` times the first.
struct Pair {
    QVector<double> candidate, baseline;
};

Pair interleaved(int n, double ratio, double sigma, double wave, quint32 seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, sigma);
    Pair p;
    for (int i = 0; i < n; ++i) {
        const double common = 1e6 * (1 + wave * std::sin(i * 0.4));
        p.baseline << common * std::exp(noise(random));
        p.candidate << common * ratio * std::exp(noise(random));
    }
    return p;
}

RatioComparison compare(const Pair& p, const RatioOptions& options = {})
{
    auto c = compareSeries(p.candidate, p.baseline, options);
    return c ? *c : RatioComparison{};
}

} // namespace

class TestRatio : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesNonsense();
    void tooFewIsUndecided();
    void verdicts();
    void noiseFloorWidensDelta();
    void sameInputSameAnswer();
    void swappingInverts();
    void intervalCovers_data();
    void intervalCovers();
    void identicalCandidateIsRarelyDecided();
    void unequalLengths();
    void constantSeries();
    void longSeriesStayQuick();
    void json();
};

void TestRatio::refusesNonsense()
{
    const QVector<double> good(10, 5.0);
    QVERIFY(!compareSeries({}, good).ok());
    QVERIFY(!compareSeries(good, {1, std::nan("")}).ok());
    QVERIFY(!compareSeries(good, QVector<double>(10, 0.0)).ok());
}

void TestRatio::tooFewIsUndecided()
{
    const auto c = *compareSeries({1, 1, 1, 1, 1}, {9, 9, 9, 9, 9, 9, 9});
    QCOMPARE(c.verdict, RatioVerdict::Undecided);
    QVERIFY(c.reason.contains(QStringLiteral("too few")));
    QVERIFY(toJson(c)["ratio_ci95"].is_null());
}

void TestRatio::verdicts()
{
    QCOMPARE(compare(interleaved(40, 0.8, 0.02, 0, 1)).verdict, RatioVerdict::Faster);
    QCOMPARE(compare(interleaved(40, 1.2, 0.02, 0, 1)).verdict, RatioVerdict::Slower);
    QCOMPARE(compare(interleaved(200, 1.0, 0.01, 0, 1)).verdict, RatioVerdict::Same);
    QCOMPARE(compare(interleaved(20, 0.98, 0.1, 0, 1)).verdict, RatioVerdict::Undecided);
}

void TestRatio::noiseFloorWidensDelta()
{
    RatioOptions options;
    options.noiseFloor = 0.3;
    const auto c = compare(interleaved(40, 0.8, 0.02, 0, 1), options);
    QCOMPARE(c.delta, 0.3);
    QCOMPARE(c.verdict, RatioVerdict::Same);
    // The floor of a quiet series is small, that of a noisy one is not.
    const double quiet = noiseFloor(interleaved(60, 1, 0.002, 0, 1).baseline);
    const double loud = noiseFloor(interleaved(60, 1, 0.2, 0, 1).baseline);
    QVERIFY(quiet > 0 && quiet < 0.005);
    QVERIFY(loud > 0.05);
    QCOMPARE(noiseFloor({1, 2, 3}), 0.0);
}

void TestRatio::sameInputSameAnswer()
{
    const Pair p = interleaved(30, 0.95, 0.05, 0, 9);
    QCOMPARE(compare(p).interval, compare(p).interval);
    RatioOptions other;
    other.seed = 5;
    const auto a = compare(p), b = compare(p, other);
    // Another seed moves the ends by simulation error only.
    QVERIFY(std::fabs(a.interval.low - b.interval.low) < 0.01);
    QVERIFY(std::fabs(a.interval.high - b.interval.high) < 0.01);
}

void TestRatio::swappingInverts()
{
    const Pair p = interleaved(50, 0.9, 0.05, 0, 4);
    const auto there = compare(p), back = compare({p.baseline, p.candidate});
    QVERIFY(std::fabs(there.ratio * back.ratio - 1) < 1e-12);
    QVERIFY(std::fabs(there.interval.low * back.interval.high - 1) < 0.02);
    QCOMPARE(there.verdict, RatioVerdict::Faster);
    QCOMPARE(back.verdict, RatioVerdict::Slower);
}

void TestRatio::intervalCovers_data()
{
    QTest::addColumn<int>("n");
    QTest::addColumn<double>("wave");
    QTest::newRow("20 quiet") << 20 << 0.0;
    QTest::newRow("30 with a common wave") << 30 << 0.1;
    QTest::newRow("60") << 60 << 0.0;
}

void TestRatio::intervalCovers()
{
    QFETCH(int, n);
    QFETCH(double, wave);
    RatioOptions options;
    options.resamples = 2000;
    int covered = 0;
    const int trials = 400;
    for (int t = 0; t < trials; ++t) {
        const auto c = compare(interleaved(n, 0.9, 0.05, wave, quint32(1000 + t)), options);
        covered += c.interval.low <= 0.9 && 0.9 <= c.interval.high;
    }
    // Nominal 0.95; medians are discrete, so the bootstrap is a little off at small n.
    const double rate = double(covered) / trials;
    QVERIFY2(rate > 0.91 && rate <= 0.995, qPrintable(QString::number(rate)));
}

void TestRatio::identicalCandidateIsRarelyDecided()
{
    RatioOptions options;
    options.resamples = 2000;
    int decided = 0;
    for (quint32 t = 0; t < 300; ++t) {
        const auto v = compare(interleaved(20, 1, 0.05, 0, t), options).verdict;
        decided += v == RatioVerdict::Faster || v == RatioVerdict::Slower;
    }
    QVERIFY2(decided <= 15, qPrintable(QString::number(decided)));
}

void TestRatio::unequalLengths()
{
    Pair p = interleaved(40, 0.8, 0.02, 0, 2);
    p.baseline.resize(25);
    const auto c = compare(p);
    QVERIFY(!c.paired);
    QCOMPARE(c.verdict, RatioVerdict::Faster);
}

void TestRatio::constantSeries()
{
    const auto c = compare({QVector<double>(10, 500.0), QVector<double>(10, 1000.0)});
    QCOMPARE(c.ratio, 0.5);
    QCOMPARE(c.interval, (Interval{0.5, 0.5}));
    QCOMPARE(c.verdict, RatioVerdict::Faster);
}

void TestRatio::longSeriesStayQuick()
{
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(compare(interleaved(5000, 0.9, 0.05, 0, 1)).verdict, RatioVerdict::Faster);
    QVERIFY2(timer.elapsed() < 20000, qPrintable(QString::number(timer.elapsed())));
}

void TestRatio::json()
{
    const Json j = toJson(compare(interleaved(40, 0.8, 0.02, 0, 1)));
    QVERIFY(j["verdict"] == "faster");
    QVERIFY(j["ratio_ci95"].size() == 2);
    QVERIFY(j["ratio"].get<double>() < 0.85);
}

QTEST_APPLESS_MAIN(TestRatio)
#include "tst_ratio.moc"
