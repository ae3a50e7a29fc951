// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/builtins.h"

#include "core/emulator/access.h"

#include <cstdio>

namespace ridgeline::emu {
namespace {

constexpr std::size_t longestString = 1U << 16;

/// A zero-terminated string in device memory; false after a fault.
bool readString(Warp& w, const Instr* I, unsigned lane, u64 address, std::string& out)
{
    for (; out.size() < longestString; ++address) {
        const std::byte* at = resolveGeneric(w, I, lane, address, 1, AccessKind::Read);
        if (at == nullptr) {
            return false;
        }
        if (*at == std::byte{0}) {
            return true;
        }
        out += static_cast<char>(*at);
    }
    return true;
}

u64 argument(Warp& w, const CallSlot& s, unsigned lane)
{
    const std::byte* base = s.isReg && (s.offset & poolBit) ? w.base[1] : w.base[0];
    u64 v = 0;
    std::memcpy(&v, base + (s.offset & ~poolBit) + u64(lane) * s.bytes,
                std::min<std::size_t>(s.bytes, 8));
    return v;
}

void setResult(Warp& w, const CallSite& site, unsigned lane, u64 value)
{
    if (!site.results.empty()) {
        const CallSlot& s = site.results[0];
        std::memcpy(w.base[0] + s.offset + u64(lane) * s.bytes, &value,
                    std::min<std::size_t>(s.bytes, 8));
    }
}

/// Formats as printf does; arguments lie in memory, each aligned to its size.
bool formatDevice(Warp& w, const Instr* I, unsigned lane, const std::string& format, u64 args,
                  std::string& out, int& converted)
{
    const auto fetch = [&](u32 size, u64& value) {
        args = (args + size - 1) & ~u64(size - 1);
        const std::byte* at = resolveGeneric(w, I, lane, args, size, AccessKind::Read);
        if (at == nullptr) {
            return false;
        }
        value = 0;
        std::memcpy(&value, at, size);
        args += size;
        return true;
    };
    char buffer[512];
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        if (i + 1 < format.size() && format[i + 1] == '%') {
            out += '%';
            ++i;
            continue;
        }
        std::string spec = "%";
        std::size_t k = i + 1;
        int longs = 0;
        bool shortArgument = false;
        for (; k < format.size() &&
               std::string_view("-+ #0123456789.*lhzjtL").find(format[k]) != std::string_view::npos;
             ++k) {
            if (format[k] == '*') {
                u64 width = 0;
                if (!fetch(4, width)) {
                    return false;
                }
                spec += std::to_string(std::min(static_cast<i32>(width), 400));
            } else if (format[k] == 'l' || format[k] == 'z' || format[k] == 'j' ||
                       format[k] == 't') {
                ++longs;
            } else if (format[k] == 'h') {
                shortArgument = true;
            } else if (format[k] != 'L') {
                spec += format[k];
            }
            if (spec.size() > 24) {
                break;
            }
        }
        if (k >= format.size() || spec.size() > 24) {
            out += format.substr(i);
            break;
        }
        const char conversion = format[k];
        i = k;
        ++converted;
        u64 value = 0;
        switch (conversion) {
        case 'd':
        case 'i':
        case 'u':
        case 'x':
        case 'X':
        case 'o':
        case 'c':
            if (!fetch(longs > 0 ? 8 : 4, value)) {
                return false;
            }
            if (conversion == 'c') {
                std::snprintf(buffer, sizeof buffer, (spec + "c").c_str(), static_cast<int>(value));
            } else if (conversion == 'd' || conversion == 'i') {
                const long long v = longs > 0       ? static_cast<long long>(value)
                                    : shortArgument ? static_cast<i16>(value)
                                                    : static_cast<i32>(value);
                std::snprintf(buffer, sizeof buffer, (spec + "lld").c_str(), v);
            } else {
                const unsigned long long v = longs > 0       ? value
                                             : shortArgument ? static_cast<u16>(value)
                                                             : static_cast<u32>(value);
                std::snprintf(buffer, sizeof buffer, (spec + "ll" + conversion).c_str(), v);
            }
            out += buffer;
            break;
        case 'f':
        case 'F':
        case 'e':
        case 'E':
        case 'g':
        case 'G':
        case 'a':
        case 'A':
            if (!fetch(8, value)) {
                return false;
            }
            std::snprintf(buffer, sizeof buffer, (spec + conversion).c_str(),
                          bitCast<double>(value));
            out += buffer;
            break;
        case 'p':
            if (!fetch(8, value)) {
                return false;
            }
            std::snprintf(buffer, sizeof buffer, (spec + "p").c_str(),
                          reinterpret_cast<void*>(value));
            out += buffer;
            break;
        case 's': {
            std::string text;
            if (!fetch(8, value) || (value != 0 && !readString(w, I, lane, value, text))) {
                return false;
            }
            if (spec == "%") {
                out += text;
            } else {
                std::snprintf(buffer, sizeof buffer, (spec + "s").c_str(), text.c_str());
                out += buffer;
            }
            break;
        }
        default:
            out += spec + conversion;
        }
    }
    return true;
}

const Instr* vprintf(Warp& w, const Instr* I, const CallSite& site)
{
    for (u32 m = w.mask; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(m));
        std::string format, text;
        int converted = 0;
        const u64 args = argument(w, site.args[1], lane);
        if (!readString(w, I, lane, argument(w, site.args[0], lane), format) ||
            !formatDevice(w, I, lane, format, args, text, converted)) {
            return nullptr;
        }
        {
            const std::lock_guard lock(w.launch->mutex);
            if (w.launch->options->print) {
                w.launch->options->print(text);
            } else {
                std::fwrite(text.data(), 1, text.size(), stdout);
            }
        }
        setResult(w, site, lane, static_cast<u64>(converted));
    }
    return I + 1;
}

