// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/convert.h"
#include "core/numerics/generate.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

using namespace ridgeline;

namespace {

GeneratedTensor make(const InputGen& gen, DType type, qint64 count, quint64 seed = 1,
                     const QString& name = QStringLiteral("x"))
{
    auto made = generateInput(gen, type, count, seed, name);
    return made ? *made : GeneratedTensor{};
}

InputGen named(const char* gen)
{
    InputGen g;
    g.gen = QString::fromLatin1(gen);
    return g;
}

} // namespace

class TestGenerate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void badParameters_data();
    void badParameters();
    void impossibleCount();
    void cancelled();
    void publishedPhilox();
    void valueDependsOnSeedNameAndIndexOnly();
    void frozen();
    void normalMoments();
    void normalTails();
    void uniformIsUniform();
    void randintCoversItsRange();
    void arangeAndFull();
    void referenceSeesRoundedValues();
};

void TestGenerate::badParameters_data()
{
    QTest::addColumn<QString>("gen");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<double>("std");
    QTest::addColumn<int>("type");
    const double inf = std::numeric_limits<double>::infinity();
    QTest::newRow("unknown") << "zipf" << 0. << 1. << 1. << int(DType::Fp32);
    QTest::newRow("empty") << "" << 0. << 1. << 1. << int(DType::Fp32);
    QTest::newRow("negative std") << "normal" << 0. << 1. << -1. << int(DType::Fp32);
    QTest::newRow("nan std") << "normal" << 0. << 1. << std::nan("") << int(DType::Fp32);
    QTest::newRow("reversed") << "uniform" << 2. << 1. << 1. << int(DType::Fp32);
    QTest::newRow("infinite") << "uniform" << -inf << 1. << 1. << int(DType::Fp32);
    QTest::newRow("range overflows") << "uniform" << -1.7e308 << 1.7e308 << 1. << int(DType::Fp64);
    QTest::newRow("half integer") << "randint" << .5 << 3. << 1. << int(DType::Int32);
    QTest::newRow("too wide") << "randint" << 0. << 300. << 1. << int(DType::UInt8);
    QTest::newRow("negative unsigned") << "randint" << -1. << 3. << 1. << int(DType::UInt32);
    QTest::newRow("over 2^53") << "randint" << 0. << 1e18 << 1. << int(DType::Int64);
}

void TestGenerate::badParameters()
{
    QFETCH(QString, gen);
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(double, std);
    QFETCH(int, type);
    InputGen g;
    g.gen = gen;
    g.low = low;
    g.high = high;
    g.std = std;
    const auto made = generateInput(g, DType(type), 10, 0, QStringLiteral("weights"));
    QVERIFY(!made.ok());
    QCOMPARE(made.error().code, ErrorCode::BadSchema);
    QVERIFY(made.error().message.contains(QStringLiteral("weights")));
}

void TestGenerate::impossibleCount()
{
    for (const qint64 count : {qint64(-1), std::numeric_limits<qint64>::max()}) {
        const auto made = generateInput({}, DType::Fp32, count, 0, QStringLiteral("x"));
        QVERIFY(!made.ok());
        QCOMPARE(made.error().code, ErrorCode::TooLarge);
    }
    QCOMPARE(make({}, DType::Fp32, 0).bytes.size(), 0);
}

void TestGenerate::cancelled()
{
    CancelToken token;
    token.cancel();
    const auto made = generateInput({}, DType::Fp32, 100, 0, QStringLiteral("x"), token);
    QVERIFY(!made.ok());
    QCOMPARE(made.error().code, ErrorCode::Cancelled);
}

