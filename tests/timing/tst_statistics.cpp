// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/normal.h"
#include "core/timing/statistics.h"

#include <QTest>
#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <random>

using namespace ridgeline;

namespace {

QVector<double> noisy(int n, double sigma, quint32 seed, double centre = 1e6)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, sigma);
    QVector<double> x;
    for (int i = 0; i < n; ++i)
        x << centre * std::exp(noise(random));
    return x;
}

QStringList flags(const QVector<double>& x, const SummaryOptions& options = {})
{
    const auto s = summarize(x, options);
    return s ? s->flags : QStringList{s.error().message};
}

} // namespace

class TestStatistics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesNonsense();
    void oneSample();
    void fewSamplesSaySo();
    void publishedRanks_data();
    void publishedRanks();
    void ranksAgreeWithBoost();
    void medianIntervalCovers();
    void quantilesLikeNumpy();
    void momentsOfKnownSeries();
    void outliersAreKept();
    void theilSenFindsTheSlope();
    void theilSenRarelyCriesWolf();
    void theilSenOfManySamples();
    void autocorrelation();
    void quietSeriesHasNoFlags();
    void modes();
    void noiseFlags();
    void normalAgreesWithBoost();
    void json();
};

void TestStatistics::refusesNonsense()
{
    QVERIFY(!summarize({}).ok());
    QVERIFY(!summarize({1, std::nan("")}).ok());
    QVERIFY(!summarize({1, HUGE_VAL}).ok());
    const auto negative = summarize({1, 2, -3});
    QVERIFY(!negative.ok());
    QVERIFY(negative.error().message.contains(QStringLiteral("sample 2")));
}

void TestStatistics::oneSample()
{
    const auto s = *summarize({7000});
    QCOMPARE(s.median, 7000.0);
    QCOMPARE(s.stddev, 0.0);
    QCOMPARE(s.iqr, 0.0);
    QVERIFY(!s.ci95.reached);
    QCOMPARE(s.ci95.coverage, 0.0);
}

void TestStatistics::fewSamplesSaySo()
{
    const auto s = *summarize({10000, 12000, 11000, 10500, 11500});
    QVERIFY(!s.ci95.reached);
    QCOMPARE(s.ci95.coverage, 0.9375);
    QCOMPARE(s.ci95.interval, (Interval{10000, 12000}));
    QVERIFY(s.flags.contains(QStringLiteral("few samples")));
    QVERIFY(toJson(s)["ci95_ns"].is_null());
}

void TestStatistics::publishedRanks_data()
{
    // Tables of the sign test's confidence limits for a median, 95 %.
    QTest::addColumn<int>("n");
    QTest::addColumn<int>("low");
    QTest::addColumn<int>("high");
    QTest::addColumn<double>("coverage");
    QTest::newRow("6") << 6 << 1 << 6 << .9688;
    QTest::newRow("8") << 8 << 1 << 8 << .9922;
    QTest::newRow("9") << 9 << 2 << 8 << .9609;
    QTest::newRow("10") << 10 << 2 << 9 << .9785;
    QTest::newRow("15") << 15 << 4 << 12 << .9648;
    QTest::newRow("20") << 20 << 6 << 15 << .9586;
    QTest::newRow("25") << 25 << 8 << 18 << .9567;
    QTest::newRow("100") << 100 << 40 << 61 << .9648;
}

void TestStatistics::publishedRanks()
{
    QFETCH(int, n);
    QFETCH(int, low);
    QFETCH(int, high);
    QFETCH(double, coverage);
    QVector<double> x(n);
    std::iota(x.begin(), x.end(), 1);
    const auto ci = medianInterval(x);
    QVERIFY(ci.reached);
    QCOMPARE(ci.lowRank, low);
    QCOMPARE(ci.highRank, high);
    QCOMPARE(ci.interval, (Interval{double(low), double(high)}));
    QVERIFY(std::fabs(ci.coverage - coverage) < 5e-5);
}

void TestStatistics::ranksAgreeWithBoost()
{
    for (const int n : {6, 7, 11, 30, 57, 200, 1001, 20000}) {
        const boost::math::binomial_distribution<double> binomial(n, 0.5);
        QVector<double> x(n);
        for (const double level : {0.9, 0.95, 0.99}) {
            const auto ci = medianInterval(x, level);
            const double mine = 1 - 2 * boost::math::cdf(binomial, ci.lowRank - 1);
            QVERIFY(std::fabs(mine - ci.coverage) < 1e-9);
            if (ci.reached && ci.lowRank < n / 2)
                QVERIFY(1 - 2 * boost::math::cdf(binomial, ci.lowRank) <
                        level); // one narrower misses it
        }
    }
}

