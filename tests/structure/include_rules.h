// SPDX-License-Identifier: GPL-3.0-or-later
// The arrows of the design, as rules about #include lines.
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

/// An #include that the design forbids.
struct Violation {
    QString file; ///< relative to the source root
    int line = 0;
    QString include; ///< as written
    QString reason;

    QString toString() const
    {
        return QStringLiteral("%1:%2: %3: %4").arg(file).arg(line).arg(include, reason);
    }
};

/// One #include line.
struct Include {
    int line = 0;
    QString name; ///< between the quotes or brackets; empty for an include of a macro
    bool quoted = false;
};

/// #include lines of a source text, those inside comments left out.
QVector<Include> includesOf(const QString& text);

/// The room a file belongs to: "core/bundle", "widgets", "app/cli", "app/window", "app", or empty.
QString roomOf(const QString& relativePath);

/// Checks every C++ file below ROOT/core, ROOT/widgets and ROOT/app. `qtHeaders` is the folder
/// that holds QtCore/, QtGui/ …; it says which module a Qt header belongs to.
class IncludeRules {
public:
    IncludeRules(QString root, QString qtHeaders);

    QVector<Violation> check() const;
    int filesSeen() const { return m_files; }

private:
    QString reasonAgainst(const QString& file, const Include& include) const;
    QString qtReason(const QString& room, const QString& header) const;
    QString qtModule(const QString& header) const;
    QString target(const QString& file, const Include& include) const;

    QString m_root;
    QString m_qtHeaders;
    mutable int m_files = 0;
};
