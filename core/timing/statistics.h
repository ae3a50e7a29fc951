// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of timing samples: location, spread, noise, and the comparison of two series.
// Everything is non-parametric: timings are skewed, never normal (Hoefler & Belli, SC15).
#pragma once

#include "core/support/json.h"

#include <QStringList>
#include <QVector>
#include <optional>

namespace ridgeline {

struct Interval {
    double low = 0;
    double high = 0;
    bool operator==(const Interval&) const = default;
};

/// Confidence interval of a median from order statistics; no assumption but independence.
struct MedianInterval {
    Interval interval;
    int lowRank = 0; ///< one-based ranks of the two samples
    int highRank = 0;
    double coverage = 0;  ///< exact probability of the ranks: 1 − 2·P(Bin(n, ½) < lowRank)
    bool reached = false; ///< coverage ≥ the level asked for; below 6 samples 95 % cannot be
};

/// The narrowest symmetric ranks that cover `level`; where n is too small for it, the whole range
/// with the coverage it has and reached = false. `sorted` ascending and not empty.
MedianInterval medianInterval(const QVector<double>& sorted, double level = 0.95);

/// Quantile of ascending samples by linear interpolation (Hyndman & Fan type 7, numpy's default).
double quantile(const QVector<double>& sorted, double p);

/// Theil–Sen slope per sample (median of all pairwise slopes) with Sen's interval (1968) from
/// Kendall's statistic. Over 600 samples neighbours are first averaged into at most 600 groups.
struct Trend {
    double slope = 0;  ///< per sample
    Interval interval; ///< at the level asked for
};
Trend theilSen(const QVector<double>& series, double level = 0.99);

/// Correlation of each sample with the one before; 0 for a constant or shorter than 3.
double lag1Autocorrelation(const QVector<double>& series);

/// Best split of the samples into two groups (least squared deviation).
struct Modes {
    double low = 0, high = 0; ///< medians of the groups
    double lowShare = 0;      ///< share of samples in the lower one
    double separation = 0;    ///< Ashman's D: √2·|m1 − m2| / √(s1² + s2²)
    bool two = false;         ///< D > 4.5, each group ≥ 15 % and ≥ 3 samples, 1 % or more apart
};
Modes findModes(const QVector<double>& sorted);

enum class OutlierClass { None, MildLow, MildHigh, SevereLow, SevereHigh };

struct SummaryOptions {
    double timerResolutionNs = 0; ///< 0 = unknown; no "timer limited" flag then
    double shortNs = 5000;        ///< a median below is flagged "short"
};

/// One series, in the order it was taken. Times in nanoseconds.
struct SampleSummary {
    QVector<double> samples; ///< all of them; nothing is ever removed
    double median = 0, min = 0, max = 0, p25 = 0, p75 = 0, iqr = 0;
    double mean = 0;
    double stddev = 0; ///< n − 1; 0 for a single sample
    double mad = 0;    ///< median of |x − median|, not scaled
    MedianInterval ci95;
    QVector<OutlierClass> outliers; ///< one per sample: beyond 1.5 (mild) or 3 (severe) IQR
    double iqrOverMedian = 0;
    double lag1 = 0;
    Trend trend;
    Modes modes;
    /// "few samples" (n < 6), "noisy" (IQR/median > 5 %), "very noisy" (> 10 %), "autocorrelated"
    /// (lag 1 > 0.2 and > 2/√n), "drift" (99 % interval of the slope excludes 0 and the series
    /// moved by ≥ 1 %), "two modes", "short", "timer limited" (median < 20 timer ticks), "outliers"
    /// (more than 5 % severe).
    QStringList flags;
};

/// Error BadSchema: no samples, or one that is negative or not finite. Any thread.
Result<SampleSummary> summarize(const QVector<double>& samplesNs,
                                const SummaryOptions& options = {});

enum class RatioVerdict { Faster, Slower, Same, Undecided };
QString ratioVerdictName(RatioVerdict verdict); ///< faster, slower, same, undecided

struct RatioOptions {
    double level = 0.95;
    double delta = 0.01;   ///< a difference below is no difference
    double noiseFloor = 0; ///< observed A/A difference; widens delta
    int resamples = 10000; ///< at most; fewer for very long series, never below 2000
    int blockLength = 0;   ///< neighbours resampled together; 0 = by autocorrelation
    quint64 seed = 20240229;
};

struct RatioComparison {
    double ratio = 1;    ///< median candidate / median baseline: below 1 is faster
    Interval interval;   ///< BCa bootstrap interval of it
    double delta = 0.01; ///< what was used: max(delta, noise floor)
    int resamples = 0;
    int blockLength = 1;
    bool paired = false; ///< equally long series are resampled as pairs, which keeps common drift
    RatioVerdict verdict = RatioVerdict::Undecided;
    QString reason; ///< one line
};

/// Compares two series that were taken alternately (ABAB or ABBA). The interval is the
/// bias-corrected and accelerated bootstrap (Efron 1987) of the ratio of medians, acceleration by
/// leave-one-block-out jackknife. Faster: interval below 1 − delta; slower: above 1 + delta; same:
/// inside; else undecided. Below 6 samples on a side always undecided. The same input gives the
/// same answer. Errors as summarize, and BadSchema when a median is 0.
Result<RatioComparison> compareSeries(const QVector<double>& candidate,
                                      const QVector<double>& baseline,
                                      const RatioOptions& options = {});

/// The difference that appears where there is none: the even samples of one series against its odd
/// ones, as the largest distance of the ratio's interval from 1. 0 below 12 samples.
double noiseFloor(const QVector<double>& samples, quint64 seed = 20240229);

/// The statistics of a case in "benchmark" of core/pass/README.md (samples_ns … flags), with
/// further keys max_ns, mad_ns, ci95_coverage, outliers, noise.
Json toJson(const SampleSummary& summary);
/// {ratio, ratio_ci95, verdict, delta, resamples, reason}; ratio_ci95 is null below 6 samples.
Json toJson(const RatioComparison& comparison);

} // namespace ridgeline
