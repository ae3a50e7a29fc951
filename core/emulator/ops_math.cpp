// SPDX-License-Identifier: GPL-3.0-or-later
// div, rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh, testp. The .rn/.rz/.rm/.rp forms are exact; the
// approximations are computed in double precision and rounded, so they stay within the manual's
// bounds.
#include "core/emulator/float_ops.h"

#include <cmath>

namespace ridgeline::emu {
namespace {

inline double nan64(double r, double a)
{
    return r == r   ? r
           : a != a ? bitCast<double>(bitCast<u64>(a) | (1ULL << 51))
                    : bitCast<double>(canonicalNan64);
}

template <bool Ftz>
struct Div32 {
    static float f(float a, float b)
    {
        const float r = (Ftz ? flush(a) : a) / (Ftz ? flush(b) : b);
        return canonical(Ftz ? flush(r) : r);
    }
};
struct Div64 {
    static double f(double a, double b)
    {
        const double r = a / b;
        return r == r ? r : nan64(r, a == a ? b : a);
    }
};
template <bool Ftz>
struct Rcp32 {
    static float f(float a) { return Div32<Ftz>::f(1.0F, a); }
};
struct Rcp64 {
    static double f(double a) { return nan64(1.0 / a, a); }
};
/// rcp.approx.ftz.f64 looks at the upper 32 bits only and flushes.
struct RcpApprox64 {
    static double f(double a)
    {
        u64 bits = bitCast<u64>(a) & 0xFFFFFFFF00000000ULL;
        if ((bits & 0x7FF0000000000000ULL) == 0) {
            bits &= 1ULL << 63;
        }
        const u64 r = bitCast<u64>(1.0 / bitCast<double>(bits)) & 0xFFFFFFFF00000000ULL;
        return a != a                             ? bitCast<double>(canonicalNan64)
               : (r & 0x7FF0000000000000ULL) == 0 ? bitCast<double>(r & (1ULL << 63))
                                                  : bitCast<double>(r);
    }
};
struct RsqrtApprox64 {
    static double f(double a)
    {
        u64 bits = bitCast<u64>(a) & 0xFFFFFFFF00000000ULL;
        if ((bits & 0x7FF0000000000000ULL) == 0) {
            bits &= 1ULL << 63;
        }
        const double x = bitCast<double>(bits);
        const double r = x == 0.0 ? std::copysign(INFINITY, x) : 1.0 / std::sqrt(x);
        return r != r ? bitCast<double>(canonicalNan64)
                      : bitCast<double>(bitCast<u64>(r) & 0xFFFFFFFF00000000ULL);
    }
};
struct Rsqrt64 {
    static double f(double a)
    {
        return a == 0.0 ? std::copysign(INFINITY, a) : nan64(1.0 / std::sqrt(a), a);
    }
};
template <bool Ftz>
struct Sqrt32 {
    static float f(float a)
    {
        const float r = std::sqrt(Ftz ? flush(a) : a);
        return canonical(Ftz ? flush(r) : r);
    }
};
struct Sqrt64 {
    static double f(double a) { return nan64(std::sqrt(a), a); }
};
template <bool Ftz>
struct Rsqrt32 {
    static float f(float x)
    {
        const float a = Ftz ? flush(x) : x;
        const float r = static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
        return canonical(a == 0.0F ? std::copysign(INFINITY, a) : r);
    }
};

/// 2^x within 1e-12, vectorisable: nearest integer, then the series of exp on [-ln2/2, ln2/2].
inline double exp2Double(double x)
{
    const double c = x < -1100.0 ? -1100.0 : x > 1100.0 ? 1100.0 : x;
    const double shifted = c + 6755399441055744.0; // 1.5 * 2^52: rounds to an integer
    const double n = shifted - 6755399441055744.0;
    const double r = (c - n) * 0.693147180559945309417;
    double p = 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    // Two factors, so that neither leaves the normal range.
    const i64 ni = bitCast<i64>(shifted) - bitCast<i64>(6755399441055744.0);
    const i64 h = ni / 2;
    return p * bitCast<double>(static_cast<u64>(h + 1023) << 52) *
           bitCast<double>(static_cast<u64>(ni - h + 1023) << 52);
}

template <bool Ftz>
struct Ex2 {
    static float f(float x)
    {
        const float a = Ftz ? flush(x) : x;
        const float r = static_cast<float>(exp2Double(static_cast<double>(a)));
        const float s = Ftz ? flush(r) : r;
        return a != a ? bitCast<float>(canonicalNan32) : s;
    }
};
template <bool Ftz>
struct Lg2 {
    static float f(float x)
    {
        const float a = Ftz ? flush(x) : x;
        return canonical(static_cast<float>(std::log2(static_cast<double>(a))));
    }
};
template <bool Ftz>
struct Sin {
    static float f(float x)
    {
        const float r = static_cast<float>(std::sin(static_cast<double>(Ftz ? flush(x) : x)));
        return canonical(Ftz ? flush(r) : r);
    }
};
template <bool Ftz>
struct Cos {
    static float f(float x)
    {
        const float r = static_cast<float>(std::cos(static_cast<double>(Ftz ? flush(x) : x)));
        return canonical(Ftz ? flush(r) : r);
    }
};
struct Tanh {
    static float f(float x)
    {
        return canonical(static_cast<float>(std::tanh(static_cast<double>(x))));
    }
};

template <Handler H>
const Instr* rounded(Warp& w, const Instr* I)
{
    const RoundingScope scope(static_cast<int>(I->imm));
    return H(w, I);
}

template <template <bool> class F>
Handler un32(bool ftz, bool round)
{
    return round ? (ftz ? rounded<unary<F<true>, float, float>>
                        : rounded<unary<F<false>, float, float>>)
                 : (ftz ? unary<F<true>, float, float> : unary<F<false>, float, float>);
}

void two(Decoder& d, Type t)
{
    d.expectCount(2);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.cost().special = 1;
}

void decodeRoot(Decoder& d) // rcp, sqrt, rsqrt
{
    const std::string_view name = d.ast().opcode;
    const Type t = d.type();
    const bool approx = d.has("approx");
    const int mode = roundingOf(d);
    const bool ftz = d.has("ftz");
    const bool round = mode != FE_TONEAREST;
    d.instr().imm = static_cast<u64>(mode);
    two(d, t);
    if (t == Type::F32) {
        d.finish(name == "rcp"    ? un32<Rcp32>(ftz, round)
                 : name == "sqrt" ? un32<Sqrt32>(ftz, round)
                                  : un32<Rsqrt32>(ftz, false));
    } else if (t == Type::F64) {
        if (name == "rsqrt") {
            d.finish(ftz ? unary<RsqrtApprox64, double, double> : unary<Rsqrt64, double, double>);
        } else if (approx) {
            d.finish(name == "rcp" && ftz ? unary<RcpApprox64, double, double> : nullptr);
        } else {
            d.finish(name == "rcp" ? (round ? rounded<unary<Rcp64, double, double>>
                                            : unary<Rcp64, double, double>)
                                   : (round ? rounded<unary<Sqrt64, double, double>>
                                            : unary<Sqrt64, double, double>));
        }
    } else {
        d.finish(nullptr);
    }
}

void decodeTranscendental(Decoder& d) // ex2, lg2, sin, cos, tanh
{
    const std::string_view name = d.ast().opcode;
    const Type t = d.type();
    if (t != Type::F32) {
        decodeHalfMath(d, t);
        return;
    }
    d.has("approx");
    const bool ftz = d.has("ftz");
    two(d, t);
    d.finish(name == "ex2"   ? un32<Ex2>(ftz, false)
             : name == "lg2" ? un32<Lg2>(ftz, false)
             : name == "sin" ? un32<Sin>(ftz, false)
             : name == "cos" ? un32<Cos>(ftz, false)
                             : unary<Tanh, float, float>);
}

/// testp.op: aux 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, 5 subnormal.
template <class T>
const Instr* testp(Warp& w, const Instr* I)
{
    const T* a = regPtr<T>(w, I->src[0]);
    u32 bits = 0;
    for (unsigned i = 0; i < 32; ++i) {
        const int c = std::fpclassify(a[i]);
        const u32 kind = I->aux & 0xFF;
        const bool r = kind == 0   ? c != FP_NAN && c != FP_INFINITE
                       : kind == 1 ? c == FP_INFINITE
                       : kind == 2 ? c != FP_NAN
                       : kind == 3 ? c == FP_NAN
                       : kind == 4 ? c == FP_NORMAL
                                   : c == FP_SUBNORMAL;
        bits |= u32(r) << i;
    }
    setPred(w, I->dst, bits);
    return I + 1;
}

void decodeTestp(Decoder& d)
{
    static constexpr std::pair<std::string_view, u32> kinds[] = {{"finite", 0}, {"infinite", 1},
                                                                 {"number", 2}, {"notanumber", 3},
                                                                 {"normal", 4}, {"subnormal", 5}};
    d.instr().aux = d.oneOf(kinds, 0U);
    const Type t = d.type();
    d.expectCount(2);
    d.def(Field::Dst, 0, Type::Pred);
    d.use(Field::Src0, 1, t);
    d.finish(t == Type::F32 ? testp<float> : t == Type::F64 ? testp<double> : nullptr);
}

} // namespace

void decodeFloatDivide(Decoder& d, Type t)
{
    d.has("approx");
    d.has("full");
    const int mode = roundingOf(d);
    const bool ftz = d.has("ftz");
    const bool round = mode != FE_TONEAREST;
    d.instr().imm = static_cast<u64>(mode);
    d.expectCount(3);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    d.cost().special = 1;
    if (t == Type::F32) {
        d.finish(round ? (ftz ? rounded<binary<Div32<true>, float, float, float>>
                              : rounded<binary<Div32<false>, float, float, float>>)
                       : (ftz ? binary<Div32<true>, float, float, float>
                              : binary<Div32<false>, float, float, float>));
    } else {
        d.finish(t != Type::F64 || ftz ? nullptr
                 : round               ? rounded<binary<Div64, double, double, double>>
                                       : binary<Div64, double, double, double>);
    }
}

void registerMath(DecodeTable& t)
{
    t["rcp"] = t["sqrt"] = t["rsqrt"] = decodeRoot;
    t["ex2"] = t["lg2"] = t["sin"] = t["cos"] = t["tanh"] = decodeTranscendental;
    t["testp"] = decodeTestp;
}

} // namespace ridgeline::emu
