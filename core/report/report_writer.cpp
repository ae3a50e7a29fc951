// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/report_writer.h"

#include <array>

namespace ridgeline {

namespace {

const std::array<const char*, 6> names{"md", "html", "pdf", "odt", "docx", "json"};

} // namespace

QString reportFormatName(ReportFormat format)
{
    return QString::fromLatin1(names[std::size_t(format)]);
}

std::optional<ReportFormat> reportFormatFromName(const QString& name)
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (name == QLatin1String(names[i]))
            return ReportFormat(int(i));
    }
    return std::nullopt;
}

QByteArray jsonReport(const ReportModel& model)
{
    return toJsonBytes(toJson(model));
}

Result<QByteArray> writeReport(const ReportModel& model, ReportFormat format)
{
    switch (format) {
    case ReportFormat::Markdown:
        return markdownReport(model);
    case ReportFormat::Html:
        return htmlReport(model);
    case ReportFormat::Pdf:
        return pdfReport(model);
    case ReportFormat::Odt:
        return odtReport(model);
    case ReportFormat::Docx:
        return docxReport(model);
    case ReportFormat::Json:
        return jsonReport(model);
    }
    return Error{ErrorCode::Internal, QStringLiteral("no such format"), {}, {}};
}

} // namespace ridgeline
