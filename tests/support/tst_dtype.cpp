// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/dtype.h"
#include "core/support/result.h"

#include <QTest>
#include <cmath>
#include <limits>

using namespace ridgeline;

namespace {

const DType all[] = {DType::Fp64,    DType::Fp32,   DType::Fp16,   DType::Bf16,   DType::Fp8E4M3,
                     DType::Fp8E5M2, DType::Int64,  DType::Int32,  DType::Int16,  DType::Int8,
                     DType::UInt8,   DType::UInt16, DType::UInt32, DType::UInt64, DType::Bool};

} // namespace

class TestDType : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unknownNames()
    {
        for (const char* name : {"", "FP32", "fp33", "fp32 ", "float8", "complex64", "tf32"})
            QVERIFY(!dtypeFromName(QString::fromLatin1(name)));
    }

    void namesRoundTrip()
    {
        for (DType type : all) {
            QCOMPARE(dtypeFromName(dtypeName(type)), std::optional<DType>(type));
            QVERIFY(dtypeSize(type) > 0);
            QVERIFY(!dtypeCudaName(type).isEmpty());
        }
        QCOMPARE(dtypeFromName(QStringLiteral("half")), std::optional<DType>(DType::Fp16));
    }

    void formatsMatchTheHost()
    {
        QCOMPARE(floatFormat(DType::Fp32).precision, std::numeric_limits<float>::digits);
        QCOMPARE(floatFormat(DType::Fp32).minExponent,
                 std::numeric_limits<float>::min_exponent - 1);
        QCOMPARE(floatFormat(DType::Fp32).maxFinite, double(std::numeric_limits<float>::max()));
        QCOMPARE(floatFormat(DType::Fp64).precision, std::numeric_limits<double>::digits);
        QCOMPARE(floatFormat(DType::Fp64).maxFinite, std::numeric_limits<double>::max());
    }

    /// maxFinite follows from precision and exponent range, e4m3 apart, which gives its last code
    /// of the top binade to NaN.
    void largestValues()
    {
        for (DType type : {DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E5M2}) {
            const FloatFormat f = floatFormat(type);
            const int top = 1 - f.minExponent;
            QCOMPARE(f.maxFinite, (2 - std::pow(2.0, 1 - f.precision)) * std::pow(2.0, top));
        }
        QCOMPARE(floatFormat(DType::Fp8E4M3).maxFinite, 448.0);
        for (DType type : {DType::Int32, DType::Bool})
            QVERIFY(!isFloat(type));
    }

    void errorsReadWell()
    {
        const Error error{ErrorCode::BadSchema,
                          QStringLiteral("m"),
                          {QStringLiteral("f"), 3, 4, QStringLiteral("/a")},
                          QStringLiteral("h")};
        QCOMPARE(error.toString(), QStringLiteral("f:3:4#/a: m (h)"));
        QCOMPARE((Error{ErrorCode::Internal, QStringLiteral("m"), {}, {}}).toString(),
                 QStringLiteral("m"));
        QCOMPARE(exitCodeFor(ErrorCode::UnsafePath), 2);
        QCOMPARE(exitCodeFor(ErrorCode::Environment), 3);
        QCOMPARE(exitCodeFor(ErrorCode::Cancelled), 1);
    }
};

QTEST_GUILESS_MAIN(TestDType)
#include "tst_dtype.moc"
