// SPDX-License-Identifier: GPL-3.0-or-later
// add, sub, mul, mad, div, rem, min, max, abs, neg, sad, mul24, dp4a, carry chains.
#include "core/emulator/decode.h"
#include "core/emulator/float_ops.h"
#include "core/emulator/lanes.h"

#include <type_traits>

namespace ridgeline::emu {
namespace {

template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, i32, u32>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, i64, u64>,
                       std::conditional_t<std::is_signed_v<T>, i128, u128>>>;
template <class T>
using Un = std::make_unsigned_t<T>;

template <class T>
struct Add {
    static T f(T a, T b) { return static_cast<T>(static_cast<Un<T>>(a) + static_cast<Un<T>>(b)); }
};
template <class T>
struct Sub {
    static T f(T a, T b) { return static_cast<T>(static_cast<Un<T>>(a) - static_cast<Un<T>>(b)); }
};
template <class T>
struct MulLo {
    static T f(T a, T b) { return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b)); }
};
template <>
struct MulLo<u32> {
    static u32 f(u32 a, u32 b) { return a * b; }
};
template <class T>
struct MulHi {
    static T f(T a, T b) { return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T))); }
};
template <class T>
struct MulWide {
    static Wide<T> f(T a, T b) { return static_cast<Wide<T>>(Wide<T>(a) * Wide<T>(b)); }
};
template <class T>
struct Mul24 {
    static u32 f(T a, T b) { return static_cast<u32>(ext(a) * ext(b)); }
    static i64 ext(T a)
    {
        return std::is_signed_v<T>
                   ? static_cast<i64>(static_cast<i32>(static_cast<u32>(a) << 8) >> 8)
                   : static_cast<i64>(static_cast<u32>(a) & 0xFFFFFF);
    }
};
template <class T>
struct Mul24Hi {
    static u32 f(T a, T b) { return static_cast<u32>((Mul24<T>::ext(a) * Mul24<T>::ext(b)) >> 16); }
};
template <class T>
struct MadLo {
    static T f(T a, T b, T c) { return Add<T>::f(MulLo<T>::f(a, b), c); }
};
template <class T>
struct MadHi {
    static T f(T a, T b, T c) { return Add<T>::f(MulHi<T>::f(a, b), c); }
};
struct MadHiSat {
    static i32 f(i32 a, i32 b, i32 c)
    {
        const i64 r = i64(MulHi<i32>::f(a, b)) + c;
        return static_cast<i32>(r < INT32_MIN ? INT32_MIN : r > INT32_MAX ? INT32_MAX : r);
    }
};
template <class T>
struct MadWide {
    static Wide<T> f(T a, T b, Wide<T> c) { return Add<Wide<T>>::f(MulWide<T>::f(a, b), c); }
};
template <class T>
struct Div {
    // Division by zero gives all ones, as the hardware's emulation does.
    static T f(T a, T b)
    {
        if (b == 0) {
            return static_cast<T>(~T(0));
        }
        if constexpr (std::is_signed_v<T>) {
            if (b == T(-1)) {
                return Sub<T>::f(0, a);
            }
        }
        return static_cast<T>(a / b);
    }
};
template <class T>
struct Rem {
    static T f(T a, T b)
    {
        if (b == 0) {
            return a;
        }
        if constexpr (std::is_signed_v<T>) {
            if (b == T(-1)) {
                return 0;
            }
        }
        return static_cast<T>(a % b);
    }
};
template <class T>
struct Min {
    static T f(T a, T b) { return a < b ? a : b; }
};
template <class T>
struct Max {
    static T f(T a, T b) { return a > b ? a : b; }
};
template <class T>
struct Abs {
    static T f(T a) { return a < 0 ? Sub<T>::f(0, a) : a; }
};
template <class T>
struct Neg {
    static T f(T a) { return Sub<T>::f(0, a); }
};
struct AddSat {
    static i32 f(i32 a, i32 b)
    {
        const i64 r = i64(a) + b;
        return static_cast<i32>(r < INT32_MIN ? INT32_MIN : r > INT32_MAX ? INT32_MAX : r);
    }
};
struct SubSat {
    static i32 f(i32 a, i32 b)
    {
        const i64 r = i64(a) - b;
        return static_cast<i32>(r < INT32_MIN ? INT32_MIN : r > INT32_MAX ? INT32_MAX : r);
    }
};
template <class T>
struct Sad {
    static T f(T a, T b, T c) { return Add<T>::f(a < b ? Sub<T>::f(b, a) : Sub<T>::f(a, b), c); }
};
struct Dp { // byte i of a, byte (or half) i of b
    template <bool SA, bool SB>
    static u32 dot4(u32 a, u32 b, u32 c)
    {
        for (int i = 0; i < 4; ++i) {
            const i32 x =
                SA ? i32(static_cast<i8>(a >> (8 * i))) : i32(static_cast<u8>(a >> (8 * i)));
            const i32 y =
                SB ? i32(static_cast<i8>(b >> (8 * i))) : i32(static_cast<u8>(b >> (8 * i)));
            c += static_cast<u32>(x * y);
        }
        return c;
    }
    template <bool SA, bool SB, bool High>
    static u32 dot2(u32 a, u32 b, u32 c)
    {
        for (int i = 0; i < 2; ++i) {
            const i32 x =
                SA ? i32(static_cast<i16>(a >> (16 * i))) : i32(static_cast<u16>(a >> (16 * i)));
            const unsigned s = 8 * static_cast<unsigned>(i + (High ? 2 : 0));
            const i32 y = SB ? i32(static_cast<i8>(b >> s)) : i32(static_cast<u8>(b >> s));
            c += static_cast<u32>(x * y);
        }
        return c;
    }
};
template <bool SA, bool SB>
struct Dp4 {
    static u32 f(u32 a, u32 b, u32 c) { return Dp::dot4<SA, SB>(a, b, c); }
};
template <bool SA, bool SB, bool H>
struct Dp2 {
    static u32 f(u32 a, u32 b, u32 c) { return Dp::dot2<SA, SB, H>(a, b, c); }
};

