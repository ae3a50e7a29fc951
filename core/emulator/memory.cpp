// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/memory.h"
#include "core/emulator/memory_impl.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ridgeline::emu {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t freedKept = 1024;
constexpr int poison = 0xCB;

std::size_t bitmapBytes(std::size_t size)
{
    return (size + 7) / 8;
}

std::unique_ptr<std::uint8_t[]> bitmap(std::size_t size, bool set)
{
    auto bits = std::make_unique<std::uint8_t[]>(bitmapBytes(size));
    std::memset(bits.get(), set ? 0xFF : 0, bitmapBytes(size));
    return bits;
}

void setBits(std::uint8_t* bits, std::size_t from, std::size_t count)
{
    while (count > 0 && from % 8 != 0) {
        bits[from / 8] = static_cast<std::uint8_t>(bits[from / 8] | (1U << (from % 8)));
        ++from;
        --count;
    }
    std::memset(bits + from / 8, 0xFF, count / 8);
    from += count / 8 * 8;
    for (count %= 8; count > 0; --count, ++from) {
        bits[from / 8] = static_cast<std::uint8_t>(bits[from / 8] | (1U << (from % 8)));
    }
}

} // namespace

Memory::Memory(std::size_t limit) : m_impl(std::make_unique<Impl>())
{
    m_impl->limit = limit;
}

Memory::~Memory()
{
    for (auto& [base, block] : m_impl->live) {
        std::free(block.raw);
    }
}

void* Memory::allocate(std::size_t size, MemoryKind kind, std::string label)
{
    Impl& d = *m_impl;
    const std::lock_guard lock(d.mutex);
    if (size == 0 || size > d.limit || d.used > d.limit - size) {
        return nullptr;
    }
    // Behind each allocation lies a gap, so that a step past the end is in no allocation.
    const std::size_t padded = (size + 2 * alignment - 1) / alignment * alignment;
    void* raw = std::aligned_alloc(alignment, padded);
    if (raw == nullptr) {
        return nullptr;
    }
    std::memset(raw, poison, padded);
    Impl::Block block;
    block.raw = raw;
    block.info.base = reinterpret_cast<std::uintptr_t>(raw);
    block.info.size = size;
    block.info.kind = kind;
    block.info.serial = ++d.serial;
    block.info.label = std::move(label);
    if (d.trackInit) {
        block.shadow.initialised = bitmap(size, false);
    }
    d.used += size;
    // The address is in use again: what was freed there is history.
    const std::uintptr_t end = block.info.base + size;
    for (auto it = d.freed.begin(); it != d.freed.end();) {
        const bool overlaps =
            it->second.base < end && block.info.base < it->second.base + it->second.size;
        it = overlaps ? d.freed.erase(it) : std::next(it);
    }
    d.live.emplace(block.info.base, std::move(block));
    return raw;
}

bool Memory::release(void* pointer)
{
    Impl& d = *m_impl;
    const std::lock_guard lock(d.mutex);
    const auto found = d.live.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == d.live.end() || found->second.raw == nullptr) {
        return false;
    }
    std::free(found->second.raw);
    d.used -= found->second.info.size;
    found->second.info.freed = true;
    if (d.freed.size() >= freedKept) {
        const auto oldest =
            std::min_element(d.freed.begin(), d.freed.end(), [](const auto& a, const auto& b) {
                return a.second.serial < b.second.serial;
            });
        d.freed.erase(oldest);
    }
    d.freed[found->first] = found->second.info;
    d.live.erase(found);
    return true;
}

bool Memory::registerHost(void* pointer, std::size_t size, std::string label)
{
    Impl& d = *m_impl;
    const std::lock_guard lock(d.mutex);
    const auto base = reinterpret_cast<std::uintptr_t>(pointer);
    if (pointer == nullptr || size == 0 || base + size < base) {
        return false;
    }
    const auto next = d.live.lower_bound(base);
    if (next != d.live.end() && next->first < base + size) {
        return false;
    }
    if (d.blockAt(base) != nullptr) {
        return false;
    }
    Impl::Block block;
    block.info.base = base;
    block.info.size = size;
    block.info.kind = MemoryKind::PinnedHost;
    block.info.serial = ++d.serial;
    block.info.label = std::move(label);
    if (d.trackInit) {
        block.shadow.initialised = bitmap(size, true);
    }
    d.live.emplace(base, std::move(block));
    return true;
}

bool Memory::unregisterHost(void* pointer)
{
    Impl& d = *m_impl;
    const std::lock_guard lock(d.mutex);
    const auto found = d.live.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == d.live.end() || found->second.raw != nullptr) {
        return false;
    }
    d.live.erase(found);
    return true;
}

const Memory::Impl::Block* Memory::Impl::blockAt(std::uintptr_t address) const
{
    auto it = live.upper_bound(address);
    if (it == live.begin()) {
        return nullptr;
    }
    --it;
    return address - it->first < it->second.info.size ? &it->second : nullptr;
}

