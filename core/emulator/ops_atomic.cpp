// SPDX-License-Identifier: GPL-3.0-or-later
// atom and red. Real host atomics, since blocks run on several threads.
#include "core/emulator/access.h"
#include "core/emulator/decode.h"
#include "core/emulator/half.h"

#include <algorithm>

namespace ridgeline::emu {
namespace {

enum AtomOp : u32 { AAdd, AMin, AMax, AAnd, AOr, AXor, AExch, ACas, AInc, ADec };

template <class T>
T combine(u32 op, T old, T v)
{
    using U = std::conditional_t<
        std::is_floating_point_v<T>, u64,
        std::make_unsigned_t<std::conditional_t<std::is_floating_point_v<T>, u64, T>>>;
    if constexpr (std::is_floating_point_v<T>) {
        switch (op) {
        case AAdd:
            return old + v;
        case AMin:
            return old != old ? v : v != v ? old : v < old ? v : old;
        case AMax:
            return old != old ? v : v != v ? old : v > old ? v : old;
        default:
            return v;
        }
    } else {
        const U a = static_cast<U>(old), b = static_cast<U>(v);
        switch (op) {
        case AAdd:
            return static_cast<T>(a + b);
        case AMin:
            return std::min(old, v);
        case AMax:
            return std::max(old, v);
        case AAnd:
            return static_cast<T>(a & b);
        case AOr:
            return static_cast<T>(a | b);
        case AXor:
            return static_cast<T>(a ^ b);
        case AInc:
            return static_cast<T>(a >= b ? U(0) : static_cast<U>(a + 1));
        case ADec:
            return static_cast<T>(a == 0 || a > b ? b : static_cast<U>(a - 1));
        default:
            return v;
        }
    }
}

/// Half precision values travel as their bits.
template <bool Bf>
u16 combineHalf(u32 op, u16 old, u16 v)
{
    const float a = Bf ? bfloatToFloat(old) : halfToFloat(old),
                b = Bf ? bfloatToFloat(v) : halfToFloat(v);
    const float r = combine<float>(op, a, b);
    return op == AExch ? v : Bf ? floatToBfloat(r) : floatToHalf(r);
}
struct Half {
    u16 bits;
};
struct Bfloat {
    u16 bits;
};
struct Half2 {
    u32 bits;
};
struct Bfloat2 {
    u32 bits;
};

template <class T>
struct Raw {
    using type = T;
};
template <>
struct Raw<float> {
    using type = u32;
};
template <>
struct Raw<double> {
    using type = u64;
};
template <>
struct Raw<i32> {
    using type = u32;
};
template <>
struct Raw<i64> {
    using type = u64;
};
template <>
struct Raw<Half> {
    using type = u16;
};
template <>
struct Raw<Bfloat> {
    using type = u16;
};
template <>
struct Raw<Half2> {
    using type = u32;
};
template <>
struct Raw<Bfloat2> {
    using type = u32;
};

template <class T>
typename Raw<T>::type step(u32 op, typename Raw<T>::type old, typename Raw<T>::type v)
{
    if constexpr (std::is_same_v<T, Half>) {
        return combineHalf<false>(op, old, v);
    } else if constexpr (std::is_same_v<T, Bfloat>) {
        return combineHalf<true>(op, old, v);
    } else if constexpr (std::is_same_v<T, Half2> || std::is_same_v<T, Bfloat2>) {
        constexpr bool bf = std::is_same_v<T, Bfloat2>;
        return u32(combineHalf<bf>(op, static_cast<u16>(old), static_cast<u16>(v))) |
               u32(combineHalf<bf>(op, static_cast<u16>(old >> 16), static_cast<u16>(v >> 16)))
                   << 16;
    } else {
        return bitCast<typename Raw<T>::type>(combine<T>(op, bitCast<T>(old), bitCast<T>(v)));
    }
}

/// src0 address, src1 operand, src2 new value of cas; dst old value or noReg. aux bits 0–3 op, 4–7
/// elements.
template <class T>
const Instr* atomic(Warp& w, const Instr* I)
{
    using R = typename Raw<T>::type;
    const u32 op = I->aux & 0xFU, n = (I->aux >> 4) & 0xFU;
    Access access;
    if (!resolve(w, I, static_cast<u32>(sizeof(R)) * n, AccessKind::Atomic, access)) {
        return nullptr;
    }
    for (u32 k = w.mask; k != 0; k &= k - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(k));
        std::byte* at = access.pattern == Access::Pattern::Uniform ? access.base
                        : access.pattern == Access::Pattern::Unit
                            ? access.base + u64(i) * sizeof(R) * n
                            : access.at[i];
        for (u32 e = 0; e < n; ++e) {
            R* p = reinterpret_cast<R*>(at) + e;
            const Reg vr = n == 1 ? I->src[1] : w.frame->fn->extra[I->extra + n + e];
            const Reg dr = n == 1 ? I->dst : w.frame->fn->extra[I->extra + e];
            const R v = regPtr<R>(w, vr)[i];
            R old;
            if (op == ACas) {
                old = v;
                __atomic_compare_exchange_n(p, &old, regPtr<R>(w, I->src[2])[i], false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
            } else if (op == AExch) {
                old = __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);
            } else if (std::is_integral_v<T> && op == AAdd) {
                old = __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);
            } else {
                old = __atomic_load_n(p, __ATOMIC_RELAXED);
                while (!__atomic_compare_exchange_n(p, &old, step<T>(op, old, v), false,
                                                    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
                }
            }
            if (dr != noReg) {
                regPtr<R>(w, dr)[i] = old;
            }
        }
    }
    return I + 1;
}

void decodeAtomic(Decoder& d)
{
    const bool red = d.ast().opcode == "red";
    if (d.has("async")) {
        d.finish(nullptr);
        return;
    }
    static constexpr std::pair<std::string_view, Space> spaces[] = {
        {"global", Space::Global}, {"shared", Space::Shared}, {"shared::cta", Space::Shared}};
    const Space space = d.oneOf(spaces, Space::Generic);
    for (std::string_view mod :
         {"relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys", "noftz"}) {
        d.has(mod);
    }
    static constexpr std::pair<std::string_view, u32> ops[] = {
        {"add", AAdd}, {"min", AMin},   {"max", AMax}, {"and", AAnd}, {"or", AOr},
        {"xor", AXor}, {"exch", AExch}, {"cas", ACas}, {"inc", AInc}, {"dec", ADec}};
    const u32 op = d.oneOf(ops, 99U);
    const u32 n = d.has("v2") ? 2 : d.has("v4") ? 4 : d.has("v8") ? 8 : 1;
    const Type t = d.type();
    std::size_t at = 0;
    const Type width = bitsOf(t) == 16 ? Type::B16 : bitsOf(t) == 32 ? Type::B32 : Type::B64;
    d.instr().aux = (op & 0xF) | n << 4;
    if (n > 1) {
        const Operand& value = d.op(red ? 1 : 2);
        const auto check = [&](const Operand& o) {
            if (o.kind != Operand::Kind::Vector || o.list.size() != n) {
                Decoder::refuse("'" + d.ast().fullName() + "' needs vectors of " +
                                std::to_string(n));
            }
        };
        check(value);
        d.beginExtra();
        if (red) {
            for (u32 e = 0; e < n; ++e) {
                d.extraValue(noReg);
            }
        } else {
            check(d.op(0));
            for (const Operand& o : d.op(0).list) {
                d.extraDef(o, width);
            }
        }
        for (const Operand& o : value.list) {
            d.extraUse(o, width);
        }
        at = red ? 0 : 1;
    } else {
        if (!red) {
            d.def(Field::Dst, 0, width);
            at = 1;
        }
        d.use(Field::Src1, at + 1, t);
        if (op == ACas) {
            d.use(Field::Src2, at + 2, t);
        }
    }
    if (d.op(at).kind != Operand::Kind::Address) {
        Decoder::refuse("'" + d.ast().fullName() + "' needs an address");
    }
    addressOperand(d, d.op(at), space);
    d.instr().slot = d.link().memorySlot();
    const bool isInteger = !isFloat(t);
    if (op == 99 || (!isInteger && op != AAdd && op != AMin && op != AMax && op != AExch)) {
        d.finish(nullptr);
        return;
    }
    switch (t) {
    case Type::B16:
    case Type::U16:
        d.finish(op == ACas || op == AExch ? atomic<u16> : nullptr);
        break;
    case Type::B32:
    case Type::U32:
        d.finish(atomic<u32>);
        break;
    case Type::S32:
        d.finish(atomic<i32>);
        break;
    case Type::B64:
    case Type::U64:
        d.finish(atomic<u64>);
        break;
    case Type::S64:
        d.finish(atomic<i64>);
        break;
    case Type::F32:
        d.finish(atomic<float>);
        break;
    case Type::F64:
        d.finish(atomic<double>);
        break;
    case Type::F16:
        d.finish(atomic<Half>);
        break;
    case Type::BF16:
        d.finish(atomic<Bfloat>);
        break;
    case Type::F16x2:
        d.finish(atomic<Half2>);
        break;
    case Type::BF16x2:
        d.finish(atomic<Bfloat2>);
        break;
    default:
        d.finish(nullptr);
    }
}

} // namespace

void registerAtomic(DecodeTable& t)
{
    t["atom"] = t["red"] = decodeAtomic;
}

} // namespace ridgeline::emu
