// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/json.h"
#include "core/support/paths.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ridgeline;

namespace {

bool put(const QString& path, const QByteArray& text)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

bool link(const QString& to, const QString& path)
{
    return ::symlink(QFile::encodeName(to).constData(), QFile::encodeName(path).constData()) == 0;
}

/// Files may grow to `bytes` while this lives: what a full disk looks like to a writer.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        rlimit now = m_before;
        now.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FileSizeLimit()
    {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, SIG_DFL);
    }

private:
    rlimit m_before{};
};

} // namespace

class TestPaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_temporary = std::make_unique<QTemporaryDir>();
        m_root = m_temporary->path() + QStringLiteral("/bundle");
        QVERIFY(put(m_root + QStringLiteral("/files/a.cu"), "a"));
        QVERIFY(put(m_temporary->path() + QStringLiteral("/secret"), "secret"));
        QVERIFY(put(m_temporary->path() + QStringLiteral("/bundle-other/x"), "x"));
    }

    void unsafeText_data()
    {
        QTest::addColumn<QString>("path");
        for (const char* path : {"", "/etc/passwd", "//etc/passwd", "../secret",
                                 "files/../../secret", "..", "files/..", "a/../files/a.cu", "~/x",
                                 "~root/x", "files\\..\\..\\secret", "files\\a.cu", "./../secret"})
            QTest::newRow(path) << QString::fromLatin1(path);
        QTest::newRow("NUL") << QStringLiteral("files/a.cu") + QChar(0) + QStringLiteral(".txt");
    }

    void unsafeText()
    {
        QFETCH(QString, path);
        const auto result = resolveInside(m_root, path);
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, ErrorCode::UnsafePath);
        QVERIFY(!result.error().hint.isEmpty());
    }

    void linksOut_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("at");
        QTest::addColumn<QString>("asked");
        const auto row = [](const char* name, const char* target, const char* at,
                            const char* asked) {
            QTest::newRow(name) << QString::fromLatin1(target) << QString::fromLatin1(at)
                                << QString::fromLatin1(asked);
        };
        row("absolute", "/etc/passwd", "files/l", "files/l");
        row("relative", "../../secret", "files/l", "files/l");
        row("folder", "../..", "files/l", "files/l/secret");
        row("folder, file to come", "../..", "files/l", "files/l/not/there/yet");
        row("the root's parent", "..", "l", "l");
        row("a sibling with the same prefix", "../bundle-other", "l", "l/x");
        row("dangling", "nowhere", "files/l", "files/l");
        row("dangling outside", "/nowhere/at/all", "files/l", "files/l/x");
        row("loop", "l", "files/l", "files/l");
    }

    void linksOut()
    {
        QFETCH(QString, target);
        QFETCH(QString, at);
        QFETCH(QString, asked);
        QVERIFY(link(target, m_root + QLatin1Char('/') + at));
        const auto result = resolveInside(m_root, asked);
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, ErrorCode::UnsafePath);
    }

    void linkThroughALink()
    {
        QVERIFY(link(QStringLiteral("two"), m_root + QStringLiteral("/one")));
        QVERIFY(link(QStringLiteral("../secret"), m_root + QStringLiteral("/two")));
        QVERIFY(!resolveInside(m_root, QStringLiteral("one")).ok());
    }

    void inside()
    {
        QCOMPARE(*resolveInside(m_root, QStringLiteral("files/a.cu")),
                 QFileInfo(m_root).canonicalFilePath() + QStringLiteral("/files/a.cu"));
        QCOMPARE(*resolveInside(m_root, QStringLiteral("./files//a.cu")),
                 QFileInfo(m_root).canonicalFilePath() + QStringLiteral("/files/a.cu"));
        QVERIFY(resolveInside(m_root, QStringLiteral("files/new/deep.cu")).ok());
        QVERIFY(resolveInside(m_root, QStringLiteral("files/..a")).ok());
        QVERIFY(link(QStringLiteral("a.cu"), m_root + QStringLiteral("/files/l")));
        QVERIFY(resolveInside(m_root, QStringLiteral("files/l")).ok());
        // The root itself may be reached by a link: the user chose it.
        const QString alias = m_temporary->path() + QStringLiteral("/alias");
        QVERIFY(link(m_root, alias));
        QVERIFY(resolveInside(alias, QStringLiteral("files/a.cu")).ok());
    }

    void missingRoot()
    {
        const auto result = resolveInside(m_root + QStringLiteral("/none"), QStringLiteral("a"));
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, ErrorCode::NotFound);
    }

    void readRefuses()
    {
        QCOMPARE(readFile(m_root + QStringLiteral("/none")).error().code, ErrorCode::NotFound);
        QCOMPARE(readFile(m_root).error().code, ErrorCode::Unreadable);
        QCOMPARE(readFile(QStringLiteral("/dev/zero")).error().code, ErrorCode::Unreadable);
        const QString fifo = m_root + QStringLiteral("/fifo");
        QCOMPARE(::mkfifo(QFile::encodeName(fifo).constData(), 0600), 0);
        QCOMPARE(readFile(fifo).error().code, ErrorCode::Unreadable); // and does not wait
        QVERIFY(put(m_root + QStringLiteral("/five"), "12345"));
        QCOMPARE(readFile(m_root + QStringLiteral("/five"), 4).error().code, ErrorCode::TooLarge);
        QCOMPARE(*readFile(m_root + QStringLiteral("/five"), 5), QByteArray("12345"));
    }

    void writeKeepsTheOldFileWhenTheDiskIsFull()
    {
        const QString path = m_root + QStringLiteral("/kbundle.json");
        QVERIFY(put(path, "the old text"));
        {
            const FileSizeLimit limit(100);
            const auto result = writeFileAtomically(path, QByteArray(100'000, 'x'));
            QVERIFY(!result.ok());
            QCOMPARE(result.error().code, ErrorCode::Unreadable);
            QCOMPARE(result.error().where.file, path);
            QVERIFY(!result.error().hint.isEmpty());
        }
        QCOMPARE(*readFile(path), QByteArray("the old text"));
        QCOMPARE(QDir(m_root).entryList(QDir::Files | QDir::Hidden),
                 QStringList{QStringLiteral("kbundle.json")});
        QVERIFY(writeFileAtomically(path, "new").ok());
        QCOMPARE(*readFile(path), QByteArray("new"));
    }

    void writeRefuses()
    {
        // A pipe, and a link to one, must not be replaced by a file.
        const QString fifo = m_root + QStringLiteral("/fifo");
        QCOMPARE(::mkfifo(QFile::encodeName(fifo).constData(), 0600), 0);
        QVERIFY(link(QStringLiteral("fifo"), m_root + QStringLiteral("/to-fifo")));
        QVERIFY(!writeFileAtomically(fifo, "x").ok());
        QVERIFY(!writeFileAtomically(m_root + QStringLiteral("/to-fifo"), "x").ok());
        struct stat status {};
        QCOMPARE(::stat(QFile::encodeName(fifo).constData(), &status), 0);
        QVERIFY(S_ISFIFO(status.st_mode));
        QVERIFY(!writeFileAtomically(m_root, "x").ok());
        QVERIFY(!writeFileAtomically(m_root + QStringLiteral("/none/x"), "x").ok());
        QVERIFY(!writeFileAtomically(m_root + QStringLiteral("/files/a.cu/x"), "x").ok());
        QVERIFY(QFileInfo(m_root).isDir());
    }

    void hash()
    {
        // FIPS 180-2, appendix B.1.
        QCOMPARE(
            sha256Hex("abc"),
            QStringLiteral("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    }

    void ownFolders()
    {
        QVERIFY(QFileInfo::exists(resourceDir() + QStringLiteral("/schema")));
        qputenv("RIDGELINE_RESOURCES", m_root.toUtf8());
        QCOMPARE(resourceDir(), m_root);
        qunsetenv("RIDGELINE_RESOURCES");
        const QByteArray before = qgetenv("XDG_CACHE_HOME");
        qputenv("XDG_CACHE_HOME", (m_temporary->path() + QStringLiteral("/cache")).toUtf8());
        const QString cache = cacheDir();
        QCOMPARE(cache, m_temporary->path() + QStringLiteral("/cache/ridgeline"));
        QCOMPARE(QFile::permissions(cache) & QFile::Permissions(0x0077), QFile::Permissions());
        qputenv("XDG_CACHE_HOME", before);
    }

private:
    std::unique_ptr<QTemporaryDir> m_temporary;
    QString m_root;
};

QTEST_GUILESS_MAIN(TestPaths)
#include "tst_paths.moc"
