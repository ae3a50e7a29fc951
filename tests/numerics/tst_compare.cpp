// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/compare.h"
#include "core/numerics/convert.h"

#include <QElapsedTimer>
#include <QTest>
#include <cmath>
#include <limits>
#include <random>

using namespace ridgeline;

namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan_ = std::numeric_limits<double>::quiet_NaN();

QByteArray bytesOf(const QVector<double>& values, DType type)
{
    QByteArray bytes(values.size() * dtypeSize(type), '\0');
    encodeElements(values.constData(), type, values.size(), bytes.data());
    return bytes;
}

ToleranceRule rule(const char* method, double rtol = -1, double atol = -1, double ulp = -1)
{
    ToleranceRule r;
    r.method = QString::fromLatin1(method);
    if (rtol >= 0)
        r.rtol = rtol;
    if (atol >= 0)
        r.atol = atol;
    if (ulp >= 0)
        r.ulp = ulp;
    return r;
}

OutputComparison compare(const QVector<double>& got, const QVector<double>& ref, DType type,
                         const ToleranceRule& r = {}, bool poisoned = true)
{
    auto c = compareOutput(QStringLiteral("y"), bytesOf(got, type), type, ref, {got.size()}, r,
                           poisoned);
    return c ? *c : OutputComparison{};
}

} // namespace

class TestCompare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sizesMustAgree();
    void badRules();
    void nanNeverPasses();
    void nanOnlyByRule();
    void infinities();
    void referenceBeyondRange();
    void unwritten();
    void matchRatioExcusesNoNan();
    void methods_data();
    void methods();
    void defaults();
    void ulpIsRealValued();
    void histogram();
    void worstAndFirst();
    void integersAreExact();
    void integerPoisonIsNoProof();
    void emptyOutput();
    void zeroReference();
    void chunksDoNotMatter();
    void againstPlainArithmetic();
    void json();
    void speed();
};

void TestCompare::sizesMustAgree()
{
    const QByteArray four(16, '\0');
    QVERIFY(!compareOutput(QStringLiteral("y"), four, DType::Fp32, {1, 2, 3, 4}, {5}, {}).ok());
    QVERIFY(!compareOutput(QStringLiteral("y"), four, DType::Fp32, {1, 2, 3}, {4}, {}).ok());
    QVERIFY(!compareOutput(QStringLiteral("y"), four, DType::Fp64, {1, 2, 3, 4}, {4}, {}).ok());
    QVERIFY(
        !compareOutput(QStringLiteral("y"), four, DType::Fp32, {1, 2, 3, 4}, {-2, -2}, {}).ok());
    const qint64 huge = qint64(1) << 62;
    QVERIFY(!compareOutput(QStringLiteral("y"), four, DType::Fp32, {1, 2, 3, 4}, {huge, 4, 4}, {})
                 .ok());
    QVERIFY(!compareIntegerOutput(QStringLiteral("y"), four, DType::Fp32, four, {4}, {}).ok());
    QVERIFY(
        !compareIntegerOutput(QStringLiteral("y"), four, DType::Int32, four + four, {4}, {}).ok());
}

void TestCompare::badRules()
{
    QVERIFY(!checkTolerance(rule("close enough")).ok());
    QVERIFY(!checkTolerance(rule("allclose", nan_ > 0 ? 0 : inf)).ok());
    ToleranceRule r;
    r.atol = -1;
    QVERIFY(!checkTolerance(r).ok());
    r.atol = nan_;
    QVERIFY(!checkTolerance(r).ok());
    r = {};
    r.minMatchRatio = 1.5;
    QVERIFY(!checkTolerance(r).ok());
}

void TestCompare::nanNeverPasses()
{
    for (const char* method : {"allclose", "both_exceed", "abs", "exact", "ulp"}) {
        for (const auto& [got, ref] :
             {std::pair{nan_, 1.0}, {1.0, nan_}, {nan_, nan_}, {nan_, inf}}) {
            const auto c = compare({1, got}, {1, ref}, DType::Fp32, rule(method, 1e30, 1e30, 1e30));
            QVERIFY(!c.ok);
            QCOMPARE(c.mismatches, 1);
            QCOMPARE(c.nanMismatches, 1);
            QVERIFY(std::isinf(c.toleranceUsed));
        }
    }
}

