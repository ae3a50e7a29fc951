// SPDX-License-Identifier: GPL-3.0-or-later
// ld, ldu, st, prefetch, cvta, isspacep.
#include "core/emulator/access.h"
#include "core/emulator/decode.h"

namespace ridgeline::emu {
namespace {

struct alignas(16) Wide128 {
    u64 lo, hi;
};

/// aux low byte: elements per lane (1, 2, 4, 8).
template <class M, class R>
const Instr* load(Warp& w, const Instr* I)
{
    const u32 n = I->aux & 0xFFU;
    Access access;
    if (!resolve(w, I, static_cast<u32>(sizeof(M)) * n, AccessKind::Read, access)) {
        return nullptr;
    }
    const u32 m = w.mask;
    const Function& fn = *w.frame->fn;
    for (u32 e = 0; e < n; ++e) {
        R* d = regPtr<R>(w, n == 1 ? I->dst : fn.extra[I->extra + e]);
        if (access.pattern == Access::Pattern::Unit) {
            const M* p = reinterpret_cast<const M*>(access.base) + e;
            if (m == fullMask) {
                if (n == 1) {
                    RIDGELINE_LANES
                    {
                        d[i] = static_cast<R>(p[i]);
                    }
                } else {
                    RIDGELINE_LANES
                    {
                        d[i] = static_cast<R>(p[u64(i) * n]);
                    }
                }
            } else {
                for (u32 k = m; k != 0; k &= k - 1) {
                    const auto i = static_cast<unsigned>(std::countr_zero(k));
                    d[i] = static_cast<R>(p[u64(i) * n]);
                }
            }
        } else if (access.pattern == Access::Pattern::Uniform) {
            const R v = static_cast<R>(reinterpret_cast<const M*>(access.base)[e]);
            if (m == fullMask) {
                RIDGELINE_LANES
                {
                    d[i] = v;
                }
            } else {
                RIDGELINE_LANES
                {
                    d[i] = lane(m, i) ? v : d[i];
                }
            }
        } else {
            for (u32 k = m; k != 0; k &= k - 1) {
                const auto i = static_cast<unsigned>(std::countr_zero(k));
                d[i] = static_cast<R>(reinterpret_cast<const M*>(access.at[i])[e]);
            }
        }
    }
    return I + 1;
}

template <class M, class R>
const Instr* store(Warp& w, const Instr* I)
{
    const u32 n = I->aux & 0xFFU;
    Access access;
    if (!resolve(w, I, static_cast<u32>(sizeof(M)) * n, AccessKind::Write, access)) {
        return nullptr;
    }
    const u32 m = w.mask;
    const Function& fn = *w.frame->fn;
    for (u32 e = 0; e < n; ++e) {
        const R* s = regPtr<R>(w, n == 1 ? I->src[1] : fn.extra[I->extra + e]);
        if (access.pattern == Access::Pattern::Unit && m == fullMask) {
            M* p = reinterpret_cast<M*>(access.base) + e;
            if (n == 1) {
                RIDGELINE_LANES
                {
                    p[i] = static_cast<M>(s[i]);
                }
            } else {
                RIDGELINE_LANES
                {
                    p[u64(i) * n] = static_cast<M>(s[i]);
                }
            }
        } else if (access.pattern == Access::Pattern::Uniform) {
            // Which lane wins is not defined; the highest does here.
            reinterpret_cast<M*>(access.base)[e] = static_cast<M>(s[31 - std::countl_zero(m)]);
        } else {
            for (u32 k = m; k != 0; k &= k - 1) {
                const auto i = static_cast<unsigned>(std::countr_zero(k));
                std::byte* at = access.pattern == Access::Pattern::Unit
                                    ? access.base + u64(i) * sizeof(M) * n
                                    : access.at[i];
                reinterpret_cast<M*>(at)[e] = static_cast<M>(s[i]);
            }
        }
    }
    return I + 1;
}

/// Kernel parameters: one value for all lanes. imm: offset.
template <class M, class R>
const Instr* loadParam(Warp& w, const Instr* I)
{
    const u32 n = I->aux & 0xFFU, m = w.mask;
    for (u32 e = 0; e < n; ++e) {
        R* d = regPtr<R>(w, n == 1 ? I->dst : w.frame->fn->extra[I->extra + e]);
        M raw;
        std::memcpy(&raw, w.params + I->imm + e * sizeof(M), sizeof raw);
        const R v = static_cast<R>(raw);
        RIDGELINE_LANES
        {
            d[i] = lane(m, i) ? v : d[i];
        }
    }
    return I + 1;
}

/// .param byte arrays of calls, lane after lane in the frame. imm: offset of lane 0, slot: bytes
/// per lane.
template <class M, class R>
const Instr* loadSlot(Warp& w, const Instr* I)
{
    const u32 n = I->aux & 0xFFU;
    for (u32 e = 0; e < n; ++e) {
        R* d = regPtr<R>(w, n == 1 ? I->dst : w.frame->fn->extra[I->extra + e]);
        for (u32 k = w.mask; k != 0; k &= k - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(k));
            M v;
            std::memcpy(&v, w.frame->regs + I->imm + u64(i) * I->slot + e * sizeof(M), sizeof v);
            d[i] = static_cast<R>(v);
        }
    }
    return I + 1;
}
template <class M, class R>
const Instr* storeSlot(Warp& w, const Instr* I)
{
    const u32 n = I->aux & 0xFFU;
    for (u32 e = 0; e < n; ++e) {
        const R* s = regPtr<R>(w, n == 1 ? I->src[1] : w.frame->fn->extra[I->extra + e]);
        for (u32 k = w.mask; k != 0; k &= k - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(k));
            const M v = static_cast<M>(s[i]);
            std::memcpy(w.frame->regs + I->imm + u64(i) * I->slot + e * sizeof(M), &v, sizeof v);
        }
    }
    return I + 1;
}

