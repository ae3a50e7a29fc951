// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/roofline/host_roof.h"

#include "core/roofline/host_kernels.h"

#include <QDir>
#include <QFile>
#include <QSet>
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sched.h>
#include <thread>
#include <vector>

namespace ridgeline {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto sampleTime = std::chrono::milliseconds(20);
constexpr int samplesPerRoof = 6;
constexpr auto bandwidthTime = std::chrono::milliseconds(350); // per figure
constexpr qint64 leastCache = 32 * 1024 * 1024;                // where the system does not tell

double seconds(Clock::time_point from)
{
    return std::chrono::duration<double>(Clock::now() - from).count();
}

QString firstLine(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readLine(256)).trimmed()
                                          : QString();
}

QString cpuName()
{
    QFile file(QStringLiteral("/proc/cpuinfo"));
    if (!file.open(QIODevice::ReadOnly))
        return QStringLiteral("unknown");
    const QString text = QString::fromUtf8(file.read(16384));
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1String("model name")))
            return line.section(QLatin1Char(':'), 1).trimmed();
    }
    return QStringLiteral("unknown");
}

// Sum over the distinct instances of the highest cache level.
qint64 lastLevelCache()
{
    int level = 0;
    qint64 total = 0;
    QSet<QString> seen;
    const QDir cpus(QStringLiteral("/sys/devices/system/cpu"));
    for (const QString& cpu : cpus.entryList({QStringLiteral("cpu[0-9]*")}, QDir::Dirs)) {
        const QDir caches(cpus.filePath(cpu + QStringLiteral("/cache")));
        for (const QString& index : caches.entryList({QStringLiteral("index*")}, QDir::Dirs)) {
            const QString base = caches.filePath(index);
            const int found = firstLine(base + QStringLiteral("/level")).toInt();
            QString size = firstLine(base + QStringLiteral("/size"));
            const qint64 unit = size.endsWith(QLatin1Char('K'))   ? 1024
                                : size.endsWith(QLatin1Char('M')) ? 1024 * 1024
                                                                  : 1;
            if (unit > 1)
                size.chop(1);
            const QString shared = firstLine(base + QStringLiteral("/shared_cpu_list"));
            if (found > level) {
                level = found;
                total = 0;
                seen.clear();
            }
            if (found == level && !seen.contains(shared)) {
                seen.insert(shared);
                total += size.toLongLong() * unit;
            }
        }
    }
    return total > 0 ? total : leastCache;
}

qint64 availableMemory()
{
    QFile file(QStringLiteral("/proc/meminfo"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray& line : file.read(4096).split('\n')) {
        if (line.startsWith("MemAvailable:"))
            return line.mid(13).trimmed().split(' ').first().toLongLong() * 1024;
    }
    return 0;
}

int usableThreads()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return std::max(1, CPU_COUNT(&set));
    return std::max(1, int(std::thread::hardware_concurrency()));
}

// Runs body(thread) on `threads` threads that start together; returns the seconds until the last
// ends.
double together(int threads, const std::function<void(int)>& body)
{
    if (threads == 1) {
        const auto start = Clock::now();
        body(0);
        return seconds(start);
    }
    Clock::time_point start;
    std::barrier gate(threads + 1);
    std::vector<std::thread> crew;
    for (int t = 0; t < threads; ++t) {
        crew.emplace_back([&gate, &body, t] {
            gate.arrive_and_wait();
            body(t);
        });
    }
    start = Clock::now();
    gate.arrive_and_wait();
    for (std::thread& member : crew)
        member.join();
    return seconds(start);
}

using Fma = double (*)(host::Isa, std::uint64_t, double&);

