// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/report_tables.h"

#include "core/report/clean_text.h"

#include <cmath>
#include <limits>

namespace ridgeline {

namespace {

constexpr int maxRows = 200;
constexpr int maxDiagnostics = 50;
constexpr int maxMismatches = 8;

const QString dash = QStringLiteral("\u2013");

/// A number, or one of the words for what JSON has no number for.
std::optional<double> number(const Json& object, const char* key)
{
    const Json& value = jsonMember(object, key);
    if (value.is_number())
        return value.get<double>();
    if (!value.is_string())
        return std::nullopt;
    const auto& word = value.get_ref<const std::string&>();
    if (word == "nan")
        return std::numeric_limits<double>::quiet_NaN();
    if (word == "inf")
        return std::numeric_limits<double>::infinity();
    if (word == "-inf")
        return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

QString numberCell(const Json& object, const char* key)
{
    const auto value = number(object, key);
    return value ? numberText(*value) : dash;
}

QString timeCell(const Json& object, const char* key)
{
    const auto value = number(object, key);
    return value ? timeText(*value) : dash;
}

QString bytesCell(const Json& object, const char* key)
{
    const auto value = number(object, key);
    return value ? bytesText(*value) : dash;
}

QString textCell(const Json& object, const char* key)
{
    const QString text = cleanLine(jsonString(object, key));
    return text.isEmpty() ? dash : text;
}

QString indexText(const Json& index)
{
    if (!index.is_array() || index.empty())
        return {};
    QStringList parts;
    for (const Json& i : index)
        parts << (i.is_number() ? numberText(i.get<double>()) : dash);
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString extremeCell(const Json& output, const char* key)
{
    const Json& extreme = jsonMember(output, key);
    if (!extreme.is_object())
        return dash;
    const QString at = indexText(jsonMember(extreme, "index"));
    return numberCell(extreme, "value") + (at.isEmpty() ? QString() : QStringLiteral(" at ") + at);
}

QString ruleText(const Json& rule)
{
    if (!rule.is_object())
        return dash;
    QStringList parts{cleanLine(jsonString(rule, "method"))};
    for (const char* key : {"rtol", "atol", "ulp"}) {
        if (const auto value = number(rule, key))
            parts << QString::fromLatin1(key) + QLatin1Char(' ') + numberText(*value);
    }
    const double ratio = jsonNumber(rule, "min_match_ratio", 1);
    if (ratio < 1)
        parts << QStringLiteral("at least %1 % of elements").arg(numberText(ratio * 100));
    if (jsonBool(rule, "equal_nan"))
        parts << QStringLiteral("NaN equals NaN");
    return parts.join(QStringLiteral(", "));
}

QString rangeText(const Json& pair, QString (*format)(double))
{
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number())
        return dash;
    return format(pair[0].get<double>()) + QStringLiteral(" \u2026 ") +
           format(pair[1].get<double>());
}

/// Adds a row, or counts it as left out when there are enough.
void addRow(ReportTable& table, QStringList row, int limit = maxRows)
{
    if (table.rows.size() < limit)
        table.rows.push_back(std::move(row));
    else
        ++table.rowsLeftOut;
}

ReportTable passTable(const CandidateRun& run)
{
    ReportTable table{QStringLiteral("passes"),
                      QStringLiteral("Passes"),
                      {},
                      {{QStringLiteral("Pass")},
                       {QStringLiteral("State")},
                       {QStringLiteral("Took"), true},
                       {QStringLiteral("Result")}},
                      {}};
    for (const PassRecord& pass : run.passes)
        addRow(table, {cleanLine(pass.pass), passStateName(pass.state),
                       timeText(double(pass.wallNs)), cleanLine(pass.summary)});
    return table;
}

ReportTable compileTable(const Json& result)
{
    ReportTable table{
        QStringLiteral("compile"),
        QStringLiteral("Kernels as compiled"),
        QStringLiteral("Reported by the assembler for %1.").arg(textCell(result, "arch")),
        {{QStringLiteral("Kernel"), false, true},
         {QStringLiteral("Registers"), true},
         {QStringLiteral("Spill stores"), true},
         {QStringLiteral("Spill loads"), true},
         {QStringLiteral("Stack"), true},
         {QStringLiteral("Shared"), true}},
        {}};
    for (const Json& kernel : jsonMember(result, "kernels"))
        addRow(table,
               {textCell(kernel, "name"), numberCell(kernel, "registers"),
                bytesCell(kernel, "spill_store_bytes"), bytesCell(kernel, "spill_load_bytes"),
                bytesCell(kernel, "stack_bytes"), bytesCell(kernel, "shared_bytes")});
    return table;
}

ReportTable diagnosticTable(const Json& result)
{
    ReportTable table{QStringLiteral("diagnostics"),
                      QStringLiteral("Compiler messages"),
                      {},
                      {{QStringLiteral("Severity")},
                       {QStringLiteral("Place"), false, true},
                       {QStringLiteral("Message")}},
                      {}};
    for (const Json& message : jsonMember(result, "diagnostics")) {
        QString place = cleanLine(jsonString(message, "file"));
        if (jsonInt(message, "line") > 0)
            place += QLatin1Char(':') + QString::number(jsonInt(message, "line"));
        addRow(table,
               {textCell(message, "severity"), place.isEmpty() ? dash : place,
                textCell(message, "message")},
               maxDiagnostics);
    }
    return table;
}

ReportTable correctnessTable(const Json& result)
{
    const Json& reference = jsonMember(result, "reference");
    ReportTable table{
        QStringLiteral("correctness"),
        QStringLiteral("Correctness"),
        reference.is_object()
            ? QStringLiteral("Against the reference %1 (%2). Tolerance used: 1 is the limit.")
                  .arg(textCell(reference, "file"), textCell(reference, "kind"))
            : QString(),
        {{QStringLiteral("Case"), false, true},
         {QStringLiteral("Output"), false, true},
         {QStringLiteral("State")},
         {QStringLiteral("Mismatches"), true},
         {QStringLiteral("Tolerance used"), true},
         {QStringLiteral("Max abs"), true},
         {QStringLiteral("Max rel"), true},
         {QStringLiteral("Max ULP"), true},
         {QStringLiteral("NaN / Inf / unwritten"), true},
         {QStringLiteral("Rule")}},
        {}};
    for (const Json& c : jsonMember(result, "cases")) {
        const QString name = textCell(c, "case");
        const Json& outputs = jsonMember(c, "outputs");
        if (!outputs.is_array() || outputs.empty()) {
            QString said = cleanLine(jsonString(c, "message"));
            if (jsonMember(c, "exit_code").is_number())
                said = QStringLiteral("exit code %1. %2").arg(jsonInt(c, "exit_code")).arg(said);
            addRow(table,
                   {name, dash, textCell(c, "state"), dash, dash, dash, dash, dash, dash, said});
            continue;
        }
        for (const Json& o : outputs)
            addRow(table, {name, textCell(o, "name") + QLatin1Char(' ') + textCell(o, "dtype"),
                           jsonBool(o, "ok") ? QStringLiteral("passed") : QStringLiteral("failed"),
                           QStringLiteral("%1 of %2")
                               .arg(numberCell(o, "mismatches"), numberCell(o, "count")),
                           numberCell(o, "tolerance_used"), extremeCell(o, "max_abs"),
                           extremeCell(o, "max_rel"), extremeCell(o, "max_ulp"),
                           QStringLiteral("%1 / %2 / %3")
                               .arg(numberCell(o, "nan_got"), numberCell(o, "inf_got"),
                                    numberCell(o, "unwritten")),
                           ruleText(jsonMember(o, "rule"))});
    }
    return table;
}

ReportTable mismatchTable(const Json& result)
{
    ReportTable table{
        QStringLiteral("mismatches"),
        QStringLiteral("Worst mismatches"),
        QStringLiteral("Up to %1 per output, by error over tolerance.").arg(maxMismatches),
        {{QStringLiteral("Case"), false, true},
         {QStringLiteral("Element"), false, true},
         {QStringLiteral("Got"), true},
         {QStringLiteral("Reference"), true},
         {QStringLiteral("Abs"), true},
         {QStringLiteral("Rel"), true},
         {QStringLiteral("ULP"), true}},
        {}};
    for (const Json& c : jsonMember(result, "cases")) {
        for (const Json& o : jsonMember(c, "outputs")) {
            int shown = 0;
            for (const Json& m : jsonMember(o, "worst_mismatches")) {
                if (++shown > maxMismatches)
                    break;
                addRow(table, {textCell(c, "case"),
                               textCell(o, "name") + indexText(jsonMember(m, "index")),
                               numberCell(m, "got"), numberCell(m, "ref"), numberCell(m, "abs"),
                               numberCell(m, "rel"), numberCell(m, "ulp")});
            }
        }
    }
    return table;
}

ReportTable benchmarkTable(const Json& result)
{
    ReportTable table{QStringLiteral("benchmark"),
                      QStringLiteral("Benchmark"),
                      timingKindText(jsonString(result, "timing_kind")),
                      {{QStringLiteral("Case"), false, true},
                       {QStringLiteral("Kind")},
                       {QStringLiteral("Median"), true},
                       {QStringLiteral("95 % interval"), true},
                       {QStringLiteral("Samples"), true},
                       {QStringLiteral("Cache")},
                       {QStringLiteral("Wrong repetitions"), true},
                       {QStringLiteral("Against baseline")},
                       {QStringLiteral("Flags")}},
                      {}};
    const QString note = cleanLine(jsonString(result, "note"));
    // Of emulated times everything is said already.
    if (!note.isEmpty() && jsonString(result, "timing_kind") != QLatin1String("emulated"))
        table.note += QLatin1Char(' ') + note;
    for (const Json& c : jsonMember(result, "cases")) {
        const Json& baseline = jsonMember(c, "baseline");
        QString against = dash;
        if (baseline.is_object())
            against = QStringLiteral("%1: ratio %2 (%3), %4")
                          .arg(textCell(baseline, "candidate"), numberCell(baseline, "ratio"),
                               rangeText(jsonMember(baseline, "ratio_ci95"), numberText),
                               textCell(baseline, "verdict"));
        const QString wrong =
            QStringLiteral("%1 of %2")
                .arg(numberCell(c, "wrong_reps"),
                     numberText(jsonNumber(c, "wrong_reps") + jsonNumber(c, "verified_reps")));
        const Json& samples = jsonMember(c, "samples_ns");
        const QString flags = cleanLine(jsonStrings(c, "flags").join(QStringLiteral(", ")));
        addRow(table,
               {textCell(c, "case"), textCell(result, "timing_kind"), timeCell(c, "median_ns"),
                rangeText(jsonMember(c, "ci95_ns"), timeText),
                QString::number(samples.is_array() ? samples.size() : 0), textCell(c, "cache"),
                jsonMember(c, "verified_reps").is_number() ? wrong : dash, against,
                flags.isEmpty() ? dash : flags});
    }
    return table;
}

ReportTable rooflineTable(const Json& result)
{
    ReportTable table{
        QStringLiteral("roofline"),
        QStringLiteral("Roofline"),
        QStringLiteral(
            "Roof of %1, %2. The bound is the least time the device could need for these "
            "counts: not a measurement.")
            .arg(textCell(jsonMember(result, "device"), "name"), textCell(result, "dtype")),
        {{QStringLiteral("Case"), false, true},
         {QStringLiteral("Counts from")},
         {QStringLiteral("FLOP"), true},
         {QStringLiteral("Bytes"), true},
         {QStringLiteral("FLOP/byte"), true},
         {QStringLiteral("Bound by")},
         {QStringLiteral("Least time"), true},
         {QStringLiteral("Attainable GFLOP/s"), true},
         {QStringLiteral("Achieved GFLOP/s"), true}},
        {}};
    for (const Json& p : jsonMember(result, "points"))
        addRow(table, {textCell(p, "case"), textCell(p, "source"), numberCell(p, "flops"),
                       bytesCell(p, "bytes"), numberCell(p, "intensity"), textCell(p, "bound_by"),
                       timeCell(p, "bound_ns"), numberCell(p, "attainable_gflops"),
                       jsonMember(p, "achieved_gflops").is_number() &&
                               jsonString(p, "timing_kind") != QLatin1String("emulated")
                           ? QStringLiteral("%1 (%2)").arg(numberCell(p, "achieved_gflops"),
                                                           textCell(p, "timing_kind"))
                           : dash});
    return table;
}

ReportTable countedTable(const Json& result)
{
    ReportTable table{QStringLiteral("counted"),
                      QStringLiteral("Counted work per kernel"),
                      QStringLiteral("Counted by the emulated device; a sector has 32 bytes."),
                      {{QStringLiteral("Case"), false, true},
                       {QStringLiteral("Kernel"), false, true},
                       {QStringLiteral("Launches"), true},
                       {QStringLiteral("FLOP"), true},
                       {QStringLiteral("Loaded"), true},
                       {QStringLiteral("Stored"), true},
                       {QStringLiteral("Load sectors"), true},
                       {QStringLiteral("Store sectors"), true}},
                      {}};
    for (const Json& k : jsonMember(result, "counted")) {
        double flops = 0;
        const Json& byType = jsonMember(k, "flops");
        if (byType.is_object()) {
            for (const auto& [type, count] : byType.items())
                flops += count.is_number() ? count.get<double>() : 0;
        }
        addRow(table, {textCell(k, "case"), textCell(k, "kernel"), numberCell(k, "launches"),
                       numberText(flops), bytesCell(k, "load_bytes"), bytesCell(k, "store_bytes"),
                       numberCell(k, "load_sectors"), numberCell(k, "store_sectors")});
    }
    return table;
}

const Json& resultOf(const CandidateRun& run, const char* pass)
{
    static const Json none;
    const PassRecord* record = run.pass(QString::fromLatin1(pass));
    return record == nullptr ? none : record->result;
}

} // namespace

QString timingKindText(const QString& kind)
{
    if (kind == QLatin1String("device"))
        return QStringLiteral("Timing kind: device. Measured by events on the device.");
    if (kind == QLatin1String("profiler"))
        return QStringLiteral("Timing kind: profiler. Kernel times as a profiler saw them.");
    if (kind == QLatin1String("imported"))
        return QStringLiteral(
            "Timing kind: imported. Claimed by somebody else, not measured here.");
    if (kind == QLatin1String("host"))
        return QStringLiteral("Timing kind: host. Wall clock of this machine's CPU.");
    if (kind == QLatin1String("emulated"))
        return QStringLiteral(
            "Timing kind: emulated. The emulator's own wall clock: it says nothing "
            "about the speed on a GPU.");
    return QStringLiteral(
        "Timing kind: not recorded. These times cannot be compared with any other.");
}

QVector<ReportTable> tablesOf(const CandidateRun& run)
{
    QVector<ReportTable> tables;
    const auto add = [&tables](ReportTable table) {
        if (!table.rows.isEmpty())
            tables.push_back(std::move(table));
    };
    add(passTable(run));
    add(compileTable(resultOf(run, "compile")));
    add(diagnosticTable(resultOf(run, "compile")));
    add(correctnessTable(resultOf(run, "correctness")));
    add(mismatchTable(resultOf(run, "correctness")));
    add(benchmarkTable(resultOf(run, "benchmark")));
    add(rooflineTable(resultOf(run, "roofline")));
    add(countedTable(resultOf(run, "roofline")));
    return tables;
}

RoofPlot roofPlotOf(const CandidateRun& run)
{
    const Json& result = resultOf(run, "roofline");
    RoofPlot plot;
    plot.device = cleanLine(jsonString(jsonMember(result, "device"), "name"), 80);
    plot.dtype = cleanLine(jsonString(result, "dtype"), 20);
    constexpr int maxPoints = 40;
    for (const Json& p : jsonMember(result, "points")) {
        const auto intensity = number(p, "intensity");
        if (!intensity || !std::isfinite(*intensity) || *intensity <= 0 ||
            jsonString(p, "level") == QLatin1String("l1") || plot.points.size() >= maxPoints)
            continue;
        RoofPoint point{cleanLine(jsonString(p, "case"), 40),
                        jsonString(p, "source") == QLatin1String("counted"), *intensity,
                        std::nullopt};
        const QString kind = jsonString(p, "timing_kind");
        // Emulated time is never drawn as performance, whatever a file says.
        if (kind == QLatin1String("device") || kind == QLatin1String("profiler")) {
            if (const auto achieved = number(p, "achieved_gflops");
                achieved && std::isfinite(*achieved) && *achieved > 0)
                point.achievedGflops = achieved;
        }
        plot.peakGflops = number(p, "peak_gflops").value_or(plot.peakGflops);
        plot.bandwidthGbps = number(p, "bandwidth_gbps").value_or(plot.bandwidthGbps);
        plot.points.push_back(point);
    }
    if (!std::isfinite(plot.peakGflops) || !std::isfinite(plot.bandwidthGbps))
        plot.peakGflops = plot.bandwidthGbps = 0;
    return plot;
}

} // namespace ridgeline
