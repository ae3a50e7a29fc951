// SPDX-License-Identifier: GPL-3.0-or-later
// Branches, calls, returns, barriers, fences, trap.
#include "core/emulator/builtins.h"
#include "core/emulator/checkers.h"
#include "core/emulator/decode.h"
#include "core/emulator/lanes.h"

#include <atomic>
#include <thread>

namespace ridgeline::emu {
namespace {

constexpr u32 negatedBit = 0x80000000U, backwardBit = 0x100U;

const Instr* jump(Warp& w, const Instr* I, const Instr* target)
{
    return I->aux & backwardBit ? backward(w, target) : reconsider(w, target);
}

/// imm: index of the target.
const Instr* bra(Warp& w, const Instr* I)
{
    endRun(w, I);
    return jump(w, I, w.frame->fn->code.data() + I->imm);
}

const Instr* braIf(Warp& w, const Instr* I)
{
    const u32 p = pred(w, I->guard) ^ (I->aux & negatedBit ? fullMask : 0U);
    const u32 taken = p & w.mask;
    endRun(w, I);
    const Instr* target = w.frame->fn->code.data() + I->imm;
    if (taken == w.mask) {
        return jump(w, I, target);
    }
    if (taken == 0) {
        return reconsider(w, I + 1);
    }
    const u32 stay = w.mask & ~taken;
    // Both ways: those with the lower instruction go first.
    w.mask = taken;
    park(w, target);
    w.mask = stay;
    if (I->aux & backwardBit) {
        return backward(w, I + 1);
    }
    return reconsider(w, I + 1);
}

void decodeBra(Decoder& d)
{
    d.flow().targets.push_back(static_cast<u32>(d.op(0).imm));
    if (d.op(0).kind != Operand::Kind::Label) {
        Decoder::refuse("bra needs a label");
    }
    d.flow().falls = d.ast().guard >= 0;
    d.finishBranch(d.ast().guard >= 0 ? braIf : bra);
}

/// brx.idx: src0 index, extra targets, slot count.
const Instr* brx(Warp& w, const Instr* I)
{
    const u32* index = regPtr<u32>(w, I->src[0]);
    endRun(w, I);
    const Function& fn = *w.frame->fn;
    u32 left = w.mask;
    while (left != 0) {
        const auto first = static_cast<unsigned>(std::countr_zero(left));
        const u32 k = index[first];
        if (k >= I->slot) {
            return faultAt(w, I, first, LaunchStatus::IllegalInstruction,
                           "brx.idx index " + std::to_string(k) + " is outside of its table of " +
                               std::to_string(I->slot));
        }
        u32 same = 0;
        for (unsigned i = first; i < 32; ++i) {
            same |= u32(lane(left, i) && index[i] == k) << i;
        }
        left &= ~same;
        w.mask = same;
        park(w, fn.code.data() + fn.extra[I->extra + k]);
    }
    return pickNext(w);
}

void decodeBrx(Decoder& d)
{
    d.has("idx");
    d.expectCount(2);
    const auto& lists = d.function().ast->branchTargets;
    const auto found = lists.find(d.op(1).name);
    if (found == lists.end()) {
        Decoder::refuse("brx.idx needs a .branchtargets list");
    }
    d.use(Field::Src0, 0, Type::B32);
    d.beginExtra();
    for (u32 target : found->second) {
        d.flow().targets.push_back(target);
        d.extraValue(0);
    }
    d.flow().falls = d.ast().guard >= 0;
    d.instr().slot = static_cast<u32>(found->second.size());
    d.instr().aux |= 0x400;
    d.finishControl(brx);
}

std::byte* slotAt(std::byte* regs, const std::byte* pool, const CallSlot& s, unsigned lane)
{
    std::byte* base = s.isReg && (s.offset & poolBit) ? const_cast<std::byte*>(pool) : regs;
    return base + (s.offset & ~poolBit) + u64(lane) * s.bytes;
}

const Instr* call(Warp& w, const Instr* I)
{
    const CallSite& site = w.frame->fn->calls[I->extra];
    if (site.builtin != Builtin::None) {
        return runBuiltin(w, I, site);
    }
    const Function* target = site.target;
    if (I->src[0] != noReg) {
        const u64* address = regPtr<u64>(w, I->src[0]);
        const auto first = static_cast<unsigned>(std::countr_zero(w.mask));
        const u64 value = address[first];
        const u64 id = value & ~windowMask;
        const auto& byId = w.launch->program->byId;
        target = (value & windowMask) == codeWindow && id < byId.size() ? byId[id] : nullptr;
        if (target == nullptr || target->params.size() != site.args.size() ||
            target->results.size() < site.results.size()) {
            return faultAt(w, I, first, LaunchStatus::IllegalInstruction,
                           "call through a pointer that is no function of this signature");
        }
        u32 same = 0;
        for (unsigned i = 0; i < 32; ++i) {
            same |= u32(lane(w.mask, i) && address[i] == value) << i;
        }
        if (same != w.mask) {
            // Lanes with other targets wait at the call and take their turn.
            endRun(w, I - 1);
            const u32 rest = w.mask & ~same;
            w.mask = rest;
            park(w, I);
            w.mask = same;
            w.runStart = I;
        }
    }
    endRun(w, I);
    Frame* caller = w.frame;
    if (caller->depth >= 4096) {
        return faultAt(w, I, static_cast<unsigned>(std::countr_zero(w.mask)),
                       LaunchStatus::IllegalAddress, "Stack overflow: more than 4096 nested calls");
    }
    const u32 localBase = caller->localBase + caller->fn->localBytes;
    if (localBase + target->localBytes > w.launch->localBytes) {
        return faultAt(
            w, I, static_cast<unsigned>(std::countr_zero(w.mask)), LaunchStatus::IllegalAddress,
            "Stack overflow: the call needs more than the " + std::to_string(w.launch->localBytes) +
                " bytes of local memory a thread has");
    }
    Frame* frame = newFrame(w, target);
    frame->caller = caller;
    frame->returnTo = I + 1;
    frame->site = &site;
    frame->lanes = w.mask;
    frame->depth = caller->depth + 1;
    frame->localBase = localBase;
    for (std::size_t k = 0; k < site.args.size() && k < target->params.size(); ++k) {
        const CallSlot& from = site.args[k];
        const CallSlot& to = target->params[k];
        for (u32 m = w.mask; m != 0; m &= m - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(m));
            std::memcpy(slotAt(frame->regs, target->pool, to, i),
                        slotAt(caller->regs, caller->fn->pool, from, i),
                        std::min(from.bytes, to.bytes));
        }
    }
    enterFrame(w, frame);
    w.runStart = target->code.data();
    return target->code.data();
}

const Instr* ret(Warp& w, const Instr* I)
{
    Frame* frame = w.frame;
    if (frame->caller == nullptr) {
        return exitLanes(w, I);
    }
    endRun(w, I);
    Frame* caller = frame->caller;
    const CallSite& site = *frame->site;
    for (std::size_t k = 0; k < site.results.size(); ++k) {
        const CallSlot& from = frame->fn->results[k];
        const CallSlot& to = site.results[k];
        for (u32 m = w.mask; m != 0; m &= m - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(m));
            std::memcpy(slotAt(caller->regs, caller->fn->pool, to, i),
                        slotAt(frame->regs, frame->fn->pool, from, i),
                        std::min(from.bytes, to.bytes));
        }
    }
    const Instr* next = frame->returnTo;
    frame->lanes &= ~w.mask;
    if (frame->lanes == 0) {
        releaseFrame(w, frame);
    }
    enterFrame(w, caller);
    return reconsider(w, next);
}

