// SPDX-License-Identifier: GPL-3.0-or-later
// cvt from and to f16, bf16, tf32, fp8 and their pairs.
#include "core/emulator/convert.h"
#include "core/emulator/float_ops.h"
#include "core/emulator/half.h"

#include <cfenv>
#include <cmath>

namespace ridgeline::emu {
namespace {

Round roundOf(const CvtSpec& s)
{
    return s.away                    ? Round::Away
           : s.mode == FE_TOWARDZERO ? Round::Zero
           : s.mode == FE_DOWNWARD   ? Round::Down
           : s.mode == FE_UPWARD     ? Round::Up
                                     : Round::Nearest;
}

const FloatFormat* formatOf(Type t)
{
    switch (t) {
    case Type::F16:
    case Type::F16x2:
        return &formatF16;
    case Type::BF16:
    case Type::BF16x2:
        return &formatBF16;
    case Type::E4M3x2:
        return &formatE4M3;
    case Type::E5M2x2:
        return &formatE5M2;
    case Type::TF32:
        return &formatTF32;
    default:
        return nullptr;
    }
}

double readValue(Warp& w, Reg r, Type t, unsigned lane)
{
    switch (t) {
    case Type::F32:
        return static_cast<double>(regPtr<float>(w, r)[lane]);
    case Type::F64:
        return regPtr<double>(w, r)[lane];
    case Type::F16:
        return static_cast<double>(halfToFloat(regPtr<u16>(w, r)[lane]));
    case Type::BF16:
        return static_cast<double>(bfloatToFloat(regPtr<u16>(w, r)[lane]));
    default:
        return 0.0;
    }
}

/// imm: the spec's types and flags; everything that has no fast path goes through here.
struct Packed {
    Type to, from;
    Round round;
    u32 integral;
    bool ftz, sat, satfinite, relu;
};
Packed unpackSpec(u64 imm)
{
    return {static_cast<Type>(imm & 0xFF),
            static_cast<Type>((imm >> 8) & 0xFF),
            static_cast<Round>((imm >> 16) & 7U),
            static_cast<u32>((imm >> 20) & 7U),
            ((imm >> 24) & 1U) != 0,
            ((imm >> 25) & 1U) != 0,
            ((imm >> 26) & 1U) != 0,
            ((imm >> 27) & 1U) != 0};
}
u64 packSpec(const CvtSpec& s)
{
    return u64(s.to) | u64(s.from) << 8 | u64(roundOf(s)) << 16 |
           u64(s.integral == 99 ? 7U : s.integral) << 20 | u64(s.ftz) << 24 | u64(s.sat) << 25 |
           u64(s.satfinite) << 26 | u64(s.relu) << 27;
}

u32 narrow(double v, const FloatFormat& f, const Packed& p)
{
    if (p.relu && !(v > 0.0)) {
        v = v == v ? 0.0 : v;
    }
    if (p.sat) {
        v = saturate(v);
    }
    const bool small = f.exponentBits + f.mantissaBits < 10;
    u32 r = toFormat(v, f, p.round, p.satfinite);
    if (v != v) {
        r = small && f.hasInfinity ? 0x7FU : r; // canonical NaN
    }
    return r;
}

/// One value to one value.
const Instr* convertOne(Warp& w, const Instr* I)
{
    const Packed p = unpackSpec(I->imm);
    const bool fromInt = p.from >= Type::U8 && p.from <= Type::S64;
    const bool toInt = p.to >= Type::U8 && p.to <= Type::S64;
    for (u32 k = w.mask; k != 0; k &= k - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(k));
        if (fromInt) {
            // Rounding an integer that double cannot hold would round twice; halves saturate long
            // before.
            i64 s = 0;
            double v = 0;
            switch (p.from) {
            case Type::U8:
                v = static_cast<u8>(regPtr<u16>(w, I->src[0])[i]);
                break;
            case Type::S8:
                v = static_cast<i8>(regPtr<u16>(w, I->src[0])[i]);
                break;
            case Type::U16:
                v = regPtr<u16>(w, I->src[0])[i];
                break;
            case Type::S16:
                v = regPtr<i16>(w, I->src[0])[i];
                break;
            case Type::U32:
                v = regPtr<u32>(w, I->src[0])[i];
                break;
            case Type::S32:
                v = regPtr<i32>(w, I->src[0])[i];
                break;
            case Type::S64:
                s = regPtr<i64>(w, I->src[0])[i];
                // Sticky: keep the upper bits and whether anything was below.
                v = static_cast<double>(
                    (s >> 11 << 11) |
                    ((s & 0x7FF) != 0 && (s >> 40) != 0 && (s >> 40) != -1 ? 0x400 : s & 0x7FF));
                break;
            default: {
                const u64 u = regPtr<u64>(w, I->src[0])[i];
                v = static_cast<double>((u >> 11 << 11) |
                                        ((u & 0x7FF) != 0 && (u >> 40) != 0 ? 0x400 : u & 0x7FF));
                break;
            }
            }
            regPtr<u16>(w, I->dst)[i] = static_cast<u16>(narrow(v, *formatOf(p.to), p));
            continue;
        }
        double v = readValue(w, I->src[0], p.from, i);
        if (p.ftz && p.from == Type::F32 && std::fabs(v) < 0x1p-126) {
            v = std::copysign(0.0, v);
        }
        if (toInt) {
            const u32 mode = p.integral == 7 ? 1 : p.integral;
            const double r = mode == 0   ? std::nearbyint(v)
                             : mode == 1 ? std::trunc(v)
                             : mode == 2 ? std::floor(v)
                                         : std::ceil(v);
            const unsigned bits = bitsOf(p.to);
            const double hi = std::ldexp(1.0, static_cast<int>(isSigned(p.to) ? bits - 1 : bits));
            const double lo = isSigned(p.to) ? -hi : 0.0;
            u64 x;
            if (r != r) {
                x = bits == 64 ? 1ULL << 63 : 0;
            } else if (r >= hi) {
                x = isSigned(p.to) ? (1ULL << (bits - 1)) - 1
                    : bits == 64   ? ~0ULL
                                   : (1ULL << bits) - 1;
            } else if (r < lo) {
                x = isSigned(p.to) ? ~0ULL << (bits - 1) : 0;
            } else {
                x = isSigned(p.to) ? static_cast<u64>(static_cast<i64>(r)) : static_cast<u64>(r);
            }
            switch (bits) {
            case 8:
            case 16:
                regPtr<u16>(w, I->dst)[i] = static_cast<u16>(x);
                break;
            case 32:
                regPtr<u32>(w, I->dst)[i] = static_cast<u32>(x);
                break;
            default:
                regPtr<u64>(w, I->dst)[i] = x;
                break;
            }
            continue;
        }
        if (p.integral != 7) {
            v = p.integral == 0   ? std::nearbyint(v)
                : p.integral == 1 ? std::trunc(v)
                : p.integral == 2 ? std::floor(v)
                                  : std::ceil(v);
        }
        if (p.to == Type::F32) {
            regPtr<float>(w, I->dst)[i] = canonical(static_cast<float>(p.sat ? saturate(v) : v));
        } else if (p.to == Type::F64) {
            regPtr<double>(w, I->dst)[i] =
                v == v ? (p.sat ? saturate(v) : v) : bitCast<double>(canonicalNan64);
        } else if (p.to == Type::TF32) {
            const u32 r = narrow(v, formatTF32, p);
            regPtr<u32>(w, I->dst)[i] = v == v ? r << 13 : canonicalNan32;
        } else {
            regPtr<u16>(w, I->dst)[i] = static_cast<u16>(narrow(v, *formatOf(p.to), p));
        }
    }
    return I + 1;
}

/// Two single precision values to a pair; the first operand becomes the upper half.
const Instr* convertPair(Warp& w, const Instr* I)
{
    const Packed p = unpackSpec(I->imm);
    const FloatFormat& f = *formatOf(p.to);
    const unsigned half = bitsOf(p.to) / 2;
    for (u32 k = w.mask; k != 0; k &= k - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(k));
        double hi, lo;
        if (I->src[1] != noReg) {
            hi = static_cast<double>(regPtr<float>(w, I->src[0])[i]);
            lo = static_cast<double>(regPtr<float>(w, I->src[1])[i]);
        } else { // from f16x2 or bf16x2
            const u32 x = regPtr<u32>(w, I->src[0])[i];
            const FloatFormat& from = *formatOf(p.from);
            hi = fromFormat(x >> 16, from);
            lo = fromFormat(x & 0xFFFFU, from);
        }
        const u32 r = narrow(hi, f, p) << half | narrow(lo, f, p);
        if (half == 16) {
            regPtr<u32>(w, I->dst)[i] = r;
        } else {
            regPtr<u16>(w, I->dst)[i] = static_cast<u16>(r);
        }
    }
    return I + 1;
}

