// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/process.h"

#include "core/exec/process_tree.h"
#include "core/exec/spawn.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ridgeline {

namespace {

constexpr int graceMs = 500;
constexpr int watchMs = 100;
constexpr qsizetype longestLine = 16 * 1024;

class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : m_fd(fd) {}
    Fd(Fd&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    Fd& operator=(Fd&& other) noexcept
    {
        reset();
        m_fd = std::exchange(other.m_fd, -1);
        return *this;
    }
    ~Fd() { reset(); }
    void reset()
    {
        if (m_fd >= 0)
            ::close(m_fd);
        m_fd = -1;
    }
    int get() const { return m_fd; }

private:
    int m_fd = -1;
};

struct Pipe {
    Fd read, write;
    bool open()
    {
        int fds[2];
        if (::pipe2(fds, O_CLOEXEC) != 0)
            return false;
        read = Fd(fds[0]);
        write = Fd(fds[1]);
        ::fcntl(fds[0], F_SETFL, O_NONBLOCK);
        return true;
    }
};

/// Keeps head and tail of one stream and cuts it into lines.
class Collector {
public:
    Collector(ProcessStream stream, CappedOutput& output, qint64 keep)
        : m_stream(stream), m_output(output), m_half(keep / 2)
    {
    }

    template <class OnLine>
    void add(const char* data, qsizetype size, const OnLine& onLine)
    {
        m_output.total += size;
        const qsizetype toHead = qMin<qsizetype>(size, m_half - m_output.head.size());
        m_output.head.append(data, toHead);
        m_output.tail.append(data + toHead, size - toHead);
        if (m_output.tail.size() > 2 * m_half)
            trim();
        if (!onLine)
            return;
        const char* const end = data + size;
        while (data < end) {
            const char* newline =
                static_cast<const char*>(std::memchr(data, '\n', std::size_t(end - data)));
            const char* stop = newline != nullptr ? newline : end;
            m_line.append(data, qMin<qsizetype>(stop - data, longestLine - m_line.size()));
            if (newline == nullptr)
                break;
            onLine(m_stream, m_line);
            m_line.clear();
            data = newline + 1;
        }
    }
    template <class OnLine>
    void finish(const OnLine& onLine)
    {
        trim();
        if (onLine && !m_line.isEmpty())
            onLine(m_stream, m_line);
        m_line.clear();
    }

private:
    void trim()
    {
        if (m_output.tail.size() > m_half)
            m_output.tail = m_output.tail.right(m_half);
    }
    ProcessStream m_stream;
    CappedOutput& m_output;
    qsizetype m_half;
    QByteArray m_line;
};

std::vector<char*> pointers(std::vector<QByteArray>& strings)
{
    std::vector<char*> out;
    for (QByteArray& s : strings)
        out.push_back(s.data());
    out.push_back(nullptr);
    return out;
}

/// One running child, seen from the calling thread.
class Runner : public ProcessControl {
public:
    Runner(const ProcessSpec& spec, const CancelToken& cancel) : m_spec(spec), m_cancel(cancel) {}

    void setDeadline(int milliseconds) override { m_deadlineMs = m_clock.elapsed() + milliseconds; }

    ProcessOutcome run()
    {
        m_clock.start();
        if (m_cancel.isCancelled()) {
            m_outcome.end = ProcessEnd::Cancelled;
            return m_outcome;
        }
        if (!start())
            return m_outcome;
        loop();
        m_outcome.wallNs = m_clock.nsecsElapsed();
        return m_outcome;
    }

private:
    bool fail(const QString& problem)
    {
        m_outcome.end = ProcessEnd::NotStarted;
        m_outcome.problem = problem;
        return false;
    }
    bool start();
    void loop();
    void drain(bool all);
    void watch();
    void stop(ProcessEnd why);
    void finish(int waitStatus);