template <template <class> class Op>
Handler anyWidth(Type t) // signless
{
    switch (bitsOf(t)) {
    case 16:
        return binary<Op<u16>, u16, u16, u16>;
    case 32:
        return binary<Op<u32>, u32, u32, u32>;
    case 64:
        return binary<Op<u64>, u64, u64, u64>;
    default:
        return nullptr;
    }
}
template <template <class> class Op>
Handler bySign(Type t)
{
    switch (t) {
    case Type::U16:
        return binary<Op<u16>, u16, u16, u16>;
    case Type::U32:
        return binary<Op<u32>, u32, u32, u32>;
    case Type::U64:
        return binary<Op<u64>, u64, u64, u64>;
    case Type::S16:
        return binary<Op<i16>, i16, i16, i16>;
    case Type::S32:
        return binary<Op<i32>, i32, i32, i32>;
    case Type::S64:
        return binary<Op<i64>, i64, i64, i64>;
    default:
        return nullptr;
    }
}

/// d = a ± b ± carry, carry out. aux: 1 subtract, 2 carry in, 4 carry out.
template <class T>
const Instr* carryOp(Warp& w, const Instr* I)
{
    T* d = regPtr<T>(w, I->dst);
    const T* a = regPtr<T>(w, I->src[0]);
    const T* b = regPtr<T>(w, I->src[1]);
    const bool subtract = I->aux & 1, in = I->aux & 2, out = I->aux & 4;
    for (unsigned i = 0; i < 32; ++i) {
        if (!lane(w.mask, i)) {
            continue;
        }
        const T c = in && w.carry[i];
        T r;
        bool carry;
        if (subtract) {
            const bool b1 = __builtin_sub_overflow(a[i], b[i], &r);
            carry = __builtin_sub_overflow(r, c, &r) || b1;
        } else {
            const bool b1 = __builtin_add_overflow(a[i], b[i], &r);
            carry = __builtin_add_overflow(r, c, &r) || b1;
        }
        if (out) {
            w.carry[i] = carry;
        }
        d[i] = r;
    }
    return I + 1;
}

