// SPDX-License-Identifier: GPL-3.0-or-later
// The reusable views with values only: no bundle, no run, no disk but the shared example.
#include "core/roofline/hardware.h"
#include "widgets/benchmark_view.h"
#include "widgets/code_pane.h"
#include "widgets/comments_view.h"
#include "widgets/compare_view.h"
#include "widgets/findings_view.h"
#include "widgets/lexers.h"
#include "widgets/log_view.h"
#include "widgets/numerics_view.h"
#include "widgets/qcp.h"
#include "widgets/queue_model.h"
#include "widgets/roofline_view.h"
#include "widgets/rubric_model.h"
#include "widgets/runs_model.h"
#include "widgets/safe_browser.h"
#include "widgets/value_table.h"

#include <QAbstractItemModelTester>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTextBrowser>
#include <QXmlStreamReader>
#include <QtTest>

using namespace ridgeline;

namespace {

QString source(const char* relative)
{
    return QStringLiteral(RIDGELINE_SOURCE_DIR "/") + QString::fromLatin1(relative);
}

RunRecord exampleRun()
{
    const auto json = readJsonFile(source("tests/data/softmax.kresult.json"));
    return *runFromJson(*json, QStringLiteral("softmax"));
}

CodeDocument cuda(const QString& path, int lines)
{
    CodeDocument document{path, path, path, QStringLiteral("cuda"), {}, {}};
    for (int i = 1; i <= lines; ++i)
        document.text += QStringLiteral("__global__ void kernel%1(float* x); // äöü line\n").arg(i);
    return document;
}

} // namespace

