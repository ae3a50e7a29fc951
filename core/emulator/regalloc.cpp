// SPDX-License-Identifier: GPL-3.0-or-later
// Linear scan over live ranges, per register width. Lanes are columns of their own, so liveness of
// one thread decides; slots are shared only between registers of one width, so that columns of
// diverged lanes never overlap.
#include "core/emulator/decode.h"

#include <algorithm>
#include <array>

namespace ridgeline::emu {
namespace {

constexpr unsigned classCount = 5;

unsigned classOf(Type type)
{
    switch (bitsOf(type)) {
    case 1:
        return 0;
    case 8:
    case 16:
        return 1;
    case 64:
        return 3;
    case 128:
        return 4;
    default:
        return 2;
    }
}

constexpr std::array<std::uint32_t, classCount> slotBytes{4, 64, 128, 256, 512};

struct Bits {
    std::vector<std::uint64_t> words;
    void set(std::uint32_t i) { words[i / 64] |= 1ULL << (i % 64); }
    bool test(std::uint32_t i) const { return ((words[i / 64] >> (i % 64)) & 1U) != 0; }
};

} // namespace

void Decoder::allocate()
{
    const auto n = static_cast<std::uint32_t>(m_function.code.size());
    const std::size_t registers = m_registers.size();
    // Basic blocks.
    std::vector<bool> starts(n + 1, false);
    starts[0] = true;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (!m_flows[i].targets.empty() || !m_flows[i].falls) {
            starts[i + 1] = true;
        }
        for (std::uint32_t target : m_flows[i].targets) {
            starts[target] = true;
        }
    }
    std::vector<std::uint32_t> blockStart, blockOf(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        if (starts[i]) {
            blockStart.push_back(i);
        }
        blockOf[i] = static_cast<std::uint32_t>(blockStart.size() - 1);
    }
    const std::size_t blocks = blockStart.size();
    blockStart.push_back(n);
    // Only registers used in more than one block, or read before written in one, need data flow.
    std::vector<std::uint32_t> home(registers, 0xFFFFFFFFU), global(registers, 0xFFFFFFFFU);
    std::vector<std::uint32_t> definedIn(registers, 0xFFFFFFFFU);
    std::uint32_t globals = 0;
    std::stable_sort(m_refs.begin(), m_refs.end(), [](const RegRef& a, const RegRef& b) {
        return a.instr != b.instr ? a.instr < b.instr : a.def < b.def;
    });
    for (const RegRef& ref : m_refs) {
        const std::uint32_t block = blockOf[ref.instr];
        bool needs = home[ref.reg] != 0xFFFFFFFFU && home[ref.reg] != block;
        home[ref.reg] = block;
        if (!ref.def || ref.partial) {
            needs |= definedIn[ref.reg] != block;
        }
        if (ref.def && !ref.partial) {
            definedIn[ref.reg] = block;
        }
        if (needs && global[ref.reg] == 0xFFFFFFFFU) {
            global[ref.reg] = globals++;
        }
    }
    const std::size_t words = (globals + 63) / 64;
    std::vector<Bits> uses(blocks), kills(blocks), liveIn(blocks), liveOut(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
        uses[b].words.assign(words, 0);
        kills[b].words.assign(words, 0);
        liveIn[b].words.assign(words, 0);
        liveOut[b].words.assign(words, 0);
    }
    for (const RegRef& ref : m_refs) {
        const std::uint32_t g = global[ref.reg];
        if (g == 0xFFFFFFFFU) {
            continue;
        }
        const std::uint32_t b = blockOf[ref.instr];
        if ((!ref.def || ref.partial) && !kills[b].test(g)) {
            uses[b].set(g);
        }
        if (ref.def && !ref.partial) {
            kills[b].set(g);
        }
    }
    std::vector<std::vector<std::uint32_t>> successors(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::uint32_t last = blockStart[b + 1] - 1;
        for (std::uint32_t target : m_flows[last].targets) {
            successors[b].push_back(blockOf[target]);
        }
        if (m_flows[last].falls && b + 1 < blocks) {
            successors[b].push_back(static_cast<std::uint32_t>(b + 1));
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = blocks; b-- > 0;) {
            for (std::size_t k = 0; k < words; ++k) {
                std::uint64_t out = 0;
                for (std::uint32_t s : successors[b]) {
                    out |= liveIn[s].words[k];
                }
                liveOut[b].words[k] = out;
                const std::uint64_t in = uses[b].words[k] | (out & ~kills[b].words[k]);
                if (in != liveIn[b].words[k]) {
                    liveIn[b].words[k] = in;
                    changed = true;
                }
            }
        }
    }
    // Ranges over code positions.
    struct Range {
        std::uint32_t reg, from, to;
    };
    std::vector<std::uint32_t> from(registers, 0xFFFFFFFFU), to(registers, 0);
    const auto cover = [&](std::uint32_t reg, std::uint32_t at) {
        from[reg] = std::min(from[reg], at);
        to[reg] = std::max(to[reg], at);
    };
    for (const RegRef& ref : m_refs) {
        cover(ref.reg, ref.instr);
    }
    for (std::uint32_t reg = 0; reg < registers; ++reg) {
        const std::uint32_t g = global[reg];
        if (g == 0xFFFFFFFFU) {
            continue;
        }
        for (std::size_t b = 0; b < blocks; ++b) {
            if (liveIn[b].test(g)) {
                cover(reg, blockStart[b]);
            }
            if (liveOut[b].test(g)) {
                cover(reg, blockStart[b + 1] - 1);
            }
        }
    }
    // Register formals are written by the caller before the first instruction and read after the
    // last.
    for (const auto* list : {&m_function.ast->params, &m_function.ast->results}) {
        for (const auto& v : *list) {
            if (v->isReg) {
                cover(v->reg, 0);
                cover(v->reg, n - 1);
            }
        }
    }
    std::vector<Range> ranges;
    for (std::uint32_t reg = 0; reg < registers; ++reg) {
        if (from[reg] != 0xFFFFFFFFU) {
            ranges.push_back({reg, from[reg], to[reg]});
        }
    }
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
        return a.from != b.from ? a.from < b.from : a.reg < b.reg;
    });
    std::array<std::vector<std::pair<std::uint32_t, std::uint32_t>>, classCount>
        active; // heap of (end, slot)
    std::array<std::vector<std::uint32_t>, classCount> freeSlots;
    std::array<std::uint32_t, classCount> used{};
    std::vector<std::uint32_t> slot(registers, 0);
    const auto later = [](const auto& a, const auto& b) { return a.first > b.first; };
    for (const Range& range : ranges) {
        const unsigned c = classOf(m_registers[range.reg]);
        auto& heap = active[c];
        // A result may not take the slot of a source of its own instruction unless lane i of the
        // one only depends on lane i of the other; shuffles do not, so ranges may not touch.
        while (!heap.empty() && heap.front().first < range.from) {
            freeSlots[c].push_back(heap.front().second);
            std::pop_heap(heap.begin(), heap.end(), later);
            heap.pop_back();
        }
        if (freeSlots[c].empty()) {
            slot[range.reg] = used[c]++;
        } else {
            slot[range.reg] = freeSlots[c].back();
            freeSlots[c].pop_back();
        }
        heap.emplace_back(range.to, slot[range.reg]);
        std::push_heap(heap.begin(), heap.end(), later);
    }
    std::array<std::uint32_t, classCount> base{};
    std::uint32_t at = 0;
    for (unsigned c = classCount; c-- > 0;) {
        base[c] = at;
        at += used[c] * slotBytes[c];
    }
    const std::uint32_t paramBase = (at + 127) / 128 * 128;
    const auto offsetOf = [&](std::uint32_t reg) {
        const unsigned c = classOf(m_registers[reg]);
        return base[c] + slot[reg] * slotBytes[c];
    };
    for (const RegRef& ref : m_refs) {
        if (ref.field == Field::Extra) {
            m_function.extra[ref.extraIndex] = offsetOf(ref.reg);
        } else {
            fieldOf(m_function.code[ref.instr], ref.field) = offsetOf(ref.reg);
        }
    }
    for (auto& [variable, s] : m_params) {
        s.offset = s.isReg ? offsetOf(variable->reg) : s.offset + paramBase;
    }
    for (CallSite& site : m_function.calls) {
        for (auto* list : {&site.args, &site.results}) {
            for (CallSlot& s : *list) {
                s.offset = s.isReg ? m_function.extra[s.offset] : s.offset + paramBase;
            }
        }
    }
    for (Instr& instr : m_function.code) {
        if (instr.aux & 0x200) { // address of a .param byte array
            instr.imm += paramBase;
        }
    }
    m_function.frameBytes = (paramBase + m_paramBytes + 127) / 128 * 128;
}

} // namespace ridgeline::emu