/// d = lo/hi(a * b) + c + carry. aux: 1 hi, 2 carry in, 4 carry out, 8 signed.
template <class T>
const Instr* madCarry(Warp& w, const Instr* I)
{
    T* d = regPtr<T>(w, I->dst);
    const T* a = regPtr<T>(w, I->src[0]);
    const T* b = regPtr<T>(w, I->src[1]);
    const T* c = regPtr<T>(w, I->src[2]);
    for (unsigned i = 0; i < 32; ++i) {
        if (!lane(w.mask, i)) {
            continue;
        }
        T p = MulLo<T>::f(a[i], b[i]);
        if (I->aux & 1) {
            p = I->aux & 8 ? static_cast<T>(MulHi<std::make_signed_t<T>>::f(
                                 static_cast<std::make_signed_t<T>>(a[i]),
                                 static_cast<std::make_signed_t<T>>(b[i])))
                           : MulHi<T>::f(a[i], b[i]);
        }
        const T in = (I->aux & 2) && w.carry[i];
        T r;
        bool carry = __builtin_add_overflow(p, c[i], &r);
        carry = __builtin_add_overflow(r, in, &r) || carry;
        if (I->aux & 4) {
            w.carry[i] = carry;
        }
        d[i] = r;
    }
    return I + 1;
}

void three(Decoder& d, Type t)
{
    d.expectCount(3);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
}

void decodeCarry(Decoder& d, Type t, u32 flags)
{
    three(d, t);
    d.instr().aux = flags;
    d.finish(bitsOf(t) == 64 ? carryOp<u64> : bitsOf(t) == 32 ? carryOp<u32> : nullptr);
}

void decodeAddSub(Decoder& d)
{
    const bool sub = d.ast().opcode == "sub";
    const Type t = d.type();
    if (isFloat(t)) {
        decodeFloatArithmetic(d, t);
        return;
    }
    if (d.has("cc")) {
        decodeCarry(d, t, sub ? 5 : 4);
        return;
    }
    const bool sat = d.has("sat");
    three(d, t);
    if (sat) {
        d.finish(t != Type::S32 ? nullptr
                 : sub          ? binary<SubSat, i32, i32, i32>
                                : binary<AddSat, i32, i32, i32>);
    } else {
        d.finish(sub ? anyWidth<Sub>(t) : anyWidth<Add>(t));
    }
}

void decodeAddc(Decoder& d)
{
    const bool sub = d.ast().opcode == "subc";
    const Type t = d.type();
    decodeCarry(d, t, (sub ? 1U : 0U) | 2U | (d.has("cc") ? 4U : 0U));
}

void decodeMul(Decoder& d)
{
    const Type t = d.type();
    if (isFloat(t)) {
        decodeFloatArithmetic(d, t);
        return;
    }
    d.expectCount(3);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    if (d.has("wide")) {
        const Type wide = bitsOf(t) == 16 ? Type::B32 : bitsOf(t) == 32 ? Type::B64 : Type::B128;
        d.def(Field::Dst, 0, wide);
        d.finish(t == Type::U16   ? binary<MulWide<u16>, u32, u16, u16>
                 : t == Type::S16 ? binary<MulWide<i16>, i32, i16, i16>
                 : t == Type::U32 ? binary<MulWide<u32>, u64, u32, u32>
                 : t == Type::S32 ? binary<MulWide<i32>, i64, i32, i32>
                                  : nullptr);
        return;
    }
    d.def(Field::Dst, 0, t);
    if (d.has("hi")) {
        d.finish(bySign<MulHi>(t));
    } else {
        d.has("lo");
        d.finish(anyWidth<MulLo>(t));
    }
}

