// SPDX-License-Identifier: GPL-3.0-or-later
// The driver API over a fake VM: initialisation and contexts, modules from PTX text, launches, and
// looking functions up by name.
#include "fake_vm.h"

#include <QTest>
#include <cstring>

using namespace ridgeline::emu;

extern "C" void* __cudaEmulatedDriverSymbol(const char* symbol);
extern "C" int cudaGetLastError();
extern "C" int cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long,
                                                int*);

namespace {

const char* const ptx = ".version 9.0\n.target sm_80\n.address_size 64\n"
                        ".global .align 4 .b8 table[64];\n"
                        ".visible .entry scale(.param .u64 p, .param .u32 n) { ret; }\n";

/// Calls a driver function by its symbol, as a program that dlopened libcuda does.
template <typename... Args>
int cu(const char* symbol, Args... args)
{
    void* address = __cudaEmulatedDriverSymbol(symbol);
    if (!address)
        qFatal("no symbol %s", symbol);
    return reinterpret_cast<int (*)(Args...)>(address)(args...);
}

class TestDriver : public QObject {
    Q_OBJECT

    void* m_context = nullptr;

private Q_SLOTS:
    void initTestCase() { qputenv("RIDGELINE_EMU_MODEL", "h100-sxm"); }

    void nothingBeforeInit()
    {
        int count = 0;
        QCOMPARE(cu("cuDeviceGetCount", &count), 3);
        QCOMPARE(cu("cuInit", 1u), 1);
        QCOMPARE(cu("cuInit", 0u), 0);
        QCOMPARE(cu("cuDeviceGetCount", &count), 0);
        QCOMPARE(count, 1);
    }

    void nothingWithoutContext()
    {
        void* pointer = nullptr;
        QCOMPARE(cu("cuMemAlloc_v2", &pointer, std::size_t(64)), 201);
        void* current = this;
        QCOMPARE(cu("cuCtxGetCurrent", &current), 0);
        QVERIFY(!current);
        QCOMPARE(cu("cuDevicePrimaryCtxRetain", &m_context, 1), 101);
        QCOMPARE(cu("cuDevicePrimaryCtxRetain", &m_context, 0), 0);
        QCOMPARE(cu("cuCtxSetCurrent", static_cast<void*>(this)), 201);
        QCOMPARE(cu("cuCtxSetCurrent", m_context), 0);
        QCOMPARE(cu("cuMemAlloc_v2", &pointer, std::size_t(0)), 1);
        QCOMPARE(cu("cuMemAlloc_v2", &pointer, std::size_t(64)), 0);
        QCOMPARE(cu("cuMemFree_v2", pointer), 0);
        QCOMPARE(cu("cuMemFree_v2", pointer), 1);
    }

    void errorsDoNotLeakIntoTheRuntime()
    {
        QCOMPARE(cu("cuMemFree_v2", static_cast<void*>(this)), 1);
        QCOMPARE(cudaGetLastError(), 0);
    }

