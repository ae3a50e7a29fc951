// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/review/review.h"
#include "widgets/icons.h"

#include <QAbstractTableModel>

namespace ridgeline {

/// Criteria of a rubric with the score a review gives them and what is still missing.
class RubricModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Criterion, Score, Weight, Count };
    Q_ENUM(Column)
    enum Role { IdRole = Qt::UserRole + 1, CompleteRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setRubric(const Rubric& rubric, const QString& taskType);
    void setReview(const Review& review, const QVector<Finding>& findings);
    const Rubric& rubric() const { return m_rubric; }
    const Review& review() const { return m_review; }
    const ReviewStanding& standing() const { return m_standing; }
    QString idAt(int row) const;
    int rowOf(const QString& criterion) const;
    /// What the criterion still needs, one line each; empty = nothing.
    QStringList missingFor(const QString& criterion) const;
    Look lookFor(const QString& criterion) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    Rubric m_rubric;
    QString m_taskType;
    Review m_review;
    ReviewStanding m_standing;
};

/// "pass:compile" → "evidence from the compile pass" and so on.
QString requiredEvidenceText(const QString& required);

} // namespace ridgeline
