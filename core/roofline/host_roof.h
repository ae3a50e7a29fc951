// SPDX-License-Identifier: GPL-3.0-or-later
// This machine's own ceilings, measured: FMA throughput and triad bandwidth.
#pragma once

#include "core/roofline/hardware.h"
#include "core/support/cancel.h"

namespace ridgeline {

/// One ceiling: every sample, and the best of them, which is what the machine can do.
struct RoofSamples {
    double best = 0;         ///< GFLOP/s, or GB/s
    QVector<double> samples; ///< in the order taken
};

struct HostRoof {
    QString cpu;     ///< model name of /proc/cpuinfo
    QString isa;     ///< instructions the FMA loops used: avx512f, avx2+fma, scalar
    int threads = 1; ///< threads of the all-core figures: those this process may run on
    RoofSamples fp32Single, fp32All, fp64Single, fp64All; ///< GFLOP/s, FMA = 2
    RoofSamples triadSingle, triadAll; ///< GB/s, counted as STREAM does: 24 bytes per element
    qint64 cacheBytes = 0;             ///< last-level cache, all of its instances
    qint64 arrayBytes = 0;             ///< size of each of the three arrays
    bool arraysBigEnough =
        false; ///< ≥ 4 × cache each; false: too little memory, bandwidth may be cached
    qint64 wallNs = 0;
};

/// Measures for less than three seconds on an idle machine. Other load makes the figures lower:
/// they are a floor of what the machine can do. Cancel is noticed within about 50 ms. Errors:
/// Cancelled, Environment (no memory for the arrays). Starts threads and joins them; call off the
/// UI thread.
Result<HostRoof> measureHostRoof(const CancelToken& cancel = {});

/// The measured roof as a device with id "host", so that points can be placed on it.
HardwareDevice hostDevice(const HostRoof& roof);

/// "host" of "roofline" in core/pass/README.md: {gflops, gbps, source: "measured"}, with further
/// keys cpu, isa, threads, gflops_fp64, single-thread figures, samples, cache and array sizes.
Json toJson(const HostRoof& roof);

} // namespace ridgeline
