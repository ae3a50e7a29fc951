// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/import_job.h"

#include <QElapsedTimer>

namespace ridgeline {

ImportJob::ImportJob(QObject* parent) : QObject(parent) {}

ImportJob::~ImportJob()
{
    cancel();
    if (m_thread) {
        m_thread->wait();
        delete m_thread;
    }
}

void ImportJob::cancel()
{
    m_cancel.cancel();
}

void ImportJob::run(const std::function<void()>& work)
{
    m_thread = QThread::create(work);
    m_thread->start();
}

void ImportJob::done(std::shared_ptr<Error> error, bool cancelled)
{
    // On the UI thread, after everything the worker sent before.
    if (m_thread) {
        m_thread->wait();
        m_thread->deleteLater();
        m_thread = nullptr;
    }
    Q_EMIT finished(error, cancelled);
}

void ImportJob::start(const CollectionRequest& request)
{
    if (isRunning())
        return;
    m_cancel = CancelToken();
    const CancelToken cancel = m_cancel;
    run([this, request, cancel] {
        const auto post = [this](auto call) {
            QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
        };
        QElapsedTimer since;
        since.start();
        QVector<ImportOutcome> batch;
        const auto flush = [&](int done, int total, const QString& label) {
            post([this, batch, done, total, label] {
                if (!batch.isEmpty())
                    Q_EMIT imported(batch);
                Q_EMIT progressed(done, total, label);
            });
            batch.clear();
            since.restart();
        };
        CollectionObserver observer;
        observer.found = [&](const DetectionReport& report) {
            post([this, report] { Q_EMIT found(report); });
        };
        observer.imported = [&](const ImportOutcome& outcome) { batch << outcome; };
        observer.progress = [&](int done, int total, const QString& label) {
            if (since.elapsed() >= 100 || done == total || done == 0)
                flush(done, total, label);
        };
        const auto result = importCollection(request, observer, cancel);
        auto error = result ? nullptr : std::make_shared<Error>(result.error());
        const bool cancelled = result ? result->cancelled : error->code == ErrorCode::Cancelled;
        post([this, batch, error, cancelled] {
            if (!batch.isEmpty())
                Q_EMIT imported(batch);
            done(error, cancelled);
        });
    });
}

void ImportJob::startByHand(const QString& path, const QString& root, const HandMapping& mapping,
                            const QString& dir)
{
    if (isRunning())
        return;
    m_cancel = CancelToken();
    const CancelToken cancel = m_cancel;
    run([this, path, root, mapping, dir, cancel] {
        const auto tree = SourceTree::open(path, root, cancel);
        QVector<ImportOutcome> outcomes;
        std::shared_ptr<Error> error;
        if (!tree) {
            error = std::make_shared<Error>(tree.error());
        } else {
            outcomes << importByHand(*tree, mapping, dir);
            if (outcomes[0].error)
                error = std::make_shared<Error>(*outcomes[0].error);
        }
        QMetaObject::invokeMethod(
            this,
            [this, outcomes, error] {
                if (!error)
                    Q_EMIT imported(outcomes);
                done(error, false);
            },
            Qt::QueuedConnection);
    });
}

} // namespace ridgeline