RoofSamples measureFma(Fma fma, host::Isa isa, int threads, const CancelToken& cancel)
{
    // Rounds for one sample, from a run that is long enough to time and lets the clock rise.
    std::uint64_t rounds = 1 << 16;
    std::vector<double> sinks(std::size_t(threads), 0.0);
    for (;;) {
        const auto start = Clock::now();
        fma(isa, rounds, sinks[0]);
        const double took = seconds(start);
        if (took > 0.005 || cancel.isCancelled()) {
            rounds =
                std::uint64_t(double(rounds) * std::chrono::duration<double>(sampleTime).count() /
                              std::max(took, 1e-6)) +
                1;
            break;
        }
        rounds *= 4;
    }
    RoofSamples result;
    for (int i = 0; i < samplesPerRoof && !cancel.isCancelled(); ++i) {
        std::vector<double> flops(std::size_t(threads), 0.0);
        const double took = together(threads, [&](int t) {
            double sink = 0;
            flops[std::size_t(t)] = fma(isa, rounds, sink);
            sinks[std::size_t(t)] += sink;
        });
        double total = 0;
        for (const double f : flops)
            total += f;
        result.samples.push_back(total / took * 1e-9);
        result.best = std::max(result.best, result.samples.last());
    }
    // A sum that is read: the loops cannot be dropped.
    volatile double keep = sinks[0];
    (void)keep;
    return result;
}

struct Arrays {
    struct Free {
        void operator()(double* p) const { std::free(p); }
    };
    using Pointer = std::unique_ptr<double[], Free>;
    Pointer a, b, c;
    std::size_t count = 0;

    static Pointer make(std::size_t count)
    {
        return Pointer(static_cast<double*>(std::aligned_alloc(64, count * sizeof(double))));
    }
};

// Thread t's part, a multiple of 8 elements; the last takes the rest.
std::pair<std::size_t, std::size_t> part(std::size_t count, int threads, int t)
{
    const std::size_t each = count / std::size_t(threads) / 8 * 8;
    const std::size_t first = each * std::size_t(t);
    return {first, t + 1 == threads ? count - first : each};
}

RoofSamples measureTriad(Arrays& arrays, host::Isa isa, int threads, const CancelToken& cancel)
{
    RoofSamples result;
    const auto start = Clock::now();
    do {
        const double took = together(threads, [&](int t) {
            const auto [first, count] = part(arrays.count, threads, t);
            host::triad(isa, arrays.a.get() + first, arrays.b.get() + first, arrays.c.get() + first,
                        3.0, count);
        });
        result.samples.push_back(double(arrays.count) * 24 / took * 1e-9);
        result.best = std::max(result.best, result.samples.last());
    } while (!cancel.isCancelled() &&
             (result.samples.size() < 3 || Clock::now() - start < bandwidthTime) &&
             result.samples.size() < 40);
    return result;
}

Json list(const RoofSamples& r)
{
    return r.samples;
}

} // namespace

