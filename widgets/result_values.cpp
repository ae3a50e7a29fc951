// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/result_values.h"

#include <QCoreApplication>
#include <cmath>
#include <limits>

namespace ridgeline {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridgeline::Results", text);
}

const Json& arrayOf(const Json& object, const char* key)
{
    static const Json empty = Json::array();
    const Json& value = jsonMember(object, key);
    return value.is_array() ? value : empty;
}

QString ruleText(const Json& rule)
{
    QStringList parts{jsonString(rule, "method")};
    for (const char* key : {"rtol", "atol", "ulp"}) {
        if (const auto value = jsonReal(rule, key))
            parts.append(QStringLiteral("%1 %2").arg(QLatin1String(key), realText(value)));
    }
    const double ratio = jsonNumber(rule, "min_match_ratio", 1.0);
    if (ratio < 1.0)
        parts.append(tr("%1 % must match").arg(ratio * 100));
    if (jsonBool(rule, "equal_nan"))
        parts.append(tr("NaN equals NaN"));
    return parts.join(QStringLiteral(", "));
}

QVector<Mismatch> mismatchesOf(const Json& output, const char* key)
{
    QVector<Mismatch> list;
    for (const Json& entry : arrayOf(output, key)) {
        list.append({indexText(jsonMember(entry, "index")), jsonReal(entry, "got"),
                     jsonReal(entry, "ref"), jsonReal(entry, "abs"), jsonReal(entry, "rel"),
                     jsonReal(entry, "ulp")});
    }
    return list;
}

std::optional<double> at(const Json& object, const char* key, size_t index)
{
    const Json& array = arrayOf(object, key);
    if (index >= array.size() || !array[index].is_number())
        return std::nullopt;
    return array[index].get<double>();
}

} // namespace

std::optional<double> jsonReal(const Json& object, const char* key)
{
    const Json& value = jsonMember(object, key);
    if (value.is_number())
        return value.get<double>();
    if (value.is_string()) {
        const QString text = qstr(value.get<std::string>());
        if (text == QLatin1String("nan"))
            return std::numeric_limits<double>::quiet_NaN();
        if (text == QLatin1String("inf"))
            return std::numeric_limits<double>::infinity();
        if (text == QLatin1String("-inf"))
            return -std::numeric_limits<double>::infinity();
    }
    return std::nullopt;
}

QString realText(const std::optional<double>& value, int digits)
{
    if (!value)
        return QStringLiteral("–");
    if (std::isnan(*value))
        return QStringLiteral("nan");
    if (std::isinf(*value))
        return *value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    return QString::number(*value, 'g', digits);
}

namespace {
/// Bounds of ULP bins are powers of two; the long ones are read as such.
QString ulpText(const std::optional<double>& upto)
{
    int exponent = 0;
    if (!upto || !std::isfinite(*upto) || *upto < 1024 || std::frexp(*upto, &exponent) != 0.5)
        return realText(upto);
    QString text = QStringLiteral("2");
    for (const QChar digit : QString::number(exponent - 1))
        text += QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹").at(digit.digitValue());
    return text;
}
} // namespace

QString indexText(const Json& index)
{
    if (!index.is_array())
        return {};
    QStringList parts;
    for (const Json& part : index) {
        if (part.is_number())
            parts.append(QString::number(part.get<qint64>()));
    }
    return QStringLiteral("[%1]").arg(parts.join(QStringLiteral(", ")));
}

QVector<NumericsRow> numericsRows(const RunRecord& run)
{
    QVector<NumericsRow> rows;
    for (const CandidateRun& candidate : run.candidates) {
        const PassRecord* pass = candidate.pass(QStringLiteral("correctness"));
        if (!pass)
            continue;
        for (const Json& c : arrayOf(pass->result, "cases")) {
            NumericsRow base;
            base.candidate = candidate.id;
            base.caseId = jsonString(c, "case");
            base.seed = jsonInt(c, "seed");
            base.state = jsonString(c, "state");
            base.message = jsonString(c, "message");
            base.ok = base.state == QLatin1String("passed");
            const Json& outputs = arrayOf(c, "outputs");
            if (outputs.empty())
                rows.append(base);
            for (const Json& output : outputs) {
                NumericsRow row = base;
                row.output = jsonString(output, "name");
                row.dtype = jsonString(output, "dtype");
                row.shape = indexText(jsonMember(output, "shape"));
                row.count = jsonInt(output, "count");
                row.rule = ruleText(jsonMember(output, "rule"));
                row.ok = jsonBool(output, "ok");
                row.mismatches = jsonInt(output, "mismatches");
                row.toleranceUsed = jsonReal(output, "tolerance_used");
                row.maxAbs = jsonReal(jsonMember(output, "max_abs"), "value");
                row.maxAbsAt = indexText(jsonMember(jsonMember(output, "max_abs"), "index"));
                row.maxRel = jsonReal(jsonMember(output, "max_rel"), "value");
                row.maxUlp = jsonReal(jsonMember(output, "max_ulp"), "value");
                row.unwritten = jsonInt(output, "unwritten");
                row.nanGot = jsonInt(output, "nan_got");
                row.nanRef = jsonInt(output, "nan_ref");
                row.infGot = jsonInt(output, "inf_got");
                row.infRef = jsonInt(output, "inf_ref");
                row.first = mismatchesOf(output, "first_mismatches");
                row.worst = mismatchesOf(output, "worst_mismatches");
                for (const Json& bin : arrayOf(output, "ulp_histogram")) {
                    const auto upto = jsonReal(bin, "upto");
                    row.ulps.append({ulpText(upto), jsonInt(bin, "count")});
                }
                rows.append(row);
            }
        }
    }
    return rows;
}

