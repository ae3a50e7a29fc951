// SPDX-License-Identifier: GPL-3.0-or-later
// ridgeline exec: any CUDA program on the emulated device, unmodified, the way one runs a
// sanitizer.
#include "app/cli/commands.h"
#include "app/cli/elf.h"
#include "core/emulator/runtime/models.h"
#include "core/support/paths.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTextStream>

namespace ridgeline {

namespace {

constexpr int badUsage = 2, cannot = 3, checkerError = 86;

struct Options {
    QString model = QStringLiteral("a100-80-sxm");
    QString checks, counters, seed;
    QStringList program;
    bool help = false;
};

int fail(int code, const QString& text)
{
    QTextStream(stderr) << "ridgeline exec: " << text << '\n';
    return code;
}

void help(FILE* stream)
{
    QTextStream(stream)
        << "ridgeline exec [--device emulated-cuda[:MODEL]] [--check memory,race,init,sync|all]\n"
           "               [--counters FILE] [--seed N] -- PROGRAM [ARG..]\n\n"
           "Runs a CUDA program (built with nvcc -cudart shared and PTX inside) on the emulated "
           "device.\n"
           "  --device    modelled device: "
        << emu::modelList()
        << "\n"
           "  --check     report errors as compute-sanitizer does, and end with 86 when there was "
           "one\n"
           "  --counters  write one JSON object per kernel launch and line\n"
           "  --seed      run blocks and warps in another order; 0 is in order\n\n"
           "Ends with the program's own exit code, 86 when a checker reported an error, 2 on bad "
           "usage,\n"
           "3 when the program cannot run on the emulated device.\n";
}

/// Empty on success, else what is wrong.
QString parseDevice(const QString& text, Options& options)
{
    const QString kind = text.section(QLatin1Char(':'), 0, 0);
    const QString model = text.section(QLatin1Char(':'), 1);
    if (kind != QLatin1String("emulated-cuda"))
        return QStringLiteral("no device \"%1\" to run programs on: there is emulated-cuda[:MODEL]")
            .arg(text);
    const emu::DeviceModel* found = emu::findModel(model.toStdString());
    if (!found)
        return QStringLiteral("no model \"%1\": there are %2")
            .arg(model, QLatin1String(emu::modelList()));
    options.model = QString::fromStdString(std::string(found->id));
    return {};
}

QString parseChecks(const QString& text, Options& options)
{
    static const QStringList known{QStringLiteral("memory"), QStringLiteral("race"),
                                   QStringLiteral("init"), QStringLiteral("sync"),
                                   QStringLiteral("all")};
    for (const QString& check : text.split(QLatin1Char(','))) {
        if (!known.contains(check))
            return QStringLiteral("no checker \"%1\": there are %2")
                .arg(check, known.join(QStringLiteral(", ")));
    }
    options.checks = text;
    return {};
}

QString parse(const QStringList& args, Options& options)
{
    for (qsizetype i = 0; i < args.size(); ++i) {
        QString name = args[i];
        if (name == QLatin1String("--")) {
            options.program = args.mid(i + 1);
            break;
        }
        if (name == QLatin1String("--help") || name == QLatin1String("-h")) {
            options.help = true;
            return {};
        }
        if (!name.startsWith(QLatin1String("--"))) {
            options.program = args.mid(i);
            break;
        }
        QString value;
        if (const qsizetype equals = name.indexOf(QLatin1Char('=')); equals > 0) {
            value = name.mid(equals + 1);
            name.truncate(equals);
        } else if (++i < args.size()) {
            value = args[i];
        }
        if (value.isEmpty() || value == QLatin1String("--"))
            return QStringLiteral("%1 needs a value").arg(name);
        QString problem;
        if (name == QLatin1String("--device"))
            problem = parseDevice(value, options);
        else if (name == QLatin1String("--check"))
            problem = parseChecks(value, options);
        else if (name == QLatin1String("--counters"))
            options.counters = QFileInfo(value).absoluteFilePath();
        else if (name == QLatin1String("--seed")) {
            bool number = false;
            value.toULongLong(&number);
            if (!number)
                problem = QStringLiteral("--seed needs a whole number, not \"%1\"").arg(value);
            options.seed = value;
        } else
            problem = QStringLiteral("unknown option %1").arg(name);
        if (!problem.isEmpty())
            return problem;
    }
    return options.program.isEmpty() ? QStringLiteral("no program to run: give it after --")
                                     : QString();
}

/// Why the program cannot run here, or empty. Scripts and programs that load CUDA later pass.
QString obstacle(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {}; // the start will say why
    const uchar* mapped = file.map(0, file.size());
    if (!mapped)
        return {};
    const ElfFacts facts = readElf(
        QByteArray::fromRawData(reinterpret_cast<const char*>(mapped), qsizetype(file.size())));
    QByteArray runtime;
    for (const QByteArray& library : facts.needed) {
        if (library.startsWith("libcudart.so."))
            runtime = library;
    }
    if (runtime.isEmpty() && facts.hasDeviceCode)
        return QStringLiteral("%1 has the CUDA runtime linked in statically (nvcc's default), so "
                              "the emulated device "
                              "cannot take its place. Build it with: nvcc -cudart shared")
            .arg(path);
    if (!runtime.isEmpty() && runtime != "libcudart.so.13")
        return QStringLiteral("%1 needs %2; the emulated device stands in for CUDA 13's "
                              "libcudart.so.13. Build it "
                              "with nvcc 13 and -cudart shared")
            .arg(path, QString::fromLocal8Bit(runtime));
    return {};
}

void prepend(QProcessEnvironment& environment, const QString& name, const QString& value)
{
    const QString old = environment.value(name);
    environment.insert(name, old.isEmpty() ? value : value + QLatin1Char(':') + old);
}

QProcessEnvironment environmentFor(const Options& options, const QString& emulator,
                                   const QString& report)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // Preloaded too: a run path inside the program (torch has one) beats LD_LIBRARY_PATH.
    prepend(environment, QStringLiteral("LD_LIBRARY_PATH"), emulator);
    prepend(environment, QStringLiteral("LD_PRELOAD"),
            emulator + QStringLiteral("/libcudart.so.13"));
    prepend(environment, QStringLiteral("LIBRARY_PATH"), emulator);
    environment.insert(QStringLiteral("TRITON_LIBCUDA_PATH"), emulator);
    environment.insert(QStringLiteral("RIDGELINE_EMU_MODEL"), options.model);
    environment.insert(QStringLiteral("RIDGELINE_EMU_REPORT"), report);
    const auto set = [&](const QString& name, const QString& value) {
        if (value.isEmpty())
            environment.remove(name);
        else
            environment.insert(name, value);
    };
    set(QStringLiteral("RIDGELINE_EMU_CHECK"), options.checks);
    set(QStringLiteral("RIDGELINE_EMU_COUNTERS"), options.counters);
    set(QStringLiteral("RIDGELINE_EMU_SEED"), options.seed);
    return environment;
}

} // namespace

