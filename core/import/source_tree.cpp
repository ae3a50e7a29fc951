// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/source_tree.h"

#include "core/bundle/unpack.h"
#include "core/support/paths.h"

#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QTemporaryDir>
#include <algorithm>

namespace ridgeline {

namespace {

constexpr qint64 keptLimit = 64 * 1024 * 1024;

bool isSkippedFolder(const QString& name)
{
    return name == QLatin1String(".git") || name == QLatin1String("__pycache__") ||
           name == QLatin1String("node_modules") || name == QLatin1String(".hg") ||
           name == QLatin1String(".venv") || name.endsWith(QLatin1String(".kbundle"));
}

} // namespace

QString parentOf(const QString& path)
{
    const qsizetype slash = path.lastIndexOf(QLatin1Char('/'));
    return slash < 0 ? QString() : path.left(slash);
}

QString baseOf(const QString& path)
{
    return path.mid(path.lastIndexOf(QLatin1Char('/')) + 1);
}

QString joined(const QString& folder, const QString& name)
{
    if (name.isEmpty())
        return folder;
    return folder.isEmpty() ? name : folder + QLatin1Char('/') + name;
}

SourceTree::SourceTree() = default;
SourceTree::SourceTree(SourceTree&&) noexcept = default;
SourceTree& SourceTree::operator=(SourceTree&&) noexcept = default;
SourceTree::~SourceTree() = default;

Result<SourceTree> SourceTree::open(const QString& path, const QString& root,
                                    const CancelToken& cancel, const TreeLimits& limits)
{
    const QFileInfo info(path);
    if (!info.exists())
        return Error{ErrorCode::NotFound, QStringLiteral("no such file or folder"), {path}, {}};
    if (!info.isDir() && !info.isFile())
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("neither a regular file nor a folder"),
                     {path},
                     {}};
    SourceTree tree;
    tree.m_limits = limits;
    tree.m_origin = info.canonicalFilePath();
    if (info.isFile() && isBundleArchive(path)) {
        if (!root.isEmpty())
            return Error{ErrorCode::BadUsage,
                         QStringLiteral("an archive has no folder above it"),
                         {root},
                         QStringLiteral("unpack it first to use a root")};
        tree.m_unpacked =
            std::make_unique<QTemporaryDir>(cacheDir() + QStringLiteral("/import-XXXXXX"));
        if (!tree.m_unpacked->isValid())
            return Error{ErrorCode::Environment,
                         QStringLiteral("cannot make a temporary folder: %1")
                             .arg(tree.m_unpacked->errorString()),
                         {cacheDir()},
                         {}};
        const QString inside = tree.m_unpacked->filePath(QStringLiteral("content"));
        if (const auto done = unpackArchive(path, inside, cancel); !done)
            return done.error();
        tree.m_root = QFileInfo(inside).canonicalFilePath();
    } else {
        tree.m_root = info.isDir() ? info.canonicalFilePath()
                                   : QFileInfo(info.canonicalFilePath()).absolutePath();
        if (!root.isEmpty()) {
            const QString above = QFileInfo(root).canonicalFilePath();
            if (above.isEmpty() || !QFileInfo(above).isDir())
                return Error{ErrorCode::NotFound, QStringLiteral("no such folder"), {root}, {}};
            if (tree.m_root != above && !tree.m_root.startsWith(above + QLatin1Char('/')))
                return Error{ErrorCode::BadUsage,
                             QStringLiteral("the root is not above \"%1\"").arg(path),
                             {root},
                             QStringLiteral("name a folder that holds what is imported")};
            tree.m_root = above;
        }
        if (tree.m_origin != tree.m_root)
            tree.m_chosen = tree.m_origin.mid(tree.m_root.size() + 1);
    }
    if (const auto done = tree.scan(cancel); !done)
        return done.error();
    return tree;
}

