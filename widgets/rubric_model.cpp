// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/rubric_model.h"

#include <QCoreApplication>
#include <QLocale>

namespace ridgeline {

QString requiredEvidenceText(const QString& required)
{
    const auto tr = [](const char* text) {
        return QCoreApplication::translate("ridgeline::RubricModel", text);
    };
    if (required.startsWith(QLatin1String("pass:")))
        return tr("evidence from the %1 pass").arg(required.mid(5));
    if (required == QLatin1String("source"))
        return tr("a source range");
    if (required == QLatin1String("finding"))
        return tr("a finding");
    if (required == QLatin1String("artefact"))
        return tr("an artefact");
    return required;
}

void RubricModel::setRubric(const Rubric& rubric, const QString& taskType)
{
    beginResetModel();
    m_rubric = rubric;
    m_taskType = taskType;
    m_review = {};
    m_standing = standingOf(m_review, m_rubric, m_taskType);
    endResetModel();
}

void RubricModel::setReview(const Review& review, const QVector<Finding>& findings)
{
    m_review = review;
    m_standing = standingOf(review, m_rubric, m_taskType, findings);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, int(Column::Count) - 1));
}

QString RubricModel::idAt(int row) const
{
    return row >= 0 && row < m_rubric.criteria.size() ? m_rubric.criteria.at(row).id : QString();
}

int RubricModel::rowOf(const QString& criterion) const
{
    for (int i = 0; i < m_rubric.criteria.size(); ++i) {
        if (m_rubric.criteria.at(i).id == criterion)
            return i;
    }
    return -1;
}

QStringList RubricModel::missingFor(const QString& criterion) const
{
    QStringList missing;
    if (m_standing.missing.contains(criterion))
        missing.append(tr("not scored yet"));
    if (m_standing.unjustified.contains(criterion))
        missing.append(tr("this score needs a comment"));
    for (const EvidenceGap& gap : m_standing.evidenceGaps) {
        if (gap.criterion == criterion)
            missing.append(tr("needs %1").arg(requiredEvidenceText(gap.required)));
    }
    return missing;
}

Look RubricModel::lookFor(const QString& criterion) const
{
    if (m_standing.notApplicable.contains(criterion))
        return {Shape::Dash, Meaning::Muted, tr("not applicable")};
    if (m_standing.missing.contains(criterion))
        return {Shape::Ring, Meaning::Muted, tr("not scored")};
    if (!missingFor(criterion).isEmpty())
        return {Shape::Triangle, Meaning::Warning, tr("scored, incomplete")};
    return {Shape::Check, Meaning::Good, tr("scored")};
}

int RubricModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rubric.criteria.size());
}

int RubricModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant RubricModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RubricCriterion& criterion = m_rubric.criteria.at(index.row());
    const CriterionScore score = m_review.scores.value(criterion.id);
    const Look look = lookFor(criterion.id);
    const QStringList missing = missingFor(criterion.id);
    const auto column = Column(index.column());
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case Column::Criterion:
            return criterion.title;
        case Column::Score:
            if (score.notApplicable || m_standing.notApplicable.contains(criterion.id))
                return tr("n/a");
            return score.score ? QString::number(*score.score) : QStringLiteral("–");
        case Column::Weight:
            return QLocale().toString(criterion.weight, 'g', 3);
        case Column::Count:
            break;
        }
        return {};
    case Qt::DecorationRole:
        return column == Column::Criterion ? QVariant(lookIcon(look)) : QVariant();
    case Qt::TextAlignmentRole:
        return column == Column::Criterion ? int(Qt::AlignLeft | Qt::AlignVCenter)
                                           : int(Qt::AlignCenter);
    case Qt::ToolTipRole: {
        const QString text = criterion.title + QStringLiteral(": ") +
                             (missing.isEmpty() ? look.text : missing.join(QStringLiteral(", ")));
        return text.toHtmlEscaped();
    }
    case Qt::AccessibleTextRole:
        if (column == Column::Criterion)
            return QStringLiteral("%1, %2").arg(criterion.title, look.text);
        return {};
    case IdRole:
        return criterion.id;
    case CompleteRole:
        return missing.isEmpty();
    default:
        return {};
    }
}

QVariant RubricModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && section != 0)
        return int(Qt::AlignCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (Column(section)) {
    case Column::Criterion:
        return tr("Criterion");
    case Column::Score:
        return tr("Score");
    case Column::Weight:
        return tr("Weight");
    case Column::Count:
        break;
    }
    return {};
}

} // namespace ridgeline
