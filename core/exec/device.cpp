// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/device.h"

#include "core/support/paths.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSysInfo>
#include <QThread>

namespace ridgeline {

namespace {

QString probeProgram()
{
    const QString beside =
        QDir::cleanPath(emulatorDir() + QStringLiteral("/../ridgeline-gpu-probe"));
    return QFileInfo(beside).isExecutable() ? beside : QStringLiteral(RIDGELINE_BUILT_GPU_PROBE);
}

QString cpuName()
{
    QFile file(QStringLiteral("/proc/cpuinfo"));
    if (file.open(QIODevice::ReadOnly)) {
        static const QRegularExpression model(QStringLiteral("model name\\s*:\\s*(.+)"));
        const QString name =
            model.match(QString::fromUtf8(file.read(8192))).captured(1).simplified();
        if (!name.isEmpty())
            return name;
    }
    return QSysInfo::currentCpuArchitecture();
}

/// "NVIDIA A100-SXM4-80GB" → the key of resources/hardware that fits; empty when none is sure.
QString modelKey(const QString& name)
{
    static const struct {
        const char* pattern;
        const char* key;
    } table[] = {{"A100.*SXM.*80", "a100-80-sxm"},
                 {"H100.*(SXM|HBM3)", "h100-sxm"},
                 {"H200", "h200-sxm"},
                 {"\\bL4\\b", "l4"},
                 {"RTX 4090", "rtx4090"}};
    for (const auto& row : table) {
        if (QRegularExpression(QLatin1String(row.pattern)).match(name).hasMatch())
            return QLatin1String(row.key);
    }
    return {};
}

QVector<Device> realDevices(const CancelToken& cancel)
{
    Device none;
    none.id = QStringLiteral("cuda:0");
    none.kind = QStringLiteral("cuda");
    none.name = QStringLiteral("NVIDIA GPU");
    none.fix = QStringLiteral("install NVIDIA's driver (580 or newer for CUDA 13)");
    const bool nodes = QFileInfo::exists(QStringLiteral("/dev/nvidiactl")) ||
                       QFileInfo::exists(QStringLiteral("/dev/dxg"));
    if (!nodes) {
        none.why = QStringLiteral(
            "this machine shows no NVIDIA GPU (neither /dev/nvidiactl nor /dev/dxg)");
        return {none};
    }
    ProcessSpec spec;
    spec.program = probeProgram();
    spec.workDir = QStringLiteral("/");
    spec.environment = cleanEnvironment(QDir::tempPath());
    spec.environment << QStringLiteral("LD_LIBRARY_PATH=/usr/lib/wsl/lib");
    spec.limits.wallMs = 20000;
    const ProcessOutcome outcome = runProcess(spec, cancel);
    QVector<Device> devices;
    const QList<QByteArray> lines = outcome.out.text().split('\n');
    for (const QByteArray& line : lines) {
        const QList<QByteArray> f = line.split('\t');
        if (f.size() == 5 && f.at(0) == "device") {
            Device d;
            d.id = QStringLiteral("cuda:") + QString::fromUtf8(f.at(1));
            d.kind = QStringLiteral("cuda");
            d.name = QString::fromUtf8(f.at(2));
            d.computeCapability = QString::fromUtf8(f.at(3));
            d.memoryBytes = f.at(4).toLongLong();
            d.model = modelKey(d.name);
            d.available = true;
            devices.push_back(d);
        } else if (f.size() == 2 && f.at(0) == "problem") {
            none.why = QString::fromUtf8(f.at(1));
        }
    }
    if (devices.isEmpty()) {
        if (none.why.isEmpty())
            none.why = QStringLiteral("asking NVIDIA's driver failed: %1").arg(outcome.describe());
        devices.push_back(none);
    }
    return devices;
}

QVector<Device> emulatedDevices()
{
    QVector<Device> devices;
    const QString library = emulatorDir() + QStringLiteral("/libcudart.so.13");
    const bool there = QFileInfo::exists(library);
    for (const QString& model : emulatedModels()) {
        Device d;
        d.id = QStringLiteral("emulated-cuda:") + model;
        d.kind = QStringLiteral("emulated-cuda");
        d.name = QStringLiteral("Emulated CUDA device (%1)").arg(model);
        d.model = model;
        d.available = there;
        if (!there) {
            d.why = QStringLiteral("%1 is missing").arg(library);
            d.fix = QStringLiteral(
                "build Ridgeline completely (app/run), or set RIDGELINE_EMULATOR to its folder");
        }
        devices.push_back(d);
    }
    return devices;
}

} // namespace

QStringList emulatedModels()
{
    return {QStringLiteral("a100-80-sxm"), QStringLiteral("h100-sxm"), QStringLiteral("l4"),
            QStringLiteral("rtx4090")};
}

QVector<Device> discoverDevices(const CancelToken& cancel)
{
    QVector<Device> devices = realDevices(cancel);
    devices += emulatedDevices();
    Device cpu;
    cpu.id = QStringLiteral("cpu");
    cpu.kind = QStringLiteral("cpu");
    cpu.name = QStringLiteral("%1, %2 threads").arg(cpuName()).arg(QThread::idealThreadCount());
    cpu.available = true;
    cpu.why = QStringLiteral(
        "runs references only: a CUDA candidate needs a CUDA device, real or emulated");
    devices.push_back(cpu);
    return devices;
}

Result<Device> chooseDevice(const QString& wanted, const CancelToken& cancel)
{
    const QVector<Device> devices = discoverDevices(cancel);
    if (wanted.isEmpty()) {
        for (const Device& d : devices) {
            if (d.available && d.isCuda())
                return d;
        }
        // Compiling and auditing need no device; what does will say what is missing.
        Device cpu = devices.last();
        for (const Device& d : devices) {
            if (d.kind == QLatin1String("emulated-cuda")) {
                cpu.why = QStringLiteral("no CUDA device, real or emulated: %1").arg(d.why);
                cpu.fix = d.fix;
            }
        }
        return cpu;
    }
    QStringList ids;
    for (const Device& d : devices) {
        if (d.id == wanted || d.kind == wanted) {
            if (d.available)
                return d;
            return Error{ErrorCode::Environment,
                         QStringLiteral("device %1 cannot run here: %2").arg(wanted, d.why),
                         {},
                         d.fix};
        }
        ids << d.id;
    }
    return Error{ErrorCode::BadUsage,
                 QStringLiteral("unknown device \"%1\"").arg(wanted.left(80)),
                 {},
                 QStringLiteral("known here: %1").arg(ids.join(QStringLiteral(", ")))};
}

Json toJson(const Device& d)
{
    Json json{{"id", sstr(d.id)},       {"kind", sstr(d.kind)},     {"name", sstr(d.name)},
              {"model", sstr(d.model)}, {"available", d.available}, {"why", sstr(d.why)},
              {"fix", sstr(d.fix)}};
    if (d.isReal() && d.available) {
        json["compute_capability"] = sstr(d.computeCapability);
        json["memory_bytes"] = d.memoryBytes;
    }
    return json;
}

void addDeviceEnvironment(const Device& device, const CudaToolchain& cuda,
                          const EmulatorOptions& options, QStringList& environment,
                          Sandbox& sandbox)
{
    const auto set = [&environment](const char* name, const QString& value) {
        if (!value.isEmpty())
            environment << QLatin1String(name) + QLatin1Char('=') + value;
    };
    if (device.isReal()) {
        set("LD_LIBRARY_PATH", cuda.libDir + QStringLiteral(":/usr/lib/wsl/lib"));
        set("CUDA_VISIBLE_DEVICES", device.id.section(QLatin1Char(':'), 1));
        set("CUDA_DEVICE_ORDER", QStringLiteral("PCI_BUS_ID"));
        sandbox.gpu = true;
        sandbox.readOnly << cuda.root;
        return;
    }
    if (device.kind != QLatin1String("emulated-cuda"))
        return;
    set("LD_LIBRARY_PATH", emulatorDir());
    set("RIDGELINE_EMU_MODEL", device.model);
    set("RIDGELINE_EMU_COUNTERS", options.counters);
    set("RIDGELINE_EMU_REPORT", options.report);
    set("RIDGELINE_EMU_CHECK", options.check);
    if (options.seed != 0)
        set("RIDGELINE_EMU_SEED", QString::number(options.seed));
    if (options.threads > 0)
        set("RIDGELINE_EMU_THREADS", QString::number(options.threads));
    sandbox.readOnly << emulatorDir();
}

} // namespace ridgeline
