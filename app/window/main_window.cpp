// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include "app/window/actions.h"
#include "app/window/help.h"
#include "app/window/result_tabs.h"
#include "widgets/command_palette.h"
#include "widgets/comments_view.h"
#include "widgets/compare_view.h"
#include "widgets/findings_view.h"
#include "widgets/icons.h"
#include "widgets/queue_view.h"
#include "widgets/rubric_form.h"
#include "widgets/runs_view.h"

#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QElapsedTimer>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QSettings>
#include <QSplitter>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTabWidget>
#include <QTimer>
#include <QToolButton>

namespace ridgeline {

namespace {

QString defaultSettingsFile()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/ridgeline/window.ini");
}

} // namespace

MainWindow::MainWindow(std::unique_ptr<Runner> runner, const WindowOptions& options)
    : m_settings(std::make_unique<QSettings>(options.settingsFile.isEmpty() ? defaultSettingsFile()
                                                                            : options.settingsFile,
                                             QSettings::IniFormat)),
      m_options(options),
      m_workspace(new Workspace(this)),
      m_runner(std::move(runner)),
      m_actions(new Actions(this)),
      m_active(std::make_unique<QElapsedTimer>())
{
    setObjectName(QStringLiteral("MainWindow"));
    setWindowTitle(tr("Ridgeline"));
    setAcceptDrops(true);
    resize(1600, 950);
    m_theme = ThemeMode(m_settings->value(QStringLiteral("theme"), 0).toInt());
    applyTheme(*qApp, m_theme);
    m_device = m_settings->value(QStringLiteral("device")).toString();
    QString reviewer = options.reviewer;
    if (reviewer.isEmpty())
        reviewer =
            m_settings->value(QStringLiteral("reviewer"), qEnvironmentVariable("USER")).toString();
    m_workspace->setReviewer(reviewer.isEmpty() ? QStringLiteral("reviewer") : reviewer);

    buildLayout();
    buildStatusBar();
    buildActions();
    buildMenus();
    connectRunner();
    connectReview();

    connect(m_workspace, &Workspace::changed, this, [this](const QString& dir) {
        refreshQueue(dir);
        if (dir == m_current)
            showReview();
    });
    connect(m_workspace, &Workspace::loaded, this, [this](const QString& dir) {
        refreshQueue(dir);
        if (dir == m_current || m_current.isEmpty())
            showBundle(dir);
    });
    connect(m_workspace, &Workspace::removed, this, [this](const QString& dir) {
        m_queueModel->remove(dir);
        if (dir != m_current)
            return;
        const QStringList dirs = m_workspace->dirs();
        showBundle(dirs.isEmpty() ? QString() : dirs.first());
    });
    applyPreset(QStringLiteral("read"));
    showBundle({});
    updateActions();
    if (m_options.inspectMachine)
        inspectMachine();
}

MainWindow::~MainWindow()
{
    // Children of the window read from these while they are destroyed.
    m_runner->disconnect(this);
    m_workspace->disconnect(this);
}

