// SPDX-License-Identifier: GPL-3.0-or-later
// binary16, bfloat16 and 8-bit float conversions, exact in each rounding mode.
#pragma once

#include "core/emulator/lanes.h"

namespace ridgeline::emu {

/// Rounding of a value to a smaller float format.
enum class Round { Nearest, Zero, Down, Up, Away /* ties away from zero (.rna) */ };

struct FloatFormat {
    int exponentBits, mantissaBits;
    bool hasInfinity; ///< false: e4m3, whose only special is NaN (all ones)
};
constexpr FloatFormat formatF16{5, 10, true}, formatBF16{8, 7, true}, formatE5M2{5, 2, true},
    formatE4M3{4, 3, false}, formatTF32{8, 10, true};

/// The format's bits of a double. `saturate`: overflow and infinity give the largest finite value.
u32 toFormat(double value, const FloatFormat& format, Round round, bool saturate);
double fromFormat(u32 bits, const FloatFormat& format);

inline float halfToFloat(u16 h)
{
    // Exact: place the mantissa, scale by a power of two, restore infinities and NaNs.
    const u32 sign = u32(h & 0x8000U) << 16;
    const u32 body = u32(h & 0x7FFFU) << 13;
    const float scaled = bitCast<float>(body) * 0x1p112F;
    const u32 special = body >= 0x0F800000U ? (body | 0x7F800000U) : bitCast<u32>(scaled);
    return bitCast<float>(special | sign);
}
inline float bfloatToFloat(u16 h)
{
    return bitCast<float>(u32(h) << 16);
}

/// Round to nearest even; NaN becomes 0x7FFF.
inline u16 floatToHalf(float x)
{
    const u32 bits = bitCast<u32>(x);
    const u32 sign = (bits >> 16) & 0x8000U;
    const u32 a = bits & 0x7FFFFFFFU;
    // Normal range: add the rounding increment in place. Subnormal: let the FPU round.
    const u32 normal = (a - 0x38000000U + 0x0FFFU + ((a >> 13) & 1U)) >> 13;
    const u32 small = bitCast<u32>(bitCast<float>(a) + 0.5F) - 0x3F000000U;
    u32 r = a < 0x38800000U ? small : normal;
    r = a >= 0x477FF000U ? 0x7C00U : r;
    return static_cast<u16>(a > 0x7F800000U ? 0x7FFFU : r | sign);
}
inline u16 floatToBfloat(float x)
{
    const u32 bits = bitCast<u32>(x);
    const u32 r = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    return static_cast<u16>((bits & 0x7FFFFFFFU) > 0x7F800000U ? 0x7FFFU : r);
}

} // namespace ridgeline::emu
