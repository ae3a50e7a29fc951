// SPDX-License-Identifier: GPL-3.0-or-later
// How the interpreter sees device memory during a launch.
#pragma once

#include "core/emulator/memory.h"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace ridgeline::emu {

/// Shadow state of an allocation that outlives launches.
struct Shadow {
    std::unique_ptr<std::atomic<std::uint8_t>[]> loadStamp,
        storeStamp;                              ///< launch stamp per 32-byte sector
    std::unique_ptr<std::uint8_t[]> initialised; ///< a bit per byte
};

/// An allocation as the interpreter looks it up: half-open [base, end).
struct MemoryRange {
    std::uint64_t base = 0, end = 0;
    std::uint64_t sectorBase = 0; ///< base / 32
    std::atomic<std::uint8_t>* loadStamp = nullptr;
    std::atomic<std::uint8_t>* storeStamp = nullptr;
    std::uint8_t* initialised = nullptr;
    void* checker = nullptr; ///< per-launch shadow of the race checker
};

struct MemorySnapshot {
    std::vector<MemoryRange> ranges; ///< sorted by base
    std::uint8_t stamp = 0;
    const MemoryRange* find(std::uint64_t address) const;
    /// Memory that device code allocates while the launch runs. Thread-safe.
    void addDynamic(const MemoryRange& range);
    void dropDynamic(std::uint64_t base);

private:
    struct Dynamic {
        std::mutex mutex; ///< guards ranges
        std::deque<MemoryRange> ranges;
    };
    std::shared_ptr<Dynamic> m_dynamic = std::make_shared<Dynamic>();
};

struct Memory::Impl {
    struct Block {
        Allocation info;
        void* raw = nullptr; ///< what to free; null for registered host memory
        Shadow shadow;
    };
    mutable std::mutex mutex; ///< guards everything here
    std::map<std::uintptr_t, Block> live;
    std::map<std::uintptr_t, Allocation> freed; ///< recently freed, for reports
    std::size_t limit = 0, used = 0;
    std::uint64_t serial = 0;
    std::uint8_t stamp = 0;
    bool trackInit = false;
    std::mutex launchMutex; ///< one launch at a time

    void startTracking();
    MemorySnapshot snapshot(bool count, bool init);
    MemoryRange rangeOf(void* base, bool count);
    MemoryRange makeRange(Block& block, bool count);
    const Block* blockAt(std::uintptr_t address) const;
};

} // namespace ridgeline::emu
