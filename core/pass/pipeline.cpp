// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/pipeline.h"

#include <QMutex>
#include <QThread>
#include <QTimer>

namespace ridgeline {

namespace {

constexpr int flushMs = 50;        ///< at most 20 batches a second
constexpr int linesPerFlush = 500; ///< per pass and flush; a window shows no more anyway

struct PendingLog {
    QString candidate, pass;
    QStringList lines;
    qint64 dropped = 0;
};

} // namespace

struct Pipeline::Private {
    std::unique_ptr<QThread> thread;
    CancelToken token;
    QTimer flush;
    QMutex mutex;
    QVector<PendingLog> logs; ///< guarded by mutex

    void add(const QString& candidate, const QString& pass, const QStringList& lines)
    {
        const QMutexLocker lock(&mutex);
        if (logs.isEmpty() || logs.back().candidate != candidate || logs.back().pass != pass)
            logs.push_back({candidate, pass, {}, 0});
        PendingLog& log = logs.back();
        for (const QString& line : lines) {
            if (log.lines.size() < linesPerFlush)
                log.lines << line.left(4096);
            else
                ++log.dropped;
        }
    }
    QVector<PendingLog> take()
    {
        const QMutexLocker lock(&mutex);
        return std::exchange(logs, {});
    }
};

Pipeline::Pipeline(QObject* parent) : QObject(parent), m(std::make_unique<Private>())
{
    qRegisterMetaType<RunRecord>();
    qRegisterMetaType<PassRecord>();
    m->flush.setInterval(flushMs);
    connect(&m->flush, &QTimer::timeout, this, &Pipeline::flushLogs);
}

void Pipeline::flushLogs()
{
    QVector<PendingLog> logs = m->take();
    for (PendingLog& log : logs) {
        if (log.dropped > 0)
            log.lines << QStringLiteral("[%1 lines more, in the log file]").arg(log.dropped);
        Q_EMIT logLines(log.candidate, log.pass, log.lines);
    }
}

Pipeline::~Pipeline()
{
    m->token.cancel();
    if (m->thread)
        m->thread->wait();
}

bool Pipeline::isRunning() const
{
    return m->thread != nullptr;
}

bool Pipeline::start(const RunRequest& request)
{
    if (m->thread)
        return false;
    m->token = CancelToken();
    const CancelToken token = m->token;
    // Everything the worker tells is posted as a complete value to this object's thread.
    const auto post = [this](auto call) {
        QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
    };
    m->thread.reset(QThread::create([this, request, token, post] {
        RunObserver observer;
        observer.runStarted = [this, post](const RunRecord& record) {
            post([this, record] { Q_EMIT runStarted(record); });
        };
        observer.passChanged = [this, post](const QString& candidate, const PassRecord& record) {
            post([this, candidate, record] { Q_EMIT passChanged(candidate, record); });
        };
        observer.progress = [this, post](int done, int total, const QString& label) {
            post([this, done, total, label] { Q_EMIT progress(done, total, label); });
        };
        observer.logLines = [this](const QString& candidate, const QString& pass,
                                   const QStringList& lines) { m->add(candidate, pass, lines); };
        const auto result = runPasses(request, observer, token);
        post([this, result] {
            m->thread->wait();
            m->thread.reset();
            m->flush.stop();
            flushLogs();
            if (!result) {
                Q_EMIT failed(result.error().message, result.error().hint);
                return;
            }
            Q_EMIT saved(result->savedTo, result->saveNote);
            Q_EMIT finished(result->record);
        });
    }));
    m->flush.start();
    m->thread->start();
    return true;
}

void Pipeline::cancel()
{
    if (!m->thread || m->token.isCancelled())
        return;
    m->token.cancel();
    Q_EMIT cancelling();
}

} // namespace ridgeline
