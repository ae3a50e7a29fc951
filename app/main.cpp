// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses between the window and the batch tool; everything else is in window/ and cli/.
#include "app/cli/commands.h"
#include "app/window/window_main.h"

#include <QApplication>
#include <QCoreApplication>
#include <QFileInfo>
#include <QGuiApplication>
#include <QTextStream>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace ridgeline;

struct Command {
    const char* name;
    int (*run)(const QStringList& args);
    bool draws; ///< needs fonts and painting (never a display)
    const char* help;
};

const std::vector<Command> commands{
    Command{"run", runCommand, false,
            "run BUNDLE [--pass P,..] [--device D] [--json FILE]   run passes"},
    Command{"report", reportCommand, true,
            "report BUNDLE --format md,html,pdf,odt,docx,json -o DIR   write the feedback"},
    Command{"import", importCommand, false,
            "import PATH -o DIR [--format F]   any known task format into bundles"},
    Command{"export", exportCommand, false,
            "export BUNDLE.. -o DIR   the original files of imported bundles"},
    Command{"audit", auditCommand, false,
            "audit FILE|BUNDLE   look for known tricks in the source, run nothing"},
    Command{"compare", compareCommand, false,
            "compare A.npy B.npy ..   numeric comparison with a tolerance rule"},
    Command{"rubric", rubricCommand, false, "rubric check FILE   validate a rubric"},
    Command{"devices", devicesCommand, false, "devices [--json]   what can run here, and why not"},
    Command{"setup", setupCommand, false, "setup cuda   prepare a CUDA compiler ahead of time"},
    Command{"exec", execCommand, false,
            "exec [--device D] [--check C,..] -- PROGRAM [ARG..]   any CUDA program on the "
            "emulated device"},
};

int usage(FILE* stream, int code)
{
    QTextStream out(stream);
    out << "Ridgeline " << QCoreApplication::applicationVersion()
        << ": review accelerator kernel tasks\n\n"
        << "ridgeline [BUNDLE ..]\n    open the window\n";
    for (const Command& command : commands)
        out << "ridgeline " << command.help << '\n';
    out << "\nEach command explains itself with --help. Exit codes: 0 clean, 1 failing passes or "
           "findings,\n"
           "2 bad usage or input, 3 this machine cannot do it.\n";
    return code;
}

int openWindow(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
        qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        QTextStream(stderr)
            << "ridgeline: there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set), "
               "so the "
               "window cannot open.\nThe batch commands work without one; see ridgeline --help.\n";
        return 3;
    }
    QApplication app(argc, argv);
    return windowMain(app, app.arguments().mid(1));
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication::setApplicationName(QStringLiteral("ridgeline"));
    QCoreApplication::setOrganizationName(QStringLiteral("ridgeline"));
    QCoreApplication::setApplicationVersion(QStringLiteral(RIDGELINE_VERSION));

    const char* word = argc > 1 ? argv[1] : "";
    const auto command = std::find_if(commands.begin(), commands.end(), [word](const Command& c) {
        return std::strcmp(c.name, word) == 0;
    });
    if (command != commands.end()) {
        if (!command->draws) {
            QCoreApplication app(argc, argv);
            return command->run(app.arguments().mid(2));
        }
        qputenv("QT_QPA_PLATFORM", "offscreen");
        QGuiApplication app(argc, argv);
        return command->run(app.arguments().mid(2));
    }
    if (std::strcmp(word, "--help") == 0 || std::strcmp(word, "-h") == 0 ||
        std::strcmp(word, "help") == 0)
        return usage(stdout, 0);
    if (std::strcmp(word, "--version") == 0) {
        QTextStream(stdout) << "ridgeline " << QCoreApplication::applicationVersion() << '\n';
        return 0;
    }
    // A word that is neither a command, an option of Qt nor an existing path is most likely a
    // mistyped command.
    if (argc > 1 && argv[1][0] != '-' && !QFileInfo::exists(QString::fromLocal8Bit(argv[1]))) {
        QTextStream(stderr) << "ridgeline: \"" << argv[1]
                            << "\" is neither a command nor an existing bundle\n\n";
        return usage(stderr, 2);
    }
    return openWindow(argc, argv);
}
