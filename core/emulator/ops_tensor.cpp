// SPDX-License-Identifier: GPL-3.0-or-later
// cp.async, ldmatrix, stmatrix, mma.sync. Matrix products accumulate in single precision over k in
// ascending order (the hardware's order is not documented); products of halves are exact there.
#include "core/emulator/tensor.h"

#include "core/emulator/access.h"
#include "core/emulator/half.h"

#include <algorithm>

namespace ridgeline::emu {
namespace {

/// cp.async copies at once: what a program may not rely on before the wait is there early.
/// src0/imm destination (shared), src1 source address, imm in extra: bytes, source bytes register
/// src2.
const Instr* copyAsync(Warp& w, const Instr* I)
{
    const u32 size = I->aux & 0xFFU;
    const Function& fn = *w.frame->fn;
    Instr from = *I;
    from.src[0] = I->src[1];
    from.imm = static_cast<u64>(fn.extra[I->extra]) | static_cast<u64>(fn.extra[I->extra + 1])
                                                          << 32;
    from.aux = (I->aux & ~(7U << spaceShift) & ~narrowAddress) | u32(Space::Global) << spaceShift;
    const u32 all = w.mask;
    // Lanes that read fewer bytes get zeros for the rest; lanes that read none touch no source.
    u32 bytes[32];
    u32 reading = 0;
    for (u32 k = all; k != 0; k &= k - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(k));
        bytes[i] = I->src[2] != noReg ? std::min(regPtr<u32>(w, I->src[2])[i], size) : size;
        if (I->src[3] != noReg && lane(pred(w, I->src[3]), i)) {
            bytes[i] = 0; // ignore-src
        }
        reading |= u32(bytes[i] != 0) << i;
    }
    Access source, target;
    source.base = nullptr;
    w.mask = reading;
    if (reading != 0) {
        // Only what is read must exist: partial lanes are resolved by themselves.
        u32 full = 0;
        for (u32 k = reading; k != 0; k &= k - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(k));
            full |= u32(bytes[i] == size) << i;
        }
        if (full == reading) {
            if (!resolve(w, &from, size, AccessKind::Read, source)) {
                w.mask = all;
                return nullptr;
            }
        } else {
            source.pattern = Access::Pattern::Scattered;
            const u64* r = regPtr<u64>(w, from.src[0]);
            for (u32 k = reading; k != 0; k &= k - 1) {
                const auto i = static_cast<unsigned>(std::countr_zero(k));
                const u64 at = r[i] + from.imm;
                for (u32 b = 0; b < bytes[i]; ++b) {
                    if (resolveGeneric(w, I, i, at + b, 1, AccessKind::Read) == nullptr) {
                        w.mask = all;
                        return nullptr;
                    }
                }
                source.at[i] = reinterpret_cast<std::byte*>(at);
            }
        }
    }
    w.mask = all;
    if (!resolve(w, I, size, AccessKind::Write, target)) {
        return nullptr;
    }
    const auto place = [&](const Access& a, unsigned i) {
        return a.pattern == Access::Pattern::Uniform ? a.base
               : a.pattern == Access::Pattern::Unit  ? a.base + u64(i) * size
                                                     : a.at[i];
    };
    for (u32 k = all; k != 0; k &= k - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(k));
        std::byte* to = place(target, i);
        if (bytes[i] != 0) {
            std::memcpy(to, place(source, i), bytes[i]);
        }
        std::memset(to + bytes[i], 0, size - bytes[i]);
    }
    return I + 1;
}

const Instr* nothing(Warp&, const Instr* I)
{
    return I + 1;
}

