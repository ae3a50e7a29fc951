// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/icons.h"

#include <QAbstractTableModel>
#include <QVector>

namespace ridgeline {

/// A cell of a table of results: text, how it is aligned, and a state where it has one.
struct ValueCell {
    QString text;
    bool number = false;
    std::optional<Look> look; ///< icon and colour
    QString tip;
};

/// Rows of finished results. Read-only; set as a whole.
class ValueTable final : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    void setTable(const QStringList& headers, const QVector<QVector<ValueCell>>& rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_headers;
    QVector<QVector<ValueCell>> m_rows;
};

} // namespace ridgeline
