// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/convert.h"

#include <QTest>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>

using namespace ridgeline;

namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan_ = std::numeric_limits<double>::quiet_NaN();

const DType narrowTypes[] = {DType::Fp16, DType::Bf16, DType::Fp8E4M3, DType::Fp8E5M2};

quint32 encoded(double value, DType type, Overflow overflow = Overflow::Ieee)
{
    quint32 code = 0;
    encodeElement(value, type, &code, overflow);
    return code;
}

double decoded(quint32 code, DType type)
{
    return decodeElement(&code, type);
}

// Every finite value of a narrow type with its code, without the negative zero.
std::map<double, quint32> table(DType type)
{
    std::map<double, quint32> values;
    const quint32 codes = 1u << dtypeSize(type) * 8;
    for (quint32 code = 0; code < codes; ++code) {
        const double v = decoded(code, type);
        if (std::isfinite(v) && !(v == 0 && std::signbit(v)))
            values[v] = code;
    }
    return values;
}

// Round to nearest even by search, an independent way to the same answer. Below the limits only.
quint32 nearest(const std::map<double, quint32>& values, double x)
{
    const auto above = values.lower_bound(x);
    if (above == values.end())
        return std::prev(above)->second;
    if (above->first == x || above == values.begin())
        return above->second;
    const auto below = std::prev(above);
    const double up = above->first - x, down = x - below->first;
    if (up != down)
        return up < down ? above->second : below->second;
    return below->second & 1 ? above->second : below->second;
}

} // namespace

class TestConvert : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void publishedValues();
    void everyCodeSurvives();
    void roundsToNearestEven();
    void overflow();
    void notANumber();
    void integersSaturate();
    void spacing();
    void distance();
    void poison();
};

void TestConvert::publishedValues()
{
    // IEEE 754 binary16 and OCP FP8 tables; bfloat16 is the upper half of binary32.
    QCOMPARE(decoded(0x3c00, DType::Fp16), 1.0);
    QCOMPARE(decoded(0x0001, DType::Fp16), std::ldexp(1.0, -24));
    QCOMPARE(decoded(0x7bff, DType::Fp16), 65504.0);
    QCOMPARE(decoded(0xfc00, DType::Fp16), -inf);
    QCOMPARE(decoded(0x3555, DType::Fp16), 0.333251953125);
    QCOMPARE(decoded(0x3f80, DType::Bf16), 1.0);
    QCOMPARE(decoded(0x0001, DType::Bf16), std::ldexp(1.0, -133));
    QCOMPARE(decoded(0x7e, DType::Fp8E4M3), 448.0);
    QCOMPARE(decoded(0x01, DType::Fp8E4M3), std::ldexp(1.0, -9));
    QCOMPARE(decoded(0x08, DType::Fp8E4M3), std::ldexp(1.0, -6));
    QVERIFY(std::isnan(decoded(0x7f, DType::Fp8E4M3)));
    QCOMPARE(decoded(0x7b, DType::Fp8E5M2), 57344.0);
    QCOMPARE(decoded(0x7c, DType::Fp8E5M2), inf);
    QVERIFY(std::isnan(decoded(0x7d, DType::Fp8E5M2)));
    QCOMPARE(encoded(0.1, DType::Fp16), 0x2e66u);
    QCOMPARE(encoded(0.1, DType::Bf16), 0x3dcdu);
    QCOMPARE(encoded(3.14159265358979, DType::Bf16), 0x4049u);
    // Rounding to fp32 first would make a tie out of this and lose the last place.
    QCOMPARE(encoded(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40), DType::Fp16), 0x3c01u);
}

void TestConvert::everyCodeSurvives()
{
    for (const DType type : narrowTypes) {
        for (quint32 code = 0; code < 1u << dtypeSize(type) * 8; ++code) {
            const double v = decoded(code, type);
            if (std::isnan(v))
                QVERIFY(std::isnan(decoded(encoded(v, type), type)));
            else
                QCOMPARE(encoded(v, type), code);
        }
    }
}

void TestConvert::roundsToNearestEven()
{
    std::mt19937_64 random(7);
    for (const DType type : narrowTypes) {
        const auto values = table(type);
        const double limit = floatFormat(type).maxFinite;
        for (auto it = values.begin(); std::next(it) != values.end(); ++it) {
            const double low = it->first, high = std::next(it)->first;
            const double middle = low + (high - low) / 2;
            for (const double x :
                 {middle, std::nextafter(middle, low), std::nextafter(middle, high)}) {
                // A negative value that rounds to zero keeps its sign.
                quint32 expected = nearest(values, x);
                if (expected == 0 && std::signbit(x))
                    expected = 1u << (dtypeSize(type) * 8 - 1);
                QCOMPARE(encoded(x, type), expected);
            }
        }
        std::uniform_real_distribution<double> exponent(-45, std::log2(limit));
        for (int i = 0; i < 20000; ++i) {
            const double x = std::min(std::exp2(exponent(random)), limit);
            QCOMPARE(encoded(x, type), nearest(values, x));
        }
    }
}

