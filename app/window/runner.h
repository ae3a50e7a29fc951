// SPDX-License-Identifier: GPL-3.0-or-later
// What the window needs from whatever runs passes; tests put a fake in its place.
#pragma once

#include "core/bundle/bundle.h"
#include "core/pass/record.h"

#include <QObject>
#include <QStringList>
#include <memory>

namespace ridgeline {

/// A device as the window offers it.
struct DeviceChoice {
    QString id;
    QString name;
    QString model; ///< key of the hardware table; empty when unknown
    bool available = false;
    QString why; ///< why it cannot be used, or a remark
    QString fix;
    bool operator==(const DeviceChoice&) const = default;
};

/// Something this machine lacks: what is lost by it and what to do.
struct MissingTool {
    QString what;
    QString why;
    QString lost;
    QString fix;
    bool operator==(const MissingTool&) const = default;
};

struct MachineReport {
    QVector<DeviceChoice> devices;
    QVector<MissingTool> missing;
};

struct RunOrder {
    Bundle bundle;
    QStringList candidates; ///< empty = all
    QStringList passes;     ///< empty = all
    QString device;         ///< empty = best
};

/// Runs one order at a time away from the UI thread; all signals arrive on the UI thread.
class Runner : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Names of passes in the order they run.
    virtual QStringList passes() const = 0;
    /// False when a run is going on.
    virtual bool start(const RunOrder& order) = 0;
    /// Returns at once; finished() follows when every child process is gone.
    virtual void cancel() = 0;
    virtual bool isRunning() const = 0;
    /// Looks at the machine. May take seconds; called on a worker thread.
    virtual MachineReport inspectMachine() const = 0;

Q_SIGNALS:
    void runStarted(const ridgeline::RunRecord& record);
    void passChanged(const QString& candidate, const ridgeline::PassRecord& pass);
    void progress(int done, int total, const QString& label);
    void logLines(const QString& candidate, const QString& pass, const QStringList& lines);
    void saved(const QString& file, const QString& note);
    void finished(const ridgeline::RunRecord& record);
    void failed(const QString& message, const QString& hint);
};

/// The pipeline of core behind that face.
std::unique_ptr<Runner> makePipelineRunner();

} // namespace ridgeline