    const ProcessSpec& m_spec;
    const CancelToken& m_cancel;
    ProcessOutcome m_outcome;
    QElapsedTimer m_clock;
    Pipe m_out, m_err, m_report, m_status, m_control;
    pid_t m_supervisor = -1;
    qint64 m_deadlineMs = 0;
    qint64 m_nextWatchMs = 0;
    qint64 m_killAtMs = 0;
    std::optional<ProcessEnd> m_stopReason;
    std::optional<SpawnMessage> m_ended;
    int m_execError = 0;
    std::vector<Collector> m_collectors;
};

bool Runner::start()
{
    const bool wantSandbox = m_spec.sandbox.has_value() && sandboxProbe().works;
    QStringList command;
    if (wantSandbox) {
        command << sandboxProbe().program << sandboxArguments(*m_spec.sandbox, m_spec.workDir);
        m_outcome.sandboxed = true;
    }
    command << m_spec.program << m_spec.arguments;
    if (!QFileInfo(m_spec.program).isExecutable())
        return fail(QStringLiteral("%1 is missing or not executable").arg(m_spec.program));
    if (!m_out.open() || !m_err.open() || !m_status.open() || !m_control.open() ||
        (m_spec.reportPipe && !m_report.open()))
        return fail(QStringLiteral("no pipe: %1").arg(qt_error_string(errno)));

    std::vector<QByteArray> args, env;
    for (const QString& argument : command)
        args.push_back(argument.toUtf8());
    for (const QString& variable : m_spec.environment)
        env.push_back(variable.toUtf8());
    const std::vector<char*> argv = pointers(args), envp = pointers(env);
    const QByteArray workDir = m_spec.workDir.toUtf8();
    SpawnRequest request;
    request.program = argv[0];
    request.argv = argv.data();
    request.envp = envp.data();
    request.workDir = workDir.constData();
    request.out = m_out.write.get();
    request.err = m_err.write.get();
    request.report = m_report.write.get();
    request.status = m_status.write.get();
    request.control = m_control.read.get();
    request.limits.cpuSeconds = m_spec.limits.cpuSeconds;
    request.limits.addressSpaceBytes = m_spec.limits.addressSpaceBytes;
    request.limits.fileBytes = m_spec.limits.fileBytes;
    // A backstop only (the kernel counts all threads of the user, and root is exempt): the watch
    // decides.
    if (m_spec.limits.processes > 0)
        request.limits.processes = threadsOfUser() + qMax(512, m_spec.limits.processes * 8);
    m_supervisor = spawnSupervised(request);
    if (m_supervisor < 0)
        return fail(QStringLiteral("cannot fork: %1").arg(qt_error_string(errno)));
    m_out.write.reset();
    m_err.write.reset();
    m_report.write.reset();
    m_status.write.reset();
    m_control.read.reset();
    const qint64 keep = m_spec.limits.keepBytes > 0 ? m_spec.limits.keepBytes : (1 << 30);
    m_collectors.emplace_back(ProcessStream::Out, m_outcome.out, keep);
    m_collectors.emplace_back(ProcessStream::Err, m_outcome.err, keep);
    m_collectors.emplace_back(ProcessStream::Report, m_outcome.report, keep);
    if (m_spec.limits.wallMs > 0)
        m_deadlineMs = m_spec.limits.wallMs;
    return true;
}

void Runner::drain(bool all)
{
    static thread_local std::array<char, 64 * 1024> buffer;
    std::function<void(ProcessStream, const QByteArray&)> onLine;
    if (m_spec.onLine)
        onLine = [this](ProcessStream s, const QByteArray& line) { m_spec.onLine(s, line, *this); };
    Pipe* const pipes[] = {&m_out, &m_err, &m_report};
    for (std::size_t i = 0; i < 3; ++i) {
        // Without `all`, at most 1 MiB a turn: a flood must not keep us from looking at the clock.
        for (int turn = 0; (all || turn < 16) && pipes[i]->read.get() >= 0; ++turn) {
            const ssize_t got = ::read(pipes[i]->read.get(), buffer.data(), buffer.size());
            if (got > 0) {
                m_collectors[i].add(buffer.data(), got, onLine);
                const CappedOutput* const outputs[] = {&m_outcome.out, &m_outcome.err,
                                                       &m_outcome.report};
                if (m_spec.limits.floodBytes > 0 && outputs[i]->total > m_spec.limits.floodBytes) {
                    stop(ProcessEnd::OutputLimit);
                    pipes[i]->read.reset();
                }
                continue;
            }
            if (got < 0 && errno == EINTR)
                continue;
            if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
                pipes[i]->read.reset();
            break;
        }
        if (all)
            m_collectors[i].finish(onLine);
    }
}

void Runner::watch()
{
    const ProcessLimits& limits = m_spec.limits;
    const qint64 now = m_clock.elapsed();
    if (m_cancel.isCancelled())
        stop(ProcessEnd::Cancelled);
    else if (m_deadlineMs > 0 && now > m_deadlineMs)
        stop(ProcessEnd::TimedOut);
    if (m_killAtMs > 0 && now > m_killAtMs) {
        m_killAtMs = 0;
        const char kill = 'K';
        [[maybe_unused]] const ssize_t written = ::write(m_control.write.get(), &kill, 1);
    }
    if (m_stopReason || now < m_nextWatchMs)
        return;
    m_nextWatchMs = now + watchMs;
    if (limits.memoryBytes > 0 || limits.processes > 0) {
        const TreeUse use = treeUse(m_supervisor);
        m_outcome.peakTreeBytes = qMax(m_outcome.peakTreeBytes, use.residentBytes);
        if (limits.memoryBytes > 0 && use.residentBytes > limits.memoryBytes)
            stop(ProcessEnd::MemoryLimit);
        else if (limits.processes > 0 && use.processes > limits.processes)
            stop(ProcessEnd::ProcessLimit);
    }
    if (limits.scratchBytes > 0 &&
        folderBytes(m_spec.workDir, limits.scratchBytes) > limits.scratchBytes)
        stop(ProcessEnd::FileLimit);
}

void Runner::stop(ProcessEnd why)
{
    if (m_stopReason)
        return;
    m_stopReason = why;
    // Those that eat the machine get no grace.
    const bool gently = why == ProcessEnd::Cancelled || why == ProcessEnd::TimedOut;
    const char command = gently ? 'T' : 'K';
    [[maybe_unused]] const ssize_t written = ::write(m_control.write.get(), &command, 1);
    if (gently)
        m_killAtMs = m_clock.elapsed() + graceMs;
}

void Runner::loop()
{
    while (m_status.read.get() >= 0) {
        pollfd fds[4] = {{m_out.read.get(), POLLIN, 0},
                         {m_err.read.get(), POLLIN, 0},
                         {m_report.read.get(), POLLIN, 0},
                         {m_status.read.get(), POLLIN, 0}};
        ::poll(fds, 4, 20);
        drain(false);
        watch();
        SpawnMessage message;
        const ssize_t got = ::read(m_status.read.get(), &message, sizeof message);
        if (got == ssize_t(sizeof message)) {
            if (message.kind == SpawnMessage::ExecFailed)
                m_execError = message.value;
            else if (message.kind == SpawnMessage::Ended)
                m_ended = message;
        } else if (got == 0) {
            m_status.read.reset();
        }
    }
    // Every descendant is gone, so the pipes hold the rest and then end.
    drain(true);
    int status = 0;
    while (::waitpid(m_supervisor, &status, 0) < 0 && errno == EINTR) {
    }
    if (m_execError != 0) {
        fail(QStringLiteral("cannot start %1: %2")
                 .arg(m_spec.program, qt_error_string(m_execError)));
        return;
    }
    if (!m_ended) {
        fail(QStringLiteral("the supervisor of the process was killed"));
        return;
    }
    m_outcome.cpuNs = m_ended->cpuNs;
    finish(m_ended->value);
}

void Runner::finish(int waitStatus)
{
    if (WIFSIGNALED(waitStatus)) {
        m_outcome.end = ProcessEnd::Signalled;
        m_outcome.signal = WTERMSIG(waitStatus);
    } else {
        m_outcome.end = ProcessEnd::Exited;
        m_outcome.exitCode = WEXITSTATUS(waitStatus);
        if (m_outcome.sandboxed && m_outcome.exitCode > 128 && m_outcome.exitCode < 128 + 32) {
            // bwrap reports a signal the way a shell does.
            m_outcome.end = ProcessEnd::Signalled;
            m_outcome.signal = m_outcome.exitCode - 128;
        }
        if (m_outcome.sandboxed && m_outcome.exitCode == 1 &&
            m_outcome.err.head.startsWith("bwrap: ") && m_outcome.out.total == 0) {
            fail(QStringLiteral("the sandbox did not start: %1")
                     .arg(QString::fromUtf8(m_outcome.err.head).simplified().left(300)));
            return;
        }
    }
    if (m_outcome.end == ProcessEnd::Signalled) {
        if (m_outcome.signal == SIGXCPU)
            m_outcome.end = ProcessEnd::CpuLimit;
        else if (m_outcome.signal == SIGXFSZ)
            m_outcome.end = ProcessEnd::FileLimit;
    }
    if (m_stopReason)
        m_outcome.end = *m_stopReason;
}

} // namespace