void MainWindow::buildLayout()
{
    m_queueModel = new QueueModel(this);
    m_queue = new QueueView(m_queueModel, this);
    m_compare = new CompareView(this);
    m_rubric = new RubricForm(this);
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    m_tabs->setAccessibleName(tr("Results"));
    m_tabs->tabBar()->setAccessibleName(tr("Result tabs"));
    m_runs = new RunsView(this);
    m_findings = new FindingsView(this);
    m_results = new ResultTabs(this);
    m_comments = new CommentsView(this);
    m_tabs->addTab(m_runs, tr("Runs"));
    m_tabs->addTab(m_findings, tr("Findings"));
    m_results->addTo(m_tabs);
    m_tabs->addTab(m_comments, tr("Comments"));
    for (int i = 0; i < m_tabs->count(); ++i)
        m_tabs->setTabToolTip(i, tr("Ctrl+%1").arg(i + 1));
    m_palette = new CommandPalette(this);

    m_rows = new QSplitter(Qt::Vertical, this);
    m_rows->addWidget(m_compare);
    m_rows->addWidget(m_tabs);
    m_rows->setStretchFactor(0, 3);
    m_rows->setStretchFactor(1, 2);
    m_columns = new QSplitter(Qt::Horizontal, this);
    m_columns->addWidget(m_queue);
    m_columns->addWidget(m_rows);
    m_columns->addWidget(m_rubric);
    m_columns->setStretchFactor(0, 0);
    m_columns->setStretchFactor(1, 1);
    m_columns->setStretchFactor(2, 0);
    for (QSplitter* splitter : {m_rows, m_columns}) {
        splitter->setHandleWidth(2);
        splitter->setChildrenCollapsible(false);
    }
    m_queue->setMinimumWidth(150);
    m_rubric->setMinimumWidth(240);
    m_tabs->setMinimumHeight(120);
    m_compare->setMinimumHeight(120);
    setCentralWidget(m_columns);

    connect(m_queue, &QueueView::bundleChosen, this, [this](const QString& dir) {
        if (dir != m_current)
            showBundle(dir);
    });
    connect(m_queue, &QueueView::removeRequested, m_workspace, &Workspace::close);
    connect(m_compare, &CompareView::candidateChosen, this, &MainWindow::candidateChosen);
    connect(m_findings, &FindingsView::locationActivated, this, &MainWindow::goTo);
    connect(m_comments, &CommentsView::locationActivated, this, &MainWindow::goTo);
    connect(m_results, &ResultTabs::told, this, [this](const QString& text) { tell(text); });
    connect(m_results, &ResultTabs::deviceShown, this, [this](const QString& model) {
        m_settings->setValue(QStringLiteral("roofline/device"), model);
    });
    connect(m_findings, &FindingsView::artefactActivated, this, [this](const QString& path) {
        m_results->showArtefact(path);
        showTab(ArtefactsTab);
    });
    connect(m_runs, &RunsView::passActivated, this,
            [this](const QString& candidate, const QString& pass) {
                m_results->showCandidate(candidate);
                if (pass == QLatin1String("correctness"))
                    showTab(NumericsTab);
                else if (pass == QLatin1String("benchmark"))
                    showTab(BenchmarkTab);
                else if (pass == QLatin1String("roofline"))
                    showTab(RooflineTab);
                else if (pass == QLatin1String("audit"))
                    showTab(FindingsTab);
                else {
                    m_results->showLog(candidate, pass);
                    showTab(ArtefactsTab);
                }
            });
    connect(m_palette, &CommandPalette::used, this, [this](const QString& name) {
        QStringList recent = m_settings->value(QStringLiteral("palette")).toStringList();
        recent.removeAll(name);
        recent.prepend(name);
        m_settings->setValue(QStringLiteral("palette"), recent.mid(0, 12));
    });
}

