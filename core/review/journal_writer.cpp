// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/journal_writer.h"

#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace ridgeline {

JournalWriter::JournalWriter(int fd, QString path, Saved saved, Failed failed)
    : m_path(std::move(path)),
      m_saved(std::move(saved)),
      m_failed(std::move(failed)),
      m_fd(fd),
      m_thread([this] { work(); })
{
}

JournalWriter::~JournalWriter()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_all();
    m_thread.join();
    ::close(m_fd);
}

void JournalWriter::append(const QByteArray& line)
{
    {
        const std::lock_guard lock(m_mutex);
        m_queue += line;
        m_queue += '\n';
        ++m_pending;
    }
    m_wake.notify_all();
}

int JournalWriter::pending() const
{
    const std::lock_guard lock(m_mutex);
    return m_pending;
}

bool JournalWriter::flush(int timeoutMs)
{
    std::unique_lock lock(m_mutex);
    return m_idle.wait_for(lock, std::chrono::milliseconds(timeoutMs),
                           [this] { return m_pending == 0; });
}

void JournalWriter::continueIn(int fd)
{
    const std::lock_guard lock(m_mutex);
    ::close(m_fd);
    m_fd = fd;
}

std::optional<Error> JournalWriter::writeOut(QByteArray& bytes)
{
    const auto problem = [this](const char* what) {
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("the review is not saved: cannot %1: %2")
                         .arg(QLatin1String(what), QString::fromLocal8Bit(std::strerror(errno))),
                     {m_path},
                     QStringLiteral("free space or check permissions; nothing is lost while the "
                                    "window stays open, it is tried again every second")};
    };
    while (!bytes.isEmpty()) {
        const ssize_t written = ::write(m_fd, bytes.constData(), std::size_t(bytes.size()));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return problem("write");
        bytes.remove(0, written);
    }
    // A file system without fsync (EINVAL) has taken the bytes all the same.
    if (::fsync(m_fd) != 0 && errno != EINVAL)
        return problem("fsync");
    return std::nullopt;
}

void JournalWriter::work()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait(lock, [this] { return m_stop || m_pending > 0; });
        if (m_pending == 0)
            return;
        QByteArray batch;
        batch.swap(m_queue);
        const int lines = m_pending;
        lock.unlock();
        const std::optional<Error> error = writeOut(batch);
        const QDateTime when = QDateTime::currentDateTimeUtc();
        lock.lock();
        if (!error) {
            m_pending -= lines;
            const bool all = m_pending == 0;
            lock.unlock();
            if (all)
                m_idle.notify_all();
            m_saved(when);
            lock.lock();
            continue;
        }
        m_queue.prepend(batch);
        lock.unlock();
        m_failed(*error);
        lock.lock();
        if (m_stop)
            return;
        m_wake.wait_for(lock, std::chrono::seconds(1), [this] { return m_stop; });
    }
}

} // namespace ridgeline
