// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/queue_model.h"

namespace ridgeline {

int QueueModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_entries.size());
}

QVariant QueueModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const QueueEntry& entry = m_entries.at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return entry.title;
    case Qt::DecorationRole:
        return lookIcon(entry.look);
    case Qt::ToolTipRole:
        return entry.dir.toHtmlEscaped();
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1, %2, %3").arg(entry.title, entry.look.text, entry.detail);
    case SubtitleRole:
        return entry.subtitle;
    case DetailRole:
        return entry.detail;
    case StateRole:
        return entry.look.text;
    case DirRole:
        return entry.dir;
    default:
        return {};
    }
}

void QueueModel::put(const QueueEntry& entry)
{
    const int row = rowOf(entry.dir);
    if (row < 0) {
        beginInsertRows({}, int(m_entries.size()), int(m_entries.size()));
        m_entries.append(entry);
        endInsertRows();
    } else if (!(m_entries.at(row) == entry)) {
        m_entries[row] = entry;
        Q_EMIT dataChanged(index(row), index(row));
    }
}

void QueueModel::remove(const QString& dir)
{
    const int row = rowOf(dir);
    if (row < 0)
        return;
    beginRemoveRows({}, row, row);
    m_entries.removeAt(row);
    endRemoveRows();
}

int QueueModel::rowOf(const QString& dir) const
{
    for (int i = 0; i < m_entries.size(); ++i) {
        if (m_entries.at(i).dir == dir)
            return i;
    }
    return -1;
}

} // namespace ridgeline
