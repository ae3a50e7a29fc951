// SPDX-License-Identifier: GPL-3.0-or-later
// Where a review's files are, and the lock that keeps two windows apart.
#pragma once

#include "core/support/result.h"

#include <QString>
#include <QStringList>

namespace ridgeline {

/// A name as part of a file name: letters, digits, "-", "_" stay, the rest is %XX.
QString fileNamePart(const QString& name);
/// The inverse of fileNamePart.
QString nameFromPart(const QString& part);

/// BUNDLE/reviews when it is inside the bundle; empty when it is a link out of it or no folder.
QString bundleReviewDir(const QString& bundleDir);
/// dataDir()/reviews/BUNDLE-ID.
QString userReviewDir(const QString& bundleId);
/// Whether files can be made in a folder (made if it is not there); leaves nothing behind.
bool isWritableDir(const QString& dir);

/// Files of one review in one folder.
struct ReviewFiles {
    QString dir;
    QString stem;
    QString journal() const
    {
        return dir + QLatin1Char('/') + stem + QStringLiteral(".journal.jsonl");
    }
    QString snapshot() const
    {
        return dir + QLatin1Char('/') + stem + QStringLiteral(".review.json");
    }
    QString lock() const { return dir + QLatin1Char('/') + stem + QStringLiteral(".lock"); }
    QString rejected() const { return journal() + QStringLiteral(".rejected"); }
    /// Whether any of them is a symbolic link.
    bool hasLinks() const;
};

/// Opens for appending, never through a link and only a regular file. -1 with errno on failure.
int openForAppend(const QString& path);

/// Appends and fsyncs; used for lines that are set aside.
Result<void> appendToFile(const QString& path, const QByteArray& bytes);

/// An advisory lock (flock) held by an open file. Released by the destructor or the process's end,
/// however that comes.
class FileLock {
public:
    FileLock() = default;
    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;

    /// Takes the lock, or says who has it.
    static Result<FileLock> take(const QString& path);

private:
    int m_fd = -1;
};

} // namespace ridgeline