void TestCompare::nanOnlyByRule()
{
    ToleranceRule r;
    r.equalNan = true;
    const auto c = compare({nan_, 2}, {nan_, 2}, DType::Fp16, r);
    QVERIFY(c.ok);
    QCOMPARE(c.nanGot, 1);
    QCOMPARE(c.nanRef, 1);
    QVERIFY(!compare({nan_, 2}, {1, 2}, DType::Fp16, r).ok);
}

void TestCompare::infinities()
{
    QVERIFY(compare({inf, -inf}, {inf, -inf}, DType::Fp32).ok);
    const auto c = compare({inf, 5, -inf}, {-inf, inf, 3}, DType::Fp32, rule("allclose", 1, 1e30));
    QVERIFY(!c.ok);
    QCOMPARE(c.infMismatches, 3);
    QCOMPARE(c.infGot, 2);
    QCOMPARE(c.infRef, 2);
    // A class of its own, not a number in the extremes.
    QVERIFY(!c.maxUlp);
}

void TestCompare::referenceBeyondRange()
{
    QVERIFY(compare({inf}, {70000}, DType::Fp16).ok);
    QVERIFY(!compare({65504}, {70000}, DType::Fp16).ok);
    QVERIFY(compare({65504}, {65510}, DType::Fp16).ok);
    QVERIFY(compare({448}, {1e6}, DType::Fp8E4M3).ok);
    QVERIFY(!compare({nan_}, {1e6}, DType::Fp8E4M3).ok);
    QVERIFY(compare({-inf}, {-1e39}, DType::Fp32).ok);
}

void TestCompare::unwritten()
{
    for (const DType type :
         {DType::Fp64, DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E4M3, DType::Fp8E5M2}) {
        QByteArray got = bytesOf({1, 1, 1, 1}, type);
        fillPoison(got.data() + 2 * dtypeSize(type), type, 2);
        ToleranceRule r;
        r.equalNan = true;
        // Even where the reference is NaN and the rule allows NaN.
        const auto c = *compareOutput(QStringLiteral("y"), got, type, {1, 1, 1, nan_}, {4}, r);
        QCOMPARE(c.unwritten, 2);
        QCOMPARE(c.mismatches, 2);
        QVERIFY(!c.ok);
        QVERIFY(c.message.contains(QStringLiteral("never written")));
        const auto plain =
            *compareOutput(QStringLiteral("y"), got, type, {1, 1, 1, nan_}, {4}, r, false);
        QCOMPARE(plain.unwritten, 0);
        QCOMPARE(plain.mismatches, 1);
    }
}

void TestCompare::matchRatioExcusesNoNan()
{
    QVector<double> ref(100, 1.0), got(100, 1.0);
    ToleranceRule r = rule("allclose", 0, 1e-3);
    r.minMatchRatio = 0.95;
    for (int i = 0; i < 5; ++i)
        got[i] = 2;
    QVERIFY(compare(got, ref, DType::Fp32, r).ok);
    QCOMPARE(compare(got, ref, DType::Fp32, r).matchRatio, 0.95);
    got[5] = 2;
    QVERIFY(!compare(got, ref, DType::Fp32, r).ok);
    got[5] = 1;
    got[4] = nan_;
    QVERIFY(!compare(got, ref, DType::Fp32, r).ok);
}

