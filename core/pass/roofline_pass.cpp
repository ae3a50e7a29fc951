// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/run_state.h"
#include "core/roofline/host_roof.h"
#include "core/roofline/roofline.h"

namespace ridgeline {

namespace {

Json countedJson(const CountedKernel& k)
{
    return Json{{"case", sstr(k.caseId)},
                {"kernel", sstr(k.kernel)},
                {"launches", k.launches},
                {"flops",
                 {{"fp64", k.fp64},
                  {"fp32", k.fp32},
                  {"fp16", k.fp16},
                  {"bf16", k.bf16},
                  {"tensor", k.tensor}}},
                {"load_bytes", k.loadBytes},
                {"store_bytes", k.storeBytes},
                {"load_sectors", k.loadSectors},
                {"store_sectors", k.storeSectors},
                {"load_requests", k.loadRequests},
                {"store_requests", k.storeRequests},
                {"shared_bytes", k.sharedBytes},
                {"unique_bytes", k.uniqueBytes},
                {"warp_instructions", k.warpInstructions}};
}

/// This machine's own roof, measured once per run; null when it cannot be.
Json hostRoof(PassContext& c)
{
    if (c.run.hostRoof.is_null()) {
        c.run.progress(QStringLiteral("measuring this machine's own roof"));
        const auto measured = measureHostRoof(c.run.cancel);
        if (measured)
            c.run.hostRoof = toJson(*measured);
        else
            c.log(QStringLiteral("the host's roof was not measured: %1")
                      .arg(measured.error().toString()));
    }
    return c.run.hostRoof;
}

/// Median times of the benchmark by case, with their kind.
struct Times {
    QMap<QString, double> median;
    QString kind;
};

Times timesOf(const CandidateRun& run)
{
    Times times;
    const PassRecord* benchmark = run.pass(QStringLiteral("benchmark"));
    if (benchmark == nullptr || benchmark->state != PassState::Passed)
        return times;
    times.kind = jsonString(benchmark->result, "timing_kind");
    for (const Json& c : jsonMember(benchmark->result, "cases"))
        times.median.insert(jsonString(c, "case"), jsonNumber(c, "median_ns"));
    return times;
}

} // namespace

void rooflinePass(PassContext& c)
{
    const auto table = loadHardware();
    if (!table)
        return c.endWith(table.error());
    const Bundle& bundle = c.run.bundle();
    const HardwareDevice* device = table->device(c.run.device.model);
    if (device == nullptr)
        return c.end(PassState::Skipped,
                     QStringLiteral("no roof is known for %1")
                         .arg(c.run.device.name.isEmpty() ? c.run.device.id : c.run.device.name));
    const QString kind = peakKind(*device, bundle.roofline.dtype, bundle.roofline.tensorCores);
    if (kind.isEmpty())
        return c.end(PassState::Skipped, QStringLiteral("%1 has no ceiling for %2")
                                             .arg(device->name, dtypeName(bundle.roofline.dtype)));
    const QVector<CountedKernel> counted = c.run.counted.value(c.candidate.id);
    const Times times = timesOf(c.record);
    Json points = Json::array();
    int expressions = 0, counts = 0;
    const auto add = [&](const BundleCase& source, const QString& from, const QString& level,
                         const Work& work) {
        auto point = makePoint(*device, kind, level, source.id, from, work);
        if (!point) {
            c.log(QStringLiteral("case %1: %2").arg(source.id, point.error().toString()));
            return false;
        }
        if (times.median.contains(source.id))
            setTime(*point, *device, times.median.value(source.id), times.kind);
        points.push_back(toJson(*point));
        return true;
    };
    bool bench = false;
    for (const BundleCase& source : bundle.cases)
        bench = bench || source.use == CaseUse::Bench;
    for (const BundleCase& source : bundle.cases) {
        if (bench && source.use != CaseUse::Bench)
            continue;
        const auto work = expressionWork(bundle.roofline, source);
        if (!work)
            return c.endWith(work.error());
        if (work->has_value())
            expressions +=
                add(source, QStringLiteral("expression"), QStringLiteral("dram"), **work) ? 1 : 0;
        Work dram, l1;
        bool any = false;
        for (const CountedKernel& k : counted) {
            if (k.caseId != source.id)
                continue;
            any = true;
            dram.flops += k.flops();
            dram.bytes += k.uniqueBytes;
            l1.bytes += 32 * (k.loadSectors + k.storeSectors);
        }
        l1.flops = dram.flops;
        if (!any)
            continue;
        counts += add(source, QStringLiteral("counted"), QStringLiteral("dram"), dram) ? 1 : 0;
        if (device->level(QStringLiteral("l1")) != nullptr)
            add(source, QStringLiteral("counted"), QStringLiteral("l1"), l1);
    }
    Json kernels = Json::array();
    for (const CountedKernel& k : counted)
        kernels.push_back(countedJson(k));
    c.pass.result = {
        {"device", toJson(*device)},     {"dtype", sstr(dtypeName(bundle.roofline.dtype))},
        {"peak_kind", sstr(kind)},       {"points", std::move(points)},
        {"counted", std::move(kernels)}, {"host", hostRoof(c)}};
    if (c.cancelled())
        return c.end(PassState::Cancelled, QStringLiteral("cancelled"));
    if (expressions + counts == 0)
        return c.end(PassState::Skipped,
                     QStringLiteral("neither expressions nor counts: the bundle gives no "
                                    "flops_expr and bytes_expr, and "
                                    "nothing ran on the emulated device"));
    c.end(PassState::Passed,
          QStringLiteral("%1 points from expressions, %2 from counts, against %3")
              .arg(expressions)
              .arg(counts)
              .arg(device->name));
}

} // namespace ridgeline
