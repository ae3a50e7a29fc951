// SPDX-License-Identifier: GPL-3.0-or-later
// Finding compilers and devices on machines that lack them.
#include "core/exec/device.h"
#include "core/support/paths.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace ridgeline;

class TestToolchain : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;

private Q_SLOTS:
    void init()
    {
        qputenv("XDG_CACHE_HOME", m_home.path().toUtf8());
        qunsetenv("RIDGELINE_NVCC");
    }
    void cleanup() { qunsetenv("RIDGELINE_EMULATOR"); }

    void noCompiler()
    {
        qputenv("RIDGELINE_NVCC", "/nonexistent/nvcc");
        const auto found = findCudaToolchain();
        QVERIFY(!found);
        QCOMPARE(found.error().code, ErrorCode::Environment);
        QVERIFY(found.error().hint.contains(QLatin1String("ridgeline setup cuda")));
        QVERIFY(found.error().message.contains(QLatin1String("/nonexistent/nvcc")));
    }

    void somethingElseNamedNvcc()
    {
        const QString fake = m_home.filePath(QStringLiteral("nvcc"));
        QFile file(fake);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\necho hello\n");
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        qputenv("RIDGELINE_NVCC", fake.toUtf8());
        const auto found = findCudaToolchain();
        QVERIFY(!found);
        QVERIFY2(found.error().message.contains(QLatin1String("--version")),
                 qPrintable(found.error().message));
    }

    void tooOld()
    {
        const QString fake = m_home.filePath(QStringLiteral("old"));
        QFile file(fake);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\necho 'Cuda compilation tools, release 11.8, V11.8.89'\n");
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        qputenv("RIDGELINE_NVCC", fake.toUtf8());
        const auto found = findCudaToolchain();
        QVERIFY(!found);
        QVERIFY2(found.error().message.contains(QLatin1String("11.8.89")),
                 qPrintable(found.error().message));
    }

    void setupNeedsPython()
    {
        // A managed folder that cannot be made is told, with the place.
        qputenv("XDG_CACHE_HOME", "/proc/nowhere");
        const auto made = setupManagedCuda([](const QString&) {});
        QVERIFY(!made);
        QCOMPARE(made.error().code, ErrorCode::Environment);
    }

    void emulatorMissing()
    {
        qputenv("RIDGELINE_EMULATOR", m_home.path().toUtf8());
        const auto device = chooseDevice(QStringLiteral("emulated-cuda"));
        QVERIFY(!device);
        QCOMPARE(device.error().code, ErrorCode::Environment);
        QVERIFY(device.error().message.contains(QLatin1String("libcudart.so.13")));
        QVERIFY(!device.error().hint.isEmpty());
    }

    void unknownDevice()
    {
        const auto device = chooseDevice(QStringLiteral("emulated-cuda:abacus"));
        QVERIFY(!device);
        QCOMPARE(device.error().code, ErrorCode::BadUsage);
        QVERIFY(device.error().hint.contains(QLatin1String("emulated-cuda:l4")));
    }

    void everyDeviceSaysWhyNot()
    {
        const auto devices = discoverDevices();
        QVERIFY(devices.size() >= 3);
        for (const Device& device : devices) {
            QVERIFY(!device.id.isEmpty() && !device.name.isEmpty());
            if (!device.available)
                QVERIFY2(!device.why.isEmpty() && !device.fix.isEmpty(), qPrintable(device.id));
        }
        QCOMPARE(devices.last().id, QStringLiteral("cpu"));
    }

    void emulatedEnvironment()
    {
        QFile library(m_home.filePath(QStringLiteral("libcudart.so.13")));
        QVERIFY(library.open(QIODevice::WriteOnly));
        library.close();
        qputenv("RIDGELINE_EMULATOR", m_home.path().toUtf8());
        const auto device = chooseDevice(QStringLiteral("emulated-cuda:l4"));
        QVERIFY(device.ok());
        EmulatorOptions options;
        options.check = QStringLiteral("memory,race");
        options.seed = 5;
        QStringList environment;
        Sandbox sandbox;
        addDeviceEnvironment(*device, {}, options, environment, sandbox);
        QVERIFY(environment.contains(QStringLiteral("LD_LIBRARY_PATH=") + m_home.path()));
        QVERIFY(environment.contains(QStringLiteral("RIDGELINE_EMU_MODEL=l4")));
        QVERIFY(environment.contains(QStringLiteral("RIDGELINE_EMU_CHECK=memory,race")));
        QVERIFY(environment.contains(QStringLiteral("RIDGELINE_EMU_SEED=5")));
        QVERIFY(sandbox.readOnly.contains(m_home.path()));
        QVERIFY(!sandbox.gpu);
    }
};

QTEST_GUILESS_MAIN(TestToolchain)
#include "tst_toolchain.moc"
