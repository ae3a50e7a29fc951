// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/unpack.h"

#include "core/support/paths.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QTemporaryDir>
#include <archive.h>
#include <archive_entry.h>
#include <memory>
#include <vector>

namespace ridgeline {

namespace {

struct ReadFree {
    void operator()(archive* a) const { archive_read_free(a); }
};
using Reader = std::unique_ptr<archive, ReadFree>;

Reader makeReader()
{
    Reader reader(archive_read_new());
    archive_read_support_format_zip(reader.get());
    archive_read_support_format_tar(reader.get());
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_filter_bzip2(reader.get());
    archive_read_support_filter_xz(reader.get());
    archive_read_support_filter_zstd(reader.get());
    return reader;
}

class Unpacker {
public:
    Unpacker(const QString& archiveFile, QString target, const CancelToken& cancel,
             const UnpackLimits& limits)
        : m_file(archiveFile),
          m_target(std::move(target)),
          m_cancel(cancel),
          m_limits(limits),
          m_reader(makeReader())
    {
    }

    Result<void> run()
    {
        if (archive_read_open_filename(m_reader.get(), QFile::encodeName(m_file).constData(),
                                       64 * 1024) != ARCHIVE_OK)
            return broken();
        for (int entries = 0;; ++entries) {
            archive_entry* entry = nullptr;
            const int status = archive_read_next_header(m_reader.get(), &entry);
            if (status == ARCHIVE_EOF)
                break;
            if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
                return broken();
            if (entries >= m_limits.maxEntries)
                return tooLarge(QStringLiteral("more than %1 entries").arg(m_limits.maxEntries));
            if (const auto done = unpack(entry); !done)
                return done;
        }
        return {};
    }

private:
    Error refuse(ErrorCode code, const QString& name, const QString& why)
    {
        return Error{code,
                     QStringLiteral("entry \"%1\" %2").arg(name.left(200), why),
                     {m_file},
                     QStringLiteral("pack the bundle's files and folders only")};
    }
    Error tooLarge(const QString& why)
    {
        return Error{ErrorCode::TooLarge, why, {m_file}, QStringLiteral("unpack it by hand")};
    }
    Error broken()
    {
        const char* text = archive_error_string(m_reader.get());
        return Error{ErrorCode::BadSyntax,
                     QStringLiteral("not a readable zip or tar archive: %1")
                         .arg(QString::fromUtf8(text == nullptr ? "no reason given" : text)),
                     {m_file},
                     {}};
    }

    static QString nameOf(archive_entry* entry)
    {
        if (const char* utf8 = archive_entry_pathname_utf8(entry))
            return QString::fromUtf8(utf8);
        const char* raw = archive_entry_pathname(entry);
        return raw == nullptr ? QString() : QString::fromUtf8(raw);
    }

    Result<void> unpack(archive_entry* entry)
    {
        QString name = nameOf(entry);
        if (archive_entry_hardlink(entry) != nullptr)
            return refuse(ErrorCode::UnsafePath, name, QStringLiteral("is a hard link"));
        const auto type = archive_entry_filetype(entry);
        if (type == AE_IFLNK)
            return refuse(ErrorCode::UnsafePath, name, QStringLiteral("is a link"));
        if (type != AE_IFREG && type != AE_IFDIR)
            return refuse(ErrorCode::UnsafePath, name,
                          QStringLiteral("is neither file nor folder"));
        if (archive_entry_is_encrypted(entry) != 0)
            return refuse(ErrorCode::Unreadable, name, QStringLiteral("is encrypted"));
        while (name.endsWith(QLatin1Char('/')) && name.size() > 1)
            name.chop(1);
        if (name == QLatin1String(".") && type == AE_IFDIR)
            return {};
        if (name.count(QLatin1Char('/')) >= m_limits.maxDepth)
            return refuse(ErrorCode::TooLarge, name, QStringLiteral("is nested too deeply"));
        for (const QChar c : name) {
            if (c < QLatin1Char(' ') || c == QChar(0x7F))
                return refuse(ErrorCode::UnsafePath, name.simplified(),
                              QStringLiteral("has control characters in its name"));
        }
        const auto path = resolveInside(m_target, name);
        if (!path)
            return refuse(ErrorCode::UnsafePath, name, QStringLiteral("would leave the folder"));
        if (type == AE_IFDIR) {
            if (!QDir().mkpath(*path))
                return refuse(ErrorCode::Unreadable, name, QStringLiteral("cannot be made"));
            return {};
        }
        if (m_seen.contains(*path))
            return refuse(ErrorCode::BadSchema, name, QStringLiteral("occurs twice"));
        m_seen.insert(*path);
        return write(name, *path);
    }