const Instr* exitHandler(Warp& w, const Instr* I)
{
    return exitLanes(w, I);
}

/// A guarded ret or exit: some lanes leave, the others go on behind it.
template <Handler H>
const Instr* leaveIf(Warp& w, const Instr* I)
{
    const u32 p = (pred(w, I->guard) ^ (I->aux & negatedBit ? fullMask : 0U)) & w.mask;
    if (p == 0) {
        return I + 1;
    }
    if (p != w.mask) {
        endRun(w, I - 1);
        const u32 stay = w.mask & ~p;
        w.mask = stay;
        park(w, I + 1);
        w.mask = p;
        w.runStart = I;
    }
    return H(w, I);
}

void decodeRet(Decoder& d)
{
    d.flow().falls = d.ast().guard >= 0;
    d.finishBranch(d.ast().guard >= 0 ? leaveIf<ret> : ret);
}
void decodeExit(Decoder& d)
{
    d.flow().falls = d.ast().guard >= 0;
    d.finishBranch(d.ast().guard >= 0 ? leaveIf<exitHandler> : exitHandler);
}

const Instr* trap(Warp& w, const Instr* I)
{
    return faultAt(w, I, static_cast<unsigned>(std::countr_zero(w.mask)), LaunchStatus::Trap,
                   "Trap instruction executed");
}
void decodeTrap(Decoder& d)
{
    d.flow().falls = d.ast().guard >= 0;
    d.finishControl(trap);
}

