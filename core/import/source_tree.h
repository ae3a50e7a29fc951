// SPDX-License-Identifier: GPL-3.0-or-later
// The files an import may look at: everything below one chosen root, and nothing else.
#pragma once

#include "core/support/cancel.h"
#include "core/support/result.h"

#include <QByteArray>
#include <QHash>
#include <QMap>
#include <QString>
#include <QStringList>

class QTemporaryDir;

namespace ridgeline {

/// Limits for folders and files that come from strangers.
struct TreeLimits {
    int maxFiles = 200'000;
    int maxDepth = 40;
    qint64 maxTextBytes = 16 * 1024 * 1024; ///< of one file that is read as text
    qint64 maxBlobBytes = qint64(1) << 30;  ///< of one file that is only copied
};

/// What is below a chosen root. Links are left out and told in notes(); version-control folders,
/// byte code and bundles made by an earlier import are left out silently. Not thread-safe; make one
/// per thread.
class SourceTree {
public:
    /// Lists `path`: a folder, or one file (then the root is its folder and only() names it), or an
    /// archive (unpacked into a temporary folder that lives as long as the tree). `root` may name a
    /// folder above `path` that references may reach; empty = `path` itself.
    /// Errors: NotFound, UnsafePath, TooLarge, BadSyntax (archive), Cancelled.
    static Result<SourceTree> open(const QString& path, const QString& root = {},
                                   const CancelToken& cancel = {}, const TreeLimits& limits = {});

    SourceTree(SourceTree&&) noexcept;
    SourceTree& operator=(SourceTree&&) noexcept;
    ~SourceTree();

    const QString& root() const { return m_root; }     ///< absolute
    const QString& origin() const { return m_origin; } ///< what the user named, absolute
    /// Folder or file below root() the user named, relative; empty = the root.
    const QString& chosen() const { return m_chosen; }
    bool isArchive() const { return m_unpacked != nullptr; }
    const QStringList& files() const { return m_files; }     ///< relative, sorted
    const QStringList& folders() const { return m_folders; } ///< relative, sorted; "" is the root
    /// Names of the files directly in a folder.
    QStringList namesIn(const QString& folder) const { return m_names.value(folder); }
    QStringList foldersIn(const QString& folder) const { return m_children.value(folder); }
    /// Every file in a folder and below.
    QStringList filesBelow(const QString& folder) const;
    bool contains(const QString& file) const { return m_known.contains(file); }
    const QStringList& notes() const { return m_notes; }
    const TreeLimits& limits() const { return m_limits; }

    /// Bytes of a listed file. A small number of files is kept, since detection and import read the
    /// same ones. Errors: NotFound (not listed), TooLarge, Unreadable.
    Result<QByteArray> read(const QString& file) const;
    /// Size in bytes and time of change of a listed file, as one text: equal while it is untouched.
    QString stamp(const QString& file) const;
    qint64 size(const QString& file) const;
    QString absolute(const QString& file) const { return m_root + QLatin1Char('/') + file; }

    /// Resolves `reference`, written in a file of `folder`, to a path relative to the root.
    /// Error UnsafePath: absolute, or above the root. The file need not exist.
    Result<QString> resolve(const QString& folder, const QString& reference) const;

private:
    SourceTree();
    Result<void> scan(const CancelToken& cancel);

    QString m_root, m_origin, m_chosen;
    TreeLimits m_limits;
    QStringList m_files, m_folders, m_notes;
    QHash<QString, QStringList> m_names, m_children;
    QHash<QString, qint64> m_known; ///< size by path
    std::unique_ptr<QTemporaryDir> m_unpacked;
    mutable QMap<QString, QByteArray> m_kept;
    mutable qint64 m_keptBytes = 0;
};

/// "a/b/c" → "a/b"; "c" → "".
QString parentOf(const QString& path);
/// "a/b/c" → "c".
QString baseOf(const QString& path);
/// "a/b" + "c" → "a/b/c"; "" + "c" → "c".
QString joined(const QString& folder, const QString& name);

} // namespace ridgeline
