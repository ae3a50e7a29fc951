// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/result_values.h"

#include <QWidget>

class QLabel;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QCustomPlot;

namespace ridgeline {

class ValueTable;

/// Cases × outputs of the correctness pass; for the selected one how the errors are spread and the
/// first and worst mismatches.
class NumericsView final : public QWidget {
    Q_OBJECT
public:
    explicit NumericsView(QWidget* parent = nullptr);

    void setRows(const QVector<NumericsRow>& rows, const QString& candidate);
    QTableView* table() const { return m_table; }
    QCustomPlot* plot() const { return m_plot; }
    QTableView* firstTable() const { return m_firstTable; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void refill();
    void showRow();
    void labelBins();

    QVector<NumericsRow> m_all;
    QVector<NumericsRow> m_rows; ///< of the candidate shown
    QString m_candidate;
    QStackedWidget* m_stack;
    QLabel* m_emptyTitle = nullptr;
    QLabel* m_emptyText = nullptr;
    QTableView* m_table;
    ValueTable* m_model;
    QLabel* m_headline;
    QLabel* m_rule;
    QCustomPlot* m_plot;
    QStringList m_binLabels;
    QTabWidget* m_lists;
    QTableView* m_firstTable;
    QTableView* m_worstTable;
    ValueTable* m_first;
    ValueTable* m_worst;
};

} // namespace ridgeline