void decodeCall(Decoder& d)
{
    const AstInstr& ast = d.ast();
    CallSite site;
    const auto slotFor = [&](const Operand& operand, const Variable* formal, bool result) {
        if (operand.kind == Operand::Kind::Symbol) {
            return d.paramSlot(operand);
        }
        CallSlot slot;
        slot.isReg = true;
        const unsigned bits = d.registerBits(operand) != 0 ? d.registerBits(operand)
                              : formal != nullptr          ? std::max(16U, bitsOf(formal->type))
                                                           : 32U;
        if (bits < 8) {
            Decoder::refuse("a predicate as an argument of a call is not implemented");
        }
        slot.bytes = std::max(2U, bits / 8);
        slot.offset = static_cast<u32>(d.function().extra.size());
        const Type type = bits == 16   ? Type::B16
                          : bits == 32 ? Type::B32
                          : bits == 64 ? Type::B64
                                       : Type::B128;
        result ? d.extraDef(operand, type, true)
               : d.extraUse(operand,
                            formal != nullptr && isFloat(formal->type) ? formal->type : type, true);
        return slot;
    };
    const std::vector<std::unique_ptr<Variable>>* formals = nullptr;
    if (!ast.callTarget.empty()) {
        site.builtin = builtinFor(ast.callTarget);
        if (site.builtin == Builtin::None) {
            site.target = d.link().functionFor(*d.function().module, ast.callTarget);
            if (site.target == nullptr) {
                Decoder::refuse("call of '" + std::string(ast.callTarget) +
                                "', which no module defines (or which is a device runtime function "
                                "that is not implemented)");
            }
            formals = &site.target->ast->params;
            if (site.target->ast->params.size() != ast.callArgs.size() ||
                site.target->ast->results.size() < ast.callResults.size()) {
                Decoder::refuse("call of '" + std::string(ast.callTarget) +
                                "' with the wrong number of arguments");
            }
        } else if (ast.callArgs.size() != builtinArguments(site.builtin)) {
            Decoder::refuse("call of '" + std::string(ast.callTarget) +
                            "' with the wrong number of arguments");
        }
    } else {
        d.use(Field::Src0, 0, Type::B64);
    }
    for (std::size_t i = 0; i < ast.callArgs.size(); ++i) {
        site.args.push_back(
            slotFor(ast.callArgs[i], formals != nullptr ? (*formals)[i].get() : nullptr, false));
    }
    for (const Operand& result : ast.callResults) {
        site.results.push_back(slotFor(result, nullptr, true));
    }
    d.instr().extra = static_cast<u32>(d.function().calls.size());
    d.function().calls.push_back(std::move(site));
    d.finishControl(call);
}

