// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/benchmark_view.h"

#include "widgets/empty_state.h"
#include "widgets/qcp.h"
#include "widgets/runs_model.h"
#include "widgets/runs_view.h"
#include "widgets/value_table.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace ridgeline {

namespace {

QString timeText(const std::optional<double>& ns)
{
    return ns ? durationText(qint64(std::llround(*ns))) : QStringLiteral("–");
}

/// Samples are shown in the unit that keeps the numbers short.
std::pair<double, QString> unitFor(double ns)
{
    if (ns >= 1e9)
        return {1e9, QStringLiteral("s")};
    if (ns >= 1e6)
        return {1e6, QStringLiteral("ms")};
    if (ns >= 1e3)
        return {1e3, QStringLiteral("µs")};
    return {1, QStringLiteral("ns")};
}

QCPItemText* plotLabel(QCustomPlot& plot, const QString& text, const ThemeTokens& t)
{
    auto* item = new QCPItemText(&plot);
    item->position->setType(QCPItemPosition::ptAxisRectRatio);
    item->position->setCoords(0.99, 0.02);
    item->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
    item->setText(text);
    item->setColor(t.muted);
    item->setFont(QApplication::font());
    return item;
}

} // namespace

BenchmarkView::BenchmarkView(QWidget* parent)
    : QWidget(parent),
      m_stack(new QStackedWidget(this)),
      m_badge(new QLabel(this)),
      m_kind(new QComboBox(this)),
      m_table(makeTable(tr("Benchmark cases"), this)),
      m_model(new ValueTable(this)),
      m_headline(new QLabel(this)),
      m_plot(new QCustomPlot(this))
{
    m_table->setModel(m_model);
    m_badge->setTextFormat(Qt::PlainText);
    m_badge->setWordWrap(true);
    m_badge->setAccessibleName(tr("Kind of time"));
    m_headline->setTextFormat(Qt::PlainText);
    m_headline->setWordWrap(true);
    m_kind->addItems({tr("samples in order"), tr("histogram")});
    m_kind->setAccessibleName(tr("How samples are drawn"));
    m_plot->setAccessibleName(tr("Samples of the case"));
    m_plot->setMinimumSize(220, 110);

    auto* left = new QWidget(this);
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 0, 0);
    leftColumn->setSpacing(0);
    m_badge->setMargin(8);
    leftColumn->addWidget(m_badge);
    leftColumn->addWidget(m_table, 1);
    auto* right = new QWidget(this);
    auto* rightColumn = new QVBoxLayout(right);
    rightColumn->setContentsMargins(10, 4, 4, 0);
    auto* top = new QHBoxLayout;
    top->addWidget(m_headline, 1);
    top->addWidget(m_kind);
    rightColumn->addLayout(top);
    rightColumn->addWidget(m_plot, 1);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setObjectName(QStringLiteral("BenchmarkSplitter"));
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(left);
    splitter->addWidget(right);
    splitter->setSizes({600, 500});
    m_stack->addWidget(makeEmptyState(&m_emptyTitle, &m_emptyText, this));
    m_stack->addWidget(splitter);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &BenchmarkView::showRow);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &BenchmarkView::showRow);
    setRows({}, {});
}

void BenchmarkView::setRows(const QVector<BenchmarkRow>& rows, const QString& candidate)
{
    m_all = rows;
    m_candidate = candidate;
    refill();
}

void BenchmarkView::refill()
{
    m_rows.clear();
    for (const BenchmarkRow& row : std::as_const(m_all)) {
        if (row.candidate == m_candidate || m_candidate.isEmpty())
            m_rows.append(row);
    }
    QVector<QVector<ValueCell>> cells;
    for (const BenchmarkRow& row : std::as_const(m_rows)) {
        QString ratio = QStringLiteral("–");
        if (row.ratio)
            ratio = tr("%1 × (%2 to %3)")
                        .arg(realText(row.ratio, 3), realText(row.ratioLow, 3),
                             realText(row.ratioHigh, 3));
        const bool wrong = row.wrongReps > 0;
        QStringList flags = row.flags;
        if (wrong)
            flags.prepend(tr("%1 of %2 repetitions wrong").arg(row.wrongReps).arg(row.reps));
        const double spread =
            row.iqrNs && row.medianNs && *row.medianNs > 0 ? *row.iqrNs / *row.medianNs * 100 : 0;
        cells.append(
            {{row.caseId, false, {}, {}},
             {timeText(row.medianNs), true, {}, {}},
             {tr("%1 to %2").arg(timeText(row.ciLowNs), timeText(row.ciHighNs)),
              true,
              {},
              tr("95 % confidence interval of the median")},
             {timeText(row.minNs), true, {}, {}},
             {row.iqrNs ? tr("%1 %").arg(spread, 0, 'f', 1) : QStringLiteral("–"),
              true,
              {},
              tr("interquartile range over median")},
             {QString::number(row.samplesNs.size()),
              true,
              {},
              tr("%1 warm-up runs before, cache %2").arg(row.warmup).arg(row.cache)},
             {ratio,
              false,
              {},
              row.baseline.isEmpty()
                  ? tr("no baseline")
                  : tr("time over that of %1, with 95 % interval").arg(row.baseline)},
             {row.verdict, false, {}, {}},
             {flags.join(QStringLiteral(", ")),
              false,
              flags.isEmpty() ? std::nullopt
                              : std::optional<Look>(Look{wrong ? Shape::Cross : Shape::Triangle,
                                                         wrong ? Meaning::Bad : Meaning::Warning,
                                                         {}}),
              {}}});
    }
    m_model->setTable({tr("Case"), tr("Median"), tr("95 % interval"), tr("Min"), tr("Spread"),
                       tr("Samples"), tr("To baseline"), tr("Verdict"), tr("Flags")},
                      cells);
    m_table->resizeColumnsToContents();
    m_emptyTitle->setText(m_all.isEmpty() ? tr("Nothing was timed yet")
                                          : tr("No times for this candidate"));
    m_emptyText->setText(m_all.isEmpty()
                             ? tr("F5 runs the passes. Every sample is kept and shown here.")
                             : tr("The benchmark pass has no result for %1; the Runs tab says why.")
                                   .arg(m_candidate));
    m_stack->setCurrentIndex(m_rows.isEmpty() ? 0 : 1);
    if (!m_rows.isEmpty())
        m_table->selectRow(0);
    showRow();
}