void TestStatistics::medianIntervalCovers()
{
    // Skewed, as timings are. True coverage for n = 20 is 0.9586; 4 standard errors of 4000 trials.
    std::mt19937 random(5);
    std::exponential_distribution<double> tail;
    const double truth = std::log(2.0);
    int covered = 0;
    const int trials = 4000;
    for (int t = 0; t < trials; ++t) {
        QVector<double> x;
        for (int i = 0; i < 20; ++i)
            x << tail(random);
        std::sort(x.begin(), x.end());
        const Interval ci = medianInterval(x).interval;
        covered += ci.low <= truth && truth <= ci.high;
    }
    const double rate = double(covered) / trials;
    QVERIFY2(std::fabs(rate - 0.9586) < 4 * std::sqrt(.9586 * .0414 / trials),
             qPrintable(QString::number(rate)));
}

void TestStatistics::quantilesLikeNumpy()
{
    const QVector<double> x{1, 2, 4, 8, 16};
    QCOMPARE(quantile(x, 0), 1.0);
    QCOMPARE(quantile(x, .25), 2.0);
    QCOMPARE(quantile(x, .1), 1.4);
    QCOMPARE(quantile(x, .9), 12.8);
    QCOMPARE(quantile(x, 1), 16.0);
    QCOMPARE(quantile({3}, .3), 3.0);
}

void TestStatistics::momentsOfKnownSeries()
{
    // NIST StRD "NumAcc3": mean 1000000.2, standard deviation 0.1 exactly, 1001 values.
    QVector<double> x{1000000.2};
    for (int i = 0; i < 500; ++i)
        x << 1000000.1 << 1000000.3;
    const auto s = *summarize(x);
    QVERIFY(std::fabs(s.mean - 1000000.2) < 1e-8);
    QVERIFY(std::fabs(s.stddev - 0.1) < 1e-8);
    const auto t = *summarize({1, 1, 2, 2, 4, 6, 9});
    QCOMPARE(t.mad, 1.0); // the textbook example of the median absolute deviation
    QCOMPARE(t.median, 2.0);
}

void TestStatistics::outliersAreKept()
{
    // Quartiles 102 and 106, IQR 4: fences 96/112 and 90/118.
    const QVector<double> x{100, 102, 104, 106, 108, 113, 95, 102, 106, 104, 102, 106, 119};
    const auto s = *summarize(x);
    QCOMPARE(s.samples, x);
    QCOMPARE(s.p25, 102.0);
    QCOMPARE(s.p75, 106.0);
    QCOMPARE(s.outliers[5], OutlierClass::MildHigh);
    QCOMPARE(s.outliers[6], OutlierClass::MildLow);
    QCOMPARE(s.outliers[12], OutlierClass::SevereHigh);
    QCOMPARE(std::count(s.outliers.begin(), s.outliers.end(), OutlierClass::None), 10);
    QVERIFY(s.flags.contains(QStringLiteral("outliers")));
}

void TestStatistics::theilSenFindsTheSlope()
{
    QVector<double> x;
    for (int i = 0; i < 30; ++i)
        x << 5000 + 3 * i;
    x[7] = 1e6; // one wild sample moves a least-squares line, not this
    const Trend t = theilSen(x);
    QCOMPARE(t.slope, 3.0);
    QVERIFY(t.interval.low > 0);
    // Brute force over a small series, odd number of pairs.
    QCOMPARE(theilSen({1, 4, 2}).slope, 0.5);
    QCOMPARE(theilSen({5}).slope, 0.0);
}

void TestStatistics::theilSenRarelyCriesWolf()
{
    int alarms = 0;
    for (quint32 seed = 0; seed < 600; ++seed) {
        const Trend t = theilSen(noisy(20, 0.03, seed));
        alarms += t.interval.low > 0 || t.interval.high < 0;
    }
    QVERIFY2(alarms <= 16, qPrintable(QString::number(alarms))); // 1 % of 600, plus four deviations
}

void TestStatistics::theilSenOfManySamples()
{
    auto x = noisy(50000, 0.01, 3);
    for (int i = 0; i < x.size(); ++i)
        x[i] += 2.0 * i;
    const Trend t = theilSen(x);
    QVERIFY(std::fabs(t.slope - 2) < 0.02);
}