void TestGenerate::publishedPhilox()
{
    // Known answers published with the Random123 library for philox4x32 with ten rounds.
    using Block = std::array<quint32, 4>;
    QCOMPARE(philox4x32({0, 0, 0, 0}, {0, 0}),
             (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    const quint32 ones = 0xffffffff;
    QCOMPARE(philox4x32({ones, ones, ones, ones}, {ones, ones}),
             (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    QCOMPARE(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
             (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

void TestGenerate::valueDependsOnSeedNameAndIndexOnly()
{
    for (const char* gen : {"normal", "uniform", "randint"}) {
        InputGen g = named(gen);
        g.high = 1000;
        const auto whole = make(g, DType::Fp32, 10000);
        QCOMPARE(make(g, DType::Fp32, 10000).bytes, whole.bytes);
        // Any window of the tensor, odd edges included, is the same numbers.
        for (const auto& [first, count] :
             {std::pair<qint64, qint64>{0, 1}, {1, 1}, {1, 4097}, {4095, 2}, {777, 5001}}) {
            QVector<double> window(count);
            generateRange(g, DType::Fp32, 1, QStringLiteral("x"), first, count, nullptr,
                          window.data());
            QCOMPARE(window, whole.values.mid(first, count));
        }
        QVERIFY(make(g, DType::Fp32, 10000, 2).bytes != whole.bytes);
        QVERIFY(make(g, DType::Fp32, 10000, 1, QStringLiteral("y")).bytes != whole.bytes);
        QVERIFY(make(g, DType::Fp32, 10000, quint64(1) << 32).bytes != whole.bytes);
    }
}

void TestGenerate::frozen()
{
    // Two identical numbers in a row of 4096 fp64 normals would mean a stuck counter.
    const auto x = make({}, DType::Fp64, 4096);
    QCOMPARE(std::set<double>(x.values.begin(), x.values.end()).size(), std::size_t(4096));
}

void TestGenerate::normalMoments()
{
    InputGen g;
    g.mean = 3;
    g.std = 2;
    const qint64 n = 1000000;
    const auto x = make(g, DType::Fp64, n).values;
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0, lag = 0;
    for (qint64 i = 0; i < n; ++i) {
        const double z = (x[i] - 3) / 2;
        m1 += z;
        m2 += z * z;
        m3 += z * z * z;
        m4 += z * z * z * z;
        if (i)
            lag += z * (x[i - 1] - 3) / 2;
    }
    // Five standard errors each: 1, sqrt 2, sqrt 15, sqrt 96 and 1 over sqrt n.
    const double se = 1 / std::sqrt(double(n));
    QVERIFY(std::fabs(m1 / n) < 5 * se);
    QVERIFY(std::fabs(m2 / n - 1) < 5 * std::sqrt(2.) * se);
    QVERIFY(std::fabs(m3 / n) < 5 * std::sqrt(15.) * se);
    QVERIFY(std::fabs(m4 / n - 3) < 5 * std::sqrt(96.) * se);
    QVERIFY(std::fabs(lag / n) < 5 * se);
}

void TestGenerate::normalTails()
{
    // Kolmogorov–Smirnov distance to the exact distribution; 1.95/sqrt n is the 0.1 % point.
    const qint64 n = 200000;
    auto x = make({}, DType::Fp64, n).values;
    std::sort(x.begin(), x.end());
    double distance = 0;
    for (qint64 i = 0; i < n; ++i) {
        const double cdf = 0.5 * std::erfc(-x[i] / std::sqrt(2.));
        distance = std::max(
            {distance, std::fabs(cdf - double(i) / n), std::fabs(cdf - double(i + 1) / n)});
    }
    QVERIFY2(distance < 1.95 / std::sqrt(double(n)), qPrintable(QString::number(distance)));
    QVERIFY(x.last() > 4 && x.last() < 6.5);
    QVERIFY(x.first() < -4 && x.first() > -6.5);
}

void TestGenerate::uniformIsUniform()
{
    InputGen g = named("uniform");
    g.low = -2;
    g.high = 6;
    const qint64 n = 200000;
    const auto x = make(g, DType::Fp64, n).values;
    QVector<int> bins(16);
    for (const double v : x) {
        QVERIFY(v >= -2 && v < 6);
        ++bins[int((v + 2) * 2)];
    }
    double chi = 0;
    for (const int b : bins)
        chi += (b - n / 16.) * (b - n / 16.) / (n / 16.);
    QVERIFY2(chi < 37.7, qPrintable(QString::number(chi))); // 0.1 % point of chi², 15 degrees
}

void TestGenerate::randintCoversItsRange()
{
    InputGen g = named("randint");
    g.low = -3;
    g.high = 4;
    std::set<double> seen;
    for (const double v : make(g, DType::Int8, 1000).values) {
        QVERIFY(v >= -3 && v <= 4);
        seen.insert(v);
    }
    QCOMPARE(seen.size(), std::size_t(8));
    g.low = g.high = 5;
    for (const double v : make(g, DType::UInt8, 10).values)
        QCOMPARE(v, 5.0);
    QCOMPARE(defaultInput(DType::Int32).gen, QStringLiteral("randint"));
    QCOMPARE(defaultInput(DType::Fp16).gen, QStringLiteral("normal"));
    for (const double v : make(defaultInput(DType::Bool), DType::Bool, 100).values)
        QVERIFY(v == 0 || v == 1);
}

void TestGenerate::arangeAndFull()
{
    const auto wrapped = make(named("arange"), DType::Int8, 300).values;
    QCOMPARE(wrapped[127], 127.0);
    QCOMPARE(wrapped[128], -128.0);
    QCOMPARE(wrapped[256], 0.0);
    const auto longer = make(named("arange"), DType::Fp32, 5000).values;
    QCOMPARE(longer[4999], 4999.0);
    InputGen g = named("full");
    g.value = std::numeric_limits<double>::infinity();
    for (const double v : make(g, DType::Fp16, 5).values)
        QVERIFY(std::isinf(v));
    g.value = 0.1;
    QCOMPARE(make(g, DType::Bf16, 5).values[4], roundToType(0.1, DType::Bf16));
}

void TestGenerate::referenceSeesRoundedValues()
{
    for (const DType type :
         {DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E4M3, DType::Fp8E5M2}) {
        const auto x = make({}, type, 2000);
        QVector<double> again(2000);
        decodeElements(x.bytes.constData(), type, 2000, again.data());
        QCOMPARE(again, x.values);
        const auto exact = make({}, DType::Fp64, 2000).values;
        for (int i = 0; i < 2000; ++i)
            QCOMPARE(x.values[i], roundToType(exact[i], type));
    }
}

QTEST_APPLESS_MAIN(TestGenerate)
#include "tst_generate.moc"
