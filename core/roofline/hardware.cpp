// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/roofline/hardware.h"

#include "core/support/paths.h"

#include <QSet>

namespace ridgeline {

namespace {

const QStringList& knownKinds()
{
    static const QStringList kinds{
        QStringLiteral("fp64"), QStringLiteral("fp64_tensor"), QStringLiteral("fp32"),
        QStringLiteral("tf32"), QStringLiteral("fp16"),        QStringLiteral("bf16"),
        QStringLiteral("fp8"),  QStringLiteral("int8"),        QStringLiteral("fp4")};
    return kinds;
}

Error problem(const QString& file, const QString& pointer, const QString& message)
{
    return {ErrorCode::BadSchema, message, {file, 0, 0, pointer}, {}};
}

Result<HardwareDevice> readDevice(const Json& json, const QString& file, const QString& pointer)
{
    HardwareDevice d;
    if (!json.is_object())
        return problem(file, pointer, QStringLiteral("a device must be an object"));
    d.id = jsonString(json, "id");
    d.name = jsonString(json, "name");
    d.vendor = jsonString(json, "vendor");
    if (d.id.isEmpty() || d.name.isEmpty())
        return problem(file, pointer, QStringLiteral("a device needs an id and a name"));
    d.cores = int(jsonInt(json, "core_count"));
    d.boostClockMHz = jsonNumber(json, "boost_clock_MHz");
    d.tensorClockMHz = jsonNumber(json, "tensor_peak_clock_MHz");
    d.memoryGiB = jsonNumber(json, "memory_GiB");
    d.l2MiB = jsonNumber(json, "l2_MiB");
    d.sharedKiBPerCore = jsonNumber(json, "shared_KiB_per_core");
    d.perDeviceDivisor = int(jsonInt(json, "per_device_divisor", 1));
    d.confidence = jsonString(json, "confidence");
    d.notes = jsonString(json, "notes");
    d.sources = jsonStrings(json, "source");
    if (d.cores < 1)
        return problem(file, pointer + QStringLiteral("/core_count"),
                       QStringLiteral("core_count must be at least 1"));
    if (d.perDeviceDivisor < 1)
        return problem(file, pointer + QStringLiteral("/per_device_divisor"),
                       QStringLiteral("per_device_divisor must be at least 1"));
    if (d.sources.isEmpty())
        return problem(file, pointer + QStringLiteral("/source"),
                       QStringLiteral("every device names the source of its figures"));
    const double dram = jsonNumber(json, "memory_bandwidth_GBps");
    if (!(dram > 0))
        return problem(file, pointer + QStringLiteral("/memory_bandwidth_GBps"),
                       QStringLiteral("memory_bandwidth_GBps must be over 0"));
    d.levels.push_back({QStringLiteral("dram"), dram});
    const double l1 = jsonNumber(json, "l1_bytes_per_clk_per_core");
    if (l1 > 0 && d.boostClockMHz > 0)
        d.levels.push_back({QStringLiteral("l1"), l1 * d.cores * d.boostClockMHz * 1e-3});

    const Json& peaks = jsonMember(json, "peak_TFLOPS_dense");
    const Json& rates = jsonMember(json, "flops_per_clk_per_core");
    const Json& unsure = jsonMember(json, "not_reproduced");
    if (!peaks.is_object() || peaks.empty())
        return problem(file, pointer + QStringLiteral("/peak_TFLOPS_dense"),
                       QStringLiteral("a device needs at least one peak"));
    for (const auto& [key, value] : peaks.items()) {
        const QString kind = qstr(key);
        const QString place = pointer + QStringLiteral("/peak_TFLOPS_dense") + pointerStep(kind);
        if (!knownKinds().contains(kind))
            return problem(file, place, QStringLiteral("unknown kind of peak \"%1\"").arg(kind));
        if (!value.is_number() || !(value.get<double>() > 0))
            return problem(file, place, QStringLiteral("a peak must be a number over 0"));
        d.peaks.push_back({kind, value.get<double>() * 1e3, jsonNumber(rates, key.c_str()),
                           jsonString(unsure, key.c_str())});
    }
    return d;
}

} // namespace

const Peak* HardwareDevice::peak(const QString& kind) const
{
    for (const Peak& p : peaks) {
        if (p.kind == kind)
            return &p;
    }
    return nullptr;
}

const MemoryLevel* HardwareDevice::level(const QString& wanted) const
{
    for (const MemoryLevel& l : levels) {
        if (l.level == wanted)
            return &l;
    }
    return nullptr;
}

std::optional<double> HardwareDevice::peakAtClock(const QString& kind, double clockMHz) const
{
    const Peak* p = peak(kind);
    if (!p || p->flopsPerClockPerCore <= 0 || clockMHz <= 0)
        return std::nullopt;
    return cores * p->flopsPerClockPerCore * clockMHz * 1e-3;
}

const HardwareDevice* HardwareTable::device(const QString& id) const
{
    for (const HardwareDevice& d : devices) {
        if (d.id == id)
            return &d;
    }
    return nullptr;
}

Result<HardwareTable> loadHardware(const QString& path)
{
    const Result<Json> json = readJsonFile(path);
    if (!json)
        return json.error();
    if (jsonString(*json, "schema") != QLatin1String("hardware-roofs/1"))
        return problem(path, QStringLiteral("/schema"),
                       QStringLiteral("schema must be \"hardware-roofs/1\""));
    const Json& list = jsonMember(*json, "devices");
    if (!list.is_array() || list.empty())
        return problem(path, QStringLiteral("/devices"), QStringLiteral("devices must be a list"));
    HardwareTable table;
    QSet<QString> ids;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const QString pointer = QStringLiteral("/devices/%1").arg(i);
        Result<HardwareDevice> device = readDevice(list[i], path, pointer);
        if (!device)
            return device.error();
        if (ids.contains(device->id))
            return problem(path, pointer + QStringLiteral("/id"),
                           QStringLiteral("the id \"%1\" appears twice").arg(device->id));
        ids.insert(device->id);
        table.devices.push_back(*std::move(device));
    }
    return table;
}

Result<HardwareTable> loadHardware()
{
    return loadHardware(resourceDir() + QStringLiteral("/hardware/hardware.json"));
}

QString peakKind(const HardwareDevice& device, DType type, bool tensorCores)
{
    QString kind;
    switch (type) {
    case DType::Fp64:
        kind = tensorCores ? QStringLiteral("fp64_tensor") : QStringLiteral("fp64");
        break;
    case DType::Fp32:
        kind = tensorCores ? QStringLiteral("tf32") : QStringLiteral("fp32");
        break;
    case DType::Fp16:
        kind = QStringLiteral("fp16");
        break;
    case DType::Bf16:
        kind = QStringLiteral("bf16");
        break;
    case DType::Fp8E4M3:
    case DType::Fp8E5M2:
        kind = QStringLiteral("fp8");
        break;
    case DType::Int8:
    case DType::UInt8:
        kind = QStringLiteral("int8");
        break;
    default:
        break;
    }
    return device.peak(kind) ? kind : QString();
}

} // namespace ridgeline
