// SPDX-License-Identifier: GPL-3.0-or-later
// ridgeline report and ridgeline rubric as a script sees them: exit codes and files.
#include "app/cli/commands.h"
#include "core/review/review_store.h"
#include "core/support/paths.h"

#include <QDir>
#include <QDirIterator>
#include <QGuiApplication>
#include <QTemporaryDir>
#include <QtTest>

using namespace ridgeline;

namespace {

const QString root = QStringLiteral(RIDGELINE_SOURCE_DIR);

} // namespace

class TestReportCommand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("XDG_DATA_HOME", m_dir->filePath(QStringLiteral("data")).toUtf8());
        m_bundle = m_dir->filePath(QStringLiteral("bundle"));
        // A bundle of its own, so that a report finds no reviews of anybody.
        const QString sample = root + QStringLiteral("/resources/samples/row-softmax");
        QDirIterator files(sample, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString target = m_bundle + files.next().mid(sample.size());
            QVERIFY(QDir().mkpath(QFileInfo(target).path()));
            // Results and reviews of whoever tried the sample stay behind.
            if (!target.contains(QStringLiteral("/results/")) &&
                !target.contains(QStringLiteral("/reviews/")))
                QVERIFY(QFile::copy(files.filePath(), target));
        }
        m_out = m_dir->filePath(QStringLiteral("out/deep"));
    }

    void badUsageIsTwo_data()
    {
        QTest::addColumn<QStringList>("args");
        const auto row = [](const char* name, const QStringList& args) {
            QTest::newRow(name) << args;
        };
        row("nothing", {});
        row("two bundles", {QStringLiteral("a"), QStringLiteral("b")});
        row("unknown option", {QStringLiteral("a"), QStringLiteral("--colour")});
        row("no such bundle", {QStringLiteral("/nowhere")});
        row("format",
            {QStringLiteral("BUNDLE"), QStringLiteral("--format"), QStringLiteral("md,doc")});
        row("no format",
            {QStringLiteral("BUNDLE"), QStringLiteral("--format"), QStringLiteral(",")});
        row("run",
            {QStringLiteral("BUNDLE"), QStringLiteral("--run"), QStringLiteral("/nowhere.json")});
        row("reviewer",
            {QStringLiteral("BUNDLE"), QStringLiteral("--reviewer"), QStringLiteral("Nobody")});
        row("candidate",
            {QStringLiteral("BUNDLE"), QStringLiteral("--candidate"), QStringLiteral("nobody")});
    }
    void badUsageIsTwo()
    {
        QFETCH(QStringList, args);
        args.replaceInStrings(QStringLiteral("BUNDLE"), m_bundle);
        QCOMPARE(reportCommand(args + QStringList{QStringLiteral("-o"), m_out}), 2);
        QVERIFY(!QDir(m_out).exists() || QDir(m_out).isEmpty());
    }

    void emptyBundleWritesEveryFormat()
    {
        QCOMPARE(reportCommand({m_bundle, QStringLiteral("--format"),
                                QStringLiteral("md,html,pdf,odt,docx,json"), QStringLiteral("-o"),
                                m_out}),
                 0);
        QCOMPARE(QDir(m_out).entryList(QDir::Files).size(), 6);
        const auto json = readJsonFile(m_out + QStringLiteral("/row-softmax.report.json"));
        QVERIFY(json.ok());
        QVERIFY(jsonMember(*json, "candidates").empty());
        QVERIFY(jsonMember(jsonMember(*json, "review"), "total").is_null());
    }

    void newestRunAndReviewAreTaken()
    {
        auto run = *readJsonFile(root + QStringLiteral("/tests/data/softmax.kresult.json"));
        QDir().mkpath(m_bundle + QStringLiteral("/results"));
        const QString results = m_bundle + QStringLiteral("/results/");
        run["device"] = "old";
        QVERIFY(writeFileAtomically(results + QStringLiteral("20261130T000000Z-x.kresult.json"),
                                    toJsonBytes(run))
                    .ok());
        run["device"] = "new";
        QVERIFY(writeFileAtomically(results + QStringLiteral("20261201T000000Z-x.kresult.json"),
                                    toJsonBytes(run))
                    .ok());
        QVERIFY(
            writeFileAtomically(results + QStringLiteral("20261202T000000Z-x.kresult.json"), "{")
                .ok());
        {
            auto store =
                ReviewStore::open(m_bundle, QStringLiteral("row-softmax"), QStringLiteral("Ada"),
                                  *findRubric(QStringLiteral("general-kernel-task")));
            QVERIFY(store.ok());
            QVERIFY((*store)->setScore(QStringLiteral("scope"), 4).ok());
        }
        QCOMPARE(reportCommand({m_bundle, QStringLiteral("--format"), QStringLiteral("json"),
                                QStringLiteral("-o"), m_out, QStringLiteral("--reviewer"),
                                QStringLiteral("Ada")}),
                 1);
        const auto json = readJsonFile(m_out + QStringLiteral("/row-softmax.report.json"));
        QCOMPARE(jsonString(jsonMember(*json, "run"), "device"), QStringLiteral("new"));
        QCOMPARE(jsonString(jsonMember(*json, "review"), "reviewer"), QStringLiteral("Ada"));
        QCOMPARE(jsonNumber(jsonMember(*json, "review"), "total"), 4.0);
        QVERIFY(QString::fromUtf8(toJsonBytes(jsonMember(*json, "missing")))
                    .contains(QStringLiteral("later run could not be read")));
    }

    void runsKeptInTheUsersFolderAreFound()
    {
        const auto run = *readJsonFile(root + QStringLiteral("/tests/data/softmax.kresult.json"));
        const QString folder = dataDir() + QStringLiteral("/results/row-softmax");
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(writeFileAtomically(folder + QStringLiteral("/20261201T000000Z-x.kresult.json"),
                                    toJsonBytes(run))
                    .ok());
        QCOMPARE(reportCommand({m_bundle, QStringLiteral("-o"), m_out}), 1);
        QVERIFY(readFile(m_out + QStringLiteral("/row-softmax.report.md"))->contains("unshifted"));
    }

    void rubricCheckHasItsCodes()
    {
        const QString good = root + QStringLiteral("/rubrics/general-kernel-task.json");
        const QString bad = m_dir->filePath(QStringLiteral("bad.json"));
        QVERIFY(writeFileAtomically(bad, "{\"schema\": \"krubric/1\"}").ok());
        QCOMPARE(rubricCommand({QStringLiteral("check"), good}), 0);
        QCOMPARE(rubricCommand({QStringLiteral("check"), good, bad}), 2);
        QCOMPARE(rubricCommand({QStringLiteral("check"), QStringLiteral("/nowhere")}), 2);
        QCOMPARE(rubricCommand({QStringLiteral("check")}), 2);
        QCOMPARE(rubricCommand({}), 2);
        QCOMPARE(rubricCommand({QStringLiteral("list")}), 0);
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_bundle;
    QString m_out;
};

QTEST_MAIN(TestReportCommand)
#include "tst_report_command.moc"
