// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions against host arithmetic in wider types: edge values in every pairing, bit for bit.
#include "tests/emulator/vm_harness.h"

#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>

using namespace ridgeline::emu;
using namespace ridgeline::emu::test;

using U64 = std::uint64_t;
using U32 = std::uint32_t;

namespace {

const std::vector<U64> words{0,       1,          2,          31,         32,        33,
                             0x7F,    0x80,       0xFF,       0x7FFF,     0x8000,    0xFFFF,
                             0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678};
const std::vector<U64> longs{0,
                             1,
                             2,
                             63,
                             64,
                             0x7FFFFFFF,
                             0xFFFFFFFF,
                             0x100000000,
                             0x7FFFFFFFFFFFFFFF,
                             0x8000000000000000,
                             0xFFFFFFFFFFFFFFFF,
                             0x123456789ABCDEF0};

std::vector<float> floats()
{
    std::vector<float> v{
        0.0F,   1.0F,          1.5F,  0.1F, 3.0F, 16777217.0F,  1e-38F, 1e-45F, 1.17549435e-38F,
        5e-39F, 3.4028235e38F, 1e38F, 0.5F, 2.5F, 0x1.000002p0F};
    v.push_back(std::numeric_limits<float>::infinity());
    for (std::size_t i = 0, n = v.size(); i < n; ++i) {
        v.push_back(-v[i]);
    }
    v.push_back(std::numeric_limits<float>::quiet_NaN());
    return v;
}

/// All pairs of the values, at most 1024 (a block).
void pairs(const std::vector<U64>& v, std::vector<U64>& a, std::vector<U64>& b)
{
    for (U64 x : v) {
        for (U64 y : v) {
            if (a.size() < 1024) {
                a.push_back(x);
                b.push_back(y);
            }
        }
    }
}
std::vector<U64> patterns(const std::vector<float>& v)
{
    std::vector<U64> r;
    for (float x : v) {
        r.push_back(bits(x));
    }
    return r;
}
float asFloat(U64 x)
{
    return std::bit_cast<float>(static_cast<U32>(x));
}
U32 canonical(float x)
{
    return std::isnan(x) ? 0x7FFFFFFFU : std::bit_cast<U32>(x);
}
float ftz(float x)
{
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}

} // namespace

class TestVmArithmetic : public QObject {
    Q_OBJECT
private:
    void check2(const std::string& instruction, int width, const std::vector<int>& operands,
                const std::vector<U64>& values, const std::function<U64(U64, U64)>& oracle)
    {
        std::vector<U64> a, b;
        pairs(values, a, b);
        std::string error;
        const std::vector<U64> got = apply(instruction, width, operands, {a, b}, &error);
        QVERIFY2(got.size() == a.size(), (instruction + ": " + error).c_str());
        const U64 mask = width == 64 ? ~0ULL : (1ULL << (width == 1 ? 1 : width)) - 1;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const U64 want = oracle(a[i], b[i]) & mask;
            QVERIFY2((got[i] & mask) == want,
                     qPrintable(QString::asprintf("%s: a=%llx b=%llx got %llx want %llx",
                                                  instruction.c_str(),
                                                  static_cast<unsigned long long>(a[i]),
                                                  static_cast<unsigned long long>(b[i]),
                                                  static_cast<unsigned long long>(got[i] & mask),
                                                  static_cast<unsigned long long>(want))));
        }
    }
    void check1(const std::string& instruction, int width, int operand,
                const std::vector<U64>& values, const std::function<U64(U64)>& oracle)
    {
        std::string error;
        const std::vector<U64> got = apply(instruction, width, {operand}, {values}, &error);
        QVERIFY2(got.size() == values.size(), (instruction + ": " + error).c_str());
        const U64 mask = width == 64 ? ~0ULL : (1ULL << (width == 1 ? 1 : width)) - 1;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const U64 want = oracle(values[i]) & mask;
            QVERIFY2(
                (got[i] & mask) == want,
                qPrintable(QString::asprintf("%s: a=%llx got %llx want %llx", instruction.c_str(),
                                             static_cast<unsigned long long>(values[i]),
                                             static_cast<unsigned long long>(got[i] & mask),
                                             static_cast<unsigned long long>(want))));
        }
    }

