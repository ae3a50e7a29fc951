// SPDX-License-Identifier: GPL-3.0-or-later
// Which lanes of a warp run next. Lanes at one instruction of one call form a group; the deepest
// call's lowest instruction goes first, so that lanes meet again without a control-flow graph, and
// lanes that were passed over for long get a turn, so that a spin lock between lanes ends.
#include "core/emulator/checkers.h"

#include <bit>
#include <sstream>

namespace ridgeline::emu {
namespace {

constexpr int starveLimit = 128;
constexpr int boostLength = 512;

bool before(const Group& a, const Frame* frame, const Instr* pc)
{
    return a.frame->depth != frame->depth ? a.frame->depth > frame->depth : a.pc < pc;
}

void removeParked(Warp& w, std::uint32_t index)
{
    for (std::uint32_t i = index + 1; i < w.parkedCount; ++i) {
        w.parked[i - 1] = w.parked[i];
    }
    --w.parkedCount;
}

/// Joins runnable parked lanes at the same place to the current ones.
void join(Warp& w, const Instr* pc)
{
    for (std::uint32_t i = 0; i < w.parkedCount;) {
        const Group& g = w.parked[i];
        if (g.state == GroupState::Runnable && g.pc == pc && g.frame == w.frame) {
            w.mask |= g.mask;
            removeParked(w, i);
        } else {
            ++i;
        }
    }
}

const Instr* take(Warp& w, std::uint32_t index)
{
    const Group g = w.parked[index];
    removeParked(w, index);
    w.mask = g.mask;
    enterFrame(w, g.frame);
    join(w, g.pc);
    w.runStart = g.pc;
    return g.pc;
}

} // namespace

void enterFrame(Warp& w, Frame* frame)
{
    w.frame = frame;
    w.base[0] = frame->regs;
    w.base[1] = frame->fn->pool;
}

void endRun(Warp& w, const Instr* last)
{
    const Function& fn = *w.frame->fn;
    const Prefix& to = fn.prefix[static_cast<std::size_t>(last + 1 - fn.code.data())];
    const Prefix& from = fn.prefix[static_cast<std::size_t>(w.runStart - fn.code.data())];
    const auto n = static_cast<std::uint64_t>(std::popcount(w.mask));
    w.warpInstructions += to.instrs - from.instrs;
    const auto* a = &to.instrs;
    const auto* b = &from.instrs;
    for (int i = 0; i < 8; ++i) {
        w.lanes.v[i] += std::uint64_t(a[i] - b[i]) * n;
    }
}

Group& park(Warp& w, const Instr* pc, GroupState state)
{
    Group& g = w.parked[w.parkedCount++];
    g = Group{};
    g.pc = pc;
    g.frame = w.frame;
    g.mask = w.mask;
    g.state = state;
    w.mask = 0;
    return g;
}

const Instr* pickNext(Warp& w)
{
    std::uint32_t best = w.parkedCount;
    for (std::uint32_t i = 0; i < w.parkedCount; ++i) {
        if (w.parked[i].state == GroupState::Runnable &&
            (best == w.parkedCount ||
             before(w.parked[i], w.parked[best].frame, w.parked[best].pc))) {
            best = i;
        }
    }
    if (best == w.parkedCount) {
        w.mask = 0;
        return nullptr;
    }
    return take(w, best);
}

const Instr* reconsider(Warp& w, const Instr* pc)
{
    w.runStart = pc;
    if (w.parkedCount == 0) {
        return pc;
    }
    join(w, pc);
    if (w.boost > 0) {
        --w.boost;
        return pc;
    }
    for (std::uint32_t i = 0; i < w.parkedCount; ++i) {
        if (w.parked[i].state == GroupState::Runnable && before(w.parked[i], w.frame, pc)) {
            park(w, pc);
            return pickNext(w);
        }
    }
    return pc;
}

const Instr* backward(Warp& w, const Instr* pc)
{
    if (--w.budget <= 0) {
        park(w, pc);
        return nullptr;
    }
    if (w.parkedCount != 0 && ++w.starve > starveLimit) {
        w.starve = 0;
        for (std::uint32_t i = 0; i < w.parkedCount; ++i) {
            if (w.parked[i].state == GroupState::Runnable) {
                park(w, pc);
                w.boost = boostLength;
                return take(w, i);
            }
        }
    }
    return reconsider(w, pc);
}

bool gather(Warp& w, const Instr* instr, std::uint32_t members, const Instr*& next)
{
    const std::uint32_t need = members & w.live;
    if (w.launch->checkAny) {
        noteWarpSync(w);
    }
    if ((w.mask & need) == need) {
        return true;
    }
    std::uint32_t there = w.mask;
    for (std::uint32_t i = 0; i < w.parkedCount; ++i) {
        const Group& g = w.parked[i];
        if (g.state == GroupState::WaitLanes && !g.warpBarrier && g.pc == instr &&
            g.frame == w.frame) {
            there |= g.mask;
        }
    }
    endRun(w, instr - 1);
    w.runStart = instr;
    if ((there & need) != need && !w.forceSync) {
        Group& g = park(w, instr, GroupState::WaitLanes);
        g.members = members;
        next = pickNext(w);
        return false;
    }
    w.forceSync = false;
    for (std::uint32_t i = 0; i < w.parkedCount;) {
        const Group& g = w.parked[i];
        if (g.state == GroupState::WaitLanes && !g.warpBarrier && g.pc == instr &&
            g.frame == w.frame) {
            w.mask |= g.mask;
            removeParked(w, i);
        } else {
            ++i;
        }
    }
    return true;
}

const Instr* warpBarrier(Warp& w, const Instr* instr, std::uint32_t members)
{
    const std::uint32_t need = members & w.live;
    if (w.launch->checkAny) {
        noteWarpSync(w);
    }
    if ((w.mask & need) == need) {
        return instr + 1;
    }
    std::uint32_t there = w.mask;
    for (std::uint32_t i = 0; i < w.parkedCount; ++i) {
        const Group& g = w.parked[i];
        if (g.warpBarrier && g.members == members) {
            there |= g.mask;
        }
    }
    endRun(w, instr);
    if ((there & need) != need && !w.forceSync) {
        Group& g = park(w, instr + 1, GroupState::WaitLanes);
        g.members = members;
        g.warpBarrier = true;
        return pickNext(w);
    }
    w.forceSync = false;
    for (std::uint32_t i = 0; i < w.parkedCount; ++i) {
        Group& g = w.parked[i];
        if (g.warpBarrier && g.members == members) {
            g.state = GroupState::Runnable;
            g.warpBarrier = false;
        }
    }
    return reconsider(w, instr + 1);
}

void releaseFrame(Warp& w, Frame* frame)
{
    for (auto& owned : w.worker->activeFrames) {
        if (owned.get() == frame) {
            std::swap(owned, w.worker->activeFrames.back());
            w.worker->freeFrames.push_back(std::move(w.worker->activeFrames.back()));
            w.worker->activeFrames.pop_back();
            return;
        }
    }
}

const Instr* exitLanes(Warp& w, const Instr* instr)
{
    endRun(w, instr);
    const std::uint32_t gone = w.mask;
    w.live &= ~gone;
    w.mask = 0;
    Block& block = *w.block;
    block.liveThreads -= static_cast<std::uint32_t>(std::popcount(gone));
    for (Frame* f = w.frame; f != nullptr && f->caller != nullptr;) {
        Frame* caller = f->caller;
        f->lanes &= ~gone;
        if (f->lanes == 0) {
            releaseFrame(w, f);
        }
        f = caller;
    }
    // Lanes that waited for the ones that left may go on.
    for (std::uint32_t i = 0; i < w.parkedCount; ++i) {
        Group& g = w.parked[i];
        if (g.state != GroupState::WaitLanes) {
            continue;
        }
        std::uint32_t there = 0;
        for (std::uint32_t k = 0; k < w.parkedCount; ++k) {
            const Group& h = w.parked[k];
            if (h.members == g.members && h.warpBarrier == g.warpBarrier &&
                h.state != GroupState::WaitBarrier && (g.warpBarrier || h.pc == g.pc)) {
                there |= h.mask;
            }
        }
        const std::uint32_t need = g.members & w.live;
        if ((there & need) == need) {
            g.state = GroupState::Runnable;
            g.warpBarrier = false;
        }
    }
    if (w.live == 0) {
        w.done = true;
    }
    for (unsigned b = 0; b < 16; ++b) {
        if (block.barriers[b].arrived > 0 && block.barriers[b].expected == 0) {
            tryRelease(block, b);
        }
    }
    return pickNext(w);
}

void tryRelease(Block& block, unsigned number)
{
    Barrier& bar = block.barriers[number];
    const std::uint32_t need = bar.expected != 0 ? bar.expected : block.liveThreads;
    if (bar.arrived == 0 || bar.arrived < need) {
        return;
    }
    for (auto& warp : block.warps) {
        Warp& w = *warp;
        for (std::uint32_t i = 0; i < w.parkedCount; ++i) {
            Group& g = w.parked[i];
            if (g.state != GroupState::WaitBarrier || g.barrier != number) {
                continue;
            }
            g.state = GroupState::Runnable;
            if (g.reduction != nullptr) {
                auto* at = g.frame->regs + g.reduction->dst;
                if ((g.reduction->aux & 0xFF) == 3) {
                    auto* out = reinterpret_cast<std::uint32_t*>(at);
                    for (unsigned lane = 0; lane < 32; ++lane) {
                        if ((g.mask >> lane) & 1U) {
                            out[lane] = bar.popc;
                        }
                    }
                } else {
                    auto* out = reinterpret_cast<std::uint32_t*>(at);
                    const bool value = (g.reduction->aux & 0xFF) == 1 ? bar.allTrue : bar.anyTrue;
                    *out = value ? *out | g.mask : *out & ~g.mask;
                }
            }
        }
    }
    bar = Barrier{};
    ++block.epoch;
}

Dim3 threadOf(const Warp& w, unsigned lane)
{
    return {w.id[0][lane], w.id[1][lane], w.id[2][lane]};
}

SourceLine sourceOf(const Warp& w, const Instr* instr)
{
    const Function& fn = *w.frame->fn;
    const InstrInfo& info = fn.info[static_cast<std::size_t>(instr - fn.code.data())];
    SourceLine line;
    if (info.source.line != 0) {
        const auto file = fn.module->files.find(info.source.file);
        line.file = file != fn.module->files.end() ? file->second : "";
        line.line = static_cast<int>(info.source.line);
    }
    return line;
}

int ptxLineOf(const Warp& w, const Instr* instr)
{
    const Function& fn = *w.frame->fn;
    return fn.info[static_cast<std::size_t>(instr - fn.code.data())].line;
}

std::string placeOf(const Warp& w, const Instr* instr, unsigned lane)
{
    const Dim3 t = threadOf(w, lane);
    const Dim3 b = w.block->index;
    const SourceLine source = sourceOf(w, instr);
    std::ostringstream out;
    out << "    at " << w.frame->fn->name;
    if (source.line != 0) {
        out << " in " << source.file << ':' << source.line;
    }
    out << " (PTX line " << ptxLineOf(w, instr) << ")\n    by thread (" << t.x << ',' << t.y << ','
        << t.z << ") in block (" << b.x << ',' << b.y << ',' << b.z << ')';
    return out.str();
}

void Launch::fault(LaunchStatus what, const std::string& text)
{
    const std::lock_guard lock(mutex);
    if (status == LaunchStatus::Ok) {
        status = what;
        message = text;
    }
    stop.store(true, std::memory_order_relaxed);
}

const Instr* faultAt(Warp& w, const Instr* instr, unsigned lane, LaunchStatus status,
                     const std::string& what)
{
    w.launch->fault(status, what + "\n" + placeOf(w, instr, lane));
    return nullptr;
}

} // namespace ridgeline::emu
