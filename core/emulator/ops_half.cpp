// SPDX-License-Identifier: GPL-3.0-or-later
// f16, f16x2, bf16, bf16x2 arithmetic. Computed in single precision and rounded once: a product or
// sum of two halves is exact enough there that the second rounding cannot differ; fma goes through
// double.
#include "core/emulator/float_ops.h"
#include "core/emulator/half.h"

#include <cmath>

namespace ridgeline::emu {
namespace {

struct F16 {
    static constexpr u16 nan = 0x7FFF, one = 0x3C00;
    static float up(u16 h) { return halfToFloat(h); }
    static u16 down(float x) { return floatToHalf(x); }
    static u16 downExact(double x)
    {
        return static_cast<u16>(toFormat(x, formatF16, Round::Nearest, false));
    }
    static u16 flush(u16 h) { return (h & 0x7C00U) == 0 ? h & 0x8000U : h; }
};
struct BF16 {
    static constexpr u16 nan = 0x7FFF, one = 0x3F80;
    static float up(u16 h) { return bfloatToFloat(h); }
    static u16 down(float x) { return floatToBfloat(x); }
    static u16 downExact(double x)
    {
        return static_cast<u16>(toFormat(x, formatBF16, Round::Nearest, false));
    }
    static u16 flush(u16 h) { return (h & 0x7F80U) == 0 ? h & 0x8000U : h; }
};

enum class Op { Add, Sub, Mul };

template <class H, bool Ftz>
u16 in(u16 h)
{
    return Ftz ? H::flush(h) : h;
}
template <class H, bool Ftz, bool Sat>
u16 out(u16 r)
{
    r = Ftz ? H::flush(r) : r;
    if (Sat) {
        const float v = H::up(r);
        return v > 0.0F ? (v < 1.0F ? r : H::one) : u16(0);
    }
    return r;
}

template <class H, Op O, bool Ftz, bool Sat>
struct Arith {
    static u16 f(u16 x, u16 y)
    {
        const float a = H::up(in<H, Ftz>(x)), b = H::up(in<H, Ftz>(y));
        const float r = O == Op::Add ? a + b : O == Op::Sub ? a - b : a * b;
        return out<H, Ftz, Sat>(H::down(r));
    }
};
/// One rounding: sums to odd in double, so that the last step cannot see a false tie.
inline double fmaOdd(double a, double b, double c)
{
    const double p = a * b; // exact: both have at most 11 bits
    const double s = p + c;
    const double bb = s - p;
    const double error = (p - (s - bb)) + (c - bb);
    if (error == 0.0 || !(s - s == 0.0)) {
        return s;
    }
    const u64 bits = bitCast<u64>(s);
    if (bits & 1U) {
        return s;
    }
    const bool away = (error > 0) == (s > 0);
    return bitCast<double>(away ? bits + 1 : bits - 1);
}
template <class H, bool Ftz, bool Sat, bool Relu>
struct Fma {
    static u16 f(u16 x, u16 y, u16 z)
    {
        const double r = fmaOdd(static_cast<double>(H::up(in<H, Ftz>(x))),
                                static_cast<double>(H::up(in<H, Ftz>(y))),
                                static_cast<double>(H::up(in<H, Ftz>(z))));
        u16 h = r == r ? H::downExact(r) : H::nan;
        if (Relu && (h & 0x8000U) != 0) {
            h = 0;
        }
        return out<H, Ftz, Sat>(h);
    }
};
template <class H, bool Max, bool Ftz, bool Nan>
struct MinMax {
    static u16 f(u16 x, u16 y)
    {
        x = in<H, Ftz>(x);
        y = in<H, Ftz>(y);
        const float a = H::up(x), b = H::up(y);
        const bool first =
            Max ? a > b || (a == b && !(x & 0x8000U)) : a < b || (a == b && (x & 0x8000U) != 0);
        const u16 r = first ? x : y;
        if (a != a || b != b) {
            return Nan || (a != a && b != b) ? H::nan : a != a ? y : x;
        }
        return r;
    }
};

template <class S>
struct Pair2 {
    static u32 f(u32 a, u32 b)
    {
        return u32(S::f(static_cast<u16>(a), static_cast<u16>(b))) |
               u32(S::f(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16))) << 16;
    }
};
template <class S>
struct Pair3 {
    static u32 f(u32 a, u32 b, u32 c)
    {
        return u32(S::f(static_cast<u16>(a), static_cast<u16>(b), static_cast<u16>(c))) |
               u32(S::f(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16),
                        static_cast<u16>(c >> 16)))
                   << 16;
    }
};

template <class S>
Handler two(bool packed)
{
    return packed ? binary<Pair2<S>, u32, u32, u32> : binary<S, u16, u16, u16>;
}
template <class S>
Handler three(bool packed)
{
    return packed ? ternary<Pair3<S>, u32, u32, u32, u32> : ternary<S, u16, u16, u16, u16>;
}

