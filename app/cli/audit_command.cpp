// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "core/audit/source_audit.h"

#include <QCommandLineParser>
#include <QFileInfo>
#include <QTextStream>

namespace ridgeline {

namespace {

struct Audited {
    QString candidate; ///< empty for a lone file
    QVector<Finding> findings;
};

int complain(const Error& error)
{
    QTextStream(stderr) << "ridgeline audit: " << error.toString() << '\n';
    return exitCodeFor(error.code);
}

/// A bundle folder or manifest: one entry per candidate.
Result<QVector<Audited>> auditBundle(const QString& path, const QString& only)
{
    const Result<Bundle> bundle = loadBundle(path);
    if (!bundle)
        return bundle.error();
    QVector<Audited> all;
    for (const Candidate& candidate : bundle->candidates) {
        if (!only.isEmpty() && candidate.id != only)
            continue;
        Result<QVector<Finding>> findings = auditCandidate(*bundle, candidate);
        if (!findings)
            return findings.error();
        all.push_back({candidate.id, *std::move(findings)});
    }
    if (all.isEmpty())
        return Error{ErrorCode::NotFound,
                     only.isEmpty()
                         ? QStringLiteral("the bundle has no candidates")
                         : QStringLiteral("the bundle has no candidate \"%1\"").arg(only),
                     {path, 0, 0, {}},
                     {}};
    return all;
}

void print(const QVector<Audited>& all)
{
    QTextStream out(stdout);
    for (const Audited& audited : all) {
        if (!audited.candidate.isEmpty())
            out << audited.candidate << ": "
                << (audited.findings.isEmpty()
                        ? QStringLiteral("nothing found")
                        : QStringLiteral("%1 found").arg(audited.findings.size()))
                << '\n';
        for (const Finding& f : audited.findings) {
            out << "  [" << severityName(f.severity) << "] " << f.code << ' ' << f.title;
            if (f.suggestedVerdict != VerdictWord::None)
                out << " (" << verdictWordName(f.suggestedVerdict) << ')';
            out << '\n';
            for (const Evidence& e : f.evidence) {
                if (e.source)
                    out << "      " << e.source->file << ':' << e.source->firstLine << ": "
                        << e.text << '\n';
            }
            out << "      " << f.explanation << '\n';
        }
    }
    if (all.size() == 1 && all.first().candidate.isEmpty() && all.first().findings.isEmpty())
        out << "nothing found\n";
}

Json toJson(const QVector<Audited>& all)
{
    Json list = Json::array();
    for (const Audited& audited : all) {
        Json findings = Json::array();
        for (const Finding& f : audited.findings)
            findings.push_back(toJson(f));
        list.push_back({{"id", sstr(audited.candidate)}, {"findings", std::move(findings)}});
    }
    return {{"schema", "ridgeline-audit/1"},
            {"rules", auditRuleCount()},
            {"candidates", std::move(list)}};
}

} // namespace

int auditCommand(const QStringList& args)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral(
        "Looks for the known tricks and mistakes of kernel candidates in their source. Runs "
        "nothing.\n"
        "Exit code 0: nothing above low, 1: findings of severity medium or high, 2: bad input."));
    parser.addPositionalArgument(QStringLiteral("path"),
                                 QStringLiteral("a source file, or a bundle folder"));
    parser.addOptions(
        {{QStringLiteral("json"), QStringLiteral("print JSON")},
         {QStringLiteral("language"),
          QStringLiteral("cuda, cpp, hip, python, triton, pallas or nki; by suffix otherwise"),
          QStringLiteral("name")},
         {QStringLiteral("candidate"), QStringLiteral("only this candidate of a bundle"),
          QStringLiteral("id")},
         {QStringList{QStringLiteral("h"), QStringLiteral("help")}, QStringLiteral("this text")}});
    if (!parser.parse(QStringList{QStringLiteral("ridgeline audit")} + args)) {
        QTextStream(stderr) << "ridgeline audit: " << parser.errorText() << '\n';
        return 2;
    }
    if (parser.isSet(QStringLiteral("help"))) {
        QTextStream(stdout) << parser.helpText();
        return 0;
    }
    if (parser.positionalArguments().size() != 1) {
        QTextStream(stderr) << "ridgeline audit: name one file or bundle\n" << parser.helpText();
        return 2;
    }
    const QString path = parser.positionalArguments().first();
    const bool bundle =
        QFileInfo(path).isDir() || QFileInfo(path).fileName() == QLatin1String("kbundle.json");
    QVector<Audited> all;
    if (bundle) {
        Result<QVector<Audited>> audited =
            auditBundle(path, parser.value(QStringLiteral("candidate")));
        if (!audited)
            return complain(audited.error());
        all = *std::move(audited);
    } else {
        Result<QVector<Finding>> findings =
            auditFile(path, parser.value(QStringLiteral("language")));
        if (!findings)
            return complain(findings.error());
        all.push_back({QString(), *std::move(findings)});
    }
    if (parser.isSet(QStringLiteral("json")))
        QTextStream(stdout) << QString::fromUtf8(toJsonBytes(toJson(all)));
    else
        print(all);
    for (const Audited& audited : all) {
        for (const Finding& f : audited.findings) {
            if (f.severity >= Severity::Medium)
                return 1;
        }
    }
    return 0;
}

} // namespace ridgeline
