// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/compare.h"

#include "core/numerics/convert.h"
#include "core/numerics/method.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ridgeline {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr qint64 chunkElements = 4096;
constexpr int keptMismatches = 16;
constexpr int finiteBuckets = 18; // 2^-1 … 2^16

double ratio(double error, double allowed)
{
    if (error == 0)
        return 0;
    return allowed > 0 ? error / allowed : infinity;
}

// Index of the first bucket 2^-1, 2^0 … that holds u, straight from the exponent bits: the
// predecessor of a power of two still has the smaller exponent.
int bucketOf(double u)
{
    if (u <= 0.5)
        return 0;
    const int exponent = int((std::bit_cast<std::uint64_t>(u) - 1) >> 52) - 1023;
    return std::min(exponent + 2, finiteBuckets);
}

} // namespace

struct OutputComparer::State {
    OutputComparison out;
    ToleranceMethod method = ToleranceMethod::AllClose;
    double rtol = 0, atol = 0, ulpLimit = 0;
    FloatFormat format;
    double overflowAt = infinity; ///< a reference this big rounds to infinity
    bool hasInfinity = true;
    int size = 4;
    bool poisoned = false;
    qint64 position = 0;
    std::array<qint64, finiteBuckets + 1> histogram{};
    double bestAbs = -1, bestRel = -1, bestUlp = -1;
    qint64 atAbs = 0, atRel = 0, atUlp = 0;
    ElementError eAbs, eRel, eUlp;

    struct Worst {
        double used;
        qint64 at;
        ElementError error;
    };
    std::vector<Worst> worst;
    std::vector<std::pair<qint64, ElementError>> first;

    QVector<qint64> indexOf(qint64 at) const
    {
        QVector<qint64> index(out.shape.size());
        for (qsizetype d = out.shape.size() - 1; d >= 0; --d) {
            const qint64 n = std::max<qint64>(out.shape[d], 1);
            index[d] = at % n;
            at /= n;
        }
        return index;
    }

    // abs / ulpOf(r, type) without the calls of ulpOf: the factor is a power of two, made as bits.
    double inUlps(double abs, double r) const
    {
        const int biased = int(std::bit_cast<std::uint64_t>(r) >> 52 & 0x7ff);
        const int exponent = std::max(biased - 1023, format.minExponent);
        const int power = format.precision - 1 - exponent;
        if (power >= -1022 && power <= 1023)
            return abs * std::bit_cast<double>(std::uint64_t(power + 1023) << 52);
        return std::ldexp(abs, power); // only fp64 near the ends of its range
    }

    void mismatch(qint64 at, double used, const ElementError& error)
    {
        ++out.mismatches;
        if (first.size() < keptMismatches)
            first.emplace_back(at, error);
        // A min-heap of the worst: the front is the one that goes first; ties keep the earlier.
        const auto heavier = [](const Worst& a, const Worst& b) {
            return a.used != b.used ? a.used > b.used : a.at < b.at;
        };
        if (worst.size() < keptMismatches) {
            worst.push_back({used, at, error});
            std::push_heap(worst.begin(), worst.end(), heavier);
        } else if (used > worst.front().used) {
            std::pop_heap(worst.begin(), worst.end(), heavier);
            worst.back() = {used, at, error};
            std::push_heap(worst.begin(), worst.end(), heavier);
        }
    }

    void fail(qint64 at, double got, double ref)
    {
        ElementError error;
        error.got = got;
        error.ref = ref;
        const bool nan = std::isnan(got) || std::isnan(ref);
        error.abs = nan ? std::numeric_limits<double>::quiet_NaN() : infinity;
        error.rel = error.ulp = error.abs;
        out.toleranceUsed = infinity;
        mismatch(at, infinity, error);
    }

