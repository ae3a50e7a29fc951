// SPDX-License-Identifier: GPL-3.0-or-later
// Archives made here, most of them hostile.
#include "core/bundle/bundle.h"
#include "core/bundle/unpack.h"
#include "core/support/paths.h"
#include "minimal_bundle.h"

#include <QDir>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>
#include <archive.h>
#include <archive_entry.h>

using namespace ridgeline;

namespace {

struct Entry {
    QByteArray name;
    QByteArray data;
    int type = AE_IFREG;
    QByteArray link; ///< target of a symbolic link, or of a hard link for a regular file
};

enum class Format { Zip, TarGz, Tar };

bool pack(const QString& path, const QVector<Entry>& entries, Format format)
{
    archive* out = archive_write_new();
    if (format == Format::Zip) {
        archive_write_set_format_zip(out);
    } else {
        archive_write_set_format_pax_restricted(out);
        if (format == Format::TarGz)
            archive_write_add_filter_gzip(out);
    }
    bool ok = archive_write_open_filename(out, QFile::encodeName(path).constData()) == ARCHIVE_OK;
    for (const Entry& e : entries) {
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, e.name.constData());
        archive_entry_set_filetype(entry, unsigned(e.type));
        archive_entry_set_perm(entry, 04777);
        if (e.type == AE_IFLNK)
            archive_entry_set_symlink(entry, e.link.constData());
        else if (!e.link.isEmpty())
            archive_entry_set_hardlink(entry, e.link.constData());
        archive_entry_set_size(entry, e.data.size());
        // ARCHIVE_WARN: a name that the C locale cannot say is written as it is.
        ok = ok && archive_write_header(out, entry) >= ARCHIVE_WARN;
        if (!e.data.isEmpty())
            ok = ok && archive_write_data(out, e.data.constData(), size_t(e.data.size())) ==
                           e.data.size();
        archive_entry_free(entry);
    }
    ok = archive_write_close(out) == ARCHIVE_OK && ok;
    archive_write_free(out);
    return ok;
}

QVector<Entry> rightBundle(const QByteArray& prefix = {})
{
    QVector<Entry> entries{{prefix + "kbundle.json", toJsonBytes(MinimalBundle::manifest())}};
    for (const char* name : {"spec.md", "reference.cpp", "a.cu", "b.cu", "source.cu"})
        entries << Entry{prefix + "files/" + name, name};
    return entries;
}

} // namespace