void BenchmarkView::showRow()
{
    m_plot->clearItems();
    m_plot->clearPlottables();
    const int index = m_table->currentIndex().row();
    if (index < 0 || index >= m_rows.size())
        return;
    const BenchmarkRow& row = m_rows.at(index);
    const ThemeTokens& t = ThemeTokens::of(palette());
    const bool real =
        row.timingKind == QLatin1String("device") || row.timingKind == QLatin1String("profiler");
    m_badge->setText(tr("%1: %2.").arg(row.timingKind, timingKindMeaning(row.timingKind)));
    m_badge->setToolTip(QStringLiteral("%1\n%2").arg(row.clock, row.note).toHtmlEscaped());
    QPalette badge = m_badge->palette();
    badge.setColor(QPalette::WindowText, real ? t.good : t.warning);
    m_badge->setPalette(badge);
    m_headline->setText(tr("%1: median %2 over %3 samples")
                            .arg(row.caseId, timeText(row.medianNs))
                            .arg(row.samplesNs.size()));
    stylePlot(*m_plot, t);
    if (!row.samplesNs.isEmpty()) {
        if (m_kind->currentIndex() == 0)
            drawSamples(row, t);
        else
            drawHistogram(row, t);
        plotLabel(*m_plot, timingKindMeaning(row.timingKind), t);
    }
    m_plot->replot();
}

void BenchmarkView::drawSamples(const BenchmarkRow& row, const ThemeTokens& t)
{
    const auto [least, most] = std::minmax_element(row.samplesNs.cbegin(), row.samplesNs.cend());
    const auto [unit, name] = unitFor(*most);
    QVector<double> keys;
    QVector<double> values;
    for (int i = 0; i < row.samplesNs.size(); ++i) {
        keys.append(i + 1);
        values.append(row.samplesNs.at(i) / unit);
    }
    const double last = double(row.samplesNs.size()) + 1;
    if (row.ciLowNs && row.ciHighNs) {
        auto* band = new QCPItemRect(m_plot);
        band->topLeft->setCoords(0, *row.ciHighNs / unit);
        band->bottomRight->setCoords(last, *row.ciLowNs / unit);
        QColor fill = t.accent;
        fill.setAlpha(45);
        band->setBrush(fill);
        band->setPen(Qt::NoPen);
    }
    if (row.medianNs) {
        QCPGraph* median = m_plot->addGraph();
        median->setData({0, last}, {*row.medianNs / unit, *row.medianNs / unit}, true);
        median->setPen(QPen(t.accent, 1.6));
    }
    QCPGraph* samples = m_plot->addGraph();
    samples->setData(keys, values, true);
    samples->setLineStyle(QCPGraph::lsNone);
    samples->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(t.text, 1.2), QBrush(t.base), 6));
    m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>::create());
    m_plot->xAxis->setLabel(tr("repetition, in order"));
    m_plot->yAxis->setLabel(tr("time, %1").arg(name));
    m_plot->xAxis->setRange(0, last);
    const double margin = std::max((*most - *least) * 0.15, *most * 0.01) / unit;
    m_plot->yAxis->setRange(*least / unit - margin, *most / unit + margin);
}

void BenchmarkView::drawHistogram(const BenchmarkRow& row, const ThemeTokens& t)
{
    const auto [least, most] = std::minmax_element(row.samplesNs.cbegin(), row.samplesNs.cend());
    const auto [unit, name] = unitFor(*most);
    const int bins = std::clamp(int(std::sqrt(double(row.samplesNs.size()))) + 1, 4, 40);
    const double width = std::max((*most - *least) / bins, 1.0);
    QVector<double> counts(bins, 0);
    for (const double sample : row.samplesNs)
        counts[std::min(bins - 1, int((sample - *least) / width))] += 1;
    QVector<double> keys;
    for (int i = 0; i < bins; ++i)
        keys.append((*least + (i + 0.5) * width) / unit);
    auto* bars = new QCPBars(m_plot->xAxis, m_plot->yAxis);
    bars->setWidth(width / unit * 0.92);
    bars->setPen(Qt::NoPen);
    bars->setBrush(t.accent);
    bars->setData(keys, counts, true);
    m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>::create());
    m_plot->xAxis->setLabel(tr("time, %1").arg(name));
    m_plot->yAxis->setLabel(tr("samples"));
    m_plot->xAxis->setRange((*least - width) / unit, (*least + (bins + 1) * width) / unit);
    m_plot->yAxis->setRange(0, *std::max_element(counts.cbegin(), counts.cend()) * 1.15);
}

void BenchmarkView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_plot)
        showRow();
}

} // namespace ridgeline