class TestWidgets : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyTextColourIsReadable()
    {
        for (const ThemeTokens* tokens : {&ThemeTokens::lightSet(), &ThemeTokens::darkSet()}) {
            for (const auto& [backName, back] : tokens->backgrounds()) {
                for (const auto& [name, colour] : tokens->textColours()) {
                    const double ratio = contrastRatio(colour, back);
                    QVERIFY2(ratio >= 4.5,
                             qPrintable(QStringLiteral("%1 on %2 (%3): %4")
                                            .arg(name, backName)
                                            .arg(tokens->dark ? QStringLiteral("dark")
                                                              : QStringLiteral("light"))
                                            .arg(ratio)));
                }
            }
            QVERIFY(contrastRatio(tokens->selectionText, tokens->selection) >= 4.5);
        }
        QCOMPARE(qRound(contrastRatio(Qt::black, Qt::white)), 21);
    }

    void modelsKeepTheirPromises()
    {
        const RunRecord run = exampleRun();
        RunsModel runs;
        QAbstractItemModelTester runsTester(&runs,
                                            QAbstractItemModelTester::FailureReportingMode::QtTest);
        runs.setRun(run);
        PassRecord pass;
        pass.pass = QStringLiteral("sanitize");
        runs.updatePass(run.candidates.first().id, pass);
        pass.state = PassState::Failed;
        runs.updatePass(run.candidates.first().id, pass);
        QVERIFY(runs.rowOf(run.candidates.first().id, pass.pass) > 0);

        FindingsModel findings;
        QAbstractItemModelTester findingsTester(
            &findings, QAbstractItemModelTester::FailureReportingMode::QtTest);
        findings.setFindings(run.candidates.last().findings);
        findings.setFindings({});

        QueueModel queue;
        QAbstractItemModelTester queueTester(
            &queue, QAbstractItemModelTester::FailureReportingMode::QtTest);
        queue.put({QStringLiteral("/a"), QStringLiteral("A"), {}, {}, {}});
        queue.put({QStringLiteral("/b"), QStringLiteral("B"), {}, {}, {}});
        queue.put({QStringLiteral("/a"), QStringLiteral("A2"), {}, {}, {}});
        queue.remove(QStringLiteral("/a"));
        QCOMPARE(queue.rowCount(), 1);

        LogModel log;
        QAbstractItemModelTester logTester(&log,
                                           QAbstractItemModelTester::FailureReportingMode::QtTest);
        log.append({QStringLiteral("one"), QStringLiteral("one"), QStringLiteral("two")});
        log.flush();
        QCOMPARE(log.rowCount(), 2);

        ValueTable values;
        QAbstractItemModelTester valuesTester(
            &values, QAbstractItemModelTester::FailureReportingMode::QtTest);
        values.setTable({QStringLiteral("a")}, {{{QStringLiteral("1"), true, {}, {}}}});

        CommentsModel comments;
        QAbstractItemModelTester commentsTester(
            &comments, QAbstractItemModelTester::FailureReportingMode::QtTest);
        comments.setComments({{}, {}});
        QCOMPARE(comments.rowCount(), 2);

        RubricModel rubric;
        QAbstractItemModelTester rubricTester(
            &rubric, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto loaded = loadRubric(source("rubrics/general-kernel-task.json"));
        QVERIFY2(loaded.ok(), loaded.ok() ? "" : qPrintable(loaded.error().toString()));
        rubric.setRubric(*loaded, QStringLiteral("generate"));
        QCOMPARE(rubric.rowCount(), int(loaded->criteria.size()));
        rubric.setReview({}, {});
    }

    void logFoldsCapsAndCleans()
    {
        LogModel log;
        QStringList burst;
        for (int i = 0; i < LogModel::maxRows + 1000; ++i)
            burst.append(QString::number(i));
        log.append(burst);
        log.flush();
        QCOMPARE(log.rowCount(), LogModel::maxRows);
        QCOMPARE(log.totalLines(), qint64(burst.size()));
        QCOMPARE(log.droppedLines(), qint64(1000));
        QCOMPARE(log.lineAt(log.rowCount() - 1), burst.last());
        log.clear();
        log.append({QStringLiteral("\x1b[31merror\x1b[0m: bad\tthing\x07"),
                    QString(10000, QLatin1Char('x'))});
        log.flush();
        QCOMPARE(log.lineAt(0), QStringLiteral("error: bad    thing"));
        QCOMPARE(log.lineAt(1).size(), LogModel::maxLineLength + 1);
        QCOMPARE(log.index(0).data(LogModel::MeaningRole).toInt(), int(Meaning::Bad));
    }

    void searchSurvivesBadExpressions()
    {
        const QString text = QStringLiteral("alpha\nbeta alpha\n");
        const auto plain = findAll(text, {QStringLiteral("ALPHA"), false, false});
        QVERIFY(plain.ok());
        QCOMPARE(plain->size(), 2);
        QCOMPARE(plain->at(1).line, 1);
        QCOMPARE(findAll(text, {QStringLiteral("ALPHA"), false, true})->size(), 0);
        QCOMPARE(findAll(text, {QStringLiteral("^b.*a$"), true, true})->size(), 1);
        QCOMPARE(findAll(text, {QStringLiteral("x*"), true, true})->size(), 0); // empty matches
        QCOMPARE(findAll(text, {QStringLiteral("(a"), true, true}).error().code,
                 ErrorCode::BadSyntax);
        const QString evil = QString(40, QLatin1Char('a')) + QLatin1Char('!');
        const auto slow = findAll(evil.repeated(50), {QStringLiteral("(a+)+$"), true, true});
        QVERIFY(!slow.ok());
        QCOMPARE(slow.error().code, ErrorCode::TooLarge);
    }

    void markdownIsHarmless()
    {
        CodePane pane(QStringLiteral("Spec"));
        const QString text = QStringLiteral(
            "# Title\n\n<script>alert(1)</script>\n\n![x](http://example.invalid/x.png) `code`\n");
        pane.setDocuments(
            {{{}, {}, QStringLiteral("spec.md"), QStringLiteral("markdown"), text, {}}});
        QVERIFY(pane.isRendered());
        QVERIFY(pane.visibleText().contains(QLatin1String("<script>alert(1)</script>")));
        QVERIFY(!pane.page()
                     ->loadResource(QTextDocument::ImageResource,
                                    QUrl(QStringLiteral("http://example.invalid/x.png")))
                     .isValid());
        pane.setRendered(false);
        QCOMPARE(pane.visibleText(), text);
        pane.goToLine(3);
        QCOMPARE(pane.cursorLine(), 3);
        pane.goToLine(999);
        QVERIFY(pane.cursorLine() <= 6);
    }

    void compareLocksAndSearches()
    {
        CompareView view;
        view.resize(900, 300);
        view.pane(CompareView::Reference)->setDocuments({cuda(QStringLiteral("r.cu"), 300)});
        view.pane(CompareView::Candidate)->setDocuments({cuda(QStringLiteral("c.cu"), 300)});
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.pane(CompareView::Reference)->setFirstVisibleLine(50);
        QTRY_COMPARE(view.pane(CompareView::Candidate)->firstVisibleLine(), 50);
        view.pane(CompareView::Reference)->setHorizontalOffset(40);
        QTRY_COMPARE(view.pane(CompareView::Candidate)->horizontalOffset(), 40);
        // The offset at the time of locking is kept.
        view.setLocked(false);
        view.pane(CompareView::Candidate)->setFirstVisibleLine(60);
        QTest::qWait(50);
        QCOMPARE(view.pane(CompareView::Reference)->firstVisibleLine(), 50);
        view.setLocked(true);
        view.pane(CompareView::Reference)->setFirstVisibleLine(70);
        QTRY_COMPARE(view.pane(CompareView::Candidate)->firstVisibleLine(), 80);

        // A shorter text stops at its end and does not drag the others back.
        view.pane(CompareView::Candidate)->setDocuments({cuda(QStringLiteral("c.cu"), 40)});
        view.setLocked(false);
        view.setLocked(true);
        view.pane(CompareView::Reference)->setFirstVisibleLine(250);
        QTest::qWait(80);
        QCOMPARE(view.pane(CompareView::Reference)->firstVisibleLine(), 250);
        view.pane(CompareView::Candidate)->setDocuments({cuda(QStringLiteral("c.cu"), 300)});

        view.openSearch();
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("kernel299"));
        QCOMPARE(view.matchCount(), 2);
        QCOMPARE(view.currentMatch(), 0);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QCOMPARE(view.currentMatch(), 1);
        QCOMPARE(view.pane(CompareView::Candidate)->cursorLine(), 299);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QCOMPARE(view.matchCount(), 0);

        QVERIFY(view.showLine(QStringLiteral("c.cu"), 12));
        QCOMPARE(view.pane(CompareView::Candidate)->cursorLine(), 12);
        QVERIFY(!view.showLine(QStringLiteral("nowhere.cu"), 1));
    }

    void resultsReadOddJson()
    {
        RunRecord odd;
        PassRecord pass;
        pass.pass = QStringLiteral("correctness");
        pass.result = Json::parse(
            R"({"cases": [{"case": 7, "outputs": [{"max_abs": {"value": "nan", "index": "x"}, "count": "many"}]}, 5]})");
        odd.candidates.append({QStringLiteral("c"), CandidateVerdict::Unknown, {}, {pass}, {}});
        const auto rows = numericsRows(odd);
        QCOMPARE(rows.size(), 2);
        QVERIFY(std::isnan(*rows.first().maxAbs));
        QCOMPARE(realText(rows.first().maxAbs), QStringLiteral("nan"));
        QCOMPARE(numericsRows(exampleRun()).size() > 3, true);
        QCOMPARE(benchmarkRows(exampleRun()).first().samplesNs.size(), 20);
    }

    void emulatedTimeIsNeverPerformance()
    {
        RunRecord run = exampleRun();
        for (CandidateRun& candidate : run.candidates) {
            for (PassRecord& pass : candidate.passes) {
                if (pass.pass != QLatin1String("roofline"))
                    continue;
                for (Json& point : pass.result["points"]) {
                    point["timing_kind"] = "emulated";
                    point["time_ns"] = 1000.0;
                }
            }
        }
        for (const RooflineRow& row : rooflineOf(run).rows)
            QVERIFY(!row.timeNs);
        BenchmarkView view;
        view.setRows(benchmarkRows(exampleRun()), {});
        QVERIFY(view.badge()->text().contains(
            QLatin1String("emulator's own clock, not GPU performance")));
    }

    void rooflineFrameIsTheDevices()
    {
        const auto table = loadHardware();
        QVERIFY2(table.ok(), table.ok() ? "" : qPrintable(table.error().toString()));
        RooflineView view;
        view.resize(900, 400);
        view.setHardware(*table);
        RooflineRun run = rooflineOf(exampleRun());
        view.setRun(run);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.device(), QStringLiteral("a100-80-sxm"));
        QVERIFY(view.marks().size() >= 6);
        const RooflineFrame frame = frameOf(*table->device(view.device()));
        // Ten thousand times the work moves points, never the frame.
        for (RooflineRow& row : run.rows)
            row.flops *= 1e4;
        view.setRun(run);
        QCOMPARE(frameOf(*table->device(view.device())), frame);
        for (const RooflineMark& mark : view.marks()) {
            QVERIFY(mark.x >= frame.xMin && mark.x <= frame.xMax);
            QVERIFY(mark.y >= frame.yMin && mark.y <= frame.yMax);
            QVERIFY(!mark.point.achievedGflops);
        }
    }

    void rooflineKeyboardHoverAndExport()
    {
        RooflineView view;
        view.resize(900, 400);
        view.setHardware(*loadHardware());
        view.setRun(rooflineOf(exampleRun()));
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* plot = static_cast<QWidget*>(view.plot());
        plot->setFocus();
        QTest::keyClick(plot, Qt::Key_Right);
        QCOMPARE(view.currentMark(), 0);
        QTest::keyClick(plot, Qt::Key_Right);
        QCOMPARE(view.currentMark(), 1);
        QCOMPARE(view.table()->currentIndex().row(), 1);
        QVERIFY(view.details()->text().contains(QLatin1String("FLOP/byte")));
        QTest::keyClick(plot, Qt::Key_Left);
        QTest::keyClick(plot, Qt::Key_Left);
        QCOMPARE(view.currentMark(), int(view.marks().size()) - 1);
        QTest::mouseClick(plot, Qt::LeftButton, {}, view.pixelOf(0).toPoint());
        QVERIFY(view.currentMark() >= 0);
        QVERIFY(QLineF(view.pixelOf(view.currentMark()), view.pixelOf(0)).length() < 15);

        const QByteArray svg = view.render(PlotFormat::Svg);
        QXmlStreamReader xml(svg);
        int elements = 0;
        while (!xml.atEnd())
            elements += xml.readNext() == QXmlStreamReader::StartElement;
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(elements > 20);
        QVERIFY(svg.contains("arithmetic intensity"));
        const QImage png = QImage::fromData(view.render(PlotFormat::Png), "PNG");
        QCOMPARE(png.size(), QSize(1920, 1200));
        QVERIFY(png.pixelColor(5, 5) == QColor(Qt::white));
        QVERIFY(view.render(PlotFormat::Pdf).startsWith("%PDF"));
    }

    void dismissalNeedsAReason()
    {
        FindingsView view;
        Finding finding;
        finding.id = QStringLiteral("a/b/c/1");
        finding.title = QStringLiteral("<b>bold</b> claim");
        finding.location = SourceRange{QStringLiteral("files/x.cu"), 12, 14, {}};
        view.setFindings({finding}, true);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QSignalSpy decided(&view, &FindingsView::decided);
        QSignalSpy located(&view, &FindingsView::locationActivated);
        QTest::keyClick(view.table(), Qt::Key_Return);
        view.dismiss();
        QCOMPARE(decided.count(), 0);
        QTest::keyClicks(view.reasonEdit(), QStringLiteral("not so"));
        view.dismiss();
        QCOMPARE(decided.count(), 1);
        QCOMPARE(decided.first().at(2).toString(), QStringLiteral("not so"));
        const QRect cell = view.table()->visualRect(view.table()->model()->index(0, 3));
        QTest::mouseClick(view.table()->viewport(), Qt::LeftButton, {}, cell.center());
        QVERIFY(located.count() >= 1);
        QCOMPARE(located.last().at(1).toInt(), 12);
    }

    void languagesAreKnown()
    {
        QCOMPARE(languageOfFile(QStringLiteral("a/b.cu")), QStringLiteral("cuda"));
        QCOMPARE(languageOfFile(QStringLiteral("a/b.ptx")), QStringLiteral("ptx"));
        QCOMPARE(languageOfFile(QStringLiteral("README")), QString());
        CodePane pane(QStringLiteral("Artefact"));
        pane.setDocuments({{{},
                            {},
                            QStringLiteral("k.ptx"),
                            QStringLiteral("ptx"),
                            QStringLiteral("/* block\n comment */ .visible .entry k( // line\n$L1: "
                                           "add.f32 %f1, %f2, 0f3F800000;\n\"text"),
                            {}}});
        pane.show();
        QVERIFY(QTest::qWaitForWindowExposed(&pane));
        QVERIFY(!pane.grab().isNull());
    }
};

QTEST_MAIN(TestWidgets)
#include "tst_widgets.moc"
