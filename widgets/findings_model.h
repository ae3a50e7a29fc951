// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/audit/finding.h"

#include <QAbstractTableModel>

namespace ridgeline {

/// Findings, most severe first.
class FindingsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Severity, State, Code, Title, Candidate, Pass, Where, Count };
    Q_ENUM(Column)
    enum Role { IdRole = Qt::UserRole + 1, SeverityRole, StateRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setFindings(QVector<Finding> findings);
    const QVector<Finding>& findings() const { return m_findings; }
    const Finding* at(int row) const;
    int rowOf(const QString& id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVector<Finding> m_findings;
};

/// "files/solve.cu:12" or "files/solve.cu:12–18"; empty without a range.
QString rangeText(const std::optional<SourceRange>& range);

} // namespace ridgeline
