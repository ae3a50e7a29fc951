// SPDX-License-Identifier: GPL-3.0-or-later
// setp, set, selp, slct.
#include "core/emulator/decode.h"
#include "core/emulator/float_ops.h"
#include "core/emulator/half.h"
#include "core/emulator/lanes.h"

namespace ridgeline::emu {
namespace {

enum Cmp : u32 { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

template <u32 C, class T>
bool compare(T a, T b)
{
    switch (C) {
    case Eq:
        return a == b;
    case Ne:
        return a != b && (a == a) && (b == b); // ordered for floats
    case Lt:
        return a < b;
    case Le:
        return a <= b;
    case Gt:
        return a > b;
    case Ge:
        return a >= b;
    case Equ:
        return !(a != b) || a != a || b != b;
    case Neu:
        return a != b;
    case Ltu:
        return !(a >= b);
    case Leu:
        return !(a > b);
    case Gtu:
        return !(a <= b);
    case Geu:
        return !(a < b);
    case Num:
        return a == a && b == b;
    default:
        return a != a || b != b;
    }
}

template <u32 C, bool Ftz, class T>
u32 compareLanes(const T* a, const T* b)
{
    u32 bits = 0;
    RIDGELINE_LANES
    {
        if constexpr (Ftz) {
            bits |= u32(compare<C>(flush(a[i]), flush(b[i]))) << i;
        } else {
            bits |= u32(compare<C>(a[i], b[i])) << i;
        }
    }
    return bits;
}

/// aux: low byte unused; bits 16–17 bool op (0 none, 1 and, 2 or, 3 xor), bit 18 negated third, bit
/// 19 .ftz.
template <u32 C, class T, bool Ftz = false>
const Instr* setp(Warp& w, const Instr* I)
{
    u32 bits = compareLanes<C, Ftz, T>(regPtr<T>(w, I->src[0]), regPtr<T>(w, I->src[1]));
    const u32 op = (I->aux >> 16) & 3U;
    if (op == 0 && I->dst2 == noReg) {
        setPred(w, I->dst, bits);
        return I + 1;
    }
    u32 other = ~bits;
    if (op != 0) {
        const u32 c = pred(w, I->src[2]) ^ ((I->aux & (1U << 18)) ? fullMask : 0U);
        bits = op == 1 ? bits & c : op == 2 ? bits | c : bits ^ c;
        other = op == 1 ? other & c : op == 2 ? other | c : other ^ c;
    }
    setPred(w, I->dst, bits);
    setPred(w, I->dst2, other);
    return I + 1;
}

template <class T>
Handler setpFor(u32 c, bool floating)
{
    switch (c) {
    case Eq:
        return setp<Eq, T>;
    case Ne:
        return setp<Ne, T>;
    case Lt:
        return setp<Lt, T>;
    case Le:
        return setp<Le, T>;
    case Gt:
        return setp<Gt, T>;
    case Ge:
        return setp<Ge, T>;
    default:
        break;
    }
    if constexpr (std::is_floating_point_v<T>) {
        if (floating) {
            switch (c) {
            case Equ:
                return setp<Equ, T>;
            case Neu:
                return setp<Neu, T>;
            case Ltu:
                return setp<Ltu, T>;
            case Leu:
                return setp<Leu, T>;
            case Gtu:
                return setp<Gtu, T>;
            case Geu:
                return setp<Geu, T>;
            case Num:
                return setp<Num, T>;
            default:
                return setp<Nan, T>;
            }
        }
    }
    return nullptr;
}

Handler flushedFor(u32 c)
{
    switch (c) {
    case Eq:
        return setp<Eq, float, true>;
    case Ne:
        return setp<Ne, float, true>;
    case Lt:
        return setp<Lt, float, true>;
    case Le:
        return setp<Le, float, true>;
    case Gt:
        return setp<Gt, float, true>;
    case Ge:
        return setp<Ge, float, true>;
    case Equ:
        return setp<Equ, float, true>;
    case Neu:
        return setp<Neu, float, true>;
    case Ltu:
        return setp<Ltu, float, true>;
    case Leu:
        return setp<Leu, float, true>;
    case Gtu:
        return setp<Gtu, float, true>;
    case Geu:
        return setp<Geu, float, true>;
    case Num:
        return setp<Num, float, true>;
    default:
        return setp<Nan, float, true>;
    }
}

template <class T>
bool compareAny(u32 c, T a, T b)
{
    switch (c) {
    case Eq:
        return compare<Eq>(a, b);
    case Ne:
        return compare<Ne>(a, b);
    case Lt:
        return compare<Lt>(a, b);
    case Le:
        return compare<Le>(a, b);
    case Gt:
        return compare<Gt>(a, b);
    case Ge:
        return compare<Ge>(a, b);
    case Equ:
        return compare<Equ>(a, b);
    case Neu:
        return compare<Neu>(a, b);
    case Ltu:
        return compare<Ltu>(a, b);
    case Leu:
        return compare<Leu>(a, b);
    case Gtu:
        return compare<Gtu>(a, b);
    case Geu:
        return compare<Geu>(a, b);
    case Num:
        return compare<Num>(a, b);
    default:
        return compare<Nan>(a, b);
    }
}

/// Half precision; aux low byte the comparison, imm bit 0 bf16, bit 1 packed (dst lower, dst2
/// upper), bit 2 ftz.
float halfOperand(u32 word, bool upper, u64 flags)
{
    u16 h = static_cast<u16>(upper ? word >> 16 : word);
    if ((flags & 4U) && !(flags & 1U) && (h & 0x7C00U) == 0) {
        h &= 0x8000U;
    }
    return flags & 1U ? bfloatToFloat(h) : halfToFloat(h);
}

const Instr* setpHalfAny(Warp& w, const Instr* I)
{
    const bool packed = I->imm & 2U;
    u32 lo = 0, hi = 0;
    for (unsigned i = 0; i < 32; ++i) {
        const u32 a = packed ? regPtr<u32>(w, I->src[0])[i] : regPtr<u16>(w, I->src[0])[i];
        const u32 b = packed ? regPtr<u32>(w, I->src[1])[i] : regPtr<u16>(w, I->src[1])[i];
        lo |= u32(compareAny(I->aux & 0xFF, halfOperand(a, false, I->imm),
                             halfOperand(b, false, I->imm)))
              << i;
        if (packed) {
            hi |= u32(compareAny(I->aux & 0xFF, halfOperand(a, true, I->imm),
                                 halfOperand(b, true, I->imm)))
                  << i;
        }
    }
    if (!packed) {
        hi = ~lo;
    }
    const u32 op = (I->aux >> 16) & 3U;
    if (op != 0) {
        const u32 c = pred(w, I->src[2]) ^ ((I->aux & (1U << 18)) ? fullMask : 0U);
        lo = op == 1 ? lo & c : op == 2 ? lo | c : lo ^ c;
        hi = op == 1 ? hi & c : op == 2 ? hi | c : hi ^ c;
    }
    setPred(w, I->dst, lo);
    setPred(w, I->dst2, hi);
    return I + 1;
}

u32 comparison(Decoder& d)
{
    static constexpr std::pair<std::string_view, u32> names[] = {
        {"eq", Eq},   {"ne", Ne},   {"lt", Lt},   {"le", Le},   {"gt", Gt},   {"ge", Ge},
        {"lo", Lt},   {"ls", Le},   {"hi", Gt},   {"hs", Ge},   {"equ", Equ}, {"neu", Neu},
        {"ltu", Ltu}, {"leu", Leu}, {"gtu", Gtu}, {"geu", Geu}, {"num", Num}, {"nan", Nan}};
    const u32 c = d.oneOf(names, 99U);
    if (c == 99) {
        Decoder::refuse("'" + d.ast().fullName() + "' lacks a comparison");
    }
    return c;
}

void boolean(Decoder& d, std::size_t operand)
{
    static constexpr std::pair<std::string_view, u32> ops[] = {{"and", 1}, {"or", 2}, {"xor", 3}};
    const u32 op = d.oneOf(ops, 0U);
    d.instr().aux |= op << 16;
    if (op != 0) {
        d.use(Field::Src2, operand, Type::Pred);
        if (d.op(operand).negated) {
            d.instr().aux |= 1U << 18;
        }
    }
}

Handler handlerFor(u32 c, Type t, bool ftz)
{
    switch (t) {
    case Type::B16:
    case Type::U16:
        return setpFor<u16>(c, false);
    case Type::S16:
        return setpFor<i16>(c, false);
    case Type::B32:
    case Type::U32:
        return setpFor<u32>(c, false);
    case Type::S32:
        return setpFor<i32>(c, false);
    case Type::B64:
    case Type::U64:
        return setpFor<u64>(c, false);
    case Type::S64:
        return setpFor<i64>(c, false);
    case Type::F32:
        return ftz ? flushedFor(c) : setpFor<float>(c, true);
    case Type::F64:
        return setpFor<double>(c, true);
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
        return setpHalfAny;
    default:
        return nullptr;
    }
}

u64 halfFlags(Type t, bool ftz)
{
    return (t == Type::BF16 || t == Type::BF16x2 ? 1U : 0U) |
           (t == Type::F16x2 || t == Type::BF16x2 ? 2U : 0U) | (ftz ? 4U : 0U);
}

void decodeSetp(Decoder& d)
{
    const u32 c = comparison(d);
    d.instr().aux = c;
    const bool ftz = d.has("ftz");
    const Type t = d.type();
    boolean(d, 3);
    const Operand& out = d.op(0);
    if (out.pair && out.list.size() == 2) {
        d.def(Field::Dst, out.list[0], Type::Pred);
        d.def(Field::Dst2, out.list[1], Type::Pred);
    } else {
        d.def(Field::Dst, 0, Type::Pred);
    }
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    d.instr().imm = halfFlags(t, ftz);
    d.finish(handlerFor(c, t, ftz));
}

/// set: aux as setp; imm: bits 0–2 half flags, bits 8–15 source type, bits 16–23 destination type.
const Instr* set(Warp& w, const Instr* I)
{
    const auto source = static_cast<Type>((I->imm >> 8) & 0xFF);
    const auto to = static_cast<Type>((I->imm >> 16) & 0xFF);
    const u32 c = I->aux & 0xFF, op = (I->aux >> 16) & 3U;
    const u32 p = op != 0 ? pred(w, I->src[2]) ^ ((I->aux & (1U << 18)) ? fullMask : 0U) : 0;
    for (unsigned i = 0; i < 32; ++i) {
        if (!lane(w.mask, i)) {
            continue;
        }
        bool r = false, upper = false;
        const auto at = [&]<class T>(T) {
            return compareAny(c, regPtr<T>(w, I->src[0])[i], regPtr<T>(w, I->src[1])[i]);
        };
        switch (source) {
        case Type::B16:
        case Type::U16:
            r = at(u16());
            break;
        case Type::S16:
            r = at(i16());
            break;
        case Type::B32:
        case Type::U32:
            r = at(u32());
            break;
        case Type::S32:
            r = at(i32());
            break;
        case Type::B64:
        case Type::U64:
            r = at(u64());
            break;
        case Type::S64:
            r = at(i64());
            break;
        case Type::F64:
            r = at(double());
            break;
        case Type::F32: {
            const float a = regPtr<float>(w, I->src[0])[i], b = regPtr<float>(w, I->src[1])[i];
            r = I->imm & 4U ? compareAny(c, flush(a), flush(b)) : compareAny(c, a, b);
            break;
        }
        default: {
            const bool packed = I->imm & 2U;
            const u32 a = packed ? regPtr<u32>(w, I->src[0])[i] : regPtr<u16>(w, I->src[0])[i];
            const u32 b = packed ? regPtr<u32>(w, I->src[1])[i] : regPtr<u16>(w, I->src[1])[i];
            r = compareAny(c, halfOperand(a, false, I->imm), halfOperand(b, false, I->imm));
            upper =
                packed && compareAny(c, halfOperand(a, true, I->imm), halfOperand(b, true, I->imm));
            break;
        }
        }
        const bool q = lane(p, i);
        const auto combine = [&](bool x) {
            return op == 1 ? x && q : op == 2 ? x || q : op == 3 ? x != q : x;
        };
        r = combine(r);
        upper = combine(upper);
        switch (to) {
        case Type::F32:
            regPtr<float>(w, I->dst)[i] = r ? 1.0F : 0.0F;
            break;
        case Type::F16:
            regPtr<u16>(w, I->dst)[i] = r ? 0x3C00 : 0;
            break;
        case Type::BF16:
            regPtr<u16>(w, I->dst)[i] = r ? 0x3F80 : 0;
            break;
        case Type::F16x2:
            regPtr<u32>(w, I->dst)[i] = (r ? 0x3C00U : 0U) | (upper ? 0x3C000000U : 0U);
            break;
        case Type::BF16x2:
            regPtr<u32>(w, I->dst)[i] = (r ? 0x3F80U : 0U) | (upper ? 0x3F800000U : 0U);
            break;
        case Type::U16:
        case Type::S16:
            regPtr<u16>(w, I->dst)[i] = r ? 0xFFFF : 0;
            break;
        default:
            regPtr<u32>(w, I->dst)[i] = I->imm & 2U
                                            ? (r ? 0xFFFFU : 0U) | (upper ? 0xFFFF0000U : 0U)
                                        : r ? fullMask
                                            : 0U;
        }
    }
    return I + 1;
}

void decodeSet(Decoder& d)
{
    const u32 c = comparison(d);
    d.instr().aux = c;
    const bool ftz = d.has("ftz");
    const Type to = d.type(), from = d.type();
    boolean(d, 3);
    d.def(Field::Dst, 0, to);
    d.use(Field::Src0, 1, from);
    d.use(Field::Src1, 2, from);
    d.instr().imm = halfFlags(from, ftz) | u64(from) << 8 | u64(to) << 16;
    d.finish(set);
}

template <class T>
const Instr* selp(Warp& w, const Instr* I)
{
    T* d = regPtr<T>(w, I->dst);
    const T* a = regPtr<T>(w, I->src[0]);
    const T* b = regPtr<T>(w, I->src[1]);
    const u32 p = pred(w, I->src[2]) ^ ((I->aux & (1U << 18)) ? fullMask : 0U);
    const u32 m = w.mask;
    if (m == fullMask) {
        RIDGELINE_LANES
        {
            d[i] = lane(p, i) ? a[i] : b[i];
        }
    } else {
        RIDGELINE_LANES
        {
            const T r = lane(p, i) ? a[i] : b[i];
            d[i] = lane(m, i) ? r : d[i];
        }
    }
    return I + 1;
}

void decodeSelp(Decoder& d)
{
    const Type t = d.type();
    d.expectCount(4);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    d.use(Field::Src2, 3, Type::Pred);
    d.instr().aux = d.op(3).negated ? 1U << 18 : 0U;
    d.finish(bitsOf(t) == 16   ? selp<u16>
             : bitsOf(t) == 32 ? selp<u32>
             : bitsOf(t) == 64 ? selp<u64>
                               : nullptr);
}

template <class T>
struct SlctS {
    static T f(T a, T b, i32 c) { return c >= 0 ? a : b; }
};
template <class T>
struct SlctF {
    static T f(T a, T b, float c) { return c >= 0.0F ? a : b; }
};

void decodeSlct(Decoder& d)
{
    d.has("ftz"); // -0 and subnormals compare as zero would
    const Type t = d.type();
    const Type by = d.type();
    d.expectCount(4);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, t);
    d.use(Field::Src2, 3, by);
    const bool f = by == Type::F32;
    d.finish(bitsOf(t) == 16   ? (f ? ternary<SlctF<u16>, u16, u16, u16, float>
                                    : ternary<SlctS<u16>, u16, u16, u16, i32>)
             : bitsOf(t) == 32 ? (f ? ternary<SlctF<u32>, u32, u32, u32, float>
                                    : ternary<SlctS<u32>, u32, u32, u32, i32>)
             : bitsOf(t) == 64 ? (f ? ternary<SlctF<u64>, u64, u64, u64, float>
                                    : ternary<SlctS<u64>, u64, u64, u64, i32>)
                               : nullptr);
}

} // namespace

void registerCompare(DecodeTable& t)
{
    t["setp"] = decodeSetp;
    t["set"] = decodeSet;
    t["selp"] = decodeSelp;
    t["slct"] = decodeSlct;
}

} // namespace ridgeline::emu
