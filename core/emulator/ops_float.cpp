// SPDX-License-Identifier: GPL-3.0-or-later
// Single and double precision add, sub, mul, fma, min, max, abs, neg. IEEE per instruction: .ftz,
// .sat and the rounding mode come from the opcode, never from a global switch.
#include "core/emulator/float_ops.h"

#include <cmath>

namespace ridgeline::emu {
namespace {

enum class Op { Add, Sub, Mul };

template <Op O, class T>
T arith(T a, T b)
{
    return O == Op::Add ? a + b : O == Op::Sub ? a - b : a * b;
}

template <Op O, bool Ftz, bool Sat>
struct F32 {
    static float f(float a, float b)
    {
        float r = arith<O>(Ftz ? flush(a) : a, Ftz ? flush(b) : b);
        r = Ftz ? flush(r) : r;
        return Sat ? saturate(r) : canonical(r);
    }
};

/// Double precision keeps the payload of a NaN operand; an invalid operation gives the default NaN.
inline double nan64(double r, double a, double b)
{
    const u64 quiet = 1ULL << 51;
    return r == r   ? r
           : a != a ? bitCast<double>(bitCast<u64>(a) | quiet)
           : b != b ? bitCast<double>(bitCast<u64>(b) | quiet)
                    : bitCast<double>(canonicalNan64);
}

template <Op O>
struct F64 {
    static double f(double a, double b) { return nan64(arith<O>(a, b), a, b); }
};

template <bool Ftz, bool Sat>
struct Fma32 {
    static float f(float a, float b, float c)
    {
        float r = __builtin_fmaf(Ftz ? flush(a) : a, Ftz ? flush(b) : b, Ftz ? flush(c) : c);
        r = Ftz ? flush(r) : r;
        return Sat ? saturate(r) : canonical(r);
    }
};
struct Fma64 {
    static double f(double a, double b, double c)
    {
        const double r = __builtin_fma(a, b, c);
        return r == r ? r : nan64(r, a, b == b ? c : b);
    }
};

/// The same loops under another rounding mode (in aux).
template <Handler H>
const Instr* rounded(Warp& w, const Instr* I)
{
    const RoundingScope scope(static_cast<int>(I->imm));
    return H(w, I);
}

template <template <bool, bool> class F>
Handler pick32(bool ftz, bool sat, bool round)
{
    if (round) {
        return ftz ? (sat ? rounded<binary<F<true, true>, float, float, float>>
                          : rounded<binary<F<true, false>, float, float, float>>)
                   : (sat ? rounded<binary<F<false, true>, float, float, float>>
                          : rounded<binary<F<false, false>, float, float, float>>);
    }
    return ftz ? (sat ? binary<F<true, true>, float, float, float>
                      : binary<F<true, false>, float, float, float>)
               : (sat ? binary<F<false, true>, float, float, float>
                      : binary<F<false, false>, float, float, float>);
}
template <bool Ftz, bool Sat>
using AddF = F32<Op::Add, Ftz, Sat>;
template <bool Ftz, bool Sat>
using SubF = F32<Op::Sub, Ftz, Sat>;
template <bool Ftz, bool Sat>
using MulF = F32<Op::Mul, Ftz, Sat>;

Handler pickFma32(bool ftz, bool sat, bool round)
{
    if (round) {
        return ftz ? (sat ? rounded<ternary<Fma32<true, true>, float, float, float, float>>
                          : rounded<ternary<Fma32<true, false>, float, float, float, float>>)
                   : (sat ? rounded<ternary<Fma32<false, true>, float, float, float, float>>
                          : rounded<ternary<Fma32<false, false>, float, float, float, float>>);
    }
    return ftz ? (sat ? ternary<Fma32<true, true>, float, float, float, float>
                      : ternary<Fma32<true, false>, float, float, float, float>)
               : (sat ? ternary<Fma32<false, true>, float, float, float, float>
                      : ternary<Fma32<false, false>, float, float, float, float>);
}

template <bool Ftz, bool Nan, bool Max>
struct MinMax32 {
    static float f(float x, float y)
    {
        const float a = Ftz ? flush(x) : x, b = Ftz ? flush(y) : y;
        const bool nanA = a != a, nanB = b != b;
        // −0 is less than +0.
        const bool aFirst =
            Max ? (a > b || (a == b && !std::signbit(a))) : (a < b || (a == b && std::signbit(a)));
        const float r = aFirst ? a : b;
        if (Nan) {
            return nanA || nanB ? bitCast<float>(canonicalNan32) : r;
        }
        return nanA ? canonical(b) : nanB ? a : r;
    }
};
template <bool Max>
struct MinMax64 {
    static double f(double a, double b)
    {
        const bool aFirst =
            Max ? (a > b || (a == b && !std::signbit(a))) : (a < b || (a == b && std::signbit(a)));
        const double r = aFirst ? a : b;
        return a != a ? (b != b ? bitCast<double>(canonicalNan64) : b) : b != b ? a : r;
    }
};
template <bool Max>
Handler pickMinMax32(bool ftz, bool nan)
{
    return ftz ? (nan ? binary<MinMax32<true, true, Max>, float, float, float>
                      : binary<MinMax32<true, false, Max>, float, float, float>)
               : (nan ? binary<MinMax32<false, true, Max>, float, float, float>
                      : binary<MinMax32<false, false, Max>, float, float, float>);
}

template <bool Ftz, bool IsAbs>
struct Sign32 {
    static u32 f(u32 x)
    {
        const u32 a = Ftz && (x & 0x7F800000U) == 0 ? x & 0x80000000U : x;
        return IsAbs ? a & 0x7FFFFFFFU : a ^ 0x80000000U;
    }
};
template <bool IsAbs>
struct Sign64 {
    static u64 f(u64 a) { return IsAbs ? a & ~(1ULL << 63) : a ^ (1ULL << 63); }
};
template <class T, unsigned Bits>
struct CopySign { // sign of the first, magnitude of the second
    static T f(T a, T b)
    {
        return static_cast<T>((b & ~(T(1) << (Bits - 1))) | (a & (T(1) << (Bits - 1))));
    }
};

/// Two single precision values in a 64-bit register.
template <Op O, bool Ftz>
struct F32x2 {
    static u64 f(u64 a, u64 b)
    {
        const u64 lo = bitCast<u32>(F32<O, Ftz, false>::f(bitCast<float>(static_cast<u32>(a)),
                                                          bitCast<float>(static_cast<u32>(b))));
        const u64 hi = bitCast<u32>(F32<O, Ftz, false>::f(
            bitCast<float>(static_cast<u32>(a >> 32)), bitCast<float>(static_cast<u32>(b >> 32))));
        return lo | hi << 32;
    }
};
template <bool Ftz>
struct Fma32x2 {
    static u64 f(u64 a, u64 b, u64 c)
    {
        const auto part = [](u64 x, u64 y, u64 z) {
            return u64(bitCast<u32>(Fma32<Ftz, false>::f(bitCast<float>(static_cast<u32>(x)),
                                                         bitCast<float>(static_cast<u32>(y)),
                                                         bitCast<float>(static_cast<u32>(z)))));
        };
        return part(a, b, c) | part(a >> 32, b >> 32, c >> 32) << 32;
    }
};

} // namespace

int roundingOf(Decoder& d)
{
    if (d.has("rz")) {
        return FE_TOWARDZERO;
    }
    if (d.has("rm")) {
        return FE_DOWNWARD;
    }
    if (d.has("rp")) {
        return FE_UPWARD;
    }
    d.has("rn");
    return FE_TONEAREST;
}

void decodeFloatArithmetic(Decoder& d, Type t)
{
    if (t == Type::F16 || t == Type::F16x2 || t == Type::BF16 || t == Type::BF16x2) {
        decodeHalfArithmetic(d, t);
        return;
    }
    const std::string_view name = d.ast().opcode;
    const bool fma = name == "fma" || name == "mad";
    const int mode = roundingOf(d);
    const bool round = mode != FE_TONEAREST;
    const bool ftz = d.has("ftz"), sat = d.has("sat");
    d.instr().imm = static_cast<u64>(mode);
    d.expectCount(fma ? 4 : 3);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    if (fma) {
        d.use(Field::Src2, 3, t);
    }
    const u32 flops = (fma ? 2 : 1) * (t == Type::F32x2 ? 2 : 1);
    (t == Type::F64 ? d.cost().fp64 : d.cost().fp32) = flops;
    if (t == Type::F32) {
        d.finish(fma             ? pickFma32(ftz, sat, round)
                 : name == "add" ? pick32<AddF>(ftz, sat, round)
                 : name == "sub" ? pick32<SubF>(ftz, sat, round)
                                 : pick32<MulF>(ftz, sat, round));
    } else if (t == Type::F64 && !ftz && !sat) {
        d.finish(fma             ? (round ? rounded<ternary<Fma64, double, double, double, double>>
                                          : ternary<Fma64, double, double, double, double>)
                 : name == "add" ? (round ? rounded<binary<F64<Op::Add>, double, double, double>>
                                          : binary<F64<Op::Add>, double, double, double>)
                 : name == "sub" ? (round ? rounded<binary<F64<Op::Sub>, double, double, double>>
                                          : binary<F64<Op::Sub>, double, double, double>)
                                 : (round ? rounded<binary<F64<Op::Mul>, double, double, double>>
                                          : binary<F64<Op::Mul>, double, double, double>));
    } else if (t == Type::F32x2 && !sat && !round) {
        d.finish(fma             ? (ftz ? ternary<Fma32x2<true>, u64, u64, u64, u64>
                                        : ternary<Fma32x2<false>, u64, u64, u64, u64>)
                 : name == "add" ? (ftz ? binary<F32x2<Op::Add, true>, u64, u64, u64>
                                        : binary<F32x2<Op::Add, false>, u64, u64, u64>)
                 : name == "sub" ? (ftz ? binary<F32x2<Op::Sub, true>, u64, u64, u64>
                                        : binary<F32x2<Op::Sub, false>, u64, u64, u64>)
                                 : (ftz ? binary<F32x2<Op::Mul, true>, u64, u64, u64>
                                        : binary<F32x2<Op::Mul, false>, u64, u64, u64>));
    } else {
        d.finish(nullptr);
    }
}

void decodeFloatMinMax(Decoder& d, Type t)
{
    if (t != Type::F32 && t != Type::F64) {
        decodeHalfMinMax(d, t);
        return;
    }
    const bool max = d.ast().opcode == "max";
    const bool ftz = d.has("ftz"), nan = d.has("NaN");
    d.expectCount(3);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    if (t == Type::F32) {
        d.finish(max ? pickMinMax32<true>(ftz, nan) : pickMinMax32<false>(ftz, nan));
    } else {
        d.finish(ftz || nan ? nullptr
                 : max      ? binary<MinMax64<true>, double, double, double>
                            : binary<MinMax64<false>, double, double, double>);
    }
}

void decodeFloatSign(Decoder& d, Type t)
{
    if (t != Type::F32 && t != Type::F64) {
        decodeHalfSign(d, t);
        return;
    }
    const bool abs = d.ast().opcode == "abs";
    const bool ftz = d.has("ftz");
    d.expectCount(2);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    if (t == Type::F32) {
        d.finish(
            abs ? (ftz ? unary<Sign32<true, true>, u32, u32> : unary<Sign32<false, true>, u32, u32>)
                : (ftz ? unary<Sign32<true, false>, u32, u32>
                       : unary<Sign32<false, false>, u32, u32>));
    } else {
        d.finish(ftz   ? nullptr
                 : abs ? unary<Sign64<true>, u64, u64>
                       : unary<Sign64<false>, u64, u64>);
    }
}

namespace {

void decodeFma(Decoder& d)
{
    decodeFloatArithmetic(d, d.type());
}

void decodeCopysign(Decoder& d)
{
    const Type t = d.type();
    d.expectCount(3);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    d.finish(t == Type::F32   ? binary<CopySign<u32, 32>, u32, u32, u32>
             : t == Type::F64 ? binary<CopySign<u64, 64>, u64, u64, u64>
                              : nullptr);
}

} // namespace

void registerMath(DecodeTable& table);

void registerFloat(DecodeTable& t)
{
    t["fma"] = decodeFma;
    t["copysign"] = decodeCopysign;
    registerMath(t);
}

} // namespace ridgeline::emu
