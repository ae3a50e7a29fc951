// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/roofline/roofline.h"

#include <cmath>

namespace ridgeline {

namespace {

struct Ceilings {
    double gflops = 0;
    double gbps = 0;
};

std::optional<Ceilings> ceilings(const HardwareDevice& device, const QString& kind,
                                 const QString& level)
{
    const Peak* peak = device.peak(kind);
    const MemoryLevel* memory = device.level(level);
    if (!peak || !memory)
        return std::nullopt;
    return Ceilings{peak->gflops / device.perDeviceDivisor, memory->gbps / device.perDeviceDivisor};
}

Json finite(double value)
{
    if (std::isfinite(value))
        return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

} // namespace

Result<std::optional<Work>> expressionWork(const RooflineSpec& spec, const BundleCase& c)
{
    if (spec.flopsExpr.isEmpty() || spec.bytesExpr.isEmpty())
        return std::optional<Work>{};
    ExprEnv env;
    for (auto it = c.args.begin(); it != c.args.end(); ++it)
        env.insert(it.key(), it.value());
    for (auto it = c.axes.begin(); it != c.axes.end(); ++it)
        env.insert(it.key(), double(it.value()));
    const auto named = [&c](Error error, const char* which) {
        error.message =
            QStringLiteral("%1 of case \"%2\": %3").arg(QLatin1String(which), c.id, error.message);
        return error;
    };
    const Result<double> flops = evaluateExpr(spec.flopsExpr, env);
    if (!flops)
        return named(flops.error(), "FLOPs");
    const Result<double> bytes = evaluateExpr(spec.bytesExpr, env);
    if (!bytes)
        return named(bytes.error(), "bytes");
    return std::optional<Work>{Work{*flops, *bytes}};
}

double ridge(const HardwareDevice& device, const QString& kind, const QString& level)
{
    const auto c = ceilings(device, kind, level);
    return c ? c->gflops / c->gbps : 0;
}

Result<RooflinePoint> makePoint(const HardwareDevice& device, const QString& kind,
                                const QString& level, const QString& caseId, const QString& source,
                                const Work& work)
{
    const auto c = ceilings(device, kind, level);
    if (!c)
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("%1 has no %2 ceiling for %3")
                         .arg(device.name, device.peak(kind) ? level : kind, caseId),
                     {},
                     QStringLiteral("choose another device or element type")};
    if (!(std::isfinite(work.flops) && std::isfinite(work.bytes) && work.flops >= 0 &&
          work.bytes >= 0) ||
        (work.flops == 0 && work.bytes == 0))
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("%1 FLOPs and %2 bytes of case \"%3\" make no point")
                         .arg(work.flops)
                         .arg(work.bytes)
                         .arg(caseId),
                     {},
                     QStringLiteral("check the roofline expressions of the bundle")};
    RooflinePoint p;
    p.caseId = caseId;
    p.source = source;
    p.flops = work.flops;
    p.bytes = work.bytes;
    p.level = level;
    p.peakKind = kind;
    p.peakGflops = c->gflops;
    p.bandwidthGbps = c->gbps;
    p.intensity = work.bytes > 0 ? work.flops / work.bytes : HUGE_VAL;
    p.attainableGflops = std::min(c->gflops, p.intensity * c->gbps);
    // 1e9 per second is 1 per nanosecond.
    const double compute = work.flops / c->gflops, memory = work.bytes / c->gbps;
    p.boundBy = memory >= compute ? QStringLiteral("memory") : QStringLiteral("compute");
    p.boundNs = std::max(compute, memory);
    return p;
}

bool setTime(RooflinePoint& point, const HardwareDevice& device, double timeNs,
             const QString& timingKind)
{
    const bool host = device.id == QLatin1String("host");
    const bool matches =
        host ? timingKind == QLatin1String("host") : timingKind == QLatin1String("device");
    if (!matches || !(timeNs > 0) || !std::isfinite(timeNs))
        return false;
    point.timeNs = timeNs;
    point.achievedGflops = point.flops / timeNs;
    point.timingKind = timingKind;
    return true;
}

Json toJson(const RooflinePoint& p)
{
    const auto optional = [](const std::optional<double>& v) {
        return v ? Json(*v) : Json(nullptr);
    };
    return {{"case", sstr(p.caseId)},
            {"source", sstr(p.source)},
            {"flops", p.flops},
            {"bytes", p.bytes},
            {"level", sstr(p.level)},
            {"peak_kind", sstr(p.peakKind)},
            {"intensity", finite(p.intensity)},
            {"peak_gflops", p.peakGflops},
            {"bandwidth_gbps", p.bandwidthGbps},
            {"attainable_gflops", p.attainableGflops},
            {"bound_by", sstr(p.boundBy)},
            {"bound_ns", p.boundNs},
            {"achieved_gflops", optional(p.achievedGflops)},
            {"time_ns", optional(p.timeNs)},
            {"timing_kind", p.timingKind.isEmpty() ? Json(nullptr) : Json(sstr(p.timingKind))}};
}

Json toJson(const HardwareDevice& d)
{
    Json peaks = Json::object(), levels = Json::object();
    for (const Peak& p : d.peaks)
        peaks[sstr(p.kind)] = p.gflops / d.perDeviceDivisor;
    for (const MemoryLevel& l : d.levels)
        levels[sstr(l.level)] = l.gbps / d.perDeviceDivisor;
    return {{"id", sstr(d.id)},
            {"name", sstr(d.name)},
            {"confidence", sstr(d.confidence)},
            {"peaks_gflops", std::move(peaks)},
            {"bandwidth_gbps", std::move(levels)}};
}

} // namespace ridgeline
