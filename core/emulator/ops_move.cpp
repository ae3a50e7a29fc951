// SPDX-License-Identifier: GPL-3.0-or-later
// mov with packing and unpacking, special registers, addresses of symbols.
#include "core/emulator/access.h"
#include "core/emulator/decode.h"

#include <chrono>

namespace ridgeline::emu {

const Instr* predMove(Warp& warp, const Instr* instr);

namespace {

template <class T>
struct Copy {
    static T f(T a) { return a; }
};
struct alignas(16) Wide128 {
    u64 lo, hi;
};

/// Packs extra[0..n) of `aux` bits each into dst of imm bits.
const Instr* pack(Warp& w, const Instr* I)
{
    const Function& fn = *w.frame->fn;
    const u32 part = I->aux & 0xFFU, n = (I->aux >> 16) & 0xFFU;
    for (u32 k = w.mask; k != 0; k &= k - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(k));
        u64 v[2] = {0, 0};
        for (u32 e = 0; e < n; ++e) {
            const Reg r = fn.extra[I->extra + e];
            const u64 x = part == 8    ? regPtr<u16>(w, r)[i] & 0xFFU
                          : part == 16 ? regPtr<u16>(w, r)[i]
                          : part == 32 ? regPtr<u32>(w, r)[i]
                                       : regPtr<u64>(w, r)[i];
            v[e * part / 64] |= x << (e * part % 64);
        }
        switch (I->imm) {
        case 16:
            regPtr<u16>(w, I->dst)[i] = static_cast<u16>(v[0]);
            break;
        case 32:
            regPtr<u32>(w, I->dst)[i] = static_cast<u32>(v[0]);
            break;
        case 64:
            regPtr<u64>(w, I->dst)[i] = v[0];
            break;
        default:
            regPtr<Wide128>(w, I->dst)[i] = {v[0], v[1]};
            break;
        }
    }
    return I + 1;
}
const Instr* unpack(Warp& w, const Instr* I)
{
    const Function& fn = *w.frame->fn;
    const u32 part = I->aux & 0xFFU, n = (I->aux >> 16) & 0xFFU;
    for (u32 k = w.mask; k != 0; k &= k - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(k));
        u64 v[2] = {0, 0};
        switch (I->imm) {
        case 16:
            v[0] = regPtr<u16>(w, I->src[0])[i];
            break;
        case 32:
            v[0] = regPtr<u32>(w, I->src[0])[i];
            break;
        case 64:
            v[0] = regPtr<u64>(w, I->src[0])[i];
            break;
        default:
            v[0] = regPtr<Wide128>(w, I->src[0])[i].lo;
            v[1] = regPtr<Wide128>(w, I->src[0])[i].hi;
            break;
        }
        for (u32 e = 0; e < n; ++e) {
            const Reg r = fn.extra[I->extra + e];
            const u64 x = v[e * part / 64] >> (e * part % 64);
            if (part == 8) {
                regPtr<u16>(w, r)[i] = static_cast<u8>(x);
            } else if (part == 16) {
                regPtr<u16>(w, r)[i] = static_cast<u16>(x);
            } else if (part == 32) {
                regPtr<u32>(w, r)[i] = static_cast<u32>(x);
            } else {
                regPtr<u64>(w, r)[i] = x;
            }
        }
    }
    return I + 1;
}
// The two shapes that half precision code is full of.
const Instr* pack2x16(Warp& w, const Instr* I)
{
    const u32* extra = w.frame->fn->extra.data() + I->extra;
    u32* d = regPtr<u32>(w, I->dst);
    const u16* a = regPtr<u16>(w, extra[0]);
    const u16* b = regPtr<u16>(w, extra[1]);
    const u32 m = w.mask;
    RIDGELINE_LANES
    {
        const u32 r = u32(a[i]) | u32(b[i]) << 16;
        d[i] = lane(m, i) ? r : d[i];
    }
    return I + 1;
}
const Instr* unpack2x16(Warp& w, const Instr* I)
{
    const u32* extra = w.frame->fn->extra.data() + I->extra;
    const u32* s = regPtr<u32>(w, I->src[0]);
    u16* a = regPtr<u16>(w, extra[0]);
    u16* b = regPtr<u16>(w, extra[1]);
    const u32 m = w.mask;
    RIDGELINE_LANES
    {
        const u32 x = s[i];
        a[i] = lane(m, i) ? static_cast<u16>(x) : a[i];
        b[i] = lane(m, i) ? static_cast<u16>(x >> 16) : b[i];
    }
    return I + 1;
}