    void finite(qint64 at, double got, double ref, double abs, double ulp, bool exactly)
    {
        const double magnitude = std::fabs(ref);
        const double rel = abs == 0 ? 0 : abs / magnitude; // infinite for ref 0
        out.exact += exactly;
        ++histogram[std::size_t(bucketOf(ulp))];
        const auto record = [&](ElementError& e, qint64& where) {
            e.got = got;
            e.ref = ref;
            e.abs = abs;
            e.rel = rel;
            e.ulp = ulp;
            where = at;
        };
        if (abs > bestAbs) {
            bestAbs = abs;
            record(eAbs, atAbs);
        }
        if (magnitude > 0 && rel > bestRel) {
            bestRel = rel;
            record(eRel, atRel);
        }
        if (ulp > bestUlp) {
            bestUlp = ulp;
            record(eUlp, atUlp);
        }
        // A limit can be subnormal or zero, so "passes" is decided by comparing, not by the ratio.
        bool passes = false;
        double used = 0;
        switch (method) {
        case ToleranceMethod::AllClose:
            passes = abs <= atol + rtol * magnitude;
            used = ratio(abs, atol + rtol * magnitude);
            break;
        case ToleranceMethod::BothExceed:
            passes = abs <= atol || abs <= rtol * magnitude;
            used = std::min(ratio(abs, atol), ratio(abs, rtol * magnitude));
            break;
        case ToleranceMethod::Abs:
            passes = abs <= atol;
            used = ratio(abs, atol);
            break;
        case ToleranceMethod::Exact:
            passes = exactly;
            used = exactly ? 0 : infinity;
            break;
        case ToleranceMethod::Ulp:
            passes = ulp <= ulpLimit || abs <= atol;
            used = std::min(ratio(ulp, ulpLimit), ratio(abs, atol));
            break;
        }
        out.toleranceUsed = std::max(out.toleranceUsed, used);
        if (!passes) {
            ElementError error;
            qint64 unused = 0;
            record(error, unused);
            mismatch(at, used, error);
        }
    }

    // The part that is not two finite numbers. `ref` is already what the type can hold.
    void special(qint64 at, double got, double ref, double trueRef)
    {
        const bool gotNan = std::isnan(got), refNan = std::isnan(ref);
        out.nanGot += gotNan;
        out.nanRef += refNan;
        out.infGot += std::isinf(got);
        out.infRef += std::isinf(ref);
        if (gotNan || refNan) {
            if (gotNan && refNan && out.rule.equalNan) {
                ++out.exact;
                return;
            }
            ++out.nanMismatches;
            return fail(at, got, trueRef);
        }
        if (got == ref) {
            ++out.exact;
            return;
        }
        ++out.infMismatches;
        fail(at, got, trueRef);
    }

    bool unwritten(const unsigned char* element, bool right)
    {
        // An integer kernel may produce the pattern; for it only a wrong element counts.
        if (!poisoned || !isPoison(element, out.dtype) || (right && !isFloat(out.dtype)))
            return false;
        ++out.unwritten;
        return true;
    }

    void addFloats(const unsigned char* bytes, const double* decoded, const double* reference,
                   qint64 count)
    {
        for (qint64 i = 0; i < count; ++i) {
            const double got = decoded[i];
            const double trueRef = reference[i];
            double ref = trueRef;
            if (std::fabs(ref) >= overflowAt && !std::isinf(ref))
                ref = std::copysign(hasInfinity ? infinity : format.maxFinite, ref);
            else if (std::isinf(ref) && !hasInfinity)
                ref = std::copysign(format.maxFinite, ref);
            const qint64 at = position + i;
            if (!std::isfinite(got) || !std::isfinite(ref)) {
                if (std::isnan(got) && unwritten(bytes + i * size, false)) {
                    ++out.nanGot;
                    out.nanRef += std::isnan(ref);
                    out.infRef += std::isinf(ref);
                    fail(at, got, trueRef);
                    continue;
                }
                special(at, got, ref, trueRef);
                continue;
            }
            const double abs = std::fabs(got - ref);
            const double ulp = inUlps(abs, ref);
            if (got == 0 && ref == 0 && std::signbit(got) != std::signbit(ref))
                ++out.signedZeros;
            // Within half a spacing means "the rounded reference" but for ties; ask only then.
            const bool exactly = abs == 0 || (ulp <= 0.5 && got == roundToType(ref, out.dtype));
            finite(at, got, ref, abs, ulp, exactly);
        }
        position += count;
    }
};

