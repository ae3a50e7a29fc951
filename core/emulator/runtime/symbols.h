// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace ridgeline::emu {

/// Where a __device__, __constant__ or __managed__ variable lies, by the address of its host twin.
/// Success, InvalidSymbol, or why its module does not load.
int symbolPlace(const void* symbol, char*& address, std::size_t& size);

} // namespace ridgeline::emu
