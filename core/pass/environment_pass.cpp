// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/sandbox.h"
#include "core/pass/run_state.h"
#include "core/support/paths.h"

#include <QCoreApplication>
#include <QFile>
#include <QRegularExpression>
#include <QSysInfo>
#include <QThread>

namespace ridgeline {

namespace {

QString cpuModel()
{
    QFile file(QStringLiteral("/proc/cpuinfo"));
    static const QRegularExpression model(QStringLiteral("model name\\s*:\\s*(.+)"));
    if (!file.open(QIODevice::ReadOnly))
        return QSysInfo::currentCpuArchitecture();
    return model.match(QString::fromUtf8(file.read(8192))).captured(1).simplified();
}

Json missing(const char* what, const QString& why, const char* lost, const char* fix)
{
    return Json{{"what", what}, {"why", sstr(why)}, {"lost", lost}, {"fix", fix}};
}

} // namespace

Result<void> prepareEnvironment(RunState& run)
{
    auto device = chooseDevice(run.request.device, run.cancel);
    if (!device)
        return device.error();
    run.device = *device;
    Json absent = Json::array();

    auto host = findHostCompiler();
    if (host) {
        run.host = *host;
    } else {
        run.hostMissing = host.error().toString();
        absent.push_back(missing("C++ compiler", host.error().message,
                                 "compiling harness and reference: nothing can run",
                                 "install the package g++"));
    }
    auto cuda = findCudaToolchain();
    if (cuda) {
        run.cuda = *cuda;
        if (cuda->ptxas.isEmpty())
            absent.push_back(missing("ptxas", QStringLiteral("not beside nvcc"),
                                     "registers, spills and shared memory of kernels",
                                     "run: ridgeline setup cuda"));
    } else {
        run.cudaMissing = cuda.error().toString();
        absent.push_back(missing("nvcc", cuda.error().message, "compiling CUDA candidates",
                                 "run: ridgeline setup cuda"));
    }
    if (!sandboxProbe().works)
        absent.push_back(missing("sandbox", sandboxProbe().why,
                                 "isolation: candidates run with limits, but see the network and "
                                 "your files",
                                 "install the package bubblewrap and allow user namespaces"));
    if (!run.device.isReal())
        absent.push_back(missing("NVIDIA GPU", QStringLiteral("the run uses %1").arg(run.device.id),
                                 "times that mean anything on a GPU",
                                 "run on a machine with an NVIDIA GPU"));

    Json& e = run.environment;
    e = Json::object();
    e["host"] = sstr(QSysInfo::machineHostName());
    e["os"] = sstr(QSysInfo::prettyProductName() + QStringLiteral(", Linux ") +
                   QSysInfo::kernelVersion());
    e["cpu"] = sstr(cpuModel());
    e["cores"] = QThread::idealThreadCount();
    e["compiler_host"] = run.host ? sstr(run.host->version) : std::string();
    e["nvcc"] = run.cuda
                    ? Json{{"version", sstr(run.cuda->version)}, {"path", sstr(run.cuda->nvcc)}}
                    : Json();
    e["ptxas_version"] =
        run.cuda && !run.cuda->ptxasVersion.isEmpty() ? Json(sstr(run.cuda->ptxasVersion)) : Json();
    e["device"] = {{"id", sstr(run.device.id)},
                   {"kind", sstr(run.device.kind)},
                   {"name", sstr(run.device.name)},
                   {"model", sstr(run.device.model)},
                   {"why", sstr(run.device.why)}};
    e["sandbox"] = sandboxProbe().works ? sstr(sandboxProbe().version) : std::string("none");
    e["ridgeline"] = sstr(QCoreApplication::applicationVersion());
    e["missing"] = std::move(absent);
    return {};
}

void environmentPass(PassContext& c)
{
    const RunState& run = c.run;
    c.pass.result = run.environment;
    for (const Json& item : run.environment["missing"])
        c.log(QStringLiteral("missing: %1: %2. Lost: %3. Do: %4")
                  .arg(jsonString(item, "what"), jsonString(item, "why"), jsonString(item, "lost"),
                       jsonString(item, "fix")));
    if (!run.host)
        c.end(PassState::Error, run.hostMissing);
    else if (!run.cuda)
        c.end(PassState::Error, run.cudaMissing);
    else
        c.end(PassState::Passed,
              QStringLiteral("nvcc %1, %2, %3")
                  .arg(run.cuda->version, run.device.id,
                       sandboxProbe().works ? QStringLiteral("sandboxed")
                                            : QStringLiteral("no sandbox: ") + sandboxProbe().why));
}

} // namespace ridgeline
