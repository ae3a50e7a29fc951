// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/icons.h"

#include <QAbstractListModel>
#include <QVector>

namespace ridgeline {

/// One bundle of the queue, as the list shows it.
struct QueueEntry {
    QString dir; ///< key; absolute
    QString title;
    QString subtitle; ///< "softmax-rows · generate"
    Look look;        ///< where the bundle stands: shape, colour and word
    QString detail;   ///< "3 of 10 scored"
    bool operator==(const QueueEntry& other) const
    {
        return dir == other.dir && title == other.title && subtitle == other.subtitle &&
               look.shape == other.look.shape && look.text == other.look.text &&
               detail == other.detail;
    }
};

class QueueModel final : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { SubtitleRole = Qt::UserRole + 1, DetailRole, StateRole, DirRole };

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    const QVector<QueueEntry>& entries() const { return m_entries; }
    /// Adds, or replaces the entry of the same folder.
    void put(const QueueEntry& entry);
    void remove(const QString& dir);
    int rowOf(const QString& dir) const;

private:
    QVector<QueueEntry> m_entries;
};

} // namespace ridgeline
