// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/spawn.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ridgeline {

namespace {

void closeFrom(int first)
{
#ifdef SYS_close_range
    if (::syscall(SYS_close_range, unsigned(first), ~0U, 0U) == 0)
        return;
#endif
    for (int fd = first; fd < 4096; ++fd)
        ::close(fd);
}

void send(int fd, int kind, int value, long long cpuNs)
{
    SpawnMessage message;
    message.kind = kind;
    message.value = value;
    message.cpuNs = cpuNs;
    // Smaller than PIPE_BUF: written whole or not at all.
    while (::write(fd, &message, sizeof message) < 0 && errno == EINTR) {
    }
}

void setLimit(decltype(RLIMIT_CPU) which, long long soft, long long hard)
{
    if (soft <= 0)
        return;
    rlimit now{};
    if (::getrlimit(which, &now) != 0)
        return;
    rlimit wanted{rlim_t(soft), rlim_t(hard)};
    if (now.rlim_max != RLIM_INFINITY && wanted.rlim_max > now.rlim_max)
        wanted.rlim_max = now.rlim_max;
    if (wanted.rlim_cur > wanted.rlim_max)
        wanted.rlim_cur = wanted.rlim_max;
    ::setrlimit(which, &wanted);
}

[[noreturn]] void becomeChild(const SpawnRequest& r, int status, const sigset_t& none)
{
    ::setpgid(0, 0);
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    // The hard limit is two seconds later: SIGXCPU first, which names itself.
    setLimit(RLIMIT_CPU, r.limits.cpuSeconds, r.limits.cpuSeconds + 2);
    setLimit(RLIMIT_AS, r.limits.addressSpaceBytes, r.limits.addressSpaceBytes);
    setLimit(RLIMIT_FSIZE, r.limits.fileBytes, r.limits.fileBytes);
    setLimit(RLIMIT_NPROC, r.limits.processes, r.limits.processes);
    int failed = 0;
    if (::chdir(r.workDir) != 0)
        failed = errno;
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(null, 0);
    ::dup2(r.out, 1);
    ::dup2(r.err, 2);
    ::fcntl(status, F_SETFD, FD_CLOEXEC);
    if (r.report >= 0)
        ::dup2(r.report, 3);
    // Everything else above stays open only until exec: the supervisor's copies are close-on-exec.
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (failed == 0) {
        ::execve(r.program, r.argv, r.envp);
        failed = errno;
    }
    send(status, SpawnMessage::ExecFailed, failed, 0);
    ::_exit(127);
}

/// Kills the direct children (orphans of the tree become ours, because we are a subreaper).
void killChildren()
{
    char path[64];
    char digits[16];
    int n = 0;
    for (long pid = ::getpid(); pid > 0; pid /= 10)
        digits[n++] = char('0' + pid % 10);
    char* at = path;
    const auto put = [&](const char* text) {
        while (*text)
            *at++ = *text++;
    };
    const auto putPid = [&] {
        for (int i = n - 1; i >= 0; --i)
            *at++ = digits[i];
    };
    put("/proc/");
    putPid();
    put("/task/");
    putPid();
    put("/children");
    *at = 0;
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    char buffer[4096];
    long pid = 0;
    ssize_t got = 0;
    while ((got = ::read(fd, buffer, sizeof buffer)) > 0) {
        for (ssize_t i = 0; i < got; ++i) {
            if (buffer[i] >= '0' && buffer[i] <= '9') {
                pid = pid * 10 + (buffer[i] - '0');
            } else {
                if (pid > 1)
                    ::kill(pid_t(pid), SIGKILL);
                pid = 0;
            }
        }
    }
    if (pid > 1)
        ::kill(pid_t(pid), SIGKILL);
    ::close(fd);
}

long long cpuOfChildren()
{
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto ns = [](const timeval& t) { return t.tv_sec * 1000000000LL + t.tv_usec * 1000LL; };
    return ns(usage.ru_utime) + ns(usage.ru_stime);
}

[[noreturn]] void supervise(SpawnRequest r, const sigset_t& none)
{
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    ::prctl(PR_SET_NAME, "rl-supervise", 0, 0, 0);
    // Move what is needed above the rest, then down to 4…8, so that one range holds the strangers.
    int* const wanted[] = {&r.out, &r.err, &r.report, &r.status, &r.control};
    for (int* fd : wanted) {
        if (*fd >= 0)
            *fd = ::fcntl(*fd, F_DUPFD_CLOEXEC, 64);
    }
    int next = 4;
    for (int* fd : wanted) {
        if (*fd >= 0) {
            ::dup3(*fd, next, O_CLOEXEC);
            *fd = next++;
        }
    }
    ::close(3);
    closeFrom(next);
    const int null = ::open("/dev/null", O_RDWR);
    if (null >= 0) {
        ::dup2(null, 0);
        ::dup2(null, 1);
        ::dup2(null, 2);
        if (null > 2)
            ::close(null);
    }
    for (int signal = 1; signal < NSIG; ++signal)
        ::signal(signal, SIG_DFL);
    ::signal(SIGPIPE, SIG_IGN);

    sigset_t childSet;
    sigemptyset(&childSet);
    sigaddset(&childSet, SIGCHLD);
    const int signals = ::signalfd(-1, &childSet, SFD_CLOEXEC | SFD_NONBLOCK);
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGPIPE, SIG_DFL);
        becomeChild(r, r.status, none);
    }
    if (child < 0) {
        send(r.status, SpawnMessage::ExecFailed, errno, 0);
        ::_exit(1);
    }
    ::setpgid(child, child);
    ::close(r.out);
    ::close(r.err);
    if (r.report >= 0)
        ::close(r.report);
    send(r.status, SpawnMessage::Started, child, 0);

    int childStatus = 0;
    bool ended = false;
    bool killing = false;
    for (;;) {
        int status = 0;
        pid_t reaped = 0;
        while ((reaped = ::waitpid(-1, &status, WNOHANG)) > 0) {
            if (reaped == child) {
                childStatus = status;
                ended = true;
                killing = true; // whatever it left behind goes too
            }
        }
        if (reaped < 0 && errno == ECHILD && ended)
            break;
        if (killing) {
            if (!ended)
                ::kill(-child, SIGKILL);
            killChildren();
        }
        pollfd fds[2] = {{r.control, POLLIN, 0}, {signals, POLLIN, 0}};
        ::poll(fds, 2, killing ? 5 : -1);
        signalfd_siginfo info;
        while (::read(signals, &info, sizeof info) > 0) {
        }
        if (fds[0].revents != 0) {
            char command = 'K';
            const ssize_t got = ::read(r.control, &command, 1);
            if (got == 1 && command == 'T') {
                ::kill(-child, SIGTERM);
            } else {
                killing = true;
                if (got == 0) { // the workbench is gone; do not spin on its end of file
                    ::close(r.control);
                    r.control = -1;
                }
            }
        }
    }
    send(r.status, SpawnMessage::Ended, childStatus, cpuOfChildren());
    ::_exit(0);
}

} // namespace

pid_t spawnSupervised(const SpawnRequest& request)
{
    sigset_t all, before, none;
    sigfillset(&all);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::fork();
    if (pid == 0)
        supervise(request, none);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return pid;
}

} // namespace ridgeline
