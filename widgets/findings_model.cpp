// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/findings_model.h"

#include "widgets/icons.h"

#include <algorithm>

namespace ridgeline {

QString rangeText(const std::optional<SourceRange>& range)
{
    if (!range || range->file.isEmpty())
        return {};
    if (range->firstLine <= 0)
        return range->file;
    QString text = QStringLiteral("%1:%2").arg(range->file).arg(range->firstLine);
    if (range->lastLine > range->firstLine)
        text += QChar(0x2013) + QString::number(range->lastLine);
    return text;
}

void FindingsModel::setFindings(QVector<Finding> findings)
{
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
        return int(a.severity) > int(b.severity);
    });
    bool sameRows = findings.size() == m_findings.size();
    for (int i = 0; sameRows && i < findings.size(); ++i)
        sameRows = findings.at(i).id == m_findings.at(i).id;
    if (sameRows) { // only states changed: keep selection and scroll
        m_findings = std::move(findings);
        if (!m_findings.isEmpty())
            Q_EMIT dataChanged(index(0, 0),
                               index(int(m_findings.size()) - 1, int(Column::Count) - 1));
        return;
    }
    beginResetModel();
    m_findings = std::move(findings);
    endResetModel();
}

const Finding* FindingsModel::at(int row) const
{
    return row >= 0 && row < m_findings.size() ? &m_findings.at(row) : nullptr;
}

int FindingsModel::rowOf(const QString& id) const
{
    for (int i = 0; i < m_findings.size(); ++i) {
        if (m_findings.at(i).id == id)
            return i;
    }
    return -1;
}

int FindingsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_findings.size());
}

int FindingsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Finding& finding = m_findings.at(index.row());
    const auto column = Column(index.column());
    const ThemeTokens& t = ThemeTokens::of(QPalette());
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case Column::Severity:
            return lookOf(finding.severity).text;
        case Column::State:
            return lookOf(finding.state).text;
        case Column::Code:
            return finding.code;
        case Column::Title:
            return finding.title;
        case Column::Candidate:
            return finding.candidate;
        case Column::Pass:
            return finding.pass;
        case Column::Where:
            return rangeText(finding.location);
        case Column::Count:
            break;
        }
        return {};
    case Qt::DecorationRole:
        if (column == Column::Severity)
            return lookIcon(lookOf(finding.severity));
        if (column == Column::State)
            return lookIcon(lookOf(finding.state));
        return {};
    case Qt::ForegroundRole:
        if (finding.state == FindingState::Dismissed)
            return t.muted;
        return column == Column::Severity ? QVariant(t.colour(lookOf(finding.severity).meaning))
                                          : QVariant();
    case Qt::ToolTipRole:
        return column == Column::Title ? finding.title.toHtmlEscaped() : QString();
    case IdRole:
        return finding.id;
    case SeverityRole:
        return int(finding.severity);
    case StateRole:
        return int(finding.state);
    default:
        return {};
    }
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (Column(section)) {
    case Column::Severity:
        return tr("Severity");
    case Column::State:
        return tr("State");
    case Column::Code:
        return tr("Code");
    case Column::Title:
        return tr("Finding");
    case Column::Candidate:
        return tr("Candidate");
    case Column::Pass:
        return tr("Pass");
    case Column::Where:
        return tr("Where");
    case Column::Count:
        break;
    }
    return {};
}

} // namespace ridgeline
