// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/draft.h"

#include "core/support/paths.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>
#include <QStringDecoder>
#include <QTemporaryDir>

namespace ridgeline::import {

namespace {

constexpr qint64 blobBytes = 1024 * 1024; ///< larger files are kept once and not read

struct LicenseFacts {
    QString file, spdx, redistributable;
};

/// The licence nearest above the task, by the first words of its text.
LicenseFacts licenseOf(const SourceTree& tree, const QString& path)
{
    QString folder = tree.contains(path) ? parentOf(path) : path;
    for (;;) {
        for (const char* name : {"LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE"}) {
            const QString file = joined(folder, QString::fromLatin1(name));
            if (!tree.contains(file) || tree.size(file) > 200'000)
                continue;
            const auto bytes = tree.read(file);
            const QString text = bytes ? QString::fromUtf8(*bytes).simplified() : QString();
            const auto has = [&text](const char* words) {
                return text.contains(QLatin1String(words), Qt::CaseInsensitive);
            };
            if (has("Attribution-NonCommercial-NoDerivatives"))
                return {file, QStringLiteral("CC-BY-NC-ND-4.0"), QStringLiteral("no")};
            if (has("Researcher Reciprocity") || has("Evaluation"))
                return {file, {}, QStringLiteral("unknown")};
            if (has("Apache License"))
                return {file, QStringLiteral("Apache-2.0"), QStringLiteral("yes")};
            if (has("MIT No Attribution"))
                return {file, QStringLiteral("MIT-0"), QStringLiteral("yes")};
            if (has("MIT License") || has("Permission is hereby granted, free of charge"))
                return {file, QStringLiteral("MIT"), QStringLiteral("yes")};
            if (has("Redistribution and use in source and binary forms"))
                return {file,
                        has("Neither the name") ? QStringLiteral("BSD-3-Clause")
                                                : QStringLiteral("BSD-2-Clause"),
                        QStringLiteral("yes")};
            return {file, {}, QStringLiteral("unknown")};
        }
        if (folder.isEmpty())
            return {{}, {}, QStringLiteral("unknown")};
        folder = parentOf(folder);
    }
}

Result<void> writePlain(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!QDir().mkpath(QFileInfo(path).path()) || !file.open(QIODevice::WriteOnly) ||
        file.write(bytes) != bytes.size() || !file.flush())
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("cannot write: %1").arg(file.errorString()),
                     {path},
                     QStringLiteral("check permissions and free space")};
    return {};
}

QString fileSha256(const QString& path)
{
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file))
        return {};
    return QString::fromLatin1(hash.result().toHex());
}

} // namespace