void decodeMad(Decoder& d)
{
    const Type t = d.type();
    if (isFloat(t)) {
        decodeFloatArithmetic(d, t);
        return;
    }
    const bool carryIn = d.ast().opcode == "madc";
    const bool carryOut = d.has("cc");
    d.expectCount(4);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    if (d.has("wide")) {
        const Type wide = bitsOf(t) == 16 ? Type::B32 : Type::B64;
        d.use(Field::Src2, 3, wide);
        d.def(Field::Dst, 0, wide);
        d.finish(t == Type::U16   ? ternary<MadWide<u16>, u32, u16, u16, u32>
                 : t == Type::S16 ? ternary<MadWide<i16>, i32, i16, i16, i32>
                 : t == Type::U32 ? ternary<MadWide<u32>, u64, u32, u32, u64>
                 : t == Type::S32 ? ternary<MadWide<i32>, i64, i32, i32, i64>
                                  : nullptr);
        return;
    }
    d.use(Field::Src2, 3, t);
    d.def(Field::Dst, 0, t);
    const bool hi = d.has("hi");
    if (!hi) {
        d.has("lo");
    }
    if (carryIn || carryOut) {
        d.instr().aux =
            (hi ? 1U : 0U) | (carryIn ? 2U : 0U) | (carryOut ? 4U : 0U) | (isSigned(t) ? 8U : 0U);
        d.finish(bitsOf(t) == 64 ? madCarry<u64> : bitsOf(t) == 32 ? madCarry<u32> : nullptr);
        return;
    }
    if (d.has("sat")) {
        d.finish(hi && t == Type::S32 ? ternary<MadHiSat, i32, i32, i32, i32> : nullptr);
        return;
    }
    if (!hi) {
        d.finish(bitsOf(t) == 16   ? ternary<MadLo<u16>, u16, u16, u16, u16>
                 : bitsOf(t) == 32 ? ternary<MadLo<u32>, u32, u32, u32, u32>
                 : bitsOf(t) == 64 ? ternary<MadLo<u64>, u64, u64, u64, u64>
                                   : nullptr);
        return;
    }
    d.finish(t == Type::U16   ? ternary<MadHi<u16>, u16, u16, u16, u16>
             : t == Type::S16 ? ternary<MadHi<i16>, i16, i16, i16, i16>
             : t == Type::U32 ? ternary<MadHi<u32>, u32, u32, u32, u32>
             : t == Type::S32 ? ternary<MadHi<i32>, i32, i32, i32, i32>
             : t == Type::U64 ? ternary<MadHi<u64>, u64, u64, u64, u64>
             : t == Type::S64 ? ternary<MadHi<i64>, i64, i64, i64, i64>
                              : nullptr);
}

void decodeMul24(Decoder& d)
{
    const Type t = d.type();
    const bool hi = d.has("hi");
    if (!hi) {
        d.has("lo");
    }
    three(d, t);
    d.finish(t == Type::U32
                 ? (hi ? binary<Mul24Hi<u32>, u32, u32, u32> : binary<Mul24<u32>, u32, u32, u32>)
             : t == Type::S32
                 ? (hi ? binary<Mul24Hi<i32>, u32, i32, i32> : binary<Mul24<i32>, u32, i32, i32>)
                 : nullptr);
}

void decodeDiv(Decoder& d)
{
    const Type t = d.type();
    if (isFloat(t)) {
        decodeFloatDivide(d, t);
        return;
    }
    three(d, t);
    d.finish(bySign<Div>(t));
}

void decodeRem(Decoder& d)
{
    const Type t = d.type();
    three(d, t);
    d.finish(bySign<Rem>(t));
}

void decodeMinMax(Decoder& d)
{
    const bool min = d.ast().opcode == "min";
    const Type t = d.type();
    if (isFloat(t)) {
        decodeFloatMinMax(d, t);
        return;
    }
    three(d, t);
    d.finish(min ? bySign<Min>(t) : bySign<Max>(t));
}

