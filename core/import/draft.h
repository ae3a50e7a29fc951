// SPDX-License-Identifier: GPL-3.0-or-later
// Private to core/import: a bundle while an importer fills it.
#pragma once

#include "core/import/import.h"
#include "core/import/python_text.h"

namespace ridgeline::import {

struct DraftFile {
    QString path;     ///< below the bundle: files/… or native/…
    QByteArray bytes; ///< contents, unless `from` is set
    QString from;     ///< absolute file to copy: for large ones
    QString role;     ///< empty: not listed in the manifest's files
    QString language;
    QString visibility;
    QString upstream; ///< path of the original, relative to the tree's root
};

/// Fills the manifest in the order of core/bundle/README.md; importers set what they know.
class Draft {
public:
    Draft(const SourceTree& tree, const Detection& task);

    const SourceTree& tree() const { return m_tree; }
    const Detection& task() const { return m_task; }
    Json& manifest() { return m_manifest; }
    /// Member object of the manifest, made on demand.
    Json& object(const char* key);

    /// Keeps a file of the tree verbatim in native/, once. Errors become warnings: false then.
    bool keep(const QString& file);
    /// Keeps one entry of a file that holds several: `bytes` began at `offset` of `file`.
    void keepPart(const QString& file, qint64 offset, const QByteArray& bytes);

    /// Copies a file of the tree to files/<name> (default: its base name) and keeps it. Returns the
    /// bundle path, or "" with a warning when it is missing or unreadable.
    QString add(const QString& file, const QString& role, const QString& language,
                const QString& name = {}, bool hidden = false);
    /// Adds bytes that were not a file of their own.
    QString addText(const QString& name, const QByteArray& bytes, const QString& role,
                    const QString& language, bool hidden = false);

    /// The text of a file of the tree, with a warning that names line and byte when it is no UTF-8.
    std::optional<QString> text(const QString& file);
    /// The same for bytes at hand.
    std::optional<QString> decode(const QByteArray& bytes, const QString& name);

    void candidate(const QString& id, const QStringList& files, const QString& language,
                   const Json& more = Json::object());
    void reference(const QString& file, const QString& entry, const QString& framework);
    void spec(const QString& markdown, const char* media = "md");

    void mapped(const QString& line) { m_outcome.mapped << line; }
    void unmapped(const QString& line) { m_outcome.unmapped << line; }
    void warn(const QString& line) { m_outcome.warnings << line; }
    /// Makes the bundle a stub, for this reason.
    void stub(const QString& why);

    /// One kresult/1 record of kind imported.
    void result(const Json& record) { m_results.push_back(record); }

    /// A name for files/ that no other file has.
    QString freeName(const QString& wanted) const;

    ImportOutcome& outcome() { return m_outcome; }
    /// Writes the bundle below `dir`; see importTask.
    void write(const QString& dir, bool again);

private:
    Result<void> writeInto(const QString& folder);

    const SourceTree& m_tree;
    const Detection& m_task;
    Json m_manifest = Json::object();
    QVector<DraftFile> m_files;
    Json m_native = Json::array();
    QStringList m_keptFiles;
    QVector<Json> m_results;
    ImportOutcome m_outcome;
    bool m_stub = false;
};

/// 1 to 100 of A-Z a-z 0-9 . _ -, a letter or digit first.
QString idFrom(const QString& text);
/// cuda, hip, cpp, python, markdown, json … by suffix; "" = unknown.
QString languageOf(const QString& file);
/// triton, pallas, nki, cuda (inline extension) or python, by what the source says.
QString dslOf(const PythonText& python);
Json tolerance(const char* method, std::optional<double> rtol, std::optional<double> atol);
/// JSON of a number of seconds etc. when the member is a number.
QString shortNumber(double value);

} // namespace ridgeline::import
