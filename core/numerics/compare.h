// SPDX-License-Identifier: GPL-3.0-or-later
// An output against its fp64 reference: tolerance rule, extremes, ULP histogram, mismatches.
#pragma once

#include "core/bundle/bundle.h"

#include <QByteArray>
#include <QVector>
#include <memory>
#include <optional>

namespace ridgeline {

/// One element and how far it is off. rel is abs/|ref| (infinite where ref is 0 and abs is not);
/// ulp is the real-valued error |got − ref| / ulpOf(ref, dtype). Where got or ref is NaN or only
/// one is infinite, abs, rel and ulp are NaN or infinite.
struct ElementError {
    QVector<qint64> index; ///< one per dimension, row-major
    double got = 0;
    double ref = 0;
    double abs = 0;
    double rel = 0;
    double ulp = 0;
};

struct UlpBucket {
    double upto = 0; ///< inclusive; errors over the bucket before
    qint64 count = 0;
};

/// What compareOutput found. `toJson` gives the "outputs" entry of core/pass/README.md.
struct OutputComparison {
    QString name;
    DType dtype = DType::Fp32;
    QVector<qint64> shape;
    qint64 count = 0;
    ToleranceRule rule;       ///< with every number filled in, see resolveTolerance
    bool defaultRule = false; ///< the bundle gave no numbers; the type's default was used
    bool ok = false;
    QString message; ///< one line: why it failed, or how much of the tolerance was used
    qint64 mismatches = 0;
    double matchRatio = 1;
    double toleranceUsed = 0; ///< max of error / allowed error; 1 is the limit
    qint64 exact = 0;         ///< equal to the reference rounded to the type
    qint64 unwritten = 0;     ///< still hold the poison pattern
    qint64 nanGot = 0, nanRef = 0, infGot = 0, infRef = 0;
    qint64 nanMismatches = 0; ///< NaN on one side only, or on both when the rule forbids it
    qint64 infMismatches = 0; ///< infinite on one side only, or of the other sign
    qint64 signedZeros = 0;   ///< −0 for a reference of +0 or the other way round; never an error
    std::optional<ElementError> maxAbs, maxRel, maxUlp; ///< over finite pairs; maxRel where ref ≠ 0
    QVector<ElementError> firstMismatches;              ///< by position, at most 16
    QVector<ElementError> worstMismatches;              ///< by error over tolerance, at most 16
    QVector<UlpBucket> ulpHistogram; ///< finite pairs; upto 0.5, 1, 2 … 65536, infinity
};

/// Numbers for a rule that has none: torch.testing.assert_close's table for fp16 to fp64 (rtol,
/// atol: 1e-3 1e-5, bf16 1.6e-2 1e-5, fp32 1.3e-6 1e-5, fp64 1e-7 1e-7), one spacing for fp8 (e4m3
/// 0.125, e5m2 0.25, atol one smallest subnormal), 0 for integers. A method "ulp" without a limit
/// gets 1. If one of rtol and atol is given, the other is 0.
ToleranceRule resolveTolerance(const ToleranceRule& rule, DType dtype);

/// Whether the method is known and the limits are numbers >= 0. Error: BadSchema.
Result<void> checkTolerance(const ToleranceRule& rule);

/// Compares chunk by chunk, in order, in constant memory.
///
/// Rules. An element passes: allclose |y−r| ≤ atol + rtol·|r|; both_exceed: not (|y−r| > atol and
/// |y−r| > rtol·|r|); abs |y−r| ≤ atol; exact: y is r rounded to the type; ulp: error in ULPs ≤
/// ulp, or |y−r| ≤ atol. Equal infinities pass. A finite reference beyond the type's range counts
/// as the infinity a correct rounding gives (fp8_e4m3 has none: as ±448). NaN passes only against
/// NaN and only where equal_nan is set. Integers of the reference's own type are compared exactly,
/// 64-bit ones included; their ULP is 1.
/// The output is ok when match_ratio ≥ min_match_ratio, and no element is unwritten, NaN or
/// infinite where the reference is not: a match ratio excuses wrong numbers, not missing ones.
class OutputComparer {
public:
    /// `rule` must pass checkTolerance. `poisoned`: the buffer was filled by fillPoison before
    /// the kernel ran. The product of `shape` is the number of elements that must be added.
    OutputComparer(const QString& name, DType dtype, const QVector<qint64>& shape,
                   const ToleranceRule& rule, bool poisoned);
    ~OutputComparer();
    OutputComparer(OutputComparer&&) noexcept;
    OutputComparer& operator=(OutputComparer&&) noexcept;

    /// `count` elements of the output and the fp64 reference of the same places.
    void add(const void* got, const double* reference, qint64 count);
    /// The same for an integer (or bool) output whose reference has the output's own type.
    void addIntegers(const void* got, const void* reference, qint64 count);
    /// Call once, after all elements.
    OutputComparison finish();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Everything at once. `reference` has one double per element. Errors: BadSchema when sizes do not
/// agree with `shape` or the rule makes no sense. Any thread.
Result<OutputComparison> compareOutput(const QString& name, const QByteArray& got, DType dtype,
                                       const QVector<double>& reference,
                                       const QVector<qint64>& shape, const ToleranceRule& rule,
                                       bool poisoned = true);

/// The same for integer and bool outputs with a reference of their own type.
Result<OutputComparison> compareIntegerOutput(const QString& name, const QByteArray& got,
                                              DType dtype, const QByteArray& reference,
                                              const QVector<qint64>& shape,
                                              const ToleranceRule& rule, bool poisoned = true);

/// An entry of "outputs" in core/pass/README.md, with further keys exact, nan_mismatches,
/// inf_mismatches, signed_zeros, default_rule and message.
Json toJson(const OutputComparison& comparison);

/// A number, or "nan", "inf", "-inf".
Json jsonNumberOf(double value);

} // namespace ridgeline
