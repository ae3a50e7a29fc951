// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/sandbox.h"

#include "core/exec/process.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace ridgeline {

namespace {

SandboxProbe probe()
{
    SandboxProbe result;
    if (qEnvironmentVariable("RIDGELINE_SANDBOX") == QLatin1String("off")) {
        result.why = QStringLiteral("turned off by RIDGELINE_SANDBOX=off");
        return result;
    }
    result.program = QStandardPaths::findExecutable(QStringLiteral("bwrap"));
    if (result.program.isEmpty()) {
        result.why = QStringLiteral("bwrap is not installed (package bubblewrap)");
        return result;
    }
    const QString tmp = QDir::tempPath();
    ProcessSpec spec;
    spec.program = result.program;
    spec.workDir = tmp;
    spec.environment = cleanEnvironment(tmp);
    spec.limits.wallMs = 10000;
    spec.arguments = QStringList{QStringLiteral("--version")};
    const ProcessOutcome version = runProcess(spec);
    result.version = QString::fromUtf8(version.out.head).trimmed();
    spec.arguments = sandboxArguments({}, QStringLiteral("/"));
    spec.arguments << QStringLiteral("/bin/true");
    const ProcessOutcome outcome = runProcess(spec);
    result.works = outcome.success();
    if (!result.works) {
        result.why = QStringLiteral("bwrap %1: %2 (user namespaces are probably forbidden here)")
                         .arg(outcome.describe(),
                              QString::fromUtf8(outcome.err.head).simplified().left(300));
    }
    return result;
}

} // namespace

const SandboxProbe& sandboxProbe()
{
    static const SandboxProbe result = probe();
    return result;
}

QStringList sandboxArguments(const Sandbox& sandbox, const QString& workDir)
{
    // Sizes: tmpfs pages are memory that no rlimit counts.
    const QString size = QStringLiteral("--size");
    const QString tmpfs = QStringLiteral("--tmpfs");
    const QString some = QString::number(256 << 20);
    QStringList args{QStringLiteral("--die-with-parent"),
                     QStringLiteral("--unshare-pid"),
                     QStringLiteral("--unshare-net"),
                     QStringLiteral("--unshare-ipc"),
                     QStringLiteral("--unshare-uts"),
                     QStringLiteral("--unshare-cgroup-try"),
                     QStringLiteral("--cap-drop"),
                     QStringLiteral("ALL"),
                     QStringLiteral("--ro-bind"),
                     QStringLiteral("/"),
                     QStringLiteral("/"),
                     QStringLiteral("--dev"),
                     QStringLiteral("/dev"),
                     QStringLiteral("--proc"),
                     QStringLiteral("/proc")};
    if (sandbox.gpu) {
        const QStringList nodes = QDir(QStringLiteral("/dev"))
                                      .entryList({QStringLiteral("nvidia*"), QStringLiteral("dxg")},
                                                 QDir::System | QDir::Dirs | QDir::Files);
        for (const QString& node : nodes) {
            const QString path = QStringLiteral("/dev/") + node;
            args << QStringLiteral("--dev-bind") << path << path;
        }
    }
    args << size << some << tmpfs << QStringLiteral("/dev/shm") << QStringLiteral("--remount-ro")
         << QStringLiteral("/dev");
    args << size << some << tmpfs << QStringLiteral("/tmp");
    QStringList hidden{QStringLiteral("/run"), QStringLiteral("/var/tmp"), QStringLiteral("/home"),
                       QStringLiteral("/root"), QDir::homePath()};
    hidden.removeDuplicates();
    QStringList covered;
    for (const QString& path : hidden) {
        const QFileInfo info(path);
        // A home of "/" or a missing or linked folder cannot be covered; /tmp already is.
        if (path == QLatin1String("/") || !info.isDir() || info.isSymLink() ||
            path.startsWith(QLatin1String("/tmp/")))
            continue;
        args << size << some << tmpfs << path;
        covered << path;
    }
    for (const QString& path : sandbox.readOnly)
        args << QStringLiteral("--ro-bind") << path << path;
    for (const QString& path : sandbox.writable)
        args << QStringLiteral("--bind") << path << path;
    for (const QString& path : covered)
        args << QStringLiteral("--remount-ro") << path;
    args << QStringLiteral("--chdir") << workDir << QStringLiteral("--");
    return args;
}

} // namespace ridgeline