Result<HostRoof> measureHostRoof(const CancelToken& cancel)
{
    const Error cancelled{ErrorCode::Cancelled,
                          QStringLiteral("the measurement of this machine was cancelled"),
                          {},
                          {}};
    if (cancel.isCancelled())
        return cancelled;
    const auto start = Clock::now();
    HostRoof roof;
    const host::Isa isa = host::detectIsa();
    roof.isa = isa == host::Isa::Avx512 ? QStringLiteral("avx512f")
               : isa == host::Isa::Avx2 ? QStringLiteral("avx2+fma")
                                        : QStringLiteral("scalar");
    roof.cpu = cpuName();
    roof.threads = usableThreads();
    roof.fp32Single = measureFma(host::fmaFp32, isa, 1, cancel);
    roof.fp32All = measureFma(host::fmaFp32, isa, roof.threads, cancel);
    roof.fp64Single = measureFma(host::fmaFp64, isa, 1, cancel);
    roof.fp64All = measureFma(host::fmaFp64, isa, roof.threads, cancel);
    if (cancel.isCancelled())
        return cancelled;

    roof.cacheBytes = lastLevelCache();
    const qint64 wanted = roof.cacheBytes * 4 + (1 << 20);
    const qint64 memory = availableMemory();
    // Three arrays in at most half of what is free, and never over 4 GiB each: filling takes time
    // too.
    roof.arrayBytes =
        std::min({wanted, memory > 0 ? memory / 6 : wanted, qint64(4) << 30}) / 4096 * 4096;
    roof.arraysBigEnough = roof.arrayBytes > roof.cacheBytes * 4;
    Arrays arrays;
    arrays.count = std::size_t(roof.arrayBytes) / sizeof(double);
    if (arrays.count >= 4096) {
        arrays.a = Arrays::make(arrays.count);
        arrays.b = Arrays::make(arrays.count);
        arrays.c = Arrays::make(arrays.count);
    }
    if (!arrays.a || !arrays.b || !arrays.c)
        return Error{
            ErrorCode::Environment,
            QStringLiteral("there is no memory for three arrays of %1 bytes").arg(roof.arrayBytes),
            {},
            QStringLiteral("close other programs")};
    // Touched by the threads that use them, so that pages are near them.
    together(roof.threads, [&](int t) {
        const auto [first, count] = part(arrays.count, roof.threads, t);
        for (std::size_t i = first; i < first + count && !cancel.isCancelled(); ++i) {
            arrays.a[i] = 0;
            arrays.b[i] = 1;
            arrays.c[i] = 2;
        }
    });
    if (cancel.isCancelled())
        return cancelled;
    roof.triadSingle = measureTriad(arrays, isa, 1, cancel);
    roof.triadAll = measureTriad(arrays, isa, roof.threads, cancel);
    if (cancel.isCancelled())
        return cancelled;
    if (arrays.a[arrays.count / 2] != 7.0)
        return Error{ErrorCode::Internal,
                     QStringLiteral("the bandwidth loop computed a wrong value"),
                     {},
                     {}};
    roof.wallNs =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    return roof;
}

HardwareDevice hostDevice(const HostRoof& roof)
{
    HardwareDevice d;
    d.id = QStringLiteral("host");
    d.name = roof.cpu;
    d.cores = roof.threads;
    d.confidence = QStringLiteral("measured");
    d.sources = {QStringLiteral("measured on this machine: %1 FMA loops, triad over %2 MiB arrays")
                     .arg(roof.isa)
                     .arg(roof.arrayBytes >> 20)};
    d.peaks = {{QStringLiteral("fp32"), std::max(roof.fp32All.best, roof.fp32Single.best), 0,
                QStringLiteral("measured")},
               {QStringLiteral("fp64"), std::max(roof.fp64All.best, roof.fp64Single.best), 0,
                QStringLiteral("measured")}};
    d.levels = {{QStringLiteral("dram"), std::max(roof.triadAll.best, roof.triadSingle.best)}};
    if (!roof.arraysBigEnough)
        d.notes = QStringLiteral("The arrays were smaller than four times the cache; part of the "
                                 "bandwidth may be the cache's.");
    return d;
}

Json toJson(const HostRoof& roof)
{
    const HardwareDevice d = hostDevice(roof);
    return {{"gflops", d.peaks[0].gflops},
            {"gbps", d.levels[0].gbps},
            {"source", "measured"},
            {"cpu", sstr(roof.cpu)},
            {"isa", sstr(roof.isa)},
            {"threads", roof.threads},
            {"gflops_fp64", d.peaks[1].gflops},
            {"single_thread",
             {{"gflops", roof.fp32Single.best},
              {"gflops_fp64", roof.fp64Single.best},
              {"gbps", roof.triadSingle.best}}},
            {"samples",
             {{"gflops", list(roof.fp32All)},
              {"gflops_fp64", list(roof.fp64All)},
              {"gbps", list(roof.triadAll)}}},
            {"cache_bytes", roof.cacheBytes},
            {"array_bytes", roof.arrayBytes},
            {"arrays_big_enough", roof.arraysBigEnough},
            {"wall_ns", roof.wallNs}};
}

} // namespace ridgeline
