// SPDX-License-Identifier: GPL-3.0-or-later
// How large rounding errors of a sum of products may be. Notation of Higham, "Accuracy and
// Stability of Numerical Algorithms", chapter 3: u is the unit roundoff, K the number of products.
#pragma once

#include "core/support/dtype.h"

namespace ridgeline {

/// Unit roundoff 2^-p of a float type (half a spacing at 1): fp32 2^-24, bf16 2^-8 … 0 for
/// integers.
double unitRoundoff(DType type);

/// γ_n = n·u / (1 − n·u): n roundings in a row. Infinite for n·u ≥ 1, where the bound says nothing.
double gammaBound(double n, double u);

/// |computed − exact| ≤ γ_K·Σ|x_i||y_i| for any order of summation; multiply by that sum.
double dotBoundWorst(qint64 k, double u);

/// With probability ≥ 1 − failure: λ·√K·u with λ = √(2·ln(2K/failure)), for roundings that are
/// independent with mean zero (Higham & Mary 2019; Ipsen & Zhou 2019). Truncating hardware, such as
/// fp8 tensor cores, is biased: use dotBoundWorst with its own u there.
double dotBoundProbable(qint64 k, double u, double failure = 1e-3);

/// Blocks of b summed on their own, then the K/b sums: γ_(b + K/b). Least near b = √K.
double dotBoundBlocked(qint64 k, qint64 block, double u);

/// Pairwise summation: γ of one product and ⌈log2 K⌉ sums.
double dotBoundPairwise(qint64 k, double u);

/// How a GEMM accumulates.
enum class Accumulation {
    Nearest,   ///< rounds to nearest: errors average out, √K
    Truncated, ///< serial in low precision, or truncating tensor cores: K
};

/// Allowed error of one GEMM output, c = A·B with inputs already in their type and an fp64
/// reference: u_out·|c| + (4·g(K)·u_acc + inputs·2·u_in)·(|A||B|), g = √K or K. `absProduct` is
/// (|A||B|)_ij = Σ|a_ik||b_kj|; `roundedInputs` says that the kernel rounds its inputs again to a
/// type of roundoff u_in (TF32: 2^-11). Our synthesis of the bounds above with c = 4 as margin.
double gemmTolerance(double c, double absProduct, qint64 k, Accumulation accumulation, double uAcc,
                     double uOut, double uIn = 0, bool roundedInputs = false);

/// Above this no rounding explains the error: u_out·|c| + (γ_K(u_acc) + inputs·(2·u_in +
/// u_in²))·(|A||B|).
double gemmHardLimit(double c, double absProduct, qint64 k, double uAcc, double uOut,
                     double uIn = 0, bool roundedInputs = false);

} // namespace ridgeline
