// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/half.h"

#include <cmath>

namespace ridgeline::emu {

u32 toFormat(double value, const FloatFormat& f, Round round, bool saturate)
{
    const int bias = (1 << (f.exponentBits - 1)) - 1;
    const u32 sign = std::signbit(value) ? 1U << (f.exponentBits + f.mantissaBits) : 0U;
    const u32 allOnes = (1U << (f.exponentBits + f.mantissaBits)) - 1;
    const u32 infinity = allOnes - ((1U << f.mantissaBits) - 1);
    const u32 largest = f.hasInfinity ? infinity - 1 : allOnes - 1;
    if (std::isnan(value)) {
        return allOnes;
    }
    const double a = std::fabs(value);
    const u32 overflow = saturate ? largest : f.hasInfinity ? infinity : allOnes;
    if (std::isinf(value)) {
        return sign | overflow;
    }
    if (a == 0.0) {
        return sign;
    }
    int exponent = std::ilogb(a);
    if (exponent < 1 - bias) {
        exponent = 1 - bias;
    }
    const double scaled = std::ldexp(a, f.mantissaBits - exponent);
    double whole = std::floor(scaled);
    const double rest = scaled - whole;
    const bool negative = sign != 0;
    bool up = false;
    switch (round) {
    case Round::Nearest:
        up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) != 0.0);
        break;
    case Round::Away:
        up = rest >= 0.5;
        break;
    case Round::Zero:
        up = false;
        break;
    case Round::Down:
        up = rest > 0 && negative;
        break;
    case Round::Up:
        up = rest > 0 && !negative;
        break;
    }
    whole += up ? 1 : 0;
    const auto mantissa = static_cast<u64>(whole);
    // A carry out of the mantissa moves into the exponent by plain addition.
    const bool subnormal = mantissa < (1ULL << f.mantissaBits);
    const u64 bits = subnormal ? mantissa
                               : (static_cast<u64>(exponent + bias) << f.mantissaBits) +
                                     (mantissa - (1ULL << f.mantissaBits));
    if (bits > largest) {
        const bool toLargest = round == Round::Zero || (round == Round::Down && !negative) ||
                               (round == Round::Up && negative);
        return sign | (toLargest && !saturate ? largest : overflow);
    }
    return sign | static_cast<u32>(bits);
}

double fromFormat(u32 bits, const FloatFormat& f)
{
    const int bias = (1 << (f.exponentBits - 1)) - 1;
    const u32 top = (1U << f.exponentBits) - 1;
    const bool negative = ((bits >> (f.exponentBits + f.mantissaBits)) & 1U) != 0;
    const u32 exponent = (bits >> f.mantissaBits) & top;
    const u32 mantissa = bits & ((1U << f.mantissaBits) - 1);
    double r;
    if (exponent == top && f.hasInfinity) {
        r = mantissa != 0 ? NAN : INFINITY;
    } else if (exponent == top && !f.hasInfinity && mantissa == (1U << f.mantissaBits) - 1) {
        r = NAN;
    } else if (exponent == 0) {
        r = std::ldexp(static_cast<double>(mantissa), 1 - bias - f.mantissaBits);
    } else {
        r = std::ldexp(static_cast<double>(mantissa + (1U << f.mantissaBits)),
                       static_cast<int>(exponent) - bias - f.mantissaBits);
    }
    return negative ? -r : r;
}

} // namespace ridgeline::emu