private Q_SLOTS:
    void integers32()
    {
        const auto s = [](U64 x) {
            return static_cast<std::int64_t>(static_cast<std::int32_t>(x));
        };
        const auto u = [](U64 x) { return U64(static_cast<U32>(x)); };
        check2("add.u32 d, a, b;", 32, {32, 32}, words, [](U64 a, U64 b) { return a + b; });
        check2("sub.s32 d, a, b;", 32, {32, 32}, words, [](U64 a, U64 b) { return a - b; });
        check2("mul.lo.s32 d, a, b;", 32, {32, 32}, words, [](U64 a, U64 b) { return a * b; });
        check2("mul.hi.s32 d, a, b;", 32, {32, 32}, words,
               [&](U64 a, U64 b) { return static_cast<U64>(s(a) * s(b)) >> 32; });
        check2("mul.hi.u32 d, a, b;", 32, {32, 32}, words,
               [&](U64 a, U64 b) { return (u(a) * u(b)) >> 32; });
        check2("mul.wide.s32 d, a, b;", 64, {32, 32}, words,
               [&](U64 a, U64 b) { return static_cast<U64>(s(a) * s(b)); });
        check2("mul.wide.u32 d, a, b;", 64, {32, 32}, words,
               [&](U64 a, U64 b) { return u(a) * u(b); });
        check2("div.s32 d, a, b;", 32, {32, 32}, words,
               [&](U64 a, U64 b) { return s(b) == 0 ? ~0ULL : static_cast<U64>(s(a) / s(b)); });
        check2("rem.u32 d, a, b;", 32, {32, 32}, words,
               [&](U64 a, U64 b) { return u(b) == 0 ? a : u(a) % u(b); });
        check2("add.sat.s32 d, a, b;", 32, {32, 32}, words, [&](U64 a, U64 b) {
            return static_cast<U64>(std::clamp<std::int64_t>(s(a) + s(b), INT32_MIN, INT32_MAX));
        });
        check2("min.s32 d, a, b;", 32, {32, 32}, words,
               [&](U64 a, U64 b) { return static_cast<U64>(std::min(s(a), s(b))); });
        check2("max.u32 d, a, b;", 32, {32, 32}, words,
               [&](U64 a, U64 b) { return std::max(u(a), u(b)); });
        check2("shl.b32 d, a, b;", 32, {32, 32}, words,
               [&](U64 a, U64 b) { return u(b) > 31 ? 0 : a << u(b); });
        check2("shr.s32 d, a, b;", 32, {32, 32}, words,
               [&](U64 a, U64 b) { return static_cast<U64>(s(a) >> std::min<U64>(u(b), 31)); });
        check2("shr.u32 d, a, b;", 32, {32, 32}, words,
               [&](U64 a, U64 b) { return u(b) > 31 ? 0 : u(a) >> u(b); });
        check2("setp.lt.s32 d, a, b;", 1, {32, 32}, words,
               [&](U64 a, U64 b) { return U64(s(a) < s(b)); });
        check2("setp.hs.u32 d, a, b;", 1, {32, 32}, words,
               [&](U64 a, U64 b) { return U64(u(a) >= u(b)); });
        check2("shf.l.wrap.b32 d, a, b, 5;", 32, {32, 32}, words,
               [&](U64 a, U64 b) { return u(b) << 5 | u(a) >> 27; });
        check2("lop3.b32 d, a, b, 0x0F0F00FF, 0x96;", 32, {32, 32}, words,
               [](U64 a, U64 b) { return a ^ b ^ 0x0F0F00FFU; });
        check2("prmt.b32 d, a, b, 0x7610;", 32, {32, 32}, words,
               [](U64 a, U64 b) { return (a & 0xFFFF) | (b & 0xFFFF0000U); });
        check2("bfe.s32 d, a, 4, 8;", 32, {32, 32}, words,
               [](U64 a, U64) { return static_cast<U64>(static_cast<std::int8_t>(a >> 4)); });
        check1("clz.b32 d, a;", 32, 32, words,
               [](U64 a) { return U64(std::countl_zero(static_cast<U32>(a))); });
        check1("brev.b32 d, a;", 32, 32, words, [](U64 a) {
            U64 r = 0;
            for (int i = 0; i < 32; ++i) {
                r |= ((a >> i) & 1U) << (31 - i);
            }
            return r;
        });
        check1("popc.b32 d, a;", 32, 32, words,
               [](U64 a) { return U64(std::popcount(static_cast<U32>(a))); });
        check1("bfind.s32 d, a;", 32, 32, words, [](U64 a) {
            const auto v = static_cast<std::int32_t>(a);
            const U32 x = static_cast<U32>(v < 0 ? ~v : v);
            return x == 0 ? 0xFFFFFFFFULL : U64(31 - std::countl_zero(x));
        });
    }

    void integers64And16()
    {
        check2("add.s64 d, a, b;", 64, {64, 64}, longs, [](U64 a, U64 b) { return a + b; });
        check2("mul.lo.s64 d, a, b;", 64, {64, 64}, longs, [](U64 a, U64 b) { return a * b; });
        __extension__ typedef unsigned __int128 Wide;
        check2("mul.hi.u64 d, a, b;", 64, {64, 64}, longs,
               [](U64 a, U64 b) { return static_cast<U64>((Wide(a) * b) >> 64); });
        check2("div.u64 d, a, b;", 64, {64, 64}, longs,
               [](U64 a, U64 b) { return b == 0 ? ~0ULL : a / b; });
        check2("rem.s64 d, a, b;", 64, {64, 64}, longs, [](U64 a, U64 b) {
            const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
            return y == 0 ? a : y == -1 ? 0 : static_cast<U64>(x % y);
        });
        check2("setp.gt.s64 d, a, b;", 1, {64, 64}, longs, [](U64 a, U64 b) {
            return U64(static_cast<std::int64_t>(a) > static_cast<std::int64_t>(b));
        });
        check2("add.s16 d, a, b;", 16, {16, 16}, words, [](U64 a, U64 b) { return a + b; });
        check2("mul.wide.s16 d, a, b;", 32, {16, 16}, words, [](U64 a, U64 b) {
            return static_cast<U64>(static_cast<std::int16_t>(a)) *
                   static_cast<U64>(static_cast<std::int16_t>(b));
        });
        check1("cvt.s64.s32 d, a;", 64, 32, words,
               [](U64 a) { return static_cast<U64>(static_cast<std::int32_t>(a)); });
        check1("cvt.u32.u16 d, a;", 32, 16, words, [](U64 a) { return a & 0xFFFF; });
        check1("cvt.s32.s8 d, a;", 32, 32, words,
               [](U64 a) { return static_cast<U64>(static_cast<std::int8_t>(a)); });
        check1("cvt.sat.u8.s32 d, a;", 32, 32, words, [](U64 a) {
            return static_cast<U64>(std::clamp(static_cast<std::int32_t>(a), 0, 255));
        });
        check1("cvt.u16.u64 d, a;", 16, 64, longs, [](U64 a) { return a; });
    }

    void singlePrecision()
    {
        const std::vector<U64> v = patterns(floats());
        check2("add.f32 d, a, b;", 32, {32, 32}, v,
               [](U64 a, U64 b) { return U64(canonical(asFloat(a) + asFloat(b))); });
        check2("add.ftz.f32 d, a, b;", 32, {32, 32}, v,
               [](U64 a, U64 b) { return U64(canonical(ftz(ftz(asFloat(a)) + ftz(asFloat(b))))); });
        check2("mul.f32 d, a, b;", 32, {32, 32}, v,
               [](U64 a, U64 b) { return U64(canonical(asFloat(a) * asFloat(b))); });
        check2("mul.sat.f32 d, a, b;", 32, {32, 32}, v, [](U64 a, U64 b) {
            const float r = asFloat(a) * asFloat(b);
            return bits(r > 0 ? std::min(r, 1.0F) : 0.0F);
        });
        check2("div.rn.f32 d, a, b;", 32, {32, 32}, v,
               [](U64 a, U64 b) { return U64(canonical(asFloat(a) / asFloat(b))); });
        check2("fma.rn.f32 d, a, b, 0f3F800001;", 32, {32, 32}, v, [](U64 a, U64 b) {
            return U64(canonical(std::fma(asFloat(a), asFloat(b), asFloat(0x3F800001))));
        });
        for (const auto& [name, mode] :
             {std::pair{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}) {
            // In double the sum of two singles is exact enough to round once by hand only when it
            // does not cancel; use the host's modes instead.
            check2(std::string("add.") + name + ".f32 d, a, b;", 32, {32, 32}, v,
                   [mode = mode](U64 a, U64 b) {
                       std::fesetround(mode);
                       volatile float x = asFloat(a), y = asFloat(b);
                       volatile float r = x + y;
                       std::fesetround(FE_TONEAREST);
                       return U64(canonical(r));
                   });
            check2(std::string("mul.") + name + ".f32 d, a, b;", 32, {32, 32}, v,
                   [mode = mode](U64 a, U64 b) {
                       std::fesetround(mode);
                       volatile float x = asFloat(a), y = asFloat(b);
                       volatile float r = x * y;
                       std::fesetround(FE_TONEAREST);
                       return U64(canonical(r));
                   });
        }
        check2("min.f32 d, a, b;", 32, {32, 32}, v, [](U64 a, U64 b) {
            const float x = asFloat(a), y = asFloat(b);
            if (std::isnan(x) || std::isnan(y)) {
                return U64(canonical(std::isnan(x) ? y : x));
            }
            return bits(x == y ? (std::signbit(x) ? x : y) : std::min(x, y));
        });
        check2("setp.ltu.f32 d, a, b;", 1, {32, 32}, v,
               [](U64 a, U64 b) { return U64(!(asFloat(a) >= asFloat(b))); });
        check2("setp.ne.f32 d, a, b;", 1, {32, 32}, v, [](U64 a, U64 b) {
            return U64(asFloat(a) < asFloat(b) || asFloat(a) > asFloat(b));
        });
        check1("sqrt.rn.f32 d, a;", 32, 32, v,
               [](U64 a) { return U64(canonical(std::sqrt(asFloat(a)))); });
        check1("rcp.rn.f32 d, a;", 32, 32, v,
               [](U64 a) { return U64(canonical(1.0F / asFloat(a))); });
        check1("abs.f32 d, a;", 32, 32, v, [](U64 a) { return a & 0x7FFFFFFF; });
        check1("cvt.rzi.s32.f32 d, a;", 32, 32, v, [](U64 a) {
            const double x = static_cast<double>(asFloat(a));
            return std::isnan(x) ? 0
                                 : static_cast<U64>(static_cast<std::int64_t>(
                                       std::clamp(std::trunc(x), -2147483648.0, 2147483647.0)));
        });
        check1("cvt.rni.u32.f32 d, a;", 32, 32, v, [](U64 a) {
            const double x = static_cast<double>(asFloat(a));
            return std::isnan(x)
                       ? 0
                       : static_cast<U64>(std::clamp(std::nearbyint(x), 0.0, 4294967295.0));
        });
        check1("cvt.f64.f32 d, a;", 64, 32, v, [](U64 a) {
            return std::isnan(asFloat(a)) ? 0x7FF8000000000000ULL
                                          : bits(static_cast<double>(asFloat(a)));
        });
        check1("cvt.rn.f32.s32 d, a;", 32, 32, words,
               [](U64 a) { return bits(static_cast<float>(static_cast<std::int32_t>(a))); });
        check1("cvt.rn.f32.u64 d, a;", 32, 64, longs,
               [](U64 a) { return bits(static_cast<float>(a)); });
    }

    void approximationsStayWithinTheManualsBounds()
    {
        std::vector<U64> v;
        for (int i = 1; i < 500; ++i) {
            v.push_back(bits(static_cast<float>(i) * 0.037F));
        }
        const auto close = [&](const std::string& instruction, double bound,
                               double (*oracle)(double)) {
            std::string error;
            const auto got = apply(instruction, 32, {32}, {v}, &error);
            QVERIFY2(got.size() == v.size(), error.c_str());
            for (std::size_t i = 0; i < v.size(); ++i) {
                const double want = oracle(static_cast<double>(asFloat(v[i])));
                const double have = static_cast<double>(asFloat(got[i]));
                QVERIFY2(std::fabs(have - want) <= bound * std::max(1.0, std::fabs(want)),
                         instruction.c_str());
            }
        };
        close("ex2.approx.f32 d, a;", 0x1p-22, [](double x) { return std::exp2(x); });
        close("lg2.approx.f32 d, a;", 0x1p-22, [](double x) { return std::log2(x); });
        close("sin.approx.f32 d, a;", 0x1p-20, [](double x) { return std::sin(x); });
        close("cos.approx.f32 d, a;", 0x1p-20, [](double x) { return std::cos(x); });
        close("rsqrt.approx.f32 d, a;", 0x1p-22, [](double x) { return 1.0 / std::sqrt(x); });
        close("tanh.approx.f32 d, a;", 0x1p-10, [](double x) { return std::tanh(x); });
    }

    void halfPrecision()
    {
        // Every half there and back, and singles around every tie.
        for (U32 start = 0; start < 0x10000; start += 1024) {
            std::vector<U64> h;
            for (U32 i = 0; i < 1024; ++i) {
                h.push_back(start + i);
            }
            check1("{.reg .f32 f; cvt.f32.f16 f, a; cvt.rn.f16.f32 d, f;}", 16, 16, h,
                   [](U64 a) { return (a & 0x7FFF) > 0x7C00 ? 0x7FFFULL : a; });
        }
        const std::vector<std::pair<float, U64>> ties{
            {1.0F + 0x1p-11F, 0x3C00}, {1.0F + 3 * 0x1p-11F, 0x3C02},
            {65504.0F, 0x7BFF},        {65519.9F, 0x7BFF},
            {65520.0F, 0x7C00},        {0x1p-25F, 0},
            {0x1.8p-25F, 1},           {-0x1p-24F, 0x8001},
            {0x1.ffcp-15F, 0x03FF + 1}};
        for (const auto& [value, want] : ties) {
            check1("cvt.rn.f16.f32 d, a;", 16, 32, {bits(value)},
                   [want = want](U64) { return want; });
        }
        check1("cvt.rn.bf16.f32 d, a;", 16, 32, {bits(1.999F), 0x3F808000, 0x3F818000, 0x7F7FFFFF},
               [](U64 a) { return (a + 0x7FFF + ((a >> 16) & 1)) >> 16; });
        check1("cvt.rna.tf32.f32 d, a;", 32, 32, {0x3F801000, 0x3F800FFF, 0xBF801000},
               [](U64 a) { return (a + 0x1000) & 0xFFFFE000; });
        check2("add.f16x2 d, a, b;", 32, {32, 32}, {0x3C003C00, 0x40003800, 0xBC00C000},
               [](U64 a, U64 b) {
                   // Small exact values: compare through a table of halves used here.
                   const auto value = [](U64 h) {
                       const double m = static_cast<double>((h & 0x3FF) | 0x400);
                       const double x = std::ldexp(m, static_cast<int>((h >> 10) & 31) - 25);
                       return h & 0x8000 ? -x : x;
                   };
                   const auto half = [](double x) {
                       if (x == 0) {
                           return U64(0);
                       }
                       int e = 0;
                       const double m = std::frexp(std::fabs(x), &e);
                       return U64(x < 0 ? 0x8000 : 0) | static_cast<U64>(e + 14) << 10 |
                              (static_cast<U64>(m * 2048) & 0x3FF);
                   };
                   return half(value(a & 0xFFFF) + value(b & 0xFFFF)) |
                          half(value(a >> 16) + value(b >> 16)) << 16;
               });
        // Largest finite e4m3 is 448; beyond it saturates. e5m2 has infinities but satfinite keeps
        // 57344.
        check1("cvt.rn.satfinite.e4m3x2.f32 d, a, a;", 16, 32,
               {bits(448.0F), bits(1000.0F), bits(1.0F), bits(-0.0F)}, [](U64 a) {
                   const float x = asFloat(a);
                   const U64 one = x >= 448 ? 0x7E : x == 1 ? 0x38 : 0x80;
                   return one << 8 | one;
               });
    }

    void doublePrecision()
    {
        std::vector<U64> v;
        for (double x : {0.0, -0.0, 1.0, -1.5, 0.1, 1e308, -1e308, 5e-324, 1e-310, 3.0}) {
            v.push_back(bits(x));
        }
        v.push_back(bits(std::numeric_limits<double>::infinity()));
        const auto d = [](U64 x) { return std::bit_cast<double>(x); };
        const auto c = [](double x) { return std::isnan(x) ? 0x7FF8000000000000ULL : bits(x); };
        check2("add.f64 d, a, b;", 64, {64, 64}, v, [&](U64 a, U64 b) { return c(d(a) + d(b)); });
        check2("mul.rn.f64 d, a, b;", 64, {64, 64}, v,
               [&](U64 a, U64 b) { return c(d(a) * d(b)); });
        check2("div.rn.f64 d, a, b;", 64, {64, 64}, v,
               [&](U64 a, U64 b) { return c(d(a) / d(b)); });
        check2("fma.rn.f64 d, a, b, 0d3FF0000000000001;", 64, {64, 64}, v,
               [&](U64 a, U64 b) { return c(std::fma(d(a), d(b), d(0x3FF0000000000001))); });
        check1("cvt.rn.f32.f64 d, a;", 32, 64, v,
               [&](U64 a) { return bits(static_cast<float>(d(a))); });
        check1("sqrt.rn.f64 d, a;", 64, 64, v, [&](U64 a) { return c(std::sqrt(d(a))); });
    }

    void carryChain()
    {
        check2("{.reg .u32 al, ah, bl, bh; mov.b64 {al, ah}, a; mov.b64 {bl, bh}, b; add.cc.u32 "
               "al, al, bl; addc.u32 ah, ah, bh; mov.b64 d, {al, ah};}",
               64, {64, 64}, longs, [](U64 a, U64 b) { return a + b; });
        check2("{.reg .u32 al, ah, bl, bh; mov.b64 {al, ah}, a; mov.b64 {bl, bh}, b; sub.cc.u32 "
               "al, al, bl; subc.u32 ah, ah, bh; mov.b64 d, {al, ah};}",
               64, {64, 64}, longs, [](U64 a, U64 b) { return a - b; });
    }
};

QTEST_APPLESS_MAIN(TestVmArithmetic)
#include "tst_vm_arithmetic.moc"