    Result<void> write(const QString& name, const QString& path)
    {
        QFile file(path);
        if (!QDir().mkpath(QFileInfo(path).path()) ||
            !file.open(QIODevice::WriteOnly | QIODevice::NewOnly))
            return refuse(ErrorCode::Unreadable, name, QStringLiteral("cannot be written"));
        qint64 bytes = 0;
        for (;;) {
            if (m_cancel.isCancelled())
                return Error{
                    ErrorCode::Cancelled, QStringLiteral("unpacking was cancelled"), {m_file}, {}};
            const la_ssize_t got =
                archive_read_data(m_reader.get(), m_buffer.data(), m_buffer.size());
            if (got < 0)
                return broken();
            if (got == 0)
                break;
            bytes += got;
            m_total += got;
            if (bytes > m_limits.maxFileBytes)
                return tooLarge(QStringLiteral("entry \"%1\" has more than %2 bytes")
                                    .arg(name.left(200))
                                    .arg(m_limits.maxFileBytes));
            if (m_total > m_limits.maxTotalBytes)
                return tooLarge(
                    QStringLiteral("more than %1 bytes unpacked").arg(m_limits.maxTotalBytes));
            if (file.write(m_buffer.data(), got) != got)
                return Error{ErrorCode::Unreadable,
                             QStringLiteral("cannot write \"%1\": %2")
                                 .arg(name.left(200), file.errorString()),
                             {m_file},
                             QStringLiteral("check permissions and free space")};
        }
        if (!file.flush())
            return refuse(ErrorCode::Unreadable, name, QStringLiteral("cannot be written"));
        return {};
    }

    const QString m_file;
    const QString m_target;
    const CancelToken m_cancel;
    const UnpackLimits m_limits;
    Reader m_reader;
    QSet<QString> m_seen;
    qint64 m_total = 0;
    std::vector<char> m_buffer = std::vector<char>(64 * 1024);
};

/// The folder with the manifest: the top, or its one sub-folder. Relative; empty = none.
std::optional<QString> manifestFolder(const QString& top)
{
    const QString manifest = QStringLiteral("/kbundle.json");
    if (QFileInfo(top + manifest).isFile())
        return QString();
    const QStringList entries =
        QDir(top).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
    if (entries.size() == 1 && QFileInfo(top + QLatin1Char('/') + entries[0] + manifest).isFile())
        return QLatin1Char('/') + entries[0];
    return std::nullopt;
}

} // namespace

bool isBundleArchive(const QString& path)
{
    for (const char* suffix :
         {".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst", ".tar.bz2"}) {
        if (path.endsWith(QLatin1String(suffix), Qt::CaseInsensitive))
            return true;
    }
    return false;
}

namespace {

/// Unpacks beside `destDir`, lets `accept` look at the result, and only then gives it its name.
template <class Accept>
Result<QString> unpackInto(const QString& archive, const QString& destDir,
                           const CancelToken& cancel, const UnpackLimits& limits, Accept accept)
{
    if (!QFileInfo(archive).isFile())
        return Error{ErrorCode::NotFound, QStringLiteral("no such archive"), {archive}, {}};
    const QString target = QDir::cleanPath(QFileInfo(destDir).absoluteFilePath());
    const QFileInfo there(target);
    if (there.exists() && (!there.isDir() || !QDir(target).isEmpty()))
        return Error{ErrorCode::BadUsage,
                     QStringLiteral("the target exists and is no empty folder"),
                     {target},
                     QStringLiteral("choose a new folder")};
    const auto cannotMake = [&](const QString& place) {
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("the folder cannot be made"),
                     {place},
                     QStringLiteral("check permissions and free space")};
    };
    if (!QDir().mkpath(there.path()))
        return cannotMake(there.path());
    QTemporaryDir beside(target + QStringLiteral(".unpacking-XXXXXX"));
    if (!beside.isValid())
        return cannotMake(target);
    if (const auto done = Unpacker(archive, beside.path(), cancel, limits).run(); !done)
        return done.error();
    const Result<QString> folder = accept(beside.path());
    if (!folder)
        return folder.error();
    QFile::setPermissions(beside.path(),
                          QFile::Permissions(0x7055)); // QTemporaryDir makes 0700
    if (there.exists())
        QDir().rmdir(target);
    if (!QDir().rename(beside.path(), target))
        return cannotMake(target);
    beside.setAutoRemove(false);
    return target + *folder;
}

} // namespace

Result<QString> unpackBundle(const QString& archive, const QString& destDir,
                             const CancelToken& cancel, const UnpackLimits& limits)
{
    return unpackInto(archive, destDir, cancel, limits, [&](const QString& top) -> Result<QString> {
        if (const auto folder = manifestFolder(top))
            return *folder;
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("the archive holds no kbundle.json at its top"),
                     {archive},
                     QStringLiteral("pack the bundle's own folder, or import the task first")};
    });
}

Result<QString> unpackArchive(const QString& archive, const QString& destDir,
                              const CancelToken& cancel, const UnpackLimits& limits)
{
    return unpackInto(archive, destDir, cancel, limits,
                      [](const QString&) -> Result<QString> { return QString(); });
}

Result<QString> unpackedBundle(const QString& archive, const CancelToken& cancel)
{
    const QFileInfo info(archive);
    const QString path = info.canonicalFilePath();
    if (path.isEmpty())
        return Error{ErrorCode::NotFound, QStringLiteral("no such archive"), {archive}, {}};
    const QByteArray mark = path.toUtf8() + ' ' + QByteArray::number(info.size()) + ' ' +
                            QByteArray::number(info.lastModified().toMSecsSinceEpoch());
    const QString folder =
        dataDir() +
        QStringLiteral("/unpacked/%1-%2").arg(info.baseName().left(60), sha256Hex(mark).left(12));
    if (QFileInfo(folder).isDir() && !QDir(folder).isEmpty()) {
        if (const auto inside = manifestFolder(folder))
            return folder + *inside;
    }
    return unpackBundle(archive, folder, cancel);
}

} // namespace ridgeline
