// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/checkers.h"

#include <sstream>

namespace ridgeline::emu {
namespace {

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

/// "and is 4 bytes after the nearest allocation at 0x… of size 1024 bytes (cudaMalloc, allocation
/// 3)"
std::string neighbour(const Memory& memory, u64 address, u32 size, bool& afterFree)
{
    const auto near = memory.nearest(address);
    if (!near) {
        return "\n    and no memory is allocated";
    }
    std::ostringstream out;
    const u64 end = near->base + near->size;
    afterFree = near->freed && address >= near->base && address < end;
    if (afterFree) {
        out << "\n    and is inside an allocation that was freed, at " << hex(near->base);
    } else if (address >= near->base && address < end) {
        out << "\n    and reaches " << address + size - end
            << " bytes past the end of the allocation at " << hex(near->base);
    } else if (address < near->base) {
        out << "\n    and is " << near->base - address << " bytes before the nearest allocation at "
            << hex(near->base);
    } else {
        out << "\n    and is " << address - end + 1 << " bytes after the nearest allocation at "
            << hex(near->base);
    }
    out << " of size " << near->size << " bytes (" << near->label << ", allocation " << near->serial
        << ')';
    return out.str();
}

} // namespace

AccessSite siteOf(const Warp& w, const Instr* I, unsigned lane, const char* access, u32 size)
{
    AccessSite site;
    site.block = w.block->index;
    site.thread = threadOf(w, lane);
    site.access = access;
    site.size = size;
    site.source = sourceOf(w, I);
    site.ptxLine = ptxLineOf(w, I);
    return site;
}

void addReport(Launch& launch, CheckReport report)
{
    const std::lock_guard lock(launch.mutex);
    for (CheckReport& known : launch.reports) {
        if (known.checker == report.checker && known.kind == report.kind &&
            known.site.ptxLine == report.site.ptxLine &&
            known.other.ptxLine == report.other.ptxLine &&
            known.site.source.line == report.site.source.line) {
            ++known.count;
            return;
        }
    }
    if (launch.reports.size() < 1000) {
        launch.reports.push_back(std::move(report));
    }
}

void reportInvalid(Warp& w, const Instr* I, unsigned lane, u64 address, u32 size, AccessKind kind,
                   const char* space)
{
    bool afterFree = false;
    std::string text = std::string("Invalid __") + space + "__ " + verb(kind) + " of size " +
                       std::to_string(size) + " bytes\n" + placeOf(w, I, lane) +
                       "\n    Access to " + hex(address) + " is out of bounds";
    if (std::string_view(space) == "global") {
        text += neighbour(*w.launch->memory, address, size, afterFree);
    } else {
        text += std::string("\n    and the ") + space + " memory of a " +
                (std::string_view(space) == "shared" ? "block" : "thread") + " has " +
                std::to_string(std::string_view(space) == "shared"  ? w.launch->sharedBytes
                               : std::string_view(space) == "local" ? w.launch->localBytes
                                                                    : w.launch->paramBytes) +
                " bytes";
    }
    if (w.launch->options->checkMemory) {
        CheckReport report;
        report.checker = "memory";
        report.kind = afterFree ? "use after free" : "out of bounds";
        report.space = space;
        report.text = text;
        report.kernel = w.launch->program->functions[0]->name;
        report.address = address;
        report.site = siteOf(w, I, lane, verb(kind), size);
        addReport(*w.launch, std::move(report));
    }
    w.launch->fault(LaunchStatus::IllegalAddress, text);
}

void reportMisaligned(Warp& w, const Instr* I, unsigned lane, u64 address, u32 size,
                      AccessKind kind, const char* space)
{
    const std::string text = std::string("Invalid __") + space + "__ " + verb(kind) + " of size " +
                             std::to_string(size) + " bytes\n" + placeOf(w, I, lane) +
                             "\n    Access to " + hex(address) + " is misaligned";
    if (w.launch->options->checkMemory) {
        CheckReport report;
        report.checker = "memory";
        report.kind = "misaligned";
        report.space = space;
        report.text = text;
        report.kernel = w.launch->program->functions[0]->name;
        report.address = address;
        report.site = siteOf(w, I, lane, verb(kind), size);
        addReport(*w.launch, std::move(report));
    }
    w.launch->fault(LaunchStatus::MisalignedAddress, text);
}

} // namespace ridgeline::emu
