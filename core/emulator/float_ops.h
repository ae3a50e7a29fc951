// SPDX-License-Identifier: GPL-3.0-or-later
// Decoders of mnemonics that integers and floats share, and rounding helpers.
#pragma once

#include "core/emulator/decode.h"
#include "core/emulator/lanes.h"

#include <cfenv>

namespace ridgeline::emu {

void decodeFloatArithmetic(Decoder& decoder, Type type); ///< add, sub, mul, mad, fma
void decodeFloatDivide(Decoder& decoder, Type type);
void decodeFloatMinMax(Decoder& decoder, Type type);
void decodeFloatSign(Decoder& decoder, Type type); ///< abs, neg
// Half precision (ops_half.cpp).
void decodeHalfArithmetic(Decoder& decoder, Type type);
void decodeHalfMinMax(Decoder& decoder, Type type);
void decodeHalfSign(Decoder& decoder, Type type);
void decodeHalfMath(Decoder& decoder, Type type); ///< ex2, tanh

/// cfenv constant of .rn .rz .rm .rp.
int roundingOf(Decoder& decoder);

/// Host rounding mode for the calling thread while it lives. Loads and stores of the computation
/// must happen inside its scope.
class RoundingScope {
public:
    explicit RoundingScope(int mode) : m_old(std::fegetround())
    {
        std::fesetround(mode);
        asm volatile("" ::: "memory");
    }
    ~RoundingScope()
    {
        asm volatile("" ::: "memory");
        std::fesetround(m_old);
    }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

private:
    int m_old;
};

constexpr u32 canonicalNan32 = 0x7FFFFFFFU;
constexpr u64 canonicalNan64 = 0x7FF8000000000000ULL;

/// Subnormals become zeros of their sign.
inline float flush(float x)
{
    const u32 bits = bitCast<u32>(x);
    return bitCast<float>((bits & 0x7F800000U) == 0 ? bits & 0x80000000U : bits);
}
/// Single precision results that are NaN have one pattern only.
inline float canonical(float x)
{
    return x == x ? x : bitCast<float>(canonicalNan32);
}
/// .sat: to [0, 1], NaN to 0.
inline float saturate(float x)
{
    return x > 0.0F ? (x < 1.0F ? x : 1.0F) : 0.0F;
}
inline double saturate(double x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

} // namespace ridgeline::emu
