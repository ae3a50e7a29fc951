// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline of core as the window's Runner.
#include "app/window/runner.h"

#include "core/exec/device.h"
#include "core/exec/toolchain.h"
#include "core/pass/pipeline.h"

namespace ridgeline {

namespace {

class PipelineRunner final : public Runner {
public:
    PipelineRunner()
    {
        connect(&m_pipeline, &Pipeline::runStarted, this, &Runner::runStarted);
        connect(&m_pipeline, &Pipeline::passChanged, this, &Runner::passChanged);
        connect(&m_pipeline, &Pipeline::progress, this, &Runner::progress);
        connect(&m_pipeline, &Pipeline::logLines, this, &Runner::logLines);
        connect(&m_pipeline, &Pipeline::saved, this, &Runner::saved);
        connect(&m_pipeline, &Pipeline::finished, this, &Runner::finished);
        connect(&m_pipeline, &Pipeline::failed, this, &Runner::failed);
    }

    QStringList passes() const override { return passNames(); }

    bool start(const RunOrder& order) override
    {
        RunRequest request;
        request.bundle = order.bundle;
        request.candidates = order.candidates;
        request.passes = order.passes;
        request.device = order.device;
        return m_pipeline.start(request);
    }

    void cancel() override { m_pipeline.cancel(); }
    bool isRunning() const override { return m_pipeline.isRunning(); }

    MachineReport inspectMachine() const override
    {
        MachineReport report;
        for (const Device& device : discoverDevices())
            report.devices.append(
                {device.id, device.name, device.model, device.available, device.why, device.fix});
        const auto missing = [&report](const QString& what, const Error& error,
                                       const QString& lost) {
            report.missing.append({what, error.message, lost, error.hint});
        };
        if (const auto host = findHostCompiler(); !host)
            missing(tr("C++ compiler"), host.error(),
                    tr("references and every pass that runs code"));
        if (const auto cuda = findCudaToolchain(); !cuda)
            missing(tr("CUDA compiler"), cuda.error(), tr("compiling and running CUDA candidates"));
        return report;
    }

private:
    Pipeline m_pipeline;
};

} // namespace

std::unique_ptr<Runner> makePipelineRunner()
{
    return std::make_unique<PipelineRunner>();
}

} // namespace ridgeline
