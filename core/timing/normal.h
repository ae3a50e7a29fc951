// SPDX-License-Identifier: GPL-3.0-or-later
// The normal distribution, as little of it as intervals need. Inside this room.
#pragma once

#include <cmath>

namespace ridgeline {

/// P(Z ≤ z).
inline double normalCdf(double z)
{
    return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

/// Inverse of normalCdf by bisection to the last bit that matters; p outside (0, 1) gives ±40.
inline double normalQuantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 80; ++i) {
        const double middle = (low + high) / 2;
        (normalCdf(middle) < p ? low : high) = middle;
    }
    return (low + high) / 2;
}

} // namespace ridgeline