void decodeCp(Decoder& d)
{
    if (!d.has("async") || d.has("bulk") || d.has("mbarrier")) {
        d.finish(nullptr);
        return;
    }
    if (d.has("commit_group") || d.has("wait_all") || d.has("wait_group")) {
        d.finish(nothing); // copies are complete when they are issued
        return;
    }
    d.has("ca");
    d.has("cg");
    if (!d.has("shared")) {
        d.has("shared::cta");
    }
    d.has("global");
    const Operand& to = d.op(0);
    const Operand& from = d.op(1);
    const u64 size = d.op(2).imm;
    if (to.kind != Operand::Kind::Address || from.kind != Operand::Kind::Address ||
        d.op(2).kind != Operand::Kind::Imm || (size != 4 && size != 8 && size != 16) ||
        !from.hasReg) {
        Decoder::refuse("'" + d.ast().fullName() +
                        "' needs two addresses and a size of 4, 8 or 16");
    }
    d.instr().aux = static_cast<u32>(size);
    addressOperand(d, to, Space::Shared);
    Operand source;
    source.kind = Operand::Kind::Reg;
    source.reg = from.reg;
    d.use(Field::Src1, source, Type::B64);
    d.beginExtra();
    d.extraValue(static_cast<u32>(from.imm));
    d.extraValue(static_cast<u32>(from.imm >> 32));
    // Optional: source size (a 32-bit value), ignore-src predicate, or a cache policy.
    if (d.count() > 3) {
        const Operand& extra = d.op(3);
        const unsigned bits = d.registerBits(extra);
        if (extra.kind == Operand::Kind::Imm || bits == 32) {
            d.use(Field::Src2, extra, Type::B32);
        } else if (bits == 1) {
            d.use(Field::Src3, extra, Type::Pred);
        }
    }
    d.instr().slot = d.link().memorySlot();
    d.finish(copyAsync);
}

/// ldmatrix/stmatrix of n 8×8 matrices of 16-bit elements. aux low byte n, bit 16 trans, bit 17
/// store.
const Instr* matrixMemory(Warp& w, const Instr* I)
{
    const Instr* next = nullptr;
    if (!gather(w, I, fullMask, next)) {
        return next;
    }
    const u32 n = I->aux & 0xFFU;
    const bool trans = I->aux & (1U << 16), isStore = I->aux & (1U << 17);
    const Function& fn = *w.frame->fn;
    // Lanes 8m … 8m+7 hold the row addresses of matrix m.
    const u32 all = w.mask;
    Access rows;
    w.mask = all & (n == 4 ? fullMask : (1U << (8 * n)) - 1);
    const bool ok = resolve(w, I, 16, isStore ? AccessKind::Write : AccessKind::Read, rows);
    w.mask = all;
    if (!ok) {
        return nullptr;
    }
    const auto row = [&](u32 i) {
        return reinterpret_cast<u16*>(rows.pattern == Access::Pattern::Uniform ? rows.base
                                      : rows.pattern == Access::Pattern::Unit
                                          ? rows.base + u64(i) * 16
                                          : rows.at[i]);
    };
    for (u32 m = 0; m < n; ++m) {
        u32* reg = regPtr<u32>(w, fn.extra[I->extra + m]);
        for (u32 i = 0; i < 32; ++i) {
            for (u32 e = 0; e < 2; ++e) {
                const u32 r = trans ? (i % 4) * 2 + e : i / 4;
                const u32 c = trans ? i / 4 : (i % 4) * 2 + e;
                u16& at = row(8 * m + r)[c];
                if (isStore) {
                    at = static_cast<u16>(reg[i] >> (16 * e));
                } else {
                    reg[i] = (e == 0 ? 0U : reg[i] & 0xFFFFU) | u32(at) << (16 * e);
                }
            }
        }
    }
    return I + 1;
}

