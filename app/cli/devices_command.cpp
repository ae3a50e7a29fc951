// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "core/exec/device.h"
#include "core/exec/sandbox.h"

#include <QCommandLineParser>
#include <QTextStream>

namespace ridgeline {

int devicesCommand(const QStringList& args)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral(
        "Lists what can run here, and why not.\nExit codes: 0 a CUDA device, real or emulated, and "
        "its compiler are there; 3 something is missing."));
    const QCommandLineOption json(QStringLiteral("json"), QStringLiteral("as JSON"));
    parser.addOption(json);
    const QCommandLineOption help = parser.addHelpOption();
    QTextStream out(stdout);
    if (!parser.parse(QStringList{QStringLiteral("ridgeline devices")} + args) ||
        !parser.positionalArguments().isEmpty()) {
        QTextStream(stderr) << "ridgeline devices: "
                            << (parser.errorText().isEmpty() ? QStringLiteral("takes no argument")
                                                             : parser.errorText())
                            << Qt::endl;
        return 2;
    }
    if (parser.isSet(help)) {
        out << parser.helpText();
        return 0;
    }
    const QVector<Device> devices = discoverDevices();
    const auto cuda = findCudaToolchain();
    const auto host = findHostCompiler();
    const SandboxProbe& sandbox = sandboxProbe();
    bool cudaDevice = false;
    for (const Device& d : devices)
        cudaDevice = cudaDevice || (d.available && d.isCuda());

    if (parser.isSet(json)) {
        Json list = Json::array();
        for (const Device& d : devices)
            list.push_back(toJson(d));
        Json document{{"schema", "kdevices/1"}, {"devices", list}};
        document["nvcc"] = cuda ? Json{{"available", true},
                                       {"version", sstr(cuda->version)},
                                       {"path", sstr(cuda->nvcc)},
                                       {"managed", cuda->managed}}
                                : Json{{"available", false},
                                       {"why", sstr(cuda.error().message)},
                                       {"fix", sstr(cuda.error().hint)}};
        document["host_compiler"] =
            host ? Json{{"available", true}, {"version", sstr(host->version)}}
                 : Json{{"available", false},
                        {"why", sstr(host.error().message)},
                        {"fix", sstr(host.error().hint)}};
        document["sandbox"] = {{"available", sandbox.works},
                               {"version", sstr(sandbox.version)},
                               {"why", sstr(sandbox.why)}};
        out << toJsonBytes(document);
    } else {
        const auto line = [&out](bool works, const QString& name, const QString& text) {
            out << (works ? "  yes  " : "  no   ") << name.leftJustified(30, QLatin1Char(' '))
                << text << '\n';
        };
        out << "Devices\n";
        for (const Device& d : devices) {
            QString text = d.name;
            if (!d.why.isEmpty())
                text += (d.available ? QStringLiteral("; ") : QStringLiteral(": ")) + d.why;
            if (!d.available && !d.fix.isEmpty())
                text += QStringLiteral(". To have it: ") + d.fix;
            line(d.available, d.id, text);
        }
        out << "Tools\n";
        line(cuda.ok(), QStringLiteral("nvcc"),
             cuda ? QStringLiteral("%1, %2").arg(cuda->version, cuda->nvcc)
                  : QStringLiteral("%1. To have it: %2")
                        .arg(cuda.error().message, cuda.error().hint));
        line(host.ok(), QStringLiteral("C++ compiler"),
             host ? host->version
                  : QStringLiteral("%1. To have it: %2")
                        .arg(host.error().message, host.error().hint));
        line(sandbox.works, QStringLiteral("sandbox"),
             sandbox.works ? sandbox.version : sandbox.why);
    }
    return cudaDevice && cuda && host ? 0 : 3;
}

} // namespace ridgeline