/// bar.*: aux low byte 0 sync, 1 red.and, 2 red.or, 3 red.popc, 4 arrive; bit 16 unaligned; bit 18
/// negated.
const Instr* barrier(Warp& w, const Instr* I)
{
    const auto first = static_cast<unsigned>(std::countr_zero(w.mask));
    const u32 number = regPtr<u32>(w, I->src[0])[first];
    const u32 count = I->src[1] != noReg ? regPtr<u32>(w, I->src[1])[first] : 0;
    if (number > 15) {
        return faultAt(w, I, first, LaunchStatus::IllegalInstruction,
                       "barrier " + std::to_string(number) + " does not exist");
    }
    Block& block = *w.block;
    Barrier& bar = block.barriers[number];
    if (w.launch->checkAny) {
        checkBarrier(w, I, number, count);
    }
    if (bar.arrived == 0) {
        bar.first = I;
    }
    bar.expected = count;
    bar.arrived += static_cast<u32>(std::popcount(w.mask));
    const u32 kind = I->aux & 0xFFU;
    if (kind >= 1 && kind <= 3) {
        const u32 p = (pred(w, I->src[2]) ^ (I->aux & (1U << 18) ? fullMask : 0U)) & w.mask;
        bar.allTrue &= p == w.mask;
        bar.anyTrue |= p != 0;
        bar.popc += static_cast<u32>(std::popcount(p));
    }
    if (kind == 4) {
        tryRelease(block, number);
        return I + 1;
    }
    endRun(w, I);
    Group& g = park(w, I + 1, GroupState::WaitBarrier);
    g.barrier = static_cast<u8>(number);
    g.reduction = kind >= 1 && kind <= 3 ? I : nullptr;
    tryRelease(block, number);
    return pickNext(w);
}

const Instr* barWarp(Warp& w, const Instr* I)
{
    return warpBarrier(w, I, regPtr<u32>(w, I->src[0])[std::countr_zero(w.mask)]);
}

void decodeBar(Decoder& d)
{
    if (d.has("warp")) {
        d.has("sync");
        d.use(Field::Src0, 0, Type::B32);
        d.finishControl(barWarp);
        return;
    }
    if (d.has("cluster")) {
        Decoder::refuse("barrier.cluster is not implemented");
    }
    u32 aux = d.ast().opcode == "barrier" && !d.has("aligned") ? 1U << 16 : 0U;
    d.has("cta");
    d.has("aligned");
    if (d.has("red")) {
        static constexpr std::pair<std::string_view, u32> ops[] = {
            {"and", 1}, {"or", 2}, {"popc", 3}};
        const u32 kind = d.oneOf(ops, 1U);
        const Type t = d.type();
        aux |= kind;
        d.def(Field::Dst, 0, t);
        d.use(Field::Src0, 1, Type::B32);
        const std::size_t last = d.count() - 1;
        if (last == 3) {
            d.use(Field::Src1, 2, Type::B32);
        }
        d.use(Field::Src2, last, Type::Pred);
        aux |= d.op(last).negated ? 1U << 18 : 0U;
    } else {
        const bool arrive = d.has("arrive");
        if (!arrive) {
            d.has("sync");
        }
        aux |= arrive ? 4U : 0U;
        if (d.count() == 0) {
            d.constant(Field::Src0, 0, 32);
        } else {
            d.use(Field::Src0, 0, Type::B32);
        }
        if (d.count() > 1) {
            d.use(Field::Src1, 1, Type::B32);
        }
    }
    d.instr().aux = aux;
    d.finishControl(barrier);
}

const Instr* fence(Warp&, const Instr* I)
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return I + 1;
}

void decodeFence(Decoder& d)
{
    while (!d.nextModifier().empty()) {
    }
    d.finish(fence);
}

/// nanosleep: other warps get their turn; no time is spent.
const Instr* nanosleep(Warp& w, const Instr* I)
{
    endRun(w, I);
    if (w.launch->stop.load(std::memory_order_relaxed)) {
        return nullptr;
    }
    w.budget -= 64;
    return backward(w, I + 1);
}

