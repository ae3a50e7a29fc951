// SPDX-License-Identifier: GPL-3.0-or-later
// cvt between integers, f32 and f64; half and 8-bit formats are in ops_convert_half.cpp.
#include "core/emulator/convert.h"
#include "core/emulator/decode.h"
#include "core/emulator/float_ops.h"

#include <cmath>
#include <limits>

namespace ridgeline::emu {
namespace {

template <class D, class S>
struct IntSat {
    static D f(S a)
    {
        const i128 v = a;
        const i128 lo = std::numeric_limits<D>::min(), hi = std::numeric_limits<D>::max();
        return static_cast<D>(v < lo ? lo : v > hi ? hi : v);
    }
};

/// Float to integer: round, saturate, NaN to zero, or to the top bit alone where 64 bits are
/// involved.
template <class D, class S>
struct ToInt {
    static D convert(S r)
    {
        // The limits as floats: the upper one is exclusive.
        const S lo = static_cast<S>(std::numeric_limits<D>::min());
        const S hi = static_cast<S>(std::ldexp(S(1), std::numeric_limits<D>::digits));
        if (r != r) {
            return sizeof(D) == 8 || sizeof(S) == 8 ? static_cast<D>(1ULL << (8 * sizeof(D) - 1))
                                                    : D(0);
        }
        if (r < lo) {
            return std::numeric_limits<D>::min();
        }
        if (r >= hi) {
            return std::numeric_limits<D>::max();
        }
        return static_cast<D>(r);
    }
};

inline float roundTo(float a, u32 mode)
{
    switch (mode) {
    case 0:
        return std::nearbyint(a);
    case 1:
        return std::trunc(a);
    case 2:
        return std::floor(a);
    default:
        return std::ceil(a);
    }
}
inline double roundTo(double a, u32 mode)
{
    switch (mode) {
    case 0:
        return std::nearbyint(a);
    case 1:
        return std::trunc(a);
    case 2:
        return std::floor(a);
    default:
        return std::ceil(a);
    }
}
inline float flushed(float a)
{
    return flush(a);
}
inline double flushed(double a)
{
    return a;
}

/// aux: low byte rounding to integer (0 rni 1 rzi 2 rmi 3 rpi), bit 16 ftz.
template <class D, class S>
const Instr* floatToInt(Warp& w, const Instr* I)
{
    D* d = regPtr<D>(w, I->dst);
    const S* a = regPtr<S>(w, I->src[0]);
    const u32 mode = I->aux & 0xFF;
    const bool ftz = I->aux & (1U << 16);
    for (unsigned i = 0; i < 32; ++i) {
        if (lane(w.mask, i)) {
            const S x = ftz ? flushed(a[i]) : a[i];
            d[i] = ToInt<D, S>::convert(roundTo(x, mode));
        }
    }
    return I + 1;
}
template <class D, class DR, class S>
const Instr* floatToIntNarrow(Warp& w, const Instr* I)
{
    DR* d = regPtr<DR>(w, I->dst);
    const S* a = regPtr<S>(w, I->src[0]);
    for (unsigned i = 0; i < 32; ++i) {
        if (lane(w.mask, i)) {
            const S x = I->aux & (1U << 16) ? flushed(a[i]) : a[i];
            d[i] = static_cast<DR>(ToInt<D, S>::convert(roundTo(x, I->aux & 0xFF)));
        }
    }
    return I + 1;
}
/// The common one, vectorised: cvt.rzi.s32.f32.
const Instr* truncToS32(Warp& w, const Instr* I)
{
    i32* d = regPtr<i32>(w, I->dst);
    const float* a = regPtr<float>(w, I->src[0]);
    const u32 m = w.mask;
    RIDGELINE_LANES
    {
        const float x = a[i];
        const float c = x >= -2147483648.0F ? (x < 2147483648.0F ? x : 0.0F) : 0.0F;
        const i32 in = static_cast<i32>(c);
        const i32 r = x >= 2147483648.0F ? INT32_MAX : x < -2147483648.0F ? INT32_MIN : in;
        d[i] = lane(m, i) ? r : d[i];
    }
    return I + 1;
}

/// Float to integral float. aux as above, bit 17 sat.
template <class T>
const Instr* toIntegral(Warp& w, const Instr* I)
{
    T* d = regPtr<T>(w, I->dst);
    const T* a = regPtr<T>(w, I->src[0]);
    const u32 mode = I->aux & 0xFF;
    for (unsigned i = 0; i < 32; ++i) {
        if (lane(w.mask, i)) {
            T r = roundTo(I->aux & (1U << 16) ? flushed(a[i]) : a[i], mode);
            r = I->aux & (1U << 17) ? saturate(r) : r;
            if (r != r) {
                r = sizeof(T) == 4 ? static_cast<T>(bitCast<float>(canonicalNan32))
                                   : bitCast<T, T>(r);
            }
            d[i] = r;
        }
    }
    return I + 1;
}

template <bool Sat, bool Ftz>
struct F32Copy {
    static float f(float x)
    {
        const float a = Ftz ? flush(x) : x;
        return Sat ? saturate(a) : canonical(a);
    }
};
struct F64Sat {
    static double f(double a) { return saturate(a); }
};
struct F64Copy {
    static double f(double a) { return a; }
};
template <bool Ftz>
struct Widen {
    static double f(float a)
    {
        const double r = static_cast<double>(Ftz ? flush(a) : a);
        return r == r ? r : bitCast<double>(canonicalNan64);
    }
};
template <bool Ftz, bool Sat>
struct Narrow {
    static float f(double a)
    {
        float r = static_cast<float>(a);
        r = Ftz ? flush(r) : r;
        return Sat ? saturate(r) : canonical(r);
    }
};

template <Handler H>
const Instr* rounded(Warp& w, const Instr* I)
{
    const RoundingScope scope(static_cast<int>(I->imm));
    return H(w, I);
}

/// Integer conversions look at the source type's low bits of a register that may be wider, and
/// extend to the whole destination register.
template <class D, class S>
struct Through { // S: the type; registers: DR, SR
    template <class DR, class SR>
    struct In {
        static DR f(SR a) { return static_cast<DR>(static_cast<D>(static_cast<S>(a))); }
    };
    template <class DR, class SR>
    struct Sat {
        static DR f(SR a) { return static_cast<DR>(IntSat<D, S>::f(static_cast<S>(a))); }
    };
};

template <class D, class S, class DR, class SR>
Handler intPick(bool sat)
{
    return sat ? unary<typename Through<D, S>::template Sat<DR, SR>, DR, SR>
               : unary<typename Through<D, S>::template In<DR, SR>, DR, SR>;
}
template <class D, class S, class SR>
Handler intByDst(bool sat, unsigned dstBits)
{
    // The value is sign- or zero-extended by the destination type.
    using Narrowed = D;
    switch (dstBits) {
    case 16:
        return intPick<D, S, std::conditional_t<std::is_signed_v<Narrowed>, i16, u16>, SR>(sat);
    case 32:
        return intPick<D, S, std::conditional_t<std::is_signed_v<Narrowed>, i32, u32>, SR>(sat);
    case 64:
        return intPick<D, S, std::conditional_t<std::is_signed_v<Narrowed>, i64, u64>, SR>(sat);
    default:
        return nullptr;
    }
}
template <class D, class S>
Handler intBySrc(bool sat, unsigned dstBits, unsigned srcBits)
{
    switch (srcBits) {
    case 16:
        return sizeof(S) <= 2 ? intByDst<D, S, u16>(sat, dstBits) : nullptr;
    case 32:
        return sizeof(S) <= 4 ? intByDst<D, S, u32>(sat, dstBits) : nullptr;
    case 64:
        return intByDst<D, S, u64>(sat, dstBits);
    default:
        return nullptr;
    }
}
template <class D>
Handler intFrom(Type s, bool sat, unsigned dstBits, unsigned srcBits)
{
    switch (s) {
    case Type::U8:
        return intBySrc<D, u8>(sat, dstBits, srcBits);
    case Type::S8:
        return intBySrc<D, i8>(sat, dstBits, srcBits);
    case Type::U16:
        return intBySrc<D, u16>(sat, dstBits, srcBits);
    case Type::S16:
        return intBySrc<D, i16>(sat, dstBits, srcBits);
    case Type::U32:
        return intBySrc<D, u32>(sat, dstBits, srcBits);
    case Type::S32:
        return intBySrc<D, i32>(sat, dstBits, srcBits);
    case Type::U64:
        return intBySrc<D, u64>(sat, dstBits, srcBits);
    case Type::S64:
        return intBySrc<D, i64>(sat, dstBits, srcBits);
    default:
        return nullptr;
    }
}

Handler intToInt(Type t, Type s, bool sat, unsigned dstBits, unsigned srcBits)
{
    switch (t) {
    case Type::U8:
        return intFrom<u8>(s, sat, dstBits, srcBits);
    case Type::S8:
        return intFrom<i8>(s, sat, dstBits, srcBits);
    case Type::U16:
        return intFrom<u16>(s, sat, dstBits, srcBits);
    case Type::S16:
        return intFrom<i16>(s, sat, dstBits, srcBits);
    case Type::U32:
        return intFrom<u32>(s, sat, dstBits, srcBits);
    case Type::S32:
        return intFrom<i32>(s, sat, dstBits, srcBits);
    case Type::U64:
        return intFrom<u64>(s, sat, dstBits, srcBits);
    case Type::S64:
        return intFrom<i64>(s, sat, dstBits, srcBits);
    default:
        return nullptr;
    }
}

template <class S, class SR>
struct IntThenFloat {
    template <class D>
    struct F {
        static D f(SR a) { return static_cast<D>(static_cast<S>(a)); }
    };
    template <class D>
    struct FS {
        static D f(SR a) { return saturate(static_cast<D>(static_cast<S>(a))); }
    };
};
template <class D, class S, class SR>
Handler toFloat(bool sat, bool round)
{
    using P = IntThenFloat<S, SR>;
    return sat     ? unary<typename P::template FS<D>, D, SR>
           : round ? rounded<unary<typename P::template F<D>, D, SR>>
                   : unary<typename P::template F<D>, D, SR>;
}
template <class D>
Handler intToFloat(Type s, bool sat, bool round, unsigned srcBits)
{
    if (srcBits != std::max(16U, bitsOf(s))) {
        // A byte may sit in a wider register.
        if (s == Type::U8 && srcBits == 32) {
            return toFloat<D, u8, u32>(sat, round);
        }
        if (s == Type::S8 && srcBits == 32) {
            return toFloat<D, i8, u32>(sat, round);
        }
        if (s == Type::U16 && srcBits == 32) {
            return toFloat<D, u16, u32>(sat, round);
        }
        if (s == Type::S16 && srcBits == 32) {
            return toFloat<D, i16, u32>(sat, round);
        }
        return nullptr;
    }
    switch (s) {
    case Type::U8:
        return toFloat<D, u8, u16>(sat, round);
    case Type::S8:
        return toFloat<D, i8, u16>(sat, round);
    case Type::U16:
        return toFloat<D, u16, u16>(sat, round);
    case Type::S16:
        return toFloat<D, i16, u16>(sat, round);
    case Type::U32:
        return toFloat<D, u32, u32>(sat, round);
    case Type::S32:
        return toFloat<D, i32, u32>(sat, round);
    case Type::U64:
        return toFloat<D, u64, u64>(sat, round);
    case Type::S64:
        return toFloat<D, i64, u64>(sat, round);
    default:
        return nullptr;
    }
}
template <class S>
Handler fromFloat(Type t, unsigned dstBits, u32 mode, bool ftz)
{
    switch (t) {
    case Type::U8:
        return dstBits == 16   ? floatToIntNarrow<u8, u16, S>
               : dstBits == 32 ? floatToIntNarrow<u8, u32, S>
                               : nullptr;
    case Type::S8:
        return dstBits == 16   ? floatToIntNarrow<i8, i16, S>
               : dstBits == 32 ? floatToIntNarrow<i8, i32, S>
                               : nullptr;
    case Type::U16:
        return dstBits == 16 ? floatToInt<u16, S> : nullptr;
    case Type::S16:
        return dstBits == 16 ? floatToInt<i16, S> : nullptr;
    case Type::U32:
        return dstBits == 32 ? floatToInt<u32, S> : nullptr;
    case Type::S32:
        if constexpr (sizeof(S) == 4) {
            if (mode == 1 && !ftz && dstBits == 32) {
                return truncToS32;
            }
        }
        return dstBits == 32 ? floatToInt<i32, S> : nullptr;
    case Type::U64:
        return floatToInt<u64, S>;
    case Type::S64:
        return floatToInt<i64, S>;
    default:
        return nullptr;
    }
}

bool isInteger(Type t)
{
    return t >= Type::U8 && t <= Type::S64;
}

void decodeCvt(Decoder& d)
{
    if (d.ast().mods.size() > 1 && d.has("pack")) {
        decodeCvtPack(d);
        return;
    }
    static constexpr std::pair<std::string_view, u32> integral[] = {
        {"rni", 0}, {"rzi", 1}, {"rmi", 2}, {"rpi", 3}};
    const u32 toInteger = d.oneOf(integral, 99U);
    const bool ftz = d.has("ftz"), sat = d.has("sat");
    const bool satfinite = d.has("satfinite"), relu = d.has("relu"), away = d.has("rna");
    const int mode = roundingOf(d);
    const Type t = d.type(), s = d.type();
    const bool wide = (t == Type::F32 || t == Type::F64 || isInteger(t)) &&
                      (s == Type::F32 || s == Type::F64 || isInteger(s));
    if (!wide) {
        decodeCvtSmall(d, {t, s, toInteger, mode, ftz, sat, satfinite, relu, away});
        return;
    }
    if (satfinite || relu || away) {
        d.finish(nullptr);
        return;
    }
    d.expectCount(2);
    d.def(Field::Dst, 0, t, true);
    d.use(Field::Src0, 1, s, true);
    const unsigned dstBits =
        std::max(16U, d.registerBits(d.op(0)) != 0 ? d.registerBits(d.op(0)) : bitsOf(t));
    const unsigned srcBits =
        std::max(16U, d.registerBits(d.op(1)) != 0 ? d.registerBits(d.op(1)) : bitsOf(s));
    const bool round = mode != FE_TONEAREST;
    d.instr().imm = static_cast<u64>(mode);
    if (isInteger(t) && isInteger(s)) {
        d.finish(intToInt(t, s, sat, dstBits, srcBits));
        return;
    }
    if (isInteger(t)) {
        d.instr().aux = (toInteger == 99 ? 1U : toInteger) | (ftz ? 1U << 16 : 0U);
        d.finish(srcBits != bitsOf(s) ? nullptr
                 : s == Type::F32     ? fromFloat<float>(t, dstBits, d.instr().aux & 0xFF, ftz)
                                      : fromFloat<double>(t, dstBits, d.instr().aux & 0xFF, ftz));
        return;
    }
    if (dstBits != bitsOf(t)) {
        d.finish(nullptr);
        return;
    }
    if (isInteger(s)) {
        d.finish(t == Type::F32 ? intToFloat<float>(s, sat, round, srcBits)
                                : intToFloat<double>(s, sat, round, srcBits));
        return;
    }
    if (srcBits != bitsOf(s)) {
        d.finish(nullptr);
        return;
    }
    if (t == s) {
        if (toInteger != 99) {
            d.instr().aux = toInteger | (ftz ? 1U << 16 : 0U) | (sat ? 1U << 17 : 0U);
            d.finish(t == Type::F32 ? toIntegral<float> : toIntegral<double>);
        } else if (t == Type::F32) {
            d.finish(sat ? (ftz ? unary<F32Copy<true, true>, float, float>
                                : unary<F32Copy<true, false>, float, float>)
                         : (ftz ? unary<F32Copy<false, true>, float, float>
                                : unary<F32Copy<false, false>, float, float>));
        } else {
            d.finish(sat ? unary<F64Sat, double, double> : unary<F64Copy, double, double>);
        }
    } else if (t == Type::F64) {
        d.finish(ftz ? unary<Widen<true>, double, float> : unary<Widen<false>, double, float>);
    } else {
        d.finish(round ? (ftz ? rounded<unary<Narrow<true, false>, float, double>>
                              : rounded<unary<Narrow<false, false>, float, double>>)
                 : ftz ? (sat ? unary<Narrow<true, true>, float, double>
                              : unary<Narrow<true, false>, float, double>)
                       : (sat ? unary<Narrow<false, true>, float, double>
                              : unary<Narrow<false, false>, float, double>));
    }
}

} // namespace

void registerConvert(DecodeTable& t)
{
    t["cvt"] = decodeCvt;
}

} // namespace ridgeline::emu