/// Handler families share one shape: memory type × register width.
template <template <class, class> class H>
Handler pick(Type t, unsigned reg)
{
    switch (t) {
    case Type::B8:
    case Type::U8:
        return reg == 16   ? H<u8, u16>::h
               : reg == 32 ? H<u8, u32>::h
               : reg == 64 ? H<u8, u64>::h
                           : nullptr;
    case Type::S8:
        return reg == 16   ? H<i8, i16>::h
               : reg == 32 ? H<i8, i32>::h
               : reg == 64 ? H<i8, i64>::h
                           : nullptr;
    case Type::B16:
    case Type::U16:
    case Type::F16:
    case Type::BF16:
        return reg == 16   ? H<u16, u16>::h
               : reg == 32 ? H<u16, u32>::h
               : reg == 64 ? H<u16, u64>::h
                           : nullptr;
    case Type::S16:
        return reg == 16   ? H<u16, u16>::h
               : reg == 32 ? H<i16, i32>::h
               : reg == 64 ? H<i16, i64>::h
                           : nullptr;
    case Type::B32:
    case Type::U32:
    case Type::F32:
    case Type::F16x2:
    case Type::BF16x2:
        return reg == 32 ? H<u32, u32>::h : reg == 64 ? H<u32, u64>::h : nullptr;
    case Type::S32:
        return reg == 32 ? H<u32, u32>::h : reg == 64 ? H<i32, i64>::h : nullptr;
    case Type::B64:
    case Type::U64:
    case Type::S64:
    case Type::F64:
        return reg == 64 ? H<u64, u64>::h : nullptr;
    case Type::B128:
        return reg == 128 ? H<Wide128, Wide128>::h : nullptr;
    default:
        return nullptr;
    }
}
template <class M, class R>
struct Load {
    static constexpr Handler h = load<M, R>;
};
template <class M, class R>
struct Store {
    static constexpr Handler h = store<M, R>;
};
template <class M, class R>
struct LoadParam {
    static constexpr Handler h = loadParam<M, R>;
};
template <class M, class R>
struct LoadSlot {
    static constexpr Handler h = loadSlot<M, R>;
};
template <class M, class R>
struct StoreSlot {
    static constexpr Handler h = storeSlot<M, R>;
};

Space spaceModifier(Decoder& d)
{
    static constexpr std::pair<std::string_view, Space> spaces[] = {
        {"global", Space::Global},      {"shared", Space::Shared},
        {"shared::cta", Space::Shared}, {"local", Space::Local},
        {"const", Space::Const},        {"param", Space::Param},
        {"param::entry", Space::Param}, {"param::func", Space::Param}};
    return d.oneOf(spaces, Space::Generic);
}