void decodeNanosleep(Decoder& d)
{
    d.type();
    d.use(Field::Src0, 0, Type::B32);
    d.flow().falls = true;
    d.finishControl(nanosleep);
}

const Instr* nothing(Warp&, const Instr* I)
{
    return I + 1;
}
void decodeNothing(Decoder& d)
{
    while (!d.nextModifier().empty()) {
    }
    d.finish(nothing);
}

} // namespace

Frame* newFrame(Warp& w, const Function* fn)
{
    auto& pool = w.worker->freeFrames;
    std::unique_ptr<Frame> frame;
    for (auto it = pool.rbegin(); it != pool.rend(); ++it) {
        if ((*it)->capacity >= fn->frameBytes) {
            frame = std::move(*it);
            pool.erase(std::next(it).base());
            break;
        }
    }
    if (!frame) {
        frame = std::make_unique<Frame>();
        frame->capacity = fn->frameBytes + 128U;
        frame->memory.reset(new std::byte[frame->capacity + 128]());
    }
    const auto at = reinterpret_cast<std::uintptr_t>(frame->memory.get());
    frame->regs = frame->memory.get() + ((128 - (at & 127)) & 127);
    frame->fn = fn;
    Frame* raw = frame.get();
    w.worker->activeFrames.push_back(std::move(frame));
    return raw;
}

const Instr* labelHandler(Warp& w, const Instr* I)
{
    if (w.parkedCount == 0) {
        return I + 1;
    }
    endRun(w, I);
    return reconsider(w, I + 1);
}

const Instr* guardHandler(Warp& w, const Instr* I)
{
    const u32 p = pred(w, I->guard) ^ (I->aux & negatedBit ? fullMask : 0U);
    const u32 active = p & w.mask, off = w.mask & ~p;
    if (off == 0) {
        return I->inner(w, I);
    }
    // What the lanes that are off do not do was counted for them: take it back.
    const Function& fn = *w.frame->fn;
    const auto index = static_cast<std::size_t>(I - fn.code.data());
    const u32* after = &fn.prefix[index + 1].instrs;
    const u32* before = &fn.prefix[index].instrs;
    const auto n = static_cast<u64>(std::popcount(off));
    for (int k = 0; k < 8; ++k) {
        w.lanes.v[k] -= u64(after[k] - before[k]) * n;
    }
    if (active == 0) {
        return I + 1;
    }
    const u32 all = w.mask;
    w.mask = active;
    const Instr* next = I->inner(w, I);
    if (next == I + 1 && w.mask == active) {
        w.mask = all;
        return next;
    }
    return next;
}

const Instr* guardControlHandler(Warp& w, const Instr* I)
{
    const u32 p = pred(w, I->guard) ^ (I->aux & negatedBit ? fullMask : 0U);
    const u32 active = p & w.mask, off = w.mask & ~p;
    if (off == 0) {
        return I->inner(w, I);
    }
    endRun(w, I - 1);
    if (active == 0) {
        w.warpInstructions += 1;
        w.runStart = I + 1;
        return I + 1;
    }
    w.mask = off;
    park(w, I + 1);
    w.mask = active;
    w.runStart = I;
    const Instr* next = I->inner(w, I);
    if (next == I + 1) {
        endRun(w, I);
        return reconsider(w, next);
    }
    return next;
}

void registerControl(DecodeTable& t)
{
    t["bra"] = decodeBra;
    t["brx"] = decodeBrx;
    t["call"] = decodeCall;
    t["ret"] = decodeRet;
    t["exit"] = decodeExit;
    t["trap"] = t["brkpt"] = decodeTrap;
    t["bar"] = t["barrier"] = decodeBar;
    t["membar"] = t["fence"] = decodeFence;
    t["nanosleep"] = decodeNanosleep;
    t["pmevent"] = t["griddepcontrol"] = decodeNothing;
}

} // namespace ridgeline::emu
