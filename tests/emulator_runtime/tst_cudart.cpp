// SPDX-License-Identifier: GPL-3.0-or-later
// The built libcudart.so.13 and libcuda.so.1, and `ridgeline exec` with programs on them. Programs
// from nvcc run too where it is found; the probe, made without it, always does.
#include "app/cli/commands.h"
#include "app/cli/elf.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSet>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <dlfcn.h>

using namespace ridgeline;

namespace {

QString emulator()
{
    return QStringLiteral(RIDGELINE_EMULATOR_DIR);
}

QString probe()
{
    return QStringLiteral(RIDGELINE_PROBE);
}

QByteArray contents(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// `ridgeline exec` in a process of its own would need the whole application: call the command.
int run(QStringList options, const QStringList& program)
{
    options.append(QStringLiteral("--"));
    return execCommand(options + program);
}

QStringList words(const char* text)
{
    return QString::fromLatin1(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

class TestCudart : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;

    QString file(const char* name) { return m_dir.filePath(QLatin1String(name)); }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        qputenv("RIDGELINE_EMULATOR", emulator().toLocal8Bit());
    }

    void badUsage_data()
    {
        QTest::addColumn<QString>("options");
        QTest::newRow("nothing") << QString();
        QTest::newRow("unknown option") << QStringLiteral("--frobnicate 1 -- true");
        QTest::newRow("no program") << QStringLiteral("--check all --");
        QTest::newRow("no value") << QStringLiteral("--check -- true");
        QTest::newRow("unknown checker") << QStringLiteral("--check memory,typos -- true");
        QTest::newRow("unknown device") << QStringLiteral("--device cuda:0 -- true");
        QTest::newRow("unknown model") << QStringLiteral("--device emulated-cuda:voodoo2 -- true");
        QTest::newRow("seed") << QStringLiteral("--seed seven -- true");
        QTest::newRow("counters") << QStringLiteral("--counters /nonexistent/folder/file -- true");
        QTest::newRow("no such program") << QStringLiteral("-- /nonexistent/program");
        QTest::newRow("folder") << QStringLiteral("-- /tmp");
    }

    void badUsage()
    {
        QFETCH(QString, options);
        QCOMPARE(execCommand(words(options.toLatin1())), 2);
    }

    void exitCodesPassThrough()
    {
        const QString shell = QStandardPaths::findExecutable(QStringLiteral("sh"));
        QCOMPARE(run({}, {shell, QStringLiteral("-c"), QStringLiteral("exit 7")}), 7);
        QCOMPARE(run({}, {QStringLiteral("true")}), 0);
        QCOMPARE(run({}, {shell, QStringLiteral("-c"), QStringLiteral("kill -9 $$")}), 128 + 9);
    }

    void staticRuntimeIsExplained()
    {
        // An ELF file with nvcc's section and no libcudart among its needs: the probe's own copy,
        // with a section renamed.
        QByteArray elf = contents(probe());
        QVERIFY(readElf(elf).isElf);
        QVERIFY(!readElf(elf).hasDeviceCode);
        const QByteArray wanted(".nv_fatbin\0", 11);
        const qsizetype names = elf.lastIndexOf(QByteArray(".note.ABI-tag\0", 14));
        QVERIFY(names > 0);
        elf.replace(names, wanted.size(), wanted);
        QVERIFY(readElf(elf).hasDeviceCode);
        QFile copy(file("static"));
        QVERIFY(copy.open(QIODevice::WriteOnly) && copy.write(elf) == elf.size());
        copy.close();
        QVERIFY(copy.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
        QCOMPARE(run({}, {file("static")}), 3);
        for (qsizetype size = 0; size < elf.size(); size += 97)
            readElf(elf.left(size)); // no crash
    }

    void exportsAreNvidiasAndNoMore()
    {
        void* library = dlopen((emulator() + QStringLiteral("/libcudart.so.13")).toLocal8Bit(),
                               RTLD_NOW | RTLD_LOCAL);
        QVERIFY2(library, dlerror());
        const QList<QByteArray> names =
            contents(
                QStringLiteral(RIDGELINE_SOURCE_DIR "/tests/emulator_runtime/cudart_symbols.txt"))
                .trimmed()
                .split('\n');
        QVERIFY(names.size() > 400);
        for (const QByteArray& name : names)
            QVERIFY2(dlvsym(library, name.constData(), "libcudart.so.13"), name.constData());
        for (const char* name :
             {"malloc", "memcpy", "_Znwm", "ZSTD_decompress", "cuInit", "__cxa_throw"}) {
            Dl_info info{};
            void* found = dlsym(library, name);
            const bool ours =
                found && dladdr(found, &info) && QByteArray(info.dli_fname).contains("libcudart");
            QVERIFY2(!ours, name);
        }
        QVERIFY(dlsym(library, "ridgeline_emu_mark"));
    }

    void driverLibraryIsTheSameDevice()
    {
        QCOMPARE(run({}, {probe(), QStringLiteral("driver")}), 0);
    }

    void probeRuns()
    {
        const QString counters = file("counters.jsonl");
        QCOMPARE(run({QStringLiteral("--counters"), counters}, {probe(), QStringLiteral("add")}),
                 0);
        const QList<QByteArray> lines = contents(counters).trimmed().split('\n');
        QCOMPARE(lines.size(), 1);
        const QJsonObject line = QJsonDocument::fromJson(lines.first()).object();
        QCOMPARE(line[QStringLiteral("label")].toString(), QStringLiteral("probe"));
        QCOMPARE(line[QStringLiteral("kernel")].toString(), QStringLiteral("add"));
        // 1000 additions; two loads and one store of 4 bytes each.
        QCOMPARE(line[QStringLiteral("flops")].toObject()[QStringLiteral("fp32")].toInt(), 1000);
        const QJsonObject global = line[QStringLiteral("global")].toObject();
        QCOMPARE(global[QStringLiteral("load_bytes")].toInt(), 8000);
        QCOMPARE(global[QStringLiteral("store_bytes")].toInt(), 4000);
    }

    void everyModelRuns_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"a100-80-sxm", "h100-sxm", "l4", "rtx4090"})
            QTest::newRow(model) << QStringLiteral("emulated-cuda:%1").arg(QLatin1String(model));
    }

