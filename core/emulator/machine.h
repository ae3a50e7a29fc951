// SPDX-License-Identifier: GPL-3.0-or-later
// The state a launch runs in: launch, worker thread, resident block, warp, groups of lanes.
#pragma once

#include "core/emulator/ir.h"
#include "core/emulator/memory_impl.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <string>

namespace ridgeline::emu {

struct Block;
struct Worker;
struct Launch;
class Checkers;

/// Registers and parameters of one call. Lanes that called together share it.
struct Frame {
    std::byte* regs = nullptr;
    const Function* fn = nullptr;
    Frame* caller = nullptr;
    const Instr* returnTo = nullptr; ///< in the caller
    const CallSite* site = nullptr;
    std::uint32_t lanes = 0; ///< that have not returned
    std::uint32_t depth = 0;
    std::uint32_t localBase = 0;
    std::size_t capacity = 0;
    std::unique_ptr<std::byte[]> memory;
};

enum class GroupState : std::uint8_t { Runnable, WaitLanes, WaitBarrier };

/// Lanes at the same instruction of the same call, not running now.
struct Group {
    const Instr* pc = nullptr;
    Frame* frame = nullptr;
    std::uint32_t mask = 0;
    std::uint32_t members = 0; ///< WaitLanes: the lanes it waits for
    GroupState state = GroupState::Runnable;
    std::uint8_t barrier = 0;
    bool warpBarrier = false;         ///< WaitLanes at bar.warp.sync: continues at pc
    const Instr* reduction = nullptr; ///< WaitBarrier at bar.red: whose result it takes
};

struct LaneCounters {
    std::uint64_t v[8] = {}; ///< as Prefix
};

struct Warp {
    std::byte* base[2] = {nullptr, nullptr}; ///< current frame's registers, its function's pool
    std::uint32_t mask = 0;                  ///< lanes running now
    std::uint32_t live = 0;                  ///< lanes that have not exited
    const Instr* runStart = nullptr;         ///< where the lanes' uncounted run began
    int budget = 0;                          ///< backward branches until the warp hands over
    int starve = 0;                          ///< backward branches taken while other lanes waited
    int boost = 0; ///< > 0: keep the current lanes though others are behind
    std::uint32_t parkedCount = 0;
    Frame* frame = nullptr;
    Block* block = nullptr;
    Worker* worker = nullptr;
    Launch* launch = nullptr;
    const std::byte* params = nullptr;
    std::uint64_t warpInstructions = 0;
    LaneCounters lanes;
    Group parked[32];
    Frame top;
    std::byte* local = nullptr;   ///< launch->localBytes per lane, lane after lane
    std::uint32_t index = 0;      ///< in the block
    std::uint32_t id[3][32] = {}; ///< %tid
    bool done = false;
    bool forceSync = false; ///< lanes that are waited for will not come
    bool carry[32] = {};    ///< CC.CF of add.cc and friends
};

struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0; ///< 0: all live threads
    std::uint32_t popc = 0;
    bool allTrue = true, anyTrue = false;
    const Instr* first = nullptr; ///< the instruction of the first arrival (checkers)
};

struct Block {
    Dim3 index;
    std::uint64_t linear = 0;
    Worker* worker = nullptr;
    std::vector<std::unique_ptr<Warp>> warps;
    std::unique_ptr<std::byte[]> sharedMemory;
    std::byte* shared = nullptr;
    std::unique_ptr<std::byte[]> frames;
    std::unique_ptr<std::byte[]> locals;
    std::uint32_t liveThreads = 0;
    std::uint32_t epoch = 0; ///< barriers passed
    Barrier barriers[16];
    std::unique_ptr<Checkers> checkers;
};

struct Worker {
    Launch* launch = nullptr;
    Counters counters;
    std::vector<const MemoryRange*> slots; ///< last allocation per memory instruction
    std::vector<std::unique_ptr<Frame>> freeFrames, activeFrames;
};

/// Everything the workers of one launch share.
struct Launch {
    const Program* program = nullptr;
    Memory* memory = nullptr;
    const LaunchConfig* config = nullptr;
    const ExecOptions* options = nullptr;
    MemorySnapshot snapshot;
    std::uint32_t threadsPerBlock = 0, warpsPerBlock = 0;
    std::uint32_t sharedBytes = 0;
    std::uint32_t localBytes = 0;
    std::uint32_t paramBytes = 0;
    std::uint64_t gridWorkspace = 0; ///< %envreg1/2: barrier of a cooperative launch
    std::uint64_t startNs = 0;
    bool count = true;
    bool checkAny = false;
    std::atomic<std::uint64_t> nextBlock{0};
    std::atomic<bool> stop{false};
    std::mutex mutex; ///< guards everything below
    LaunchStatus status = LaunchStatus::Ok;
    std::string message;
    std::vector<CheckReport> reports;
    std::vector<void*> freedByDevice;

    /// First fault wins; stops all workers.
    void fault(LaunchStatus what, const std::string& text);
};

// Grid and thread of a lane, for messages.
Dim3 threadOf(const Warp& warp, unsigned lane);
/// "kernel …, block (x,y,z), thread (x,y,z)[, file:line], PTX line n"
std::string placeOf(const Warp& warp, const Instr* instr, unsigned lane);
SourceLine sourceOf(const Warp& warp, const Instr* instr);
int ptxLineOf(const Warp& warp, const Instr* instr);
/// Records a fault of one lane and returns null, for handlers to return.
const Instr* faultAt(Warp& warp, const Instr* instr, unsigned lane, LaunchStatus status,
                     const std::string& what);

// Scheduling inside a warp (warp.cpp).
/// Adds the run that ends with `last` (inclusive) to the counters.
void endRun(Warp& warp, const Instr* last);
/// Parks the current lanes at `pc` in the given state.
Group& park(Warp& warp, const Instr* pc, GroupState state = GroupState::Runnable);
/// Takes up the best runnable lanes; null when there are none.
const Instr* pickNext(Warp& warp);
/// The current lanes are at `pc` (a block's beginning): others may go first or join.
const Instr* reconsider(Warp& warp, const Instr* pc);
/// As reconsider, for a backward branch: counts the turn and looks after lanes that wait for long.
const Instr* backward(Warp& warp, const Instr* pc);
/// bar.warp.sync.
const Instr* warpBarrier(Warp& warp, const Instr* instr, std::uint32_t members);
/// Gives an emptied call frame back.
void releaseFrame(Warp& warp, Frame* frame);
/// The current lanes exit.
const Instr* exitLanes(Warp& warp, const Instr* instr);
/// Lanes named in `members` must run the instruction together. True when they do; otherwise the
/// current lanes were parked and `next` says how to go on.
bool gather(Warp& warp, const Instr* instr, std::uint32_t members, const Instr*& next);
void enterFrame(Warp& warp, Frame* frame);
/// Called when a barrier may have become complete.
void tryRelease(Block& block, unsigned barrier);

template <class T>
inline T* regPtr(Warp& w, Reg r)
{
    return reinterpret_cast<T*>(w.base[r >> 31] + (r & ~poolBit));
}

} // namespace ridgeline::emu
