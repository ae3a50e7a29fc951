// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/actions.h"
#include "app/window/main_window.h"
#include "app/window/result_tabs.h"
#include "widgets/compare_view.h"
#include "widgets/findings_view.h"
#include "widgets/icons.h"
#include "widgets/log_view.h"
#include "widgets/runs_view.h"

#include <QApplication>
#include <QComboBox>
#include <QFutureWatcher>
#include <QLabel>
#include <QProgressBar>
#include <QSettings>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTimer>
#include <QToolButton>
#include <QtConcurrentRun>

namespace ridgeline {

void MainWindow::connectRunner()
{
    connect(m_runner.get(), &Runner::runStarted, this, [this](const RunRecord& record) {
        m_running = record;
        if (m_runningDir == m_current)
            m_runs->setRun(record);
    });
    connect(m_runner.get(), &Runner::passChanged, this,
            [this](const QString& candidate, const PassRecord& pass) {
                if (m_runningDir == m_current)
                    m_runs->model()->updatePass(candidate, pass);
            });
    connect(m_runner.get(), &Runner::progress, this,
            [this](int done, int total, const QString& label) {
                m_progress->setMaximum(std::max(0, total));
                m_progress->setValue(done);
                m_progressText->setText(fontMetrics().elidedText(label, Qt::ElideMiddle, 320));
                m_progressText->setToolTip(label.toHtmlEscaped());
            });
    connect(m_runner.get(), &Runner::logLines, this,
            [this](const QString&, const QString&, const QStringList& lines) {
                m_runs->log()->model()->append(lines);
            });
    connect(m_runner.get(), &Runner::saved, this, [this](const QString&, const QString& note) {
        if (!note.isEmpty())
            tell(note, 20000);
    });
    connect(
        m_runner.get(), &Runner::failed, this, [this](const QString& message, const QString& hint) {
            m_progress->hide();
            m_progressText->hide();
            m_cancelButton->hide();
            m_runs->log()->model()->append({tr("error: %1").arg(message), hint});
            tell(hint.isEmpty() ? message : QStringLiteral("%1 (%2)").arg(message, hint), 30000);
            refreshQueue(m_runningDir);
            updateActions();
            if (m_closing)
                QTimer::singleShot(0, this, [this] { close(); });
        });
    connect(m_runner.get(), &Runner::finished, this, [this](const RunRecord& record) {
        m_progress->hide();
        m_progressText->hide();
        m_cancelButton->hide();
        m_cancelButton->setEnabled(true);
        m_workspace->setRun(m_runningDir, record);
        OpenBundle* bundle = currentBundle();
        if (bundle && m_runningDir == m_current)
            showResults(*bundle);
        int failing = 0;
        for (const CandidateRun& candidate : record.candidates)
            failing += candidate.verdict != CandidateVerdict::Pass;
        tell(failing == 0   ? tr("Run finished: every candidate passes.")
             : failing == 1 ? tr("Run finished: 1 candidate needs a look.")
                            : tr("Run finished: %1 candidates need a look.").arg(failing));
        if (!isActiveWindow())
            QApplication::alert(this);
        refreshQueue(m_runningDir);
        updateActions();
        if (m_closing)
            QTimer::singleShot(0, this, [this] { close(); });
    });
}

void MainWindow::runPassesNow(const QStringList& passes)
{
    OpenBundle* bundle = currentBundle();
    if (!bundle || bundle->loading || bundle->error)
        return;
    RunOrder order;
    order.bundle = bundle->bundle;
    order.passes = passes;
    order.device = m_device;
    if (!passes.isEmpty() && !m_runs->selectedCandidate().isEmpty())
        order.candidates = {m_runs->selectedCandidate()};
    m_runs->log()->model()->clear();
    m_runningDir = m_current;
    if (!m_runner->start(order)) {
        tell(tr("A run is going on already."));
        return;
    }
    m_progress->setRange(0, 0); // busy until the first figure arrives
    m_progressText->setText(tr("Starting …"));
    m_progress->show();
    m_progressText->show();
    m_cancelButton->show();
    m_cancelButton->setEnabled(true);
    m_tabs->setCurrentIndex(RunsTab);
    refreshQueue(m_runningDir);
    updateActions();
}

void MainWindow::cancelRun()
{
    if (!m_runner->isRunning())
        return;
    // Said at once; the run answers when its children are gone.
    m_progressText->setText(tr("Cancelling …"));
    m_cancelButton->setEnabled(false);
    m_runner->cancel();
}

void MainWindow::inspectMachine()
{
    m_deviceBox->addItem(tr("Looking for devices …"), QString());
    m_deviceBox->setEnabled(false);
    auto* watcher = new QFutureWatcher<MachineReport>(this);
    connect(watcher, &QFutureWatcher<MachineReport>::finished, this, [this, watcher] {
        watcher->deleteLater();
        showMachine(watcher->result());
    });
    const Runner* runner = m_runner.get();
    watcher->setFuture(QtConcurrent::run([runner] { return runner->inspectMachine(); }));
}

void MainWindow::showMachine(const MachineReport& report)
{
    m_machine = report;
    m_deviceBox->clear();
    m_deviceBox->setEnabled(true);
    auto* model = qobject_cast<QStandardItemModel*>(m_deviceBox->model());
    int chosen = -1;
    for (const DeviceChoice& device : report.devices) {
        const int row = m_deviceBox->count();
        m_deviceBox->addItem(device.available ? device.name : tr("%1 (not here)").arg(device.name),
                             device.id);
        const QString tip =
            device.available ? device.why : QStringLiteral("%1 %2").arg(device.why, device.fix);
        m_deviceBox->setItemData(row, tip.trimmed().toHtmlEscaped(), Qt::ToolTipRole);
        m_deviceBox->setItemData(row, tip.trimmed(), Qt::AccessibleDescriptionRole);
        m_deviceBox->setItemIcon(row, device.available ? shapeIcon(Shape::Check, Meaning::Good)
                                                       : shapeIcon(Shape::Dash, Meaning::Muted));
        if (model && !device.available)
            model->item(row)->setEnabled(false);
        if (device.available && (chosen < 0 || device.id == m_device))
            chosen = row;
    }
    m_deviceBox->setCurrentIndex(chosen);
    m_missing->setVisible(!report.missing.isEmpty());
    if (!report.missing.isEmpty()) {
        QString tip;
        QStringList names;
        for (const MissingTool& tool : report.missing) {
            names.append(tool.what);
            tip += tr("<p><b>%1</b>: %2<br>Lost: %3<br>To do: %4</p>")
                       .arg(tool.what.toHtmlEscaped(), tool.why.toHtmlEscaped(),
                            tool.lost.toHtmlEscaped(), tool.fix.toHtmlEscaped());
        }
        m_missing->setText(tr("Missing: %1").arg(names.join(QStringLiteral(", "))));
        m_missing->setToolTip(tip);
        m_missing->setAccessibleDescription(m_missing->text());
    }
}

void MainWindow::chooseDevice(const QString& id)
{
    m_device = id;
    m_settings->setValue(QStringLiteral("device"), id);
    for (const DeviceChoice& device : std::as_const(m_machine.devices)) {
        if (device.id == id)
            tell(tr("Passes run on %1.").arg(device.name));
    }
}

} // namespace ridgeline
