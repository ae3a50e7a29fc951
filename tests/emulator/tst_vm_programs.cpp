// SPDX-License-Identifier: GPL-3.0-or-later
// Faults, divergence, barriers, calls, counters and checkers on small kernels.
#include "tests/emulator/vm_harness.h"

using namespace ridgeline::emu;
using namespace ridgeline::emu::test;

class TestVmPrograms : public QObject {
    Q_OBJECT
private:
    static int count(const LaunchResult& r, const char* checker, const char* kind)
    {
        int n = 0;
        for (const CheckReport& report : r.reports) {
            n += report.checker == checker && report.kind == kind;
        }
        return n;
    }

private Q_SLOTS:
    void wildAccessIsAnErrorNotACrash()
    {
        Device d;
        QVERIFY(d.load(header() + kernel("k", 1, "", "st.global.u32 [%q0+4096], %t;") +
                       kernel("null", 0, ".reg .u64 %z; .reg .u32 %r;",
                              "mov.u64 %z, 0; ld.global.u32 %r, [%z];") +
                       kernel("odd", 1, "", "st.global.u32 [%q0+2], %t;") +
                       kernel("shared", 0, ".shared .b8 s[64];", "st.shared.u32 [s+64], %t;")));
        d.options.checkMemory = true;
        auto* p = d.array<std::uint64_t>(32);
        LaunchResult r = d.run("k", {1}, {32}, Params().add(p));
        QCOMPARE(int(r.status), int(LaunchStatus::IllegalAddress));
        QVERIFY(r.message.find("Invalid __global__ write of size 4 bytes") != std::string::npos);
        QVERIFY(r.message.find("bytes after the nearest allocation") != std::string::npos);
        QCOMPARE(count(r, "memory", "out of bounds"), 1);
        QCOMPARE(int(d.run("null", {1}, {1}, Params()).status), int(LaunchStatus::IllegalAddress));
        QCOMPARE(int(d.run("odd", {1}, {1}, Params().add(p)).status),
                 int(LaunchStatus::MisalignedAddress));
        QCOMPARE(int(d.run("shared", {1}, {1}, Params()).status),
                 int(LaunchStatus::IllegalAddress));
        d.memory.release(p);
        r = d.run("odd", {1}, {1}, Params().add(reinterpret_cast<char*>(p) + 2));
        QCOMPARE(int(r.status), int(LaunchStatus::IllegalAddress));
        QCOMPARE(count(r, "memory", "use after free"), 1);
    }

    void trapAndDeadlock()
    {
        Device d;
        QVERIFY(d.load(header() +
                       kernel("t", 0, ".reg .pred p;", "setp.eq.u32 p, %t, 3; @p trap;") +
                       kernel("dead", 0, ".reg .pred p;",
                              "setp.lt.u32 p, %t, 32; @p bar.sync 1, 64; bar.sync 2, 96;")));
        const LaunchResult r = d.run("t", {1}, {32}, Params());
        QCOMPARE(int(r.status), int(LaunchStatus::Trap));
        QVERIFY(r.message.find("thread (3,0,0)") != std::string::npos);
        QCOMPARE(int(d.run("dead", {1}, {64}, Params()).status), int(LaunchStatus::Deadlock));
    }

    void spinLockBetweenLanesEnds()
    {
        Device d;
        QVERIFY(d.load(header() + kernel("k", 2, ".reg .u32 %r<4>; .reg .pred p;",
                                         "AGAIN: atom.global.cas.b32 %r1, [%rd0], 0, 1; "
                                         "setp.ne.u32 p, %r1, 0; @p bra AGAIN;\n"
                                         "ld.volatile.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; "
                                         "st.volatile.global.u32 [%rd1], %r2;\n"
                                         "membar.gl; atom.global.exch.b32 %r3, [%rd0], 0;")));
        auto* lock = d.array<std::uint32_t>(1, {0});
        auto* counter = d.array<std::uint32_t>(1, {0});
        QCOMPARE(int(d.run("k", {4}, {64}, Params().add(lock).add(counter)).status),
                 int(LaunchStatus::Ok));
        QCOMPARE(*counter, 256U);
    }

