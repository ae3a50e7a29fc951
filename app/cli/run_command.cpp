// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "core/bundle/bundle.h"
#include "core/pass/pipeline.h"

#include <QCommandLineParser>
#include <QFile>
#include <QTextStream>

namespace ridgeline {

namespace {

QTextStream& err()
{
    static QTextStream stream(stderr);
    return stream;
}

int fail(const Error& error)
{
    err() << "ridgeline run: " << error.toString() << Qt::endl;
    return exitCodeFor(error.code);
}

QStringList listOf(const QStringList& values)
{
    QStringList items;
    for (const QString& value : values)
        items << value.split(QLatin1Char(','), Qt::SkipEmptyParts);
    items.removeDuplicates();
    return items;
}

QString padded(const QString& text, int width)
{
    return text.leftJustified(width, QLatin1Char(' '));
}

void printTable(const RunResult& result)
{
    QTextStream out(stdout);
    int width = 9;
    for (const CandidateRun& candidate : result.record.candidates)
        width = qMax(width, int(candidate.id.size()));
    out << "device: " << result.record.device << "\n\n";
    for (const CandidateRun& candidate : result.record.candidates) {
        out << padded(candidate.id, width) << "  " << verdictName(candidate.verdict).toUpper()
            << "  " << candidate.verdictReason << '\n';
        for (const PassRecord& pass : candidate.passes)
            out << padded(QString(), width) << "  " << padded(pass.pass, 12)
                << padded(passStateName(pass.state), 10) << pass.summary << '\n';
        for (const Finding& finding : candidate.findings) {
            out << padded(QString(), width) << "  " << padded(finding.code, 14)
                << padded(severityName(finding.severity), 8) << finding.title;
            if (finding.location)
                out << " (" << finding.location->file << ':' << finding.location->firstLine << ')';
            out << '\n';
        }
        out << '\n';
    }
}

/// 3: nothing could be decided because of the machine; 1: something failed or is suspect; else 0.
int exitCodeOf(const RunRecord& record)
{
    bool bad = false, environment = false;
    for (const CandidateRun& candidate : record.candidates) {
        bad = bad || candidate.verdict == CandidateVerdict::Fail ||
              candidate.verdict == CandidateVerdict::Suspect;
        for (const PassRecord& pass : candidate.passes) {
            const bool error = pass.state == PassState::Error;
            const bool machine = jsonBool(jsonMember(pass.result, "error"), "environment", true);
            environment = environment || (error && machine);
            bad = bad || (error && !machine) || pass.state == PassState::Cancelled;
        }
        for (const Finding& finding : candidate.findings)
            bad = bad || finding.state == FindingState::Confirmed;
    }
    return bad ? 1 : environment ? 3 : 0;
}

} // namespace

int runCommand(const QStringList& args)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Runs passes over a bundle: progress on stderr, a table on stdout.\n"
                       "Exit codes: 0 all passes are fine; 1 a candidate fails or is suspect;\n"
                       "2 bad usage or input; 3 this machine cannot do it."));
    parser.addPositionalArgument(QStringLiteral("BUNDLE"),
                                 QStringLiteral("folder with kbundle.json"));
    const QCommandLineOption candidate(QStringLiteral("candidate"),
                                       QStringLiteral("only this candidate (may be repeated)"),
                                       QStringLiteral("ID"));
    const QCommandLineOption pass(
        QStringLiteral("pass"),
        QStringLiteral("only these passes: %1").arg(passNames().join(QLatin1Char(','))),
        QStringLiteral("P,.."));
    const QCommandLineOption device(QStringLiteral("device"),
                                    QStringLiteral("device to run on, see ridgeline devices"),
                                    QStringLiteral("D"));
    const QCommandLineOption json(
        QStringLiteral("json"),
        QStringLiteral("write kresult/1 there; - is stdout, without the table"),
        QStringLiteral("FILE|-"));
    const QCommandLineOption seed(QStringLiteral("seed"),
                                  QStringLiteral("added to every seed of the bundle"),
                                  QStringLiteral("N"), QStringLiteral("0"));
    const QCommandLineOption noSave(QStringLiteral("no-save"),
                                    QStringLiteral("leave nothing in the bundle's results/"));
    const QCommandLineOption quiet(QStringLiteral("quiet"), QStringLiteral("no progress"));
    const QCommandLineOption verbose(QStringLiteral("verbose"),
                                     QStringLiteral("compiler and program output too"));
    parser.addOptions({candidate, pass, device, json, seed, noSave, quiet, verbose});
    const QCommandLineOption help = parser.addHelpOption();
    if (!parser.parse(QStringList{QStringLiteral("ridgeline run")} + args)) {
        err() << "ridgeline run: " << parser.errorText() << Qt::endl;
        return 2;
    }
    if (parser.isSet(help)) {
        QTextStream(stdout) << parser.helpText();
        return 0;
    }
    bool number = false;
    RunRequest request;
    request.seed = parser.value(seed).toULongLong(&number);
    if (parser.positionalArguments().size() != 1 || !number) {
        err() << "ridgeline run: "
              << (number ? "one BUNDLE is needed" : "--seed must be a whole number")
              << "; see ridgeline run --help" << Qt::endl;
        return 2;
    }
    auto bundle = loadBundle(parser.positionalArguments().first());
    if (!bundle)
        return fail(bundle.error());
    request.bundle = *bundle;
    request.candidates = listOf(parser.values(candidate));
    request.passes = listOf(parser.values(pass));
    request.device = parser.value(device);
    request.save = !parser.isSet(noSave);
    if (auto checked = checkRequest(request); !checked)
        return fail(checked.error());
    for (const QString& warning : bundle->warnings)
        err() << "warning: " << warning << Qt::endl;

    RunObserver observer;
    if (!parser.isSet(quiet)) {
        observer.progress = [](int done, int total, const QString& label) {
            err() << '[' << done << '/' << total << "] " << label << Qt::endl;
        };
        observer.passChanged = [](const QString& id, const PassRecord& record) {
            if (record.state != PassState::Running)
                err() << "      " << id << ": " << record.pass << ' ' << passStateName(record.state)
                      << ": " << record.summary << Qt::endl;
        };
        if (parser.isSet(verbose))
            observer.logLines = [](const QString&, const QString&, const QStringList& lines) {
                for (const QString& line : lines)
                    err() << "      | " << line << Qt::endl;
            };
    }
    const Interrupt interrupt;
    auto result = runPasses(request, observer, interrupt.token());
    if (!result)
        return fail(result.error());
    if (!result->saveNote.isEmpty())
        err() << "note: " << result->saveNote << Qt::endl;
    if (!result->savedTo.isEmpty() && !parser.isSet(quiet))
        err() << "saved: " << result->savedTo << Qt::endl;
    const QString target = parser.value(json);
    if (target == QLatin1String("-")) {
        QFile out;
        if (!out.open(stdout, QIODevice::WriteOnly) ||
            out.write(toJsonBytes(toJson(result->record))) < 0 || !out.flush()) {
            err() << "ridgeline run: cannot write to stdout" << Qt::endl;
            return 2;
        }
        return exitCodeOf(result->record);
    }
    if (!target.isEmpty()) {
        if (auto written = writeFileAtomically(target, toJsonBytes(toJson(result->record)));
            !written)
            return fail(written.error());
    }
    printTable(*result);
    return exitCodeOf(result->record);
}

} // namespace ridgeline
