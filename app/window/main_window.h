// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/runner.h"
#include "app/window/workspace.h"
#include "widgets/theme.h"

#include <QMainWindow>
#include <memory>

class QComboBox;
class QElapsedTimer;
class QLabel;
class QProgressBar;
class QSettings;
class QSplitter;
class QTabWidget;
class QToolButton;

namespace ridgeline {

class Actions;
class CommandPalette;
class CommentsView;
class CompareView;
class FindingsView;
class ImportDialog;
class QueueModel;
class QueueView;
class ResultTabs;
class RubricForm;
class RunsView;

struct WindowOptions {
    QString settingsFile; ///< session and preferences; empty = the user's own
    QString reviewer;     ///< overrides the stored name
    bool samplesOnFirstStart = true;
    bool inspectMachine = true;
};

/// The window: queue, three columns, rubric, tabs. It owns no truth: bundles, runs and reviews are
/// the workspace's, and every change goes there first and comes back as a signal.
class MainWindow final : public QMainWindow {
    Q_OBJECT
public:
    /// Order of the tabs, which Ctrl+1 to Ctrl+7 choose.
    enum Tab {
        RunsTab,
        FindingsTab,
        NumericsTab,
        BenchmarkTab,
        RooflineTab,
        ArtefactsTab,
        CommentsTab
    };
    Q_ENUM(Tab)

    MainWindow(std::unique_ptr<Runner> runner, const WindowOptions& options);
    ~MainWindow() override;

    /// Writes the report in the background; the suffix chooses the format. exportFinished() tells.
    void exportReportTo(const QString& file);
    void openBundles(const QStringList& paths, bool select = true);
    /// What a person named: bundles and archived bundles are opened, for the rest the import dialog
    /// comes up. Archives are unpacked in the background.
    void openPaths(const QStringList& paths);
    /// Shows what a path holds; null when there is nothing at `path`. The dialog deletes itself.
    ImportDialog* showImport(const QString& path);
    /// Opens what the last session had open, or the samples when there was none.
    void restoreSession();
    void saveSession();
    bool isFirstStart() const;
    void resetLayout();

    Workspace& workspace() { return *m_workspace; }
    Actions& actions() { return *m_actions; }
    Runner& runner() { return *m_runner; }
    QString currentDir() const { return m_current; }
    OpenBundle* currentBundle() { return m_workspace->find(m_current); }
    ResultTabs* results() const { return m_results; }
    CompareView* compare() const { return m_compare; }
    QueueView* queue() const { return m_queue; }
    RubricForm* rubric() const { return m_rubric; }
    RunsView* runs() const { return m_runs; }
    FindingsView* findings() const { return m_findings; }
    CommentsView* comments() const { return m_comments; }
    CommandPalette* commandPalette() const { return m_palette; }
    QTabWidget* tabs() const { return m_tabs; }
    /// Blocks nothing: true when no run, load or export is going on.
    bool isIdle() const;

Q_SIGNALS:
    void bundleShown(const QString& dir);
    void exportFinished(bool ok, const QString& message);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool event(QEvent* event) override;

private:
    // main_window.cpp
    void buildLayout();
    void buildStatusBar();
    void applyPreset(const QString& preset);
    void showTab(int tab);
    void tell(const QString& message, int ms = 8000);
    void showHelp();

    // main_window_actions.cpp
    void buildActions();
    void buildMenus();
    void updateActions();

    // main_window_bundle.cpp
    void showBundle(const QString& dir);
    void showResults(OpenBundle& bundle);
    void refreshQueue(const QString& dir);
    void showMarkers();
    void showError(const OpenBundle& bundle);
    void goTo(const QString& file, int line);
    void candidateChosen();
    QString currentCandidate() const;

    // main_window_run.cpp
    void connectRunner();
    void runPassesNow(const QStringList& passes);
    void cancelRun();
    void inspectMachine();
    void showMachine(const MachineReport& report);
    void chooseDevice(const QString& id);

    // main_window_review.cpp
    void connectReview();
    void showReview();
    void saveFailed(const Error& error);
    void answer(const Result<void>& result);
    void startComment();
    void linkEvidence(const QString& criterion);
    void exportReport();
    void askReviewer();

    // main_window_session.cpp
    void rememberPlace();
    void restorePlace();

    std::unique_ptr<QSettings> m_settings;
    WindowOptions m_options;
    Workspace* m_workspace;
    std::unique_ptr<Runner> m_runner;
    Actions* m_actions;

    QString m_current;    ///< key of the bundle shown
    QString m_runningDir; ///< bundle of the run going on
    RunRecord m_running;
    bool m_closing = false;
    int m_busy = 0;   ///< exports and other background work
    QString m_device; ///< chosen; empty = best
    ThemeMode m_theme = ThemeMode::System;
    MachineReport m_machine;

    QSplitter* m_columns = nullptr;
    QSplitter* m_rows = nullptr;
    QueueModel* m_queueModel = nullptr;
    QueueView* m_queue = nullptr;
    CompareView* m_compare = nullptr;
    RubricForm* m_rubric = nullptr;
    QTabWidget* m_tabs = nullptr;
    RunsView* m_runs = nullptr;
    FindingsView* m_findings = nullptr;
    ResultTabs* m_results = nullptr;
    CommentsView* m_comments = nullptr;
    CommandPalette* m_palette = nullptr;
    QComboBox* m_deviceBox = nullptr;
    QLabel* m_message = nullptr;
    QToolButton* m_missing = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_progressText = nullptr;
    QToolButton* m_cancelButton = nullptr;
    std::unique_ptr<QElapsedTimer> m_active;
};

} // namespace ridgeline