void TestStatistics::autocorrelation()
{
    QCOMPARE(lag1Autocorrelation({5, 5, 5, 5}), 0.0);
    QCOMPARE(lag1Autocorrelation({1, 2, 3, 4, 5}), 0.4);
    QVERIFY(lag1Autocorrelation({1, 2, 1, 2, 1, 2, 1, 2}) < -.8);
    // AR(1) with coefficient 0.6.
    std::mt19937 random(2);
    std::normal_distribution<double> noise;
    QVector<double> x{0};
    for (int i = 0; i < 20000; ++i)
        x << 0.6 * x.last() + noise(random);
    QVERIFY(std::fabs(lag1Autocorrelation(x) - 0.6) < 0.03);
}

void TestStatistics::quietSeriesHasNoFlags()
{
    int flagged = 0;
    for (quint32 seed = 100; seed < 300; ++seed)
        flagged += !flags(noisy(40, 0.01, seed)).isEmpty();
    QVERIFY2(flagged <= 10, qPrintable(QString::number(flagged)));
}

void TestStatistics::modes()
{
    QVector<double> two = noisy(25, 0.01, 1) + noisy(15, 0.01, 2, 1.2e6);
    std::sort(two.begin(), two.end());
    const Modes m = findModes(two);
    QVERIFY(m.two);
    QCOMPARE(m.lowShare, 25 / 40.0);
    QVERIFY(std::fabs(m.low - 1e6) < 1e4);
    QVERIFY(std::fabs(m.high - 1.2e6) < 1.2e4);
    // One group, however wide, and a lonely outlier are not two modes.
    int wrong = 0;
    for (quint32 seed = 0; seed < 300; ++seed) {
        auto one = noisy(30, 0.05, seed);
        one << 5e6;
        std::sort(one.begin(), one.end());
        wrong += findModes(one).two;
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> flat(1e6, 2e6);
        QVector<double> uniform(40);
        for (double& v : uniform)
            v = flat(random);
        std::sort(uniform.begin(), uniform.end());
        wrong += findModes(uniform).two;
    }
    QVERIFY2(wrong <= 12, qPrintable(QString::number(wrong)));
    // A clock that ticks: two values, but less than 1 % apart.
    QVector<double> ticks(20, 1000000);
    ticks += QVector<double>(20, 1000032);
    QVERIFY(!findModes(ticks).two);
}

void TestStatistics::noiseFlags()
{
    QVERIFY(flags(noisy(60, 0.05, 1)).contains(QStringLiteral("noisy")));
    QVERIFY(flags(noisy(60, 0.2, 1)).contains(QStringLiteral("very noisy")));
    QVERIFY(flags(noisy(40, 0.005, 1, 3000)).contains(QStringLiteral("short")));
    auto rising = noisy(40, 0.005, 4);
    for (int i = 0; i < 40; ++i)
        rising[i] *= 1 + 0.002 * i;
    QVERIFY(flags(rising).contains(QStringLiteral("drift")));
    SummaryOptions coarse;
    coarse.timerResolutionNs = 1e5;
    QVERIFY(flags(noisy(40, 0.005, 1), coarse).contains(QStringLiteral("timer limited")));
    QVector<double> waves;
    for (int i = 0; i < 60; ++i)
        waves << 1e6 * (1 + 0.01 * std::sin(i * 0.3));
    QVERIFY(flags(waves).contains(QStringLiteral("autocorrelated")));
    QVERIFY(flags(noisy(25, 0.003, 1) + noisy(25, 0.003, 2, 1.1e6))
                .contains(QStringLiteral("two modes")));
}

void TestStatistics::normalAgreesWithBoost()
{
    const boost::math::normal_distribution<double> normal;
    for (const double p : {1e-12, 1e-4, .025, .3, .5, .975, .9999}) {
        QVERIFY(std::fabs(normalQuantile(p) - boost::math::quantile(normal, p)) <
                1e-9 * (1 + std::fabs(normalQuantile(p))));
        QVERIFY(std::fabs(normalCdf(normalQuantile(p)) - p) < 1e-12);
    }
}

void TestStatistics::json()
{
    const Json j = toJson(*summarize(noisy(20, 0.01, 1)));
    for (const char* key : {"samples_ns", "median_ns", "ci95_ns", "min_ns", "p25_ns", "p75_ns",
                            "iqr_ns", "mean_ns", "stddev_ns", "flags"})
        QVERIFY2(j.contains(key), key);
    QCOMPARE(j["samples_ns"].size(), std::size_t(20));
    QVERIFY(j["ci95_ns"][0].get<double>() <= j["median_ns"].get<double>());
}

QTEST_APPLESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
