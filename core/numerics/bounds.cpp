// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridgeline {

double unitRoundoff(DType type)
{
    const int precision = floatFormat(type).precision;
    return precision ? std::ldexp(1.0, -precision) : 0;
}

double gammaBound(double n, double u)
{
    const double nu = n * u;
    return nu < 1 ? nu / (1 - nu) : std::numeric_limits<double>::infinity();
}

double dotBoundWorst(qint64 k, double u)
{
    return gammaBound(double(k), u);
}

double dotBoundProbable(qint64 k, double u, double failure)
{
    if (k <= 0)
        return 0;
    const double lambda = std::sqrt(2 * std::log(2 * double(k) / failure));
    return std::fmin(lambda * std::sqrt(double(k)) * u, dotBoundWorst(k, u));
}

double dotBoundBlocked(qint64 k, qint64 block, double u)
{
    if (k <= 0 || block <= 0)
        return 0;
    const double b = double(std::min(block, k));
    return gammaBound(b + std::ceil(double(k) / b), u);
}

double dotBoundPairwise(qint64 k, double u)
{
    return k > 0 ? gammaBound(1 + std::ceil(std::log2(double(k))), u) : 0;
}

double gemmTolerance(double c, double absProduct, qint64 k, Accumulation accumulation, double uAcc,
                     double uOut, double uIn, bool roundedInputs)
{
    const double g = accumulation == Accumulation::Nearest ? std::sqrt(double(k)) : double(k);
    return uOut * std::fabs(c) + (4 * g * uAcc + (roundedInputs ? 2 * uIn : 0)) * absProduct;
}

double gemmHardLimit(double c, double absProduct, qint64 k, double uAcc, double uOut, double uIn,
                     bool roundedInputs)
{
    return uOut * std::fabs(c) +
           (gammaBound(double(k), uAcc) + (roundedInputs ? 2 * uIn + uIn * uIn : 0)) * absProduct;
}

} // namespace ridgeline
