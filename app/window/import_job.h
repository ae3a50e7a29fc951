// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/collection.h"

#include <QObject>
#include <QThread>
#include <memory>

namespace ridgeline {

/// One import on a thread of its own. Signals come on the UI thread, outcomes in batches, at most
/// ten a second, so that a collection of thousands does not flood the window.
class ImportJob final : public QObject {
    Q_OBJECT
public:
    explicit ImportJob(QObject* parent = nullptr);
    ~ImportJob() override; ///< cancels and waits

    bool isRunning() const { return m_thread != nullptr; }
    /// Looks (request.dir empty) or imports. Ignored while one runs.
    void start(const CollectionRequest& request);
    void startByHand(const QString& path, const QString& root, const HandMapping& mapping,
                     const QString& dir);
    void cancel();

Q_SIGNALS:
    void found(const ridgeline::DetectionReport& report);
    void progressed(int done, int total, const QString& label);
    void imported(const QVector<ridgeline::ImportOutcome>& outcomes);
    /// `error` is null on success; `cancelled`: what was finished stays.
    void finished(const std::shared_ptr<ridgeline::Error>& error, bool cancelled);

private:
    void run(const std::function<void()>& work);
    void done(std::shared_ptr<Error> error, bool cancelled);

    QThread* m_thread = nullptr;
    CancelToken m_cancel;
};

} // namespace ridgeline