void ignoreOrdering(Decoder& d)
{
    // Every access is at least as strong as asked: x86 loads acquire and stores release, and
    // handlers are opaque to the compiler.
    for (std::string_view mod : {"weak", "volatile", "relaxed", "acquire", "release",
                                 "cta",  "cluster",  "gpu",     "sys",     "mmio",
                                 "ca",   "cg",       "cs",      "lu",      "cv",
                                 "wb",   "wt",       "nc",      "unified", "L2::cache_hint"}) {
        d.has(mod);
    }
}

void decodeLoadStore(Decoder& d)
{
    const bool isStore = d.ast().opcode == "st";
    const Space space = spaceModifier(d);
    ignoreOrdering(d);
    const u32 n = d.has("v2") ? 2 : d.has("v4") ? 4 : d.has("v8") ? 8 : 1;
    const Type t = d.type();
    const Operand& address = d.op(isStore ? 0 : 1);
    const Operand& data = d.op(isStore ? 1 : 0);
    if (d.count() > 3 || address.kind != Operand::Kind::Address) {
        Decoder::refuse("'" + d.ast().fullName() + "' needs one address");
    }
    d.beginExtra();
    unsigned width = 0;
    if (n > 1) {
        if (data.kind != Operand::Kind::Vector || data.list.size() != n) {
            Decoder::refuse("'" + d.ast().fullName() + "' needs a vector of " + std::to_string(n));
        }
        for (const Operand& element : data.list) {
            const unsigned bits = d.registerBits(element);
            if (bits != 0 && width != 0 && bits != width) {
                Decoder::refuse("vector elements of '" + d.ast().fullName() + "' differ in width");
            }
            width = bits != 0 ? bits : width;
        }
        width = width != 0 ? width : std::max(16U, bitsOf(t));
        const Type as = width == 8 || width == 16 ? Type::B16
                        : width == 32             ? Type::B32
                        : width == 64             ? Type::B64
                                                  : Type::B128;
        for (const Operand& element : data.list) {
            isStore ? d.extraUse(element, as, true) : d.extraDef(element, as, true);
        }
    } else {
        const Operand& value =
            data.kind == Operand::Kind::Vector && data.list.size() == 1 ? data.list[0] : data;
        width = d.registerBits(value);
        if (isStore) {
            d.use(Field::Src1, value, t, true);
        } else {
            d.def(Field::Dst, value, t, true);
        }
        width = width != 0 ? width : std::max(16U, bitsOf(t));
    }
    width = std::max(width, 16U);
    d.instr().aux = n;
    u32 paramOffset = 0;
    const bool noRegister = !address.hasReg;
    if (space == Space::Param && noRegister) {
        if (d.isKernelParam(address.variable, paramOffset)) {
            const u64 end = address.imm + u64(n) * bitsOf(t) / 8;
            if (isStore || address.imm > (1U << 20) || end > address.variable->bytes()) {
                Decoder::refuse("'" + d.ast().fullName() + "' goes past the parameter '" +
                                std::string(address.variable->name) + "'");
            }
            d.instr().imm = paramOffset + address.imm;
            d.finish(pick<LoadParam>(t, width));
            return;
        }
        Operand symbol = address;
        symbol.kind = Operand::Kind::Symbol;
        const CallSlot slot = d.paramSlot(symbol);
        if (slot.isReg || address.imm > slot.bytes ||
            address.imm + u64(n) * bitsOf(t) / 8 > slot.bytes) {
            Decoder::refuse("'" + d.ast().fullName() + "' goes past the parameter '" +
                            std::string(address.name) + "'");
        }
        d.instr().imm = slot.offset + address.imm;
        d.instr().slot = slot.bytes;
        d.instr().aux |= 0x200; // the frame's parameter area is placed later
        d.finish(isStore ? pick<StoreSlot>(t, width) : pick<LoadSlot>(t, width));
        return;
    }
    addressOperand(d, address, space);
    d.instr().slot = d.link().memorySlot();
    d.finish(isStore ? pick<Store>(t, width) : pick<Load>(t, width));
}

