// SPDX-License-Identifier: GPL-3.0-or-later
// A report in the formats people and programs read. Text from a bundle is text in all of them.
#pragma once

#include "core/report/report_model.h"

#include <QByteArray>

namespace ridgeline {

enum class ReportFormat { Markdown, Html, Pdf, Odt, Docx, Json };

/// "md", "html", "pdf", "odt", "docx", "json".
QString reportFormatName(ReportFormat format);
std::optional<ReportFormat> reportFormatFromName(const QString& name);

/// The report's bytes, on any thread: each call lays out a document of its own. Pdf and Odt use
/// fonts, so a QGuiApplication must exist (offscreen will do). Equal models give equal bytes, but
/// for Pdf and Odt, which carry their own time.
Result<QByteArray> writeReport(const ReportModel& model, ReportFormat format);

QByteArray markdownReport(const ReportModel& model);
/// One file, no script, no remote resource; a content security policy forbids both.
QByteArray htmlReport(const ReportModel& model);
Result<QByteArray> pdfReport(const ReportModel& model);
Result<QByteArray> odtReport(const ReportModel& model);
Result<QByteArray> docxReport(const ReportModel& model);
QByteArray jsonReport(const ReportModel& model);

} // namespace ridgeline
