// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/driver.h"

namespace ridgeline::emu {

namespace {

struct Entry {
    const char* name; ///< as cuGetProcAddress takes it, with the suffix of the per-thread form
    int version;      ///< CUDA version that brought this form
    const char* symbol;
    void* refusal; ///< what stands there when nobody implements it
};

#define RIDGELINE_DRIVER_SYMBOL(name, version, symbol)                                             \
    int refuse_##symbol()                                                                          \
    {                                                                                              \
        const driver::RuntimeState keep;                                                           \
        return refuse(#symbol);                                                                    \
    }
#include "core/emulator/runtime/driver_symbols.inc"
#undef RIDGELINE_DRIVER_SYMBOL

#define RIDGELINE_DRIVER_SYMBOL(name, version, symbol)                                             \
    {#name, version, #symbol, reinterpret_cast<void*>(&refuse_##symbol)},
const Entry entries[] = {
#include "core/emulator/runtime/driver_symbols.inc"
};
#undef RIDGELINE_DRIVER_SYMBOL

struct Table {
    std::unordered_map<std::string, void*> bySymbol;
    std::unordered_multimap<std::string, const Entry*> byName;
};

const Table& table()
{
    static const auto* made = [] {
        auto* fresh = new Table;
        for (const Entry& entry : entries) {
            fresh->bySymbol[entry.symbol] = entry.refusal;
            fresh->byName.emplace(entry.name, &entry);
        }
        for (const DriverFunctions& list : {driverContextFunctions(), driverModuleFunctions(),
                                            driverMemoryFunctions(), driverStreamFunctions()}) {
            for (const DriverFunction& function : list)
                fresh->bySymbol[function.name] = function.address;
        }
        return fresh;
    }();
    return *made;
}

const Entry* newest(const std::string& name, int version, bool& nameKnown)
{
    const Entry* best = nullptr;
    const auto [begin, end] = table().byName.equal_range(name);
    for (auto at = begin; at != end; ++at) {
        nameKnown = true;
        if (at->second->version <= version && (!best || at->second->version > best->version))
            best = at->second;
    }
    return best;
}

} // namespace

void* driverSymbol(const std::string& symbol)
{
    const auto found = table().bySymbol.find(symbol);
    return found == table().bySymbol.end() ? nullptr : found->second;
}

void* driverEntryPoint(const std::string& name, int version, bool perThread, bool& nameKnown)
{
    nameKnown = false;
    const Entry* found = nullptr;
    if (perThread) {
        for (const char* suffix : {"_ptsz", "_ptds"}) {
            if (!found)
                found = newest(name + suffix, version, nameKnown);
        }
    }
    if (!found)
        found = newest(name, version, nameKnown);
    return found ? driverSymbol(found->symbol) : nullptr;
}

/// For libcuda.so.1, which has only jumps.
RIDGELINE_CUDA_API void* __cudaEmulatedDriverSymbol(const char* symbol)
{
    return symbol ? driverSymbol(symbol) : nullptr;
}

} // namespace ridgeline::emu
