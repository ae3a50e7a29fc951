// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/access.h"

#include "core/emulator/checkers.h"

#include <algorithm>
#include <sstream>

namespace ridgeline::emu {
namespace {

bool invalidGlobal(Warp& w, const Instr* I, unsigned lane, u64 address, u32 size, AccessKind kind)
{
    reportInvalid(w, I, lane, address, size, kind, "global");
    return false;
}

bool misaligned(Warp& w, const Instr* I, unsigned lane, u64 address, u32 size, AccessKind kind,
                const char* space)
{
    reportMisaligned(w, I, lane, address, size, kind, space);
    return false;
}

void markStamps(std::atomic<u8>* stamps, u64 first, u64 last, u8 stamp, u64& unique)
{
    for (u64 s = first; s <= last; ++s) {
        if (stamps[s].load(std::memory_order_relaxed) != stamp &&
            stamps[s].exchange(stamp, std::memory_order_relaxed) != stamp) {
            ++unique;
        }
    }
}

void touch(Warp& w, const MemoryRange& range, u64 address, u32 bytes, AccessKind kind)
{
    const u64 first = address / 32 - range.sectorBase,
              last = (address + bytes - 1) / 32 - range.sectorBase;
    Counters& c = w.worker->counters;
    const u8 stamp = w.launch->snapshot.stamp;
    if (kind != AccessKind::Write) {
        markStamps(range.loadStamp, first, last, stamp, c.uniqueLoadBytes);
    }
    if (kind != AccessKind::Read) {
        markStamps(range.storeStamp, first, last, stamp, c.uniqueStoreBytes);
    }
}

/// Distinct 32-byte sectors of scattered lanes.
u32 sectorsOf(const u64* address, u32 mask, u32 size, u64 low, u64 high)
{
    const u64 first = low / 32;
    if (high / 32 - first < 64) {
        u64 bits = 0;
        for (u32 m = mask; m != 0; m &= m - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(m));
            for (u64 s = address[i] / 32; s <= (address[i] + size - 1) / 32; ++s) {
                bits |= 1ULL << (s - first);
            }
        }
        return static_cast<u32>(std::popcount(bits));
    }
    u64 list[64 + 32];
    u32 n = 0;
    for (u32 m = mask; m != 0; m &= m - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(m));
        for (u64 s = address[i] / 32; s <= (address[i] + size - 1) / 32 && n < 96; ++s) {
            if (n == 0 || list[n - 1] != s) {
                list[n++] = s;
            }
        }
    }
    if (!std::is_sorted(list, list + n)) {
        std::sort(list, list + n);
    }
    return static_cast<u32>(std::unique(list, list + n) - list);
}

void countGlobal(Warp& w, AccessKind kind, u32 lanes, u32 size, u32 sectors)
{
    Counters& c = w.worker->counters;
    if (kind == AccessKind::Read) {
        c.globalLoadBytes += u64(lanes) * size;
        ++c.globalLoadRequests;
        c.globalLoadSectors += sectors;
    } else if (kind == AccessKind::Write) {
        c.globalStoreBytes += u64(lanes) * size;
        ++c.globalStoreRequests;
        c.globalStoreSectors += sectors;
    } else {
        c.globalAtomics += lanes;
    }
}

const MemoryRange* rangeAt(Warp& w, const Instr* I, u64 low, u64 end)
{
    const MemoryRange*& cached = w.worker->slots[I->slot];
    if (cached == nullptr || low < cached->base || end > cached->end) {
        const MemoryRange* found = w.launch->snapshot.find(low);
        if (found == nullptr || end > found->end) {
            return nullptr;
        }
        cached = found;
    }
    return cached;
}

enum class Shape { Uniform, Unit, Other };

Shape shapeOf(const u64* a, u32 mask, unsigned first, u32 size)
{
    const u64 base = a[first];
    if (mask == fullMask) {
        u64 same = 0, unit = 0;
        if (a[1] == base) {
            RIDGELINE_LANES
            {
                same |= a[i] ^ base;
            }
            return same == 0 ? Shape::Uniform : Shape::Other;
        }
        RIDGELINE_LANES
        {
            unit |= a[i] - base - u64(i) * size;
        }
        return unit == 0 ? Shape::Unit : Shape::Other;
    }
    u64 same = 0, unit = 0;
    const u64 origin = base - u64(first) * size;
    RIDGELINE_LANES
    {
        const u64 on = 0 - u64((mask >> i) & 1U);
        same |= (a[i] ^ base) & on;
        unit |= (a[i] - origin - u64(i) * size) & on;
    }
    return same == 0 ? Shape::Uniform : unit == 0 ? Shape::Unit : Shape::Other;
}