/// fp8 pair to f16x2 or bf16x2.
const Instr* widenPair(Warp& w, const Instr* I)
{
    const Packed p = unpackSpec(I->imm);
    for (u32 k = w.mask; k != 0; k &= k - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(k));
        const u32 x = regPtr<u16>(w, I->src[0])[i];
        const FloatFormat& from = *formatOf(p.from);
        const u32 hi = narrow(fromFormat(x >> 8, from), *formatOf(p.to), p),
                  lo = narrow(fromFormat(x & 0xFFU, from), *formatOf(p.to), p);
        regPtr<u32>(w, I->dst)[i] = hi << 16 | lo;
    }
    return I + 1;
}

struct HalfToFloat {
    static float f(u16 h) { return canonical(halfToFloat(h)); }
};
struct BfloatToFloat {
    static float f(u16 h) { return canonical(bfloatToFloat(h)); }
};
struct FloatToHalf {
    static u16 f(float x) { return floatToHalf(x); }
};
struct FloatToBfloat {
    static u16 f(float x) { return floatToBfloat(x); }
};
template <u16 (*F)(float)>
struct ToPair {
    static u32 f(float hi, float lo) { return u32(F(hi)) << 16 | F(lo); }
};

/// cvt.pack.sat.{u16,s16,u8,s8,…}.s32 d, a, b{, c}. imm: bits of an element, bit 8 signed.
const Instr* pack(Warp& w, const Instr* I)
{
    const unsigned bits = static_cast<unsigned>(I->imm & 0xFF);
    const bool isSigned = (I->imm >> 8) & 1U;
    const i64 hi = (1LL << (isSigned ? bits - 1 : bits)) - 1, lo = isSigned ? -hi - 1 : 0;
    const u32 mask = bits == 32 ? ~0U : (1U << bits) - 1;
    for (u32 k = w.mask; k != 0; k &= k - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(k));
        const auto clamp = [&](i32 v) {
            return static_cast<u32>(v < lo ? lo : v > hi ? hi : v) & mask;
        };
        const u32 a = clamp(regPtr<i32>(w, I->src[0])[i]), b = clamp(regPtr<i32>(w, I->src[1])[i]);
        const u32 low = a << bits | b;
        regPtr<u32>(w, I->dst)[i] =
            I->src[2] != noReg ? regPtr<u32>(w, I->src[2])[i] << (2 * bits) | low : low;
    }
    return I + 1;
}

} // namespace

