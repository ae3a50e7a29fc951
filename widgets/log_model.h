// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QAbstractListModel>
#include <QStringList>

class QTimer;

namespace ridgeline {

/// Lines of a live log. Appending only stores; rows appear in bounded batches from a timer, so a
/// burst of any size costs the event loop a few milliseconds at a time. Equal neighbours fold into
/// one row with a count. Only the newest rows are kept; how many went is said. UI thread.
class LogModel final : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { RepeatsRole = Qt::UserRole + 1, MeaningRole };
    static constexpr int maxRows = 50000;
    static constexpr int maxLineLength = 2000; ///< characters; longer lines end in "…"
    static constexpr int rowsPerBatch = 2000;
    static constexpr int batchIntervalMs = 25;

    explicit LogModel(QObject* parent = nullptr);

    void append(const QStringList& lines);
    void clear();
    /// Shows everything that waits, whatever it takes; for tests and for the end of a run.
    void flush();

    qint64 totalLines() const { return m_total; }
    /// Lines that were received and are no longer kept.
    qint64 droppedLines() const { return m_dropped; }
    bool hasPending() const { return !m_pending.isEmpty(); }
    QString lineAt(int row) const { return m_rows.at(row).text; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

Q_SIGNALS:
    void batchShown();

private:
    struct Row {
        QString text;
        int repeats = 1;
        Meaning meaning = Meaning::Neutral;
    };

    void showBatch(int limit);

    QList<Row> m_rows;
    QStringList m_pending;
    QTimer* m_timer;
    qint64 m_total = 0;
    qint64 m_dropped = 0;
};

} // namespace ridgeline
