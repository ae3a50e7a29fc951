// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_view.h"

#include "widgets/empty_state.h"
#include "widgets/log_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace ridgeline {

QTableView* makeTable(const QString& name, QWidget* parent)
{
    auto* table = new QTableView(parent);
    table->setAccessibleName(name);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setFrameShape(QFrame::NoFrame);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 9);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return table;
}

RunsView::RunsView(QWidget* parent)
    : QWidget(parent),
      m_model(new RunsModel(this)),
      m_table(makeTable(tr("Passes"), this)),
      m_stack(new QStackedWidget(this)),
      m_log(new LogView(this))
{
    m_table->setModel(m_model);
    const QFontMetrics fm(font());
    const int widths[] = {20, 12, 14, 13, 12};
    for (int column = 0; column < 5; ++column)
        m_table->setColumnWidth(column, fm.averageCharWidth() * widths[column] + 18);

    QLabel* title = nullptr;
    QLabel* text = nullptr;
    QWidget* empty = makeEmptyState(&title, &text, this);
    title->setText(tr("Nothing has run yet"));
    text->setText(tr("F5 runs every pass of every candidate: environment, compile, audit, "
                     "correctness, benchmark, roofline. Esc cancels."));
    m_stack->addWidget(empty);
    m_stack->addWidget(m_table);

    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setObjectName(QStringLiteral("RunsSplitter"));
    splitter->setHandleWidth(1);
    splitter->addWidget(m_stack);
    splitter->addWidget(m_log);
    splitter->setSizes({560, 420});
    splitter->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(splitter);

    connect(m_model, &QAbstractItemModel::modelReset, this, &RunsView::showRightPage);
    connect(m_model, &QAbstractItemModel::rowsInserted, this, &RunsView::showRightPage);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT passActivated(index.data(RunsModel::CandidateRole).toString(),
                             index.data(RunsModel::PassRole).toString());
    });
}

void RunsView::showRightPage()
{
    m_stack->setCurrentIndex(m_model->rowCount() > 0 ? 1 : 0);
}

void RunsView::setRun(const RunRecord& run)
{
    const QString candidate = selectedCandidate();
    const QString pass = selectedPass();
    m_model->setRun(run);
    const int row = m_model->rowOf(candidate, pass);
    if (row >= 0)
        m_table->selectRow(row);
}

QString RunsView::selectedPass() const
{
    return m_table->currentIndex().data(RunsModel::PassRole).toString();
}

QString RunsView::selectedCandidate() const
{
    return m_table->currentIndex().data(RunsModel::CandidateRole).toString();
}

} // namespace ridgeline
