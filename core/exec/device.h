// SPDX-License-Identifier: GPL-3.0-or-later
// What can run kernels here, and why not.
#pragma once

#include "core/exec/process.h"
#include "core/exec/toolchain.h"
#include "core/support/json.h"

namespace ridgeline {

struct Device {
    QString id;    ///< "cuda:0", "emulated-cuda:a100-80-sxm", "cpu"
    QString kind;  ///< cuda, emulated-cuda, cpu
    QString name;  ///< for people
    QString model; ///< key of resources/hardware; empty when unknown
    bool available = false;
    QString why;               ///< why not (or a remark when available)
    QString fix;               ///< what to install or do
    QString computeCapability; ///< "9.0"; real devices only
    qint64 memoryBytes = 0;
    bool operator==(const Device&) const = default;

    bool isCuda() const { return kind != QLatin1String("cpu"); }
    bool isReal() const { return kind == QLatin1String("cuda"); }
};

/// Models the emulated device can take on; the first is the default.
QStringList emulatedModels();

/// Looks at the machine: real GPUs first, then the emulated device, then the CPU; unavailable ones
/// are listed with the reason. NVIDIA's driver is only ever loaded in a child process. Takes up to
/// a few seconds; any thread.
QVector<Device> discoverDevices(const CancelToken& cancel = {});

/// The device a user named ("cuda:1", "cuda", "emulated-cuda", "emulated-cuda:l4", "cpu"), or the
/// best available one for an empty name (the CPU, with the reason in `why`, when there is no CUDA
/// device). Errors: BadUsage for an unknown name (it lists the known
/// ones), Environment when it cannot run here.
Result<Device> chooseDevice(const QString& wanted, const CancelToken& cancel = {});

Json toJson(const Device& device);

/// Switches of the emulated device (core/emulator/README.md).
struct EmulatorOptions {
    QString counters; ///< file, empty = none
    QString report;   ///< file, empty = none
    QString check;    ///< "memory,race"
    quint64 seed = 0;
    int threads = 0;
};

/// Sets what a CUDA program needs to run on the device: library path, device choice, the emulated
/// device's variables, and in `sandbox` the folders and nodes it must see.
void addDeviceEnvironment(const Device& device, const CudaToolchain& cuda,
                          const EmulatorOptions& options, QStringList& environment,
                          Sandbox& sandbox);

} // namespace ridgeline
