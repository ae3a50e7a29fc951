// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/zip_writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <memory>

namespace ridgeline {

namespace {

/// 1980-01-02, the first whole day ZIP can tell in every time zone.
constexpr time_t entryTime = 315619200;

la_ssize_t take(archive* /*writer*/, void* bytes, const void* data, size_t size)
{
    static_cast<QByteArray*>(bytes)->append(static_cast<const char*>(data), qsizetype(size));
    return la_ssize_t(size);
}

struct FreeArchive {
    void operator()(archive* writer) const { archive_write_free(writer); }
};
struct FreeEntry {
    void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

} // namespace

Result<QByteArray> zipOf(const QVector<ZipEntry>& entries)
{
    QByteArray bytes;
    const std::unique_ptr<archive, FreeArchive> writer(archive_write_new());
    const auto failed = [&writer] {
        return Error{ErrorCode::Internal,
                     QStringLiteral("cannot make the archive: %1")
                         .arg(QString::fromLocal8Bit(archive_error_string(writer.get()))),
                     {},
                     {}};
    };
    if (!writer)
        return Error{ErrorCode::Internal, QStringLiteral("cannot make an archive"), {}, {}};
    if (archive_write_set_format_zip(writer.get()) != ARCHIVE_OK ||
        archive_write_zip_set_compression_deflate(writer.get()) != ARCHIVE_OK ||
        archive_write_set_bytes_per_block(writer.get(), 0) != ARCHIVE_OK ||
        archive_write_open(writer.get(), &bytes, nullptr, take, nullptr) != ARCHIVE_OK)
        return failed();
    for (const ZipEntry& item : entries) {
        const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
        archive_entry_set_pathname(entry.get(), item.name.toUtf8().constData());
        archive_entry_set_size(entry.get(), item.bytes.size());
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), 0644);
        archive_entry_set_mtime(entry.get(), entryTime, 0);
        if (archive_write_header(writer.get(), entry.get()) != ARCHIVE_OK ||
            archive_write_data(writer.get(), item.bytes.constData(),
                               std::size_t(item.bytes.size())) != la_ssize_t(item.bytes.size()))
            return failed();
    }
    if (archive_write_close(writer.get()) != ARCHIVE_OK)
        return failed();
    return bytes;
}

} // namespace ridgeline
