// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/actions.h"
#include "app/window/main_window.h"
#include "widgets/command_palette.h"
#include "widgets/compare_view.h"
#include "widgets/findings_view.h"
#include "widgets/icons.h"
#include "widgets/queue_view.h"
#include "widgets/rubric_form.h"
#include "widgets/runs_view.h"

#include <QApplication>
#include <QFileDialog>
#include <QInputDialog>
#include <QListView>
#include <QMenuBar>
#include <QSettings>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>

namespace ridgeline {

void MainWindow::buildActions()
{
    Actions& a = *m_actions;
    const auto key = [](const char* text) {
        return QList<QKeySequence>{QKeySequence(QString::fromLatin1(text))};
    };

    a.add({QStringLiteral("open"), tr("&Open bundle …"), tr("Open a folder with a kbundle.json"),
           QStringLiteral("open"), key("Ctrl+O")},
          [this] {
              const QString dir = QFileDialog::getExistingDirectory(
                  this, tr("Open a bundle"),
                  m_settings->value(QStringLiteral("lastFolder")).toString());
              if (dir.isEmpty())
                  return;
              m_settings->setValue(QStringLiteral("lastFolder"), dir);
              openBundles({dir});
          });
    a.add({QStringLiteral("import"), tr("&Import tasks …"),
           tr("Import a folder of tasks in any known format"), QStringLiteral("import"),
           key("Ctrl+I")},
          [this] {
              const QString dir = QFileDialog::getExistingDirectory(
                  this, tr("Import a task or a collection"),
                  m_settings->value(QStringLiteral("lastFolder")).toString());
              if (dir.isEmpty())
                  return;
              m_settings->setValue(QStringLiteral("lastFolder"), dir);
              showImport(dir);
          });
    a.add({QStringLiteral("open-file"),
           tr("Open or import a &file …"),
           tr("A task file, results, or an archive of a bundle or of tasks"),
           {},
           key("Ctrl+Shift+O")},
          [this] {
              const QString file = QFileDialog::getOpenFileName(
                  this, tr("Open or import a file"),
                  m_settings->value(QStringLiteral("lastFolder")).toString());
              if (!file.isEmpty())
                  openPaths({file});
          });
    a.add({QStringLiteral("reload"),
           tr("&Read again"),
           tr("Read the bundle's files again"),
           {},
           key("Ctrl+R")},
          [this] { m_workspace->reload(m_current); });
    a.add({QStringLiteral("close-bundle"),
           tr("&Take off the queue"),
           tr("Take the bundle off the queue; its files stay"),
           {},
           key("Ctrl+W")},
          [this] { m_workspace->close(m_current); });
    a.add({QStringLiteral("export"), tr("&Export report …"),
           tr("Write the feedback as Markdown, HTML, PDF or JSON"), QStringLiteral("export"),
           key("Ctrl+E")},
          [this] { exportReport(); });
    a.add({QStringLiteral("quit"),
           tr("&Quit"),
           tr("Close the window; everything is saved"),
           {},
           key("Ctrl+Q")},
          [this] { close(); });

    a.add({QStringLiteral("run-all"), tr("Run &all passes"),
           tr("Run every pass of every candidate"), QStringLiteral("run"), key("F5")},
          [this] { runPassesNow({}); });
    a.add({QStringLiteral("run-pass"), tr("Run the selected &pass"),
           tr("Run the pass selected in the Runs tab, for its candidate"),
           QStringLiteral("run-one"), key("Shift+F5")},
          [this] {
              const QString pass = m_runs->selectedPass();
              if (pass.isEmpty())
                  tell(tr("Select a pass in the Runs tab first."));
              else
                  runPassesNow({pass});
          });
    a.add({QStringLiteral("cancel"), tr("&Cancel the run"),
           tr("Stop the run; what is finished stays"), QStringLiteral("cancel"), key("Esc")},
          [this] { cancelRun(); });

    a.add({QStringLiteral("search"), tr("&Search all columns"),
           tr("Search spec, reference and candidate at once"), QStringLiteral("search"), key("/")},
          [this] { m_compare->openSearch(); });
    a.add({QStringLiteral("find"),
           tr("Search this &column"),
           tr("Search the column with the keyboard"),
           {},
           key("Ctrl+F")},
          [this] { m_compare->pane(m_compare->activeColumn())->openFind(); });
    a.add({QStringLiteral("next-match"),
           tr("&Next match"),
           tr("Next match in all columns"),
           QStringLiteral("next"),
           {QKeySequence(QStringLiteral("N")), QKeySequence(QStringLiteral("F3"))}},
          [this] { m_compare->stepSearch(1); });
    a.add({QStringLiteral("previous-match"),
           tr("&Previous match"),
           tr("Previous match in all columns"),
           QStringLiteral("previous"),
           {QKeySequence(QStringLiteral("Shift+N")), QKeySequence(QStringLiteral("Shift+F3"))}},
          [this] { m_compare->stepSearch(-1); });
    a.add({QStringLiteral("go-to-line"),
           tr("&Go to line …"),
           tr("Go to a line of the column"),
           {},
           key("Ctrl+G")},
          [this] {
              CodePane* pane = m_compare->pane(m_compare->activeColumn());
              bool ok = false;
              const int line = QInputDialog::getInt(this, tr("Go to line"), tr("Line"),
                                                    pane->cursorLine(), 1, 1000000, 1, &ok);
              if (ok)
                  pane->goToLine(line);
          });
    QAction* lock =
        a.add({QStringLiteral("scroll-lock"), tr("Scroll &lock"),
               tr("Scroll the three columns together"), QStringLiteral("lock"), key("L"), true},
              [this] {
                  m_compare->setLocked(m_actions->get(QStringLiteral("scroll-lock"))->isChecked());
              });
    lock->setChecked(true);
    for (int i = 0; i < 3; ++i) {
        const QString names[] = {tr("spec"), tr("reference"), tr("candidate")};
        a.add({QStringLiteral("focus-column-%1").arg(i + 1),
               tr("Go to the %1").arg(names[i]),
               tr("Give the keyboard to the column"),
               {},
               key(qPrintable(QStringLiteral("Alt+%1").arg(i + 1)))},
              [this, i] { m_compare->pane(CompareView::Column(i))->focusTarget()->setFocus(); });
    }
    a.add({QStringLiteral("focus-queue"),
           tr("Go to the &queue"),
           tr("Give the keyboard to the queue"),
           {},
           key("Alt+0")},
          [this] { m_queue->list()->setFocus(); });
    a.add({QStringLiteral("focus-rubric"),
           tr("Go to the r&ubric"),
           tr("Give the keyboard to the rubric"),
           {},
           key("Alt+4")},
          [this] { m_rubric->focusTable(); });

    for (int score = 0; score <= 9; ++score) {
        a.add({QStringLiteral("score-%1").arg(score),
               tr("Score %1").arg(score),
               tr("Score the current criterion and go on"),
               {},
               key(qPrintable(QString::number(score)))},
              [this, score] { m_rubric->scoreCurrent(score); });
    }
    a.add({QStringLiteral("next-criterion"),
           tr("Next &criterion"),
           tr("Next criterion of the rubric"),
           {},
           key("J")},
          [this] { m_rubric->step(1); });
    a.add({QStringLiteral("previous-criterion"),
           tr("Previous c&riterion"),
           tr("Previous criterion of the rubric"),
           {},
           key("K")},
          [this] { m_rubric->step(-1); });
    a.add({QStringLiteral("next-incomplete"),
           tr("Next &incomplete criterion"),
           tr("Next criterion that misses a score, a comment or evidence"),
           {},
           key("Ctrl+J")},
          [this] { m_rubric->goToNextIncomplete(); });
    a.add({QStringLiteral("comment"), tr("&Comment"),
           tr("Comment on the lines of a column, or else on the criterion"),
           QStringLiteral("comment"), key("C")},
          [this] { startComment(); });
    a.add({QStringLiteral("link-evidence"),
           tr("&Link evidence"),
           tr("Link the selected finding, pass or lines to the current criterion"),
           {},
           key("Ctrl+L")},
          [this] { linkEvidence(m_rubric->currentCriterion()); });
    a.add({QStringLiteral("choose-rubric"),
           tr("Choose the &rubric…"),
           tr("Score this bundle by another rubric; each keeps its own scores"),
           {},
           {}},
          [this] { m_rubric->openRubricMenu(); });
    a.add({QStringLiteral("guideline"),
           tr("Show the &guideline"),
           tr("Show or hide the guideline of the criterion"),
           {},
           key("H")},
          [this] { m_rubric->toggleGuideline(); });
    a.add({QStringLiteral("undo"),
           tr("&Undo"),
           tr("Undo the last change of the review"),
           {},
           key("Ctrl+Z")},
          [this] {
              m_rubric->commitEdits();
              if (OpenBundle* bundle = currentBundle();
                  bundle && bundle->review && bundle->review->canUndo())
                  answer(bundle->review->undo());
          });
    a.add(
        {QStringLiteral("redo"), tr("&Redo"), tr("Redo what was undone"), {}, key("Ctrl+Shift+Z")},
        [this] {
            if (OpenBundle* bundle = currentBundle();
                bundle && bundle->review && bundle->review->canRedo())
                answer(bundle->review->redo());
        });
    a.add({QStringLiteral("reviewer"),
           tr("Reviewer &name …"),
           tr("The name reviews are kept under"),
           {},
           {}},
          [this] { askReviewer(); });
    a.add(
        {QStringLiteral("confirm-finding"),
         tr("Con&firm the finding"),
         tr("The selected finding is true"),
         {},
         key("Y")},
        [this] { m_findings->confirm(); }, m_findings);
    a.add(
        {QStringLiteral("dismiss-finding"),
         tr("&Dismiss the finding"),
         tr("The selected finding does not hold; asks for a reason"),
         {},
         key("X")},
        [this] { m_findings->dismiss(); }, m_findings);

    const QString tabNames[] = {tr("Runs"),     tr("Findings"),  tr("Numerics"), tr("Benchmark"),
                                tr("Roofline"), tr("Artefacts"), tr("Comments")};
    for (int i = 0; i < 7; ++i) {
        a.add({QStringLiteral("tab-%1").arg(i + 1),
               tr("Tab: %1").arg(tabNames[i]),
               tr("Show the tab"),
               {},
               key(qPrintable(QStringLiteral("Ctrl+%1").arg(i + 1)))},
              [this, i] { showTab(i); });
    }
    a.add({QStringLiteral("next-bundle"),
           tr("&Next bundle"),
           tr("Next bundle of the queue"),
           {},
           key("Ctrl+PgDown")},
          [this] { m_queue->step(1); });
    a.add({QStringLiteral("previous-bundle"),
           tr("&Previous bundle"),
           tr("Previous bundle of the queue"),
           {},
           key("Ctrl+PgUp")},
          [this] { m_queue->step(-1); });
    const std::pair<QString, QString> presets[] = {{QStringLiteral("read"), tr("Layout: &read")},
                                                   {QStringLiteral("run"), tr("Layout: r&un")},
                                                   {QStringLiteral("score"), tr("Layout: &score")}};
    int number = 0;
    for (const auto& [preset, text] : presets) {
        ++number;
        const QString id = preset;
        a.add({QStringLiteral("layout-") + preset, text, tr("Arrange the window for this"),
               QStringLiteral("layout"),
               key(qPrintable(QStringLiteral("Ctrl+Alt+%1").arg(number)))},
              [this, id] { applyPreset(id); });
    }
    a.add({QStringLiteral("reset-layout"),
           tr("Rese&t layout"),
           tr("Back to sizes and tabs as on the first start"),
           {},
           {}},
          [this] { resetLayout(); });
    const std::pair<ThemeMode, QString> themes[] = {{ThemeMode::System, tr("Theme: s&ystem")},
                                                    {ThemeMode::Light, tr("Theme: &light")},
                                                    {ThemeMode::Dark, tr("Theme: &dark")}};
    for (const auto& [mode, text] : themes) {
        const ThemeMode value = mode;
        a.add({QStringLiteral("theme-%1").arg(int(mode)),
               text,
               tr("Colours of the window"),
               {},
               {},
               true},
              [this, value] {
                  m_theme = value;
                  m_settings->setValue(QStringLiteral("theme"), int(value));
                  applyTheme(*qApp, value);
                  updateActions();
              });
    }
    a.add({QStringLiteral("palette"), tr("&Commands …"), tr("Find any action by its name"),
           QStringLiteral("palette"), key("Ctrl+Shift+P")},
          [this] {
              m_palette->popUp(m_actions->all(),
                               m_settings->value(QStringLiteral("palette")).toStringList());
          });
    a.add({QStringLiteral("help"), tr("&Help"), tr("What the window does and every key"),
           QStringLiteral("help"), key("F1")},
          [this] { showHelp(); });
}

void MainWindow::buildMenus()
{
    const auto fill = [this](const QString& title, const QStringList& ids) {
        QMenu* menu = menuBar()->addMenu(title);
        menu->setAccessibleName(QString(title).remove(QLatin1Char('&')));
        for (const QString& id : ids) {
            if (id.isEmpty())
                menu->addSeparator();
            else
                menu->addAction(m_actions->get(id));
        }
        return menu;
    };
    menuBar()->setAccessibleName(tr("Menu"));
    fill(tr("&File"), {QStringLiteral("open"),
                       QStringLiteral("open-file"),
                       QStringLiteral("import"),
                       {},
                       QStringLiteral("reload"),
                       QStringLiteral("close-bundle"),
                       {},
                       QStringLiteral("export"),
                       {},
                       QStringLiteral("quit")});
    fill(tr("&Run"),
         {QStringLiteral("run-all"), QStringLiteral("run-pass"), QStringLiteral("cancel")});
    QMenu* review = fill(tr("Re&view"), {QStringLiteral("undo"),
                                         QStringLiteral("redo"),
                                         {},
                                         QStringLiteral("comment"),
                                         QStringLiteral("link-evidence"),
                                         QStringLiteral("choose-rubric"),
                                         QStringLiteral("guideline"),
                                         {},
                                         QStringLiteral("next-criterion"),
                                         QStringLiteral("previous-criterion"),
                                         QStringLiteral("next-incomplete"),
                                         {},
                                         QStringLiteral("confirm-finding"),
                                         QStringLiteral("dismiss-finding"),
                                         {},
                                         QStringLiteral("reviewer")});
    QMenu* scores = new QMenu(tr("&Score"), review);
    for (int score = 0; score <= 9; ++score)
        scores->addAction(m_actions->get(QStringLiteral("score-%1").arg(score)));
    review->insertMenu(m_actions->get(QStringLiteral("comment")), scores);
    fill(tr("&Go"), {QStringLiteral("search"),
                     QStringLiteral("find"),
                     QStringLiteral("next-match"),
                     QStringLiteral("previous-match"),
                     QStringLiteral("go-to-line"),
                     {},
                     QStringLiteral("focus-queue"),
                     QStringLiteral("focus-column-1"),
                     QStringLiteral("focus-column-2"),
                     QStringLiteral("focus-column-3"),
                     QStringLiteral("focus-rubric"),
                     {},
                     QStringLiteral("next-bundle"),
                     QStringLiteral("previous-bundle")});
    QStringList view{QStringLiteral("scroll-lock"), {}};
    for (int i = 1; i <= 7; ++i)
        view.append(QStringLiteral("tab-%1").arg(i));
    view += QStringList{{},
                        QStringLiteral("layout-read"),
                        QStringLiteral("layout-run"),
                        QStringLiteral("layout-score"),
                        QStringLiteral("reset-layout"),
                        {},
                        QStringLiteral("theme-0"),
                        QStringLiteral("theme-1"),
                        QStringLiteral("theme-2")};
    fill(tr("Vie&w"), view);
    fill(tr("&Help"), {QStringLiteral("help"), QStringLiteral("palette")});

    QToolBar* bar = addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("MainToolBar"));
    bar->setAccessibleName(tr("Main tools"));
    bar->setMovable(false);
    bar->setIconSize(QSize(18, 18));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    for (const char* id : {"open", "import", "", "run-all", "run-pass", "cancel", "", "search",
                           "scroll-lock", "comment", "", "export", "", "layout-read", "layout-run",
                           "layout-score", "", "palette", "help"}) {
        if (*id == '\0')
            bar->addSeparator();
        else
            bar->addAction(m_actions->get(QString::fromLatin1(id)));
    }
    // Short words on the buttons; the full text stays in menus and tool tips.
    const std::pair<const char*, QString> shortTexts[] = {
        {"open", tr("Open")},         {"import", tr("Import")},   {"run-all", tr("Run all")},
        {"run-pass", tr("Run pass")}, {"cancel", tr("Cancel")},   {"search", tr("Search")},
        {"scroll-lock", tr("Lock")},  {"comment", tr("Comment")}, {"export", tr("Export")},
        {"layout-read", tr("Read")},  {"layout-run", tr("Run")},  {"layout-score", tr("Score")},
        {"palette", tr("Commands")},  {"help", tr("Help")}};
    for (const auto& [id, text] : shortTexts)
        m_actions->get(QString::fromLatin1(id))->setIconText(text);
    for (QToolButton* button : bar->findChildren<QToolButton*>()) {
        const QAction* action = button->defaultAction();
        button->setAccessibleName(action ? action->text().remove(QLatin1Char('&'))
                                         : tr("More tools"));
        button->setFocusPolicy(Qt::TabFocus);
    }
}

void MainWindow::updateActions()
{
    OpenBundle* bundle = currentBundle();
    const bool usable = bundle && !bundle->loading && !bundle->error;
    const bool running = m_runner->isRunning();
    const auto enable = [this](const char* id, bool on) {
        m_actions->get(QString::fromLatin1(id))->setEnabled(on);
    };
    enable("reload", bundle && !(running && m_runningDir == m_current));
    enable("close-bundle", bundle && !(running && m_runningDir == m_current));
    enable("export", usable && bundle->review);
    enable("run-all", usable && !running);
    enable("run-pass", usable && !running);
    enable("cancel", running);
    enable("comment", usable && bundle->review && !bundle->review->isReadOnly());
    enable("link-evidence", usable && bundle->review && !bundle->review->isReadOnly());
    // undo and redo stay enabled: a text field's own Ctrl+Z must not be lost to a disabled action.
    for (int i = 0; i < 3; ++i)
        m_actions->get(QStringLiteral("theme-%1").arg(i))->setChecked(int(m_theme) == i);
}

} // namespace ridgeline