    void namesOfErrors()
    {
        const char* text = nullptr;
        QCOMPARE(cu("cuGetErrorName", 700, &text), 0);
        QCOMPARE(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
        QCOMPARE(cu("cuGetErrorName", 209, &text), 0);
        QCOMPARE(text, "CUDA_ERROR_NO_BINARY_FOR_GPU");
        QCOMPARE(cu("cuGetErrorString", 2, &text), 0);
        QCOMPARE(text, "out of memory");
        QCOMPARE(cu("cuGetErrorName", 98, &text), 1); // the runtime's own
        QVERIFY(!text);
    }

    void modulesFromBadImages()
    {
        void* module = nullptr;
        char log[64] = "";
        int options[] = {5, 6};
        void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
        QCOMPARE(cu("cuModuleLoadDataEx", &module, "neither PTX nor anything else", 2u, +options,
                    +values),
                 200);
        QVERIFY(std::strlen(log) > 10);
        QCOMPARE(cu("cuModuleLoadData", &module, "\177ELF\2\1\1"), 209);
        QCOMPARE(cu("cuModuleLoad", &module, "/nonexistent/file.ptx"), 301);
        QCOMPARE(cu("cuModuleUnload", static_cast<void*>(this)), 400);
    }

    void logsAreEmptyWhenAllIsWell()
    {
        void* module = nullptr;
        char info[8] = "garbage", error[8] = "garbage";
        int options[] = {3, 4, 5, 6};
        void* values[] = {info, reinterpret_cast<void*>(sizeof info), error,
                          reinterpret_cast<void*>(sizeof error)};
        QCOMPARE(cu("cuModuleLoadDataEx", &module, ptx, 4u, +options, +values), 0);
        QCOMPARE(info, "");
        QCOMPARE(error, "");
        QCOMPARE(cu("cuModuleUnload", module), 0);
    }

    void launchesFromPtxText()
    {
        void *module = nullptr, *function = nullptr, *global = nullptr;
        std::size_t bytes = 0;
        {
            const std::string gone = ptx; // the text may be freed after the call
            QCOMPARE(cu("cuModuleLoadData", &module, gone.c_str()), 0);
        }
        QCOMPARE(cu("cuModuleGetFunction", &function, module, "absent"), 500);
        QCOMPARE(cu("cuModuleGetFunction", &function, module, "scale"), 0);
        QCOMPARE(cu("cuModuleGetGlobal_v2", &global, &bytes, module, "absent"), 500);
        QCOMPARE(cu("cuModuleGetGlobal_v2", &global, &bytes, module, "table"), 0);
        QCOMPARE(bytes, std::size_t(64));

        std::uint64_t seenPointer = 0;
        std::uint32_t seenCount = 0;
        fake::onLaunch(
            [&](const KernelInfo&, Memory&, const LaunchConfig& config, const ExecOptions&) {
                std::memcpy(&seenPointer, config.params, 8);
                std::memcpy(&seenCount, static_cast<const char*>(config.params) + 8, 4);
                return LaunchResult{};
            });
        const auto pointer = reinterpret_cast<std::uint64_t>(global);
        std::uint64_t first = pointer;
        std::uint32_t second = 7;
        void* params[] = {&first, &second};
        const auto launch = [&](unsigned threads, void** args, void** extra) {
            return cu("cuLaunchKernel", function, 1u, 1u, 1u, threads, 1u, 1u, 0u,
                      static_cast<void*>(nullptr), args, extra);
        };
        QCOMPARE(launch(2048, params, nullptr), 1); // CUDA_ERROR_INVALID_VALUE, not the runtime's 9
        QCOMPARE(launch(32, params, nullptr), 0);
        QCOMPARE(seenPointer, pointer);
        QCOMPARE(seenCount, 7u);

        // The packed form.
        char packed[12];
        second = 9;
        std::memcpy(packed, &first, 8);
        std::memcpy(packed + 8, &second, 4);
        std::size_t size = sizeof packed;
        void* extra[] = {reinterpret_cast<void*>(1), packed, reinterpret_cast<void*>(2), &size,
                         nullptr};
        QCOMPARE(launch(32, nullptr, extra), 0);
        QCOMPARE(seenCount, 9u);
        size = 4; // too short for the parameters
        QCOMPARE(launch(32, nullptr, extra), 1);
        fake::onLaunch({});
        QCOMPARE(cu("cuModuleUnload", module), 0);
        QCOMPARE(launch(32, params, nullptr), 400); // the function went with it
    }

    void memorySetAndCopied()
    {
        void* device = nullptr;
        QCOMPARE(cu("cuMemAlloc_v2", &device, std::size_t(64)), 0);
        QCOMPARE(cu("cuMemsetD32_v2", device, 0x01020304u, std::size_t(17)), 1);
        QCOMPARE(cu("cuMemsetD32_v2", device, 0x01020304u, std::size_t(16)), 0);
        std::uint32_t back[16] = {};
        QCOMPARE(cu("cuMemcpyDtoH_v2", static_cast<void*>(back), device, std::size_t(64)), 0);
        QCOMPARE(back[15], 0x01020304u);
        void* base = nullptr;
        std::size_t bytes = 0;
        QCOMPARE(cu("cuMemGetAddressRange_v2", &base, &bytes,
                    static_cast<void*>(static_cast<char*>(device) + 9)),
                 0);
        QCOMPARE(base, device);
        QCOMPARE(bytes, std::size_t(64));
        unsigned type = 0;
        QCOMPARE(cu("cuPointerGetAttribute", static_cast<void*>(&type), 2, device), 0);
        QCOMPARE(type, 2u);
        QCOMPARE(
            cu("cuPointerGetAttribute", static_cast<void*>(&type), 2, static_cast<void*>(back)), 1);
        QCOMPARE(cu("cuMemFree_v2", device), 0);
    }

    void functionsByName()
    {
        void* address = nullptr;
        int status = -1;
        QCOMPARE(cu("cuGetProcAddress_v2", "cuMemAlloc", &address, 12000, 0ull, &status), 0);
        QCOMPARE(address, __cudaEmulatedDriverSymbol("cuMemAlloc_v2"));
        QCOMPARE(cu("cuGetProcAddress_v2", "cuMemAlloc", &address, 2000, 0ull, &status), 0);
        QCOMPARE(address, __cudaEmulatedDriverSymbol("cuMemAlloc"));
        QCOMPARE(cu("cuGetProcAddress_v2", "cuNoSuchThing", &address, 13000, 0ull, &status), 0);
        QCOMPARE(status, 1);
        QVERIFY(!address);
        QCOMPARE(cu("cuGetProcAddress_v2", "cuLaunchKernelEx", &address, 11000, 0ull, &status), 0);
        QCOMPARE(status, 2); // came later
        QCOMPARE(
            cudaGetDriverEntryPointByVersion("cuStreamSynchronize", &address, 13000, 2, &status),
            0);
        QCOMPARE(status, 0);
        QCOMPARE(address, __cudaEmulatedDriverSymbol("cuStreamSynchronize_ptsz"));
    }

    void missingFunctionsRefuse()
    {
        QCOMPARE(cu("cuMemAddressReserve", nullptr), 801);
        QVERIFY(!__cudaEmulatedDriverSymbol("cuNoSuchThing"));
    }

    void modelDecides()
    {
        int major = 0, minor = 0;
        QCOMPARE(cu("cuDeviceComputeCapability", &major, &minor, 0), 0);
        QCOMPARE(major * 10 + minor, 90);
        char name[12];
        QCOMPARE(cu("cuDeviceGetName", +name, int(sizeof name), 0), 0);
        QCOMPARE(std::strlen(name), sizeof name - 1); // cut off, terminated
    }
};

} // namespace

QTEST_GUILESS_MAIN(TestDriver)
#include "tst_driver.moc"
