// SPDX-License-Identifier: GPL-3.0-or-later
// Shadow state: which bytes were written (global and shared), and who touched which byte of shared
// memory since the last barrier. Hazards are judged by barrier epoch, never by the order in which
// this machine happened to run the threads.
#include "core/emulator/checkers.h"

#include <atomic>
#include <sstream>

namespace ridgeline::emu {
namespace {

/// What one byte of shared memory saw in the current epoch. Threads count from 1; 0 is nobody.
struct Cell {
    const Instr* writer = nullptr;
    const Instr* reader = nullptr;
    const Function* writerFunction = nullptr;
    const Function* readerFunction = nullptr;
    u32 writeEpoch = ~0U, readEpoch = ~0U;
    u32 writeSync = 0, readSync = 0;
    std::uint16_t writeThread = 0, readThread = 0;
    bool writeAtomic = false, manyReaders = false;
};

class BlockShadow final : public Checkers {
public:
    BlockShadow(const Launch& l)
    {
        if (l.options->checkRace) {
            cells.resize(l.sharedBytes);
        }
        if (l.options->checkInit) {
            written.assign(l.sharedBytes, 0);
        }
        warpSync.assign(l.warpsPerBlock, 0);
    }
    std::vector<Cell> cells;
    std::vector<u8> written;
    std::vector<u32> warpSync; ///< .sync instructions each warp has passed
};

BlockShadow* shadowOf(Warp& w)
{
    return static_cast<BlockShadow*>(w.block->checkers.get());
}

const char* verb(AccessKind kind)
{
    return kind == AccessKind::Read ? "read" : kind == AccessKind::Write ? "write" : "atomic";
}

std::string hex(u64 value)
{
    std::ostringstream out;
    out << "0x" << std::hex << value;
    return out.str();
}

void uninitialised(Warp& w, const Instr* I, unsigned lane, u64 address, u32 size, const char* space)
{
    CheckReport r;
    r.checker = "init";
    r.kind = "uninitialized read";
    r.space = space;
    r.kernel = w.launch->program->functions[0]->name;
    r.address = address;
    r.site = siteOf(w, I, lane, "read", size);
    r.text = std::string("Uninitialized __") + space + "__ memory read of size " +
             std::to_string(size) + " bytes\n" + placeOf(w, I, lane) + "\n    Address " +
             hex(address);
    addReport(*w.launch, std::move(r));
}

AccessSite otherSite(Warp& w, const Instr* instr, const Function* fn, u32 thread,
                     const char* access, u32 size)
{
    AccessSite site;
    site.block = w.block->index;
    const Warp& other = *w.block->warps[(thread - 1) / 32];
    site.thread = threadOf(other, (thread - 1) % 32);
    site.access = access;
    site.size = size;
    const InstrInfo& info = fn->info[static_cast<std::size_t>(instr - fn->code.data())];
    site.ptxLine = info.line;
    if (info.source.line != 0) {
        const auto file = fn->module->files.find(info.source.file);
        site.source.file = file != fn->module->files.end() ? file->second : "";
        site.source.line = static_cast<int>(info.source.line);
    }
    return site;
}

std::string describe(const AccessSite& s)
{
    std::ostringstream out;
    out << (s.access == "read"    ? "Read"
            : s.access == "write" ? "Write"
                                  : "Atomic")
        << " access by thread (" << s.thread.x << ',' << s.thread.y << ',' << s.thread.z << ") at ";
    if (s.source.line != 0) {
        out << s.source.file << ':' << s.source.line << ' ';
    }
    out << "(PTX line " << s.ptxLine << ')';
    return out.str();
}

void hazard(Warp& w, const Instr* I, unsigned lane, u64 offset, u32 size, AccessKind kind,
            const char* name, AccessSite other)
{
    CheckReport r;
    r.checker = "race";
    r.kind = name;
    r.space = "shared";
    r.kernel = w.launch->program->functions[0]->name;
    r.address = offset;
    r.site = siteOf(w, I, lane, verb(kind), size);
    r.other = std::move(other);
    std::ostringstream text;
    text << "Error: Race reported between " << describe(r.other) << " and " << describe(r.site)
         << "\n    " << name << " hazard at __shared__ " << hex(offset) << " in block ("
         << w.block->index.x << ',' << w.block->index.y << ',' << w.block->index.z << ") of "
         << r.kernel;
    r.text = text.str();
    addReport(*w.launch, std::move(r));
}

void raceByte(Warp& w, const Instr* I, unsigned lane, u64 offset, u32 size, AccessKind kind,
              BlockShadow& shadow, Cell& c, bool& told)
{
    const u32 epoch = w.block->epoch, sync = shadow.warpSync[w.index];
    const auto me = static_cast<std::uint16_t>(w.index * 32 + lane + 1);
    const auto sameWarp = [&](u32 thread) { return (thread - 1) / 32 == w.index; };
    const bool writeHere = c.writeEpoch == epoch && c.writeThread != me &&
                           !(sameWarp(c.writeThread) && c.writeSync != sync);
    const bool readHere = c.readEpoch == epoch && (c.readThread != me || c.manyReaders) &&
                          !(sameWarp(c.readThread) && !c.manyReaders && c.readSync != sync);
    if (kind != AccessKind::Read) {
        // Lanes of one instruction that write one place are not ordered, but not reported as a race
        // either.
        const bool sameInstruction = writeHere && c.writer == I && sameWarp(c.writeThread);
        if (writeHere && !told && !sameInstruction &&
            !(kind == AccessKind::Atomic && c.writeAtomic)) {
            hazard(w, I, lane, offset, size, kind, "WAW",
                   otherSite(w, c.writer, c.writerFunction, c.writeThread, "write", size));
            told = true;
        }
        if (readHere && !told) {
            hazard(w, I, lane, offset, size, kind, "WAR",
                   otherSite(w, c.reader, c.readerFunction, c.readThread, "read", size));
            told = true;
        }
        c.writer = I;
        c.writerFunction = w.frame->fn;
        c.writeEpoch = epoch;
        c.writeSync = sync;
        c.writeThread = me;
        c.writeAtomic = kind == AccessKind::Atomic;
    } else {
        if (writeHere && !told) {
            hazard(w, I, lane, offset, size, kind, "RAW",
                   otherSite(w, c.writer, c.writerFunction, c.writeThread,
                             c.writeAtomic ? "atomic" : "write", size));
            told = true;
        }
        c.manyReaders =
            c.readEpoch == epoch && c.readThread != 0 && (c.manyReaders || c.readThread != me);
        c.reader = I;
        c.readerFunction = w.frame->fn;
        c.readEpoch = epoch;
        c.readSync = sync;
        c.readThread = me;
    }
}

} // namespace

void checkGlobal(Warp& w, const Instr* I, const u64* address, u32 mask, u32 size, AccessKind kind,
                 const MemoryRange* range)
{
    if (!w.launch->options->checkInit || range->initialised == nullptr) {
        return;
    }
    for (u32 m = mask; m != 0; m &= m - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(m));
        const u64 offset = address[i] - range->base;
        bool missing = false;
        for (u64 at = offset; at < offset + size;) {
            const u64 n = std::min<u64>(8 - at % 8, offset + size - at);
            const auto bits = static_cast<u8>(((1U << n) - 1) << (at % 8));
            // Neighbouring bytes belong to other threads.
            std::atomic_ref<u8> byte(range->initialised[at / 8]);
            const u8 now = byte.load(std::memory_order_relaxed);
            if ((now & bits) != bits) {
                missing = true;
                if (kind != AccessKind::Read) {
                    byte.fetch_or(bits, std::memory_order_relaxed);
                }
            }
            at += n;
        }
        if (missing && kind != AccessKind::Write) {
            uninitialised(w, I, i, address[i], size, "global");
        }
    }
}

