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

class TestSampleBundles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thereAreSamplesOfEveryTaskType()
    {
        QSet<QString> types;
        bool cheat = false;
        bool process = false;
        for (const QString& name : sampleNames()) {
            const auto bundle = loadBundle(samplesDir() + QLatin1Char('/') + name);
            QVERIFY(bundle.ok());
            types.insert(taskTypeName(bundle->taskType));
            process = process || bundle->signature.callStyle == CallStyle::Process;
            for (const Candidate& candidate : bundle->candidates)
                cheat = cheat || candidate.expected == Expected::Cheat;
        }
        QCOMPARE(types.size(), 6);
        QVERIFY(cheat);
        QVERIFY(process);
    }

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

    /// The worked example of core/bundle/README.md is a bundle.
    void readmeExample()
    {
        const auto readme = readFile(QStringLiteral(RIDGELINE_SOURCE_DIR "/core/bundle/README.md"));
        QVERIFY(readme.ok());
        const qsizetype begin = readme->indexOf("```json\n") + 8;
        const QByteArray text = readme->mid(begin, readme->indexOf("```", begin) - begin);
        QTemporaryDir dir;
        QVERIFY(QDir(dir.path()).mkpath(QStringLiteral("files")));
        for (const char* name : {"kbundle.json", "files/reference.cpp", "files/plain.cu"}) {
            QFile file(dir.path() + QLatin1Char('/') + QString::fromLatin1(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        }
        const auto bundle = loadBundle(dir.path());
        QVERIFY2(bundle.ok(), bundle ? "" : qPrintable(bundle.error().toString()));
        QVERIFY(bundle->status == BundleStatus::Ready);
        const SchemaCheck schema(
            QStringLiteral(RIDGELINE_SOURCE_DIR "/resources/schema/kbundle-1.schema.json"));
        QCOMPARE(schema.complaints(bundle->raw), QStringList());
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

QTEST_GUILESS_MAIN(TestSampleBundles)
#include "tst_sample_bundles.moc"
