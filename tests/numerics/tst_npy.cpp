// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/npy.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <random>

using namespace ridgeline;

namespace {

QByteArray file(const QByteArray& header, const QByteArray& data, int version = 1)
{
    QByteArray bytes("\x93NUMPY", 6);
    bytes += char(version);
    bytes += char(0);
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
        bytes += char(header.size() >> (8 * i) & 0xff);
    return bytes + header + data;
}

QByteArray dictionary(const char* descr, const char* order, const char* shape)
{
    return QByteArray("{'descr': '") + descr + "', 'fortran_order': " + order +
           ", 'shape': " + shape + ", }\n";
}

const QByteArray sixInts = [] {
    QByteArray data;
    for (qint32 i = 0; i < 6; ++i)
        data.append(reinterpret_cast<const char*>(&i), 4);
    return data;
}();

QVector<qint32> ints(const QByteArray& data)
{
    QVector<qint32> values(data.size() / 4);
    std::memcpy(values.data(), data.constData(), std::size_t(data.size()));
    return values;
}

const QString name = QStringLiteral("a.npy");

} // namespace

class TestNpy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hostile_data();
    void hostile();
    void missingFiles();
    void numpysOwnBytes();
    void versions();
    void fortranOrder();
    void scalarsAndEmpty();
    void everyTypeSurvives();
    void rawTypes();
    void mutations();
};

void TestNpy::hostile_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("reason");
    const QByteArray good = dictionary("<i4", "False", "(2, 3)");
    const auto row = [](const char* title, const QByteArray& bytes, const char* reason) {
        QTest::newRow(title) << bytes << QString::fromLatin1(reason);
    };
    row("empty", {}, "no NPY file");
    row("text", "hello, world, this is text", "no NPY file");
    row("magic only", QByteArray("\x93NUMPY", 6), "ends inside");
    row("version 9", file(good, sixInts, 9), "version");
    row("short header", file(good, sixInts).left(40), "ends inside");
    row("huge header", QByteArray("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12) + "{}", "limit");
    row("no dictionary", file("[1, 2]", sixInts), "does not start");
    row("code", file("{'descr': __import__('os'), 'fortran_order': False, 'shape': (6,)}", sixInts),
        "descr");
    row("structured",
        file("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (6,)}", sixInts),
        "structured");
    row("unknown key",
        file("{'descr': '<i4', 'fortran_order': False, 'shape': (6,), 'x': 1}", sixInts),
        "unknown");
    row("key twice",
        file("{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (6,)}", sixInts),
        "twice");
    row("key missing", file("{'descr': '<i4', 'shape': (6,)}", sixInts), "must all be there");
    row("behind", file(good + "x", sixInts), "behind");
    row("big endian", file(dictionary(">i4", "False", "(2, 3)"), sixInts), "big-endian");
    row("complex", file(dictionary("<c8", "False", "(3,)"), sixInts), "not supported");
    row("object", file(dictionary("|O", "False", "(3,)"), sixInts), "not supported");
    row("unicode", file(dictionary("<U6", "False", "(1,)"), sixInts), "not supported");
    row("raw", file(dictionary("|V2", "False", "(12,)"), sixInts), "raw bytes");
    row("negative", file(dictionary("<i4", "False", "(-1, 3)"), sixInts), "shape");
    row("overflowing size", file(dictionary("<i4", "False", "(99999999999999999999,)"), sixInts),
        "shape");
    row("overflowing product",
        file(dictionary("<i4", "False", "(4611686018427387904, 4)"), sixInts), "overflows");
    row("absurd", file(dictionary("<i4", "False", "(1000000000000,)"), sixInts), "limit");
    row("too short", file(dictionary("<i4", "False", "(2, 4)"), sixInts), "needs 32 bytes");
    row("too long", file(dictionary("<i4", "False", "(2, 2)"), sixInts), "needs 16 bytes");
    row("many dimensions",
        file(dictionary("<i4", "False", ("(" + QByteArray("1,").repeated(65) + ")").constData()),
             sixInts.left(4)),
        "shape");
    row("no tuple", file(dictionary("<i4", "False", "6"), sixInts), "shape");
    row("unclosed", file("{'descr': '<i4", sixInts), "descr");
}

void TestNpy::hostile()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, reason);
    const auto array = parseNpy(bytes, name);
    QVERIFY(!array.ok());
    QCOMPARE(array.error().where.file, name);
    QVERIFY2(array.error().message.contains(reason), qPrintable(array.error().message));
}

void TestNpy::missingFiles()
{
    QTemporaryDir dir;
    QCOMPARE(readNpy(dir.filePath(name)).error().code, ErrorCode::NotFound);
    QCOMPARE(readNpy(dir.path()).error().code, ErrorCode::Unreadable);
    NpyLimits small;
    small.maxBytes = 10;
    small.maxHeaderBytes = 100;
    QVERIFY(writeNpy(dir.filePath(name), {DType::Int32, {100}, QByteArray(400, 'x'), false}).ok());
    QCOMPARE(readNpy(dir.filePath(name), {}, small).error().code, ErrorCode::TooLarge);
    QVERIFY(readNpy(dir.filePath(name)).ok());
}