void decodeMatrixMemory(Decoder& d)
{
    const bool isStore = d.ast().opcode == "stmatrix";
    for (std::string_view mod : {"sync", "aligned", "m8n8"}) {
        d.has(mod);
    }
    const u32 n = d.has("x1") ? 1 : d.has("x2") ? 2 : d.has("x4") ? 4 : 1;
    const bool trans = d.has("trans");
    if (!d.has("shared")) {
        d.has("shared::cta");
    }
    const Type t = d.type();
    d.expectCount(2);
    const Operand& data = d.op(isStore ? 1 : 0);
    const Operand& address = d.op(isStore ? 0 : 1);
    if (t != Type::B16 || address.kind != Operand::Kind::Address) {
        d.finish(nullptr);
        return;
    }
    std::vector<Operand> list =
        data.kind == Operand::Kind::Vector ? data.list : std::vector<Operand>{data};
    if (list.size() != n) {
        Decoder::refuse("'" + d.ast().fullName() + "' needs " + std::to_string(n) + " registers");
    }
    d.beginExtra();
    for (const Operand& o : list) {
        isStore ? d.extraUse(o, Type::B32) : d.extraDef(o, Type::B32);
    }
    d.instr().aux = n | (trans ? 1U << 16 : 0U) | (isStore ? 1U << 17 : 0U);
    addressOperand(d, address, Space::Shared);
    d.instr().slot = d.link().memorySlot();
    d.finishControl(matrixMemory);
}

enum Element : u32 { EHalf, EBfloat, ETf32, ES8, EU8, EDouble };

/// imm: bits 0–7 K, 8–11 element of A, 12–15 of B, 16 accumulator f16 (C), 17 result f16, 18
/// satfinite, 20–23 registers of A, 24–27 of B. extra: D, A, B, C registers.
float elementOf(u32 reg, u32 e, u32 kind)
{
    switch (kind) {
    case EHalf:
        return halfToFloat(static_cast<u16>(reg >> (16 * e)));
    case EBfloat:
        return bfloatToFloat(static_cast<u16>(reg >> (16 * e)));
    default:
        return bitCast<float>(reg & 0xFFFFE000U); // tf32: the unit drops the low bits
    }
}