QByteArray CappedOutput::text() const
{
    if (dropped() <= 0)
        return head + tail;
    return head + "\n[... " + QByteArray::number(dropped()) + " bytes left out ...]\n" + tail;
}

ProcessOutcome runProcess(const ProcessSpec& spec, const CancelToken& cancel)
{
    return Runner(spec, cancel).run();
}

QString signalText(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return QStringLiteral("SIGSEGV (invalid memory access)");
    case SIGBUS:
        return QStringLiteral("SIGBUS (bad memory access, or a full disk under a mapped file)");
    case SIGABRT:
        return QStringLiteral("SIGABRT (abort or failed assertion)");
    case SIGFPE:
        return QStringLiteral("SIGFPE (integer division by zero or overflow)");
    case SIGILL:
        return QStringLiteral("SIGILL (illegal instruction)");
    case SIGKILL:
        return QStringLiteral("SIGKILL (killed from outside, often by the kernel out of memory)");
    case SIGTERM:
        return QStringLiteral("SIGTERM (asked to end)");
    case SIGTRAP:
        return QStringLiteral("SIGTRAP (trap)");
    case SIGPIPE:
        return QStringLiteral("SIGPIPE (wrote to a closed pipe)");
    case SIGSYS:
        return QStringLiteral("SIGSYS (forbidden system call)");
    default: {
        const char* name = ::sigabbrev_np(signal);
        return name != nullptr ? QStringLiteral("SIG%1").arg(QLatin1String(name))
                               : QStringLiteral("signal %1").arg(signal);
    }
    }
}