QString idFrom(const QString& text)
{
    QString id;
    for (const QChar c : text) {
        const char16_t u = c.unicode();
        const bool word = (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') ||
                          (u >= '0' && u <= '9') || u == '.' || u == '_';
        if (word)
            id += c;
        else if (!id.isEmpty() && !id.endsWith(QLatin1Char('-')))
            id += QLatin1Char('-');
    }
    while (!id.isEmpty() && !id.at(0).isLetterOrNumber())
        id.remove(0, 1);
    id = id.left(90);
    while (id.endsWith(QLatin1Char('-')) || id.endsWith(QLatin1Char('.')) ||
           id.endsWith(QLatin1Char('_')))
        id.chop(1);
    return id.isEmpty() ? QStringLiteral("task") : id;
}

QString languageOf(const QString& file)
{
    static const QMap<QString, QString> byEnd{{QStringLiteral("cu"), QStringLiteral("cuda")},
                                              {QStringLiteral("cuh"), QStringLiteral("cuda")},
                                              {QStringLiteral("hip"), QStringLiteral("hip")},
                                              {QStringLiteral("cpp"), QStringLiteral("cpp")},
                                              {QStringLiteral("cc"), QStringLiteral("cpp")},
                                              {QStringLiteral("cxx"), QStringLiteral("cpp")},
                                              {QStringLiteral("c"), QStringLiteral("cpp")},
                                              {QStringLiteral("h"), QStringLiteral("cpp")},
                                              {QStringLiteral("hpp"), QStringLiteral("cpp")},
                                              {QStringLiteral("py"), QStringLiteral("python")},
                                              {QStringLiteral("md"), QStringLiteral("markdown")},
                                              {QStringLiteral("json"), QStringLiteral("json")},
                                              {QStringLiteral("jsonl"), QStringLiteral("json")},
                                              {QStringLiteral("yml"), QStringLiteral("yaml")},
                                              {QStringLiteral("yaml"), QStringLiteral("yaml")},
                                              {QStringLiteral("html"), QStringLiteral("html")},
                                              {QStringLiteral("mojo"), QStringLiteral("mojo")},
                                              {QStringLiteral("txt"), QStringLiteral("text")},
                                              {QStringLiteral("csv"), QStringLiteral("csv")}};
    return byEnd.value(QFileInfo(file).suffix().toLower());
}

QString dslOf(const PythonText& python)
{
    if (python.matches(
            "^\\s*(?:@nki\\.|@nki\\b|import nki|import neuronxcc|from neuronxcc|from nki)"))
        return QStringLiteral("nki");
    if (python.matches("\\bpallas_call\\b|\\bplgpu\\.kernel\\b"))
        return QStringLiteral("pallas");
    if (python.matches("^\\s*@triton\\.(?:jit|autotune|heuristics)"))
        return QStringLiteral("triton");
    if (python.matches("\\bload_inline\\b|\\bcpp_extension\\b"))
        return QStringLiteral("torch-extension");
    return QStringLiteral("python");
}

Json tolerance(const char* method, std::optional<double> rtol, std::optional<double> atol)
{
    Json rule{{"method", method}};
    if (rtol)
        rule["rtol"] = *rtol;
    if (atol)
        rule["atol"] = *atol;
    return rule;
}

QString shortNumber(double value)
{
    return QString::number(value, 'g', 6);
}

Draft::Draft(const SourceTree& tree, const Detection& task) : m_tree(tree), m_task(task)
{
    m_outcome.task = task;
    // The order of core/bundle/README.md.
    for (const char* key : {"schema", "id", "title", "task_type", "status"})
        m_manifest[key] = nullptr;
    m_manifest["schema"] = "kbundle/1";
    m_manifest["task_type"] = "generate";
    m_manifest["title"] = sstr(task.name);
    const TaskFormat* format = taskFormat(task.format);
    object("provenance") = {{"collection", format ? sstr(format->title) : std::string()},
                            {"format", sstr(task.format)},
                            {"path", sstr(task.path)}};
    if (!task.record.isEmpty())
        object("provenance")["upstream_id"] = sstr(task.record);
    const LicenseFacts license = licenseOf(tree, task.path);
    object("license")["redistributable"] = sstr(license.redistributable);
    if (!license.spdx.isEmpty())
        object("license")["spdx"] = sstr(license.spdx);
    if (!license.file.isEmpty() && keep(license.file))
        object("license")["file"] = sstr(QStringLiteral("native/") + license.file);
    object("signature");
}

Json& Draft::object(const char* key)
{
    Json& member = m_manifest[key];
    if (!member.is_object())
        member = Json::object();
    return member;
}

bool Draft::keep(const QString& file)
{
    if (m_keptFiles.contains(file))
        return true;
    if (!m_tree.contains(file)) {
        warn(QStringLiteral("%1: not there").arg(file));
        return false;
    }
    const qint64 size = m_tree.size(file);
    if (size > m_tree.limits().maxBlobBytes) {
        warn(QStringLiteral("%1: %2 bytes, over the limit of %3; left out")
                 .arg(file)
                 .arg(size)
                 .arg(m_tree.limits().maxBlobBytes));
        return false;
    }
    const QString path = QStringLiteral("native/") + file;
    Json entry{{"path", sstr(file)}, {"stored", sstr(path)}, {"size", size}};
    DraftFile kept{path, {}, {}, {}, {}, {}, file};
    if (size > blobBytes) {
        kept.from = m_tree.absolute(file);
        entry["sha256"] = sstr(fileSha256(kept.from));
    } else {
        const auto bytes = m_tree.read(file);
        if (!bytes) {
            warn(bytes.error().toString());
            return false;
        }
        kept.bytes = *bytes;
        entry["sha256"] = sstr(sha256Hex(*bytes));
        entry["size"] = bytes->size();
    }
    m_keptFiles << file;
    m_files << kept;
    m_native.push_back(entry);
    return true;
}

void Draft::keepPart(const QString& file, qint64 offset, const QByteArray& bytes)
{
    const QString key = QStringLiteral("%1@%2").arg(file).arg(offset);
    if (m_keptFiles.contains(key))
        return;
    m_keptFiles << key;
    const QString path =
        QStringLiteral("native/%1.parts/%2").arg(file).arg(offset, 12, 10, QLatin1Char('0'));
    m_files << DraftFile{path, bytes, {}, {}, {}, {}, file};
    m_native.push_back({{"path", sstr(file)},
                        {"stored", sstr(path)},
                        {"size", bytes.size()},
                        {"sha256", sstr(sha256Hex(bytes))},
                        {"offset", offset},
                        {"whole_size", m_tree.size(file)}});
}

QString Draft::freeName(const QString& wanted) const
{
    const auto taken = [this](const QString& name) {
        for (const DraftFile& file : m_files) {
            if (file.path.compare(QStringLiteral("files/") + name, Qt::CaseInsensitive) == 0)
                return true;
        }
        return false;
    };
    if (!taken(wanted))
        return wanted;
    const QFileInfo info(wanted);
    for (int n = 2;; ++n) {
        const QString name = joined(
            parentOf(wanted),
            QStringLiteral("%1-%2%3")
                .arg(info.completeBaseName())
                .arg(n)
                .arg(info.suffix().isEmpty() ? QString() : QLatin1Char('.') + info.suffix()));
        if (!taken(name))
            return name;
    }
}

QString Draft::add(const QString& file, const QString& role, const QString& language,
                   const QString& name, bool hidden)
{
    if (!keep(file))
        return {};
    const QString path = QStringLiteral("files/") + freeName(name.isEmpty() ? baseOf(file) : name);
    DraftFile made{path, {}, {}, role, language, hidden ? QStringLiteral("hidden") : QString(),
                   file};
    if (m_tree.size(file) > blobBytes)
        made.from = m_tree.absolute(file);
    else if (const auto bytes = m_tree.read(file))
        made.bytes = *bytes;
    m_files << made;
    return path;
}

QString Draft::addText(const QString& name, const QByteArray& bytes, const QString& role,
                       const QString& language, bool hidden)
{
    const QString path = QStringLiteral("files/") + freeName(name);
    m_files << DraftFile{
        path, bytes, {}, role, language, hidden ? QStringLiteral("hidden") : QString(), {}};
    return path;
}

std::optional<QString> Draft::decode(const QByteArray& bytes, const QString& name)
{
    QStringDecoder decoder(QStringDecoder::Utf8);
    QString text = decoder(bytes);
    const bool broken = decoder.hasError();
    if (!broken && !bytes.contains('\0'))
        return text;
    // The place of the first bad byte: the longest prefix that decodes ends before it.
    qsizetype good = 0, bad = bytes.size();
    while (good < bad) {
        const qsizetype middle = (good + bad + 1) / 2;
        QStringDecoder part(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
        qsizetype cut = middle; // not in the middle of a character
        while (cut > good && (uchar(bytes[cut - 1]) & 0xC0) == 0x80 && middle - cut < 3)
            --cut;
        if (cut > good && uchar(bytes[cut - 1]) >= 0xC0)
            --cut;
        (void)QString(part(QByteArrayView(bytes).first(cut)));
        if (part.hasError())
            bad = middle - 1;
        else
            good = middle;
    }
    if (!broken)
        good = bytes.indexOf('\0');
    const int line = 1 + int(QByteArrayView(bytes).first(std::min(good, bytes.size())).count('\n'));
    warn(QStringLiteral("%1:%2: not UTF-8 text").arg(name).arg(line));
    return std::nullopt;
}

std::optional<QString> Draft::text(const QString& file)
{
    const auto bytes = m_tree.read(file);
    if (!bytes) {
        warn(bytes.error().toString());
        return std::nullopt;
    }
    return decode(*bytes, file);
}

void Draft::candidate(const QString& id, const QStringList& files, const QString& language,
                      const Json& more)
{
    Json& list = m_manifest["candidates"];
    if (!list.is_array())
        list = Json::array();
    QString unique = idFrom(id);
    const auto taken = [&list](const QString& name) {
        for (const Json& c : list) {
            if (jsonString(c, "id") == name)
                return true;
        }
        return false;
    };
    for (int n = 2; taken(unique); ++n)
        unique = QStringLiteral("%1-%2").arg(idFrom(id)).arg(n);
    Json entry{{"id", sstr(unique)}, {"files", Json::array()}, {"language", sstr(language)}};
    for (const QString& file : files)
        entry["files"].push_back(sstr(file));
    for (const auto& [key, value] : more.items())
        entry[key] = value;
    list.push_back(entry);
}

void Draft::reference(const QString& file, const QString& entry, const QString& framework)
{
    if (file.isEmpty())
        return;
    object("reference") = {
        {"file", sstr(file)}, {"entry", sstr(entry)}, {"framework", sstr(framework)}};
}

void Draft::spec(const QString& markdown, const char* media)
{
    const QString file =
        addText(QStringLiteral("spec.") + QLatin1String(qstrcmp(media, "html") == 0  ? "html"
                                                        : qstrcmp(media, "txt") == 0 ? "txt"
                                                                                     : "md"),
                markdown.toUtf8() + '\n', QStringLiteral("spec"), QStringLiteral("markdown"));
    object("spec") = {{"file", sstr(file)}, {"media", media}};
}

void Draft::stub(const QString& why)
{
    m_stub = true;
    warn(why);
}

Result<void> Draft::writeInto(const QString& folder)
{
    Json list = Json::array();
    for (const DraftFile& file : std::as_const(m_files)) {
        const auto path = resolveInside(folder, file.path);
        if (!path)
            return path.error();
        if (file.from.isEmpty()) {
            if (const auto done = writePlain(*path, file.bytes); !done)
                return done;
        } else if (!QDir().mkpath(QFileInfo(*path).path()) || !QFile::copy(file.from, *path)) {
            return Error{ErrorCode::Unreadable,
                         QStringLiteral("cannot copy to %1").arg(*path),
                         {file.from},
                         QStringLiteral("check permissions and free space")};
        }
        if (file.role.isEmpty())
            continue;
        Json entry{{"path", sstr(file.path)}, {"role", sstr(file.role)}};
        if (!file.language.isEmpty())
            entry["language"] = sstr(file.language);
        if (!file.visibility.isEmpty())
            entry["visibility"] = sstr(file.visibility);
        if (!file.upstream.isEmpty())
            entry["upstream_path"] = sstr(file.upstream);
        list.push_back(entry);
    }
    m_manifest["files"] = list;
    m_manifest["native"] = {{"files", m_native}};
    m_manifest["id"] = sstr(m_outcome.id);
    if (m_stub)
        m_manifest["status"] = "stub";
    else if (m_manifest["status"].is_null())
        m_manifest.erase("status");
    Json& provenance = object("provenance");
    provenance["importer"] = "ridgeline " + QCoreApplication::applicationVersion().toStdString();
    provenance["imported_at"] = sstr(QDateTime::currentDateTimeUtc().toString(Qt::ISODate));
    const auto lines = [](const QStringList& texts) {
        Json all = Json::array();
        for (const QString& text : texts)
            all.push_back(sstr(text));
        return all;
    };
    m_manifest["x-import"] = {{"key", sstr(m_task.key())},
                              {"confidence", m_task.confidence},
                              {"why", sstr(m_task.why)},
                              {"mapped", lines(m_outcome.mapped)},
                              {"unmapped", lines(m_outcome.unmapped)},
                              {"warnings", lines(m_outcome.warnings)}};
    int number = 0;
    for (Json record : std::as_const(m_results)) {
        record["bundle"] = sstr(m_outcome.id);
        const QString name = QStringLiteral("results/%1-imported-%2.kresult.json")
                                 .arg(QDateTime::currentDateTimeUtc().toString(
                                     QStringLiteral("yyyyMMdd'T'HHmmss'Z'")))
                                 .arg(++number, 3, 10, QLatin1Char('0'));
        if (const auto done = writePlain(folder + QLatin1Char('/') + name, toJsonBytes(record));
            !done)
            return done;
    }
    m_outcome.results = number;
    return writePlain(folder + QStringLiteral("/kbundle.json"), toJsonBytes(m_manifest));
}

void Draft::write(const QString& dir, bool again)
{
    const auto fail = [this](const Error& error) {
        m_outcome.error = error;
        m_outcome.bundleDir.clear();
    };
    const QString id = idFrom(m_task.name);
    const auto folderOf = [&dir](const QString& name) {
        return dir + QLatin1Char('/') + name + QStringLiteral(".kbundle");
    };
    m_outcome.id = id;
    bool replace = false;
    for (int n = 2; QFileInfo::exists(folderOf(m_outcome.id)); ++n) {
        const auto old = readJsonFile(folderOf(m_outcome.id) + QStringLiteral("/kbundle.json"));
        if (again && old && jsonString(jsonMember(*old, "x-import"), "key") == m_task.key()) {
            replace = true;
            break;
        }
        m_outcome.id = QStringLiteral("%1-%2").arg(id).arg(n);
    }
    if (!QDir().mkpath(dir))
        return fail({ErrorCode::Unreadable,
                     QStringLiteral("the folder cannot be made"),
                     {dir},
                     QStringLiteral("check permissions and free space")});
    QTemporaryDir beside(dir + QStringLiteral("/.importing-XXXXXX"));
    if (!beside.isValid())
        return fail({ErrorCode::Unreadable, beside.errorString(), {dir}, {}});
    if (const auto done = writeInto(beside.path()); !done)
        return fail(done.error());
    const auto bundle = loadBundle(beside.path());
    if (!bundle) {
        Error error = bundle.error();
        error.message = QStringLiteral("what was read does not make a bundle: ") + error.message;
        error.where.file = m_task.path;
        return fail(error);
    }
    m_outcome.status = bundle->status;
    m_outcome.candidates = int(bundle->candidates.size());
    m_outcome.cases = int(bundle->cases.size());
    const QString target = folderOf(m_outcome.id);
    if (replace) {
        // What people and runs added stays with the bundle.
        for (const char* folder : {"reviews", "results"}) {
            const QDir from(target + QLatin1Char('/') + QLatin1String(folder));
            const QString to = beside.path() + QLatin1Char('/') + QLatin1String(folder);
            const QStringList names =
                from.entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
            if (!names.isEmpty())
                QDir().mkpath(to);
            for (const QString& name : names) {
                if (!name.contains(QLatin1String("-imported-")))
                    QDir().rename(from.filePath(name), to + QLatin1Char('/') + name);
            }
        }
        QDir(target).removeRecursively();
    }
    QFile::setPermissions(beside.path(), QFile::Permissions(0x7055));
    if (!QDir().rename(beside.path(), target))
        return fail({ErrorCode::Unreadable,
                     QStringLiteral("the bundle cannot be put in its place"),
                     {target},
                     {}});
    beside.setAutoRemove(false);
    m_outcome.bundleDir = target;
}

} // namespace ridgeline::import