QVector<BenchmarkRow> benchmarkRows(const RunRecord& run)
{
    QVector<BenchmarkRow> rows;
    for (const CandidateRun& candidate : run.candidates) {
        const PassRecord* pass = candidate.pass(QStringLiteral("benchmark"));
        if (!pass)
            continue;
        for (const Json& c : arrayOf(pass->result, "cases")) {
            BenchmarkRow row;
            row.candidate = candidate.id;
            row.caseId = jsonString(c, "case");
            row.timingKind = jsonString(pass->result, "timing_kind");
            row.note = jsonString(pass->result, "note");
            row.clock = jsonString(pass->result, "clock");
            row.cache = jsonString(c, "cache");
            row.warmup = int(jsonInt(c, "warmup"));
            row.reps = int(jsonInt(c, "reps"));
            for (const Json& sample : arrayOf(c, "samples_ns")) {
                if (sample.is_number())
                    row.samplesNs.append(sample.get<double>());
            }
            row.medianNs = jsonReal(c, "median_ns");
            row.ciLowNs = at(c, "ci95_ns", 0);
            row.ciHighNs = at(c, "ci95_ns", 1);
            row.minNs = jsonReal(c, "min_ns");
            row.p25Ns = jsonReal(c, "p25_ns");
            row.p75Ns = jsonReal(c, "p75_ns");
            row.iqrNs = jsonReal(c, "iqr_ns");
            row.flags = jsonStrings(c, "flags");
            row.verifiedReps = int(jsonInt(c, "verified_reps"));
            row.wrongReps = int(jsonInt(c, "wrong_reps"));
            const Json& baseline = jsonMember(c, "baseline");
            row.baseline = jsonString(baseline, "candidate");
            row.ratio = jsonReal(baseline, "ratio");
            row.ratioLow = at(baseline, "ratio_ci95", 0);
            row.ratioHigh = at(baseline, "ratio_ci95", 1);
            row.verdict = jsonString(baseline, "verdict");
            rows.append(row);
        }
    }
    return rows;
}

QString timingKindMeaning(const QString& kind)
{
    if (kind == QLatin1String("device"))
        return tr("device time, measured with events on a real GPU");
    if (kind == QLatin1String("host"))
        return tr("host time, measured on this machine's CPU");
    if (kind == QLatin1String("emulated"))
        return tr("emulator's own clock, not GPU performance");
    if (kind == QLatin1String("profiler"))
        return tr("device time from a profiler");
    if (kind == QLatin1String("imported"))
        return tr("claimed by somebody else, not measured here");
    return kind;
}

RooflineRun rooflineOf(const RunRecord& run)
{
    RooflineRun all;
    for (const CandidateRun& candidate : run.candidates) {
        const PassRecord* pass = candidate.pass(QStringLiteral("roofline"));
        if (!pass)
            continue;
        const Json& device = jsonMember(pass->result, "device");
        if (all.deviceId.isEmpty())
            all.deviceId = jsonString(device, "id");
        if (all.dtype.isEmpty())
            all.dtype = jsonString(pass->result, "dtype");
        const Json& host = jsonMember(pass->result, "host");
        if (!all.hostGflops) {
            all.hostGflops = jsonReal(host, "gflops");
            all.hostGbps = jsonReal(host, "gbps");
        }
        for (const Json& point : arrayOf(pass->result, "points")) {
            RooflineRow row;
            row.candidate = candidate.id;
            row.caseId = jsonString(point, "case");
            row.source = jsonString(point, "source");
            row.flops = jsonNumber(point, "flops");
            row.bytes = jsonNumber(point, "bytes");
            row.level = jsonString(point, "level", QStringLiteral("dram"));
            row.peakKind = jsonString(point, "peak_kind", all.dtype);
            row.timingKind = jsonString(point, "timing_kind");
            // Only a device's or the host's own time is performance; the emulator's never is.
            if (row.timingKind == QLatin1String("device") ||
                row.timingKind == QLatin1String("host"))
                row.timeNs = jsonReal(point, "time_ns");
            all.rows.append(row);
        }
    }
    return all;
}

QString siText(double value, const QString& unit)
{
    if (!std::isfinite(value))
        return value > 0 ? QStringLiteral("∞ ") + unit : QStringLiteral("– ") + unit;
    static const char* const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    int step = 0;
    while (std::fabs(value) >= 999.5 && step < 6) {
        value /= 1000;
        ++step;
    }
    return QStringLiteral("%1 %2%3").arg(QString::number(value, 'g', 3),
                                         QLatin1String(prefixes[step]), unit);
}

} // namespace ridgeline