bool resolveGlobal(Warp& w, const Instr* I, const u64* a, u32 mask, u32 size, AccessKind kind,
                   Access& out)
{
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const Launch& launch = *w.launch;
    const Shape shape = shapeOf(a, mask, first, size);
    if (shape != Shape::Other) {
        const auto last = 31U - static_cast<unsigned>(std::countl_zero(mask));
        const u64 low = a[first], high = a[last];
        const MemoryRange* range =
            (low & (size - 1)) == 0 ? rangeAt(w, I, low, high + size) : nullptr;
        if (range != nullptr) {
            out.pattern =
                shape == Shape::Uniform ? Access::Pattern::Uniform : Access::Pattern::Unit;
            out.base = reinterpret_cast<std::byte*>(
                shape == Shape::Uniform ? low : low - u64(first) * size);
            if (launch.count) {
                const u32 lanes = static_cast<u32>(std::popcount(mask));
                if (shape == Shape::Uniform || lanes == last - first + 1) {
                    countGlobal(w, kind, lanes, size,
                                static_cast<u32>((high + size - 1) / 32 - low / 32) + 1);
                    touch(w, *range, low, static_cast<u32>(high + size - low), kind);
                } else {
                    countGlobal(w, kind, lanes, size,
                                sectorsOf(a, mask, size, low, high + size - 1));
                    for (u32 m = mask; m != 0; m &= m - 1) {
                        touch(w, *range, a[std::countr_zero(m)], size, kind);
                    }
                }
            }
            if (launch.checkAny) {
                checkGlobal(w, I, a, mask, size, kind, range);
            }
            return true;
        }
    }
    u64 low = ~0ULL, high = 0, bits = 0;
    const u64 base = a[first];
    RIDGELINE_LANES
    {
        const u64 x = (mask >> i) & 1U ? a[i] : base;
        low = x < low ? x : low;
        high = x > high ? x : high;
        bits |= x;
    }
    if ((bits & (size - 1)) != 0) {
        for (u32 m = mask; m != 0; m &= m - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(m));
            if ((a[i] & (size - 1)) != 0) {
                return misaligned(w, I, i, a[i], size, kind, "global");
            }
        }
    }
    out.pattern = Access::Pattern::Scattered;
    const MemoryRange* range =
        high - low < (1ULL << 62) ? rangeAt(w, I, low, high + size) : nullptr;
    for (u32 m = mask; m != 0; m &= m - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(m));
        const MemoryRange* mine = range;
        if (mine == nullptr) {
            mine = rangeAt(w, I, a[i], a[i] + size);
            if (mine == nullptr) {
                return invalidGlobal(w, I, i, a[i], size, kind);
            }
        }
        out.at[i] = reinterpret_cast<std::byte*>(a[i]);
        if (launch.count) {
            touch(w, *mine, a[i], size, kind);
        }
        if (launch.checkAny && range == nullptr) {
            checkGlobal(w, I, a, 1U << i, size, kind, mine);
        }
    }
    if (launch.count) {
        countGlobal(w, kind, static_cast<u32>(std::popcount(mask)), size,
                    sectorsOf(a, mask, size, low, high + size - 1));
    }
    if (launch.checkAny && range != nullptr) {
        checkGlobal(w, I, a, mask, size, kind, range);
    }
    return true;
}

bool resolveSharedLanes(Warp& w, const Instr* I, const u64* a, u32 mask, u32 size, AccessKind kind,
                        Access& out)
{
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const auto last = 31U - static_cast<unsigned>(std::countl_zero(mask));
    const Shape shape = shapeOf(a, mask, first, size);
    const u64 limit = w.launch->sharedBytes;
    Counters& c = w.worker->counters;
    u32 waves = 1;
    if (shape != Shape::Other && (a[first] & (size - 1)) == 0 && a[last] < limit &&
        a[last] + size <= limit && a[first] <= a[last]) {
        out.pattern = shape == Shape::Uniform ? Access::Pattern::Uniform : Access::Pattern::Unit;
        out.base =
            w.block->shared + (shape == Shape::Uniform ? a[first] : a[first] - u64(first) * size);
        if (shape == Shape::Unit && w.launch->count) {
            waves = size <= 4 ? 1 : wavefronts(a, mask, size);
        }
    } else {
        out.pattern = Access::Pattern::Scattered;
        for (u32 m = mask; m != 0; m &= m - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(m));
            if (a[i] >= limit || a[i] + size > limit) {
                reportInvalid(w, I, i, a[i], size, kind, "shared");
                return false;
            }
            if ((a[i] & (size - 1)) != 0) {
                return misaligned(w, I, i, a[i], size, kind, "shared");
            }
            out.at[i] = w.block->shared + a[i];
        }
        if (w.launch->count) {
            waves = wavefronts(a, mask, size);
        }
    }
    if (w.launch->count) {
        const u64 bytes = u64(std::popcount(mask)) * size;
        if (kind == AccessKind::Read) {
            c.sharedLoadBytes += bytes;
            ++c.sharedLoadRequests;
            c.sharedLoadWavefronts += waves;
        } else {
            c.sharedStoreBytes += bytes;
            ++c.sharedStoreRequests;
            c.sharedStoreWavefronts += waves;
        }
    }
    if (w.launch->checkAny) {
        checkShared(w, I, a, mask, size, kind);
    }
    return true;
}

