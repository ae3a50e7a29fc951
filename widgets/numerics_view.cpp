// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/numerics_view.h"

#include "widgets/empty_state.h"
#include "widgets/plot_style.h"
#include "widgets/qcp.h"
#include "widgets/runs_view.h"
#include "widgets/value_table.h"

#include <QEvent>
#include <QLabel>
#include <QLocale>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

namespace ridgeline {

namespace {

Look stateLook(const NumericsRow& row)
{
    if (row.ok)
        return {Shape::Check, Meaning::Good, row.state};
    if (row.state == QLatin1String("passed") || row.state == QLatin1String("failed"))
        return {Shape::Cross, Meaning::Bad, QObject::tr("failed")};
    if (row.state == QLatin1String("timeout"))
        return {Shape::Clock, Meaning::Bad, row.state};
    if (row.state == QLatin1String("skipped") || row.state == QLatin1String("cancelled"))
        return {Shape::Dash, Meaning::Muted, row.state};
    return {Shape::Triangle, Meaning::Warning, row.state};
}

void fillMismatches(ValueTable& model, const QVector<Mismatch>& list)
{
    QVector<QVector<ValueCell>> rows;
    for (const Mismatch& m : list)
        rows.append({{m.index, false, {}, {}},
                     {realText(m.got, 9), true, {}, {}},
                     {realText(m.ref, 9), true, {}, {}},
                     {realText(m.abs), true, {}, {}},
                     {realText(m.rel), true, {}, {}},
                     {realText(m.ulp), true, {}, {}}});
    model.setTable({QObject::tr("Index"), QObject::tr("Got"), QObject::tr("Reference"),
                    QObject::tr("Abs"), QObject::tr("Rel"), QObject::tr("ULP")},
                   rows);
}

} // namespace

NumericsView::NumericsView(QWidget* parent)
    : QWidget(parent),
      m_stack(new QStackedWidget(this)),
      m_table(makeTable(tr("Cases and outputs"), this)),
      m_model(new ValueTable(this)),
      m_headline(new QLabel(this)),
      m_rule(new QLabel(this)),
      m_plot(new QCustomPlot(this)),
      m_lists(new QTabWidget(this)),
      m_firstTable(makeTable(tr("First mismatches"), this)),
      m_worstTable(makeTable(tr("Worst mismatches"), this)),
      m_first(new ValueTable(this)),
      m_worst(new ValueTable(this))
{
    m_table->setModel(m_model);
    m_firstTable->setModel(m_first);
    m_worstTable->setModel(m_worst);
    m_headline->setObjectName(QStringLiteral("PaneTitle"));
    m_rule->setObjectName(QStringLiteral("Muted"));
    for (QLabel* label : {m_headline, m_rule}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    m_plot->setAccessibleName(tr("Distribution of errors in ULP"));
    m_plot->setMinimumSize(220, 110);
    m_plot->xAxis->setLabel(tr("error up to, ULP"));
    m_plot->yAxis->setLabel(tr("elements"));
    m_plot->yAxis->setScaleType(QCPAxis::stLogarithmic);
    m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
    m_plot->yAxis->setNumberFormat(QStringLiteral("gbc"));
    m_plot->yAxis->setNumberPrecision(0);
    m_plot->xAxis->grid()->setVisible(false);
    // As many labels as fit: a plot of 200 pixels has sixteen bins too.
    connect(m_plot, &QCustomPlot::beforeReplot, this, &NumericsView::labelBins);
    m_plot->xAxis->setSubTicks(false);
    m_lists->setDocumentMode(true);
    m_lists->setAccessibleName(tr("Mismatches"));
    m_lists->tabBar()->setAccessibleName(tr("First or worst mismatches"));
    m_lists->addTab(m_firstTable, tr("First mismatches"));
    m_lists->addTab(m_worstTable, tr("Worst mismatches"));

    auto* right = new QWidget(this);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(10, 6, 0, 0);
    column->setSpacing(2);
    column->addWidget(m_headline);
    column->addWidget(m_rule);
    auto* split = new QSplitter(Qt::Horizontal, right);
    split->setObjectName(QStringLiteral("NumericsDetailSplitter"));
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(m_plot);
    split->addWidget(m_lists);
    column->addWidget(split, 1);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setObjectName(QStringLiteral("NumericsSplitter"));
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_table);
    splitter->addWidget(right);
    splitter->setSizes({480, 620});
    m_stack->addWidget(makeEmptyState(&m_emptyTitle, &m_emptyText, this));
    m_stack->addWidget(splitter);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &NumericsView::showRow);
    connect(m_model, &QAbstractItemModel::modelReset, this, &NumericsView::showRow);
    setRows({}, {});
}

void NumericsView::setRows(const QVector<NumericsRow>& rows, const QString& candidate)
{
    m_all = rows;
    m_candidate = candidate;
    refill();
}

