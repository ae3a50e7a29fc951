// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/collection.h"
#include "widgets/icons.h"

#include <QAbstractTableModel>

namespace ridgeline {

/// The tasks found in a folder and what became of each. Lives on the UI thread.
class ImportModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Task, Format, Sure, State, Candidates, Cases, Warnings, ColumnCount };
    /// Role of the format ids a row may be given (QStringList); the first is the one shown.
    static constexpr int ChoicesRole = Qt::UserRole + 1;

    explicit ImportModel(QObject* parent = nullptr);

    void setTasks(const QVector<Detection>& tasks);
    /// Puts what became of tasks into their rows.
    void setOutcomes(const QVector<ImportOutcome>& outcomes);
    /// Forgets outcomes; ticks and choices stay.
    void resetOutcomes();

    const Detection& task(int row) const { return m_rows.at(row).task; }
    /// Null until the task came in.
    const ImportOutcome* outcome(int row) const;
    QStringList tickedKeys() const;
    QMap<QString, QString> choices() const;
    /// Ticked rows whose format nobody has chosen yet.
    int openChoices() const;
    int count() const { return int(m_rows.size()); }
    QStringList bundleDirs() const; ///< of what came in, in the order of the rows

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void ticksChanged();

private:
    struct Row {
        Detection task;
        bool ticked = true;
        QString choice; ///< format a person chose; empty = as detected
        std::optional<ImportOutcome> outcome;
    };
    Look lookOf(const Row& row) const;
    QString formatOf(const Row& row) const;

    QVector<Row> m_rows;
    QHash<QString, int> m_byKey;
};

} // namespace ridgeline