void checkShared(Warp& w, const Instr* I, const u64* offsets, u32 mask, u32 size, AccessKind kind)
{
    BlockShadow& shadow = *shadowOf(w);
    for (u32 m = mask; m != 0; m &= m - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(m));
        const u64 at = offsets[i];
        if (!shadow.written.empty()) {
            bool missing = false;
            for (u64 k = at; k < at + size; ++k) {
                missing |= shadow.written[k] == 0;
                shadow.written[k] |= kind != AccessKind::Read;
            }
            if (missing && kind != AccessKind::Write) {
                uninitialised(w, I, i, at, size, "shared");
            }
        }
        bool told = false;
        for (u64 k = at; !shadow.cells.empty() && k < at + size; ++k) {
            raceByte(w, I, i, at, size, kind, shadow, shadow.cells[k], told);
        }
    }
}

void checkLocal(Warp&, const Instr*, const u64*, u32, u32, AccessKind)
{
    // Local memory belongs to one thread: no races; its initialisation is not tracked.
}

void noteWarpSync(Warp& w)
{
    if (BlockShadow* shadow = shadowOf(w)) {
        ++shadow->warpSync[w.index];
    }
}

void checkBarrier(Warp& w, const Instr* I, u32 number, u32)
{
    const bool aligned = (I->aux & (1U << 16)) == 0;
    if (!w.launch->options->checkSync || !aligned || w.mask == w.live) {
        return;
    }
    const auto lane = static_cast<unsigned>(std::countr_zero(w.mask));
    CheckReport r;
    r.checker = "sync";
    r.kind = "divergent barrier";
    r.space = "shared";
    r.kernel = w.launch->program->functions[0]->name;
    r.site = siteOf(w, I, lane, "barrier", 0);
    r.text = "Barrier error detected. Divergent thread(s) in warp: " +
             std::to_string(std::popcount(w.mask)) + " of " +
             std::to_string(std::popcount(w.live)) + " threads of warp " + std::to_string(w.index) +
             " arrive at barrier " + std::to_string(number) + "\n" + placeOf(w, I, lane);
    addReport(*w.launch, std::move(r));
}

void reportStuckLanes(Warp& w, const Group& g)
{
    if (!w.launch->options->checkSync) {
        return;
    }
    enterFrame(w, g.frame);
    const auto lane = static_cast<unsigned>(std::countr_zero(g.mask));
    const Instr* I = g.warpBarrier ? g.pc - 1 : g.pc;
    CheckReport r;
    r.checker = "sync";
    r.kind = "missing lanes";
    r.space = "shared";
    r.kernel = w.launch->program->functions[0]->name;
    r.site = siteOf(w, I, lane, "barrier", 0);
    std::ostringstream text;
    text << "Barrier error detected. Invalid arguments: lanes " << hex(g.members & w.live & ~g.mask)
         << " of the member mask " << hex(g.members) << " do not arrive\n"
         << placeOf(w, I, lane);
    r.text = text.str();
    addReport(*w.launch, std::move(r));
}

void beginBlockChecks(Block& block)
{
    if (block.worker->launch->checkAny) {
        block.checkers = std::make_unique<BlockShadow>(*block.worker->launch);
    }
}

} // namespace ridgeline::emu
