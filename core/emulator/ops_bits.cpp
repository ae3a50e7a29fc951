// SPDX-License-Identifier: GPL-3.0-or-later
// Logic, shifts and bit fields.
#include "core/emulator/decode.h"
#include "core/emulator/lanes.h"

#include <bit>

namespace ridgeline::emu {
namespace {

template <class T>
struct And {
    static T f(T a, T b) { return static_cast<T>(a & b); }
};
template <class T>
struct Or {
    static T f(T a, T b) { return static_cast<T>(a | b); }
};
template <class T>
struct Xor {
    static T f(T a, T b) { return static_cast<T>(a ^ b); }
};
template <class T>
struct Not {
    static T f(T a) { return static_cast<T>(~a); }
};
template <class T>
struct Cnot {
    static T f(T a) { return a == 0 ? T(1) : T(0); }
};
// Shift amounts are clamped to the width.
template <class T>
struct Shl {
    static T f(T a, u32 b) { return b < 8 * sizeof(T) ? static_cast<T>(a << b) : T(0); }
};
template <class T>
struct ShrU {
    static T f(T a, u32 b) { return b < 8 * sizeof(T) ? static_cast<T>(a >> b) : T(0); }
};
template <class T>
struct ShrS {
    static T f(T a, u32 b)
    {
        return static_cast<T>(a >> (b < 8 * sizeof(T) ? b : 8 * sizeof(T) - 1));
    }
};
template <bool Left, bool Wrap>
struct Shf {
    static u32 f(u32 lo, u32 hi, u32 c)
    {
        const u32 n = Wrap ? c & 31U : c < 32 ? c : 32;
        const u64 both = u64(hi) << 32 | lo;
        return static_cast<u32>(Left ? (both << n) >> 32 : both >> n);
    }
};
template <class T>
struct Brev {
    static T f(T v)
    {
        T r = 0;
        for (unsigned i = 0; i < 8 * sizeof(T); ++i) {
            r = static_cast<T>(r << 1 | ((v >> i) & 1));
        }
        return r;
    }
};
template <class T>
struct Clz {
    static u32 f(T a) { return static_cast<u32>(std::countl_zero(a)); }
};
template <class T>
struct Popc {
    static u32 f(T a) { return static_cast<u32>(std::popcount(a)); }
};
template <class T, bool Shift>
struct Bfind {
    static u32 f(T v)
    {
        using U = std::make_unsigned_t<T>;
        const U a = static_cast<U>(std::is_signed_v<T> && v < 0 ? ~v : v);
        if (a == 0) {
            return 0xFFFFFFFFU;
        }
        const u32 top = static_cast<u32>(8 * sizeof(T)) - 1;
        const u32 pos = top - static_cast<u32>(std::countl_zero(a));
        return Shift ? top - pos : pos;
    }
};
template <class T>
struct Bfe {
    static T f(T a, u32 b, u32 c)
    {
        using U = std::make_unsigned_t<T>;
        const u32 msb = 8 * sizeof(T) - 1, pos = b & 0xFF, len = c & 0xFF;
        const u32 signAt = pos + len - 1 < msb ? pos + len - 1 : msb;
        const bool sign = std::is_signed_v<T> && len != 0 && ((static_cast<U>(a) >> signAt) & 1U);
        U r = sign ? ~U(0) : U(0);
        if (len != 0 && pos <= msb) {
            const u32 have = len < msb - pos + 1 ? len : msb - pos + 1;
            const U mask = have > msb ? ~U(0) : static_cast<U>((U(1) << have) - 1);
            r = static_cast<U>((r & ~mask) | ((static_cast<U>(a) >> pos) & mask));
        }
        return static_cast<T>(r);
    }
};
template <class T>
struct Bfi {
    static T f(T a, T b, u32 c, u32 d)
    {
        const u32 bits = 8 * sizeof(T), pos = c & 0xFF, len = d & 0xFF;
        if (pos >= bits || len == 0) {
            return b;
        }
        const u32 have = len < bits - pos ? len : bits - pos;
        const T mask =
            static_cast<T>((have >= bits ? ~T(0) : static_cast<T>((T(1) << have) - 1)) << pos);
        return static_cast<T>((b & ~mask) | ((a << pos) & mask));
    }
};
template <bool Wrap>
struct Bmsk {
    static u32 f(u32 a, u32 b)
    {
        const u32 pos = Wrap ? a & 31U : a, len = Wrap ? b & 31U : b;
        if (pos >= 32) {
            return 0;
        }
        return static_cast<u32>((len >= 32 ? 0xFFFFFFFFULL : (1ULL << len) - 1) << pos);
    }
};
template <bool Signed, bool Wrap>
struct Szext {
    static u32 f(u32 a, u32 b)
    {
        const u32 n = Wrap ? b & 31U : b;
        if (n == 0) {
            return 0;
        }
        if (n >= 32) {
            return a;
        }
        return Signed ? static_cast<u32>(static_cast<i32>(a << (32 - n)) >> (32 - n))
                      : a & ((1U << n) - 1);
    }
};
struct Fns {
    static u32 f(u32 mask, u32 base, i32 offset)
    {
        if (offset == 0) {
            return base < 32 && ((mask >> base) & 1U) ? base : 0xFFFFFFFFU;
        }
        i32 left = offset < 0 ? -offset : offset;
        for (i32 at = static_cast<i32>(base & 31U); at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
            if (((mask >> at) & 1U) && --left == 0) {
                return static_cast<u32>(at);
            }
        }
        return 0xFFFFFFFFU;
    }
};
struct Prmt {
    static u32 f(u32 a, u32 b, u32 s)
    {
        const u64 bytes = u64(b) << 32 | a;
        u32 r = 0;
        for (unsigned i = 0; i < 4; ++i) {
            const u32 sel = (s >> (4 * i)) & 0xFU;
            u32 byte = static_cast<u32>(bytes >> (8 * (sel & 7U))) & 0xFFU;
            byte = sel & 8U ? ((byte & 0x80U) ? 0xFFU : 0U) : byte;
            r |= byte << (8 * i);
        }
        return r;
    }
};
/// prmt with a mode: aux 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
const Instr* prmtMode(Warp& w, const Instr* I)
{
    u32* d = regPtr<u32>(w, I->dst);
    const u32* a = regPtr<u32>(w, I->src[0]);
    const u32* b = regPtr<u32>(w, I->src[1]);
    const u32* c = regPtr<u32>(w, I->src[2]);
    static constexpr u16 table[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
        {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
        {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
    for (unsigned i = 0; i < 32; ++i) {
        if (lane(w.mask, i)) {
            d[i] = Prmt::f(a[i], b[i], table[(I->aux & 0xFF) - 1][c[i] & 3U]);
        }
    }
    return I + 1;
}
const Instr* lop3(Warp& w, const Instr* I)
{
    u32* d = regPtr<u32>(w, I->dst);
    const u32* a = regPtr<u32>(w, I->src[0]);
    const u32* b = regPtr<u32>(w, I->src[1]);
    const u32* c = regPtr<u32>(w, I->src[2]);
    const u32 lut = static_cast<u32>(I->imm), m = w.mask;
    const u32 k[8] = {lut & 1U ? ~0U : 0U,  lut & 2U ? ~0U : 0U,  lut & 4U ? ~0U : 0U,
                      lut & 8U ? ~0U : 0U,  lut & 16U ? ~0U : 0U, lut & 32U ? ~0U : 0U,
                      lut & 64U ? ~0U : 0U, lut & 128U ? ~0U : 0U};
    RIDGELINE_LANES
    {
        const u32 x = a[i], y = b[i], z = c[i];
        const u32 r = (~x & ~y & ~z & k[0]) | (~x & ~y & z & k[1]) | (~x & y & ~z & k[2]) |
                      (~x & y & z & k[3]) | (x & ~y & ~z & k[4]) | (x & ~y & z & k[5]) |
                      (x & y & ~z & k[6]) | (x & y & z & k[7]);
        d[i] = lane(m, i) ? r : d[i];
    }
    return I + 1;
}

/// Predicate logic. aux: 0 and, 1 or, 2 xor, 3 not, 4 mov.
const Instr* predLogic(Warp& w, const Instr* I)
{
    const u32 a = pred(w, I->src[0]);
    const u32 b = (I->aux & 0xFF) < 3 ? pred(w, I->src[1]) : 0;
    u32 r = a;
    switch (I->aux & 0xFF) {
    case 0:
        r = a & b;
        break;
    case 1:
        r = a | b;
        break;
    case 2:
        r = a ^ b;
        break;
    case 3:
        r = ~a;
        break;
    default:
        break;
    }
    setPred(w, I->dst, r);
    return I + 1;
}

template <template <class> class Op>
Handler width3(Type t)
{
    return bitsOf(t) == 16   ? binary<Op<u16>, u16, u16, u16>
           : bitsOf(t) == 32 ? binary<Op<u32>, u32, u32, u32>
           : bitsOf(t) == 64 ? binary<Op<u64>, u64, u64, u64>
                             : nullptr;
}

void decodeLogic(Decoder& d)
{
    const std::string_view name = d.ast().opcode;
    const Type t = d.type();
    d.expectCount(3);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    if (t == Type::Pred) {
        d.instr().aux = name == "and" ? 0 : name == "or" ? 1 : 2;
        d.finish(predLogic);
    } else {
        d.finish(name == "and" ? width3<And>(t) : name == "or" ? width3<Or>(t) : width3<Xor>(t));
    }
}

void decodeNot(Decoder& d)
{
    const bool cnot = d.ast().opcode == "cnot";
    const Type t = d.type();
    d.expectCount(2);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    if (t == Type::Pred) {
        d.instr().aux = 3;
        d.finish(predLogic);
        return;
    }
    d.finish(bitsOf(t) == 16   ? (cnot ? unary<Cnot<u16>, u16, u16> : unary<Not<u16>, u16, u16>)
             : bitsOf(t) == 32 ? (cnot ? unary<Cnot<u32>, u32, u32> : unary<Not<u32>, u32, u32>)
             : bitsOf(t) == 64 ? (cnot ? unary<Cnot<u64>, u64, u64> : unary<Not<u64>, u64, u64>)
                               : nullptr);
}

void decodeShift(Decoder& d)
{
    const bool left = d.ast().opcode == "shl";
    const Type t = d.type();
    d.expectCount(3);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, Type::B32);
    if (left) {
        d.finish(bitsOf(t) == 16   ? binary<Shl<u16>, u16, u16, u32>
                 : bitsOf(t) == 32 ? binary<Shl<u32>, u32, u32, u32>
                 : bitsOf(t) == 64 ? binary<Shl<u64>, u64, u64, u32>
                                   : nullptr);
    } else if (isSigned(t)) {
        d.finish(bitsOf(t) == 16   ? binary<ShrS<i16>, i16, i16, u32>
                 : bitsOf(t) == 32 ? binary<ShrS<i32>, i32, i32, u32>
                                   : binary<ShrS<i64>, i64, i64, u32>);
    } else {
        d.finish(bitsOf(t) == 16   ? binary<ShrU<u16>, u16, u16, u32>
                 : bitsOf(t) == 32 ? binary<ShrU<u32>, u32, u32, u32>
                 : bitsOf(t) == 64 ? binary<ShrU<u64>, u64, u64, u32>
                                   : nullptr);
    }
}

void decodeShf(Decoder& d)
{
    const bool left = d.has("l");
    if (!left) {
        d.has("r");
    }
    const bool wrap = d.has("wrap");
    if (!wrap) {
        d.has("clamp");
    }
    d.type();
    d.expectCount(4);
    d.def(Field::Dst, 0, Type::B32);
    d.use(Field::Src0, 1, Type::B32);
    d.use(Field::Src1, 2, Type::B32);
    d.use(Field::Src2, 3, Type::B32);
    d.finish(left ? (wrap ? ternary<Shf<true, true>, u32, u32, u32, u32>
                          : ternary<Shf<true, false>, u32, u32, u32, u32>)
                  : (wrap ? ternary<Shf<false, true>, u32, u32, u32, u32>
                          : ternary<Shf<false, false>, u32, u32, u32, u32>));
}

void decodeUnaryBits(Decoder& d) // brev, clz, popc, bfind
{
    const std::string_view name = d.ast().opcode;
    const bool shift = name == "bfind" && d.has("shiftamt");
    const Type t = d.type();
    const bool wide = bitsOf(t) == 64;
    d.expectCount(2);
    d.def(Field::Dst, 0, name == "brev" ? t : Type::B32);
    d.use(Field::Src0, 1, t);
    if (bitsOf(t) < 32) {
        d.finish(nullptr);
    } else if (name == "brev") {
        d.finish(wide ? unary<Brev<u64>, u64, u64> : unary<Brev<u32>, u32, u32>);
    } else if (name == "clz") {
        d.finish(wide ? unary<Clz<u64>, u32, u64> : unary<Clz<u32>, u32, u32>);
    } else if (name == "popc") {
        d.finish(wide ? unary<Popc<u64>, u32, u64> : unary<Popc<u32>, u32, u32>);
    } else if (isSigned(t)) {
        d.finish(
            wide
                ? (shift ? unary<Bfind<i64, true>, u32, i64> : unary<Bfind<i64, false>, u32, i64>)
                : (shift ? unary<Bfind<i32, true>, u32, i32> : unary<Bfind<i32, false>, u32, i32>));
    } else {
        d.finish(
            wide
                ? (shift ? unary<Bfind<u64, true>, u32, u64> : unary<Bfind<u64, false>, u32, u64>)
                : (shift ? unary<Bfind<u32, true>, u32, u32> : unary<Bfind<u32, false>, u32, u32>));
    }
}

void decodeBfe(Decoder& d)
{
    const Type t = d.type();
    d.expectCount(4);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, Type::B32);
    d.use(Field::Src2, 3, Type::B32);
    d.finish(t == Type::U32   ? ternary<Bfe<u32>, u32, u32, u32, u32>
             : t == Type::S32 ? ternary<Bfe<i32>, i32, i32, u32, u32>
             : t == Type::U64 ? ternary<Bfe<u64>, u64, u64, u32, u32>
             : t == Type::S64 ? ternary<Bfe<i64>, i64, i64, u32, u32>
                              : nullptr);
}

void decodeBfi(Decoder& d)
{
    const Type t = d.type();
    d.expectCount(5);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    d.use(Field::Src2, 3, Type::B32);
    d.use(Field::Src3, 4, Type::B32);
    d.finish(bitsOf(t) == 32   ? quaternary<Bfi<u32>, u32, u32, u32, u32, u32>
             : bitsOf(t) == 64 ? quaternary<Bfi<u64>, u64, u64, u64, u32, u32>
                               : nullptr);
}

void decodeBmsk(Decoder& d)
{
    const bool szext = d.ast().opcode == "szext";
    const bool wrap = d.has("wrap");
    if (!wrap) {
        d.has("clamp");
    }
    const Type t = d.type();
    d.expectCount(3);
    d.def(Field::Dst, 0, Type::B32);
    d.use(Field::Src0, 1, Type::B32);
    d.use(Field::Src1, 2, Type::B32);
    if (szext) {
        d.finish(isSigned(t) ? (wrap ? binary<Szext<true, true>, u32, u32, u32>
                                     : binary<Szext<true, false>, u32, u32, u32>)
                             : (wrap ? binary<Szext<false, true>, u32, u32, u32>
                                     : binary<Szext<false, false>, u32, u32, u32>));
    } else {
        d.finish(wrap ? binary<Bmsk<true>, u32, u32, u32> : binary<Bmsk<false>, u32, u32, u32>);
    }
}

void threeB32(Decoder& d)
{
    d.type();
    d.def(Field::Dst, 0, Type::B32);
    d.use(Field::Src0, 1, Type::B32);
    d.use(Field::Src1, 2, Type::B32);
    d.use(Field::Src2, 3, Type::B32);
}

void decodeFns(Decoder& d)
{
    threeB32(d);
    d.finish(ternary<Fns, u32, u32, u32, i32>);
}

void decodePrmt(Decoder& d)
{
    static constexpr std::pair<std::string_view, u32> modes[] = {
        {"f4e", 1}, {"b4e", 2}, {"rc8", 3}, {"ecl", 4}, {"ecr", 5}, {"rc16", 6}};
    const u32 mode = d.oneOf(modes, 0U);
    d.instr().aux = mode;
    d.expectCount(4);
    threeB32(d);
    d.finish(mode != 0 ? prmtMode : ternary<Prmt, u32, u32, u32, u32>);
}

void decodeLop3(Decoder& d)
{
    d.expectCount(5);
    threeB32(d);
    d.instr().imm = d.immediateBits(d.op(4), Type::B32);
    d.finish(lop3);
}

} // namespace

const Instr* predMove(Warp& w, const Instr* I)
{
    return predLogic(w, I);
}

void registerBits(DecodeTable& t)
{
    t["and"] = t["or"] = t["xor"] = decodeLogic;
    t["not"] = t["cnot"] = decodeNot;
    t["shl"] = t["shr"] = decodeShift;
    t["shf"] = decodeShf;
    t["brev"] = t["clz"] = t["popc"] = t["bfind"] = decodeUnaryBits;
    t["bfe"] = decodeBfe;
    t["bfi"] = decodeBfi;
    t["bmsk"] = t["szext"] = decodeBmsk;
    t["fns"] = decodeFns;
    t["prmt"] = decodePrmt;
    t["lop3"] = decodeLop3;
}

} // namespace ridgeline::emu