void TestConvert::overflow()
{
    // Half a spacing above the largest value is where rounding to nearest leaves it.
    QCOMPARE(encoded(65519.99, DType::Fp16), 0x7bffu);
    QCOMPARE(encoded(65520.0, DType::Fp16), 0x7c00u);
    QCOMPARE(encoded(-1e300, DType::Fp16), 0xfc00u);
    QCOMPARE(encoded(464.0, DType::Fp8E4M3), 0x7eu);
    QCOMPARE(encoded(464.01, DType::Fp8E4M3), 0x7fu);
    QCOMPARE(encoded(inf, DType::Fp8E4M3), 0x7fu);
    QCOMPARE(encoded(61439.0, DType::Fp8E5M2), 0x7bu);
    QCOMPARE(encoded(61440.0, DType::Fp8E5M2), 0x7cu);
    QCOMPARE(encoded(3.4e38, DType::Bf16), 0x7f80u);
    for (const DType type :
         {DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E4M3, DType::Fp8E5M2}) {
        const double limit = floatFormat(type).maxFinite;
        QCOMPARE(decoded(encoded(1e300, type, Overflow::Saturate), type), limit);
        QCOMPARE(decoded(encoded(-inf, type, Overflow::Saturate), type),
                 type == DType::Fp32 ? -limit : -limit);
    }
    QCOMPARE(decoded(encoded(5e-324, DType::Fp16), DType::Fp16), 0.0);
}

void TestConvert::notANumber()
{
    for (const DType type :
         {DType::Fp64, DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E4M3, DType::Fp8E5M2}) {
        QVERIFY(std::isnan(roundToType(nan_, type)));
        QVERIFY(std::isnan(ulpOf(nan_, type)));
    }
    QCOMPARE(roundToType(nan_, DType::Int32), 0.0);
}

void TestConvert::integersSaturate()
{
    QCOMPARE(roundToType(1e30, DType::Int32), 2147483647.0);
    QCOMPARE(roundToType(-1e30, DType::Int8), -128.0);
    QCOMPARE(roundToType(-5, DType::UInt8), 0.0);
    QCOMPARE(roundToType(2.5, DType::Int16), 2.0);
    QCOMPARE(roundToType(3.5, DType::Int16), 4.0);
    QCOMPARE(roundToType(7, DType::Bool), 1.0);
    qint64 big = 0;
    encodeElement(1e19, DType::Int64, &big);
    QCOMPARE(big, std::numeric_limits<qint64>::max());
    encodeElement(-inf, DType::Int64, &big);
    QCOMPARE(big, std::numeric_limits<qint64>::min());
    quint64 unsignedBig = 0;
    encodeElement(18446744073709551615.0, DType::UInt64, &unsignedBig);
    QCOMPARE(unsignedBig, std::numeric_limits<quint64>::max());
}

void TestConvert::spacing()
{
    QCOMPARE(ulpOf(1.0, DType::Fp32), std::ldexp(1.0, -23));
    QCOMPARE(ulpOf(0.999, DType::Fp32), std::ldexp(1.0, -24));
    QCOMPARE(ulpOf(-2.0, DType::Fp16), std::ldexp(1.0, -9));
    QCOMPARE(ulpOf(0.0, DType::Fp16), std::ldexp(1.0, -24));
    QCOMPARE(ulpOf(1e-300, DType::Bf16), std::ldexp(1.0, -133));
    QCOMPARE(ulpOf(448, DType::Fp8E4M3), 32.0);
    QCOMPARE(ulpOf(5e-324, DType::Fp64), 5e-324);
    QCOMPARE(ulpOf(12, DType::Int32), 1.0);
}

void TestConvert::distance()
{
    for (const DType type : {DType::Fp64, DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E5M2}) {
        const double limit = floatFormat(type).maxFinite;
        QCOMPARE(ulpDistance(-0.0, 0.0, type), 0ull);
        QCOMPARE(ulpDistance(limit, inf, type), 1ull);
        QCOMPARE(ulpDistance(1.5, -1.5, type), 2 * ulpDistance(1.5, 0, type));
        QCOMPARE(ulpDistance(1.0, 1.0 + ulpOf(1.0, type), type), 1ull);
        QCOMPARE(ulpDistance(nan_, 1.0, type), std::numeric_limits<quint64>::max());
    }
    QCOMPARE(ulpDistance(-inf, inf, DType::Fp64), 2 * 0x7ff0000000000000ull);
    QCOMPARE(ulpDistance(-3, 4, DType::Int32), 7ull);
}

void TestConvert::poison()
{
    for (const DType type :
         {DType::Fp64, DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E4M3, DType::Fp8E5M2,
          DType::Int64, DType::Int32, DType::Int16, DType::Int8, DType::UInt64, DType::Bool}) {
        QByteArray buffer(5 * dtypeSize(type), '\0');
        fillPoison(buffer.data(), type, 5);
        for (int i = 0; i < 5; ++i)
            QVERIFY(isPoison(buffer.constData() + i * dtypeSize(type), type));
        if (isFloat(type))
            QVERIFY(std::isnan(decodeElement(buffer.constData(), type)));
        // What hardware makes of 0/0 is another NaN.
        encodeElement(isFloat(type) ? nan_ : 1.0, type, buffer.data());
        QVERIFY(!isPoison(buffer.constData(), type));
    }
}

QTEST_APPLESS_MAIN(TestConvert)
#include "tst_convert.moc"
