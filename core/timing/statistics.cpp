// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/statistics.h"

#include "core/timing/normal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridgeline {

namespace {

constexpr qsizetype trendLimit = 600;

double medianOf(QVector<double> values)
{
    const qsizetype n = values.size();
    if (n == 0)
        return 0;
    const auto middle = values.begin() + n / 2;
    std::nth_element(values.begin(), middle, values.end());
    if (n % 2)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

OutlierClass classify(double x, double p25, double p75)
{
    const double iqr = p75 - p25;
    if (x < p25 - 3 * iqr)
        return OutlierClass::SevereLow;
    if (x > p75 + 3 * iqr)
        return OutlierClass::SevereHigh;
    if (x < p25 - 1.5 * iqr)
        return OutlierClass::MildLow;
    if (x > p75 + 1.5 * iqr)
        return OutlierClass::MildHigh;
    return OutlierClass::None;
}

QStringList flagsOf(const SampleSummary& s, const SummaryOptions& options)
{
    QStringList flags;
    const auto n = double(s.samples.size());
    if (n < 6)
        flags << QStringLiteral("few samples");
    if (s.iqrOverMedian > 0.10)
        flags << QStringLiteral("very noisy");
    else if (s.iqrOverMedian > 0.05)
        flags << QStringLiteral("noisy");
    // For short series 0.2 is well within chance.
    if (s.lag1 > std::max(0.2, 2 / std::sqrt(n)))
        flags << QStringLiteral("autocorrelated");
    const bool moved = s.trend.interval.low > 0 || s.trend.interval.high < 0;
    if (n >= 6 && moved && std::fabs(s.trend.slope) * (n - 1) >= 0.01 * s.median)
        flags << QStringLiteral("drift");
    if (s.modes.two)
        flags << QStringLiteral("two modes");
    if (s.median < options.shortNs)
        flags << QStringLiteral("short");
    if (options.timerResolutionNs > 0 && s.median < 20 * options.timerResolutionNs)
        flags << QStringLiteral("timer limited");
    const auto severe = std::count_if(s.outliers.begin(), s.outliers.end(), [](OutlierClass c) {
        return c == OutlierClass::SevereLow || c == OutlierClass::SevereHigh;
    });
    if (double(severe) > 0.05 * n)
        flags << QStringLiteral("outliers");
    return flags;
}

} // namespace

MedianInterval medianInterval(const QVector<double>& sorted, double level)
{
    const int n = int(sorted.size());
    // below = P(Bin(n, ½) < rank), summed from the outside until the two tails exceed 1 − level.
    double below = 0;
    double logTerm = -double(n) * std::log(2.0);
    int rank = 0;
    double coverage = 1;
    while (rank < (n + 1) / 2) {
        const double next = below + std::exp(logTerm);
        if (1 - 2 * next < level)
            break;
        below = next;
        coverage = 1 - 2 * below;
        ++rank;
        logTerm += std::log(double(n - rank + 1)) - std::log(double(rank));
    }
    MedianInterval result;
    result.reached = rank > 0;
    if (rank == 0) {
        rank = 1;
        coverage = 1 - 2 * std::exp(-double(n) * std::log(2.0));
    }
    result.lowRank = rank;
    result.highRank = n + 1 - rank;
    result.coverage = std::max(0.0, coverage);
    result.interval = {sorted[result.lowRank - 1], sorted[result.highRank - 1]};
    return result;
}

double quantile(const QVector<double>& sorted, double p)
{
    const double position = p * double(sorted.size() - 1);
    const auto below = qsizetype(position);
    if (below + 1 >= sorted.size())
        return sorted.last();
    return sorted[below] + (position - double(below)) * (sorted[below + 1] - sorted[below]);
}

Trend theilSen(const QVector<double>& series, double level)
{
    QVector<double> y = series;
    double step = 1;
    if (series.size() > trendLimit) {
        const qsizetype group = (series.size() + trendLimit - 1) / trendLimit;
        y.clear();
        for (qsizetype i = 0; i + group <= series.size(); i += group)
            y.push_back(std::accumulate(series.begin() + i, series.begin() + i + group, 0.0) /
                        double(group));
        step = double(group);
    }
    const qsizetype n = y.size();
    if (n < 2)
        return {};
    QVector<double> slopes;
    slopes.reserve(n * (n - 1) / 2);
    for (qsizetype i = 0; i < n; ++i) {
        for (qsizetype j = i + 1; j < n; ++j)
            slopes.push_back((y[j] - y[i]) / (double(j - i) * step));
    }
    std::sort(slopes.begin(), slopes.end());
    Trend trend;
    trend.slope = quantile(slopes, 0.5);
    const double pairs = double(slopes.size());
    const double deviation = std::sqrt(double(n) * double(n - 1) * double(2 * n + 5) / 18);
    const double c = normalQuantile(0.5 + level / 2) * deviation;
    const auto low = qsizetype(std::floor((pairs - c) / 2));
    const auto high = qsizetype(std::ceil((pairs + c) / 2));
    trend.interval = {slopes[std::clamp<qsizetype>(low - 1, 0, slopes.size() - 1)],
                      slopes[std::clamp<qsizetype>(high, 0, slopes.size() - 1)]};
    return trend;
}

double lag1Autocorrelation(const QVector<double>& series)
{
    const qsizetype n = series.size();
    if (n < 3)
        return 0;
    const double mean = std::accumulate(series.begin(), series.end(), 0.0) / double(n);
    double top = 0, bottom = 0;
    for (qsizetype i = 0; i < n; ++i) {
        bottom += (series[i] - mean) * (series[i] - mean);
        if (i)
            top += (series[i] - mean) * (series[i - 1] - mean);
    }
    return bottom > 0 ? top / bottom : 0;
}

Modes findModes(const QVector<double>& sorted)
{
    const qsizetype n = sorted.size();
    Modes modes;
    if (n < 2)
        return modes;
    // Prefix sums of deviations from the first sample, so that large times lose no digits.
    QVector<double> sum(n + 1), squares(n + 1);
    for (qsizetype i = 0; i < n; ++i) {
        const double d = sorted[i] - sorted.first();
        sum[i + 1] = sum[i] + d;
        squares[i + 1] = squares[i] + d * d;
    }
    const auto deviation = [&](qsizetype from, qsizetype to) {
        const double count = double(to - from), s = sum[to] - sum[from];
        return std::max(0.0, squares[to] - squares[from] - s * s / count);
    };
    qsizetype split = 1;
    double best = deviation(0, 1) + deviation(1, n);
    for (qsizetype k = 2; k < n; ++k) {
        const double within = deviation(0, k) + deviation(k, n);
        if (within < best) {
            best = within;
            split = k;
        }
    }
    const double lowMean = sum[split] / double(split);
    const double highMean = (sum[n] - sum[split]) / double(n - split);
    const double variance =
        deviation(0, split) / double(split) + deviation(split, n) / double(n - split);
    modes.low = quantile(sorted.mid(0, split), 0.5);
    modes.high = quantile(sorted.mid(split), 0.5);
    modes.lowShare = double(split) / double(n);
    const double distance = highMean - lowMean;
    if (distance > 0)
        modes.separation =
            variance > 0 ? std::sqrt(2.0) * distance / std::sqrt(variance) : HUGE_VAL;
    const qsizetype smaller = std::min(split, n - split);
    modes.two = n >= 10 && smaller >= 3 && double(smaller) >= 0.15 * double(n) &&
                modes.separation > 4.5 && modes.high - modes.low >= 0.01 * quantile(sorted, 0.5);
    return modes;
}

Result<SampleSummary> summarize(const QVector<double>& samplesNs, const SummaryOptions& options)
{
    if (samplesNs.isEmpty())
        return Error{ErrorCode::BadSchema, QStringLiteral("there are no timing samples"), {}, {}};
    for (qsizetype i = 0; i < samplesNs.size(); ++i) {
        if (!std::isfinite(samplesNs[i]) || samplesNs[i] < 0)
            return Error{ErrorCode::BadSchema,
                         QStringLiteral("timing sample %1 is %2; a time is finite and not negative")
                             .arg(i)
                             .arg(samplesNs[i]),
                         {},
                         {}};
    }
    SampleSummary s;
    s.samples = samplesNs;
    QVector<double> sorted = samplesNs;
    std::sort(sorted.begin(), sorted.end());
    const auto n = double(sorted.size());
    s.median = quantile(sorted, 0.5);
    s.min = sorted.first();
    s.max = sorted.last();
    s.p25 = quantile(sorted, 0.25);
    s.p75 = quantile(sorted, 0.75);
    s.iqr = s.p75 - s.p25;
    // Around the median, so that large times with a small spread lose no digits.
    double shift = 0;
    for (const double x : sorted)
        shift += x - s.median;
    s.mean = s.median + shift / n;
    double squares = 0;
    QVector<double> deviations;
    for (const double x : sorted) {
        squares += (x - s.mean) * (x - s.mean);
        deviations.push_back(std::fabs(x - s.median));
    }
    s.stddev = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
    s.mad = medianOf(deviations);
    s.ci95 = medianInterval(sorted);
    for (const double x : samplesNs)
        s.outliers.push_back(classify(x, s.p25, s.p75));
    s.iqrOverMedian = s.median > 0 ? s.iqr / s.median : 0;
    s.lag1 = lag1Autocorrelation(samplesNs);
    s.trend = theilSen(samplesNs);
    s.modes = findModes(sorted);
    s.flags = flagsOf(s, options);
    return s;
}

Json toJson(const SampleSummary& s)
{
    Json flags = Json::array();
    for (const QString& flag : s.flags)
        flags.push_back(sstr(flag));
    int counts[5] = {};
    for (const OutlierClass c : s.outliers)
        ++counts[int(c)];
    return {{"samples_ns", s.samples},
            {"median_ns", s.median},
            {"ci95_ns",
             s.ci95.reached ? Json{s.ci95.interval.low, s.ci95.interval.high} : Json(nullptr)},
            {"ci95_coverage", s.ci95.coverage},
            {"min_ns", s.min},
            {"max_ns", s.max},
            {"p25_ns", s.p25},
            {"p75_ns", s.p75},
            {"iqr_ns", s.iqr},
            {"mean_ns", s.mean},
            {"stddev_ns", s.stddev},
            {"mad_ns", s.mad},
            {"flags", std::move(flags)},
            {"outliers",
             {{"mild_low", counts[int(OutlierClass::MildLow)]},
              {"mild_high", counts[int(OutlierClass::MildHigh)]},
              {"severe_low", counts[int(OutlierClass::SevereLow)]},
              {"severe_high", counts[int(OutlierClass::SevereHigh)]}}},
            {"noise",
             {{"iqr_over_median", s.iqrOverMedian},
              {"lag1", s.lag1},
              {"drift_ns_per_sample", s.trend.slope},
              {"drift_ci99", {s.trend.interval.low, s.trend.interval.high}},
              {"modes_ns", s.modes.two ? Json{s.modes.low, s.modes.high} : Json(nullptr)}}}};
}

} // namespace ridgeline
