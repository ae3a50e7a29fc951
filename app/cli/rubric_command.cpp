// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "core/rubric/rubric.h"

#include <QTextStream>

namespace ridgeline {

namespace {

int usage(FILE* stream, int code)
{
    QTextStream(stream)
        << "usage: ridgeline rubric check FILE..   print every problem, or \"valid\"\n"
           "       ridgeline rubric list           rubrics that come with Ridgeline\n"
           "Exit codes: 0 valid, 2 problems or bad usage.\n";
    return code;
}

int check(const QStringList& files)
{
    QTextStream out(stdout);
    QTextStream err(stderr);
    int code = 0;
    for (const QString& file : files) {
        const auto json = readJsonFile(file);
        QVector<Error> problems = json ? validateRubric(*json, file) : QVector<Error>{json.error()};
        for (const Error& problem : problems)
            err << problem.toString() << '\n';
        if (!problems.isEmpty()) {
            err << file << ": " << problems.size()
                << (problems.size() == 1 ? " problem\n" : " problems\n");
            code = 2;
            continue;
        }
        const auto rubric = rubricFromJson(*json, file);
        out << file << ": valid (" << rubric->id << " " << rubric->version << ", "
            << rubric->criteria.size() << " criteria, sha256 " << rubric->hash.left(12) << ")\n";
    }
    return code;
}

int list()
{
    const RubricList found = listRubrics();
    QTextStream out(stdout);
    for (const Rubric& rubric : found.rubrics)
        out << rubric.id << '\t' << rubric.version << '\t' << rubric.title << '\t' << rubric.file
            << '\n';
    for (const Error& problem : found.problems)
        QTextStream(stderr) << problem.toString() << '\n';
    return found.problems.isEmpty() ? 0 : 2;
}

} // namespace

int rubricCommand(const QStringList& args)
{
    const QString verb = args.value(0);
    if (verb == QLatin1String("--help") || verb == QLatin1String("-h"))
        return usage(stdout, 0);
    if (verb == QLatin1String("list") && args.size() == 1)
        return list();
    if (verb == QLatin1String("check") && args.size() > 1)
        return check(args.mid(1));
    return usage(stderr, 2);
}

} // namespace ridgeline
