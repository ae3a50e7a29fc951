// SPDX-License-Identifier: GPL-3.0-or-later
// Bad PTX is refused with a place and a reason; hand-written syntax parses; arbitrary bytes do no
// harm.
#include "tests/emulator/vm_harness.h"

#include <random>

using namespace ridgeline::emu;
using namespace ridgeline::emu::test;

class TestVmParser : public QObject {
    Q_OBJECT
private:
    static LoadError refusal(const std::string& text)
    {
        Memory memory(1U << 26);
        const LoadResult r = loadModule({text}, memory, false);
        return r.module ? LoadError{} : r.error;
    }

private Q_SLOTS:
    void refusesWhatIsNotPtx()
    {
        QVERIFY(!refusal("").message.empty());
        QVERIFY(!refusal("\x7f"
                         "ELF")
                     .message.empty());
        QVERIFY(!refusal(header() + ".visible .entry k(.param .u64 p) { bra nowhere; }")
                     .message.empty());
        QVERIFY(!refusal(header() + ".visible .entry k() {").message.empty());
        QVERIFY(!refusal(header() + ".global .b8 x[99999999999999];").message.empty());
        QVERIFY(!refusal(header() + ".global .u32 x[2] = {1, 2, 3};").message.empty());
        QVERIFY(!refusal(header() + ".global .u64 x = nosuch;").message.empty());
    }

    void unknownOpcodeIsNamedWithLineAndKernel()
    {
        const LoadError e = refusal(
            header() +
            ".visible .entry bad()\n{\n.reg .b32 r;\nwgmma.mma_async.sync.aligned r;\nret;\n}\n");
        QCOMPARE(e.opcode, std::string("wgmma.mma_async.sync.aligned"));
        QCOMPARE(e.line, 7);
        QCOMPARE(e.kernel, std::string("bad"));
        const LoadError m =
            refusal(header() +
                    ".visible .entry bad()\n{\n.reg .b32 r;\nadd.strange.u32 r, r, r;\nret;\n}\n");
        QVERIFY(m.message.find("strange") != std::string::npos);
        const LoadError w = refusal(
            header() + ".visible .entry bad()\n{\n.reg .b64 r;\nadd.u32 r, r, r;\nret;\n}\n");
        QVERIFY(w.message.find("64 bits") != std::string::npos);
    }

    void oneBadKernelDoesNotStopTheOthers()
    {
        Device device;
        const std::string text =
            header() + ".visible .entry bad()\n{\n.reg .b32 r;\nfancy.op r;\nret;\n}\n" +
            kernel("good", 1, ".reg .b32 %r1;", "mov.u32 %r1, 7;\nst.global.u32 [%q0], %r1;");
        LoadResult r = loadModule({text}, device.memory, true);
        QVERIFY(r.module != nullptr);
        device.module = r.module;
        auto* out = device.array<std::uint64_t>(32);
        QCOMPARE(int(device.run("good", {1}, {1}, Params().add(out)).status),
                 int(LaunchStatus::Ok));
        QCOMPARE(std::uint32_t(out[0]), 7U);
        const LaunchResult bad = device.run("bad", {1}, {1}, Params());
        QCOMPARE(int(bad.status), int(LaunchStatus::NotImplemented));
        QVERIFY(bad.message.find("fancy.op") != std::string::npos);
    }

    void handWrittenSyntax()
    {
        Device device;
        QVERIFY(device.load(
            header() + ".file 1 \"a.cu\"\n.section .debug_str { .b8 1, 2, 3 }\n" +
            kernel(
                "k", 1, ".reg .b32 %r<4>, sum; .reg .pred %p<2>;",
                "{ .reg .pred P; .reg .b32 x; .loc 1 3 4\n mov.b32 x, 0; setp.eq.u32 P, %t, 0;\n"
                "AGAIN: add.s32 x, x, 1; setp.lt.s32 P, x, 5; @P bra AGAIN; bra.uni DONE; DONE: "
                "mov.b32 sum, x; }\n"
                "{ .reg .pred P; .reg .b32 x; .loc 1 9 1, function_name $L__info0+7, inlined_at 1 "
                "2 3\n mov.b32 x, 0;\n"
                "AGAIN: add.s32 x, x, 2; setp.lt.s32 P, x, 7; @P bra AGAIN; bra.uni DONE; DONE: "
                "add.s32 sum, sum, x; }\n"
                "/* comment */ .pragma \"nounroll\"; @!%p1 st.global.u32 [%q0+0], sum; // end")));
        auto* out = device.array<std::uint64_t>(32);
        QCOMPARE(int(device.run("k", {1}, {32}, Params().add(out)).status), int(LaunchStatus::Ok));
        QCOMPARE(std::uint32_t(out[31]), 13U);
    }