void decodeMov(Decoder& d)
{
    const Type t = d.type();
    d.expectCount(2);
    const Operand& out = d.op(0);
    const Operand& in = d.op(1);
    const unsigned bits = bitsOf(t);
    if (in.kind == Operand::Kind::Vector || out.kind == Operand::Kind::Vector) {
        const bool packing = in.kind == Operand::Kind::Vector;
        const Operand& parts = packing ? in : out;
        const auto n = static_cast<u32>(parts.list.size());
        if ((n != 2 && n != 4 && n != 8 && n != 16) || bits / n < 8 ||
            (packing && out.kind == Operand::Kind::Vector)) {
            Decoder::refuse("'" + d.ast().fullName() + "' with a vector of " + std::to_string(n) +
                            " is not implemented");
        }
        const Type part = bits / n == 8    ? Type::B8
                          : bits / n == 16 ? Type::B16
                          : bits / n == 32 ? Type::B32
                                           : Type::B64;
        d.beginExtra();
        for (const Operand& element : parts.list) {
            packing ? d.extraUse(element, part) : d.extraDef(element, part);
        }
        d.instr().aux = bits / n | n << 16;
        d.instr().imm = bits;
        if (packing) {
            d.def(Field::Dst, 0, t);
        } else {
            d.use(Field::Src0, 1, t);
        }
        const bool two = bits == 32 && n == 2;
        d.finish(packing ? (two ? pack2x16 : pack) : (two ? unpack2x16 : unpack));
        return;
    }
    d.def(Field::Dst, 0, t);
    if (in.kind == Operand::Kind::Symbol) {
        symbolAddress(d, in, Field::Src0, bits);
    } else {
        d.use(Field::Src0, 1, t);
    }
    if (t == Type::Pred) {
        d.instr().aux = in.negated ? 3 : 4;
        d.finish(predMove);
        return;
    }
    d.finish(bits == 16    ? unary<Copy<u16>, u16, u16>
             : bits == 32  ? unary<Copy<u32>, u32, u32>
             : bits == 64  ? unary<Copy<u64>, u64, u64>
             : bits == 128 ? unary<Copy<Wide128>, Wide128, Wide128>
                           : nullptr);
}

