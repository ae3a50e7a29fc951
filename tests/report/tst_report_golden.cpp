// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/report_writer.h"
#include "report_fixture.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace ridgeline;

class TestReportGolden : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameAsGolden_data()
    {
        QTest::addColumn<QString>("format");
        for (const char* format : {"md", "html", "json"})
            QTest::newRow(format) << QString::fromLatin1(format);
    }
    void sameAsGolden()
    {
        QFETCH(QString, format);
        QTemporaryDir dir;
        const auto bytes = writeReport(buildReport(fixture::wholeInput(dir.path())),
                                       *reportFormatFromName(format));
        QVERIFY(bytes.ok());
        QVERIFY(!bytes->contains(dir.path().toUtf8()));
        const QString file =
            QStringLiteral(RIDGELINE_SOURCE_DIR "/tests/report/golden/softmax.report.") + format;
        if (qEnvironmentVariableIsSet("RIDGELINE_UPDATE_GOLDEN")) {
            QVERIFY(writeFileAtomically(file, *bytes).ok());
            QFAIL("golden file written: read the difference, then run again without the variable");
        }
        const auto golden = readFile(file);
        QVERIFY2(golden.ok(), golden ? "" : qPrintable(golden.error().toString()));
        const auto got = bytes->split('\n');
        const auto expected = golden->split('\n');
        for (qsizetype i = 0; i < std::min(got.size(), expected.size()); ++i)
            QVERIFY2(got[i] == expected[i],
                     QByteArray("line " + QByteArray::number(i + 1) + "\ngot      " +
                                got[i].left(300) + "\nexpected " + expected[i].left(300))
                         .constData());
        QCOMPARE(got.size(), expected.size());
    }
};

QTEST_GUILESS_MAIN(TestReportGolden)
#include "tst_report_golden.moc"