std::unique_ptr<Allocation> Memory::find(std::uintptr_t address) const
{
    const std::lock_guard lock(m_impl->mutex);
    const Impl::Block* block = m_impl->blockAt(address);
    return block != nullptr ? std::make_unique<Allocation>(block->info) : nullptr;
}

std::unique_ptr<Allocation> Memory::nearest(std::uintptr_t address) const
{
    const std::lock_guard lock(m_impl->mutex);
    const Allocation* best = nullptr;
    std::uintptr_t bestDistance = 0;
    const auto consider = [&](const Allocation& a) {
        const std::uintptr_t distance = address < a.base ? a.base - address
                                        : address >= a.base + a.size
                                            ? address - (a.base + a.size) + 1
                                            : 0;
        // A freed allocation that holds the address says more than a live neighbour.
        if (best == nullptr || distance < bestDistance) {
            best = &a;
            bestDistance = distance;
        }
    };
    auto live = m_impl->live.upper_bound(address);
    if (live != m_impl->live.end()) {
        consider(live->second.info);
    }
    if (live != m_impl->live.begin()) {
        consider(std::prev(live)->second.info);
    }
    auto freed = m_impl->freed.upper_bound(address);
    if (freed != m_impl->freed.end()) {
        consider(freed->second);
    }
    if (freed != m_impl->freed.begin()) {
        consider(std::prev(freed)->second);
    }
    return best != nullptr ? std::make_unique<Allocation>(*best) : nullptr;
}

void Memory::markInitialised(const void* pointer, std::size_t size)
{
    Impl& d = *m_impl;
    const std::lock_guard lock(d.mutex);
    if (!d.trackInit || size == 0) {
        return;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const Impl::Block* block = d.blockAt(address);
    if (block != nullptr && block->shadow.initialised) {
        const std::size_t offset = address - block->info.base;
        setBits(block->shadow.initialised.get(), offset, std::min(size, block->info.size - offset));
    }
}

void Memory::trackInitialisation()
{
    const std::lock_guard lock(m_impl->mutex);
    m_impl->startTracking();
}

void Memory::Impl::startTracking()
{
    if (trackInit) {
        return;
    }
    trackInit = true;
    for (auto& [base, block] : live) {
        block.shadow.initialised = bitmap(block.info.size, true);
    }
}

std::size_t Memory::used() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->used;
}

std::size_t Memory::limit() const
{
    return m_impl->limit;
}

MemorySnapshot Memory::Impl::snapshot(bool count, bool init)
{
    const std::lock_guard lock(mutex);
    if (init) {
        startTracking();
    }
    MemorySnapshot result;
    if (count) {
        // Stamps mark a sector as touched in this launch; 0 is never used, so fresh maps are clean.
        if (++stamp == 0) {
            stamp = 1;
            for (auto& [base, block] : live) {
                block.shadow.loadStamp.reset();
                block.shadow.storeStamp.reset();
            }
        }
    }
    result.stamp = stamp;
    result.ranges.reserve(live.size());
    for (auto& [base, block] : live) {
        result.ranges.push_back(makeRange(block, count));
    }
    return result;
}

MemoryRange Memory::Impl::makeRange(Block& block, bool count)
{
    MemoryRange range;
    range.base = block.info.base;
    range.end = range.base + block.info.size;
    range.sectorBase = range.base / 32;
    if (count) {
        if (!block.shadow.loadStamp) {
            const std::size_t sectors = (range.end + 31) / 32 - range.sectorBase;
            block.shadow.loadStamp.reset(new std::atomic<std::uint8_t>[sectors]());
            block.shadow.storeStamp.reset(new std::atomic<std::uint8_t>[sectors]());
        }
        range.loadStamp = block.shadow.loadStamp.get();
        range.storeStamp = block.shadow.storeStamp.get();
    }
    range.initialised = trackInit ? block.shadow.initialised.get() : nullptr;
    return range;
}

MemoryRange Memory::Impl::rangeOf(void* base, bool count)
{
    const std::lock_guard lock(mutex);
    return makeRange(live.at(reinterpret_cast<std::uintptr_t>(base)), count);
}

void MemorySnapshot::addDynamic(const MemoryRange& range)
{
    const std::lock_guard lock(m_dynamic->mutex);
    m_dynamic->ranges.push_back(range);
}

void MemorySnapshot::dropDynamic(std::uint64_t base)
{
    const std::lock_guard lock(m_dynamic->mutex);
    for (MemoryRange& range : m_dynamic->ranges) {
        if (range.base == base) {
            range.end = range.base; // cached pointers to it no longer fit anything
        }
    }
}

const MemoryRange* MemorySnapshot::find(std::uint64_t address) const
{
    const auto it =
        std::upper_bound(ranges.begin(), ranges.end(), address,
                         [](std::uint64_t a, const MemoryRange& r) { return a < r.base; });
    if (it != ranges.begin() && address < std::prev(it)->end) {
        return &*std::prev(it);
    }
    const std::lock_guard lock(m_dynamic->mutex);
    for (const MemoryRange& range : m_dynamic->ranges) {
        if (address >= range.base && address < range.end) {
            return &range;
        }
    }
    return nullptr;
}

} // namespace ridgeline::emu
