// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says, before any format. Every string in it has been through cleanText().
#pragma once

#include "core/bundle/bundle.h"
#include "core/pass/record.h"
#include "core/review/review.h"
#include "core/rubric/rubric.h"

#include <QDateTime>
#include <QString>
#include <QStringList>
#include <QVector>
#include <optional>

namespace ridgeline {

struct ReportColumn {
    QString name;
    bool numeric = false; ///< right-aligned
    bool code = false;    ///< fixed width
    bool operator==(const ReportColumn&) const = default;
};

/// A table of text cells. Numbers are formatted with their unit; the run itself has them in full.
struct ReportTable {
    QString
        id; ///< passes, compile, diagnostics, correctness, mismatches, benchmark, roofline, counted
    QString title;
    QString note; ///< what kind of numbers these are; may be empty
    QVector<ReportColumn> columns;
    QVector<QStringList> rows;
    int rowsLeftOut = 0;
    bool operator==(const ReportTable&) const = default;
};

/// A point below the roof: what was counted or declared, never an emulated time.
struct RoofPoint {
    QString name;
    bool counted = false;                 ///< else from the bundle's expressions
    double intensity = 0;                 ///< FLOP per byte
    std::optional<double> achievedGflops; ///< only of device or host timings
    bool operator==(const RoofPoint&) const = default;
};

struct RoofPlot {
    QString device;
    QString dtype;
    double peakGflops = 0;
    double bandwidthGbps = 0;
    QVector<RoofPoint> points;
    bool isDrawable() const { return peakGflops > 0 && bandwidthGbps > 0 && !points.isEmpty(); }
    bool operator==(const RoofPlot&) const = default;
};

struct ReportScore {
    QString criterion;
    QString title;
    double weight = 1;
    std::optional<int> score;
    QString label;
    QString levelText;
    QString comment;
    QStringList evidence;
    QStringList missingEvidence;
    bool needsJustification = false; ///< scored where a comment is required, and there is none
    bool notApplicable = false;
    bool operator==(const ReportScore&) const = default;
};

struct ReportFinding {
    QString id;
    QString code;
    QString severity;
    QString title;
    QString explanation;
    QString candidate;
    QString pass;
    QString place; ///< "files/x.cu:18-19"; may be empty
    QStringList evidence;
    QString word;
    QString criterion; ///< title, or id where the rubric does not know it
    FindingState state = FindingState::Open;
    QString reason;
    bool operator==(const ReportFinding&) const = default;
};

struct ReportComment {
    QString place;
    QString note; ///< "moved from line 7", "orphaned: the text changed"; empty = exact
    QString quote;
    QString text;
    QString criterion;
    bool operator==(const ReportComment&) const = default;
};

struct ReportCandidate {
    QString id;
    QString title;
    QString origin; ///< author and model, as the bundle says
    QString verdict;
    QString reason;
    QVector<ReportTable> tables;
    RoofPlot plot;
    QStringList reproduce;
    bool operator==(const ReportCandidate&) const = default;
};

/// Everything a report says. A value; any thread.
struct ReportModel {
    QString bundle;
    QString bundleTitle;
    QString taskType;
    QString device;     ///< id as in the run; empty = no run
    QString deviceKind; ///< cuda, emulated-cuda, cpu …
    QString deviceName;
    QString deviceLabel; ///< what its numbers are worth, in one sentence
    QDateTime runStarted;
    QString runFile; ///< file name only
    QString reviewer;
    QString rubric; ///< "General kernel task 1.0.0"
    QString rubricHash;
    qint64 activeMs = 0;
    QStringList missing; ///< what this report lacks and why, one line each

    QString verdict; ///< accept, revise, reject, undecided
    QString word;    ///< verdict word of the catalogue
    QString summary;
    std::optional<double> total;
    int scaleMin = 1;
    int scaleMax = 5;
    double scoredWeight = 0;
    double applicableWeight = 0;
    QVector<ReportScore> scores;
    QVector<ReportFinding> confirmed;
    QVector<ReportFinding> open;
    QVector<ReportFinding> dismissed;
    QVector<ReportComment> comments;
    QVector<ReportCandidate> candidates;
    QVector<QStringList> environment; ///< name, value
    QString version;                  ///< of Ridgeline
    bool operator==(const ReportModel&) const = default;

    /// A pass failed or a person confirmed a finding: exit code 1 of the batch tool.
    bool hasProblems() const;
};

struct ReportInput {
    Bundle bundle;
    std::optional<RunRecord> run;
    QString runFile;
    std::optional<Review> review;
    std::optional<Rubric> rubric;
    QString candidate;   ///< only this one; empty = all
    QStringList notices; ///< of the review's replay and the like; they enter `missing`
    QString version;
};

/// Reads the bundle's files for anchored comments; otherwise no disk, no clock, no randomness:
/// equal input, equal report.
ReportModel buildReport(const ReportInput& input);

/// kreport/1.
Json toJson(const ReportModel& model);

} // namespace ridgeline