    void divergenceShufflesAndVotes()
    {
        Device d;
        QVERIFY(d.load(
            header() +
            kernel("k", 1, ".reg .u32 %r<9>; .reg .pred p, q;",
                   "mov.u32 %r1, 0; mov.u32 %r2, %t;\nLOOP: setp.eq.u32 p, %r2, 0; @p bra OUT; "
                   "add.u32 %r1, %r1, %r2; sub.u32 %r2, %r2, 1; bra LOOP;\n"
                   "OUT: shfl.sync.bfly.b32 %r3|q, %r1, 1, 31, -1; vote.sync.ballot.b32 %r4, q, "
                   "-1; activemask.b32 %r5;\n"
                   "add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; st.global.u32 [%q0], %r3;")));
        auto* out = d.array<std::uint64_t>(32);
        QCOMPARE(int(d.run("k", {1}, {32}, Params().add(out)).status), int(LaunchStatus::Ok));
        for (std::uint32_t i = 0; i < 32; ++i) {
            const std::uint32_t j = i ^ 1U;
            QCOMPARE(std::uint32_t(out[i]), j * (j + 1) / 2 - 2);
        }
    }

    void recursionUsesItsOwnRegistersAndStack()
    {
        Device d;
        const std::string fib =
            ".func (.param .b32 r) fib(.param .b32 n)\n{ .reg .u32 %r<8>; .reg .pred p; "
            "ld.param.u32 %r1, [n]; mov.u32 %r5, %r1; setp.lt.u32 p, %r1, 2; @p bra END;\n"
            "{ .param .b32 a; .param .b32 b; sub.u32 %r2, %r1, 1; st.param.b32 [a], %r2; call (b), "
            "fib, (a); ld.param.b32 %r3, [b]; }\n"
            "{ .param .b32 a; .param .b32 b; sub.u32 %r2, %r1, 2; st.param.b32 [a], %r2; call (b), "
            "fib, (a); ld.param.b32 %r4, [b]; }\n"
            "add.u32 %r5, %r3, %r4; END: st.param.b32 [r], %r5; ret; }\n";
        QVERIFY(d.load(header() + fib +
                       kernel("k", 1, ".reg .u32 %r<3>;",
                              "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %t; call (b), "
                              "fib, (a); ld.param.b32 %r1, [b]; } st.global.u32 [%q0], %r1;")));
        auto* out = d.array<std::uint64_t>(16);
        QCOMPARE(int(d.run("k", {1}, {16}, Params().add(out)).status), int(LaunchStatus::Ok));
        std::uint32_t a = 0, b = 1;
        for (int i = 0; i < 16; ++i) {
            QCOMPARE(std::uint32_t(out[i]), a);
            const std::uint32_t next = a + b;
            a = b;
            b = next;
        }
    }

