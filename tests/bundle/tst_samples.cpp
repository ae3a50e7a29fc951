// SPDX-License-Identifier: GPL-3.0-or-later
// Every sample bundle is valid by the C++ validator and by the published schema, says what each
// candidate is, and comes out of a load and save with the bytes it went in with.
#include "core/bundle/bundle.h"
#include "core/support/paths.h"
#include "schema_check.h"

#include <QDir>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace ridgeline;

namespace {

QString samplesDir()
{
    return QStringLiteral(RIDGELINE_SOURCE_DIR "/resources/samples");
}

QStringList sampleNames()
{
    return QDir(samplesDir()).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
}

} // namespace

class TestSamples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void each_data()
    {
        QTest::addColumn<QString>("name");
        for (const QString& name : sampleNames())
            QTest::newRow(qPrintable(name)) << name;
    }

    void each()
    {
        QFETCH(QString, name);
        const QString dir = samplesDir() + QLatin1Char('/') + name;
        const auto json = readJsonFile(dir + QStringLiteral("/kbundle.json"));
        QVERIFY2(json.ok(), json ? "" : qPrintable(json.error().toString()));
        const SchemaCheck schema(
            QStringLiteral(RIDGELINE_SOURCE_DIR "/resources/schema/kbundle-1.schema.json"));
        const QStringList complaints = schema.complaints(*json);
        QVERIFY2(complaints.isEmpty(), qPrintable(complaints.join(QLatin1Char(0x0a))));
        for (const Error& error : validateBundle(*json, dir))
            qWarning("%s", qPrintable(error.toString()));
        QVERIFY(validateBundle(*json, dir).isEmpty());

        const auto bundle = loadBundle(dir);
        QVERIFY2(bundle.ok(), bundle ? "" : qPrintable(bundle.error().toString()));
        QCOMPARE(bundle->id, name);
        QCOMPARE(bundle->warnings, QStringList());
        QCOMPARE(int(bundle->status), int(BundleStatus::Ready));
        QVERIFY(!bundle->specFile.isEmpty());
        QVERIFY(bundleToJson(*bundle) == *json);

        QSet<int> expectations;
        for (const Candidate& candidate : bundle->candidates) {
            QVERIFY(candidate.expected != Expected::Unknown);
            expectations.insert(int(candidate.expected));
        }
        QVERIFY(expectations.contains(int(Expected::Correct)));
        QVERIFY(expectations.contains(int(Expected::Wrong)));
    }

    void savingUnchangedKeepsTheBytes()
    {
        for (const QString& name : sampleNames()) {
            const auto before =
                readFile(samplesDir() + QLatin1Char('/') + name + QStringLiteral("/kbundle.json"));
            QVERIFY(before.ok());
            const auto bundle = loadBundle(samplesDir() + QLatin1Char('/') + name);
            QVERIFY(bundle.ok());
            QTemporaryDir temporary;
            Bundle copy = *bundle;
            copy.dir = temporary.path();
            for (const BundleFile& file : bundle->files) {
                const QString to = copy.absolute(file.path);
                QVERIFY(QDir().mkpath(QFileInfo(to).path()));
                QVERIFY(QFile::copy(bundle->absolute(file.path), to));
            }
            const auto saved = saveBundle(copy);
            QVERIFY2(saved.ok(), saved ? "" : qPrintable(saved.error().toString()));
            // Layout and number spelling aside, which JSON does not carry, nothing may differ.
            const auto reread = readJsonFile(copy.absolute(QStringLiteral("kbundle.json")));
            QVERIFY(reread.ok());
            QCOMPARE(toJsonBytes(*reread), toJsonBytes(*parseJson(*before, name)));
        }
    }
};

QTEST_GUILESS_MAIN(TestSamples)
#include "tst_samples.moc"
