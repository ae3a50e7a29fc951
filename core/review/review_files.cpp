// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/review_files.h"

#include "core/support/paths.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QSysInfo>
#include <QTemporaryFile>
#include <QUrl>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ridgeline {

namespace {

constexpr int maxPart = 120;

Error systemError(const QString& path, const char* what)
{
    return Error{ErrorCode::Unreadable,
                 QStringLiteral("cannot %1: %2")
                     .arg(QLatin1String(what), QString::fromLocal8Bit(std::strerror(errno))),
                 {path},
                 QStringLiteral("check permissions and free space")};
}

} // namespace

QString fileNamePart(const QString& name)
{
    // toPercentEncoding leaves "." and "~" alone; a dot would blur where the parts end.
    QString part = QString::fromLatin1(QUrl::toPercentEncoding(name, {}, ".~"));
    if (part.size() > maxPart)
        part = part.left(maxPart - 17) + QLatin1Char('-') + sha256Hex(name.toUtf8()).left(16);
    return part;
}

QString nameFromPart(const QString& part)
{
    return QUrl::fromPercentEncoding(part.toLatin1());
}

QString bundleReviewDir(const QString& bundleDir)
{
    if (bundleDir.isEmpty())
        return {};
    auto dir = resolveInside(bundleDir, QStringLiteral("reviews"));
    return dir ? *dir : QString();
}

QString userReviewDir(const QString& bundleId)
{
    return dataDir() + QStringLiteral("/reviews/") + fileNamePart(bundleId);
}

bool isWritableDir(const QString& dir)
{
    if (dir.isEmpty() || !QDir().mkpath(dir))
        return false;
    QTemporaryFile probe(dir + QStringLiteral("/.probe-XXXXXX"));
    return probe.open();
}

bool ReviewFiles::hasLinks() const
{
    for (const QString& path : {journal(), snapshot(), lock(), rejected()}) {
        if (QFileInfo(path).isSymLink())
            return true;
    }
    return false;
}

int openForAppend(const QString& path)
{
    const int fd =
        ::open(QFile::encodeName(path).constData(),
               O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    if (fd < 0)
        return -1;
    struct stat info {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        ::close(fd);
        errno = EINVAL;
        return -1;
    }
    return fd;
}

Result<void> appendToFile(const QString& path, const QByteArray& bytes)
{
    const int fd = openForAppend(path);
    if (fd < 0)
        return systemError(path, "open");
    QByteArray rest = bytes;
    while (!rest.isEmpty()) {
        const ssize_t written = ::write(fd, rest.constData(), std::size_t(rest.size()));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            const Error error = systemError(path, "write");
            ::close(fd);
            return error;
        }
        rest.remove(0, written);
    }
    ::fsync(fd);
    ::close(fd);
    return {};
}

FileLock::~FileLock()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

FileLock::FileLock(FileLock&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    return *this;
}

Result<FileLock> FileLock::take(const QString& path)
{
    FileLock lock;
    lock.m_fd = ::open(QFile::encodeName(path).constData(),
                       O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    if (lock.m_fd < 0)
        return systemError(path, "open the lock file");
    if (::flock(lock.m_fd, LOCK_EX | LOCK_NB) != 0) {
        char owner[200] = {};
        const ssize_t length = ::pread(lock.m_fd, owner, sizeof owner - 1, 0);
        const QString who = QString::fromUtf8(owner, std::max<ssize_t>(length, 0)).simplified();
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("another Ridgeline has this review open (%1)")
                         .arg(who.isEmpty() ? QStringLiteral("it does not say which") : who),
                     {path},
                     QStringLiteral("close it there, then open the review again")};
    }
    const QByteArray me =
        QStringLiteral("process %1 on %2, since %3\n")
            .arg(::getpid())
            .arg(QSysInfo::machineHostName(), QDateTime::currentDateTimeUtc().toString(Qt::ISODate))
            .toUtf8();
    // Only a courtesy to the next one who asks; the lock holds without it.
    if (::ftruncate(lock.m_fd, 0) == 0) [[maybe_unused]]
        const auto written = ::pwrite(lock.m_fd, me.constData(), std::size_t(me.size()), 0);
    return lock;
}

} // namespace ridgeline