OutputComparer::OutputComparer(const QString& name, DType dtype, const QVector<qint64>& shape,
                               const ToleranceRule& rule, bool poisoned)
    : m_state(std::make_unique<State>())
{
    State& s = *m_state;
    s.out.name = name;
    s.out.dtype = dtype;
    s.out.shape = shape;
    s.out.defaultRule =
        !rule.rtol && !rule.atol && !rule.ulp && rule.method != QLatin1String("exact");
    s.out.rule = resolveTolerance(rule, dtype);
    s.method = methodOf(s.out.rule.method).value_or(ToleranceMethod::Exact);
    s.rtol = s.out.rule.rtol.value_or(0);
    s.atol = s.out.rule.atol.value_or(0);
    s.ulpLimit = s.out.rule.ulp.value_or(0);
    s.format = floatFormat(dtype);
    s.size = dtypeSize(dtype);
    s.poisoned = poisoned;
    if (isFloat(dtype) && dtype != DType::Fp64) {
        // Half a spacing above the largest finite value; the tie rounds away, because that value is
        // odd — but for e4m3, whose largest is even.
        s.overflowAt = s.format.maxFinite + ulpOf(s.format.maxFinite, dtype) / 2;
        s.hasInfinity = dtype != DType::Fp8E4M3;
        if (!s.hasInfinity)
            s.overflowAt = std::nextafter(s.overflowAt, infinity);
    }
}

OutputComparer::~OutputComparer() = default;
OutputComparer::OutputComparer(OutputComparer&&) noexcept = default;
OutputComparer& OutputComparer::operator=(OutputComparer&&) noexcept = default;

void OutputComparer::add(const void* got, const double* reference, qint64 count)
{
    State& s = *m_state;
    const auto* bytes = static_cast<const unsigned char*>(got);
    std::array<double, chunkElements> decoded;
    for (qint64 done = 0; done < count; done += chunkElements) {
        const qint64 n = std::min(chunkElements, count - done);
        const unsigned char* chunk = bytes + done * s.size;
        decodeElements(chunk, s.out.dtype, n, decoded.data());
        if (isFloat(s.out.dtype)) {
            s.addFloats(chunk, decoded.data(), reference + done, n);
            continue;
        }
        for (qint64 i = 0; i < n; ++i, ++s.position) {
            const double g = decoded[std::size_t(i)], r = reference[done + i];
            if (!std::isfinite(r)) {
                s.special(s.position, g, r, r);
                continue;
            }
            const double abs = std::fabs(g - r);
            const bool exactly = g == std::nearbyint(r);
            s.unwritten(chunk + i * s.size, abs == 0);
            s.finite(s.position, g, r, abs, abs, exactly);
        }
    }
}

void OutputComparer::addIntegers(const void* got, const void* reference, qint64 count)
{
    State& s = *m_state;
    const auto* g = static_cast<const unsigned char*>(got);
    const auto* r = static_cast<const unsigned char*>(reference);
    const DType type = s.out.dtype;
    for (qint64 i = 0; i < count; ++i, ++s.position, g += s.size, r += s.size) {
        const double a = decodeElement(g, type), b = decodeElement(r, type);
        double abs = std::fabs(a - b);
        if (s.size == 8 && std::memcmp(g, r, 8) != 0) {
            // Doubles would merge neighbours over 2^53; the exact distance fits 64 bits.
            std::uint64_t x = 0, y = 0;
            std::memcpy(&x, g, 8);
            std::memcpy(&y, r, 8);
            const bool less = type == DType::Int64 ? std::int64_t(x) < std::int64_t(y) : x < y;
            abs = double(less ? y - x : x - y);
        }
        s.unwritten(g, abs == 0);
        s.finite(s.position, a, b, abs, abs, abs == 0);
    }
}

