// SPDX-License-Identifier: GPL-3.0-or-later
// One review of the example run, the same for every report test.
#pragma once

#include "core/report/report_model.h"
#include "core/review/anchor.h"
#include "core/support/paths.h"

#include <QDir>

namespace fixture {

using namespace ridgeline;

inline const QByteArray candidateSource = "__global__ void softmax(const float* x, float* y)\n{\n  "
                                          "  float sum = 0.0f;\n    sum += expf(*x);\n}\n";

inline EvidenceLink link(const char* kind, const char* ref)
{
    return {QLatin1String(kind), QLatin1String(ref), std::nullopt, {}};
}

/// The input of a whole report. `dir` becomes the bundle's folder and gets one candidate file.
inline ReportInput wholeInput(const QString& dir)
{
    QDir(dir).mkpath(QStringLiteral("files"));
    [[maybe_unused]] const auto written =
        writeFileAtomically(dir + QStringLiteral("/files/unshifted.cu"), candidateSource);
    ReportInput input;
    input.bundle.dir = dir;
    input.bundle.id = QStringLiteral("softmax-rows");
    input.bundle.title = QStringLiteral("Row softmax");
    Candidate good;
    good.id = QStringLiteral("shared-reduction");
    good.title = QStringLiteral("One block per row");
    Candidate bad;
    bad.id = QStringLiteral("unshifted");
    bad.title = QStringLiteral("No maximum subtracted");
    bad.author = QStringLiteral("A. Writer");
    input.bundle.candidates = {good, bad};
    const QString file = QStringLiteral(RIDGELINE_SOURCE_DIR "/tests/data/softmax.kresult.json");
    input.run = *runFromJson(*readJsonFile(file), file);
    input.runFile = QStringLiteral("softmax.kresult.json");
    input.rubric =
        *loadRubric(QStringLiteral(RIDGELINE_SOURCE_DIR "/rubrics/general-kernel-task.json"));
    input.version = QStringLiteral("0.0.0");

    Review review;
    review.bundle = input.bundle.id;
    review.reviewer = QStringLiteral("Ada");
    review.rubric = pinOf(*input.rubric);
    review.verdict = ReviewVerdict::Revise;
    review.word = VerdictWord::Wrong;
    review.activeMs = 37 * 60'000;
    review.summary =
        QStringLiteral("Subtract the row maximum before `expf`, and store the tail.\n\n"
                       "The task itself is sound.");
    review.scores[QStringLiteral("numerical_correctness")] = {
        1,
        false,
        QStringLiteral("Overflows for wide inputs; the last `cols % 4` columns are unwritten."),
        {link("finding", "unshifted/correctness/RL-MISMATCH/1"),
         link("pass", "unshifted/correctness")}};
    review.scores[QStringLiteral("spec_quality")].score = 4;
    review.scores[QStringLiteral("compile_validity")] = {
        5, false, {}, {link("pass", "unshifted/compile")}};
    review.scores[QStringLiteral("written_feedback")].notApplicable = true;
    review.decisions[QStringLiteral("unshifted/correctness/RL-MISMATCH/1")] = {
        FindingState::Confirmed, QStringLiteral("Reproduced with seed 2.")};
    review.decisions[QStringLiteral("unshifted/audit/B15/1")] = {
        FindingState::Dismissed, QStringLiteral("The harness checks the launch.")};
    AnchoredComment comment = *anchorComment(QStringLiteral("files/unshifted.cu"), candidateSource,
                                             4, 4, QStringLiteral("Overflow starts here."),
                                             QStringLiteral("numerical_correctness"));
    comment.id = QStringLiteral("c1");
    review.comments.push_back(comment);
    input.review = review;
    return input;
}

} // namespace fixture
