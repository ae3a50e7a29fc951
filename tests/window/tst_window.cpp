// SPDX-License-Identifier: GPL-3.0-or-later
// The real window, driven by keys and the mouse, with a fake runner where a run is needed.
#include "app/window/actions.h"
#include "app/window/main_window.h"
#include "core/support/json.h"
#include "widgets/command_palette.h"
#include "widgets/comments_view.h"
#include "widgets/compare_view.h"
#include "widgets/findings_view.h"
#include "widgets/log_view.h"
#include "widgets/queue_view.h"
#include "widgets/rubric_form.h"
#include "widgets/runs_view.h"

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QDirIterator>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

using namespace ridgeline;

namespace {

/// Runs nothing: the test says what happens and when.
class FakeRunner final : public Runner {
public:
    QStringList passes() const override { return {QStringLiteral("compile")}; }
    bool start(const RunOrder& order) override
    {
        if (running)
            return false;
        running = true;
        orders.append(order);
        return true;
    }
    void cancel() override { ++cancels; }
    bool isRunning() const override { return running; }
    MachineReport inspectMachine() const override
    {
        return {{{QStringLiteral("cuda:0"),
                  QStringLiteral("GPU"),
                  {},
                  false,
                  QStringLiteral("no driver"),
                  QStringLiteral("install it")},
                 {QStringLiteral("emulated-cuda"), QStringLiteral("Emulated"), {}, true, {}, {}}},
                {{QStringLiteral("CUDA compiler"), QStringLiteral("not found"),
                  QStringLiteral("compiling"), QStringLiteral("ridgeline setup cuda")}}};
    }
    void finish(const RunRecord& record)
    {
        running = false;
        Q_EMIT finished(record);
    }

    bool running = false;
    int cancels = 0;
    QVector<RunOrder> orders;
};

bool copyTree(const QString& from, const QString& to)
{
    QDirIterator it(from, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        const QString file = it.next();
        const QString relative = QDir(from).relativeFilePath(file);
        if (relative.startsWith(QLatin1String("results/")) ||
            relative.startsWith(QLatin1String("reviews/")))
            continue;
        const QString target = to + QLatin1Char('/') + relative;
        QDir().mkpath(QFileInfo(target).path());
        if (!QFile::copy(file, target))
            return false;
        QFile::setPermissions(target, QFile::permissions(target) | QFile::WriteOwner);
    }
    return true;
}

} // namespace

class TestWindow : public QObject {
    Q_OBJECT

    struct Window {
        std::unique_ptr<MainWindow> window;
        FakeRunner* runner = nullptr;
        MainWindow* operator->() const { return window.get(); }
    };

    Window open(const QStringList& bundles)
    {
        auto runner = std::make_unique<FakeRunner>();
        Window w;
        w.runner = runner.get();
        WindowOptions options;
        options.settingsFile = m_dir->filePath(QStringLiteral("window.ini"));
        options.reviewer = QStringLiteral("tester");
        options.samplesOnFirstStart = false;
        w.window = std::make_unique<MainWindow>(std::move(runner), options);
        w->resize(1500, 900);
        w->restoreSession();
        w->openBundles(bundles);
        w->show();
        (void)QTest::qWaitForWindowActive(w.window.get());
        (void)QTest::qWaitFor([&w] { return w->isIdle(); }, 20000);
        return w;
    }

    RunRecord softmaxRun() const
    {
        const auto json =
            readJsonFile(QStringLiteral(RIDGELINE_SOURCE_DIR "/tests/data/softmax.kresult.json"));
        return *runFromJson(*json, QStringLiteral("softmax"));
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_bundle;

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("XDG_DATA_HOME", m_dir->filePath(QStringLiteral("data")).toUtf8());
        m_bundle = m_dir->filePath(QStringLiteral("row-softmax"));
        QVERIFY(copyTree(QStringLiteral(RIDGELINE_SOURCE_DIR "/resources/samples/row-softmax"),
                         m_bundle));
    }

