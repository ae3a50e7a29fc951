// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/symbols.h"

#include "core/emulator/runtime/device.h"

namespace ridgeline::emu {

int symbolPlace(const void* symbol, char*& address, std::size_t& size)
{
    Device& device = Device::instance();
    if (const Variable* variable = device.findVariable(symbol)) {
        int error = abi::Success;
        const GlobalInfo* global = variable->binary->global(variable->name, error);
        if (!global)
            return error;
        address = static_cast<char*>(global->address);
        // An array without bounds (extern) has its size in the registration only.
        size = global->size ? global->size : variable->size;
        return abi::Success;
    }
    // A managed variable's "symbol" is its device address already: nvcc rewrites the name.
    const auto found = device.memory().find(reinterpret_cast<std::uintptr_t>(symbol));
    if (!found || (found->kind != MemoryKind::Module && found->kind != MemoryKind::Managed))
        return abi::InvalidSymbol;
    address = static_cast<char*>(const_cast<void*>(symbol));
    size = found->size - (reinterpret_cast<std::uintptr_t>(symbol) - found->base);
    return abi::Success;
}

} // namespace ridgeline::emu