void TestCompare::methods_data()
{
    QTest::addColumn<QString>("method");
    QTest::addColumn<double>("rtol");
    QTest::addColumn<double>("atol");
    QTest::addColumn<double>("ulp");
    QTest::addColumn<double>("got");
    QTest::addColumn<double>("ref");
    QTest::addColumn<bool>("ok");
    QTest::addColumn<double>("used");
    QTest::newRow("allclose at the limit")
        << "allclose" << .25 << .5 << -1. << 5. << 4. << true << 1 / 1.5;
    QTest::newRow("allclose over")
        << "allclose" << .125 << .5 << -1. << 5.25 << 4. << false << 1.25;
    // The tolerance grows with the reference, not with the output.
    QTest::newRow("allclose asymmetric")
        << "allclose" << 1. << 0. << -1. << 5. << 2. << false << 1.5;
    QTest::newRow("allclose asymmetric back")
        << "allclose" << 1. << 0. << -1. << 2. << 5. << true << .6;
    QTest::newRow("both: abs alone") << "both_exceed" << .5 << .5 << -1. << 5. << 4. << true << .5;
    QTest::newRow("both: rel alone")
        << "both_exceed" << .5 << .5 << -1. << .75 << .25 << true << 1.;
    QTest::newRow("both exceed") << "both_exceed" << .5 << .5 << -1. << 3. << 1. << false << 4.;
    QTest::newRow("abs at") << "abs" << -1. << .5 << -1. << 100.5 << 100. << true << 1.;
    QTest::newRow("abs over") << "abs" << -1. << .25 << -1. << 100.5 << 100. << false << 2.;
    QTest::newRow("exact") << "exact" << -1. << -1. << -1. << 0.1 << 0.1 << true << 0.;
    QTest::newRow("exact off") << "exact" << -1. << -1. << -1. << 1. << 1.0000002 << false
                               << double(INFINITY);
    QTest::newRow("ulp at") << "ulp" << -1. << -1. << 2. << 1 + std::ldexp(1, -22) << 1. << true
                            << 1.;
    QTest::newRow("ulp over") << "ulp" << -1. << -1. << 1. << 1 + std::ldexp(1, -22) << 1. << false
                              << 2.;
    QTest::newRow("ulp floor") << "ulp" << -1. << 1e-6 << 1. << 5e-7 << 1e-12 << true << .5;
}

void TestCompare::methods()
{
    QFETCH(QString, method);
    QFETCH(double, rtol);
    QFETCH(double, atol);
    QFETCH(double, ulp);
    QFETCH(double, got);
    QFETCH(double, ref);
    QFETCH(bool, ok);
    QFETCH(double, used);
    const auto c =
        compare({got}, {ref}, DType::Fp32, rule(method.toLatin1().constData(), rtol, atol, ulp));
    QCOMPARE(c.ok, ok);
    if (std::isinf(used))
        QVERIFY(std::isinf(c.toleranceUsed));
    else
        QVERIFY2(std::fabs(c.toleranceUsed - used) < 1e-5,
                 qPrintable(QString::number(c.toleranceUsed)));
}

void TestCompare::defaults()
{
    QCOMPARE(*resolveTolerance({}, DType::Fp32).rtol, 1.3e-6);
    QCOMPARE(*resolveTolerance({}, DType::Bf16).rtol, 1.6e-2);
    QCOMPARE(*resolveTolerance({}, DType::Int32).atol, 0.0);
    // One number given: the other is zero, not the default.
    QCOMPARE(*resolveTolerance(rule("allclose", 1e-3), DType::Fp32).atol, 0.0);
    QCOMPARE(*resolveTolerance(rule("ulp"), DType::Fp32).ulp, 1.0);
    QVERIFY(compare({1}, {1}, DType::Fp32).defaultRule);
    QVERIFY(!compare({1}, {1}, DType::Fp32, rule("abs", -1, 0)).defaultRule);
}

void TestCompare::ulpIsRealValued()
{
    // A correct rounding is off by at most half a spacing, and by something.
    const double third = 1.0 / 3;
    for (const DType type :
         {DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E4M3, DType::Fp8E5M2}) {
        const double y = roundToType(third, type);
        const auto c = compare({y}, {third}, type, rule("abs", -1, 1));
        QVERIFY(c.maxUlp->ulp > 0 && c.maxUlp->ulp <= 0.5);
        QCOMPARE(c.maxUlp->ulp, std::fabs(y - third) / ulpOf(third, type));
        QCOMPARE(c.exact, 1);
    }
    // Subnormal: the spacing stops shrinking.
    const auto c =
        compare({std::ldexp(3, -24)}, {std::ldexp(1, -24)}, DType::Fp16, rule("abs", -1, 1));
    QCOMPARE(c.maxUlp->ulp, 2.0);
    // fp64 spacings go beyond what a normal number can invert.
    QCOMPARE(compare({1.5e-323}, {5e-324}, DType::Fp64, rule("abs", -1, 1)).maxUlp->ulp, 2.0);
    QCOMPARE(compare({1.7e308}, {1.7e308}, DType::Fp64).maxUlp->ulp, 0.0);
}

