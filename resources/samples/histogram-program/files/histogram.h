// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

/// Counts the byte values of `data` (device memory) into 256 counters (device memory), which it
/// clears first. Default stream; may return before it is done.
void histogram(const unsigned char* data, std::size_t count, unsigned int* bins);