QString ProcessOutcome::describe() const
{
    const QString after = QStringLiteral("%1 s").arg(double(wallNs) / 1e9, 0, 'f', 1);
    switch (end) {
    case ProcessEnd::Exited:
        return exitCode == 0 ? QStringLiteral("ended normally")
                             : QStringLiteral("exited with code %1").arg(exitCode);
    case ProcessEnd::Signalled:
        return QStringLiteral("crashed: %1").arg(signalText(signal));
    case ProcessEnd::TimedOut:
        return QStringLiteral("did not finish in time: stopped after %1").arg(after);
    case ProcessEnd::CpuLimit:
        return QStringLiteral("used more processor time than allowed: stopped after %1").arg(after);
    case ProcessEnd::MemoryLimit:
        return QStringLiteral("used more memory than allowed: stopped at %1 MiB")
            .arg(peakTreeBytes >> 20);
    case ProcessEnd::ProcessLimit:
        return QStringLiteral("started more processes than allowed: all were stopped");
    case ProcessEnd::OutputLimit:
        return QStringLiteral("printed without end: stopped after %1 MiB of output")
            .arg(qMax(qMax(out.total, err.total), report.total) >> 20);
    case ProcessEnd::FileLimit:
        return QStringLiteral("wrote more to disk than allowed: stopped after %1").arg(after);
    case ProcessEnd::Cancelled:
        return QStringLiteral("cancelled");
    case ProcessEnd::NotStarted:
        return problem;
    }
    return {};
}

QStringList cleanEnvironment(const QString& scratch, const QStringList& morePath)
{
    QStringList path = morePath;
    path << QStringLiteral("/usr/local/bin") << QStringLiteral("/usr/bin")
         << QStringLiteral("/bin");
    return {QStringLiteral("PATH=") + path.join(QLatin1Char(':')),
            QStringLiteral("HOME=") + scratch, QStringLiteral("TMPDIR=") + scratch,
            QStringLiteral("LANG=C.UTF-8"), QStringLiteral("LC_ALL=C.UTF-8")};
}

} // namespace ridgeline