void TestCompare::histogram()
{
    const double e = std::ldexp(1, -23);
    const auto c = compare({1, 1 + e, 1 + 2 * e, 1 + 3 * e, 1 + 70000 * e, 1 + 65536 * e},
                           {1, 1, 1, 1, 1, 1}, DType::Fp32, rule("abs", -1, 1));
    const auto at = [&c](double upto) {
        for (const UlpBucket& b : c.ulpHistogram) {
            if (b.upto == upto)
                return b.count;
        }
        return qint64(-1);
    };
    QCOMPARE(at(0.5), 1);
    QCOMPARE(at(1), 1);
    QCOMPARE(at(2), 1);
    QCOMPARE(at(4), 1);
    QCOMPARE(at(65536), 1);
    QCOMPARE(at(inf), 1);
    QCOMPARE(c.ulpHistogram.size(), 19);
}

void TestCompare::worstAndFirst()
{
    QVector<double> ref(6000, 1.0), got(6000, 1.0);
    for (int i = 0; i < 40; ++i)
        got[100 + i * 100] = 2 + (i * 7 % 40);
    const auto c = *compareOutput(QStringLiteral("y"), bytesOf(got, DType::Fp32), DType::Fp32, ref,
                                  {2, 30, 100}, rule("abs", -1, .5));
    QCOMPARE(c.mismatches, 40);
    QCOMPARE(c.firstMismatches.size(), 16);
    QCOMPARE(c.worstMismatches.size(), 16);
    for (int i = 0; i < 16; ++i) {
        QCOMPARE(c.worstMismatches[i].got, 41.0 - i);
        QCOMPARE(c.firstMismatches[i].index, (QVector<qint64>{0, 1 + i, 0}));
    }
    QCOMPARE(c.maxAbs->got, 41.0);
    const auto index = c.maxAbs->index;
    QCOMPARE(got[index[0] * 3000 + index[1] * 100 + index[2]], 41.0);
    QCOMPARE(c.toleranceUsed, 80.0);
}

void TestCompare::integersAreExact()
{
    const auto pack = [](std::initializer_list<qint64> v) {
        return QByteArray(reinterpret_cast<const char*>(std::data(v)), qsizetype(v.size() * 8));
    };
    const qint64 big = (qint64(1) << 53) + 1, least = std::numeric_limits<qint64>::min(),
                 most = std::numeric_limits<qint64>::max();
    const auto c = *compareIntegerOutput(QStringLiteral("i"), pack({big, least, 5}), DType::Int64,
                                         pack({big - 1, most, 5}), {3}, {});
    QVERIFY(!c.ok);
    QCOMPARE(c.mismatches, 2);
    QCOMPARE(c.exact, 1);
    QCOMPARE(c.maxAbs->abs, 18446744073709551615.0);
    QCOMPARE(c.firstMismatches[0].abs, 1.0);
    QVERIFY(compareIntegerOutput(QStringLiteral("i"), pack({7}), DType::Int64, pack({5}), {1},
                                 rule("abs", -1, 2))
                ->ok);
    // The same rules when the reference comes as doubles.
    QVERIFY(compare({3, -4}, {3, -4}, DType::Int32).ok);
    QVERIFY(!compare({3, -4}, {3, -5}, DType::Int32).ok);
    QVERIFY(!compare({3, 0}, {3, nan_}, DType::Int32).ok);
}

void TestCompare::integerPoisonIsNoProof()
{
    QByteArray got(2, '\0');
    fillPoison(got.data(), DType::UInt8, 2);
    const auto c = *compareIntegerOutput(QStringLiteral("i"), got, DType::UInt8,
                                         QByteArray("\xa5\x01", 2), {2}, {});
    QCOMPARE(c.unwritten, 1);
    QCOMPARE(c.mismatches, 1);
}

void TestCompare::emptyOutput()
{
    const auto c = compare({}, {}, DType::Fp32);
    QVERIFY(c.ok);
    QCOMPARE(c.matchRatio, 1.0);
    QVERIFY(!c.maxAbs);
    QVERIFY(toJson(c)["max_abs"].is_null());
}

void TestCompare::zeroReference()
{
    const auto c = compare({0.5, 1.5}, {0, 1}, DType::Fp32, rule("abs", -1, .1));
    QCOMPARE(c.maxRel->rel, 0.5); // relative error means nothing where the reference is 0
    QVERIFY(std::isinf(c.firstMismatches[0].rel));
    const auto zeros = compare({-0.0, 0.0}, {0.0, -0.0}, DType::Fp32, rule("exact"));
    QVERIFY(zeros.ok);
    QCOMPARE(zeros.signedZeros, 2);
}