std::byte* localAt(Warp& w, const Instr* I, unsigned lane, u64 offset, u32 size, AccessKind kind)
{
    if (offset >= w.launch->localBytes || offset + size > w.launch->localBytes) {
        reportInvalid(w, I, lane, offset, size, kind, "local");
        return nullptr;
    }
    if ((offset & (size - 1)) != 0) {
        misaligned(w, I, lane, offset, size, kind, "local");
        return nullptr;
    }
    Counters& c = w.worker->counters;
    (kind == AccessKind::Read ? c.localLoadBytes : c.localStoreBytes) += size;
    return w.local + u64(lane) * w.launch->localBytes + offset;
}

std::byte* paramAt(Warp& w, const Instr* I, unsigned lane, u64 offset, u32 size, AccessKind kind)
{
    if (offset + size > w.launch->paramBytes || offset > w.launch->paramBytes ||
        kind != AccessKind::Read) {
        reportInvalid(w, I, lane, offset, size, kind, "param");
        return nullptr;
    }
    return const_cast<std::byte*>(w.params) + offset;
}

} // namespace

u32 wavefronts(const u64* offsets, u32 mask, u32 size)
{
    // Wide accesses go in phases of lanes whose data fill 128 bytes.
    const unsigned lanesPerPhase = size <= 4 ? 32 : size >= 16 ? 8 : 16;
    u32 total = 0;
    for (unsigned phase = 0; phase < 32; phase += lanesPerPhase) {
        const u32 active =
            lanesPerPhase == 32 ? mask : (mask >> phase) & ((1U << lanesPerPhase) - 1);
        if (active == 0) {
            continue;
        }
        u64 words[128];
        u32 n = 0;
        for (u32 m = active; m != 0; m &= m - 1) {
            const u64 at = offsets[phase + static_cast<unsigned>(std::countr_zero(m))];
            for (u64 word = at / 4; word <= (at + size - 1) / 4; ++word) {
                words[n++] = word;
            }
        }
        u8 perBank[32] = {};
        u32 most = 1;
        for (u32 i = 0; i < n; ++i) {
            bool seen = false;
            for (u32 k = 0; k < i && !seen; ++k) {
                seen = words[k] == words[i];
            }
            if (!seen) {
                most = std::max<u32>(most, ++perBank[words[i] & 31U]);
            }
        }
        total += most;
    }
    return std::max(total, 1U);
}

std::byte* resolveGeneric(Warp& w, const Instr* I, unsigned lane, u64 address, u32 size,
                          AccessKind kind)
{
    switch (address & windowMask) {
    case sharedWindow: {
        Access access;
        u64 a[32];
        a[lane] = address & ~windowMask;
        return resolveSharedLanes(w, I, a, 1U << lane, size, kind, access)
                   ? (access.pattern == Access::Pattern::Scattered ? access.at[lane]
                      : access.pattern == Access::Pattern::Uniform ? access.base
                                                                   : access.base + u64(lane) * size)
                   : nullptr;
    }
    case localWindow:
        return localAt(w, I, lane, address & ~windowMask, size, kind);
    case paramWindow:
        return paramAt(w, I, lane, address & ~windowMask, size, kind);
    default:
        break;
    }
    Access access;
    u64 a[32];
    a[lane] = address;
    if (!resolveGlobal(w, I, a, 1U << lane, size, kind, access)) {
        return nullptr;
    }
    return reinterpret_cast<std::byte*>(address);
}

std::byte* resolveShared(Warp& w, const Instr* I, unsigned lane, u64 offset, u32 size)
{
    return resolveGeneric(w, I, lane, (offset & ~windowMask) | sharedWindow, size,
                          AccessKind::Read);
}

