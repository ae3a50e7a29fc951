// SPDX-License-Identifier: GPL-3.0-or-later
// The one object that runs passes over a bundle.
#pragma once

#include "core/bundle/bundle.h"
#include "core/pass/record.h"
#include "core/support/cancel.h"

#include <QObject>
#include <QStringList>
#include <functional>
#include <memory>

namespace ridgeline {

struct RunRequest {
    Bundle bundle;
    QStringList candidates; ///< ids; empty = all
    QStringList passes;     ///< names; empty = all. What a pass needs is done anyway (compile)
    QString device;         ///< as chooseDevice takes it; empty = the best one here
    quint64 seed = 0;       ///< added to every case's seeds
    bool save = true;       ///< write the record to BUNDLE/results
};

/// What a run tells while it goes on. All are called on the thread that runs; all may be empty.
struct RunObserver {
    std::function<void(const RunRecord&)> runStarted; ///< passes are still pending
    std::function<void(const QString& candidate, const PassRecord&)> passChanged;
    std::function<void(int done, int total, const QString& label)> progress;
    std::function<void(const QString& candidate, const QString& pass, const QStringList& lines)>
        logLines;
};

struct RunResult {
    RunRecord record;
    QString savedTo;  ///< file of the record; empty when not saved
    QString saveNote; ///< when it could not go where it belongs, and why
};

/// Names of all passes, in the order they run.
QStringList passNames();

/// Checks a request without running anything: BadUsage for unknown candidates or passes.
Result<void> checkRequest(const RunRequest& request);

/// Runs everything on the calling thread. Errors are those that leave no record: bad request, no
/// such device. A cancelled run is a record with cancelled passes.
Result<RunResult> runPasses(const RunRequest& request, const RunObserver& observer = {},
                            const CancelToken& cancel = {});

/// Runs one request at a time on a thread of its own; signals arrive on the thread this object
/// lives on. Destroying it cancels and waits.
class Pipeline : public QObject {
    Q_OBJECT

public:
    explicit Pipeline(QObject* parent = nullptr);
    ~Pipeline() override;

    /// False when a run is going on. Otherwise runStarted or failed follows.
    bool start(const RunRequest& request);
    /// Returns at once; cancelling() is emitted before it returns, finished() when all children
    /// are reaped.
    void cancel();
    bool isRunning() const;

Q_SIGNALS:
    void runStarted(const ridgeline::RunRecord& record);
    void passChanged(const QString& candidate, const ridgeline::PassRecord& record);
    void progress(int done, int total, const QString& label);
    /// At most 20 a second; when more arrives than a window can show, lines are dropped and a line
    /// says how many. The log file of the pass has them.
    void logLines(const QString& candidate, const QString& pass, const QStringList& lines);
    void cancelling();
    void finished(const ridgeline::RunRecord& record);
    /// Where the record went, or why it went elsewhere; before finished().
    void saved(const QString& file, const QString& note);
    /// The run could not begin; nothing else follows.
    void failed(const QString& message, const QString& hint);

private:
    void flushLogs();

    struct Private;
    std::unique_ptr<Private> m;
};

} // namespace ridgeline

Q_DECLARE_METATYPE(ridgeline::RunRecord)
Q_DECLARE_METATYPE(ridgeline::PassRecord)
