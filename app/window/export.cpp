// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"
#include "core/report/report_writer.h"
#include "core/support/json.h"
#include "widgets/rubric_form.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QSettings>
#include <QtConcurrentRun>

namespace ridgeline {

namespace {

struct ExportAnswer {
    bool ok = false;
    QString message;
};

/// Builds and writes on a worker: painting a PDF needs fonts but no widget.
ExportAnswer writeReportFile(const ReportInput& input, ReportFormat format, const QString& file)
{
    const auto bytes = writeReport(buildReport(input), format);
    if (!bytes)
        return {false, bytes.error().toString()};
    const auto written = writeFileAtomically(file, *bytes);
    if (!written)
        return {false, written.error().toString()};
    return {true,
            QCoreApplication::translate("ridgeline::Export", "The report is in %1").arg(file)};
}

} // namespace

void MainWindow::exportReport()
{
    OpenBundle* bundle = currentBundle();
    if (!bundle || bundle->loading || bundle->error)
        return;
    const QString folder =
        m_settings->value(QStringLiteral("exportFolder"), QDir::homePath()).toString();
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Export the report"),
        folder + QLatin1Char('/') + bundle->bundle.id + QStringLiteral(".html"),
        tr("HTML (*.html);;Markdown (*.md);;PDF (*.pdf);;Word (*.docx);;OpenDocument (*.odt);;JSON "
           "(*.json)"));
    if (!file.isEmpty())
        exportReportTo(file);
}

void MainWindow::exportReportTo(const QString& file)
{
    OpenBundle* bundle = currentBundle();
    const auto format = reportFormatFromName(QFileInfo(file).suffix().toLower());
    if (!bundle || !format) {
        tell(tr("Name the file .html, .md, .pdf, .docx, .odt or .json."));
        return;
    }
    m_rubric->commitEdits();
    m_settings->setValue(QStringLiteral("exportFolder"), QFileInfo(file).absolutePath());
    ReportInput input;
    input.bundle = bundle->bundle;
    if (bundle->haveRun)
        input.run = bundle->run;
    if (bundle->review) {
        input.review = bundle->review->review();
        input.rubric = bundle->review->rubric();
        input.notices = bundle->review->opening().notices;
    }
    input.version = QCoreApplication::applicationVersion();
    ++m_busy;
    tell(tr("Writing the report …"));
    auto* watcher = new QFutureWatcher<ExportAnswer>(this);
    connect(watcher, &QFutureWatcher<ExportAnswer>::finished, this, [this, watcher] {
        watcher->deleteLater();
        --m_busy;
        const ExportAnswer answer = watcher->result();
        tell(answer.message, 20000);
        Q_EMIT exportFinished(answer.ok, answer.message);
    });
    watcher->setFuture(QtConcurrent::run(writeReportFile, input, *format, file));
}

} // namespace ridgeline
