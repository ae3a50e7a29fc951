// SPDX-License-Identifier: GPL-3.0-or-later
// shfl, vote, match, activemask, redux, elect: lanes of a warp talking to each other.
#include "core/emulator/decode.h"
#include "core/emulator/lanes.h"

#include <algorithm>
#include <cmath>

namespace ridgeline::emu {
namespace {

/// The member mask operand: one value for the warp, taken from the first current lane.
u32 members(Warp& w, Reg r)
{
    return regPtr<u32>(w, r)[std::countr_zero(w.mask)];
}

/// shfl.sync. dst, dst2 (pred), src0 value, src1 b, src2 c, src3 members. aux: 0 up 1 down 2 bfly 3
/// idx.
const Instr* shfl(Warp& w, const Instr* I)
{
    if (I->src[3] != noReg) {
        const Instr* next = nullptr;
        if (!gather(w, I, members(w, I->src[3]), next)) {
            return next;
        }
    }
    const u32* a = regPtr<u32>(w, I->src[0]);
    const u32* b = regPtr<u32>(w, I->src[1]);
    const u32* c = regPtr<u32>(w, I->src[2]);
    alignas(64) u32 result[32];
    u32 valid = 0;
    const u32 mode = I->aux & 0xFFU;
    RIDGELINE_LANES
    {
        const i32 self = static_cast<i32>(i);
        const i32 bv = static_cast<i32>(b[i] & 31U);
        const i32 cv = static_cast<i32>(c[i] & 31U), seg = static_cast<i32>((c[i] >> 8) & 31U);
        const i32 maxLane = (self & seg) | (cv & ~seg);
        const i32 minLane = self & seg;
        i32 j = mode == 0   ? self - bv
                : mode == 1 ? self + bv
                : mode == 2 ? self ^ bv
                            : minLane | (bv & ~seg);
        const bool ok = mode == 0 ? j >= maxLane : j <= maxLane;
        j = ok ? j : self;
        result[i] = a[j & 31];
        valid |= u32(ok) << i;
    }
    u32* d = regPtr<u32>(w, I->dst);
    const u32 m = w.mask;
    RIDGELINE_LANES
    {
        d[i] = lane(m, i) ? result[i] : d[i];
    }
    setPred(w, I->dst2, valid);
    return I + 1;
}

void decodeShfl(Decoder& d)
{
    const bool sync = d.has("sync");
    static constexpr std::pair<std::string_view, u32> modes[] = {
        {"up", 0}, {"down", 1}, {"bfly", 2}, {"idx", 3}};
    d.instr().aux = d.oneOf(modes, 99U);
    d.type();
    d.expectCount(sync ? 5 : 4);
    const Operand& out = d.op(0);
    if (out.pair) {
        d.def(Field::Dst, out.list[0], Type::B32);
        d.def(Field::Dst2, out.list[1], Type::Pred);
    } else {
        d.def(Field::Dst, 0, Type::B32);
    }
    d.use(Field::Src0, 1, Type::B32);
    d.use(Field::Src1, 2, Type::B32);
    d.use(Field::Src2, 3, Type::B32);
    if (sync) {
        d.use(Field::Src3, 4, Type::B32);
    }
    d.finishControl(d.instr().aux > 3 ? nullptr : shfl);
}

/// vote.sync. aux: 0 all 1 any 2 uni 3 ballot, bit 18 negated source.
const Instr* vote(Warp& w, const Instr* I)
{
    u32 who = w.mask;
    if (I->src[1] != noReg) {
        const Instr* next = nullptr;
        const u32 m = members(w, I->src[1]);
        if (!gather(w, I, m, next)) {
            return next;
        }
        who = m & w.mask;
    }
    const u32 p = (pred(w, I->src[0]) ^ ((I->aux & (1U << 18)) ? fullMask : 0U)) & who;
    if ((I->aux & 0xFF) == 3) {
        u32* d = regPtr<u32>(w, I->dst);
        const u32 m = w.mask;
        RIDGELINE_LANES
        {
            d[i] = lane(m, i) ? p : d[i];
        }
        return I + 1;
    }
    const bool r = (I->aux & 0xFF) == 0   ? p == who
                   : (I->aux & 0xFF) == 1 ? p != 0
                                          : p == who || p == 0;
    setPred(w, I->dst, r ? fullMask : 0U);
    return I + 1;
}

void decodeVote(Decoder& d)
{
    const bool sync = d.has("sync");
    static constexpr std::pair<std::string_view, u32> modes[] = {
        {"all", 0}, {"any", 1}, {"uni", 2}, {"ballot", 3}};
    // ".uni" is also a hint of other opcodes and counts as read already.
    u32 mode = d.oneOf(modes, 99U);
    if (mode == 99) {
        mode = 2;
    }
    const Type t = d.type();
    d.instr().aux = mode | (d.op(1).negated ? 1U << 18 : 0U);
    d.def(Field::Dst, 0, t);
    d.use(Field::Src0, 1, Type::Pred);
    if (sync) {
        d.use(Field::Src1, 2, Type::B32);
    }
    d.finishControl(vote);
}

template <class T>
const Instr* match(Warp& w, const Instr* I)
{
    const Instr* next = nullptr;
    const u32 m = members(w, I->src[1]);
    if (!gather(w, I, m, next)) {
        return next;
    }
    const T* a = regPtr<T>(w, I->src[0]);
    const u32 who = m & w.mask;
    u32 result[32] = {};
    bool all = true;
    for (unsigned i = 0; i < 32; ++i) {
        for (unsigned k = 0; k < 32; ++k) {
            if (lane(who, i) && lane(who, k)) {
                result[i] |= u32(a[i] == a[k]) << k;
                all &= a[i] == a[k];
            }
        }
    }
    u32* d = regPtr<u32>(w, I->dst);
    const bool wantAll = (I->aux & 0xFF) == 1;
    for (unsigned i = 0; i < 32; ++i) {
        if (lane(w.mask, i)) {
            d[i] = wantAll ? (all ? who : 0U) : result[i];
        }
    }
    setPred(w, I->dst2, all ? fullMask : 0U);
    return I + 1;
}

void decodeMatch(Decoder& d)
{
    d.has("sync");
    d.instr().aux = d.has("all") ? 1 : 0;
    d.has("any");
    const Type t = d.type();
    d.expectCount(3);
    const Operand& out = d.op(0);
    if (out.pair) {
        d.def(Field::Dst, out.list[0], Type::B32);
        d.def(Field::Dst2, out.list[1], Type::Pred);
    } else {
        d.def(Field::Dst, 0, Type::B32);
    }
    d.use(Field::Src0, 1, t);
    d.use(Field::Src1, 2, Type::B32);
    d.finishControl(bitsOf(t) == 64 ? match<u64> : match<u32>);
}

const Instr* activemask(Warp& w, const Instr* I)
{
    u32* d = regPtr<u32>(w, I->dst);
    const u32 m = w.mask;
    RIDGELINE_LANES
    {
        d[i] = lane(m, i) ? m : d[i];
    }
    return I + 1;
}

void decodeActivemask(Decoder& d)
{
    d.type();
    d.def(Field::Dst, 0, Type::B32);
    d.finish(activemask);
}

/// redux.sync. aux: 0 add 1 min 2 max 3 and 4 or 5 xor, bit 16 signed, bit 17 float, bit 18 abs,
/// bit 19 NaN.
const Instr* redux(Warp& w, const Instr* I)
{
    const Instr* next = nullptr;
    const u32 m = members(w, I->src[1]);
    if (!gather(w, I, m, next)) {
        return next;
    }
    const u32* a = regPtr<u32>(w, I->src[0]);
    const u32 who = m & w.mask;
    u32 r = 0;
    bool first = true;
    for (u32 k = who; k != 0; k &= k - 1) {
        u32 x = a[std::countr_zero(k)];
        if (I->aux & (1U << 18)) {
            x &= 0x7FFFFFFFU;
        }
        if (first) {
            r = x;
            first = false;
            continue;
        }
        const bool isSigned = I->aux & (1U << 16);
        switch (I->aux & 0xFF) {
        case 0:
            r += x;
            break;
        case 3:
            r &= x;
            break;
        case 4:
            r |= x;
            break;
        case 5:
            r ^= x;
            break;
        default: {
            const bool min = (I->aux & 0xFF) == 1;
            if (I->aux & (1U << 17)) {
                const float p = bitCast<float>(r), q = bitCast<float>(x);
                if ((I->aux & (1U << 19)) && (p != p || q != q)) {
                    r = 0x7FFFFFFFU;
                } else {
                    r = p != p ? x : q != q ? r : (min ? q < p : q > p) ? x : r;
                }
            } else if (isSigned) {
                const i32 p = static_cast<i32>(r), q = static_cast<i32>(x);
                r = static_cast<u32>(min ? std::min(p, q) : std::max(p, q));
            } else {
                r = min ? std::min(r, x) : std::max(r, x);
            }
        }
        }
    }
    u32* d = regPtr<u32>(w, I->dst);
    for (unsigned i = 0; i < 32; ++i) {
        if (lane(w.mask, i)) {
            d[i] = r;
        }
    }
    return I + 1;
}

void decodeRedux(Decoder& d)
{
    d.has("sync");
    static constexpr std::pair<std::string_view, u32> ops[] = {{"add", 0}, {"min", 1}, {"max", 2},
                                                               {"and", 3}, {"or", 4},  {"xor", 5}};
    u32 aux = d.oneOf(ops, 99U);
    const bool abs = d.has("abs"), nan = d.has("NaN");
    const Type t = d.type();
    aux |= (isSigned(t) ? 1U << 16 : 0U) | (t == Type::F32 ? 1U << 17 : 0U) |
           (abs ? 1U << 18 : 0U) | (nan ? 1U << 19 : 0U);
    d.instr().aux = aux;
    d.expectCount(3);
    d.def(Field::Dst, 0, Type::B32);
    d.use(Field::Src0, 1, Type::B32);
    d.use(Field::Src1, 2, Type::B32);
    d.finishControl((aux & 0xFF) > 5 ? nullptr : redux);
}

/// elect.sync d|p, members.
const Instr* elect(Warp& w, const Instr* I)
{
    const Instr* next = nullptr;
    const u32 m = members(w, I->src[0]);
    if (!gather(w, I, m, next)) {
        return next;
    }
    const u32 who = m & w.mask;
    const auto leader = static_cast<u32>(std::countr_zero(who));
    u32* d = regPtr<u32>(w, I->dst);
    for (unsigned i = 0; i < 32; ++i) {
        if (lane(w.mask, i)) {
            d[i] = leader;
        }
    }
    setPred(w, I->dst2, 1U << (leader & 31U));
    return I + 1;
}

void decodeElect(Decoder& d)
{
    d.has("sync");
    d.expectCount(2);
    const Operand& out = d.op(0);
    if (!out.pair) {
        d.finish(nullptr);
        return;
    }
    d.def(Field::Dst, out.list[0], Type::B32);
    d.def(Field::Dst2, out.list[1], Type::Pred);
    d.use(Field::Src0, 1, Type::B32);
    d.finishControl(elect);
}

} // namespace

void registerWarp(DecodeTable& t)
{
    t["shfl"] = decodeShfl;
    t["vote"] = decodeVote;
    t["match"] = decodeMatch;
    t["activemask"] = decodeActivemask;
    t["redux"] = decodeRedux;
    t["elect"] = decodeElect;
}

} // namespace ridgeline::emu