void NumericsView::refill()
{
    m_rows.clear();
    for (const NumericsRow& row : std::as_const(m_all)) {
        if (row.candidate == m_candidate || m_candidate.isEmpty())
            m_rows.append(row);
    }
    const QLocale locale;
    QVector<QVector<ValueCell>> cells;
    for (const NumericsRow& row : std::as_const(m_rows)) {
        const bool over = row.toleranceUsed && !(*row.toleranceUsed <= 1);
        cells.append(
            {{row.caseId, false, {}, {}},
             {QString::number(row.seed), true, {}, {}},
             {row.output, false, {}, {}},
             {stateLook(row).text, false, stateLook(row), row.message},
             {row.output.isEmpty() ? QString() : locale.toString(row.mismatches), true, {}, {}},
             {realText(row.toleranceUsed, 3), true,
              over ? std::optional<Look>(Look{Shape::Cross, Meaning::Bad, {}}) : std::nullopt,
              tr("largest error over allowed error; 1 is the limit")},
             {realText(row.maxAbs, 3), true, {}, {}},
             {realText(row.maxRel, 3), true, {}, {}},
             {realText(row.maxUlp, 3), true, {}, {}}});
    }
    m_model->setTable({tr("Case"), tr("Seed"), tr("Output"), tr("State"), tr("Wrong"),
                       tr("Tolerance used"), tr("Max abs"), tr("Max rel"), tr("Max ULP")},
                      cells);
    m_table->resizeColumnsToContents();
    m_emptyTitle->setText(m_all.isEmpty() ? tr("Nothing was compared yet")
                                          : tr("Nothing for this candidate"));
    m_emptyText->setText(
        m_all.isEmpty() ? tr("F5 runs the passes. Correctness compares every output with the "
                             "fp64 reference, by the bundle's own rule.")
                        : tr("The correctness pass has no result for %1; the Runs tab says why.")
                              .arg(m_candidate));
    m_stack->setCurrentIndex(m_rows.isEmpty() ? 0 : 1);
    int worst = 0;
    for (int i = 0; i < m_rows.size(); ++i) {
        if (!m_rows.at(i).ok) {
            worst = i;
            break;
        }
    }
    if (!m_rows.isEmpty())
        m_table->selectRow(worst);
    showRow();
}

void NumericsView::showRow()
{
    m_plot->clearPlottables();
    const int index = m_table->currentIndex().row();
    if (index < 0 || index >= m_rows.size()) {
        m_headline->clear();
        m_rule->clear();
        fillMismatches(*m_first, {});
        fillMismatches(*m_worst, {});
        return;
    }
    const NumericsRow& row = m_rows.at(index);
    const QLocale locale;
    QString headline = row.message;
    if (!row.output.isEmpty()) {
        headline = tr("%1 of %2 elements of %3 (%4, %5) are outside the tolerance")
                       .arg(locale.toString(row.mismatches), locale.toString(row.count), row.output,
                            row.dtype, row.shape);
        if (!row.message.isEmpty())
            headline += QStringLiteral(". ") + row.message;
    }
    QStringList facts;
    if (!row.rule.isEmpty())
        facts.append(tr("rule: %1").arg(row.rule));
    if (row.unwritten > 0)
        facts.append(tr("%1 never written").arg(locale.toString(row.unwritten)));
    if (row.nanGot != row.nanRef)
        facts.append(tr("%1 NaN, reference has %2")
                         .arg(locale.toString(row.nanGot), locale.toString(row.nanRef)));
    if (row.infGot != row.infRef)
        facts.append(tr("%1 infinities, reference has %2")
                         .arg(locale.toString(row.infGot), locale.toString(row.infRef)));
    if (!row.maxAbsAt.isEmpty())
        facts.append(tr("largest absolute error at %1").arg(row.maxAbsAt));
    m_headline->setText(headline);
    m_rule->setText(facts.join(QStringLiteral(" · ")));
    fillMismatches(*m_first, row.first);
    fillMismatches(*m_worst, row.worst);
    for (QTableView* table : {m_firstTable, m_worstTable})
        table->resizeColumnsToContents();
    m_lists->setTabText(0, tr("First mismatches (%1)").arg(row.first.size()));
    m_lists->setTabText(1, tr("Worst mismatches (%1)").arg(row.worst.size()));

    const ThemeTokens& t = ThemeTokens::of(palette());
    stylePlot(*m_plot, t);
    auto* bars = new QCPBars(m_plot->xAxis, m_plot->yAxis);
    bars->setBaseValue(0.5); // a logarithmic axis has no zero
    bars->setPen(Qt::NoPen);
    bars->setBrush(t.accent);
    bars->setWidth(0.8);
    m_binLabels.clear();
    QVector<double> keys;
    QVector<double> values;
    double top = 10;
    for (int i = 0; i < row.ulps.size(); ++i) {
        keys.append(i);
        values.append(double(row.ulps.at(i).count));
        top = std::max(top, double(row.ulps.at(i).count));
        m_binLabels.append(row.ulps.at(i).upto == QLatin1String("inf") ? QStringLiteral("∞")
                                                                       : row.ulps.at(i).upto);
    }
    bars->setData(keys, values, true);
    m_plot->xAxis->setRange(-0.7, std::max<double>(1, double(row.ulps.size()) - 0.3));
    m_plot->yAxis->setRange(0.5, top * 2);
    m_plot->replot();
}

void NumericsView::labelBins()
{
    const QFontMetrics metrics(m_plot->xAxis->tickLabelFont());
    int widest = 1;
    for (const QString& label : std::as_const(m_binLabels))
        widest = std::max(widest, metrics.horizontalAdvance(label) + 8);
    // The axes' own rectangle is only known after the labels are; its margins hardly change.
    constexpr int margins = 70;
    const int room = std::max(1, m_plot->viewport().width() - margins);
    const int step = std::max(1, int(std::ceil(double(m_binLabels.size()) * widest / room)));
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    // From the right: the last bin, "beyond all bounds", is the one that must have a name.
    for (int i = int(m_binLabels.size()) - 1; i >= 0; i -= step)
        ticker->addTick(i, m_binLabels.at(i));
    m_plot->xAxis->setTicker(ticker);
}

void NumericsView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_worst)
        showRow();
}

} // namespace ridgeline