int execCommand(const QStringList& args)
{
    Options options;
    const QString problem = parse(args, options);
    if (options.help) {
        help(stdout);
        return 0;
    }
    if (!problem.isEmpty()) {
        help(stderr);
        return fail(badUsage, problem);
    }
    const QString emulator = emulatorDir();
    if (!QFileInfo::exists(emulator + QStringLiteral("/libcudart.so.13")))
        return fail(
            cannot,
            QStringLiteral("no libcudart.so.13 of the emulated device in \"%1\": build Ridgeline "
                           "completely, or set RIDGELINE_EMULATOR to its folder")
                .arg(emulator));
    const QString& word = options.program.first();
    const QString path = word.contains(QLatin1Char('/')) ? QFileInfo(word).absoluteFilePath()
                                                         : QStandardPaths::findExecutable(word);
    if (path.isEmpty() || !QFileInfo(path).isFile() || !QFileInfo(path).isExecutable())
        return fail(badUsage, QStringLiteral("\"%1\" is no program that can be run").arg(word));
    if (const QString reason = obstacle(path); !reason.isEmpty())
        return fail(cannot, reason);
    if (!options.counters.isEmpty()) {
        QFile counters(
            options.counters); // the device appends, since a run may have several processes
        if (!counters.open(QIODevice::WriteOnly | QIODevice::Truncate))
            return fail(badUsage, QStringLiteral("cannot write %1: %2")
                                      .arg(options.counters, counters.errorString()));
    }
    const QTemporaryDir scratch;
    if (!scratch.isValid())
        return fail(
            cannot,
            QStringLiteral("cannot make a temporary folder: %1").arg(scratch.errorString()));
    const QString report = scratch.filePath(QStringLiteral("report.jsonl"));

    QProcess process;
    process.setProcessEnvironment(environmentFor(options, emulator, report));
    process.setProcessChannelMode(QProcess::ForwardedChannels);
    process.setInputChannelMode(QProcess::ForwardedInputChannel);
    process.start(path, options.program.mid(1));
    if (!process.waitForStarted(-1))
        return fail(cannot, QStringLiteral("cannot start %1: %2").arg(path, process.errorString()));
    process.waitForFinished(-1);
    if (QFileInfo(report).size() > 0)
        return checkerError;
    // As a shell would say it; QProcess has the signal's number in the exit code.
    return process.exitStatus() == QProcess::CrashExit ? 128 + process.exitCode()
                                                       : process.exitCode();
}

} // namespace ridgeline
