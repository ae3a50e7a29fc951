// SPDX-License-Identifier: GPL-3.0-or-later
// The loops host_roof times, one set per instruction set. Inside this room.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ridgeline::host {

enum class Isa { Scalar, Avx2, Avx512 };

/// The widest this processor and the operating system offer.
Isa detectIsa();

/// Runs `rounds` rounds of independent FMA chains long enough to hide their latency; returns the
/// FLOPs done. `sink` gets the sum of the accumulators, so that nothing can be left out.
double fmaFp32(Isa isa, std::uint64_t rounds, double& sink);
double fmaFp64(Isa isa, std::uint64_t rounds, double& sink);

/// a[i] = b[i] + s·c[i]; 64-byte aligned, count a multiple of 8. Stores past the cache where it
/// can, so that no line is read in order to be written.
void triad(Isa isa, double* a, const double* b, const double* c, double s, std::size_t count);

} // namespace ridgeline::host