void MainWindow::buildStatusBar()
{
    QStatusBar* bar = statusBar();
    bar->setSizeGripEnabled(false);
    m_message = new QLabel(this);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setAccessibleName(tr("Message"));
    m_missing = new QToolButton(this);
    m_missing->setIcon(shapeIcon(Shape::Triangle, Meaning::Warning));
    m_missing->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_missing->setAutoRaise(true);
    m_missing->setAccessibleName(tr("What this machine lacks"));
    m_missing->hide();
    m_progressText = new QLabel(this);
    m_progressText->setTextFormat(Qt::PlainText);
    m_progressText->setObjectName(QStringLiteral("Muted"));
    m_progressText->setAccessibleName(tr("What runs now"));
    m_progress = new QProgressBar(this);
    m_progress->setFixedWidth(180);
    m_progress->setMaximumHeight(fontMetrics().height() + 4);
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_cancelButton = new QToolButton(this);
    m_cancelButton->setIcon(themedIcon(QStringLiteral("cancel")));
    m_cancelButton->setAutoRaise(true);
    m_cancelButton->setToolTip(tr("Cancel the run (Esc)"));
    m_cancelButton->setAccessibleName(tr("Cancel the run"));
    auto* deviceLabel = new QLabel(tr("Device"), this);
    deviceLabel->setObjectName(QStringLiteral("Muted"));
    m_deviceBox = new QComboBox(this);
    m_deviceBox->setAccessibleName(tr("Device passes run on"));
    m_deviceBox->setMinimumContentsLength(26);
    m_deviceBox->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_deviceBox->setToolTip(tr("Device passes run on"));
    deviceLabel->setBuddy(m_deviceBox);
    bar->addWidget(m_message, 1);
    bar->addPermanentWidget(m_missing);
    bar->addPermanentWidget(m_progressText);
    bar->addPermanentWidget(m_progress);
    bar->addPermanentWidget(m_cancelButton);
    bar->addPermanentWidget(deviceLabel);
    bar->addPermanentWidget(m_deviceBox);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_progressText), static_cast<QWidget*>(m_progress),
          static_cast<QWidget*>(m_cancelButton)})
        widget->hide();
    connect(m_cancelButton, &QToolButton::clicked, this, &MainWindow::cancelRun);
    connect(m_deviceBox, &QComboBox::activated, this,
            [this](int index) { chooseDevice(m_deviceBox->itemData(index).toString()); });
}

void MainWindow::applyPreset(const QString& preset)
{
    const int w = std::max(width(), 900);
    const int h = std::max(height(), 500);
    if (preset == QLatin1String("run")) {
        m_columns->setSizes({w * 13 / 100, w * 67 / 100, w * 20 / 100});
        m_rows->setSizes({h * 35 / 100, h * 65 / 100});
    } else if (preset == QLatin1String("score")) {
        m_columns->setSizes({w * 11 / 100, w * 47 / 100, w * 42 / 100});
        m_rows->setSizes({h * 62 / 100, h * 38 / 100});
    } else {
        m_columns->setSizes({w * 13 / 100, w * 66 / 100, w * 21 / 100});
        m_rows->setSizes({h * 66 / 100, h * 34 / 100});
    }
}

void MainWindow::showTab(int tab)
{
    m_tabs->setCurrentIndex(tab);
    if (QWidget* page = m_tabs->currentWidget();
        page && !page->isAncestorOf(QApplication::focusWidget()))
        m_tabs->tabBar()->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::tell(const QString& message, int ms)
{
    m_message->setText(message);
    m_message->setToolTip(message.toHtmlEscaped());
    QTimer::singleShot(ms, this, [this, message] {
        if (m_message->text() == message)
            m_message->clear();
    });
}

void MainWindow::showHelp()
{
    showHelpDialog(*m_actions, this);
}

bool MainWindow::isIdle() const
{
    return !m_runner->isRunning() && !m_workspace->isLoading() && m_busy == 0;
}

bool MainWindow::event(QEvent* event)
{
    // Time counts only while the window is in front.
    if (event->type() == QEvent::WindowActivate)
        m_active->start();
    if (event->type() == QEvent::WindowDeactivate && m_active->isValid()) {
        if (OpenBundle* bundle = currentBundle();
            bundle && bundle->review && !bundle->review->isReadOnly())
            answer(bundle->review->addActiveTime(m_active->elapsed()));
        m_active->invalidate();
    }
    return QMainWindow::event(event);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    m_rubric->commitEdits();
    saveSession();
    if (m_runner->isRunning()) {
        // The run is told to stop and the window closes by itself when its children are gone.
        m_closing = true;
        cancelRun();
        tell(tr("Closing when the run has stopped …"), 60000);
        event->ignore();
        return;
    }
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            paths.append(url.toLocalFile());
    }
    if (paths.isEmpty())
        tell(tr("Only folders and files of this machine can be opened."));
    else
        openPaths(paths);
    event->acceptProposedAction();
}

} // namespace ridgeline
