// SPDX-License-Identifier: GPL-3.0-or-later
// Runs one child process with limits. Nothing of a candidate runs outside of this.
#pragma once

#include "core/exec/sandbox.h"
#include "core/support/cancel.h"

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <functional>
#include <optional>

namespace ridgeline {

enum class ProcessStream { Out, Err, Report };

/// What was kept of a stream: the first and the last bytes, and how many there were.
struct CappedOutput {
    QByteArray head;
    QByteArray tail;
    qint64 total = 0; ///< bytes the child wrote

    qint64 dropped() const { return total - head.size() - tail.size(); }
    /// head, a line saying how much is missing (when anything is), tail.
    QByteArray text() const;
};

/// 0 always means no limit. Limits on the whole process tree are watched from outside every
/// 100 ms; the others are rlimits of each process.
struct ProcessLimits {
    int wallMs = 0;
    int cpuSeconds = 0;            ///< per process
    qint64 addressSpaceBytes = 0;  ///< per process
    qint64 memoryBytes = 0;        ///< resident, whole tree
    qint64 fileBytes = 0;          ///< size of one file
    qint64 scratchBytes = 0;       ///< all files under the working directory together
    int processes = 0;             ///< whole tree
    qint64 keepBytes = 256 * 1024; ///< kept of each stream: half from its start, half from its end
    qint64 floodBytes = 64 << 20;  ///< a stream that grows beyond this ends the process
};

/// Handed to the line callback; valid only during the call.
class ProcessControl {
public:
    virtual ~ProcessControl() = default;
    /// The wall limit counts `milliseconds` from now.
    virtual void setDeadline(int milliseconds) = 0;
};

struct ProcessSpec {
    QString program; ///< absolute
    QStringList arguments;
    QString workDir;         ///< absolute; the scratch folder
    QStringList environment; ///< the whole environment, "NAME=value"
    ProcessLimits limits;
    std::optional<Sandbox> sandbox; ///< used when the machine can (sandboxProbe)
    bool reportPipe = false;        ///< fd 3 of the child is the write end of a pipe of ours
    /// Called on the calling thread with each complete line (without its newline; at most 16 KiB,
    /// longer ones are cut).
    std::function<void(ProcessStream, const QByteArray&, ProcessControl&)> onLine;
};

enum class ProcessEnd {
    Exited,
    Signalled,
    TimedOut,
    CpuLimit,
    MemoryLimit,
    ProcessLimit,
    OutputLimit,
    FileLimit,
    Cancelled,
    NotStarted
};

struct ProcessOutcome {
    ProcessEnd end = ProcessEnd::NotStarted;
    int exitCode = -1;
    int signal = 0;
    qint64 wallNs = 0;
    qint64 cpuNs = 0;         ///< user + system of all reaped processes
    qint64 peakTreeBytes = 0; ///< largest resident size of the tree that was seen
    CappedOutput out, err, report;
    bool sandboxed = false;
    QString problem; ///< NotStarted: why

    bool success() const { return end == ProcessEnd::Exited && exitCode == 0; }
    /// One clause for people: "exited with code 3", "crashed: SIGSEGV (invalid memory access)",
    /// "stopped after 30 s (time limit)" …
    QString describe() const;
};

/// Runs the process to its end on the calling thread; thread-safe. Cancelling sends SIGTERM to the
/// process group, SIGKILL 500 ms later, and returns when every descendant has been reaped, also
/// those that left the group: a supervisor between us and the child is their subreaper, and it
/// kills them all if Ridgeline itself dies.
ProcessOutcome runProcess(const ProcessSpec& spec, const CancelToken& cancel = {});

/// The environment children get: PATH, HOME and TMPDIR inside `scratch`, LANG=C.UTF-8. Nothing of
/// the user's own.
QStringList cleanEnvironment(const QString& scratch, const QStringList& morePath = {});

/// "SIGSEGV (invalid memory access)" …
QString signalText(int signal);

} // namespace ridgeline
