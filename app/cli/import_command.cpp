// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "core/import/collection.h"

#include <QCommandLineParser>
#include <QTextStream>

namespace ridgeline {

namespace {

QTextStream& err()
{
    static QTextStream stream(stderr);
    return stream;
}

int fail(const char* command, const Error& error)
{
    err() << "ridgeline " << command << ": " << error.toString() << Qt::endl;
    return exitCodeFor(error.code);
}

QString percent(double confidence)
{
    return QStringLiteral("%1 %").arg(qRound(confidence * 100));
}

QString nameOf(const QString& format)
{
    const TaskFormat* known = taskFormat(format);
    return known == nullptr ? format : known->title;
}

void printDetails(QTextStream& out, const ImportOutcome& outcome)
{
    const auto lines = [&out](const char* title, const QStringList& texts) {
        for (const QString& text : texts)
            out << "    " << title << ' ' << text << '\n';
    };
    out << "    format     " << nameOf(outcome.task.format) << ", "
        << percent(outcome.task.confidence) << " sure: " << outcome.task.why << '\n';
    lines("mapped    ", outcome.mapped);
    lines("not mapped", outcome.unmapped);
    lines("warning   ", outcome.warnings);
}

void printOutcome(QTextStream& out, const ImportOutcome& outcome, bool details)
{
    const QString state = outcome.error  ? QStringLiteral("refused")
                          : outcome.kept ? QStringLiteral("kept")
                                         : bundleStatusName(outcome.status);
    out << state.leftJustified(8) << nameOf(outcome.task.format).leftJustified(22)
        << (outcome.id.isEmpty() ? outcome.task.name : outcome.id);
    if (outcome.error) {
        out << '\n' << "    " << outcome.error->toString() << '\n';
        return;
    }
    out << "  (" << outcome.candidates << " candidates, " << outcome.cases << " cases";
    if (outcome.results > 0)
        out << ", " << outcome.results << " result records";
    if (!outcome.warnings.isEmpty() && !details)
        out << ", " << outcome.warnings.size() << " warnings";
    out << ")\n";
    if (details)
        printDetails(out, outcome);
}

void printDetection(QTextStream& out, const Detection& task)
{
    out << percent(task.confidence).leftJustified(8) << nameOf(task.format).leftJustified(22)
        << (task.path.isEmpty() ? QStringLiteral(".") : task.path);
    if (!task.record.isEmpty())
        out << '#' << task.record;
    if (task.isAmbiguous())
        out << "  or " << task.alternatives.join(QStringLiteral(", "));
    out << "  (" << task.why << ")\n";
}

void listFormats()
{
    QTextStream out(stdout);
    for (const TaskFormat& format : taskFormats()) {
        if (format.id != QLatin1String("by-hand"))
            out << format.id.leftJustified(24) << format.title.leftJustified(24)
                << format.recognised << '\n';
    }
}

Json reportJson(const CollectionResult& result)
{
    Json json{{"schema", "kimport/1"},        {"detect_ns", result.detectNs},
              {"tasks", Json::array()},       {"ambiguous", Json::array()},
              {"notes", Json::array()},       {"unknown", Json::array()},
              {"cancelled", result.cancelled}};
    if (result.outcomes.isEmpty() && result.ambiguous.isEmpty()) {
        for (const Detection& task : result.report.tasks)
            json["tasks"].push_back(toJson(task));
    }
    for (const ImportOutcome& outcome : result.outcomes)
        json["tasks"].push_back(toJson(outcome));
    for (const Detection& task : result.ambiguous)
        json["ambiguous"].push_back(toJson(task));
    for (const QString& note : result.report.notes)
        json["notes"].push_back(sstr(note));
    for (const QString& file : result.report.unknown)
        json["unknown"].push_back(sstr(file));
    return json;
}

/// --map reference=FILE --map candidate=FILE …
Result<HandMapping> mappingOf(const QStringList& pairs)
{
    HandMapping mapping;
    for (const QString& pair : pairs) {
        const QString role = pair.section(QLatin1Char('='), 0, 0);
        const QString value = pair.section(QLatin1Char('='), 1);
        if (role == QLatin1String("spec"))
            mapping.spec = value;
        else if (role == QLatin1String("reference"))
            mapping.reference = value;
        else if (role == QLatin1String("candidate"))
            mapping.candidates << value;
        else if (role == QLatin1String("call-style"))
            mapping.callStyle = value;
        else if (role == QLatin1String("entry"))
            mapping.entry = value;
        else if (role == QLatin1String("reference-entry"))
            mapping.referenceEntry = value;
        else
            return Error{ErrorCode::BadUsage,
                         QStringLiteral("--map knows no \"%1\"").arg(role.left(40)),
                         {},
                         QStringLiteral("use spec, reference, candidate, call-style, entry, "
                                        "reference-entry")};
    }
    return mapping;
}

int importMapped(const QString& path, const QString& root, const QString& dir,
                 const QStringList& pairs, bool json)
{
    const auto mapping = mappingOf(pairs);
    if (!mapping)
        return fail("import", mapping.error());
    const auto tree = SourceTree::open(path, root);
    if (!tree)
        return fail("import", tree.error());
    const ImportOutcome outcome = importByHand(*tree, *mapping, dir);
    QTextStream out(stdout);
    if (json)
        out << QString::fromUtf8(toJsonBytes(toJson(outcome)));
    else
        printOutcome(out, outcome, true);
    return outcome.error ? exitCodeFor(outcome.error->code) : 0;
}

/// 2: nothing came in, or somebody must choose; 1: something was refused; else 0.
int exitCodeOf(const CollectionResult& result)
{
    int refused = 0;
    for (const ImportOutcome& outcome : result.outcomes)
        refused += outcome.error ? 1 : 0;
    if (!result.ambiguous.isEmpty() || result.report.tasks.isEmpty() ||
        (refused > 0 && refused == result.outcomes.size()))
        return 2;
    return refused > 0 || result.cancelled ? 1 : 0;
}

void explainNothing(const CollectionResult& result, const QString& path)
{
    err() << "ridgeline import: " << path << ": no task format is recognised here\n";
    if (!result.report.unknown.isEmpty()) {
        err() << "Files of kernel languages that belong to none:\n";
        for (const QString& file : result.report.unknown.mid(0, 10))
            err() << "    " << file << '\n';
        if (result.report.unknown.size() > 10)
            err() << "    and " << result.report.unknown.size() - 10 << " more\n";
    }
    err()
        << "Name the format with --format (see ridgeline import --formats), or map files by hand:\n"
           "    ridgeline import "
        << path << " -o DIR --map reference=FILE --map candidate=FILE --map spec=FILE" << Qt::endl;
}

} // namespace

int importCommand(const QStringList& args)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral(
        "Imports tasks of any known format as bundles; nothing of them is executed. A folder may\n"
        "hold a whole collection; what an earlier import brought in unchanged is kept.\n"
        "Exit codes: 0 all came in; 1 some were refused; 2 bad usage or input, nothing "
        "recognised,\n"
        "or several formats fit and --format must choose."));
    parser.addPositionalArgument(QStringLiteral("PATH"),
                                 QStringLiteral("file, folder, or zip or tar archive"));
    const QCommandLineOption out({QStringLiteral("o"), QStringLiteral("output")},
                                 QStringLiteral("folder for the bundles; made if needed"),
                                 QStringLiteral("DIR"));
    const QCommandLineOption format(QStringLiteral("format"),
                                    QStringLiteral("look for this format only; see --formats"),
                                    QStringLiteral("F"));
    const QCommandLineOption root(
        QStringLiteral("root"),
        QStringLiteral("folder above PATH that files named by the task may be in"),
        QStringLiteral("DIR"));
    const QCommandLineOption list(QStringLiteral("list"),
                                  QStringLiteral("only say what is recognised; no -o needed"));
    const QCommandLineOption map(
        QStringLiteral("map"),
        QStringLiteral("map by hand: spec=, reference=, candidate= (may be repeated), call-style=, "
                       "entry=, reference-entry="),
        QStringLiteral("ROLE=FILE"));
    const QCommandLineOption again(QStringLiteral("again"),
                                   QStringLiteral("import unchanged tasks again too"));
    const QCommandLineOption json(QStringLiteral("json"),
                                  QStringLiteral("kimport/1 on stdout instead of the table"));
    const QCommandLineOption verbose(QStringLiteral("verbose"),
                                     QStringLiteral("what was mapped and what was not, of each"));
    const QCommandLineOption formats(QStringLiteral("formats"), QStringLiteral("list all formats"));
    parser.addOptions({out, format, root, list, map, again, json, verbose, formats});
    const QCommandLineOption help = parser.addHelpOption();
    if (!parser.parse(QStringList{QStringLiteral("ridgeline import")} + args)) {
        err() << "ridgeline import: " << parser.errorText() << Qt::endl;
        return 2;
    }
    if (parser.isSet(help)) {
        QTextStream(stdout) << parser.helpText();
        return 0;
    }
    if (parser.isSet(formats)) {
        listFormats();
        return 0;
    }
    if (parser.positionalArguments().size() != 1 || (!parser.isSet(out) && !parser.isSet(list))) {
        err() << "ridgeline import: name one PATH, and the folder for the bundles with -o; see "
                 "ridgeline import --help"
              << Qt::endl;
        return 2;
    }
    CollectionRequest request;
    request.path = parser.positionalArguments().first();
    request.root = parser.value(root);
    request.format = parser.value(format);
    request.again = parser.isSet(again);
    if (!parser.isSet(list))
        request.dir = parser.value(out);
    if (parser.isSet(map))
        return importMapped(request.path, request.root, parser.value(out), parser.values(map),
                            parser.isSet(json));

    QTextStream stream(stdout);
    const bool quiet = parser.isSet(json);
    int total = 0;
    CollectionObserver observer;
    observer.found = [&](const DetectionReport& report) {
        total = int(report.tasks.size());
        if (!quiet && parser.isSet(list)) {
            for (const Detection& task : report.tasks)
                printDetection(stream, task);
        }
    };
    observer.imported = [&](const ImportOutcome& outcome) {
        if (!quiet) {
            printOutcome(stream, outcome, total <= 1 || parser.isSet(verbose));
            stream.flush();
        }
    };
    const Interrupt interrupt;
    const auto result = importCollection(request, observer, interrupt.token());
    if (!result)
        return fail("import", result.error());
    if (quiet)
        stream << QString::fromUtf8(toJsonBytes(reportJson(*result)));
    stream.flush();
    for (const QString& note : result->report.notes)
        err() << "note: " << note << '\n';
    for (const Detection& task : result->ambiguous) {
        err() << "ridgeline import: " << task.path
              << ": several formats fit. Choose with --format:\n"
              << "    " << task.format << '\n';
        for (const QString& other : task.alternatives)
            err() << "    " << other << '\n';
    }
    if (result->report.tasks.isEmpty())
        explainNothing(*result, request.path);
    else if (!quiet && result->report.tasks.size() > 1)
        err() << result->report.tasks.size() << " tasks recognised in "
              << result->detectNs / 1000000 << " ms" << Qt::endl;
    err().flush();
    return exitCodeOf(*result);
}

