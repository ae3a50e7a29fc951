// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pass/record.h"

#include <QAbstractTableModel>

namespace ridgeline {

/// Passes of every candidate of a run, one row each, in running order.
class RunsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Candidate, Verdict, Pass, State, Time, Summary, Count };
    Q_ENUM(Column)
    enum Role { CandidateRole = Qt::UserRole + 1, PassRole, LogRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setRun(const RunRecord& run);
    /// One pass has a new state; a pass or candidate not seen before is added.
    void updatePass(const QString& candidate, const PassRecord& pass);
    int rowOf(const QString& candidate, const QString& pass) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        QString candidate;
        bool firstOfCandidate = false;
        CandidateVerdict verdict = CandidateVerdict::Unknown;
        QString verdictReason;
        bool hasVerdict = false;
        PassRecord pass;
    };

    QVector<Row> m_rows;
};

/// "812 ms", "3.41 s", "2 min 05 s"; nanoseconds in.
QString durationText(qint64 ns);

} // namespace ridgeline
