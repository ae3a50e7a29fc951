// SPDX-License-Identifier: GPL-3.0-or-later
// Launches: blocks on worker threads. A block that runs for long is set aside so that others start:
// blocks that wait for each other get on as long as they are resident.
#include "core/emulator/checkers.h"
#include "core/emulator/module.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <sstream>
#include <thread>

namespace ridgeline::emu {
namespace {

constexpr int warpTurn = 4096;    // backward branches of one warp before another's turn
constexpr int turnsPerSlice = 64; // turns of a block's warps before other blocks are considered
constexpr std::size_t residentPerWorker = 64;

u64 nowNs()
{
    return static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count());
}

u64 mix(u64 x)
{
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

std::byte* aligned(const std::unique_ptr<std::byte[]>& memory)
{
    const auto at = reinterpret_cast<std::uintptr_t>(memory.get());
    return memory.get() + ((256 - (at & 255)) & 255);
}

/// i-th block of a launch under a schedule seed: a walk with a stride that is prime to the count.
u64 permuted(u64 i, u64 count, u64 seed)
{
    if (seed == 0 || count < 2) {
        return i;
    }
    u64 stride = mix(seed) % count | 1U;
    while (std::gcd(stride, count) != 1) {
        ++stride;
    }
    return static_cast<u64>((static_cast<u128>(i) * stride + mix(seed + 1)) % count);
}

class Runner {
public:
    Runner(Launch& launch, unsigned index, unsigned workers)
        : m_launch(launch), m_index(index), m_workers(workers)
    {
        m_worker.launch = &launch;
        m_worker.slots.assign(launch.program->memorySlots + 1, nullptr);
    }

    void run()
    {
        const u64 total = m_launch.config->grid.count();
        if (m_launch.config->cooperative) {
            for (u64 i = m_index; i < total; i += m_workers) {
                m_resident.push_back(begin(permuted(i, total, m_launch.options->seed)));
            }
        }
        std::size_t at = 0;
        while (!stopped()) {
            if (m_resident.empty() && !startAnother(total)) {
                break;
            }
            at = at < m_resident.size() ? at : 0;
            if (slice(*m_resident[at])) {
                finish(*m_resident[at]);
                m_free.push_back(std::move(m_resident[at]));
                m_resident.erase(m_resident.begin() + static_cast<std::ptrdiff_t>(at));
            } else {
                if (m_resident.size() < residentPerWorker && !m_launch.config->cooperative) {
                    startAnother(total);
                }
                ++at;
            }
        }
        if (stopped()) {
            for (const auto& block : m_resident) {
                finish(*block);
            }
        }
    }

    const Counters& counters() const { return m_worker.counters; }

private:
    bool stopped() const { return m_launch.stop.load(std::memory_order_relaxed); }

    bool startAnother(u64 total)
    {
        if (m_launch.config->cooperative) {
            return false;
        }
        const u64 i = m_launch.nextBlock.fetch_add(1, std::memory_order_relaxed);
        if (i >= total) {
            return false;
        }
        m_resident.push_back(begin(permuted(i, total, m_launch.options->seed)));
        return true;
    }

    std::unique_ptr<Block> begin(u64 linear)
    {
        std::unique_ptr<Block> block;
        const Launch& l = m_launch;
        const Function& kernel = *l.program->functions[0];
        if (!m_free.empty()) {
            block = std::move(m_free.back());
            m_free.pop_back();
        } else {
            block = std::make_unique<Block>();
            block->worker = &m_worker;
            block->sharedMemory.reset(new std::byte[l.sharedBytes + 512]);
            block->frames.reset(
                new std::byte[std::size_t(kernel.frameBytes) * l.warpsPerBlock + 512]);
            block->locals.reset(
                new std::byte[std::size_t(l.localBytes) * 32 * l.warpsPerBlock + 512]);
            block->shared = aligned(block->sharedMemory);
            for (u32 i = 0; i < l.warpsPerBlock; ++i) {
                auto warp = std::make_unique<Warp>();
                warp->block = block.get();
                warp->worker = &m_worker;
                warp->launch = &m_launch;
                warp->params = static_cast<const std::byte*>(l.config->params);
                warp->index = i;
                warp->top.regs = aligned(block->frames) + std::size_t(kernel.frameBytes) * i;
                warp->top.fn = &kernel;
                warp->local = aligned(block->locals) + std::size_t(l.localBytes) * 32 * i;
                for (u32 lane = 0; lane < 32; ++lane) {
                    const u32 t = i * 32 + lane;
                    warp->id[0][lane] = t % l.config->block.x;
                    warp->id[1][lane] = t / l.config->block.x % l.config->block.y;
                    warp->id[2][lane] = t / l.config->block.x / l.config->block.y;
                }
                block->warps.push_back(std::move(warp));
            }
        }
        const Dim3& grid = l.config->grid;
        block->linear = linear;
        block->index = {static_cast<u32>(linear % grid.x),
                        static_cast<u32>(linear / grid.x % grid.y),
                        static_cast<u32>(linear / grid.x / grid.y)};
        block->liveThreads = l.threadsPerBlock;
        block->epoch = 0;
        std::fill(std::begin(block->barriers), std::end(block->barriers), Barrier{});
        std::memset(block->shared, 0xCB, l.sharedBytes);
        std::memset(aligned(block->frames), 0, std::size_t(kernel.frameBytes) * l.warpsPerBlock);
        for (u32 i = 0; i < l.warpsPerBlock; ++i) {
            Warp& w = *block->warps[i];
            const u32 left = l.threadsPerBlock - i * 32;
            w.live = left >= 32 ? fullMask : (1U << left) - 1;
            w.mask = 0;
            w.done = false;
            w.forceSync = false;
            w.starve = w.boost = 0;
            w.warpInstructions = 0;
            w.lanes = {};
            w.parkedCount = 1;
            w.parked[0] = Group{};
            w.parked[0].pc = kernel.code.data();
            w.parked[0].frame = &w.top;
            w.parked[0].mask = w.live;
        }
        beginBlockChecks(*block);
        return block;
    }

    /// Runs the block's warps for a while; true when all its threads have exited.
    bool slice(Block& block)
    {
        const std::size_t n = block.warps.size();
        std::size_t start = 0, step = 1;
        for (int turn = 0; turn < turnsPerSlice; ++turn) {
            bool ran = false, alive = false;
            if (m_launch.options->seed != 0) {
                const u64 r =
                    mix(m_launch.options->seed ^ (block.linear << 20) ^ static_cast<u64>(m_turn++));
                start = static_cast<std::size_t>(r % n);
                step = n > 1 && (r >> 32) % 2 != 0 ? n - 1 : 1;
            }
            for (std::size_t i = 0; i < n; ++i) {
                Warp& w = *block.warps[(start + i * step) % n];
                if (w.done) {
                    continue;
                }
                w.budget = warpTurn;
                const Instr* instr = pickNext(w);
                if (instr != nullptr) {
                    ran = true;
                    do {
                        instr = instr->fn(w, instr);
                    } while (instr != nullptr);
                    if (stopped()) {
                        return false;
                    }
                }
                alive |= !w.done;
            }
            if (!alive) {
                return true;
            }
            if (!ran && !unstick(block)) {
                return false;
            }
        }
        return false;
    }

    /// No warp can run. Lanes that wait for lanes which will not come go on alone; anything else is
    /// a deadlock.
    bool unstick(Block& block)
    {
        for (auto& warp : block.warps) {
            for (u32 i = 0; i < warp->parkedCount; ++i) {
                Group& g = warp->parked[i];
                if (g.state == GroupState::WaitLanes) {
                    reportStuckLanes(*warp, g);
                    g.state = GroupState::Runnable;
                    warp->forceSync = !g.warpBarrier;
                    g.warpBarrier = false;
                    return true;
                }
            }
        }
        std::ostringstream text;
        text << "Deadlock: no thread of block (" << block.index.x << ',' << block.index.y << ','
             << block.index.z << ") can go on.";
        int shown = 0;
        for (auto& warp : block.warps) {
            for (u32 i = 0; i < warp->parkedCount && shown < 4; ++i, ++shown) {
                const Group& g = warp->parked[i];
                enterFrame(*warp, g.frame);
                text << "\n    " << std::popcount(g.mask) << " threads of warp " << warp->index
                     << " wait at barrier " << int(g.barrier) << ", "
                     << block.barriers[g.barrier].arrived << " threads have arrived\n"
                     << placeOf(*warp, g.pc - 1, static_cast<unsigned>(std::countr_zero(g.mask)));
            }
        }
        m_launch.fault(LaunchStatus::Deadlock, text.str());
        return false;
    }

    void finish(Block& block)
    {
        Counters& c = m_worker.counters;
        for (const auto& warp : block.warps) {
            c.warpInstructions += warp->warpInstructions;
            c.threadInstructions += warp->lanes.v[0];
            c.flopsFp64 += warp->lanes.v[1];
            c.flopsFp32 += warp->lanes.v[2];
            c.flopsFp16 += warp->lanes.v[3];
            c.flopsBf16 += warp->lanes.v[4];
            c.special += warp->lanes.v[5];
            c.flopsTensor += warp->lanes.v[6];
        }
        block.checkers.reset();
    }

    Launch& m_launch;
    unsigned m_index, m_workers;
    Worker m_worker;
    std::vector<std::unique_ptr<Block>> m_resident, m_free;
    u64 m_turn = 0;
};

} // namespace

void Counters::add(const Counters& o)
{
    warpInstructions += o.warpInstructions;
    threadInstructions += o.threadInstructions;
    flopsFp64 += o.flopsFp64;
    flopsFp32 += o.flopsFp32;
    flopsFp16 += o.flopsFp16;
    flopsBf16 += o.flopsBf16;
    flopsTensor += o.flopsTensor;
    special += o.special;
    globalLoadBytes += o.globalLoadBytes;
    globalStoreBytes += o.globalStoreBytes;
    globalLoadRequests += o.globalLoadRequests;
    globalStoreRequests += o.globalStoreRequests;
    globalLoadSectors += o.globalLoadSectors;
    globalStoreSectors += o.globalStoreSectors;
    globalAtomics += o.globalAtomics;
    sharedLoadBytes += o.sharedLoadBytes;
    sharedStoreBytes += o.sharedStoreBytes;
    sharedLoadRequests += o.sharedLoadRequests;
    sharedStoreRequests += o.sharedStoreRequests;
    sharedLoadWavefronts += o.sharedLoadWavefronts;
    sharedStoreWavefronts += o.sharedStoreWavefronts;
    localLoadBytes += o.localLoadBytes;
    localStoreBytes += o.localStoreBytes;
    uniqueLoadBytes += o.uniqueLoadBytes;
    uniqueStoreBytes += o.uniqueStoreBytes;
}

LaunchResult launch(const Module& module, const KernelInfo& kernel, Memory& memory,
                    const LaunchConfig& config, const ExecOptions& options)
{
    LaunchResult result;
    const auto& loaded = static_cast<const LoadedModule&>(module);
    const Program& program = loaded.program(kernel);
    if (!program.error.message.empty()) {
        result.status = LaunchStatus::NotImplemented;
        result.message = program.error.message + " (kernel " + program.error.kernel +
                         ", PTX line " + std::to_string(program.error.line) + ")";
        return result;
    }
    const u64 threads = config.block.count();
    if (threads == 0 || threads > 1024 || config.grid.count() == 0) {
        result.status = LaunchStatus::IllegalInstruction;
        result.message =
            "invalid configuration: a block has 1 to 1024 threads and a grid at least one block";
        return result;
    }
    Launch l;
    l.program = &program;
    l.memory = &memory;
    l.options = &options;
    l.threadsPerBlock = static_cast<u32>(threads);
    l.warpsPerBlock = static_cast<u32>((threads + 31) / 32);
    l.sharedBytes = std::max(program.dynamicOffset, program.sharedBytes) + config.dynamicShared;
    l.localBytes = program.localBytes;
    l.paramBytes = kernel.paramBytes;
    l.count = options.count;
    l.checkAny = options.checkInit || options.checkRace || options.checkSync;
    const u64 blocks = config.grid.count();
    unsigned workers =
        options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    workers = static_cast<unsigned>(std::min<u64>(workers, blocks));
    if (config.cooperative &&
        blocks * l.warpsPerBlock *
                (u64(program.functions[0]->frameBytes) + u64(l.localBytes) * 32) >
            (8ULL << 30)) {
        result.status = LaunchStatus::OutOfMemory;
        result.message = "a cooperative launch of " + std::to_string(blocks) +
                         " blocks does not fit into memory";
        return result;
    }
    std::vector<std::max_align_t> params(kernel.paramBytes / sizeof(std::max_align_t) + 1);
    if (kernel.paramBytes != 0 && config.params != nullptr) {
        std::memcpy(params.data(), config.params, kernel.paramBytes);
    }
    LaunchConfig own = config;
    own.params = params.data();
    l.config = &own;
    const std::lock_guard lock(memory.impl().launchMutex);
    void* workspace = nullptr;
    if (config.cooperative) {
        workspace = memory.allocate(256, MemoryKind::Device, "grid barrier");
        if (workspace == nullptr) {
            result.status = LaunchStatus::OutOfMemory;
            result.message = "no memory for the grid barrier";
            return result;
        }
        std::memset(workspace, 0, 256);
        memory.markInitialised(workspace, 256);
        l.gridWorkspace = reinterpret_cast<u64>(workspace);
    }
    l.snapshot = memory.impl().snapshot(l.count, options.checkInit);
    l.startNs = nowNs();
    std::vector<std::unique_ptr<Runner>> runners;
    for (unsigned i = 0; i < workers; ++i) {
        runners.push_back(std::make_unique<Runner>(l, i, workers));
    }
    std::vector<std::thread> pool;
    for (unsigned i = 1; i < workers; ++i) {
        pool.emplace_back([&runners, i] { runners[i]->run(); });
    }
    runners[0]->run();
    for (std::thread& thread : pool) {
        thread.join();
    }
    result.wallNs = nowNs() - l.startNs;
    for (const auto& runner : runners) {
        result.counters.add(runner->counters());
    }
    result.counters.uniqueLoadBytes *= 32; // sectors until here
    result.counters.uniqueStoreBytes *= 32;
    for (void* freed : l.freedByDevice) {
        memory.release(freed);
    }
    if (workspace != nullptr) {
        memory.release(workspace);
    }
    result.status = l.status;
    result.message = l.message;
    result.reports = std::move(l.reports);
    return result;
}

} // namespace ridgeline::emu