struct SpecialName {
    std::string_view name;
    int code;
    bool is64;
};
enum SpecialCode {
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaX,
    CtaY,
    CtaZ,
    NctaX,
    NctaY,
    NctaZ,
    LaneId,
    WarpId,
    NWarpId,
    SmId,
    NSmId,
    GridId,
    MaskEq,
    MaskLe,
    MaskLt,
    MaskGe,
    MaskGt,
    Clock,
    ClockHi,
    Clock64,
    GlobalTimer,
    GlobalTimerLo,
    GlobalTimerHi,
    DynShared,
    TotalShared,
    Env1,
    Env2,
    EnvOther,
    Zero,
    One,
    ClusterIdX,
    ClusterIdY,
    ClusterIdZ,
    NClusterX,
    NClusterY,
    NClusterZ
};
constexpr SpecialName specials[] = {
    {"%tid.x", TidX, false},
    {"%tid.y", TidY, false},
    {"%tid.z", TidZ, false},
    {"%ntid.x", NtidX, false},
    {"%ntid.y", NtidY, false},
    {"%ntid.z", NtidZ, false},
    {"%ctaid.x", CtaX, false},
    {"%ctaid.y", CtaY, false},
    {"%ctaid.z", CtaZ, false},
    {"%nctaid.x", NctaX, false},
    {"%nctaid.y", NctaY, false},
    {"%nctaid.z", NctaZ, false},
    {"%laneid", LaneId, false},
    {"%warpid", WarpId, false},
    {"%nwarpid", NWarpId, false},
    {"%smid", SmId, false},
    {"%nsmid", NSmId, false},
    {"%gridid", GridId, true},
    {"%lanemask_eq", MaskEq, false},
    {"%lanemask_le", MaskLe, false},
    {"%lanemask_lt", MaskLt, false},
    {"%lanemask_ge", MaskGe, false},
    {"%lanemask_gt", MaskGt, false},
    {"%clock", Clock, false},
    {"%clock_hi", ClockHi, false},
    {"%clock64", Clock64, true},
    {"%globaltimer", GlobalTimer, true},
    {"%globaltimer_lo", GlobalTimerLo, false},
    {"%globaltimer_hi", GlobalTimerHi, false},
    {"%dynamic_smem_size", DynShared, false},
    {"%total_smem_size", TotalShared, false},
    {"%envreg1", Env1, false},
    {"%envreg2", Env2, false},
    {"%reserved_smem_offset_begin", Zero, false},
    {"%reserved_smem_offset_end", Zero, false},
    {"%reserved_smem_offset_cap", Zero, false},
    {"%reserved_smem_offset_0", Zero, false},
    {"%reserved_smem_offset_1", Zero, false},
    {"%is_explicit_cluster", Zero, false},
    {"%cluster_ctaid.x", Zero, false},
    {"%cluster_ctaid.y", Zero, false},
    {"%cluster_ctaid.z", Zero, false},
    {"%cluster_nctaid.x", One, false},
    {"%cluster_nctaid.y", One, false},
    {"%cluster_nctaid.z", One, false},
    {"%cluster_ctarank", Zero, false},
    {"%cluster_nctarank", One, false},
    {"%clusterid.x", CtaX, false},
    {"%clusterid.y", CtaY, false},
    {"%clusterid.z", CtaZ, false},
    {"%nclusterid.x", NctaX, false},
    {"%nclusterid.y", NctaY, false},
    {"%nclusterid.z", NctaZ, false},
    {"%tid", TidX, false},
    {"%ntid", NtidX, false},
    {"%ctaid", CtaX, false},
    {"%nctaid", NctaX, false},
};

u64 nowNs()
{
    return static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count());
}
/// A made-up clock: instructions of this warp plus time, so that it grows while others run.
u64 clockOf(const Warp& w)
{
    return nowNs() - w.launch->startNs + w.warpInstructions;
}