void TestCompare::chunksDoNotMatter()
{
    std::mt19937 random(3);
    std::normal_distribution<double> noise;
    QVector<double> ref, got;
    for (int i = 0; i < 10000; ++i) {
        ref << noise(random);
        got << ref.last() * (1 + 1e-3 * noise(random));
    }
    const QByteArray bytes = bytesOf(got, DType::Fp16);
    const auto whole = *compareOutput(QStringLiteral("y"), bytes, DType::Fp16, ref, {100, 100}, {});
    OutputComparer comparer(QStringLiteral("y"), DType::Fp16, {100, 100}, {}, true);
    for (qint64 done = 0, step = 1; done < 10000;
         done += step, step = std::min<qint64>(step * 3, 10000 - done))
        comparer.add(bytes.constData() + done * 2, ref.constData() + done,
                     std::min(step, 10000 - done));
    QCOMPARE(toJsonLine(toJson(comparer.finish())), toJsonLine(toJson(whole)));
}

void TestCompare::againstPlainArithmetic()
{
    std::mt19937 random(11);
    std::normal_distribution<double> noise;
    QVector<double> ref, got;
    for (int i = 0; i < 5000; ++i) {
        ref << std::ldexp(noise(random), int(random() % 40) - 20);
        got << ref.last() * (1 + 1e-6 * noise(random));
    }
    const auto c = compare(got, ref, DType::Fp32, rule("allclose", 1e-6, 1e-9));
    qint64 mismatches = 0, exact = 0;
    double maxAbs = 0, maxRel = 0, maxUlp = 0, used = 0;
    for (int i = 0; i < 5000; ++i) {
        const double y = float(got[i]), e = std::fabs(y - ref[i]);
        mismatches += e > 1e-9 + 1e-6 * std::fabs(ref[i]);
        exact += float(got[i]) == float(ref[i]);
        maxAbs = std::max(maxAbs, e);
        maxRel = std::max(maxRel, e / std::fabs(ref[i]));
        maxUlp = std::max(maxUlp, e / std::ldexp(1, std::ilogb(ref[i]) - 23));
        used = std::max(used, e / (1e-9 + 1e-6 * std::fabs(ref[i])));
    }
    QVERIFY(mismatches > 100);
    QCOMPARE(c.mismatches, mismatches);
    QCOMPARE(c.exact, exact);
    QCOMPARE(c.maxAbs->abs, maxAbs);
    QCOMPARE(c.maxRel->rel, maxRel);
    QCOMPARE(c.maxUlp->ulp, maxUlp);
    QCOMPARE(c.toleranceUsed, used);
}

void TestCompare::json()
{
    const Json j = toJson(compare({1, inf, 3}, {1, 2, nan_}, DType::Fp32));
    for (const char* key : {"name",
                            "dtype",
                            "shape",
                            "count",
                            "rule",
                            "ok",
                            "mismatches",
                            "match_ratio",
                            "tolerance_used",
                            "unwritten",
                            "nan_got",
                            "nan_ref",
                            "inf_got",
                            "inf_ref",
                            "max_abs",
                            "max_rel",
                            "max_ulp",
                            "first_mismatches",
                            "worst_mismatches",
                            "ulp_histogram"})
        QVERIFY2(j.contains(key), key);
    QVERIFY(j["tolerance_used"] == Json("inf"));
    QVERIFY(j["first_mismatches"][0]["got"] == Json("inf"));
    QVERIFY(j["first_mismatches"][1]["ref"] == Json("nan"));
    QVERIFY(j["first_mismatches"][1]["index"] == Json::array({2}));
    QVERIFY(j["ulp_histogram"].back()["upto"] == Json("inf"));
    QVERIFY(j["rule"]["ulp"] == Json(nullptr));
}

void TestCompare::speed()
{
    const qint64 n = 4000000;
    QVector<double> ref(n);
    std::mt19937_64 random(1);
    for (double& v : ref)
        v = double(qint64(random())) * 0x1p-63;
    const QByteArray bytes = bytesOf(ref, DType::Fp32);
    QElapsedTimer timer;
    timer.start();
    const auto c = *compareOutput(QStringLiteral("y"), bytes, DType::Fp32, ref, {n}, {});
    const qint64 ns = timer.nsecsElapsed();
    QVERIFY(c.ok);
    QTest::setBenchmarkResult(double(ns) / double(n), QTest::WalltimeNanoseconds);
}

QTEST_APPLESS_MAIN(TestCompare)
#include "tst_compare.moc"
