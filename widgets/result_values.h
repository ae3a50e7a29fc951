// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON results of passes (core/pass/README.md) as rows a view can show. Missing or odd values
// become empty, never an error: a run may come from a newer Ridgeline.
#pragma once

#include "core/pass/record.h"

#include <QString>
#include <QVector>
#include <optional>

namespace ridgeline {

/// A number, or one of the strings "nan", "inf", "-inf"; empty for anything else.
std::optional<double> jsonReal(const Json& object, const char* key);
/// "1.25e-07", "0.0031", "nan"; "–" when empty.
QString realText(const std::optional<double>& value, int digits = 4);
/// "[3, 17]".
QString indexText(const Json& index);

struct Mismatch {
    QString index;
    std::optional<double> got, ref, abs, rel, ulp;
};

struct HistogramBin {
    QString upto; ///< "0.5", "1", … "512", "2¹⁰" … "inf"
    qint64 count = 0;
};

/// One output of one case; a case without outputs (process style, or it did not run) is one row
/// too.
struct NumericsRow {
    QString candidate;
    QString caseId;
    qint64 seed = 0;
    QString state; ///< passed, failed, error, timeout …
    QString message;
    QString output;
    QString dtype;
    QString shape;
    qint64 count = 0;
    QString rule;
    bool ok = false;
    qint64 mismatches = 0;
    std::optional<double> toleranceUsed, maxAbs, maxRel, maxUlp;
    QString maxAbsAt;
    qint64 unwritten = 0, nanGot = 0, nanRef = 0, infGot = 0, infRef = 0;
    QVector<Mismatch> first;
    QVector<Mismatch> worst;
    QVector<HistogramBin> ulps;
};
QVector<NumericsRow> numericsRows(const RunRecord& run);

struct BenchmarkRow {
    QString candidate;
    QString caseId;
    QString timingKind; ///< device, host, emulated, profiler, imported
    QString note;
    QString clock;
    QString cache;
    int warmup = 0;
    int reps = 0;
    QVector<double> samplesNs;
    std::optional<double> medianNs, ciLowNs, ciHighNs, minNs, p25Ns, p75Ns, iqrNs;
    QStringList flags;
    int verifiedReps = 0;
    int wrongReps = 0;
    QString baseline; ///< candidate compared with; empty = none
    std::optional<double> ratio, ratioLow, ratioHigh;
    QString verdict; ///< faster, slower, same, undecided
};
QVector<BenchmarkRow> benchmarkRows(const RunRecord& run);

/// What a timing kind is worth, for people: the emulated one says that it is no GPU performance.
QString timingKindMeaning(const QString& kind);

/// A point of the roofline pass, before it is placed on any device.
struct RooflineRow {
    QString candidate;
    QString caseId;
    QString source; ///< expression, counted
    double flops = 0;
    double bytes = 0;
    QString level;
    QString peakKind;
    std::optional<double> timeNs;
    QString timingKind;
};

struct RooflineRun {
    QString deviceId; ///< of the hardware table
    QString dtype;
    QVector<RooflineRow> rows;
    std::optional<double> hostGflops, hostGbps;
};
RooflineRun rooflineOf(const RunRecord& run);

/// "1.2 k", "3.45 G" – decimal prefixes.
QString siText(double value, const QString& unit);

} // namespace ridgeline