    void matrixProduct()
    {
        // m16n8k16: A[i][k] = i + k, B[k][j] = k - j, through the documented fragment layout.
        Device d;
        QVERIFY(d.load(
            header() +
            kernel("k", 2,
                   ".reg .b32 %a<4>, %b<2>; .reg .f32 %d<4>, z; .reg .u64 %x; .reg .u32 %m;",
                   "mul.wide.u32 %x, %t, 32; add.u64 %rd0, %rd0, %x; ld.global.v4.b32 {%a0, %a1, "
                   "%a2, %a3}, [%rd0]; ld.global.v2.b32 {%b0, %b1}, [%rd0+16];\n"
                   "mov.f32 z, 0f00000000;\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                   "{%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {z, z, z, z};\n"
                   "mul.wide.u32 %x, %t, 16; add.u64 %rd1, %rd1, %x; st.global.v4.f32 [%rd1], "
                   "{%d0, %d1, %d2, %d3};")));
        const auto half = [](int v) -> std::uint32_t {
            if (v == 0) {
                return 0;
            }
            const std::uint32_t m = static_cast<std::uint32_t>(v < 0 ? -v : v);
            const int e = 31 - std::countl_zero(m);
            return (v < 0 ? 0x8000U : 0U) | static_cast<std::uint32_t>(e + 15) << 10 |
                   ((m << (10 - e)) & 0x3FFU);
        };
        std::vector<std::uint32_t> in(32 * 8);
        for (int lane = 0; lane < 32; ++lane) {
            const int g = lane / 4, t = lane % 4;
            for (int r = 0; r < 4; ++r) {
                const int row = g + 8 * (r & 1), k = 2 * t + 8 * (r >> 1);
                in[static_cast<std::size_t>(lane * 8 + r)] = half(row + k) | half(row + k + 1)
                                                                                 << 16;
            }
            for (int r = 0; r < 2; ++r) {
                const int k = 2 * t + 8 * r;
                in[static_cast<std::size_t>(lane * 8 + 4 + r)] = half(k - g) | half(k + 1 - g)
                                                                                   << 16;
            }
        }
        auto* source = d.array<std::uint32_t>(in.size(), in);
        auto* out = d.array<float>(128);
        const LaunchResult result = d.run("k", {1}, {32}, Params().add(source).add(out));
        QCOMPARE(int(result.status), int(LaunchStatus::Ok));
        QCOMPARE(result.counters.flopsTensor, std::uint64_t(2 * 16 * 8 * 16));
        for (int lane = 0; lane < 32; ++lane) {
            for (int e = 0; e < 4; ++e) {
                const int row = lane / 4 + 8 * (e / 2), column = 2 * (lane % 4) + e % 2;
                int sum = 0;
                for (int k = 0; k < 16; ++k) {
                    sum += (row + k) * (k - column);
                }
                QCOMPARE(out[lane * 4 + e], static_cast<float>(sum));
            }
        }
    }

    void asyncCopiesFillWithZerosAndLdmatrixTransposes()
    {
        Device d;
        QVERIFY(d.load(
            header() +
            kernel("k", 2,
                   ".reg .u32 %a, %n, %r<8>; .reg .u64 %x; .reg .pred z; .shared .align 16 .b8 "
                   "s[512];",
                   "mov.u32 %a, s; shl.b32 %n, %t, 4; add.u32 %a, %a, %n; mul.wide.u32 %x, %t, 16; "
                   "add.u64 %rd0, %rd0, %x;\n"
                   "setp.eq.u32 z, %t, 31; selp.u32 %n, 4, 16, z;\ncp.async.ca.shared.global [%a], "
                   "[%rd0], 16, %n; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;\n"
                   "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, "
                   "[%a];\nldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%r4, %r5, %r6, %r7}, "
                   "[%a];\n"
                   "mul.wide.u32 %x, %t, 32; add.u64 %rd1, %rd1, %x; st.global.v4.u32 [%rd1], "
                   "{%r0, %r1, %r2, %r3}; st.global.v4.u32 [%rd1+16], {%r4, %r5, %r6, %r7};")));
        std::vector<std::uint16_t> in(256);
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = static_cast<std::uint16_t>(i + 1);
        }
        auto* source = d.array<std::uint16_t>(256, in);
        auto* out = d.array<std::uint32_t>(256);
        QCOMPARE(int(d.run("k", {1}, {32}, Params().add(source).add(out)).status),
                 int(LaunchStatus::Ok));
        std::fill(in.begin() + 250, in.end(), std::uint16_t(0)); // the last row had 4 bytes to read
        for (std::size_t lane = 0; lane < 32; ++lane) {
            for (std::size_t m = 0; m < 4; ++m) {
                const auto at = [&](std::size_t row, std::size_t column) {
                    return std::uint32_t(in[m * 64 + row * 8 + column]);
                };
                QCOMPARE(out[lane * 8 + m],
                         at(lane / 4, lane % 4 * 2) | at(lane / 4, lane % 4 * 2 + 1) << 16);
                QCOMPARE(out[lane * 8 + 4 + m],
                         at(lane % 4 * 2, lane / 4) | at(lane % 4 * 2 + 1, lane / 4) << 16);
            }
        }
    }