namespace {

/// Lane offsets of neighbours by the logarithm of their size: no 64-bit multiplications in the
/// loop.
struct Offsets {
    alignas(64) u64 at[8][32];
};
constexpr Offsets offsets = [] {
    Offsets o{};
    for (unsigned k = 0; k < 8; ++k) {
        for (unsigned i = 0; i < 32; ++i) {
            o.at[k][i] = u64(i) << k;
        }
    }
    return o;
}();

/// The commonest access: a full warp, global memory, one address for all or neighbours. False: take
/// the general way (nothing was counted).
bool resolveRegular(Warp& w, const Instr* I, u32 size, AccessKind kind, Access& out)
{
    const u64* r = regPtr<u64>(w, I->src[0]);
    const u64 base = r[0];
    u64 difference = 0;
    u64 span = size;
    if (r[1] == base) {
        RIDGELINE_LANES
        {
            difference |= r[i] ^ base;
        }
        out.pattern = Access::Pattern::Uniform;
    } else if (r[1] - base == size) {
        const u64* expected = offsets.at[std::countr_zero(size)];
        RIDGELINE_LANES
        {
            difference |= (r[i] - base) ^ expected[i];
        }
        out.pattern = Access::Pattern::Unit;
        span = 32ULL * size;
    } else {
        return false;
    }
    const u64 low = base + I->imm;
    if (difference != 0 || (low & (size - 1)) != 0) {
        return false;
    }
    const MemoryRange* range = w.worker->slots[I->slot];
    if (range == nullptr || low < range->base || low + span > range->end || low + span < low) {
        return false;
    }
    out.base = reinterpret_cast<std::byte*>(low);
    if (w.launch->count) {
        countGlobal(w, kind, 32, size, static_cast<u32>((low + span - 1) / 32 - low / 32) + 1);
        touch(w, *range, low, static_cast<u32>(span), kind);
    }
    return true;
}

} // namespace

bool resolve(Warp& w, const Instr* I, u32 size, AccessKind kind, Access& out)
{
    if (w.mask == fullMask &&
        (I->aux & ((7U << spaceShift) | narrowAddress)) == (u32(Space::Global) << spaceShift) &&
        I->src[0] != noReg && !w.launch->checkAny && resolveRegular(w, I, size, kind, out)) {
        return true;
    }
    alignas(64) u64 a[32];
    const u32 mask = w.mask;
    const u64 offset = I->imm;
    if (I->src[0] == noReg) {
        RIDGELINE_LANES
        {
            a[i] = offset;
        }
    } else if (I->aux & narrowAddress) {
        const u32* r = regPtr<u32>(w, I->src[0]);
        RIDGELINE_LANES
        {
            a[i] = static_cast<u32>(r[i] + static_cast<u32>(offset));
        }
    } else {
        const u64* r = regPtr<u64>(w, I->src[0]);
        RIDGELINE_LANES
        {
            a[i] = r[i] + offset;
        }
    }
    Space space = spaceOf(I);
    if (space == Space::Generic) {
        // The common case is one window for all lanes.
        const auto first = static_cast<unsigned>(std::countr_zero(mask));
        const u64 window = a[first] & windowMask;
        u64 mixed = 0;
        RIDGELINE_LANES
        {
            mixed |= (0 - u64((mask >> i) & 1U)) & ((a[i] & windowMask) ^ window);
        }
        if (mixed != 0) {
            out.pattern = Access::Pattern::Scattered;
            for (u32 m = mask; m != 0; m &= m - 1) {
                const auto i = static_cast<unsigned>(std::countr_zero(m));
                out.at[i] = resolveGeneric(w, I, i, a[i], size, kind);
                if (out.at[i] == nullptr) {
                    return false;
                }
            }
            return true;
        }
        space = window == sharedWindow  ? Space::Shared
                : window == localWindow ? Space::Local
                : window == paramWindow ? Space::Param
                                        : Space::Global;
        if (space != Space::Global) {
            RIDGELINE_LANES
            {
                a[i] &= ~windowMask;
            }
        }
    }
    switch (space) {
    case Space::Shared:
        if (a[std::countr_zero(mask)] & windowMask) {
            // A generic address used with ld.shared: the hardware sees its low part.
            RIDGELINE_LANES
            {
                a[i] &= 0xFFFFFFFFU;
            }
        }
        return resolveSharedLanes(w, I, a, mask, size, kind, out);
    case Space::Local:
        out.pattern = Access::Pattern::Scattered;
        for (u32 m = mask; m != 0; m &= m - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(m));
            out.at[i] = localAt(w, I, i, a[i] & ~windowMask, size, kind);
            if (out.at[i] == nullptr) {
                return false;
            }
        }
        if (w.launch->checkAny) {
            checkLocal(w, I, a, mask, size, kind);
        }
        return true;
    case Space::Param:
        out.pattern = Access::Pattern::Scattered;
        for (u32 m = mask; m != 0; m &= m - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(m));
            out.at[i] = paramAt(w, I, i, a[i] & ~windowMask, size, kind);
            if (out.at[i] == nullptr) {
                return false;
            }
        }
        return true;
    default:
        return resolveGlobal(w, I, a, mask, size, kind, out);
    }
}

} // namespace ridgeline::emu