    void everyModelRuns()
    {
        QFETCH(QString, model);
        QCOMPARE(run({QStringLiteral("--device"), model}, {probe(), QStringLiteral("add")}), 0);
    }

    void launchErrorsAreNoCheckersErrors()
    {
        QCOMPARE(run({QStringLiteral("--check=all")}, {probe(), QStringLiteral("launcherror")}), 0);
        QCOMPARE(run({QStringLiteral("--check=all"), QStringLiteral("--seed=5")},
                     {probe(), QStringLiteral("add")}),
                 0);
    }

    void outOfBoundsEndsTheKernelOrIsReported()
    {
        QCOMPARE(run({}, {probe(), QStringLiteral("outofbounds")}), 40);
        QCOMPARE(run({QStringLiteral("--check"), QStringLiteral("memory")},
                     {probe(), QStringLiteral("outofbounds")}),
                 86);
    }

    void programsFromNvcc()
    {
        const QString nvcc = QStandardPaths::findExecutable(QStringLiteral("nvcc"));
        // Without nvcc the probe above has to do; what is compared here is then that it has run.
        if (nvcc.isEmpty()) {
            QCOMPARE(run({}, {probe()}), 0);
            return;
        }
        const QString sources =
            QStringLiteral(RIDGELINE_SOURCE_DIR "/tests/emulator_runtime/programs/");
        const struct {
            const char* sources;
            const char* options;
        } programs[] = {{"basics.cu", ""},
                        {"basics.cu", "--compress-mode=speed"},
                        {"basics.cu", "--default-stream=per-thread"},
                        {"graphs.cu", "--compress-mode=none"},
                        {"linked_main.cu linked_part.cu", "-rdc=true"},
                        {"faults.cu", ""}};
        for (const auto& program : programs) {
            QStringList args =
                words("-cudart shared -gencode arch=compute_80,code=compute_80 -std=c++17 -o");
            const QString out = file("program");
            args << out << words(program.options);
            for (const QString& source : words(program.sources))
                args << sources + source;
            QProcess compiler;
            compiler.setProcessChannelMode(QProcess::MergedChannels);
            compiler.start(nvcc, args);
            QVERIFY(compiler.waitForFinished(240000));
            QVERIFY2(compiler.exitCode() == 0, compiler.readAll().constData());
            QVERIFY2(run({}, {out}) == 0, program.sources);
        }
    }
};

} // namespace

QTEST_GUILESS_MAIN(TestCudart)
#include "tst_cudart.moc"