void decodeAbsNeg(Decoder& d)
{
    const bool abs = d.ast().opcode == "abs";
    const Type t = d.type();
    if (isFloat(t)) {
        decodeFloatSign(d, t);
        return;
    }
    d.expectCount(2);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.finish(bitsOf(t) == 16   ? (abs ? unary<Abs<i16>, i16, i16> : unary<Neg<i16>, i16, i16>)
             : bitsOf(t) == 32 ? (abs ? unary<Abs<i32>, i32, i32> : unary<Neg<i32>, i32, i32>)
             : bitsOf(t) == 64 ? (abs ? unary<Abs<i64>, i64, i64> : unary<Neg<i64>, i64, i64>)
                               : nullptr);
}

void decodeSad(Decoder& d)
{
    const Type t = d.type();
    d.expectCount(4);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    d.use(Field::Src2, 3, t);
    d.finish(t == Type::U16   ? ternary<Sad<u16>, u16, u16, u16, u16>
             : t == Type::S16 ? ternary<Sad<i16>, i16, i16, i16, i16>
             : t == Type::U32 ? ternary<Sad<u32>, u32, u32, u32, u32>
             : t == Type::S32 ? ternary<Sad<i32>, i32, i32, i32, i32>
             : t == Type::U64 ? ternary<Sad<u64>, u64, u64, u64, u64>
             : t == Type::S64 ? ternary<Sad<i64>, i64, i64, i64, i64>
                              : nullptr);
}

void decodeDp(Decoder& d)
{
    const bool four = d.ast().opcode == "dp4a";
    const bool high = !four && d.has("hi");
    if (!four && !high) {
        d.has("lo");
    }
    const bool sa = isSigned(d.type());
    const bool sb = isSigned(d.type());
    d.expectCount(4);
    d.def(Field::Dst, 0, Type::B32);
    d.use(Field::Src0, 1, Type::B32);
    d.use(Field::Src1, 2, Type::B32);
    d.use(Field::Src2, 3, Type::B32);
    if (four) {
        d.finish(sa ? (sb ? ternary<Dp4<true, true>, u32, u32, u32, u32>
                          : ternary<Dp4<true, false>, u32, u32, u32, u32>)
                    : (sb ? ternary<Dp4<false, true>, u32, u32, u32, u32>
                          : ternary<Dp4<false, false>, u32, u32, u32, u32>));
    } else if (high) {
        d.finish(sa ? (sb ? ternary<Dp2<true, true, true>, u32, u32, u32, u32>
                          : ternary<Dp2<true, false, true>, u32, u32, u32, u32>)
                    : (sb ? ternary<Dp2<false, true, true>, u32, u32, u32, u32>
                          : ternary<Dp2<false, false, true>, u32, u32, u32, u32>));
    } else {
        d.finish(sa ? (sb ? ternary<Dp2<true, true, false>, u32, u32, u32, u32>
                          : ternary<Dp2<true, false, false>, u32, u32, u32, u32>)
                    : (sb ? ternary<Dp2<false, true, false>, u32, u32, u32, u32>
                          : ternary<Dp2<false, false, false>, u32, u32, u32, u32>));
    }
}

} // namespace

void registerInteger(DecodeTable& t)
{
    t["add"] = t["sub"] = decodeAddSub;
    t["addc"] = t["subc"] = decodeAddc;
    t["mul"] = decodeMul;
    t["mad"] = t["madc"] = decodeMad;
    t["mul24"] = decodeMul24;
    t["div"] = decodeDiv;
    t["rem"] = decodeRem;
    t["min"] = t["max"] = decodeMinMax;
    t["abs"] = t["neg"] = decodeAbsNeg;
    t["sad"] = decodeSad;
    t["dp4a"] = t["dp2a"] = decodeDp;
}

} // namespace ridgeline::emu
