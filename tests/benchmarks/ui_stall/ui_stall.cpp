// SPDX-License-Identifier: GPL-3.0-or-later
// Longest stall of the UI thread while 100,000 log lines stream through the window's own path:
// another thread emits them as the pipeline does, the log tab is in front and follows.
//
//   QT_QPA_PLATFORM=offscreen build/dev/bin/ui_stall [LINES]
//
// A heartbeat of 1 ms runs in the event loop; the longest gap between two beats is the stall. The
// CPU time the UI thread spent in its worst gap is printed too: on a loaded machine a gap can be
// somebody else's work.
#include "app/window/main_window.h"
#include "widgets/log_view.h"
#include "widgets/runs_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTextStream>
#include <QThread>
#include <QTimer>
#include <QWindow>
#include <cstdlib>
#include <ctime>

using namespace ridgeline;

namespace {

constexpr double goalMs = 50;
constexpr int batchLines = 1000;

class StreamingRunner final : public Runner {
public:
    QStringList passes() const override { return {QStringLiteral("compile")}; }
    bool start(const RunOrder&) override { return false; }
    void cancel() override {}
    bool isRunning() const override { return false; }
    MachineReport inspectMachine() const override { return {}; }

    /// On the producer's thread: batches with a pause, one pass change per batch.
    void stream(int lines)
    {
        for (int sent = 0; sent < lines; sent += batchLines) {
            QStringList batch;
            for (int i = sent; i < std::min(lines, sent + batchLines); ++i)
                batch.append(
                    QStringLiteral(
                        "files/candidates/block.cu(%1): warning: line %2 of a long log, value %3")
                        .arg(i % 400)
                        .arg(i)
                        .arg(i * 0.37));
            Q_EMIT logLines({}, {}, batch);
            PassRecord pass;
            pass.pass = QStringLiteral("compile");
            pass.state = PassState::Running;
            pass.wallNs = sent;
            Q_EMIT passChanged(QStringLiteral("candidate"), pass);
            Q_EMIT progress(sent, lines, QStringLiteral("compile"));
            QThread::msleep(10);
        }
    }
};

double threadCpuMs()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e3 + double(t.tv_nsec) / 1e6;
}

} // namespace

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    qRegisterMetaType<RunRecord>("ridgeline::RunRecord");
    qRegisterMetaType<PassRecord>("ridgeline::PassRecord");
    const int lines = argc > 1 ? std::atoi(argv[1]) : 100000;
    QTemporaryDir dir;
    auto owned = std::make_unique<StreamingRunner>();
    StreamingRunner* runner = owned.get();
    WindowOptions options;
    options.settingsFile = dir.filePath(QStringLiteral("window.ini"));
    options.samplesOnFirstStart = false;
    options.inspectMachine = false;
    MainWindow window(std::move(owned), options);
    window.resize(1600, 950);
    window.show();
    while (!window.windowHandle() || !window.windowHandle()->isExposed())
        app.processEvents(QEventLoop::AllEvents, 50);
    for (int i = 0; i < 20; ++i)
        app.processEvents(QEventLoop::AllEvents, 20);

    QElapsedTimer clock;
    double last = 0;
    double lastCpu = threadCpuMs();
    double worst = 0;
    double worstCpu = 0;
    double longestCpu = 0;
    int beats = 0;
    QTimer heart;
    heart.setTimerType(Qt::PreciseTimer);
    heart.setInterval(1);
    QObject::connect(&heart, &QTimer::timeout, &window, [&] {
        const double now = double(clock.nsecsElapsed()) / 1e6;
        const double cpu = threadCpuMs();
        if (now - last > worst) {
            worst = now - last;
            worstCpu = cpu - lastCpu;
        }
        longestCpu = std::max(longestCpu, cpu - lastCpu);
        last = now;
        lastCpu = cpu;
        ++beats;
        LogModel* log = window.runs()->log()->model();
        if (log->totalLines() >= lines && !log->hasPending())
            app.quit();
    });
    std::unique_ptr<QThread> producer(QThread::create([&] { runner->stream(lines); }));
    clock.start();
    heart.start();
    producer->start();
    app.exec();
    const double seconds = double(clock.nsecsElapsed()) / 1e9;
    producer->wait();

    QTextStream out(stdout);
    out << "ui_stall: " << lines << " lines in " << QString::number(seconds, 'f', 2) << " s, "
        << beats << " beats\n"
        << "longest stall " << QString::number(worst, 'f', 1) << " ms, "
        << QString::number(worst / goalMs, 'f', 2)
        << " of the goal of 50 ms (the UI thread itself worked "
        << QString::number(worstCpu, 'f', 1) << " ms of it)\n"
        << "longest work between two beats " << QString::number(longestCpu, 'f', 1)
        << " ms of CPU time\n";
    return 0;
}
