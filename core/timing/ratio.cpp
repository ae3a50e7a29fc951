// SPDX-License-Identifier: GPL-3.0-or-later
// Bootstrap comparison of two series.
#include "core/timing/normal.h"
#include "core/timing/statistics.h"

#include <algorithm>
#include <cmath>

namespace ridgeline {

namespace {

// SplitMix64: the standard library's distributions differ between implementations.
class Random {
public:
    explicit Random(quint64 seed) : m_state(seed) {}
    // [0, n)
    qsizetype below(qsizetype n)
    {
        m_state += 0x9e3779b97f4a7c15ull;
        quint64 z = m_state;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        z ^= z >> 31;
        return qsizetype((z >> 32) * quint64(n) >> 32);
    }

private:
    quint64 m_state;
};

double medianInPlace(QVector<double>& values)
{
    const qsizetype n = values.size();
    const auto middle = values.begin() + n / 2;
    std::nth_element(values.begin(), middle, values.end());
    if (n % 2)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Circular blocks, so that the ends are drawn as often as the middle. Both series take the same
// places when paired.
void resample(const QVector<double>& a, const QVector<double>& b, bool paired, qsizetype block,
              Random& random, QVector<double>& outA, QVector<double>& outB)
{
    const auto fill = [&](const QVector<double>& from, QVector<double>& to,
                          const QVector<double>* from2, QVector<double>* to2) {
        const qsizetype n = from.size();
        for (qsizetype done = 0; done < n; done += block) {
            const qsizetype start = random.below(n);
            const qsizetype length = std::min(block, n - done);
            for (qsizetype i = 0; i < length; ++i) {
                to[done + i] = from[(start + i) % n];
                if (from2)
                    (*to2)[done + i] = (*from2)[(start + i) % n];
            }
        }
    };
    if (paired) {
        fill(a, outA, &b, &outB);
        return;
    }
    fill(a, outA, nullptr, nullptr);
    fill(b, outB, nullptr, nullptr);
}

QVector<double> logRatios(const QVector<double>& a, const QVector<double>& b)
{
    QVector<double> logs;
    for (qsizetype i = 0; i < a.size(); ++i) {
        if (a[i] > 0 && b[i] > 0)
            logs.push_back(std::log(a[i] / b[i]));
    }
    return logs;
}

QVector<double> without(const QVector<double>& values, qsizetype first, qsizetype count)
{
    QVector<double> rest = values.mid(0, first);
    rest += values.mid(first + count);
    return rest;
}

// Efron's acceleration from leave-one-block-out estimates of the log ratio.
double acceleration(const QVector<double>& a, const QVector<double>& b, bool paired,
                    qsizetype block)
{
    // At most 400 groups: the skewness does not need more, and each costs a median.
    block = std::max(block, (std::max(a.size(), b.size()) + 399) / 400);
    QVector<double> estimates;
    const auto estimate = [&](QVector<double> x, QVector<double> y) {
        if (!x.isEmpty() && !y.isEmpty())
            estimates.push_back(std::log(medianInPlace(x)) - std::log(medianInPlace(y)));
    };
    for (qsizetype i = 0; i < a.size(); i += block)
        estimate(without(a, i, block), paired ? without(b, i, block) : b);
    if (!paired) {
        for (qsizetype i = 0; i < b.size(); i += block)
            estimate(a, without(b, i, block));
    }
    double mean = 0;
    for (const double e : estimates)
        mean += e / double(estimates.size());
    double squares = 0, cubes = 0;
    for (const double e : estimates) {
        squares += (mean - e) * (mean - e);
        cubes += (mean - e) * (mean - e) * (mean - e);
    }
    return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

} // namespace

QString ratioVerdictName(RatioVerdict verdict)
{
    switch (verdict) {
    case RatioVerdict::Faster:
        return QStringLiteral("faster");
    case RatioVerdict::Slower:
        return QStringLiteral("slower");
    case RatioVerdict::Same:
        return QStringLiteral("same");
    case RatioVerdict::Undecided:
        break;
    }
    return QStringLiteral("undecided");
}

Result<RatioComparison> compareSeries(const QVector<double>& candidate,
                                      const QVector<double>& baseline, const RatioOptions& options)
{
    const Result<SampleSummary> a = summarize(candidate), b = summarize(baseline);
    if (!a)
        return a.error();
    if (!b)
        return b.error();
    if (a->median <= 0 || b->median <= 0)
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("a median time of 0 has no ratio"),
                     {},
                     QStringLiteral("time more work per sample")};
    RatioComparison result;
    result.ratio = a->median / b->median;
    result.delta = std::max(options.delta, options.noiseFloor);
    result.paired = candidate.size() == baseline.size();
    const qsizetype shorter = std::min(candidate.size(), baseline.size());
    if (shorter < 6) {
        result.interval = {a->min / std::max(b->max, 1e-300),
                           b->min > 0 ? a->max / b->min : HUGE_VAL};
        result.reason = QStringLiteral("%1 samples are too few for a 95 % interval; at least 6 are "
                                       "needed on each side")
                            .arg(shorter);
        return result;
    }
    qsizetype block = options.blockLength;
    if (block <= 0) {
        // What pairs have in common cancels in the ratio; only the rest needs blocks.
        const double lag = result.paired ? lag1Autocorrelation(logRatios(candidate, baseline))
                                         : std::max(a->lag1, b->lag1);
        const bool correlated = lag > std::max(0.2, 2 / std::sqrt(double(shorter)));
        block = correlated ? qsizetype(std::ceil(std::cbrt(double(shorter)))) : 1;
    }
    block = std::clamp<qsizetype>(block, 1, shorter / 3);
    result.blockLength = int(block);
    const double budget = 4e7 / double(candidate.size() + baseline.size());
    result.resamples = std::max(2000, std::min(options.resamples, int(std::min(budget, 1e9))));

    Random random(options.seed);
    QVector<double> ratios(result.resamples), x(candidate.size()), y(baseline.size());
    double below = 0;
    for (double& r : ratios) {
        resample(candidate, baseline, result.paired, block, random, x, y);
        const double top = medianInPlace(x), bottom = medianInPlace(y);
        r = bottom > 0 ? top / bottom : HUGE_VAL;
        // Medians repeat, so ties are common; half of each counts as below.
        below += r < result.ratio ? 1 : r == result.ratio ? 0.5 : 0;
    }
    std::sort(ratios.begin(), ratios.end());
    const double n = double(result.resamples);
    const double bias = normalQuantile(std::clamp(below / n, 0.5 / n, 1 - 0.5 / n));
    const double accel = acceleration(candidate, baseline, result.paired, block);
    const auto endpoint = [&](double p) {
        const double z = bias + normalQuantile(p);
        return quantile(ratios, normalCdf(bias + z / (1 - accel * z)));
    };
    result.interval = {endpoint(0.5 - options.level / 2), endpoint(0.5 + options.level / 2)};

    const double low = 1 - result.delta, high = 1 + result.delta;
    const QString percent = QString::number(100 * result.delta, 'g', 3);
    if (result.interval.high < low) {
        result.verdict = RatioVerdict::Faster;
        result.reason = QStringLiteral("the whole interval is more than %1 % below 1").arg(percent);
    } else if (result.interval.low > high) {
        result.verdict = RatioVerdict::Slower;
        result.reason = QStringLiteral("the whole interval is more than %1 % above 1").arg(percent);
    } else if (result.interval.low >= low && result.interval.high <= high) {
        result.verdict = RatioVerdict::Same;
        result.reason = QStringLiteral("the whole interval is within %1 % of 1").arg(percent);
    } else {
        result.reason =
            QStringLiteral("the interval reaches across the limit of %1 %; more samples or "
                           "a quieter machine would decide")
                .arg(percent);
    }
    return result;
}

double noiseFloor(const QVector<double>& samples, quint64 seed)
{
    if (samples.size() < 12)
        return 0;
    QVector<double> even, odd;
    for (qsizetype i = 0; i + 1 < samples.size(); i += 2) {
        even.push_back(samples[i]);
        odd.push_back(samples[i + 1]);
    }
    RatioOptions options;
    options.seed = seed;
    const Result<RatioComparison> c = compareSeries(even, odd, options);
    if (!c)
        return 0;
    return std::max(std::fabs(1 - c->interval.low), std::fabs(c->interval.high - 1));
}

Json toJson(const RatioComparison& c)
{
    return {{"ratio", c.ratio},
            {"ratio_ci95", c.resamples ? Json{c.interval.low, c.interval.high} : Json(nullptr)},
            {"verdict", sstr(ratioVerdictName(c.verdict))},
            {"delta", c.delta},
            {"resamples", c.resamples},
            {"reason", sstr(c.reason)}};
}

} // namespace ridgeline
