// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/bounds.h"

#include <QTest>
#include <cmath>
#include <random>
#include <vector>

using namespace ridgeline;

namespace {

const double u32 = std::ldexp(1, -24);

struct Dot {
    double exact = 0, absolute = 0;
    double serial = 0, pairwise = 0, blocked = 0;
};

float sumPairs(const std::vector<float>& p, std::size_t begin, std::size_t end)
{
    if (end - begin == 1)
        return p[begin];
    const std::size_t middle = begin + (end - begin) / 2;
    return sumPairs(p, begin, middle) + sumPairs(p, middle, end);
}

Dot dot(int k, quint32 seed, int block)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    Dot d;
    std::vector<float> products;
    float serial = 0, blocked = 0, part = 0;
    for (int i = 0; i < k; ++i) {
        const float x = normal(random), y = normal(random);
        d.exact += double(x) * double(y);
        d.absolute += std::fabs(double(x) * double(y));
        const float p = x * y;
        products.push_back(p);
        serial += p;
        part += p;
        if ((i + 1) % block == 0 || i + 1 == k) {
            blocked += part;
            part = 0;
        }
    }
    d.serial = serial;
    d.blocked = blocked;
    d.pairwise = sumPairs(products, 0, products.size());
    return d;
}

} // namespace

class TestBounds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void limits();
    void publishedExample();
    void boundsHold();
    void probableHoldsAndIsTighter();
    void gemm();
};

void TestBounds::limits()
{
    QVERIFY(std::isinf(gammaBound(1 / u32, u32)));
    QVERIFY(std::isinf(dotBoundWorst(1000000, unitRoundoff(DType::Bf16))));
    QCOMPARE(dotBoundWorst(0, u32), 0.0);
    QCOMPARE(dotBoundProbable(0, u32), 0.0);
    QCOMPARE(dotBoundPairwise(0, u32), 0.0);
    QCOMPARE(dotBoundBlocked(10, 0, u32), 0.0);
    QCOMPARE(unitRoundoff(DType::Fp32), u32);
    QCOMPARE(unitRoundoff(DType::Bf16), std::ldexp(1, -8));
    QCOMPARE(unitRoundoff(DType::Fp8E4M3), 0.0625);
    QCOMPARE(unitRoundoff(DType::Int32), 0.0);
}

void TestBounds::publishedExample()
{
    // K = 4096 in fp32: K·u = 2.4e-4, √K·u = 3.8e-6, and blocks of 64 come near 2√K·u.
    QVERIFY(std::fabs(dotBoundWorst(4096, u32) - 2.44e-4) < 1e-6);
    QVERIFY(std::fabs(dotBoundBlocked(4096, 64, u32) - 128 * u32) < 1e-10);
    QVERIFY(std::fabs(dotBoundPairwise(4096, u32) - 13 * u32) < 1e-10);
    QVERIFY(dotBoundBlocked(4096, 64, u32) < dotBoundBlocked(4096, 16, u32));
    QVERIFY(dotBoundBlocked(4096, 64, u32) < dotBoundBlocked(4096, 256, u32));
}

void TestBounds::boundsHold()
{
    for (const int k : {1, 2, 17, 128, 1000, 4096}) {
        for (quint32 seed = 0; seed < 50; ++seed) {
            const Dot d = dot(k, seed, 64);
            QVERIFY(std::fabs(d.serial - d.exact) <= dotBoundWorst(k, u32) * d.absolute);
            QVERIFY(std::fabs(d.blocked - d.exact) <= dotBoundBlocked(k, 64, u32) * d.absolute);
            QVERIFY(std::fabs(d.pairwise - d.exact) <= dotBoundPairwise(k, u32) * d.absolute);
        }
    }
}

void TestBounds::probableHoldsAndIsTighter()
{
    int broken = 0;
    for (quint32 seed = 0; seed < 1000; ++seed) {
        const Dot d = dot(1024, seed, 64);
        broken += std::fabs(d.serial - d.exact) > dotBoundProbable(1024, u32, 1e-3) * d.absolute;
    }
    QVERIFY2(broken <= 5, qPrintable(QString::number(broken)));
    QVERIFY(dotBoundProbable(4096, u32) < dotBoundWorst(4096, u32) / 5);
    QVERIFY(dotBoundProbable(3, u32) <= dotBoundWorst(3, u32));
}

void TestBounds::gemm()
{
    // An honest fp32 sum is within the tolerance; half of one product missing is not.
    int beyond = 0;
    for (quint32 seed = 0; seed < 200; ++seed) {
        const Dot d = dot(512, seed, 64);
        const double allowed =
            gemmTolerance(d.exact, d.absolute, 512, Accumulation::Nearest, u32, u32);
        beyond += std::fabs(d.serial - d.exact) > allowed;
        QVERIFY(std::fabs(d.serial - d.exact) <= gemmHardLimit(d.exact, d.absolute, 512, u32, u32));
        QVERIFY(0.5 * d.absolute / 512 > allowed);
    }
    QCOMPARE(beyond, 0);
    const double tf32 = std::ldexp(1, -11);
    QVERIFY(gemmTolerance(1, 100, 512, Accumulation::Nearest, u32, u32, tf32, true) >
            gemmTolerance(1, 100, 512, Accumulation::Nearest, u32, u32));
    QVERIFY(gemmTolerance(1, 100, 512, Accumulation::Truncated, u32, u32) >
            gemmTolerance(1, 100, 512, Accumulation::Nearest, u32, u32));
    QVERIFY(std::isinf(gemmHardLimit(1, 1, 4096, std::ldexp(1, -8), u32)));
}

QTEST_APPLESS_MAIN(TestBounds)
#include "tst_bounds.moc"