    void linksTwoModules()
    {
        Device device;
        const std::string a = header() + ".visible .global .u32 shared_value = 5;\n.visible .func "
                                         "(.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 "
                                         "%r<3>;\nld.param.b32 %r1, [x];\nadd.u32 %r2, %r1, "
                                         "%r1;\nst.param.b32 [r], %r2;\nret;\n}\n";
        const std::string b =
            header() +
            ".extern .global .u32 shared_value;\n.extern .func (.param .b32 r) twice(.param .b32 "
            "x);\n" +
            kernel("k", 1, ".reg .b32 %r<4>;\n.reg .b64 %a;",
                   "mov.u64 %a, shared_value; ld.global.u32 %r1, [%a];\n{ .param .b32 i; "
                   "st.param.b32 [i], %r1; .param .b32 o; "
                   "call.uni (o), twice, (i); ld.param.b32 %r2, [o]; }\nst.global.u32 [%q0], %r2;");
        LoadResult r = loadModule({b, a}, device.memory, false);
        QVERIFY2(r.module != nullptr, r.error.message.c_str());
        device.module = r.module;
        auto* out = device.array<std::uint64_t>(32);
        QCOMPARE(int(device.run("k", {1}, {3}, Params().add(out)).status), int(LaunchStatus::Ok));
        QCOMPARE(std::uint32_t(out[2]), 10U);
    }

    void mutatedTextDoesNoHarm()
    {
        const std::string text =
            header() + ".global .align 4 .u32 table[4] = {1, 2, 3, 4};\n" +
            kernel("k", 2, ".reg .b32 %r<9>; .reg .pred %p<3>; .shared .align 8 .b8 s[64];",
                   "ld.global.v2.u32 {%r1, %r2}, [%q0];\nsetp.lt.and.s32 %p1|%p2, %r1, %r2, "
                   "!%p0;\n@%p1 bra L1;\nadd.s32 "
                   "%r3, %r1, 0x10;\nL1: st.shared.u32 [s+4], %r3;\nbar.sync "
                   "0;\nshfl.sync.bfly.b32 %r4|%p2, %r3, 16, 31, "
                   "-1;\natom.global.add.u32 %r5, [%q1], %r4;");
        std::mt19937 random(7);
        int loaded = 0;
        for (int i = 0; i < 3000; ++i) {
            std::string mutant = text;
            const int edits = 1 + static_cast<int>(random() % 4);
            for (int k = 0; k < edits; ++k) {
                const std::size_t at = random() % mutant.size();
                switch (random() % 4) {
                case 0:
                    mutant[at] = static_cast<char>(random());
                    break;
                case 1:
                    mutant.erase(at, random() % 9);
                    break;
                case 2:
                    mutant.insert(at, mutant.substr(random() % mutant.size(), random() % 20));
                    break;
                default:
                    mutant.insert(at, 1, "{}[]();,.<>@!|\"0%"[random() % 16]);
                    break;
                }
            }
            Memory memory(1U << 24);
            const LoadResult r = loadModule({mutant}, memory, false);
            loaded += r.module != nullptr;
            QVERIFY(r.module != nullptr || !r.error.message.empty());
        }
        QVERIFY(loaded < 3000);
        for (int i = 0; i < 300; ++i) {
            std::string noise = header();
            for (unsigned k = random() % 400; k > 0; --k) {
                noise += static_cast<char>(random());
            }
            Memory memory(1U << 24);
            (void)loadModule({noise}, memory, false);
        }
    }
};

QTEST_APPLESS_MAIN(TestVmParser)
#include "tst_vm_parser.moc"