void decodeCvtSmall(Decoder& d, const CvtSpec& s)
{
    d.instr().imm = packSpec(s);
    const bool plain = s.integral == 99 && !s.sat && !s.satfinite && !s.relu && !s.away && !s.ftz &&
                       s.mode == FE_TONEAREST;
    const bool pairTo =
        s.to == Type::F16x2 || s.to == Type::BF16x2 || s.to == Type::E4M3x2 || s.to == Type::E5M2x2;
    const bool scalar16From = s.from == Type::F16 || s.from == Type::BF16;
    const bool scalar16To = s.to == Type::F16 || s.to == Type::BF16;
    const bool wideOrInt =
        s.from == Type::F32 || s.from == Type::F64 || (s.from >= Type::U8 && s.from <= Type::S64);
    const bool wideOrIntTo =
        s.to == Type::F32 || s.to == Type::F64 || (s.to >= Type::U8 && s.to <= Type::S64);
    if (pairTo && s.from == Type::F32) {
        d.expectCount(3);
        d.def(Field::Dst, 0, s.to);
        d.use(Field::Src0, 1, Type::F32);
        d.use(Field::Src1, 2, Type::F32);
        d.finish(plain && s.to == Type::F16x2    ? binary<ToPair<floatToHalf>, u32, float, float>
                 : plain && s.to == Type::BF16x2 ? binary<ToPair<floatToBfloat>, u32, float, float>
                                                 : convertPair);
        return;
    }
    d.expectCount(2);
    d.def(Field::Dst, 0, s.to);
    d.use(Field::Src0, 1, s.from);
    if ((s.to == Type::E4M3x2 || s.to == Type::E5M2x2) &&
        (s.from == Type::F16x2 || s.from == Type::BF16x2)) {
        d.finish(convertPair);
    } else if ((s.to == Type::F16x2 || s.to == Type::BF16x2) &&
               (s.from == Type::E4M3x2 || s.from == Type::E5M2x2)) {
        d.finish(widenPair);
    } else if (plain && s.to == Type::F32 && scalar16From) {
        d.finish(s.from == Type::F16 ? unary<HalfToFloat, float, u16>
                                     : unary<BfloatToFloat, float, u16>);
    } else if (plain && s.from == Type::F32 && scalar16To) {
        d.finish(s.to == Type::F16 ? unary<FloatToHalf, u16, float>
                                   : unary<FloatToBfloat, u16, float>);
    } else if ((scalar16From && (wideOrIntTo || scalar16To)) || (scalar16To && wideOrInt) ||
               (s.to == Type::TF32 && s.from == Type::F32)) {
        d.finish(convertOne);
    } else {
        d.finish(nullptr);
    }
}

void decodeCvtPack(Decoder& d)
{
    d.has("sat");
    const Type t = d.type(), s = d.type();
    const bool withC = d.typeOr(Type::None) != Type::None;
    d.expectCount(withC ? 4 : 3);
    d.def(Field::Dst, 0, Type::B32);
    d.use(Field::Src0, 1, Type::B32);
    d.use(Field::Src1, 2, Type::B32);
    if (withC) {
        d.use(Field::Src2, 3, Type::B32);
    }
    d.instr().imm = bitsOf(t) | (isSigned(t) || t == Type::S4 ? 0x100U : 0U);
    d.finish(s == Type::S32 && bitsOf(t) >= 2 ? pack : nullptr);
}

} // namespace ridgeline::emu