void TestNpy::numpysOwnBytes()
{
    // numpy.save of numpy.arange(3, dtype='<f2'), as NumPy 1.24 writes it: 128 bytes of header.
    QByteArray bytes("\x93NUMPY\x01\0\x76\0", 10);
    bytes += QByteArray("{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }")
                 .leftJustified(117, ' ') +
             '\n';
    bytes += QByteArray("\0\0\0\x3c\0\x40", 6);
    const auto array = parseNpy(bytes, name);
    QVERIFY(array.ok());
    QCOMPARE(array->dtype, DType::Fp16);
    QCOMPARE(array->shape, QVector<qint64>{3});
    QCOMPARE(npyBytes(*array).right(6), bytes.right(6));
    QCOMPARE(npyBytes(*array).size() % 64, 6);
}

void TestNpy::versions()
{
    for (const int version : {1, 2, 3})
        QCOMPARE(
            ints(
                parseNpy(file(dictionary("<i4", "False", "(2, 3)"), sixInts, version), name)->data),
            (QVector<qint32>{0, 1, 2, 3, 4, 5}));
    QCOMPARE(
        parseNpy(file("{\"shape\":(6L,),\"fortran_order\":False,\"descr\":\"=i4\"}", sixInts), name)
            ->shape,
        QVector<qint64>{6});
}

void TestNpy::fortranOrder()
{
    const auto two = parseNpy(file(dictionary("<i4", "True", "(2, 3)"), sixInts), name);
    QCOMPARE(ints(two->data), (QVector<qint32>{0, 2, 4, 1, 3, 5}));
    const auto three = parseNpy(file(dictionary("<i4", "True", "(1, 2, 3)"), sixInts), name);
    QCOMPARE(ints(three->data), (QVector<qint32>{0, 2, 4, 1, 3, 5}));
    // What was read is written back as it was.
    QCOMPARE(parseNpy(npyBytes(*two), name)->data, two->data);
    QVERIFY(npyBytes(*two).endsWith(sixInts));
    NpyArray cube{DType::Int8, {3, 4, 5}, QByteArray(60, '\0'), true};
    for (int i = 0; i < 60; ++i)
        cube.data[i] = char(i);
    QCOMPARE(*parseNpy(npyBytes(cube), name), cube);
}

void TestNpy::scalarsAndEmpty()
{
    const auto scalar = parseNpy(file(dictionary("<i4", "False", "()"), sixInts.left(4)), name);
    QVERIFY(scalar.ok());
    QCOMPARE(scalar->count(), 1);
    const auto none =
        parseNpy(file(dictionary("<f8", "True", "(0, 9223372036854775807)"), {}), name);
    QVERIFY(none.ok());
    QCOMPARE(none->count(), 0);
}

void TestNpy::everyTypeSurvives()
{
    QTemporaryDir dir;
    for (const DType type :
         {DType::Fp64, DType::Fp32, DType::Fp16, DType::Int64, DType::Int32, DType::Int16,
          DType::Int8, DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64, DType::Bool}) {
        const NpyArray array{type, {2, 2}, QByteArray(4 * dtypeSize(type), '\x01'), false};
        QVERIFY(writeNpy(dir.filePath(name), array).ok());
        QCOMPARE(*readNpy(dir.filePath(name)), array);
    }
}

void TestNpy::rawTypes()
{
    for (const DType type : {DType::Bf16, DType::Fp8E4M3, DType::Fp8E5M2}) {
        const NpyArray array{type, {4}, QByteArray(4 * dtypeSize(type), '\x11'), false};
        QVERIFY(!parseNpy(npyBytes(array), name).ok());
        QCOMPARE(*parseNpy(npyBytes(array), name, type), array);
        QVERIFY(!parseNpy(npyBytes(array), name, DType::Fp64).ok());
    }
}

void TestNpy::mutations()
{
    std::mt19937 random(9);
    const QByteArray good = file(dictionary("<i4", "True", "(2, 3)"), sixInts);
    int accepted = 0;
    for (int i = 0; i < 20000; ++i) {
        QByteArray bytes = good;
        for (int edits = int(random() % 4); edits >= 0; --edits)
            bytes[qsizetype(random() % quint32(bytes.size()))] = char(random());
        if (random() % 4 == 0)
            bytes.truncate(qsizetype(random() % quint32(bytes.size())));
        const auto array = parseNpy(bytes, name);
        if (array.ok()) {
            ++accepted;
            qint64 count = 1;
            for (const qint64 n : array->shape)
                count *= n;
            QCOMPARE(array->data.size(), count * dtypeSize(array->dtype));
        }
    }
    QVERIFY(accepted > 0 && accepted < 20000);
}

QTEST_APPLESS_MAIN(TestNpy)
#include "tst_npy.moc"
