// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/runs_model.h"

#include <QWidget>

class QStackedWidget;
class QTableView;

namespace ridgeline {

class LogView;

/// What ran and how it went, with the live log beside it.
class RunsView final : public QWidget {
    Q_OBJECT
public:
    explicit RunsView(QWidget* parent = nullptr);

    RunsModel* model() const { return m_model; }
    LogView* log() const { return m_log; }
    QTableView* table() const { return m_table; }
    void setRun(const RunRecord& run);
    /// Pass of the selected row; empty when none is selected.
    QString selectedPass() const;
    QString selectedCandidate() const;

Q_SIGNALS:
    /// A row was opened (Enter or double click): show its log or result.
    void passActivated(const QString& candidate, const QString& pass);

private:
    void showRightPage();

    RunsModel* m_model;
    QTableView* m_table;
    QStackedWidget* m_stack;
    LogView* m_log;
};

/// A table set up the way every table of the window is: rows, no grid, sortable header off.
QTableView* makeTable(const QString& name, QWidget* parent);

} // namespace ridgeline