const Instr* assertFail(Warp& w, const Instr* I, const CallSite& site)
{
    const auto lane = static_cast<unsigned>(std::countr_zero(w.mask));
    std::string message, file, function;
    if (!readString(w, I, lane, argument(w, site.args[0], lane), message) ||
        !readString(w, I, lane, argument(w, site.args[1], lane), file) ||
        !readString(w, I, lane, argument(w, site.args[3], lane), function)) {
        return nullptr;
    }
    const Dim3 b = w.block->index, t = threadOf(w, lane);
    std::string text =
        file + ":" + std::to_string(static_cast<u32>(argument(w, site.args[2], lane))) + ": " +
        function + ": block: [" + std::to_string(b.x) + "," + std::to_string(b.y) + "," +
        std::to_string(b.z) + "], thread: [" + std::to_string(t.x) + "," + std::to_string(t.y) +
        "," + std::to_string(t.z) + "] Assertion `" + message + "` failed.";
    w.launch->fault(LaunchStatus::Assert, text);
    return nullptr;
}

const Instr* deviceMalloc(Warp& w, const Instr* I, const CallSite& site)
{
    for (u32 m = w.mask; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(m));
        void* p = w.launch->memory->allocate(argument(w, site.args[0], lane), MemoryKind::Device,
                                             "device malloc");
        if (p != nullptr) {
            w.launch->snapshot.addDynamic(w.launch->memory->impl().rangeOf(p, w.launch->count));
        }
        setResult(w, site, lane, reinterpret_cast<u64>(p));
    }
    return I + 1;
}

const Instr* deviceFree(Warp& w, const Instr* I, const CallSite& site)
{
    for (u32 m = w.mask; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(m));
        const u64 p = argument(w, site.args[0], lane);
        const auto owner = w.launch->memory->find(p);
        if (p != 0 && (!owner || owner->base != p || owner->label != "device malloc")) {
            return faultAt(w, I, lane, LaunchStatus::IllegalAddress,
                           "Invalid free of an address that device malloc did not give");
        }
        // Other threads may still hold the range: its memory goes back when the launch has ended.
        if (p != 0) {
            w.launch->snapshot.dropDynamic(p);
            const std::lock_guard lock(w.launch->mutex);
            w.launch->freedByDevice.push_back(reinterpret_cast<void*>(p));
        }
    }
    return I + 1;
}

} // namespace

Builtin builtinFor(std::string_view name)
{
    return name == "vprintf"        ? Builtin::Vprintf
           : name == "__assertfail" ? Builtin::AssertFail
           : name == "malloc"       ? Builtin::Malloc
           : name == "free"         ? Builtin::Free
                                    : Builtin::None;
}

std::size_t builtinArguments(Builtin b)
{
    return b == Builtin::Vprintf ? 2 : b == Builtin::AssertFail ? 5 : 1;
}

const Instr* runBuiltin(Warp& w, const Instr* I, const CallSite& site)
{
    switch (site.builtin) {
    case Builtin::Vprintf:
        return vprintf(w, I, site);
    case Builtin::AssertFail:
        return assertFail(w, I, site);
    case Builtin::Malloc:
        return deviceMalloc(w, I, site);
    default:
        return deviceFree(w, I, site);
    }
}

} // namespace ridgeline::emu
