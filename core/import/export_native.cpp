// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/import.h"
#include "core/support/paths.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace ridgeline {

namespace {

Result<QByteArray> storedBytes(const QString& bundleDir, const Json& entry)
{
    const QString manifest = bundleDir + QStringLiteral("/kbundle.json");
    const QString stored = jsonString(entry, "stored");
    const auto path = resolveInside(bundleDir, stored);
    if (!path)
        return path.error();
    const auto bytes = readFile(*path, qint64(1) << 30);
    if (!bytes)
        return bytes.error();
    if (sha256Hex(*bytes) != jsonString(entry, "sha256"))
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("\"%1\" is no longer what was imported").arg(stored),
                     {manifest, 0, 0, QStringLiteral("/native/files")},
                     QStringLiteral("import the task again")};
    return bytes;
}

} // namespace

namespace {

using Whole = QMap<QString, QMap<qint64, QByteArray>>; ///< parts by offset; -1 is the whole file

Result<void> collect(const QString& bundleDir, Whole& whole)
{
    const QString manifest = bundleDir + QStringLiteral("/kbundle.json");
    const auto json = readJsonFile(manifest);
    if (!json)
        return json.error();
    const Json& files = jsonMember(jsonMember(*json, "native"), "files");
    if (!files.is_array() || files.empty())
        return Error{ErrorCode::BadUsage,
                     QStringLiteral("this bundle was not imported: it keeps no original files"),
                     {manifest, 0, 0, QStringLiteral("/native/files")},
                     {}};
    for (const Json& entry : files) {
        const auto bytes = storedBytes(bundleDir, entry);
        if (!bytes)
            return bytes.error();
        auto& parts = whole[jsonString(entry, "path")];
        const qint64 offset = jsonInt(entry, "offset", -1);
        const auto old = parts.constFind(offset);
        if (old != parts.constEnd() && *old != *bytes)
            return Error{ErrorCode::BadUsage,
                         QStringLiteral("another bundle holds another \"%1\"")
                             .arg(jsonString(entry, "path")),
                         {manifest},
                         QStringLiteral("export the bundles to folders of their own")};
        parts.insert(offset, *bytes);
    }
    return {};
}

} // namespace

Result<QStringList> exportNative(const QStringList& bundles, const QString& dir, bool overwrite)
{
    // Everything is checked before anything is written.
    Whole whole;
    for (const QString& given : bundles) {
        QStringList folders{given};
        if (!QFileInfo(given + QStringLiteral("/kbundle.json")).isFile()) {
            folders.clear();
            for (const QString& name :
                 QDir(given).entryList({QStringLiteral("*.kbundle")}, QDir::Dirs))
                folders << given + QLatin1Char('/') + name;
        }
        if (folders.isEmpty())
            return Error{ErrorCode::NotFound,
                         QStringLiteral("neither a bundle nor a folder of bundles"),
                         {given},
                         {}};
        for (const QString& folder : std::as_const(folders)) {
            if (const auto done = collect(folder, whole); !done)
                return done.error();
        }
    }
    if (!QDir().mkpath(dir))
        return Error{ErrorCode::Unreadable, QStringLiteral("the folder cannot be made"), {dir}, {}};
    QMap<QString, QByteArray> contents;
    for (auto it = whole.begin(); it != whole.end(); ++it) {
        const auto path = resolveInside(dir, it.key());
        if (!path)
            return path.error();
        QByteArray bytes;
        if (const auto all = it->constFind(-1); all != it->constEnd())
            bytes = *all;
        else
            bytes = QByteArrayList(it->values()).join();
        if (QFileInfo::exists(*path) && !overwrite) {
            const auto old = readFile(*path, qint64(1) << 30);
            if (!old || *old != bytes)
                return Error{ErrorCode::BadUsage,
                             QStringLiteral("the file exists and differs"),
                             {*path},
                             QStringLiteral("choose an empty folder, or use --force")};
        }
        contents.insert(*path, bytes);
    }
    for (auto it = contents.begin(); it != contents.end(); ++it) {
        QFile file(it.key());
        if (!QDir().mkpath(QFileInfo(it.key()).path()) || !file.open(QIODevice::WriteOnly) ||
            file.write(*it) != it->size() || !file.flush())
            return Error{ErrorCode::Unreadable,
                         QStringLiteral("cannot write: %1").arg(file.errorString()),
                         {it.key()},
                         QStringLiteral("check permissions and free space")};
    }
    return QStringList(whole.keys());
}

} // namespace ridgeline
