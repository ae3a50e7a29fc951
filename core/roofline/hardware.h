// SPDX-License-Identifier: GPL-3.0-or-later
// The table of devices: peaks, bandwidths, where each figure comes from and how far to trust it.
#pragma once

#include "core/support/dtype.h"
#include "core/support/json.h"

#include <QMap>
#include <QString>
#include <QStringList>
#include <QVector>
#include <optional>

namespace ridgeline {

/// One compute ceiling. Kinds: fp64, fp64_tensor, fp32, tf32, fp16, bf16, fp8, int8, fp4.
struct Peak {
    QString kind;
    double gflops = 0;               ///< 1e9 operations per second, FMA = 2, dense
    double flopsPerClockPerCore = 0; ///< 0 = not published
    QString notReproduced; ///< why units × rate × clock does not give it; empty = it does
    bool operator==(const Peak&) const = default;
};

/// One memory ceiling. Levels: dram; l1 where the bytes per clock are known.
struct MemoryLevel {
    QString level;
    double gbps = 0; ///< 1e9 bytes per second
    bool operator==(const MemoryLevel&) const = default;
};

struct HardwareDevice {
    QString id; ///< "a100-80-sxm"; "host" for this machine's measured roof
    QString vendor;
    QString name;
    int cores = 0;             ///< SMs, compute units or matrix cores
    double boostClockMHz = 0;  ///< 0 = not published
    double tensorClockMHz = 0; ///< clock the printed tensor peaks hold at; 0 = the boost clock
    double memoryGiB = 0;
    double l2MiB = 0;
    double sharedKiBPerCore = 0;
    int perDeviceDivisor = 1; ///< packages that appear as several devices: one kernel gets a share
    QVector<Peak> peaks;
    QVector<MemoryLevel> levels;
    QStringList sources;
    QString confidence; ///< high, medium, low; "measured" for the host
    QString notes;
    bool operator==(const HardwareDevice&) const = default;

    const Peak* peak(const QString& kind) const;
    const MemoryLevel* level(const QString& name) const;
    /// units × FLOP/clk × clock in GFLOP/s at a measured clock; empty where the rate is unknown.
    std::optional<double> peakAtClock(const QString& kind, double clockMHz) const;
};

struct HardwareTable {
    QVector<HardwareDevice> devices;
    const HardwareDevice* device(const QString& id) const;
};

/// Reads and checks hardware-roofs/1. Errors carry file and JSON pointer. Any thread.
Result<HardwareTable> loadHardware(const QString& path);
/// resources/hardware/hardware.json.
Result<HardwareTable> loadHardware();

/// The ceiling a kernel of this element type is compared with, or empty if the device has none.
/// fp32 with tensor cores is tf32, fp64 is fp64_tensor. fp16, bf16 and fp8 mean the tensor rate
/// even without tensor cores: the table has no vector rate for them, and a bound from a higher peak
/// is still a bound. int8 and uint8 are int8; other integers have no ceiling.
QString peakKind(const HardwareDevice& device, DType type, bool tensorCores);

} // namespace ridgeline
