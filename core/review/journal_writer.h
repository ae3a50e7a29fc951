// SPDX-License-Identifier: GPL-3.0-or-later
// Appends lines to a file on its own thread, each batch followed by fsync.
#pragma once

#include "core/support/result.h"

#include <QByteArray>
#include <QDateTime>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ridgeline {

/// Owns a file descriptor opened for appending. append() never waits for the disk. What could not
/// be written stays queued and is tried again every second and once more by the destructor.
class JournalWriter {
public:
    using Saved = std::function<void(const QDateTime&)>;
    using Failed = std::function<void(const Error&)>;

    /// The callbacks run on the writer thread, outside its lock.
    JournalWriter(int fd, QString path, Saved saved, Failed failed);
    ~JournalWriter();
    JournalWriter(const JournalWriter&) = delete;
    JournalWriter& operator=(const JournalWriter&) = delete;

    /// Queues a line (without its line end).
    void append(const QByteArray& line);
    /// Lines not yet on disk.
    int pending() const;
    /// Waits until nothing is pending; false after the time.
    bool flush(int timeoutMs);
    /// Continues in another file. Call only after flush() returned true.
    void continueIn(int fd);

private:
    void work();
    /// Writes and fsyncs; takes what was written off `bytes`. Empty error message = all done.
    std::optional<Error> writeOut(QByteArray& bytes);

    const QString m_path;
    const Saved m_saved;
    const Failed m_failed;
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::condition_variable m_idle;
    int m_fd;             // guarded by m_mutex; used outside it only while m_pending > 0
    QByteArray m_queue;   // guarded by m_mutex
    int m_pending = 0;    // guarded by m_mutex
    bool m_stop = false;  // guarded by m_mutex
    std::thread m_thread; // last: starts when everything else is there
};

} // namespace ridgeline