const Instr* mma(Warp& w, const Instr* I)
{
    const Instr* next = nullptr;
    if (!gather(w, I, fullMask, next)) {
        return next;
    }
    const u32* x = w.frame->fn->extra.data() + I->extra;
    const u32 K = I->imm & 0xFF, kindA = (I->imm >> 8) & 0xF, kindB = (I->imm >> 12) & 0xF;
    const bool c16 = (I->imm >> 16) & 1U, d16 = (I->imm >> 17) & 1U;
    const u32 nA = (I->imm >> 20) & 0xF, nB = (I->imm >> 24) & 0xF;
    const u32 nD = d16 ? 2 : 4;
    const u32* rA = x + nD;
    const u32* rB = rA + nA;
    const u32* rC = rB + nB;
    const bool integer = kindA >= ES8;
    const u32 per = integer ? 4 : kindA == ETf32 ? 1 : 2;
    // Fragments: register r of A holds row g + 8 * (r % 2), columns per * t + … + (K / 2) * (r / 2)
    // …
    const u32 chunk =
        4 * per; // columns that one register index covers over the four lanes of a group
    alignas(64) float a[16][32], b[8][32], acc[16][8];
    alignas(64) i32 ia[16][32], ib[8][32], iacc[16][8];
    for (u32 i = 0; i < 32; ++i) {
        const u32 g = i / 4, t = i % 4;
        for (u32 r = 0; r < nA; ++r) {
            const u32 v = regPtr<u32>(w, rA[r])[i];
            for (u32 e = 0; e < per; ++e) {
                const u32 rowIndex = g + 8 * (r % 2), column = chunk * (r / 2) + t * per + e;
                if (integer) {
                    ia[rowIndex][column] = kindA == ES8 ? i32(static_cast<i8>(v >> (8 * e)))
                                                        : i32(static_cast<u8>(v >> (8 * e)));
                } else {
                    a[rowIndex][column] = elementOf(v, e, kindA);
                }
            }
        }
        for (u32 r = 0; r < nB; ++r) {
            const u32 v = regPtr<u32>(w, rB[r])[i];
            for (u32 e = 0; e < per; ++e) {
                const u32 k = chunk * r + t * per + e;
                if (integer) {
                    ib[g][k] = kindB == ES8 ? i32(static_cast<i8>(v >> (8 * e)))
                                            : i32(static_cast<u8>(v >> (8 * e)));
                } else {
                    b[g][k] = elementOf(v, e, kindB);
                }
            }
        }
        for (u32 e = 0; e < 4; ++e) {
            const u32 rowIndex = g + 8 * (e / 2), column = 2 * t + e % 2;
            if (c16) {
                acc[rowIndex][column] =
                    halfToFloat(static_cast<u16>(regPtr<u32>(w, rC[e / 2])[i] >> (16 * (e % 2))));
            } else if (integer) {
                iacc[rowIndex][column] = regPtr<i32>(w, rC[e])[i];
            } else {
                acc[rowIndex][column] = regPtr<float>(w, rC[e])[i];
            }
        }
    }
    for (u32 r = 0; r < 16; ++r) {
        for (u32 c = 0; c < 8; ++c) {
            if (integer) {
                i64 wide = iacc[r][c];
                for (u32 k = 0; k < K; ++k) {
                    wide += i64(ia[r][k]) * ib[c][k];
                }
                const bool sat = (I->imm >> 18) & 1U;
                iacc[r][c] = sat ? static_cast<i32>(std::clamp<i64>(wide, INT32_MIN, INT32_MAX))
                                 : static_cast<i32>(static_cast<u32>(wide));
            } else {
                float s = acc[r][c];
                for (u32 k = 0; k < K; ++k) {
                    s = __builtin_fmaf(a[r][k], b[c][k], s);
                }
                acc[r][c] = s == s ? s : bitCast<float>(0x7FFFFFFFU);
            }
        }
    }
    for (u32 i = 0; i < 32; ++i) {
        const u32 g = i / 4, t = i % 4;
        for (u32 e = 0; e < 4; ++e) {
            const u32 rowIndex = g + 8 * (e / 2), column = 2 * t + e % 2;
            if (d16) {
                u32& out = regPtr<u32>(w, x[e / 2])[i];
                const u32 h = floatToHalf(acc[rowIndex][column]);
                out = e % 2 == 0 ? h : (out & 0xFFFFU) | h << 16;
            } else if (integer) {
                regPtr<i32>(w, x[e])[i] = iacc[rowIndex][column];
            } else {
                regPtr<float>(w, x[e])[i] = acc[rowIndex][column];
            }
        }
    }
    return I + 1;
}

/// mma.m8n8k4 of f64.
const Instr* mmaDouble(Warp& w, const Instr* I)
{
    const Instr* next = nullptr;
    if (!gather(w, I, fullMask, next)) {
        return next;
    }
    const u32* x = w.frame->fn->extra.data() + I->extra;
    double a[8][4], b[8][4], acc[8][8];
    for (u32 i = 0; i < 32; ++i) {
        a[i / 4][i % 4] = regPtr<double>(w, x[2])[i];
        b[i / 4][i % 4] = regPtr<double>(w, x[3])[i];
        acc[i / 4][2 * (i % 4)] = regPtr<double>(w, x[4])[i];
        acc[i / 4][2 * (i % 4) + 1] = regPtr<double>(w, x[5])[i];
    }
    for (u32 i = 0; i < 32; ++i) {
        for (u32 e = 0; e < 2; ++e) {
            const u32 r = i / 4, c = 2 * (i % 4) + e;
            double s = acc[r][c];
            for (u32 k = 0; k < 4; ++k) {
                s = __builtin_fma(a[r][k], b[c][k], s);
            }
            regPtr<double>(w, x[e])[i] = s;
        }
    }
    return I + 1;
}

