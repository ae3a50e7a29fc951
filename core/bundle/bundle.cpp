// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"

#include "core/bundle/manifest.h"
#include "core/bundle/unpack.h"
#include "core/support/paths.h"

#include <QDir>
#include <QFileInfo>

namespace ridgeline {

namespace {

const QString& manifestName()
{
    static const QString name = QStringLiteral("kbundle.json");
    return name;
}

} // namespace

const Candidate* Bundle::candidate(const QString& candidateId) const
{
    for (const Candidate& c : candidates) {
        if (c.id == candidateId)
            return &c;
    }
    return nullptr;
}

ToleranceRule Bundle::toleranceFor(const BundleCase& c, const QString& output) const
{
    if (c.tolerance)
        return *c.tolerance;
    const auto it = perOutput.find(output);
    return it != perOutput.end() ? *it : tolerance;
}

QString taskTypeName(TaskType type)
{
    return manifest::taskTypeNames().at(int(type));
}

QString bundleStatusName(BundleStatus status)
{
    return manifest::bundleStatusNames().at(int(status));
}

QString callStyleName(CallStyle style)
{
    return manifest::callStyleNames().at(int(style));
}

QString expectedName(Expected expected)
{
    return manifest::expectedNames().at(int(expected));
}

QString caseUseName(CaseUse use)
{
    return manifest::caseUseNames().at(int(use));
}

QString paramDirectionName(ParamDirection direction)
{
    return manifest::paramDirectionNames().at(int(direction));
}

QVector<Error> validateBundle(const Json& json, const QString& dir)
{
    manifest::Complaints complaints(dir + QLatin1Char('/') + manifestName());
    const Bundle bundle = manifest::readManifest(json, complaints);
    // A manifest of the wrong shape would only give follow-up errors here.
    if (complaints.errors().isEmpty())
        manifest::checkMeaning(bundle, complaints);
    manifest::checkFiles(bundle, dir, complaints);
    return complaints.errors();
}

Result<Bundle> loadBundle(const QString& dirOrManifest)
{
    const QFileInfo given(dirOrManifest);
    if (!given.exists())
        return Error{ErrorCode::NotFound,
                     QStringLiteral("no such bundle"),
                     {dirOrManifest},
                     QStringLiteral("give a folder that holds kbundle.json")};
    if (given.isFile() && isBundleArchive(dirOrManifest)) {
        const auto unpacked = unpackedBundle(dirOrManifest);
        return unpacked ? loadBundle(*unpacked) : unpacked.error();
    }
    if (!given.isDir() && given.fileName() != manifestName())
        return Error{ErrorCode::BadUsage,
                     QStringLiteral("neither a folder, an archive nor a kbundle.json"),
                     {dirOrManifest},
                     QStringLiteral("open the folder of the bundle, or import the task")};
    const QString dir = given.isDir() ? given.canonicalFilePath() : given.absolutePath();
    const QString name = given.isDir() ? manifestName() : given.fileName();
    const QString path = dir + QLatin1Char('/') + name;
    if (given.isDir() && !QFileInfo(path).exists() && !QFileInfo(path).isSymLink())
        return Error{ErrorCode::NotFound,
                     QStringLiteral("the folder holds no kbundle.json"),
                     {dirOrManifest},
                     QStringLiteral("open a bundle's own folder, or import the task first")};
    if (const auto safe = resolveInside(dir, name); !safe)
        return safe.error();
    auto json = readJsonFile(path, {manifest::maxManifestBytes, 64});
    if (!json)
        return json.error();

    manifest::Complaints complaints(path);
    Bundle bundle = manifest::readManifest(*json, complaints);
    if (complaints.errors().isEmpty())
        manifest::checkMeaning(bundle, complaints);
    manifest::checkFiles(bundle, dir, complaints);
    if (!complaints.errors().isEmpty())
        return complaints.errors().constFirst();
    manifest::deriveStatus(bundle, dir, complaints);
    bundle.dir = dir;
    bundle.raw = std::move(*json);
    bundle.warnings = complaints.warnings();
    return bundle;
}

Result<void> saveBundle(const Bundle& bundle)
{
    const QString path = bundle.dir + QLatin1Char('/') + manifestName();
    const Json json = bundleToJson(bundle);
    const QVector<Error> errors = validateBundle(json, bundle.dir);
    if (!errors.isEmpty())
        return errors.constFirst();
    // The same content in another layout keeps its bytes.
    const auto old = readJsonFile(path, {manifest::maxManifestBytes, 64});
    if (old && *old == json)
        return {};
    return writeFileAtomically(path, toJsonBytes(json));
}

} // namespace ridgeline