template <class H, Op O>
Handler arith(bool ftz, bool sat, bool packed)
{
    return ftz ? (sat ? two<Arith<H, O, true, true>>(packed)
                      : two<Arith<H, O, true, false>>(packed))
               : (sat ? two<Arith<H, O, false, true>>(packed)
                      : two<Arith<H, O, false, false>>(packed));
}
template <class H>
Handler fmaFor(bool ftz, bool sat, bool relu, bool packed)
{
    if (relu) {
        return ftz ? three<Fma<H, true, false, true>>(packed)
                   : three<Fma<H, false, false, true>>(packed);
    }
    return ftz ? (sat ? three<Fma<H, true, true, false>>(packed)
                      : three<Fma<H, true, false, false>>(packed))
               : (sat ? three<Fma<H, false, true, false>>(packed)
                      : three<Fma<H, false, false, false>>(packed));
}
template <class H, bool Max>
Handler minMax(bool ftz, bool nan, bool packed)
{
    return ftz ? (nan ? two<MinMax<H, Max, true, true>>(packed)
                      : two<MinMax<H, Max, true, false>>(packed))
               : (nan ? two<MinMax<H, Max, false, true>>(packed)
                      : two<MinMax<H, Max, false, false>>(packed));
}

bool isBf(Type t)
{
    return t == Type::BF16 || t == Type::BF16x2;
}
bool isPair(Type t)
{
    return t == Type::F16x2 || t == Type::BF16x2;
}
bool isHalf(Type t)
{
    return t == Type::F16 || t == Type::F16x2 || isBf(t);
}

template <bool Abs>
struct Sign16 {
    static u16 f(u16 a) { return static_cast<u16>(Abs ? a & 0x7FFFU : a ^ 0x8000U); }
};
template <bool Abs>
struct Sign32 {
    static u32 f(u32 a) { return Abs ? a & 0x7FFF7FFFU : a ^ 0x80008000U; }
};

template <class H, int Which>
struct Math { // 0 ex2, 1 tanh
    static u16 f(u16 h)
    {
        const double a = static_cast<double>(H::up(h));
        return a != a ? H::nan : H::downExact(Which == 0 ? std::exp2(a) : std::tanh(a));
    }
};
template <class S>
struct Pair1 {
    static u32 f(u32 a)
    {
        return u32(S::f(static_cast<u16>(a))) | u32(S::f(static_cast<u16>(a >> 16))) << 16;
    }
};
template <class S>
Handler one(bool packed)
{
    return packed ? unary<Pair1<S>, u32, u32> : unary<S, u16, u16>;
}

} // namespace

void decodeHalfArithmetic(Decoder& d, Type t)
{
    const std::string_view name = d.ast().opcode;
    const bool fma = name == "fma";
    d.has("rn");
    const bool ftz = d.has("ftz"), sat = d.has("sat"), relu = d.has("relu");
    d.expectCount(fma ? 4 : 3);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    if (fma) {
        d.use(Field::Src2, 3, t);
    }
    const bool packed = isPair(t);
    (isBf(t) ? d.cost().bf16 : d.cost().fp16) = (fma ? 2U : 1U) * (packed ? 2U : 1U);
    if (!isHalf(t) || (relu && !fma) || (name == "mad")) {
        d.finish(nullptr);
    } else if (isBf(t)) {
        d.finish(fma             ? fmaFor<BF16>(ftz, sat, relu, packed)
                 : name == "add" ? arith<BF16, Op::Add>(ftz, sat, packed)
                 : name == "sub" ? arith<BF16, Op::Sub>(ftz, sat, packed)
                                 : arith<BF16, Op::Mul>(ftz, sat, packed));
    } else {
        d.finish(fma             ? fmaFor<F16>(ftz, sat, relu, packed)
                 : name == "add" ? arith<F16, Op::Add>(ftz, sat, packed)
                 : name == "sub" ? arith<F16, Op::Sub>(ftz, sat, packed)
                                 : arith<F16, Op::Mul>(ftz, sat, packed));
    }
}

void decodeHalfMinMax(Decoder& d, Type t)
{
    const bool max = d.ast().opcode == "max";
    const bool ftz = d.has("ftz"), nan = d.has("NaN");
    d.expectCount(3);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    const bool packed = isPair(t);
    d.finish(
        !isHalf(t) ? nullptr
        : isBf(t)
            ? (max ? minMax<BF16, true>(ftz, nan, packed) : minMax<BF16, false>(ftz, nan, packed))
            : (max ? minMax<F16, true>(ftz, nan, packed) : minMax<F16, false>(ftz, nan, packed)));
}

void decodeHalfSign(Decoder& d, Type t)
{
    const bool abs = d.ast().opcode == "abs";
    d.expectCount(2);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.finish(!isHalf(t)  ? nullptr
             : isPair(t) ? (abs ? unary<Sign32<true>, u32, u32> : unary<Sign32<false>, u32, u32>)
                         : (abs ? unary<Sign16<true>, u16, u16> : unary<Sign16<false>, u16, u16>));
}

void decodeHalfMath(Decoder& d, Type t)
{
    const std::string_view name = d.ast().opcode;
    d.has("approx");
    d.has("ftz");
    d.expectCount(2);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.cost().special = isPair(t) ? 2 : 1;
    if (!isHalf(t) || (name != "ex2" && name != "tanh")) {
        d.finish(nullptr);
    } else if (name == "ex2") {
        d.finish(isBf(t) ? one<Math<BF16, 0>>(isPair(t)) : one<Math<F16, 0>>(isPair(t)));
    } else {
        d.finish(isBf(t) ? one<Math<BF16, 1>>(isPair(t)) : one<Math<F16, 1>>(isPair(t)));
    }
}

} // namespace ridgeline::emu
