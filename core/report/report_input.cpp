// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/report_input.h"

#include "core/pass/run_state.h"
#include "core/review/review_store.h"
#include "core/support/paths.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

namespace ridgeline {

namespace {

Result<RunRecord> readRun(const QString& file)
{
    auto json = readJsonFile(file);
    if (!json)
        return json.error();
    return runFromJson(*json, file);
}

/// The newest run that can be read: their names begin with the UTC time they started. Runs of a
/// bundle that cannot be written are in the user's data folder.
void newestRun(ReportInput& input)
{
    QStringList folders{dataDir() + QStringLiteral("/results/") + safeName(input.bundle.id)};
    if (const auto own = resolveInside(input.bundle.dir, QStringLiteral("results")))
        folders.prepend(*own);
    QFileInfoList files;
    for (const QString& folder : folders)
        files << QDir(folder).entryInfoList({QStringLiteral("*.kresult.json")},
                                            QDir::Files | QDir::NoSymLinks);
    std::stable_sort(files.begin(), files.end(), [](const QFileInfo& a, const QFileInfo& b) {
        return a.fileName() > b.fileName();
    });
    for (const QFileInfo& file : files) {
        auto run = readRun(file.absoluteFilePath());
        if (run) {
            input.run = std::move(*run);
            input.runFile = file.fileName();
            return;
        }
        input.notices
            << QStringLiteral("A later run could not be read: %1.").arg(run.error().toString());
    }
}

Result<void> addReview(ReportInput& input, const ReportRequest& request)
{
    const auto stored = listReviews(input.bundle.dir, input.bundle.id);
    QStringList known;
    for (const StoredReview& candidate : stored) {
        known << QStringLiteral("%1 (%2)").arg(candidate.reviewer, candidate.rubric);
        if ((!request.reviewer.isEmpty() && candidate.reviewer != request.reviewer) ||
            (!request.rubric.isEmpty() && candidate.rubric != request.rubric))
            continue;
        QStringList replay;
        auto review = readReview(candidate, &replay);
        if (!replay.isEmpty())
            input.notices << QStringLiteral("Parts of the review could not be read: %1 lines.")
                                 .arg(replay.size());
        if (!review) {
            input.notices
                << QStringLiteral("A review could not be read: %1.").arg(review.error().toString());
            continue;
        }
        input.review = std::move(*review);
        break;
    }
    if (input.review || (request.reviewer.isEmpty() && request.rubric.isEmpty()))
        return {};
    return Error{
        ErrorCode::NotFound,
        QStringLiteral("there is no such review (%1)")
            .arg(QStringList{request.reviewer, request.rubric}.join(QLatin1Char(' ')).trimmed()),
        {input.bundle.dir},
        known.isEmpty() ? QStringLiteral("the bundle has no review")
                        : QStringLiteral("known: %1").arg(known.join(QStringLiteral(", ")))};
}

} // namespace

Result<ReportInput> gatherReport(const ReportRequest& request)
{
    auto bundle = loadBundle(request.bundle);
    if (!bundle)
        return bundle.error();
    ReportInput input;
    input.bundle = std::move(*bundle);
    input.candidate = request.candidate;
    input.version = request.version;
    if (request.runFile.isEmpty()) {
        newestRun(input);
    } else {
        auto run = readRun(request.runFile);
        if (!run)
            return run.error();
        input.run = std::move(*run);
        input.runFile = QFileInfo(request.runFile).fileName();
    }
    if (!request.candidate.isEmpty() && input.bundle.candidate(request.candidate) == nullptr &&
        (!input.run || input.run->candidate(request.candidate) == nullptr)) {
        QStringList known;
        for (const Candidate& candidate : input.bundle.candidates)
            known << candidate.id;
        return Error{ErrorCode::BadUsage,
                     QStringLiteral("there is no candidate \"%1\"").arg(request.candidate),
                     {input.bundle.dir},
                     QStringLiteral("candidates: %1").arg(known.join(QStringLiteral(", ")))};
    }
    if (const auto added = addReview(input, request); !added)
        return added.error();
    if (input.review) {
        auto rubric = findRubric(input.review->rubric.id);
        if (rubric)
            input.rubric = std::move(*rubric);
    }
    return input;
}

} // namespace ridgeline