OutputComparison OutputComparer::finish()
{
    State& s = *m_state;
    OutputComparison& out = s.out;
    out.count = s.position;
    const auto extremeAt = [&s](double best, ElementError& e, qint64 at) {
        if (best < 0)
            return std::optional<ElementError>{};
        e.index = s.indexOf(at);
        return std::optional<ElementError>{e};
    };
    out.maxAbs = extremeAt(s.bestAbs, s.eAbs, s.atAbs);
    out.maxRel = extremeAt(s.bestRel, s.eRel, s.atRel);
    out.maxUlp = extremeAt(s.bestUlp, s.eUlp, s.atUlp);
    for (auto& [at, error] : s.first) {
        error.index = s.indexOf(at);
        out.firstMismatches.push_back(error);
    }
    std::sort(s.worst.begin(), s.worst.end(), [](const auto& a, const auto& b) {
        return a.used != b.used ? a.used > b.used : a.at < b.at;
    });
    for (auto& entry : s.worst) {
        entry.error.index = s.indexOf(entry.at);
        out.worstMismatches.push_back(entry.error);
    }
    for (int i = 0; i < finiteBuckets; ++i)
        out.ulpHistogram.push_back({std::ldexp(1.0, i - 1), s.histogram[std::size_t(i)]});
    out.ulpHistogram.push_back({infinity, s.histogram[finiteBuckets]});
    out.matchRatio = out.count ? double(out.count - out.mismatches) / double(out.count) : 1.0;
    // Counted, not divided: a ratio of 0.95 of 100 elements allows exactly 5.
    const double mayFail = double(out.count) * (1.0 - out.rule.minMatchRatio);
    const bool enough = double(out.mismatches) <= mayFail + 1e-9 * double(out.count);
    const qint64 missing = out.unwritten + out.nanMismatches + out.infMismatches;
    out.ok = enough && missing == 0;
    if (out.unwritten)
        out.message = QStringLiteral("%1 of %2 elements were never written")
                          .arg(out.unwritten)
                          .arg(out.count);
    else if (out.nanMismatches)
        out.message = QStringLiteral("%1 of %2 elements are NaN where they may not be")
                          .arg(out.nanMismatches)
                          .arg(out.count);
    else if (out.infMismatches)
        out.message = QStringLiteral("%1 of %2 elements are infinite on one side only")
                          .arg(out.infMismatches)
                          .arg(out.count);
    else if (!out.ok)
        out.message = QStringLiteral("%1 of %2 elements are outside the tolerance")
                          .arg(out.mismatches)
                          .arg(out.count);
    else if (out.count == 0)
        out.message = QStringLiteral("no elements");
    else
        out.message = QStringLiteral("%1 elements, at most %2 of the tolerance used")
                          .arg(out.count)
                          .arg(out.toleranceUsed, 0, 'g', 3);
    return std::move(out);
}

namespace {

Result<qint64> elementsOf(const QString& name, const QVector<qint64>& shape)
{
    qint64 count = 1;
    for (const qint64 n : shape) {
        if (n < 0 || __builtin_mul_overflow(count, n, &count))
            return Error{ErrorCode::BadSchema,
                         QStringLiteral("output \"%1\": impossible shape").arg(name),
                         {},
                         {}};
    }
    return count;
}

Result<void> checkSizes(const QString& name, const QByteArray& got, DType dtype, qint64 reference,
                        const QVector<qint64>& shape, const ToleranceRule& rule)
{
    if (Result<void> checked = checkTolerance(rule); !checked)
        return checked;
    const Result<qint64> count = elementsOf(name, shape);
    if (!count)
        return count.error();
    qint64 bytes = 0;
    if (__builtin_mul_overflow(*count, qint64(dtypeSize(dtype)), &bytes) || bytes != got.size())
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("output \"%1\" has %2 bytes; %3 elements of %4 need %5")
                         .arg(name)
                         .arg(got.size())
                         .arg(*count)
                         .arg(dtypeName(dtype))
                         .arg(bytes),
                     {},
                     {}};
    if (reference != *count)
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("output \"%1\": the reference has %2 elements, the output %3")
                         .arg(name)
                         .arg(reference)
                         .arg(*count),
                     {},
                     {}};
    return {};
}

} // namespace

Result<OutputComparison> compareOutput(const QString& name, const QByteArray& got, DType dtype,
                                       const QVector<double>& reference,
                                       const QVector<qint64>& shape, const ToleranceRule& rule,
                                       bool poisoned)
{
    if (Result<void> checked = checkSizes(name, got, dtype, reference.size(), shape, rule);
        !checked)
        return checked.error();
    OutputComparer comparer(name, dtype, shape, rule, poisoned);
    comparer.add(got.constData(), reference.constData(), reference.size());
    return comparer.finish();
}

Result<OutputComparison> compareIntegerOutput(const QString& name, const QByteArray& got,
                                              DType dtype, const QByteArray& reference,
                                              const QVector<qint64>& shape,
                                              const ToleranceRule& rule, bool poisoned)
{
    if (isFloat(dtype))
        return Error{
            ErrorCode::BadSchema,
            QStringLiteral("output \"%1\": %2 is no integer type").arg(name, dtypeName(dtype)),
            {},
            {}};
    const qint64 elements = reference.size() / dtypeSize(dtype);
    if (Result<void> checked = checkSizes(name, got, dtype, elements, shape, rule); !checked)
        return checked.error();
    if (reference.size() != got.size())
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("output \"%1\": the reference has %2 bytes, the output %3")
                         .arg(name)
                         .arg(reference.size())
                         .arg(got.size()),
                     {},
                     {}};
    OutputComparer comparer(name, dtype, shape, rule, poisoned);
    comparer.addIntegers(got.constData(), reference.constData(), elements);
    return comparer.finish();
}

} // namespace ridgeline
