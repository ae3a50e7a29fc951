// SPDX-License-Identifier: GPL-3.0-or-later
// The runtime API over a fake VM: error codes and states, launch checks, copies, streams, capture.
#include "fake_vm.h"
#include "fatbin_builder.h"
#include "runtime_abi.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <numeric>

using namespace ridgeline::emu;

namespace {

using VmConfig = ridgeline::emu::LaunchConfig;

const char* const ptx = ".version 9.0\n.target sm_80\n.address_size 64\n"
                        ".const .align 4 .b8 coef[16];\n"
                        ".visible .entry plain(.param .u64 p, .param .u32 n) { ret; }\n"
                        ".visible .entry bounded(.param .u64 p) .maxntid 128 { ret; }\n"
                        ".visible .entry empty() { ret; }\n";

// Host twins: only their addresses matter.
char plainStub, boundedStub, emptyStub, missingStub, unknownStub, coefTwin[16];

QByteArray contents(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

class TestRuntime : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::string m_image;
    fatbin_builder::Wrapper m_wrapper;
    void** m_handle = nullptr;

    int launchPlain(Dim3Abi grid, Dim3Abi block, std::size_t shared = 0, Stream* stream = nullptr)
    {
        void* pointer = this;
        int n = 5;
        void* args[] = {&pointer, &n};
        return cudaLaunchKernel(&plainStub, grid, block, args, shared, stream);
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        qputenv("RIDGELINE_EMU_COUNTERS", m_dir.filePath(QStringLiteral("counters")).toUtf8());
        qputenv("RIDGELINE_EMU_REPORT", m_dir.filePath(QStringLiteral("reports")).toUtf8());
        qputenv("RIDGELINE_EMU_MEMORY", "1048576");
        qputenv("RIDGELINE_EMU_MODEL", "a100-80-sxm");
        m_image = fatbin_builder::fatbin(fatbin_builder::zstdPtx(ptx));
        m_wrapper.data = m_image.data();
        m_handle = __cudaRegisterFatBinary(&m_wrapper);
        const auto add = [&](const char* stub, const char* name) {
            __cudaRegisterFunction(m_handle, stub, nullptr, name, -1, nullptr, nullptr, nullptr,
                                   nullptr, nullptr);
        };
        add(&plainStub, "plain");
        add(&boundedStub, "bounded");
        add(&emptyStub, "empty");
        add(&missingStub, "not_in_the_ptx");
        __cudaRegisterVar(m_handle, coefTwin, nullptr, "coef", 0, 16, 1, 0);
        __cudaRegisterFatBinaryEnd(m_handle);
    }

    void init()
    {
        fake::onLaunch({});
        cudaGetLastError();
    }

    void namesAndTexts()
    {
        QCOMPARE(cudaGetErrorName(9), "cudaErrorInvalidConfiguration");
        QCOMPARE(cudaGetErrorString(9), "invalid configuration argument");
        QCOMPARE(cudaGetErrorString(701), "too many resources requested for launch");
        QCOMPARE(cudaGetErrorString(700), "an illegal memory access was encountered");
        QCOMPARE(cudaGetErrorString(0), "no error");
        for (const int code : {-1, 10, 4711, 999999}) {
            QCOMPARE(cudaGetErrorName(code), "unrecognized error code");
            QCOMPARE(cudaGetErrorString(code), "unrecognized error code");
        }
    }

    void lastErrorIsKeptAndCleared()
    {
        QCOMPARE(cudaSetDevice(3), int(InvalidDevice));
        int count = 0;
        QCOMPARE(cudaGetDeviceCount(&count), int(Success)); // success does not clear it
        QCOMPARE(count, 1);
        QCOMPARE(cudaPeekAtLastError(), int(InvalidDevice));
        QCOMPARE(cudaGetLastError(), int(InvalidDevice));
        QCOMPARE(cudaGetLastError(), int(Success));
    }

    void launchConfigurations_data()
    {
        QTest::addColumn<QVector<uint>>("dims");
        QTest::addColumn<int>("shared");
        QTest::addColumn<int>("expected");
        const auto row = [](const char* name, QVector<uint> dims, int shared, int expected) {
            QTest::newRow(name) << dims << shared << expected;
        };
        row("no blocks", {0, 1, 1, 32, 1, 1}, 0, InvalidConfiguration);
        row("no threads", {1, 1, 1, 0, 1, 1}, 0, InvalidConfiguration);
        row("1025 threads", {1, 1, 1, 1025, 1, 1}, 0, InvalidConfiguration);
        row("2048 threads in 3-D", {1, 1, 1, 32, 32, 2}, 0, InvalidConfiguration);
        row("block depth 65", {1, 1, 1, 1, 1, 65}, 0, InvalidConfiguration);
        row("overflowing product", {1, 1, 1, 1024, 1024, 64}, 0, InvalidConfiguration);
        row("grid height 65536", {1, 65536, 1, 1, 1, 1}, 0, InvalidConfiguration);
        row("grid width 2^31", {1u << 31, 1, 1, 1, 1, 1}, 0, InvalidConfiguration);
        row("49 KiB of shared memory", {1, 1, 1, 32, 1, 1}, 49 * 1024, InvalidValue);
        row("all limits reached", {2147483647, 1, 1, 1024, 1, 1}, 48 * 1024, Success);
    }

    void launchConfigurations()
    {
        QFETCH(QVector<uint>, dims);
        QFETCH(int, shared);
        QFETCH(int, expected);
        const int before = fake::launches();
        QCOMPARE(launchPlain({dims[0], dims[1], dims[2]}, {dims[3], dims[4], dims[5]},
                             std::size_t(shared)),
                 expected);
        QCOMPARE(fake::launches() - before, expected == Success ? 1 : 0);
        QCOMPARE(cudaGetLastError(), expected);
        QCOMPARE(cudaDeviceSynchronize(), int(Success)); // not sticky
    }

    void launchesOfUnknownFunctions()
    {
        QCOMPARE(cudaLaunchKernel(&unknownStub, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
                 int(InvalidDeviceFunction));
        QCOMPARE(cudaLaunchKernel(&missingStub, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
                 int(InvalidDeviceFunction));
        void* kernel = nullptr;
        QCOMPARE(__cudaGetKernel(&kernel, &unknownStub), int(InvalidDeviceFunction));
        QCOMPARE(cudaLaunchKernel(&emptyStub, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
                 int(Success));
        QCOMPARE(cudaLaunchKernel(&emptyStub, {1, 1, 1}, {1, 1, 1}, nullptr, 0,
                                  reinterpret_cast<Stream*>(4096)),
                 int(InvalidResourceHandle));
    }

    void launchBounds()
    {
        void* pointer = nullptr;
        void* args[] = {&pointer};
        QCOMPARE(cudaLaunchKernel(&boundedStub, {1, 1, 1}, {129, 1, 1}, args, 0, nullptr),
                 int(LaunchOutOfResources));
        QCOMPARE(cudaLaunchKernel(&boundedStub, {1, 1, 1}, {128, 1, 1}, args, 0, nullptr),
                 int(Success));
        FuncAttributes attributes;
        QCOMPARE(cudaFuncGetAttributes(&attributes, &boundedStub), int(Success));
        QCOMPARE(attributes.maxThreadsPerBlock, 128);
    }

    void sharedMemoryOptIn()
    {
        QCOMPARE(cudaFuncSetAttribute(&plainStub, MaxDynamicShared, 164 * 1024), int(InvalidValue));
        QCOMPARE(cudaFuncSetAttribute(&plainStub, MaxDynamicShared, 163 * 1024), int(Success));
        QCOMPARE(launchPlain({1, 1, 1}, {32, 1, 1}, 163 * 1024), int(Success));
        QCOMPARE(launchPlain({1, 1, 1}, {32, 1, 1}, 163 * 1024 + 1), int(InvalidValue));
        QCOMPARE(cudaFuncSetAttribute(&plainStub, MaxDynamicShared, 0), int(Success));
    }

    void cooperativeGridsMustBeResident()
    {
        void* args[] = {nullptr};
        int blocks = 0;
        QCOMPARE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &emptyStub, 1024, 0),
                 int(Success));
        QCOMPARE(blocks, 2); // 2048 threads per SM
        const auto resident = unsigned(blocks * 108);
        QCOMPARE(cudaLaunchCooperativeKernel(&emptyStub, {resident, 1, 1}, {1024, 1, 1}, args, 0,
                                             nullptr),
                 int(Success));
        QCOMPARE(cudaLaunchCooperativeKernel(&emptyStub, {resident + 1, 1, 1}, {1024, 1, 1}, args,
                                             0, nullptr),
                 int(CooperativeLaunchTooLarge));
    }

    void parametersArriveInTheirPlaces()
    {
        bool seen = false;
        fake::onLaunch([&](const KernelInfo& info, Memory&, const VmConfig& config,
                           const ExecOptions&) {
            seen =
                info.name == "plain" && config.grid == Dim3{3, 1, 1} && config.dynamicShared == 7;
            const auto* bytes = static_cast<const char*>(config.params);
            void* pointer = nullptr;
            int n = 0;
            std::memcpy(&pointer, bytes, 8);
            std::memcpy(&n, bytes + 8, 4);
            seen = seen && pointer == this && n == 5;
            return LaunchResult{};
        });
        // As nvcc's code does it: push, get the kernel, pop, launch.
        __cudaPushCallConfiguration({3, 1, 1}, {32, 1, 1}, 7, nullptr);
        void* kernel = nullptr;
        QCOMPARE(__cudaGetKernel(&kernel, &plainStub), int(Success));
        Dim3Abi grid, block;
        std::size_t shared = 0;
        Stream* stream = nullptr;
        QCOMPARE(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), int(Success));
        void* pointer = this;
        int n = 5;
        void* args[] = {&pointer, &n};
        QCOMPARE(__cudaLaunchKernel(kernel, grid, block, args, shared, stream), int(Success));
        QVERIFY(seen);
        QCOMPARE(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
                 int(MissingConfiguration));
    }

    void copyKinds()
    {
        void *device = nullptr, *pinned = nullptr, *managed = nullptr;
        char host[64];
        QCOMPARE(cudaMalloc(&device, 64), int(Success));
        QCOMPARE(cudaMallocHost(&pinned, 64), int(Success));
        QCOMPARE(cudaMallocManaged(&managed, 64, 1), int(Success));
        std::iota(host, host + 64, char(1));
        QCOMPARE(cudaMemcpy(device, host, 64, 5), int(InvalidMemcpyDirection));
        QCOMPARE(cudaMemcpy(device, host, 64, -1), int(InvalidMemcpyDirection));
        QCOMPARE(cudaMemcpy(device, host, 65, HostToDevice), int(InvalidValue)); // beyond its end
        QCOMPARE(cudaMemcpy(static_cast<char*>(device) + 1, host, 64, HostToDevice),
                 int(InvalidValue));
        QCOMPARE(cudaMemcpy(host, device, 64, HostToDevice), int(InvalidValue)); // swapped
        QCOMPARE(cudaMemcpy(device, host, 64, DeviceToDevice), int(InvalidValue));
        QCOMPARE(cudaMemcpy(host, host, 64, DeviceToHost), int(InvalidValue));
        QCOMPARE(cudaMemcpy(host, device, 64, HostToHost), int(InvalidValue));
        QCOMPARE(cudaMemcpy(nullptr, host, 4, HostToDevice), int(InvalidValue));
        QCOMPARE(cudaMemcpy(nullptr, nullptr, 0, HostToDevice), int(Success));
        QCOMPARE(cudaMemcpy(device, host, std::size_t(-1), HostToDevice), int(InvalidValue));

        QCOMPARE(cudaMemcpy(device, host, 64, HostToDevice), int(Success));
        QCOMPARE(cudaMemcpy(managed, device, 64, DeviceToDevice), int(Success));
        QCOMPARE(cudaMemcpy(pinned, managed, 64, DefaultCopy), int(Success));
        QCOMPARE(std::memcmp(pinned, host, 64), 0);
        QCOMPARE(cudaFree(pinned), int(InvalidValue));
        QCOMPARE(cudaFreeHost(device), int(InvalidValue));
        QCOMPARE(cudaFree(static_cast<char*>(device) + 8), int(InvalidValue));
        QCOMPARE(cudaFree(device), int(Success));
        QCOMPARE(cudaFree(device), int(InvalidValue)); // twice
        QCOMPARE(cudaFree(nullptr), int(Success));
        QCOMPARE(cudaFree(managed), int(Success));
        QCOMPARE(cudaFreeHost(pinned), int(Success));
    }

    void pitchedCopies()
    {
        void* device = nullptr;
        std::size_t pitch = 0;
        QCOMPARE(cudaMallocPitch(&device, &pitch, 100, 3), int(Success));
        QCOMPARE(pitch, std::size_t(512));
        std::vector<char> host(300), back(300);
        std::iota(host.begin(), host.end(), char(0));
        QCOMPARE(cudaMemcpy2D(device, 99, host.data(), 100, 100, 3, HostToDevice),
                 int(InvalidPitchValue));
        QCOMPARE(cudaMemcpy2D(device, pitch, host.data(), 100, 100, 4, HostToDevice),
                 int(InvalidValue));
        QCOMPARE(cudaMemcpy2D(device, pitch, host.data(), 100, 100, 3, HostToDevice), int(Success));
        QCOMPARE(cudaMemcpy2D(back.data(), 100, device, pitch, 100, 3, DeviceToHost), int(Success));
        QVERIFY(host == back);
        QCOMPARE(cudaMemset2D(device, pitch, 9, 100, 4), int(InvalidValue));
        QCOMPARE(cudaMemset2D(device, pitch, 9, 50, 3), int(Success));
        QCOMPARE(cudaMemcpy2D(back.data(), 100, device, pitch, 100, 3, DeviceToHost), int(Success));
        QCOMPARE(int(back[149]), 9);
        QCOMPARE(back[150], host[150]);
        QCOMPARE(cudaFree(device), int(Success));
    }

    void memoryRunsOut()
    {
        void* pointer = nullptr;
        QCOMPARE(cudaMalloc(&pointer, 2 << 20), int(MemoryAllocation));
        QVERIFY(!pointer);
        QCOMPARE(cudaMalloc(&pointer, std::size_t(-1)), int(MemoryAllocation));
        QCOMPARE(cudaMalloc(nullptr, 4), int(InvalidValue));
        std::size_t free = 0, total = 0;
        QCOMPARE(cudaMemGetInfo(&free, &total), int(Success));
        QCOMPARE(total, std::size_t(1) << 20);
    }

    void symbols()
    {
        const float in[4] = {1, 2, 3, 4};
        float out[4] = {};
        QCOMPARE(cudaMemcpyToSymbol(&unknownStub, in, 16, 0, HostToDevice), int(InvalidSymbol));
        QCOMPARE(cudaMemcpyToSymbol(coefTwin, in, 16, 4, HostToDevice), int(InvalidValue));
        QCOMPARE(cudaMemcpyToSymbol(coefTwin, in, 16, 0, DeviceToHost),
                 int(InvalidMemcpyDirection));
        QCOMPARE(cudaMemcpyToSymbol(coefTwin, in, 16, 0, HostToDevice), int(Success));
        QCOMPARE(cudaMemcpyFromSymbol(out, coefTwin, 8, 8, DeviceToHost), int(Success));
        QCOMPARE(out[0], 3.0f);
        QCOMPARE(out[1], 4.0f);
    }

    void pointersAreKnown()
    {
        std::vector<char> buffer(4096);
        PointerAttributes attributes;
        QCOMPARE(cudaPointerGetAttributes(&attributes, buffer.data()), int(Success));
        QCOMPARE(attributes.type, int(Unregistered));
        QCOMPARE(cudaHostUnregister(buffer.data()), int(HostMemoryNotRegistered));
        QCOMPARE(cudaHostRegister(buffer.data(), 4096, 0), int(Success));
        QCOMPARE(cudaHostRegister(buffer.data(), 4096, 0), int(HostMemoryAlreadyRegistered));
        QCOMPARE(cudaPointerGetAttributes(&attributes, buffer.data() + 5), int(Success));
        QCOMPARE(attributes.type, int(HostMemory));
        QCOMPARE(attributes.devicePointer, static_cast<void*>(buffer.data() + 5));
        QCOMPARE(cudaHostUnregister(buffer.data()), int(Success));
    }

    void eventsAndStreams()
    {
        Event *start = nullptr, *end = nullptr, *untimed = nullptr;
        Stream* stream = nullptr;
        float ms = -1;
        QCOMPARE(cudaEventCreate(&start), int(Success));
        QCOMPARE(cudaEventCreate(&end), int(Success));
        QCOMPARE(cudaEventCreateWithFlags(&untimed, 2), int(Success));
        QCOMPARE(cudaStreamCreate(&stream), int(Success));
        QCOMPARE(cudaEventElapsedTime(&ms, start, end), int(InvalidResourceHandle)); // not recorded
        QCOMPARE(cudaEventRecord(start, stream), int(Success));
        fake::onLaunch([](const KernelInfo&, Memory&, const VmConfig&, const ExecOptions&) {
            QTest::qSleep(20);
            return LaunchResult{};
        });
        QCOMPARE(launchPlain({1, 1, 1}, {1, 1, 1}, 0, stream), int(Success));
        QCOMPARE(cudaEventRecord(end, stream), int(Success));
        QCOMPARE(cudaEventRecord(untimed, stream), int(Success));
        QCOMPARE(cudaEventSynchronize(end), int(Success));
        QCOMPARE(cudaEventElapsedTime(&ms, start, end), int(Success));
        QVERIFY2(ms >= 20 && ms < 2000, qPrintable(QString::number(double(ms))));
        QCOMPARE(cudaEventElapsedTime(&ms, start, untimed), int(InvalidResourceHandle));
        QCOMPARE(cudaStreamQuery(stream), int(Success));
        QCOMPARE(cudaStreamDestroy(stream), int(Success));
        QCOMPARE(cudaStreamDestroy(stream), int(InvalidResourceHandle));
        QCOMPARE(cudaStreamSynchronize(stream), int(InvalidResourceHandle));
        for (Event* event : {start, end, untimed})
            QCOMPARE(cudaEventDestroy(event), int(Success));
        QCOMPARE(cudaEventRecord(start, nullptr), int(InvalidResourceHandle));
    }

    void captureRecordsInsteadOfRunning()
    {
        Stream* stream = nullptr;
        Graph* graph = nullptr;
        GraphExecHandle* exec = nullptr;
        void* device = nullptr;
        int host = 41, calls = 0;
        QCOMPARE(cudaStreamCreate(&stream), int(Success));
        QCOMPARE(cudaMalloc(&device, 4), int(Success));
        QCOMPARE(cudaStreamEndCapture(stream, &graph), int(IllegalState));
        QCOMPARE(cudaStreamBeginCapture(nullptr, 0), int(StreamCaptureUnsupported));

        // Synchronising inside a capture spoils it.
        QCOMPARE(cudaStreamBeginCapture(stream, 0), int(Success));
        QCOMPARE(cudaStreamSynchronize(stream), int(StreamCaptureUnsupported));
        QCOMPARE(launchPlain({1, 1, 1}, {1, 1, 1}, 0, stream), int(StreamCaptureInvalidated));
        QCOMPARE(cudaStreamEndCapture(stream, &graph), int(StreamCaptureInvalidated));
        QVERIFY(!graph);

        const int before = fake::launches();
        QCOMPARE(cudaStreamBeginCapture(stream, 2), int(Success));
        QCOMPARE(launchPlain({1, 1, 1}, {1, 1, 1}, 0, stream), int(Success));
        QCOMPARE(cudaMemcpyAsync(device, &host, 4, HostToDevice, stream), int(Success));
        QCOMPARE(cudaLaunchHostFunc(
                     stream, [](void* data) { ++*static_cast<int*>(data); }, &calls),
                 int(Success));
        QCOMPARE(cudaStreamEndCapture(stream, &graph), int(Success));
        QCOMPARE(fake::launches(), before);
        QCOMPARE(calls, 0);
        host = 42;
        QCOMPARE(cudaGraphInstantiate(&exec, graph, 0), int(Success));
        QCOMPARE(cudaGraphLaunch(exec, stream), int(Success));
        QCOMPARE(cudaGraphLaunch(exec, nullptr), int(Success));
        QCOMPARE(fake::launches(), before + 2);
        QCOMPARE(calls, 2);
        int back = 0;
        QCOMPARE(cudaMemcpy(&back, device, 4, DeviceToHost), int(Success));
        QCOMPARE(back, 42); // the pointer was captured, not the value
        QCOMPARE(cudaGraphExecDestroy(exec), int(Success));
        QCOMPARE(cudaGraphDestroy(graph), int(Success));
        QCOMPARE(cudaGraphDestroy(graph), int(InvalidValue));
        QCOMPARE(cudaFree(device), int(Success));
        QCOMPARE(cudaStreamDestroy(stream), int(Success));
    }

    void capturesForkAndJoin()
    {
        Stream *first = nullptr, *second = nullptr;
        Event *fork = nullptr, *join = nullptr;
        Graph* graph = nullptr;
        QCOMPARE(cudaStreamCreate(&first), int(Success));
        QCOMPARE(cudaStreamCreate(&second), int(Success));
        QCOMPARE(cudaEventCreate(&fork), int(Success));
        QCOMPARE(cudaEventCreate(&join), int(Success));
        for (const bool joined : {false, true}) {
            QCOMPARE(cudaStreamBeginCapture(first, 0), int(Success));
            QCOMPARE(cudaEventRecord(fork, first), int(Success));
            QCOMPARE(cudaStreamWaitEvent(second, fork, 0), int(Success));
            QCOMPARE(launchPlain({1, 1, 1}, {1, 1, 1}, 0, second), int(Success));
            QCOMPARE(cudaEventRecord(join, second), int(Success));
            if (joined)
                QCOMPARE(cudaStreamWaitEvent(first, join, 0), int(Success));
            QCOMPARE(cudaStreamEndCapture(first, &graph),
                     joined ? int(Success) : int(StreamCaptureUnjoined));
        }
        QCOMPARE(cudaEventSynchronize(join), int(CapturedEvent));
        QCOMPARE(cudaGraphDestroy(graph), int(Success));
        // A stream may be destroyed inside the capture once the others wait for its work.
        Stream* third = nullptr;
        QCOMPARE(cudaStreamCreate(&third), int(Success));
        QCOMPARE(cudaStreamBeginCapture(first, 0), int(Success));
        QCOMPARE(cudaEventRecord(fork, first), int(Success));
        QCOMPARE(cudaStreamWaitEvent(third, fork, 0), int(Success));
        QCOMPARE(launchPlain({1, 1, 1}, {1, 1, 1}, 0, third), int(Success));
        QCOMPARE(cudaEventRecord(join, third), int(Success));
        QCOMPARE(cudaStreamWaitEvent(first, join, 0), int(Success));
        QCOMPARE(cudaStreamDestroy(third), int(Success));
        QCOMPARE(cudaStreamEndCapture(first, &graph), int(Success));
        QCOMPARE(cudaGraphDestroy(graph), int(Success));
        for (Event* event : {fork, join})
            QCOMPARE(cudaEventDestroy(event), int(Success));
        for (Stream* stream : {first, second})
            QCOMPARE(cudaStreamDestroy(stream), int(Success));
    }

    void peersAndProcessesAreRefused()
    {
        int can = 7;
        QCOMPARE(cudaDeviceCanAccessPeer(&can, 0, 1), int(InvalidDevice));
        QCOMPARE(cudaDeviceEnablePeerAccess(1, 0), int(InvalidDevice));
        char handle[64];
        QCOMPARE(cudaIpcGetMemHandle(handle, nullptr), int(NotSupported));
    }

    void propertiesOfTheModel()
    {
        DeviceProperties properties;
        QCOMPARE(cudaGetDeviceProperties(&properties, 1), int(InvalidDevice));
        QCOMPARE(cudaGetDeviceProperties(&properties, 0), int(Success));
        QCOMPARE(properties.name, "NVIDIA A100-SXM4-80GB (emulated)");
        QCOMPARE(properties.major * 10 + properties.minor, 80);
        QCOMPARE(properties.multiProcessorCount, 108);
        int value = 0;
        QCOMPARE(cudaDeviceGetAttribute(&value, 97, 0), int(Success));
        QCOMPARE(value, 163 * 1024);
        QCOMPARE(cudaDeviceGetAttribute(&value, 5000, 0), int(InvalidValue));
    }

    void countersAreWritten()
    {
        fake::onLaunch(
            [](const KernelInfo& info, Memory&, const VmConfig&, const ExecOptions& options) {
                LaunchResult result;
                result.counters.warpInstructions = options.count ? 17 : 0;
                CheckReport report;
                report.checker = "race";
                report.kind = "RAW";
                report.kernel = info.name;
                report.text = "Race \"reported\"\n  second line\x01\xff";
                report.site.access = "read";
                report.site.source = {"k.cu", 12};
                result.reports.push_back(report);
                return result;
            });
        ridgeline_emu_mark("case/\"seed\" 1");
        QCOMPARE(launchPlain({2, 3, 4}, {32, 1, 1}, 16), int(Success));
        const QList<QByteArray> lines =
            contents(m_dir.filePath(QStringLiteral("counters"))).trimmed().split('\n');
        const QJsonObject line = QJsonDocument::fromJson(lines.last()).object();
        QCOMPARE(line[QStringLiteral("kernel")].toString(), QStringLiteral("plain"));
        QCOMPARE(line[QStringLiteral("label")].toString(), QStringLiteral("case/\"seed\" 1"));
        QCOMPARE(line[QStringLiteral("warp_instructions")].toInt(), 17);
        QCOMPARE(line[QStringLiteral("shared_dynamic")].toInt(), 16);
        QCOMPARE(line[QStringLiteral("grid")].toArray(), QJsonArray({2, 3, 4}));
        QCOMPARE(line[QStringLiteral("launch")].toInt(), int(lines.size()) - 1);
        const QJsonObject report =
            QJsonDocument::fromJson(contents(m_dir.filePath(QStringLiteral("reports"))).trimmed())
                .object();
        QCOMPARE(report[QStringLiteral("checker")].toString(), QStringLiteral("race"));
        QCOMPARE(report[QStringLiteral("site")].toObject()[QStringLiteral("line")].toInt(), 12);
        QVERIFY(report[QStringLiteral("text")].toString().contains(QStringLiteral("second line")));
    }

    void whatTheVmCannotDoIsToldAtOnce()
    {
        fake::onLaunch([](const KernelInfo&, Memory&, const VmConfig&, const ExecOptions&) {
            LaunchResult result;
            result.status = LaunchStatus::NotImplemented;
            result.message = "opcode 'wgmma' is not implemented";
            return result;
        });
        QCOMPARE(launchPlain({1, 1, 1}, {1, 1, 1}), int(NotSupported));
        QCOMPARE(cudaDeviceSynchronize(), int(Success));
    }

    // Last: a fault ends the device for the process, as on real hardware.
    void zFaultsAreLateAndSticky()
    {
        fake::onLaunch([](const KernelInfo&, Memory&, const VmConfig&, const ExecOptions&) {
            LaunchResult result;
            result.status = LaunchStatus::IllegalAddress;
            result.message = "illegal address";
            return result;
        });
        QCOMPARE(launchPlain({1, 1, 1}, {1, 1, 1}), int(Success)); // asynchronous
        QCOMPARE(cudaGetLastError(), int(Success));
        const int before = fake::launches();
        QCOMPARE(launchPlain({1, 1, 1}, {1, 1, 1}), int(Success));
        QCOMPARE(fake::launches(), before); // nothing runs any more
        QCOMPARE(cudaDeviceSynchronize(), int(IllegalAddress));
        QCOMPARE(cudaGetLastError(), int(IllegalAddress));
        QCOMPARE(cudaGetLastError(), int(IllegalAddress)); // stays
        void* pointer = nullptr;
        QCOMPARE(cudaMalloc(&pointer, 4), int(IllegalAddress));
        QCOMPARE(launchPlain({1, 1, 1}, {1, 1, 1}), int(IllegalAddress));
        QCOMPARE(cudaDeviceReset(), int(IllegalAddress));
    }
};

} // namespace

QTEST_GUILESS_MAIN(TestRuntime)
#include "tst_runtime.moc"