u64 specialValue(const Warp& w, u64 code, unsigned i)
{
    const LaunchConfig& c = *w.launch->config;
    switch (code) {
    case TidX:
        return w.id[0][i];
    case TidY:
        return w.id[1][i];
    case TidZ:
        return w.id[2][i];
    case NtidX:
        return c.block.x;
    case NtidY:
        return c.block.y;
    case NtidZ:
        return c.block.z;
    case CtaX:
        return w.block->index.x;
    case CtaY:
        return w.block->index.y;
    case CtaZ:
        return w.block->index.z;
    case NctaX:
        return c.grid.x;
    case NctaY:
        return c.grid.y;
    case NctaZ:
        return c.grid.z;
    case LaneId:
        return i;
    case WarpId:
        return w.index;
    case NWarpId:
        return w.launch->warpsPerBlock;
    case SmId:
        return w.block->linear % 108;
    case NSmId:
        return 108;
    case GridId:
        return 1;
    case MaskEq:
        return 1ULL << i;
    case MaskLe:
        return (2ULL << i) - 1;
    case MaskLt:
        return (1ULL << i) - 1;
    case MaskGe:
        return static_cast<u32>(~((1ULL << i) - 1));
    case MaskGt:
        return static_cast<u32>(~((2ULL << i) - 1));
    case Clock:
        return static_cast<u32>(clockOf(w));
    case ClockHi:
        return clockOf(w) >> 32;
    case Clock64:
        return clockOf(w);
    case GlobalTimer:
        return static_cast<u64>(std::chrono::system_clock::now().time_since_epoch().count());
    case GlobalTimerLo:
        return static_cast<u32>(std::chrono::system_clock::now().time_since_epoch().count());
    case GlobalTimerHi:
        return static_cast<u64>(std::chrono::system_clock::now().time_since_epoch().count()) >> 32;
    case DynShared:
        return c.dynamicShared;
    case TotalShared:
        return w.launch->sharedBytes;
    case Env1:
        return w.launch->gridWorkspace >> 32;
    case Env2:
        return static_cast<u32>(w.launch->gridWorkspace);
    case One:
        return 1;
    default:
        return 0;
    }
}

} // namespace

int specialRegister(std::string_view name, bool& is64)
{
    for (const SpecialName& s : specials) {
        if (s.name == name) {
            is64 = s.is64;
            return s.code;
        }
    }
    if (name.substr(0, 7) == "%envreg") {
        return EnvOther;
    }
    return -1;
}

const Instr* specialHandler(Warp& w, const Instr* I)
{
    for (u32 k = w.mask; k != 0; k &= k - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(k));
        const u64 v = specialValue(w, I->imm, i);
        if ((I->aux & 0xFF) == 64) {
            regPtr<u64>(w, I->dst)[i] = v;
        } else if ((I->aux & 0xFF) == 16) {
            regPtr<u16>(w, I->dst)[i] = static_cast<u16>(v);
        } else {
            regPtr<u32>(w, I->dst)[i] = static_cast<u32>(v);
        }
    }
    return I + 1;
}

const Instr* localAddressHandler(Warp& w, const Instr* I)
{
    u64* d = regPtr<u64>(w, I->dst);
    const u64 v = w.frame->localBase + I->imm;
    for (u32 k = w.mask; k != 0; k &= k - 1) {
        d[std::countr_zero(k)] = v;
    }
    return I + 1;
}

void localSymbol(Decoder& d, const Operand& symbol, Field field)
{
    d.useLocalAddress(field, *symbol.variable, symbol.imm);
}

void symbolAddress(Decoder& d, const Operand& symbol, Field field, unsigned width)
{
    const AstModule& module = *d.function().module;
    u64 value = 0;
    u32 offset = 0;
    if (symbol.variable != nullptr && symbol.variable->space == Space::Local) {
        if (width != 64) {
            Decoder::refuse("a local address needs a 64-bit register");
        }
        localSymbol(d, symbol, field);
        return;
    }
    if (d.isKernelParam(symbol.variable, offset)) {
        value = offset;
    } else if (symbol.variable != nullptr && symbol.variable->space == Space::Param) {
        Decoder::refuse("taking the address of the function parameter '" +
                        std::string(symbol.name) + "' is not implemented");
    } else if (d.link().sharedOffset(module, symbol.name, symbol.variable, value)) {
    } else if (const Function* f = d.link().functionFor(module, symbol.name)) {
        value = codeWindow | f->id;
    } else {
        value = d.link().globalAddress(module, symbol.name);
    }
    if (width != 64 && width != 32) {
        Decoder::refuse("the address of '" + std::string(symbol.name) +
                        "' needs a 32- or 64-bit register");
    }
    d.constant(field, value + symbol.imm, width);
}

void registerMove(DecodeTable& t)
{
    t["mov"] = decodeMov;
}

} // namespace ridgeline::emu
