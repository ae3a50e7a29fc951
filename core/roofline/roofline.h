// SPDX-License-Identifier: GPL-3.0-or-later
// Points on a roofline and the lower bound on time they imply (Williams, Waterman, Patterson 2009).
#pragma once

#include "core/bundle/bundle.h"
#include "core/roofline/hardware.h"

namespace ridgeline {

/// FLOPs and bytes of one run of a case.
struct Work {
    double flops = 0;
    double bytes = 0;
    bool operator==(const Work&) const = default;
};

/// FLOPs and bytes the bundle's expressions give for a case; empty where the bundle has none.
/// Errors: the expression's (see evaluateExpr), with the case named.
Result<std::optional<Work>> expressionWork(const RooflineSpec& spec, const BundleCase& c);

struct RooflinePoint {
    QString caseId;
    QString source; ///< expression, counted
    double flops = 0;
    double bytes = 0;
    QString level;        ///< dram, l1
    QString peakKind;     ///< fp32, tf32 … see peakKind()
    double intensity = 0; ///< FLOP per byte; infinite for no bytes
    double peakGflops = 0;
    double bandwidthGbps = 0;
    double attainableGflops = 0; ///< min(peak, intensity · bandwidth)
    QString boundBy;             ///< memory, compute
    double boundNs = 0; ///< max(FLOPs/peak, bytes/bandwidth): no run on the device is shorter
    std::optional<double> timeNs, achievedGflops;
    QString timingKind; ///< set with timeNs: device or host
    bool operator==(const RooflinePoint&) const = default;
};

/// Intensity where the two ceilings meet, FLOP per byte; 0 when the device lacks one of them.
double ridge(const HardwareDevice& device, const QString& kind, const QString& level);

/// Places work on a device's roofs (divided by perDeviceDivisor, as one kernel sees them).
/// BadSchema: the device has no such ceiling, or FLOPs and bytes are negative, not finite or both
/// 0.
Result<RooflinePoint> makePoint(const HardwareDevice& device, const QString& kind,
                                const QString& level, const QString& caseId, const QString& source,
                                const Work& work);

/// Adds a measured time. Only kinds that are a time on the device whose roof it is count: `device`,
/// and `host` where the device is the host's own measured roof; any other kind leaves the point as
/// it is and returns false. So does a time that is not over 0.
bool setTime(RooflinePoint& point, const HardwareDevice& device, double timeNs,
             const QString& timingKind);

/// An entry of "points" in core/pass/README.md, with the further key peak_kind.
Json toJson(const RooflinePoint& point);
/// "device" there, with what a plot needs: {id, name, confidence, peaks_gflops{},
/// bandwidth_gbps{}}.
Json toJson(const HardwareDevice& device);

} // namespace ridgeline