void registersOf(Decoder& d, std::size_t index, u32 n, Type t, bool result)
{
    const Operand& o = d.op(index);
    const std::vector<Operand> list =
        o.kind == Operand::Kind::Vector ? o.list : std::vector<Operand>{o};
    if (list.size() != n) {
        Decoder::refuse("'" + d.ast().fullName() + "' needs " + std::to_string(n) +
                        " registers in operand " + std::to_string(index));
    }
    for (const Operand& e : list) {
        result ? d.extraDef(e, t) : d.extraUse(e, t);
    }
}

void decodeMma(Decoder& d)
{
    for (std::string_view mod : {"sync", "aligned", "row", "col"}) {
        d.has(mod);
    }
    const bool sat = d.has("satfinite");
    u32 K = 0;
    bool dbl = false;
    if (d.has("m16n8k16")) {
        K = 16;
    } else if (d.has("m16n8k8")) {
        K = 8;
    } else if (d.has("m16n8k4")) {
        K = 4;
    } else if (d.has("m16n8k32")) {
        K = 32;
    } else if (d.has("m8n8k4")) {
        dbl = true;
    }
    const Type td = d.type(), ta = d.type(), tb = d.type(), tc = d.type();
    d.expectCount(4);
    d.beginExtra();
    if (dbl && td == Type::F64 && ta == Type::F64) {
        registersOf(d, 0, 2, Type::B64, true);
        registersOf(d, 1, 1, Type::B64, false);
        registersOf(d, 2, 1, Type::B64, false);
        registersOf(d, 3, 2, Type::B64, false);
        d.cost().tensor = 2 * 8 * 8 * 4 / 32;
        d.finishControl(mmaDouble);
        return;
    }
    const auto kindOf = [](Type t) {
        return t == Type::F16    ? EHalf
               : t == Type::BF16 ? EBfloat
               : t == Type::TF32 ? ETf32
               : t == Type::S8   ? ES8
               : t == Type::U8   ? EU8
                                 : EDouble;
    };
    const u32 ka = kindOf(ta), kb = kindOf(tb);
    const u32 bitsA = ka >= ES8 ? 8 : ka == ETf32 ? 32 : 16;
    const bool legal = K != 0 && ka != EDouble && kb != EDouble &&
                       (ka == kb || (ka >= ES8 && kb >= ES8)) && K * bitsA >= 128 &&
                       K * bitsA <= 256 &&
                       (ka >= ES8 ? td == Type::S32 && tc == Type::S32
                                  : (td == Type::F32 || (td == Type::F16 && ka == EHalf)) &&
                                        (tc == Type::F32 || (tc == Type::F16 && ka == EHalf)));
    if (!legal) {
        d.finish(nullptr);
        return;
    }
    const u32 nA = 16 * K * bitsA / 32 / 32, nB = 8 * K * bitsA / 32 / 32;
    registersOf(d, 0, td == Type::F16 ? 2 : 4, Type::B32, true);
    registersOf(d, 1, nA, Type::B32, false);
    registersOf(d, 2, nB, Type::B32, false);
    registersOf(d, 3, tc == Type::F16 ? 2 : 4, Type::B32, false);
    d.instr().imm = K | u64(ka) << 8 | u64(kb) << 12 | (tc == Type::F16 ? 1ULL << 16 : 0) |
                    (td == Type::F16 ? 1ULL << 17 : 0) | (sat ? 1ULL << 18 : 0) | u64(nA) << 20 |
                    u64(nB) << 24;
    d.cost().tensor = 2 * 16 * 8 * K / 32;
    d.finishControl(mma);
}

} // namespace

void registerTensor(DecodeTable& t)
{
    t["cp"] = decodeCp;
    t["ldmatrix"] = t["stmatrix"] = decodeMatrixMemory;
    t["mma"] = decodeMma;
    registerWmma(t);
}

} // namespace ridgeline::emu
