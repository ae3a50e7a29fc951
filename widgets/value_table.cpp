// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/value_table.h"

namespace ridgeline {

void ValueTable::setTable(const QStringList& headers, const QVector<QVector<ValueCell>>& rows)
{
    beginResetModel();
    m_headers = headers;
    m_rows = rows;
    endResetModel();
}

int ValueTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int ValueTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_headers.size());
}

QVariant ValueTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ValueCell cell = m_rows.at(index.row()).value(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return cell.text;
    case Qt::TextAlignmentRole:
        return int((cell.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::DecorationRole:
        return cell.look ? QVariant(lookIcon(*cell.look)) : QVariant();
    case Qt::ForegroundRole:
        return cell.look ? QVariant(ThemeTokens::of(QPalette()).colour(cell.look->meaning))
                         : QVariant();
    case Qt::ToolTipRole:
        return (cell.tip.isEmpty() ? cell.text : cell.tip).toHtmlEscaped();
    default:
        return {};
    }
}

QVariant ValueTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole)
        return m_headers.value(section);
    if (role == Qt::TextAlignmentRole && !m_rows.isEmpty() && m_rows.first().value(section).number)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

} // namespace ridgeline