class TestUnpack : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_temporary = std::make_unique<QTemporaryDir>();
        m_archive = m_temporary->path() + QStringLiteral("/a.zip");
        m_target = m_temporary->path() + QStringLiteral("/out/bundle");
    }

    void hostile_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("type");
        QTest::addColumn<QByteArray>("link");
        QTest::addColumn<bool>("zipToo");
        const auto row = [](const char* what, const char* name, int type, const char* link,
                            bool zipToo = true) {
            QTest::newRow(what) << QByteArray(name) << type << QByteArray(link) << zipToo;
        };
        row("absolute", "/tmp/ridgeline-escape", AE_IFREG, "");
        row("climbs", "../escape", AE_IFREG, "");
        row("climbs later", "files/../../escape", AE_IFREG, "");
        row("backslash", "files\\..\\escape", AE_IFREG, "");
        row("home", "~/escape", AE_IFREG, "");
        row("folder climbs", "../folder/", AE_IFDIR, "");
        row("link", "files/l", AE_IFLNK, "a.cu");
        row("link out", "files/l", AE_IFLNK, "/etc/passwd");
        row("hard link", "files/h", AE_IFREG, "kbundle.json", false);
        row("pipe", "files/p", AE_IFIFO, "", false);
        row("device", "files/d", AE_IFCHR, "", false);
        row("control characters", "files/a\x1b[2J", AE_IFREG, "");
        row("deep", "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/x", AE_IFREG,
            "");
        row("twice", "files/a.cu", AE_IFREG, "");
        row("a file where a folder is", "files", AE_IFREG, "");
        row("a folder below a file", "kbundle.json/x", AE_IFREG, "");
        row("name too long", QByteArray(300, 'n').constData(), AE_IFREG, "");
    }

    void hostile()
    {
        QFETCH(QByteArray, name);
        QFETCH(int, type);
        QFETCH(QByteArray, link);
        QFETCH(bool, zipToo);
        QVector<Entry> entries = rightBundle();
        entries << Entry{name, {}, type, link};
        for (Format format : {Format::TarGz, Format::Zip}) {
            if (format == Format::Zip && !zipToo)
                continue;
            QVERIFY(pack(m_archive, entries, format));
            const auto result = unpackBundle(m_archive, m_target);
            QVERIFY(!result.ok());
            QCOMPARE(result.error().where.file, m_archive);
            QVERIFY2(result.error().message.contains(QStringLiteral("entry")),
                     qPrintable(result.error().message));
            nothingIsLeft();
        }
        QVERIFY(!QFile::exists(QStringLiteral("/tmp/ridgeline-escape")));
        QVERIFY(!QFile::exists(m_temporary->path() + QStringLiteral("/escape")));
    }

    void bombs()
    {
        QVector<Entry> entries = rightBundle();
        entries << Entry{"files/zeros", QByteArray(8 << 20, '\0')};
        QVERIFY(pack(m_archive, entries, Format::Zip));
        QVERIFY(QFileInfo(m_archive).size() < 100'000);
        UnpackLimits limits;
        limits.maxFileBytes = 1 << 20;
        QCOMPARE(unpackBundle(m_archive, m_target, {}, limits).error().code, ErrorCode::TooLarge);
        nothingIsLeft();
        limits = {};
        limits.maxTotalBytes = 4 << 20;
        QCOMPARE(unpackBundle(m_archive, m_target, {}, limits).error().code, ErrorCode::TooLarge);
        limits = {};
        limits.maxEntries = 6;
        QCOMPARE(unpackBundle(m_archive, m_target, {}, limits).error().code, ErrorCode::TooLarge);
        nothingIsLeft();
    }

    void noArchive()
    {
        QCOMPARE(unpackBundle(m_archive, m_target).error().code, ErrorCode::NotFound);
        QFile file(m_archive);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("hello, this is no archive at all");
        file.close();
        QCOMPARE(unpackBundle(m_archive, m_target).error().code, ErrorCode::BadSyntax);
        QVERIFY(pack(m_archive, {{"readme", "x"}}, Format::TarGz));
        QCOMPARE(unpackBundle(m_archive, m_target).error().code, ErrorCode::BadSchema);
        nothingIsLeft();
    }

    void targetInUse()
    {
        QVERIFY(pack(m_archive, rightBundle(), Format::Zip));
        QVERIFY(QDir().mkpath(m_target + QStringLiteral("/something")));
        QCOMPARE(unpackBundle(m_archive, m_target).error().code, ErrorCode::BadUsage);
        QCOMPARE(unpackBundle(m_archive, m_archive).error().code, ErrorCode::BadUsage);
        QVERIFY(!unpackBundle(m_archive, m_archive + QStringLiteral("/below")).ok());
    }

    void cancelled()
    {
        QVERIFY(pack(m_archive, rightBundle(), Format::TarGz));
        CancelToken token;
        token.cancel();
        QCOMPARE(unpackBundle(m_archive, m_target, token).error().code, ErrorCode::Cancelled);
        nothingIsLeft();
    }

    /// Cut off or bitten anywhere: an answer, nothing outside, nothing left after an error.
    void damaged()
    {
        QRandomGenerator random(5);
        for (Format format : {Format::TarGz, Format::Zip, Format::Tar}) {
            QVERIFY(pack(m_archive, rightBundle(), format));
            const QByteArray right = *readFile(m_archive);
            int refused = 0;
            for (int round = 0; round < 60; ++round) {
                QByteArray bytes = right;
                if (round % 2 == 0)
                    bytes.truncate(int(random.bounded(int(bytes.size()))));
                for (int bite = 0; bite < 3 && !bytes.isEmpty(); ++bite)
                    bytes[random.bounded(int(bytes.size()))] = char(random.bounded(256));
                QFile file(m_archive);
                QVERIFY(file.open(QIODevice::WriteOnly));
                file.write(bytes);
                file.close();
                const auto result = unpackBundle(m_archive, m_target);
                if (result) {
                    QVERIFY(QDir(m_target).removeRecursively());
                } else {
                    ++refused;
                    nothingIsLeft();
                }
            }
            QVERIFY(refused > 10);
        }
    }

    void right_data()
    {
        QTest::addColumn<int>("format");
        QTest::addColumn<QByteArray>("prefix");
        QTest::newRow("zip") << int(Format::Zip) << QByteArray();
        QTest::newRow("tar.gz in a folder") << int(Format::TarGz) << QByteArray("scale.kbundle/");
        QTest::newRow("tar, dotted") << int(Format::Tar) << QByteArray("./");
    }

    void right()
    {
        QFETCH(int, format);
        QFETCH(QByteArray, prefix);
        QVector<Entry> entries = rightBundle(prefix);
        if (!prefix.isEmpty())
            entries.prepend(Entry{prefix, {}, AE_IFDIR, {}});
        entries << Entry{prefix + "native/\xC3\xA9t\xC3\xA9.json", "{}"};
        QVERIFY(pack(m_archive, entries, Format(format)));
        const auto result = unpackBundle(m_archive, m_target);
        QVERIFY2(result.ok(), result ? "" : qPrintable(result.error().toString()));
        const auto bundle = loadBundle(*result);
        QVERIFY2(bundle.ok(), bundle ? "" : qPrintable(bundle.error().toString()));
        QCOMPARE(bundle->id, QStringLiteral("scale"));
        QCOMPARE(*readFile(bundle->absolute(QStringLiteral("files/b.cu"))), QByteArray("b.cu"));
        QVERIFY(QFile::exists(*result + QString::fromUtf8("/native/\xC3\xA9t\xC3\xA9.json")));
        // Set-uid and execute bits of the archive are not taken over.
        QVERIFY(!QFileInfo(bundle->absolute(QStringLiteral("files/b.cu"))).isExecutable());
        QCOMPARE(QDir(QFileInfo(m_target).path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot),
                 QStringList{QStringLiteral("bundle")});
    }

    void names()
    {
        for (const char* name : {"a.zip", "a.kbundle.ZIP", "a.tar.gz", "a.tgz", "a.tar.zst"})
            QVERIFY(isBundleArchive(QString::fromLatin1(name)));
        for (const char* name : {"a", "zip", "a.gz", "a.json", "a.zip.txt"})
            QVERIFY(!isBundleArchive(QString::fromLatin1(name)));
    }

private:
    void nothingIsLeft() const
    {
        QVERIFY(!QFileInfo::exists(m_target));
        QCOMPARE(QDir(QFileInfo(m_target).path())
                     .entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden),
                 QStringList());
    }

    std::unique_ptr<QTemporaryDir> m_temporary;
    QString m_archive;
    QString m_target;
};

QTEST_GUILESS_MAIN(TestUnpack)
#include "tst_unpack.moc"