    void wmmaMultipliesWhateverTheLayout()
    {
        // Identity times a matrix in column order, stored in row order, is the transposed text of
        // it.
        Device d;
        QVERIFY(d.load(
            header() +
            kernel("k", 3, ".reg .b32 %a<8>, %b<8>; .reg .f32 %c<8>, %z;",
                   "mov.f32 %z, 0f3F800000;\nwmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                   "{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%rd0], 16;\n"
                   "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%b0, %b1, %b2, %b3, %b4, "
                   "%b5, %b6, %b7}, [%rd1], 16;\n"
                   "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%c0, %c1, %c2, %c3, %c4, %c5, "
                   "%c6, %c7}, {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, "
                   "{%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, {%z, %z, %z, %z, %z, %z, %z, %z};\n"
                   "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], {%c0, %c1, %c2, "
                   "%c3, %c4, %c5, %c6, %c7}, 16;")));
        std::vector<std::uint16_t> identity(256, 0), matrix(256);
        for (std::size_t i = 0; i < 256; ++i) {
            identity[i] = i % 17 == 0 ? 0x3C00 : 0;
            matrix[i] = static_cast<std::uint16_t>(0x6400 + i); // 1024 + i
        }
        auto* a = d.array<std::uint16_t>(256, identity);
        auto* b = d.array<std::uint16_t>(256, matrix);
        auto* c = d.array<float>(256);
        QCOMPARE(int(d.run("k", {1}, {32}, Params().add(a).add(b).add(c)).status),
                 int(LaunchStatus::Ok));
        for (int row = 0; row < 16; ++row) {
            for (int column = 0; column < 16; ++column) {
                QCOMPARE(c[row * 16 + column], static_cast<float>(1025 + column * 16 + row));
            }
        }
    }

    void countersAreExact()
    {
        Device d;
        // A copy of 4-byte elements, one with a stride of 2, and a column access of a shared 32x32
        // tile with and without padding.
        const std::string addresses = ".reg .u64 %x; .reg .u32 %r<4>; .reg .f32 %f<3>;";
        QVERIFY(d.load(header() +
                       kernel("copy", 2, addresses,
                              "mul.wide.u32 %x, %t, 4; add.u64 %rd0, %rd0, %x; add.u64 %rd1, %rd1, "
                              "%x; ld.global.f32 %f1, [%rd0]; st.global.f32 [%rd1], %f1;") +
                       kernel("strided", 2, addresses,
                              "mul.wide.u32 %x, %t, 8; add.u64 %rd0, %rd0, %x; ld.global.f32 %f1, "
                              "[%rd0]; st.global.f32 [%q1], %f1;") +
                       kernel("column", 0, addresses + ".shared .align 4 .b8 s[4096];",
                              "mul.lo.u32 %r1, %t, 128; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; "
                              "ld.shared.f32 %f1, [%r1];") +
                       kernel("padded", 0, addresses + ".shared .align 4 .b8 s[4224];",
                              "mul.lo.u32 %r1, %t, 132; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; "
                              "ld.shared.f32 %f1, [%r1]; fma.rn.f32 %f2, %f1, %f1, %f1;")));
        auto* a = d.array<float>(512);
        auto* b = d.array<float>(512);
        Counters c = d.run("copy", {1}, {256}, Params().add(a).add(b)).counters;
        QCOMPARE(c.globalLoadBytes, std::uint64_t(1024));
        QCOMPARE(c.globalLoadRequests, std::uint64_t(8));
        QCOMPARE(c.globalLoadSectors, std::uint64_t(32));
        QCOMPARE(c.globalStoreSectors, std::uint64_t(32));
        QCOMPARE(c.uniqueLoadBytes, std::uint64_t(1024));
        QCOMPARE(c.warpInstructions, std::uint64_t(8 * 12));
        QCOMPARE(c.threadInstructions, std::uint64_t(256 * 12));
        c = d.run("strided", {1}, {32}, Params().add(a).add(b)).counters;
        QCOMPARE(c.globalLoadSectors, std::uint64_t(8));
        QCOMPARE(c.globalStoreSectors, std::uint64_t(8));
        c = d.run("column", {1}, {32}, Params()).counters;
        QCOMPARE(c.sharedLoadWavefronts, std::uint64_t(32));
        c = d.run("padded", {1}, {32}, Params()).counters;
        QCOMPARE(c.sharedLoadWavefronts, std::uint64_t(1));
        QCOMPARE(c.flopsFp32, std::uint64_t(64));
    }

