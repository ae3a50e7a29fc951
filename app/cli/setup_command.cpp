// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "core/exec/toolchain.h"

#include <QCommandLineParser>
#include <QTextStream>

namespace ridgeline {

int setupCommand(const QStringList& args)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral(
        "Makes a CUDA compiler from NVIDIA's own packages on PyPI (0.4 GB, in the user's cache),\n"
        "and checks it by compiling a small kernel. May be repeated; nothing else is touched.\n"
        "Exit codes: 0 ready, 2 bad usage, 3 not possible here."));
    parser.addPositionalArgument(QStringLiteral("cuda"),
                                 QStringLiteral("the only toolchain so far"));
    const QCommandLineOption missing(
        QStringLiteral("if-missing"),
        QStringLiteral("do nothing when a CUDA compiler is already there"));
    parser.addOption(missing);
    const QCommandLineOption help = parser.addHelpOption();
    QTextStream err(stderr);
    if (!parser.parse(QStringList{QStringLiteral("ridgeline setup")} + args)) {
        err << "ridgeline setup: " << parser.errorText() << Qt::endl;
        return 2;
    }
    if (parser.isSet(help)) {
        QTextStream(stdout) << parser.helpText();
        return 0;
    }
    if (parser.positionalArguments() != QStringList{QStringLiteral("cuda")}) {
        err << "ridgeline setup: say what to set up: cuda" << Qt::endl;
        return 2;
    }
    if (parser.isSet(missing)) {
        if (const auto found = findCudaToolchain()) {
            QTextStream(stdout) << "nvcc " << found->version << " is there: " << found->nvcc
                                << Qt::endl;
            return 0;
        }
    }
    const Interrupt interrupt;
    const auto made = setupManagedCuda([&err](const QString& line) { err << line << Qt::endl; },
                                       interrupt.token());
    if (!made) {
        err << "ridgeline setup: " << made.error().toString() << Qt::endl;
        return exitCodeFor(made.error().code);
    }
    QTextStream(stdout) << made->nvcc << Qt::endl;
    return 0;
}

} // namespace ridgeline
