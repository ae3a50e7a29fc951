// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "core/report/report_input.h"
#include "core/report/report_writer.h"
#include "core/review/review_files.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QDir>
#include <QTextStream>

namespace ridgeline {

namespace {

int fail(const Error& error)
{
    QTextStream(stderr) << "ridgeline report: " << error.toString() << '\n';
    return exitCodeFor(error.code);
}

Result<QVector<ReportFormat>> formatsOf(const QString& list)
{
    QVector<ReportFormat> formats;
    for (const QString& name : list.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const auto format = reportFormatFromName(name.trimmed().toLower());
        if (!format)
            return Error{ErrorCode::BadUsage,
                         QStringLiteral("\"%1\" is no report format").arg(name),
                         {},
                         QStringLiteral("use md, html, pdf, odt, docx, json")};
        if (!formats.contains(*format))
            formats << *format;
    }
    if (formats.isEmpty())
        return Error{ErrorCode::BadUsage, QStringLiteral("--format names no format"), {}, {}};
    return formats;
}

} // namespace

int reportCommand(const QStringList& args)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral(
        "Writes the feedback on a bundle: newest run, review and rubric as one document.\n"
        "Exit codes: 0 written, 1 written and a candidate failed or a finding is confirmed,\n"
        "2 bad usage or input, 3 this machine cannot do it."));
    const QCommandLineOption run(
        QStringLiteral("run"),
        QStringLiteral("A kresult/1 file; default: newest of BUNDLE/results."),
        QStringLiteral("FILE"));
    const QCommandLineOption reviewer(
        QStringLiteral("reviewer"), QStringLiteral("Whose review; default: the one changed last."),
        QStringLiteral("NAME"));
    const QCommandLineOption rubric(QStringLiteral("rubric"),
                                    QStringLiteral("Only a review with this rubric."),
                                    QStringLiteral("ID"));
    const QCommandLineOption candidate(
        QStringLiteral("candidate"), QStringLiteral("Only this candidate."), QStringLiteral("ID"));
    const QCommandLineOption format(
        QStringLiteral("format"),
        QStringLiteral("md, html, pdf, odt, docx, json; several with commas."),
        QStringLiteral("LIST"), QStringLiteral("md"));
    const QCommandLineOption out(
        {QStringLiteral("o"), QStringLiteral("output")},
        QStringLiteral("Folder for BUNDLE-ID.report.FORMAT; made if needed."),
        QStringLiteral("DIR"), QStringLiteral("."));
    parser.addOptions({run, reviewer, rubric, candidate, format, out});
    const QCommandLineOption help = parser.addHelpOption();
    parser.addPositionalArgument(QStringLiteral("BUNDLE"), QStringLiteral("Bundle folder."));
    if (!parser.parse(QStringList{QStringLiteral("ridgeline report")} + args))
        return fail({ErrorCode::BadUsage,
                     parser.errorText(),
                     {},
                     QStringLiteral("see ridgeline report --help")});
    if (parser.isSet(help)) {
        QTextStream(stdout) << parser.helpText();
        return 0;
    }
    if (parser.positionalArguments().size() != 1)
        return fail({ErrorCode::BadUsage,
                     QStringLiteral("name one bundle"),
                     {},
                     QStringLiteral("see ridgeline report --help")});
    const auto formats = formatsOf(parser.value(format));
    if (!formats)
        return fail(formats.error());

    const auto input = gatherReport(
        {parser.positionalArguments().first(), parser.value(run), parser.value(reviewer),
         parser.value(rubric), parser.value(candidate), QCoreApplication::applicationVersion()});
    if (!input)
        return fail(input.error());
    const ReportModel model = buildReport(*input);
    for (const QString& line : model.missing)
        QTextStream(stderr) << "note: " << line << '\n';

    const QString folder = parser.value(out);
    if (!QDir().mkpath(folder))
        return fail(
            {ErrorCode::Unreadable, QStringLiteral("cannot make the folder"), {folder}, {}});
    for (const ReportFormat wanted : *formats) {
        const auto bytes = writeReport(model, wanted);
        if (!bytes)
            return fail(bytes.error());
        const QString file = QDir(folder).filePath(
            fileNamePart(model.bundle) + QStringLiteral(".report.") + reportFormatName(wanted));
        if (const auto written = writeFileAtomically(file, *bytes); !written)
            return fail(written.error());
        QTextStream(stdout) << file << '\n';
    }
    return model.hasProblems() ? 1 : 0;
}

} // namespace ridgeline