    void checkersFindPlantedFaultsOnly()
    {
        Device d;
        const std::string regs = ".reg .u32 %r<6>; .reg .pred p; .shared .align 4 .b8 s[512];";
        const std::string address = "mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2;";
        QVERIFY(d.load(
            header() +
            kernel("race", 1, regs,
                   address + "st.shared.u32 [%r3], %t; xor.b32 %r4, %r2, 256; add.u32 %r4, %r4, "
                             "%r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%q0], %r5;") +
            kernel("honest", 1, regs,
                   address + "st.shared.u32 [%r3], %t; bar.sync 0; xor.b32 %r4, %r2, 256; add.u32 "
                             "%r4, %r4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%q0], %r5;") +
            kernel("unset", 1, regs,
                   address + "ld.shared.u32 %r5, [%r3]; st.global.u32 [%q0], %r5;") +
            kernel("divergent", 0, regs,
                   "setp.lt.u32 p, %t, 7; @p bra A; bar.sync 0; bra B; A: bar.sync 0; B: ")));
        d.options.checkRace = d.options.checkInit = d.options.checkSync = true;
        d.memory.trackInitialisation();
        auto* out = d.array<std::uint64_t>(128);
        LaunchResult r = d.run("race", {1}, {128}, Params().add(out));
        QVERIFY(count(r, "race", "RAW") + count(r, "race", "WAR") > 0);
        for (const CheckReport& report : r.reports) {
            if (report.checker == "race") {
                QVERIFY(report.text.find("Race reported between") != std::string::npos);
                QVERIFY(report.other.ptxLine != 0);
            }
        }
        r = d.run("honest", {1}, {128}, Params().add(out));
        QVERIFY2(r.reports.empty(), r.reports.empty() ? "" : r.reports[0].text.c_str());
        for (int i = 0; i < 128; ++i) {
            QCOMPARE(std::uint32_t(out[i]), std::uint32_t(i ^ 64));
        }
        r = d.run("unset", {1}, {32}, Params().add(out));
        QCOMPARE(count(r, "init", "uninitialized read"), 1);
        r = d.run("divergent", {1}, {32}, Params());
        QVERIFY(count(r, "sync", "divergent barrier") > 0);
    }

    void anotherSeedGivesAnotherOrderAndTheSameSum()
    {
        Device d;
        QVERIFY(d.load(header() + kernel("k", 2, ".reg .u32 %r<4>;",
                                         "mov.u32 %r1, %ctaid.x; atom.global.add.u32 %r2, [%rd0], "
                                         "1; atom.global.exch.b32 %r3, [%rd1], %r1;")));
        d.options.threads = 1;
        std::vector<std::uint32_t> last;
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            d.options.seed = seed;
            auto* sum = d.array<std::uint32_t>(1, {0});
            auto* winner = d.array<std::uint32_t>(1, {0});
            QCOMPARE(int(d.run("k", {37}, {32}, Params().add(sum).add(winner)).status),
                     int(LaunchStatus::Ok));
            QCOMPARE(*sum, 37U * 32U);
            last.push_back(*winner);
        }
        QCOMPARE(last[0], 36U);
        QVERIFY(std::count(last.begin(), last.end(), 36U) < 6);
    }
};

QTEST_APPLESS_MAIN(TestVmPrograms)
#include "tst_vm_programs.moc"