    void showsScoresAndRestores()
    {
        QString criterion;
        {
            Window w = open({m_bundle});
            QVERIFY(w->currentBundle() && !w->currentBundle()->error);
            for (const auto column :
                 {CompareView::Spec, CompareView::Reference, CompareView::Candidate})
                QVERIFY(!w->compare()->pane(column)->visibleText().isEmpty());
            QVERIFY(w->currentBundle()->review);
            criterion = w->rubric()->currentCriterion();
            w->compare()->pane(CompareView::Candidate)->focusTarget()->setFocus();
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_4);
            QCOMPARE(*w->currentBundle()->review->review().scores.value(criterion).score, 4);
            QVERIFY(w->rubric()->currentCriterion() != criterion); // went on by itself
            // A digit in a text field is text.
            w->rubric()->focusComment();
            const QString second = w->rubric()->currentCriterion();
            QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("3 reasons c n /"));
            QCOMPARE(w->rubric()->commentEdit()->toPlainText(), QStringLiteral("3 reasons c n /"));
            QVERIFY(!w->currentBundle()->review->review().scores.value(second).score);
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
            QCOMPARE(w->currentBundle()->review->review().scores.value(second).comment,
                     QStringLiteral("3 reasons c n /"));
            // A score that needs words stays where it is until there are some.
            w->rubric()->setCurrentCriterion(criterion);
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_1);
            QCOMPARE(w->rubric()->currentCriterion(), criterion);
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
            QCOMPARE(*w->currentBundle()->review->review().scores.value(criterion).score, 4);
            QVERIFY(w->currentBundle()->review->flush());
            QTRY_VERIFY(w->rubric()->savedLabel()->text().startsWith(QLatin1String("saved ")));
            w->close();
        }
        bool journalHoldsIt = false;
        QDirIterator it(m_bundle + QStringLiteral("/reviews"), QDir::Files);
        while (it.hasNext()) {
            QFile file(it.next());
            if (file.open(QIODevice::ReadOnly))
                journalHoldsIt = journalHoldsIt || file.readAll().contains("3 reasons");
        }
        QVERIFY(journalHoldsIt);
        Window again = open({});
        QCOMPARE(again->currentDir(), Workspace::keyFor(m_bundle)); // the session remembers
        QVERIFY(again->currentBundle()->review);
        QCOMPARE(*again->currentBundle()->review->review().scores.value(criterion).score, 4);
    }

    void anotherRubricKeepsItsOwnScores()
    {
        // One's own rubric joins the shipped ones by lying in the data folder.
        Json json =
            *readJsonFile(QStringLiteral(RIDGELINE_SOURCE_DIR "/rubrics/general-kernel-task.json"));
        json["id"] = "house-rules";
        json["title"] = "House rules";
        const QString folder = m_dir->filePath(QStringLiteral("data/ridgeline/rubrics"));
        QVERIFY(QDir().mkpath(folder));
        QFile file(folder + QStringLiteral("/house.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(json.dump()));
        file.close();
        {
            Window w = open({m_bundle});
            const QString criterion = w->rubric()->currentCriterion();
            w->rubric()->scoreCurrent(2);
            QAction* house = nullptr;
            for (QAction* action : w->rubric()->rubricButton()->menu()->actions()) {
                if (action->data().toString() == QLatin1String("house-rules"))
                    house = action;
            }
            QVERIFY(house);
            house->trigger();
            QTRY_VERIFY(w->isIdle() && w->currentBundle()->review);
            QCOMPARE(w->currentBundle()->review->rubric().id, QStringLiteral("house-rules"));
            QVERIFY(!w->currentBundle()->review->isReadOnly());
            QVERIFY(!w->currentBundle()->review->review().scores.value(criterion).score);
            w->rubric()->setCurrentCriterion(criterion);
            w->rubric()->scoreCurrent(4);
        }
        Window again = open({m_bundle}); // the one scored last opens
        ReviewStore* store = again->currentBundle()->review.get();
        QVERIFY(store);
        QCOMPARE(store->rubric().id, QStringLiteral("house-rules"));
        const QString first = store->rubric().criteria.first().id;
        QCOMPARE(*store->review().scores.value(first).score, 4);
        again->workspace().setRubric(m_bundle, QStringLiteral("general-kernel-task"));
        QTRY_VERIFY(again->isIdle() && again->currentBundle()->review);
        QCOMPARE(*again->currentBundle()->review->review().scores.value(first).score, 2);
    }

    void runsCancelsAndClosesWithoutBlocking()
    {
        Window w = open({m_bundle});
        QTest::keyClick(w.window.get(), Qt::Key_F5);
        QCOMPARE(w.runner->orders.size(), 1);
        QVERIFY(w.runner->orders.first().passes.isEmpty());
        QTest::keyClick(w.window.get(), Qt::Key_F5); // one run at a time
        QCOMPARE(w.runner->orders.size(), 1);
        Q_EMIT w.runner->logLines({}, {}, {QStringLiteral("hello from nvcc")});
        QTRY_COMPARE(w->runs()->log()->model()->rowCount(), 1);
        QTest::keyClick(w.window.get(), Qt::Key_Escape);
        QCOMPARE(w.runner->cancels, 1);
        w->close();
        QVERIFY(w->isVisible()); // waits for the run without blocking
        w.runner->finish(softmaxRun());
        QTRY_VERIFY(!w->isVisible());
        QCOMPARE(w->runs()->model()->rowCount() > 4, true);
    }

    void findingsLeadToLinesAndAreDecided()
    {
        Window w = open({m_bundle});
        const QString file = w->compare()->pane(CompareView::Candidate)->documents().first().path;
        RunRecord run = softmaxRun();
        Finding finding;
        finding.id = QStringLiteral("c/audit/A01/1");
        finding.title = QStringLiteral("suspicious");
        finding.severity = Severity::High;
        finding.location = SourceRange{file, 7, 9, {}};
        run.candidates.first().findings = {finding};
        w->workspace().setRun(w->currentDir(), run);
        QTest::keyClick(w.window.get(), Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(w->tabs()->currentIndex(), int(MainWindow::FindingsTab));
        w->findings()->select(finding.id);
        QTableView* table = w->findings()->table();
        const QRect cell = table->visualRect(table->model()->index(table->currentIndex().row(), 3));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
        QCOMPARE(w->compare()->pane(CompareView::Candidate)->cursorLine(), 7);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Y);
        QCOMPARE(w->currentBundle()->review->review().decisions.value(finding.id).state,
                 FindingState::Confirmed);
    }

    void commentsAreAnchored()
    {
        Window w = open({m_bundle});
        CodePane* pane = w->compare()->pane(CompareView::Candidate);
        pane->goToLine(5);
        pane->focusTarget()->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_C);
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(w->comments()->edit()));
        QTest::keyClicks(w->comments()->edit(), QStringLiteral("why this?"));
        QTest::keyClick(w->comments()->edit(), Qt::Key_Return, Qt::ControlModifier);
        const auto comments = w->currentBundle()->review->review().comments;
        QCOMPARE(comments.size(), 1);
        QCOMPARE(comments.first().range.firstLine, 5);
        QCOMPARE(w->comments()->model()->rowCount(), 1);
    }

    void slashSearchesAllColumns()
    {
        Window w = open({m_bundle});
        w->compare()->pane(CompareView::Candidate)->focusTarget()->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Slash);
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("rows"));
        QVERIFY(w->compare()->matchCount() > 2);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QCOMPARE(w->compare()->currentMatch(), 1);
        w->compare()->pane(CompareView::Candidate)->focusTarget()->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_N);
        QCOMPARE(w->compare()->currentMatch(), 2);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_N, Qt::ShiftModifier);
        QCOMPARE(w->compare()->currentMatch(), 1);
    }

    void brokenBundleSaysWhatAndWhere()
    {
        Window w = open({m_bundle});
        const QString broken = m_dir->filePath(QStringLiteral("broken"));
        QVERIFY(QDir().mkpath(broken));
        QFile file(broken + QStringLiteral("/kbundle.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"schema\": \"kbundle/1\", \"id\": 5}");
        file.close();
        w->openBundles({broken});
        QTRY_VERIFY(w->isIdle());
        QVERIFY(w->currentBundle()->error);
        bool said = false;
        for (const QLabel* label : w->compare()->findChildren<QLabel*>())
            said = said || label->text().contains(w->currentBundle()->error->message);
        QVERIFY(said);
        QCOMPARE(w->workspace().dirs().size(), 2); // the other one is still there
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_W, Qt::ControlModifier);
        QCOMPARE(w->currentDir(), Workspace::keyFor(m_bundle));
        QVERIFY(!w->compare()->pane(CompareView::Candidate)->visibleText().isEmpty());
    }

    void exportsInTheBackground()
    {
        Window w = open({m_bundle});
        for (const char* suffix : {"md", "html", "json", "pdf"}) {
            const QString file = m_dir->filePath(QStringLiteral("report.") + QLatin1String(suffix));
            QSignalSpy done(w.window.get(), &MainWindow::exportFinished);
            w->exportReportTo(file);
            QVERIFY(done.wait(30000));
            QVERIFY2(done.first().at(0).toBool(), qPrintable(done.first().at(1).toString()));
            QVERIFY(QFileInfo(file).size() > 200);
        }
        QSignalSpy done(w.window.get(), &MainWindow::exportFinished);
        w->exportReportTo(m_dir->filePath(QStringLiteral("no/such/folder/report.md")));
        QVERIFY(done.wait(30000));
        QVERIFY(!done.first().at(0).toBool());
    }

    void everyControlHasANameAndNoKeyIsTwice()
    {
        Window w = open({m_bundle});
        QCOMPARE(w->actions().conflicts(), QStringList());
        QStringList unnamed;
        for (const QWidget* widget : w->findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus)
                continue;
            const QString name = QString::fromLatin1(widget->metaObject()->className());
            const bool inner = name.contains(QLatin1String("Viewport")) ||
                               widget->objectName().startsWith(QLatin1String("qt_")) ||
                               qobject_cast<const QAbstractScrollArea*>(widget->parentWidget()) ||
                               qobject_cast<const QComboBox*>(widget->parentWidget()) ||
                               (widget->parentWidget() &&
                                widget->parentWidget()->inherits("QComboBoxPrivateContainer"));
            if (!inner && widget->accessibleName().isEmpty())
                unnamed.append(
                    QStringLiteral("%1 in %2")
                        .arg(name, QString::fromLatin1(
                                       widget->parentWidget()->metaObject()->className())));
        }
        QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join(QStringLiteral("; "))));
        for (const QAction* action : w->actions().all())
            QVERIFY2(!action->text().isEmpty() && !action->statusTip().isEmpty(),
                     qPrintable(action->objectName()));
    }

    void paletteRunsActions()
    {
        Window w = open({m_bundle});
        QTest::keyClick(w.window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(w->commandPalette()->isVisible());
        QTest::keyClicks(w->commandPalette()->edit(), QStringLiteral("tab roofline"));
        QTest::keyClick(w->commandPalette()->edit(), Qt::Key_Return);
        QCOMPARE(w->tabs()->currentIndex(), int(MainWindow::RooflineTab));
    }
};

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
