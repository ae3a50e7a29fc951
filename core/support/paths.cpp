// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/paths.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <cstdlib>

namespace ridgeline {

namespace {

QString ownFolder(const char* variable, const QString& besideExecutable, const char* builtFrom)
{
    const QString fromEnvironment = qEnvironmentVariable(variable);
    if (!fromEnvironment.isEmpty())
        return QDir(fromEnvironment).absolutePath();
    if (QCoreApplication::instance() != nullptr) {
        const QDir beside(QCoreApplication::applicationDirPath() + QStringLiteral("/../") +
                          besideExecutable);
        if (beside.exists())
            return QDir::cleanPath(beside.absolutePath());
    }
    return QString::fromUtf8(builtFrom);
}

QString userFolder(QStandardPaths::StandardLocation location)
{
    const QString path = QStandardPaths::writableLocation(location) + QStringLiteral("/ridgeline");
    if (!QFileInfo::exists(path) && QDir().mkpath(path))
        QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
}

/// The path with every link followed; empty when it leads nowhere or in a circle. (QFileInfo's own
/// gives a circle back as it came.)
QString realPath(const QString& path)
{
    char* resolved = ::realpath(QFile::encodeName(path).constData(), nullptr);
    const QString real = resolved == nullptr ? QString() : QFile::decodeName(resolved);
    std::free(resolved);
    return real;
}

} // namespace

QString resourceDir()
{
    return ownFolder("RIDGELINE_RESOURCES", QStringLiteral("share/ridgeline/resources"),
                     RIDGELINE_BUILT_RESOURCES);
}

QString rubricDir()
{
    return ownFolder("RIDGELINE_RUBRICS", QStringLiteral("share/ridgeline/rubrics"),
                     RIDGELINE_BUILT_RUBRICS);
}

QString emulatorDir()
{
    return ownFolder("RIDGELINE_EMULATOR", QStringLiteral("lib/ridgeline/emulated-cuda"),
                     RIDGELINE_BUILT_EMULATOR);
}

QString cacheDir()
{
    return userFolder(QStandardPaths::GenericCacheLocation);
}

QString dataDir()
{
    return userFolder(QStandardPaths::GenericDataLocation);
}

Result<QString> resolveInside(const QString& root, const QString& relative)
{
    const auto refuse = [&](const QString& why) {
        return Error{ErrorCode::UnsafePath,
                     QStringLiteral("the path \"%1\" %2").arg(relative.left(200), why),
                     {root},
                     QStringLiteral("use a path relative to that folder that stays inside it")};
    };
    if (relative.isEmpty())
        return refuse(QStringLiteral("is empty"));
    if (relative.contains(QChar(0)) || relative.contains(QLatin1Char('\\')))
        return refuse(QStringLiteral("contains a NUL or a backslash"));
    if (relative.startsWith(QLatin1Char('/')) || relative.startsWith(QLatin1Char('~')))
        return refuse(QStringLiteral("is absolute"));
    const QStringList steps = relative.split(QLatin1Char('/'));
    if (steps.contains(QStringLiteral("..")))
        return refuse(QStringLiteral("contains \"..\""));

    const QString realRoot = realPath(root);
    if (realRoot.isEmpty())
        return Error{ErrorCode::NotFound, QStringLiteral("the folder does not exist"), {root}, {}};
    const QString prefix =
        realRoot.endsWith(QLatin1Char('/')) ? realRoot : realRoot + QLatin1Char('/');
    QString walked = realRoot;
    for (const QString& step : steps) {
        if (step.isEmpty() || step == QLatin1String("."))
            continue;
        walked += QLatin1Char('/') + step;
        const QFileInfo info(walked);
        if (!info.isSymLink() && !info.exists())
            continue;
        // A dangling link has no real path: refuse it, since what it names may appear later.
        const QString real = realPath(walked);
        if (real.isEmpty() || (real != realRoot && !real.startsWith(prefix)))
            return refuse(QStringLiteral("is a link that leaves the folder or leads nowhere"));
    }
    return QDir::cleanPath(walked);
}

Result<QByteArray> readFile(const QString& path, qint64 maxBytes)
{
    const QFileInfo info(path);
    if (!info.exists())
        return Error{ErrorCode::NotFound, QStringLiteral("no such file"), {path}, {}};
    if (!info.isFile())
        return Error{ErrorCode::Unreadable, QStringLiteral("not a regular file"), {path}, {}};
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("cannot read: %1").arg(file.errorString()),
                     {path},
                     {}};
    // One byte more than allowed tells a file that is too large, even one that grows meanwhile.
    QByteArray bytes = file.read(maxBytes + 1);
    if (bytes.size() > maxBytes)
        return Error{ErrorCode::TooLarge,
                     QStringLiteral("larger than the limit of %1 bytes").arg(maxBytes),
                     {path},
                     {}};
    if (file.error() != QFileDevice::NoError)
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("cannot read: %1").arg(file.errorString()),
                     {path},
                     {}};
    return bytes;
}

QString sha256Hex(const QByteArray& bytes)
{
    return QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
}

} // namespace ridgeline
