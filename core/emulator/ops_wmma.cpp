// SPDX-License-Identifier: GPL-3.0-or-later
// wmma.load, wmma.store, wmma.mma. Which lane holds which element is not documented, so it is ours
// to choose: element e of lane i is number i * n + e of the matrix in row order, n = elements / 32;
// where a fragment has room for more, elements repeat.
#include "core/emulator/tensor.h"

#include "core/emulator/access.h"
#include "core/emulator/half.h"

namespace ridgeline::emu {
namespace {

/// Shape of one operand as a number: rows, columns, bits and registers.
struct Fragment {
    u32 rows, cols, bits, regs;
    u32 perReg() const { return bits >= 32 ? 1 : 32 / bits; }
    u32 perLane() const { return rows * cols / 32; }
};

u64 packed(const Fragment& f, Type t, bool colMajor)
{
    return f.rows | u64(f.cols) << 8 | u64(f.bits) << 16 | u64(f.regs) << 24 | u64(t) << 32 |
           u64(colMajor) << 40;
}
Fragment fragmentOf(u64 v)
{
    return {static_cast<u32>(v & 0xFF), static_cast<u32>((v >> 8) & 0xFF),
            static_cast<u32>((v >> 16) & 0xFF), static_cast<u32>((v >> 24) & 0xFF)};
}

u64 readElement(Warp& w, const u32* regs, const Fragment& f, u32 lane, u32 e)
{
    if (f.bits == 64) {
        return regPtr<u64>(w, regs[e])[lane];
    }
    const u32 v = regPtr<u32>(w, regs[e / f.perReg()])[lane] >> (f.bits % 32 * (e % f.perReg()));
    return f.bits == 32 ? v : v & ((1U << f.bits) - 1);
}
void writeElement(Warp& w, const u32* regs, const Fragment& f, u32 lane, u32 e, u64 value)
{
    if (f.bits == 64) {
        regPtr<u64>(w, regs[e])[lane] = value;
        return;
    }
    u32& v = regPtr<u32>(w, regs[e / f.perReg()])[lane];
    const u32 shift = f.bits % 32 * (e % f.perReg());
    const u32 mask = (f.bits == 32 ? ~0U : (1U << f.bits) - 1) << shift;
    v = (v & ~mask) | (static_cast<u32>(value) << shift & mask);
}

/// src0/imm address, src1 stride in elements; extra: fragment (two words), store flag, address
/// offset (two words), registers.
const Instr* wmmaMemory(Warp& w, const Instr* I)
{
    const Instr* next = nullptr;
    if (!gather(w, I, fullMask, next)) {
        return next;
    }
    const u32* x = w.frame->fn->extra.data() + I->extra;
    const u64 spec = x[0] | u64(x[1]) << 32;
    const bool isStore = x[2] != 0, colMajor = (spec >> 40) & 1U;
    const Fragment f = fragmentOf(spec);
    const u32* regs = x + 3;
    const u32 size = f.bits / 8, n = f.perLane();
    const auto first = static_cast<unsigned>(std::countr_zero(w.mask));
    const u64 stride = I->src[1] != noReg ? regPtr<u32>(w, I->src[1])[first]
                       : colMajor         ? f.rows
                                          : f.cols;
    const u64 base = (I->src[0] == noReg       ? 0
                      : I->aux & narrowAddress ? regPtr<u32>(w, I->src[0])[first]
                                               : regPtr<u64>(w, I->src[0])[first]) +
                     I->imm;
    for (u32 e = 0; e < n; ++e) {
        alignas(64) u64 address[32];
        for (u32 i = 0; i < 32; ++i) {
            const u32 at = i * n + e, row = at / f.cols, col = at % f.cols;
            address[i] = base + (colMajor ? col * stride + row : row * stride + col) * size;
        }
        // The addresses stand in for a register of this call.
        Instr access = *I;
        access.src[0] = poolBit;
        access.imm = 0;
        access.aux &= ~narrowAddress;
        std::byte* const pool = w.base[1];
        w.base[1] = reinterpret_cast<std::byte*>(address);
        Access where;
        const bool ok =
            resolve(w, &access, size, isStore ? AccessKind::Write : AccessKind::Read, where);
        w.base[1] = pool;
        if (!ok) {
            return nullptr;
        }
        for (u32 i = 0; i < 32; ++i) {
            std::byte* p = where.pattern == Access::Pattern::Uniform ? where.base
                           : where.pattern == Access::Pattern::Unit  ? where.base + u64(i) * size
                                                                     : where.at[i];
            u64 v = 0;
            if (isStore) {
                v = readElement(w, regs, f, i, e);
                std::memcpy(p, &v, size);
            } else {
                std::memcpy(&v, p, size);
                for (u32 k = e; k < f.regs * f.perReg(); k += n) {
                    writeElement(w, regs, f, i, k, v);
                }
            }
        }
    }
    return I + 1;
}

double valueOf(u64 bits, Type t)
{
    switch (t) {
    case Type::F16:
        return static_cast<double>(halfToFloat(static_cast<u16>(bits)));
    case Type::BF16:
        return static_cast<double>(bfloatToFloat(static_cast<u16>(bits)));
    case Type::TF32:
        return static_cast<double>(bitCast<float>(static_cast<u32>(bits) & 0xFFFFE000U));
    case Type::F32:
        return static_cast<double>(bitCast<float>(static_cast<u32>(bits)));
    case Type::F64:
        return bitCast<double>(bits);
    case Type::S8:
        return static_cast<double>(static_cast<i8>(bits));
    case Type::U8:
        return static_cast<double>(static_cast<u8>(bits));
    default:
        return static_cast<double>(static_cast<i32>(bits));
    }
}

/// extra: D, A, B, C fragments (two words each), satfinite, registers in that order.
const Instr* wmmaMultiply(Warp& w, const Instr* I)
{
    const Instr* next = nullptr;
    if (!gather(w, I, fullMask, next)) {
        return next;
    }
    const u32* x = w.frame->fn->extra.data() + I->extra;
    Fragment f[4];
    Type t[4];
    const u32* regs[4];
    const u32* at = x + 9;
    for (u32 i = 0; i < 4; ++i) {
        const u64 spec = x[2 * i] | u64(x[2 * i + 1]) << 32;
        f[i] = fragmentOf(spec);
        t[i] = static_cast<Type>((spec >> 32) & 0xFF);
        regs[i] = at;
        at += f[i].regs;
    }
    const u32 M = f[0].rows, N = f[0].cols, K = f[1].cols;
    alignas(64) static thread_local double a[512], b[512], c[256];
    const auto fetch = [&](u32 which, double* into) {
        const u32 n = f[which].perLane();
        for (u32 i = 0; i < 32; ++i) {
            for (u32 e = 0; e < n; ++e) {
                into[i * n + e] = valueOf(readElement(w, regs[which], f[which], i, e), t[which]);
            }
        }
    };
    fetch(1, a);
    fetch(2, b);
    fetch(3, c);
    const bool integer = t[0] == Type::S32, dbl = t[0] == Type::F64, sat = x[8] != 0;
    for (u32 r = 0; r < M; ++r) {
        for (u32 col = 0; col < N; ++col) {
            double s = c[r * N + col];
            for (u32 k = 0; k < K; ++k) {
                const double p = a[r * K + k], q = b[k * N + col];
                // Products of halves are exact in single precision; integers are exact in double.
                s = integer ? s + p * q
                    : dbl
                        ? __builtin_fma(p, q, s)
                        : static_cast<double>(__builtin_fmaf(
                              static_cast<float>(p), static_cast<float>(q), static_cast<float>(s)));
            }
            c[r * N + col] = s;
        }
    }
    const u32 n = f[0].perLane();
    for (u32 i = 0; i < 32; ++i) {
        for (u32 e = 0; e < n; ++e) {
            const double s = c[i * n + e];
            u64 v;
            if (integer) {
                const i64 wide = static_cast<i64>(s);
                v = static_cast<u32>(sat ? (wide < INT32_MIN   ? INT32_MIN
                                            : wide > INT32_MAX ? INT32_MAX
                                                               : wide)
                                         : wide);
            } else if (dbl) {
                v = bitCast<u64>(s);
            } else if (t[0] == Type::F16) {
                v = floatToHalf(static_cast<float>(s));
            } else {
                v = s == s ? bitCast<u32>(static_cast<float>(s)) : 0x7FFFFFFFU;
            }
            writeElement(w, regs[0], f[0], i, e, v);
        }
    }
    return I + 1;
}

struct Shape {
    u32 m, n, k;
};

Shape shapeOf(Decoder& d)
{
    static constexpr std::pair<std::string_view, u32> names[] = {
        {"m16n16k16", 1}, {"m8n32k16", 2}, {"m32n8k16", 3}, {"m16n16k8", 4}, {"m8n8k4", 5}};
    switch (d.oneOf(names, 0U)) {
    case 1:
        return {16, 16, 16};
    case 2:
        return {8, 32, 16};
    case 3:
        return {32, 8, 16};
    case 4:
        return {16, 16, 8};
    case 5:
        return {8, 8, 4};
    default:
        Decoder::refuse("the shape of '" + d.ast().fullName() + "' is not implemented");
    }
}

std::vector<Operand> listOf(const Operand& o)
{
    return o.kind == Operand::Kind::Vector ? o.list : std::vector<Operand>{o};
}

Fragment fragmentFor(Decoder& d, char which, const Shape& s, Type t, std::size_t registers)
{
    const u32 bits = t == Type::TF32 ? 32 : bitsOf(t);
    Fragment f{which == 'b' ? s.k : s.m, which == 'a' ? s.k : s.n, bits,
               static_cast<u32>(registers)};
    const bool known = t == Type::F16 || t == Type::BF16 || t == Type::TF32 || t == Type::F32 ||
                       t == Type::F64 || t == Type::S8 || t == Type::U8 || t == Type::S32;
    if (!known || f.regs * f.perReg() < f.perLane() || f.regs > 16 ||
        f.regs * f.perReg() % f.perLane() != 0) {
        Decoder::refuse("'" + d.ast().fullName() +
                        "' with this type and number of registers is not implemented");
    }
    return f;
}

void putWords(Decoder& d, u64 v)
{
    d.extraValue(static_cast<u32>(v));
    d.extraValue(static_cast<u32>(v >> 32));
}

void decodeWmma(Decoder& d)
{
    for (std::string_view mod : {"sync", "aligned"}) {
        d.has(mod);
    }
    const bool load = d.has("load"), store = !load && d.has("store");
    if (load || store) {
        const char which = d.has("a")                 ? 'a'
                           : d.has("b")               ? 'b'
                           : d.has("c") || d.has("d") ? 'c'
                                                      : '?';
        const bool col = d.has("col");
        if (!col) {
            d.has("row");
        }
        const Shape s = shapeOf(d);
        const Space space = d.has("global")                           ? Space::Global
                            : d.has("shared") || d.has("shared::cta") ? Space::Shared
                                                                      : Space::Generic;
        const Type t = d.type();
        const Operand& data = d.op(load ? 0 : 1);
        const Operand& address = d.op(load ? 1 : 0);
        if (address.kind != Operand::Kind::Address || which == '?') {
            d.finish(nullptr);
            return;
        }
        const std::vector<Operand> list = listOf(data);
        const Fragment f = fragmentFor(d, which, s, t, list.size());
        d.beginExtra();
        putWords(d, packed(f, t, col));
        d.extraValue(store ? 1 : 0);
        for (const Operand& o : list) {
            const Type reg = f.bits == 64 ? Type::B64 : Type::B32;
            load ? d.extraDef(o, reg) : d.extraUse(o, reg);
        }
        addressOperand(d, address, space);
        if (d.count() > 2) {
            d.use(Field::Src1, 2, Type::B32);
        }
        d.instr().slot = d.link().memorySlot();
        d.finishControl(wmmaMemory);
        return;
    }
    if (!d.has("mma")) {
        d.finish(nullptr);
        return;
    }
    const bool sat = d.has("satfinite");
    d.has("rn");
    while (d.has("row") || d.has("col")) { // how A and B lay in memory no longer matters
    }
    const Shape s = shapeOf(d);
    const Type first = d.type(), second = d.type(), third = d.typeOr(Type::None);
    Type t[4] = {first, Type::F16, Type::F16, second};
    if (third != Type::None) {
        t[1] = second;
        t[2] = third;
        t[3] = d.type();
    }
    d.expectCount(4);
    d.beginExtra();
    static constexpr char which[] = {'c', 'a', 'b', 'c'};
    for (std::size_t i = 0; i < 4; ++i) {
        putWords(d, packed(fragmentFor(d, which[i], s, t[i], listOf(d.op(i)).size()), t[i], false));
    }
    d.extraValue(sat ? 1 : 0);
    for (std::size_t i = 0; i < 4; ++i) {
        for (const Operand& o : listOf(d.op(i))) {
            const Type reg = t[i] == Type::F64 ? Type::B64 : Type::B32;
            i == 0 ? d.extraDef(o, reg) : d.extraUse(o, reg);
        }
    }
    d.cost().tensor = 2 * s.m * s.n * s.k / 32;
    d.finishControl(wmmaMultiply);
}

} // namespace

void registerWmma(DecodeTable& t)
{
    t["wmma"] = decodeWmma;
}

} // namespace ridgeline::emu
