// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_model.h"

#include "widgets/icons.h"

#include <QFont>

namespace ridgeline {

QString durationText(qint64 ns)
{
    const double seconds = double(ns) / 1e9;
    if (ns <= 0)
        return {};
    if (seconds < 1e-6)
        return QStringLiteral("%1 ns").arg(ns);
    if (seconds < 1e-3)
        return QStringLiteral("%1 µs").arg(seconds * 1e6, 0, 'f', seconds < 1e-4 ? 2 : 1);
    if (seconds < 1)
        return QStringLiteral("%1 ms").arg(seconds * 1e3, 0, 'f', seconds < 0.1 ? 2 : 0);
    if (seconds < 60)
        return QStringLiteral("%1 s").arg(seconds, 0, 'f', 2);
    const qint64 whole = qint64(seconds);
    return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
}

void RunsModel::setRun(const RunRecord& run)
{
    beginResetModel();
    m_rows.clear();
    for (const CandidateRun& candidate : run.candidates) {
        bool first = true;
        for (const PassRecord& pass : candidate.passes) {
            m_rows.append(
                {candidate.id, first, candidate.verdict, candidate.verdictReason, true, pass});
            first = false;
        }
    }
    endResetModel();
}

void RunsModel::updatePass(const QString& candidate, const PassRecord& pass)
{
    const int row = rowOf(candidate, pass.pass);
    if (row >= 0) {
        m_rows[row].pass = pass;
        Q_EMIT dataChanged(index(row, 0), index(row, int(Column::Count) - 1));
        return;
    }
    // After the last row of its candidate, so that candidates stay together.
    int at = int(m_rows.size());
    bool first = true;
    for (int i = int(m_rows.size()) - 1; i >= 0; --i) {
        if (m_rows.at(i).candidate == candidate) {
            at = i + 1;
            first = false;
            break;
        }
    }
    beginInsertRows({}, at, at);
    m_rows.insert(at, {candidate, first, CandidateVerdict::Unknown, {}, false, pass});
    endInsertRows();
}

int RunsModel::rowOf(const QString& candidate, const QString& pass) const
{
    for (int i = 0; i < m_rows.size(); ++i) {
        if (m_rows.at(i).candidate == candidate && m_rows.at(i).pass.pass == pass)
            return i;
    }
    return -1;
}

int RunsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant RunsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows.at(index.row());
    const auto column = Column(index.column());
    const Look state = lookOf(row.pass.state);
    const Look verdict = lookOf(row.verdict);
    const bool showVerdict = row.firstOfCandidate && row.hasVerdict;
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case Column::Candidate:
            return row.candidate;
        case Column::Verdict:
            return showVerdict ? verdict.text : QString();
        case Column::Pass:
            return row.pass.pass;
        case Column::State:
            return state.text;
        case Column::Time:
            return durationText(row.pass.wallNs);
        case Column::Summary:
            return row.pass.summary;
        case Column::Count:
            break;
        }
        return {};
    case Qt::DecorationRole:
        if (column == Column::State)
            return lookIcon(state);
        if (column == Column::Verdict && showVerdict)
            return lookIcon(verdict);
        return {};
    case Qt::ForegroundRole:
        if (column == Column::Candidate && !row.firstOfCandidate)
            return ThemeTokens::of(QPalette()).muted;
        if (column == Column::State)
            return ThemeTokens::of(QPalette()).colour(state.meaning);
        return {};
    case Qt::FontRole:
        if (column == Column::Candidate && row.firstOfCandidate) {
            QFont font;
            font.setWeight(QFont::DemiBold);
            return font;
        }
        return {};
    case Qt::ToolTipRole:
        if (column == Column::Verdict && showVerdict)
            return row.verdictReason.toHtmlEscaped();
        return column == Column::Summary ? row.pass.summary.toHtmlEscaped() : QString();
    case Qt::TextAlignmentRole:
        if (column == Column::Time)
            return int(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    case CandidateRole:
        return row.candidate;
    case PassRole:
        return row.pass.pass;
    case LogRole:
        return row.pass.log;
    default:
        return {};
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (Column(section)) {
    case Column::Candidate:
        return tr("Candidate");
    case Column::Verdict:
        return tr("Verdict");
    case Column::Pass:
        return tr("Pass");
    case Column::State:
        return tr("State");
    case Column::Time:
        return tr("Time");
    case Column::Summary:
        return tr("What it found");
    case Column::Count:
        break;
    }
    return {};
}

} // namespace ridgeline
