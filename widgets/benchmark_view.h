// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/plot_style.h"
#include "widgets/result_values.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;
class QCustomPlot;

namespace ridgeline {

class ValueTable;

/// Every sample of every case, with median, confidence interval, flags and the ratio to the
/// baseline. The kind of time is said above the numbers, always.
class BenchmarkView final : public QWidget {
    Q_OBJECT
public:
    explicit BenchmarkView(QWidget* parent = nullptr);

    void setRows(const QVector<BenchmarkRow>& rows, const QString& candidate);
    QTableView* table() const { return m_table; }
    QCustomPlot* plot() const { return m_plot; }
    QLabel* badge() const { return m_badge; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void refill();
    void showRow();
    void drawSamples(const BenchmarkRow& row, const ThemeTokens& t);
    void drawHistogram(const BenchmarkRow& row, const ThemeTokens& t);

    QVector<BenchmarkRow> m_all;
    QVector<BenchmarkRow> m_rows;
    QString m_candidate;
    QStackedWidget* m_stack;
    QLabel* m_emptyTitle = nullptr;
    QLabel* m_emptyText = nullptr;
    QLabel* m_badge;
    QComboBox* m_kind;
    QTableView* m_table;
    ValueTable* m_model;
    QLabel* m_headline;
    QCustomPlot* m_plot;
};

} // namespace ridgeline
