// SPDX-License-Identifier: GPL-3.0-or-later
// Templates that apply a function to the 32 lanes of register operands. Under a full mask the loop
// is plain; otherwise all lanes are computed and the results of inactive ones dropped, which the
// compiler turns into masked vector code.
#pragma once

#include "core/emulator/machine.h"

#include <bit>
#include <cstring>

#if defined(__clang__)
#define RIDGELINE_LANES _Pragma("clang loop vectorize(enable)") for (unsigned i = 0; i < 32; ++i)
#else
#define RIDGELINE_LANES _Pragma("GCC ivdep") for (unsigned i = 0; i < 32; ++i)
#endif

namespace ridgeline::emu {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

inline bool lane(u32 mask, unsigned i)
{
    return ((mask >> i) & 1U) != 0;
}

template <class F, class D, class A>
const Instr* unary(Warp& w, const Instr* I)
{
    D* d = regPtr<D>(w, I->dst);
    const A* a = regPtr<A>(w, I->src[0]);
    const u32 m = w.mask;
    if (m == fullMask) {
        RIDGELINE_LANES
        {
            d[i] = F::f(a[i]);
        }
    } else {
        RIDGELINE_LANES
        {
            const D r = F::f(a[i]);
            d[i] = lane(m, i) ? r : d[i];
        }
    }
    return I + 1;
}

template <class F, class D, class A, class B>
const Instr* binary(Warp& w, const Instr* I)
{
    D* d = regPtr<D>(w, I->dst);
    const A* a = regPtr<A>(w, I->src[0]);
    const B* b = regPtr<B>(w, I->src[1]);
    const u32 m = w.mask;
    if (m == fullMask) {
        RIDGELINE_LANES
        {
            d[i] = F::f(a[i], b[i]);
        }
    } else {
        RIDGELINE_LANES
        {
            const D r = F::f(a[i], b[i]);
            d[i] = lane(m, i) ? r : d[i];
        }
    }
    return I + 1;
}

template <class F, class D, class A, class B, class C>
const Instr* ternary(Warp& w, const Instr* I)
{
    D* d = regPtr<D>(w, I->dst);
    const A* a = regPtr<A>(w, I->src[0]);
    const B* b = regPtr<B>(w, I->src[1]);
    const C* c = regPtr<C>(w, I->src[2]);
    const u32 m = w.mask;
    if (m == fullMask) {
        RIDGELINE_LANES
        {
            d[i] = F::f(a[i], b[i], c[i]);
        }
    } else {
        RIDGELINE_LANES
        {
            const D r = F::f(a[i], b[i], c[i]);
            d[i] = lane(m, i) ? r : d[i];
        }
    }
    return I + 1;
}

template <class F, class D, class A, class B, class C, class E>
const Instr* quaternary(Warp& w, const Instr* I)
{
    D* d = regPtr<D>(w, I->dst);
    const A* a = regPtr<A>(w, I->src[0]);
    const B* b = regPtr<B>(w, I->src[1]);
    const C* c = regPtr<C>(w, I->src[2]);
    const E* e = regPtr<E>(w, I->src[3]);
    const u32 m = w.mask;
    RIDGELINE_LANES
    {
        const D r = F::f(a[i], b[i], c[i], e[i]);
        d[i] = lane(m, i) ? r : d[i];
    }
    return I + 1;
}

/// Predicate registers are one 32-bit word: a bit per lane.
inline u32& pred(Warp& w, Reg r)
{
    return *regPtr<u32>(w, r);
}
inline void setPred(Warp& w, Reg r, u32 bits)
{
    if (r != noReg) {
        u32& p = pred(w, r);
        p = (p & ~w.mask) | (bits & w.mask);
    }
}

template <class To, class From>
To bitCast(From v)
{
    return std::bit_cast<To>(v);
}

} // namespace ridgeline::emu