Result<void> SourceTree::scan(const CancelToken& cancel)
{
    // A single file: its neighbours are listed too, because formats refer to them.
    const bool one = !m_unpacked && !QFileInfo(m_origin).isDir();
    QStringList open{QString()};
    int links = 0;
    while (!open.isEmpty()) {
        if (cancel.isCancelled())
            return Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {m_origin}, {}};
        const QString folder = open.takeLast();
        m_folders << folder;
        const QDir dir(m_root + (folder.isEmpty() ? QString() : QLatin1Char('/') + folder));
        const QFileInfoList entries = dir.entryInfoList(QDir::Files | QDir::Dirs | QDir::Hidden |
                                                            QDir::System | QDir::NoDotAndDotDot,
                                                        QDir::Name);
        for (const QFileInfo& entry : entries) {
            const QString path = joined(folder, entry.fileName());
            if (entry.isSymLink()) {
                if (++links <= 20)
                    m_notes << QStringLiteral("%1: a link, left out").arg(path);
                continue;
            }
            if (entry.isDir()) {
                if (isSkippedFolder(entry.fileName()))
                    continue;
                if (one && !m_chosen.startsWith(path + QLatin1Char('/')))
                    continue;
                if (path.count(QLatin1Char('/')) >= m_limits.maxDepth)
                    return Error{
                        ErrorCode::TooLarge,
                        QStringLiteral("nested deeper than %1 folders").arg(m_limits.maxDepth),
                        {m_root + QLatin1Char('/') + path},
                        QStringLiteral("import a folder further down")};
                m_children[folder] << entry.fileName();
                open << path;
                continue;
            }
            if (!entry.isFile())
                continue;
            if (m_known.size() >= m_limits.maxFiles)
                return Error{ErrorCode::TooLarge,
                             QStringLiteral("more than %1 files").arg(m_limits.maxFiles),
                             {m_origin},
                             QStringLiteral("import a part of it")};
            m_files << path;
            m_names[folder] << entry.fileName();
            m_known.insert(path, entry.size());
        }
    }
    if (links > 20)
        m_notes << QStringLiteral("%1 further links left out").arg(links - 20);
    m_files.sort();
    m_folders.sort();
    return {};
}

QStringList SourceTree::filesBelow(const QString& folder) const
{
    if (folder.isEmpty())
        return m_files;
    const QString start = folder + QLatin1Char('/');
    QStringList all;
    for (auto it = std::lower_bound(m_files.begin(), m_files.end(), start);
         it != m_files.end() && it->startsWith(start); ++it)
        all << *it;
    return all;
}

Result<QByteArray> SourceTree::read(const QString& file) const
{
    const auto kept = m_kept.constFind(file);
    if (kept != m_kept.constEnd())
        return *kept;
    if (!m_known.contains(file))
        return Error{ErrorCode::NotFound, QStringLiteral("no such file"), {file}, {}};
    auto bytes = readFile(absolute(file), m_limits.maxTextBytes);
    if (!bytes) {
        Error error = bytes.error();
        error.where.file = file;
        return error;
    }
    if (m_keptBytes + bytes->size() > keptLimit) {
        m_kept.clear();
        m_keptBytes = 0;
    }
    m_kept.insert(file, *bytes);
    m_keptBytes += bytes->size();
    return bytes;
}

QString SourceTree::stamp(const QString& file) const
{
    const QFileInfo info(absolute(file));
    return QStringLiteral("%1:%2")
        .arg(info.size())
        .arg(m_unpacked ? 0 : info.lastModified().toMSecsSinceEpoch());
}

qint64 SourceTree::size(const QString& file) const
{
    return m_known.value(file, -1);
}

Result<QString> SourceTree::resolve(const QString& folder, const QString& reference) const
{
    const auto refuse = [&](const QString& why) {
        return Error{ErrorCode::UnsafePath,
                     QStringLiteral("the path \"%1\" %2").arg(reference.left(200), why),
                     {folder.isEmpty() ? QStringLiteral(".") : folder},
                     QStringLiteral("import the folder above, or name it with --root")};
    };
    if (reference.isEmpty() || reference.contains(QChar(0)))
        return refuse(QStringLiteral("is no path"));
    if (reference.startsWith(QLatin1Char('/')) || reference.startsWith(QLatin1Char('~')) ||
        reference.contains(QLatin1Char('\\')))
        return refuse(QStringLiteral("is absolute or not portable"));
    QStringList steps = folder.split(QLatin1Char('/'), Qt::SkipEmptyParts);
    for (const QString& step : reference.split(QLatin1Char('/'), Qt::SkipEmptyParts)) {
        if (step == QLatin1String("."))
            continue;
        if (step != QLatin1String("..")) {
            steps << step;
            continue;
        }
        if (steps.isEmpty())
            return refuse(QStringLiteral("leaves the chosen folder"));
        steps.removeLast();
    }
    if (steps.isEmpty())
        return refuse(QStringLiteral("names the chosen folder itself"));
    return steps.join(QLatin1Char('/'));
}

} // namespace ridgeline