/// cvta: adds or removes a window's tag. imm: tag; aux 1: remove.
const Instr* cvta(Warp& w, const Instr* I)
{
    u64* d = regPtr<u64>(w, I->dst);
    const u64* a = regPtr<u64>(w, I->src[0]);
    const u64 tag = I->imm;
    const u32 m = w.mask;
    if (I->aux & 1U) {
        RIDGELINE_LANES
        {
            d[i] = lane(m, i) ? a[i] & ~tag : d[i];
        }
    } else {
        RIDGELINE_LANES
        {
            d[i] = lane(m, i) ? a[i] | tag : d[i];
        }
    }
    return I + 1;
}

void decodeCvta(Decoder& d)
{
    const bool to = d.has("to");
    const Space space = spaceModifier(d);
    const Type t = d.type();
    d.expectCount(2);
    const Operand& source = d.op(1);
    d.def(Field::Dst, 0, Type::B64);
    const u64 tag = space == Space::Shared  ? sharedWindow
                    : space == Space::Local ? localWindow
                    : space == Space::Param ? paramWindow
                                            : 0;
    if (bitsOf(t) != 64) {
        Decoder::refuse("'" + d.ast().fullName() +
                        "': only 64-bit generic addresses are implemented");
    }
    d.instr().imm = tag;
    d.instr().aux = to ? 1 : 0;
    if (source.kind == Operand::Kind::Symbol) {
        symbolAddress(d, source, Field::Src0);
    } else {
        d.use(Field::Src0, 1, Type::B64);
    }
    d.finish(cvta);
}

/// isspacep: imm: the window's tag, 0 global.
const Instr* isspacep(Warp& w, const Instr* I)
{
    const u64* a = regPtr<u64>(w, I->src[0]);
    u32 bits = 0;
    for (unsigned i = 0; i < 32; ++i) {
        bits |= u32((a[i] & windowMask) == I->imm) << i;
    }
    setPred(w, I->dst, bits);
    return I + 1;
}

void decodeIsspacep(Decoder& d)
{
    const Space space = spaceModifier(d);
    d.expectCount(2);
    d.def(Field::Dst, 0, Type::Pred);
    d.use(Field::Src0, 1, Type::B64);
    d.instr().imm = space == Space::Shared  ? sharedWindow
                    : space == Space::Local ? localWindow
                    : space == Space::Param ? paramWindow
                                            : 0;
    d.finish(isspacep);
}

const Instr* nothing(Warp&, const Instr* I)
{
    return I + 1;
}

void decodeHintOnly(Decoder& d) // prefetch, applypriority, discard, createpolicy's users need none
{
    while (!d.nextModifier().empty()) {
    }
    d.finish(nothing);
}

} // namespace

void addressOperand(Decoder& d, const Operand& address, Space space)
{
    Instr& I = d.instr();
    I.aux |= u32(space) << spaceShift;
    I.imm = address.imm;
    if (address.hasReg) {
        const unsigned bits = [&] {
            Operand reg;
            reg.kind = Operand::Kind::Reg;
            reg.reg = address.reg;
            return d.registerBits(reg);
        }();
        if (bits == 32) {
            I.aux |= narrowAddress;
        } else if (bits != 64) {
            Decoder::refuse("the address of '" + d.ast().fullName() +
                            "' must be a 32- or 64-bit register");
        }
        Operand reg;
        reg.kind = Operand::Kind::Reg;
        reg.reg = address.reg;
        d.use(Field::Src0, reg, bits == 32 ? Type::B32 : Type::B64);
        return;
    }
    if (address.name.empty()) {
        return;
    }
    u64 offset = 0;
    if (address.variable != nullptr && address.variable->space == Space::Local) {
        Operand symbol = address;
        symbol.imm = 0;
        symbol.kind = Operand::Kind::Symbol;
        localSymbol(d, symbol, Field::Src0);
    } else if (d.link().sharedOffset(*d.function().module, address.name, address.variable,
                                     offset)) {
        I.imm += offset;
    } else {
        I.imm += d.link().globalAddress(*d.function().module, address.name);
    }
}

void registerMemory(DecodeTable& t)
{
    t["ld"] = t["ldu"] = t["st"] = decodeLoadStore;
    t["cvta"] = decodeCvta;
    t["isspacep"] = decodeIsspacep;
    t["prefetch"] = t["prefetchu"] = t["applypriority"] = t["discard"] = decodeHintOnly;
}

} // namespace ridgeline::emu