int exportCommand(const QStringList& args)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Writes the original files of imported bundles back, byte for byte.\n"
                       "Exit codes: 0 written, 2 bad usage or input."));
    parser.addPositionalArgument(QStringLiteral("BUNDLE.."),
                                 QStringLiteral("bundle folders, or a folder of them"));
    const QCommandLineOption out({QStringLiteral("o"), QStringLiteral("output")},
                                 QStringLiteral("folder for the files; made if needed"),
                                 QStringLiteral("DIR"));
    const QCommandLineOption force(QStringLiteral("force"),
                                   QStringLiteral("overwrite files that differ"));
    parser.addOptions({out, force});
    const QCommandLineOption help = parser.addHelpOption();
    if (!parser.parse(QStringList{QStringLiteral("ridgeline export")} + args)) {
        err() << "ridgeline export: " << parser.errorText() << Qt::endl;
        return 2;
    }
    if (parser.isSet(help)) {
        QTextStream(stdout) << parser.helpText();
        return 0;
    }
    if (parser.positionalArguments().isEmpty() || !parser.isSet(out)) {
        err() << "ridgeline export: name bundles, and the folder for their files with -o"
              << Qt::endl;
        return 2;
    }
    const auto written =
        exportNative(parser.positionalArguments(), parser.value(out), parser.isSet(force));
    if (!written)
        return fail("export", written.error());
    QTextStream stream(stdout);
    for (const QString& file : *written)
        stream << file << '\n';
    return 0;
}

} // namespace ridgeline
