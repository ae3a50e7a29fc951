// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline_view.h"

#include "core/support/json.h"
#include "widgets/empty_state.h"
#include "widgets/qcp.h"
#include "widgets/runs_model.h"
#include "widgets/runs_view.h"
#include "widgets/value_table.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace ridgeline {

RooflineFrame frameOf(const HardwareDevice& device)
{
    double top = 0;
    for (const Peak& peak : device.peaks)
        top = std::max(top, peak.gflops);
    const MemoryLevel* dram = device.level(QStringLiteral("dram"));
    RooflineFrame frame;
    if (top <= 0 || !dram || dram->gbps <= 0)
        return frame;
    // Two decades left of where DRAM meets the lowest peak, one right of where it meets the
    // highest.
    double low = top;
    for (const Peak& peak : device.peaks)
        low = std::min(low, peak.gflops);
    frame.xMin = std::pow(10, std::floor(std::log10(low / dram->gbps)) - 2);
    frame.xMax = std::pow(10, std::ceil(std::log10(top / dram->gbps)) + 1);
    frame.yMin = std::pow(10, std::floor(std::log10(frame.xMin * dram->gbps)));
    frame.yMax = std::pow(10, std::ceil(std::log10(top * 2.5)));
    return frame;
}

RooflineView::RooflineView(QWidget* parent)
    : QWidget(parent),
      m_deviceBox(new QComboBox(this)),
      m_legend(new QLabel(this)),
      m_export(new QPushButton(tr("Export plot …"), this)),
      m_stack(new QStackedWidget(this)),
      m_plot(new QCustomPlot(this)),
      m_table(makeTable(tr("Roofline points"), this)),
      m_model(new ValueTable(this)),
      m_details(new QLabel(this))
{
    auto* top = new QHBoxLayout;
    top->setContentsMargins(8, 4, 8, 4);
    auto* label = new QLabel(tr("Roof of"), this);
    m_deviceBox->setAccessibleName(tr("Device whose roof is drawn"));
    m_deviceBox->setMinimumContentsLength(20);
    m_deviceBox->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_deviceBox->setMaxVisibleItems(24);
    label->setBuddy(m_deviceBox);
    m_legend->setObjectName(QStringLiteral("Muted"));
    m_legend->setText(tr("hollow: from expressions · filled: counted · diamond: measured"));
    m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_export->setAccessibleName(tr("Export the roofline plot"));
    top->addWidget(label);
    top->addWidget(m_deviceBox);
    top->addWidget(m_legend, 1);
    top->addWidget(m_export);

    m_plot->setFocusPolicy(Qt::StrongFocus);
    m_plot->setAccessibleName(tr("Roofline plot"));
    m_plot->setAccessibleDescription(tr("Left and right arrow keys step through the points"));
    m_plot->setMouseTracking(true);
    m_plot->setMinimumSize(280, 160);
    m_plot->installEventFilter(this);
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
        axis->setNumberFormat(QStringLiteral("gbc"));
        axis->setNumberPrecision(0);
        axis->grid()->setSubGridVisible(false);
    }
    m_plot->xAxis->setLabel(tr("arithmetic intensity, FLOP per byte"));
    m_plot->yAxis->setLabel(tr("GFLOP/s"));
    connect(m_plot, &QCustomPlot::afterLayout, this, &RooflineView::turnLabels);

    m_details->setTextFormat(Qt::PlainText);
    m_details->setWordWrap(true);
    m_details->setMargin(6);
    m_details->setAccessibleName(tr("Details of the point"));
    m_table->setModel(m_model);

    auto* left = new QWidget(this);
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 0, 0);
    leftColumn->setSpacing(0);
    leftColumn->addLayout(top);
    leftColumn->addWidget(m_plot, 1);
    auto* right = new QWidget(this);
    auto* rightColumn = new QVBoxLayout(right);
    rightColumn->setContentsMargins(0, 0, 0, 0);
    rightColumn->setSpacing(0);
    rightColumn->addWidget(m_table, 1);
    rightColumn->addWidget(m_details);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setObjectName(QStringLiteral("RooflineSplitter"));
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(left);
    splitter->addWidget(right);
    splitter->setSizes({640, 420});
    m_stack->addWidget(makeEmptyState(&m_emptyTitle, &m_emptyText, this));
    m_stack->addWidget(splitter);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);

    connect(m_deviceBox, &QComboBox::activated, this, [this] {
        rebuild();
        Q_EMIT deviceChosen(device());
    });
    connect(m_export, &QPushButton::clicked, this, &RooflineView::exportFile);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) { setCurrentMark(index.row()); });
    rebuild();
}

RooflineView::~RooflineView() = default;

void RooflineView::setHardware(const HardwareTable& hardware)
{
    m_hardware = hardware;
    const QString chosen = device();
    m_deviceBox->clear();
    for (const HardwareDevice& entry : hardware.devices)
        m_deviceBox->addItem(entry.name, entry.id);
    setDevice(chosen.isEmpty() ? m_run.deviceId : chosen);
}

void RooflineView::setRun(const RooflineRun& run)
{
    m_run = run;
    m_current = -1;
    if (!run.deviceId.isEmpty() && m_deviceBox->findData(run.deviceId) >= 0)
        m_deviceBox->setCurrentIndex(m_deviceBox->findData(run.deviceId));
    rebuild();
}

void RooflineView::setCandidate(const QString& candidate)
{
    if (candidate == m_candidate)
        return;
    m_candidate = candidate;
    rebuild();
}

void RooflineView::setDevice(const QString& id)
{
    const int index = m_deviceBox->findData(id);
    if (index >= 0)
        m_deviceBox->setCurrentIndex(index);
    rebuild();
}

QString RooflineView::device() const
{
    return m_deviceBox->currentData().toString();
}

void RooflineView::rebuild()
{
    const HardwareDevice* chosen = m_hardware.device(device());
    m_emptyTitle->setText(tr("No roof to draw"));
    m_emptyText->setText(tr("The table of devices has not been read."));
    m_stack->setCurrentIndex(chosen ? 1 : 0);
    if (!chosen)
        return;
    placeMarks(*chosen);
    fillTable();
    draw(*chosen, ThemeTokens::of(palette()));
    setCurrentMark(std::min(m_current, int(m_marks.size()) - 1));
}

void RooflineView::placeMarks(const HardwareDevice& chosen)
{
    m_marks.clear();
    const RooflineFrame frame = frameOf(chosen);
    HardwareDevice host;
    host.id = QStringLiteral("host");
    host.name = tr("this host, measured");
    if (m_run.hostGflops && m_run.hostGbps) {
        for (const char* kind : {"fp64", "fp32"})
            host.peaks.append({QString::fromLatin1(kind), *m_run.hostGflops, 0, {}});
        host.levels.append({QStringLiteral("dram"), *m_run.hostGbps});
    }
    for (const RooflineRow& row : m_run.rows) {
        RooflineMark mark;
        mark.candidate = row.candidate;
        mark.onHost = row.timingKind == QLatin1String("host");
        const HardwareDevice& base = mark.onHost ? host : chosen;
        QString kind = row.peakKind;
        if (!base.peak(kind)) {
            if (const auto type = dtypeFromName(m_run.dtype))
                kind = peakKind(base, *type, false);
        }
        const auto placed =
            makePoint(base, kind, row.level, row.caseId, row.source, {row.flops, row.bytes});
        if (!placed) {
            mark.point.caseId = row.caseId;
            mark.point.source = row.source;
            mark.point.flops = row.flops;
            mark.point.bytes = row.bytes;
            mark.note = placed.error().message;
            m_marks.append(mark);
            continue;
        }
        mark.point = *placed;
        // A time counts only under the roof of the device it was measured on.
        const bool sameDevice = mark.onHost || chosen.id == m_run.deviceId;
        if (row.timeNs && sameDevice)
            setTime(mark.point, base, *row.timeNs, row.timingKind);
        mark.x = mark.point.intensity;
        mark.y =
            mark.point.achievedGflops ? *mark.point.achievedGflops : mark.point.attainableGflops;
        mark.drawable = std::isfinite(mark.x) || mark.x > 0;
        const double x = std::clamp(mark.x, frame.xMin, frame.xMax);
        const double y = std::clamp(mark.y, frame.yMin, frame.yMax);
        if (x != mark.x || y != mark.y)
            mark.note = tr("outside the device's frame, drawn at its edge");
        mark.x = x;
        mark.y = y;
        m_marks.append(mark);
    }
}

void RooflineView::draw(const HardwareDevice& chosen, const ThemeTokens& tokens)
{
    m_focusRing = nullptr;
    m_slopeLabels.clear();
    m_ceilingLabels.clear();
    m_plot->clearItems();
    m_plot->clearPlottables();
    stylePlot(*m_plot, tokens);
    const RooflineFrame frame = frameOf(chosen);
    m_plot->xAxis->setRange(frame.xMin, frame.xMax);
    m_plot->yAxis->setRange(frame.yMin, frame.yMax);
    drawRoof(chosen, tokens);
    drawHostRoof(tokens);
    drawMarks(tokens);
    drawFocus(tokens);
    m_plot->replot();
}

namespace {

QCPGraph* addLine(QCustomPlot& plot, const QVector<double>& x, const QVector<double>& y,
                  const QPen& pen)
{
    QCPGraph* graph = plot.addGraph();
    graph->setData(x, y, true);
    graph->setPen(pen);
    graph->setAdaptiveSampling(false);
    return graph;
}

QCPItemText* addLabel(QCustomPlot& plot, const QString& text, double x, double y,
                      Qt::Alignment alignment, const QColor& colour, const ThemeTokens& tokens)
{
    auto* item = new QCPItemText(&plot);
    item->position->setCoords(x, y);
    item->setPositionAlignment(alignment);
    item->setText(text);
    item->setColor(colour);
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * 0.9);
    item->setFont(font);
    QColor back = tokens.base;
    back.setAlpha(200);
    item->setBrush(back);
    item->setPadding(QMargins(2, 0, 2, 0));
    item->setClipToAxisRect(true);
    return item;
}

QString gflopsText(double gflops)
{
    return siText(gflops * 1e9, QStringLiteral("FLOP/s"));
}

} // namespace

void RooflineView::drawRoof(const HardwareDevice& chosen, const ThemeTokens& tokens)
{
    const RooflineFrame frame = frameOf(chosen);
    const double share = std::max(1, chosen.perDeviceDivisor);
    double top = 0;
    for (const Peak& peak : chosen.peaks)
        top = std::max(top, peak.gflops / share);
    // Kinds with the same peak share a line and a label.
    QMap<double, QStringList> ceilings;
    for (const Peak& peak : chosen.peaks)
        ceilings[peak.gflops / share].append(peak.kind);
    QString used;
    for (const RooflineMark& mark : std::as_const(m_marks)) {
        if (!mark.onHost && !mark.point.peakKind.isEmpty())
            used = mark.point.peakKind;
    }
    double levelMax = 0;
    for (const MemoryLevel& level : chosen.levels)
        levelMax = std::max(levelMax, level.gbps / share);
    for (auto it = ceilings.cbegin(); it != ceilings.cend(); ++it) {
        const double peak = it.key();
        const bool strong = it.value().contains(used);
        addLine(*m_plot, {peak / levelMax, frame.xMax}, {peak, peak},
                QPen(strong ? tokens.accent : tokens.muted, strong ? 2.2 : 1.2));
        QCPItemText* label = addLabel(
            *m_plot,
            QStringLiteral("%1  %2").arg(it.value().join(QStringLiteral(", ")), gflopsText(peak)),
            frame.xMax, peak, Qt::AlignRight | Qt::AlignBottom,
            strong ? tokens.accent : tokens.muted, tokens);
        m_ceilingLabels.append({label, strong});
    }
    for (const MemoryLevel& level : chosen.levels) {
        const double gbps = level.gbps / share;
        const double xLow = std::max(frame.xMin, frame.yMin / gbps);
        const bool dram = level.level == QLatin1String("dram");
        addLine(*m_plot, {xLow, top / gbps}, {xLow * gbps, top},
                QPen(dram ? tokens.accent : tokens.muted, dram ? 2.2 : 1.2));
        const double x = std::sqrt(xLow * (top / gbps)) / 6;
        QCPItemText* label =
            addLabel(*m_plot,
                     QStringLiteral("%1  %2").arg(level.level.toUpper(),
                                                  siText(gbps * 1e9, QStringLiteral("B/s"))),
                     std::max(x, xLow * 1.5), std::max(x, xLow * 1.5) * gbps,
                     Qt::AlignLeft | Qt::AlignBottom, dram ? tokens.accent : tokens.muted, tokens);
        m_slopeLabels.append({label, gbps});
    }
}

void RooflineView::drawHostRoof(const ThemeTokens& tokens)
{
    if (!m_run.hostGflops || !m_run.hostGbps || *m_run.hostGflops <= 0 || *m_run.hostGbps <= 0)
        return;
    const QCPRange x = m_plot->xAxis->range();
    const double bend = *m_run.hostGflops / *m_run.hostGbps;
    QPen pen(tokens.warning, 1.6, Qt::DashLine);
    addLine(
        *m_plot, {x.lower, std::min(bend, x.upper), x.upper},
        {x.lower * *m_run.hostGbps, std::min(bend, x.upper) * *m_run.hostGbps, *m_run.hostGflops},
        pen);
    addLabel(*m_plot,
             tr("this host, measured: %1, %2")
                 .arg(gflopsText(*m_run.hostGflops),
                      siText(*m_run.hostGbps * 1e9, QStringLiteral("B/s"))),
             x.upper, *m_run.hostGflops, Qt::AlignRight | Qt::AlignBottom, tokens.warning, tokens);
}

void RooflineView::drawMarks(const ThemeTokens& tokens)
{
    const QCPRange frame = m_plot->yAxis->range();
    for (const RooflineMark& mark : std::as_const(m_marks)) {
        if (!mark.drawable)
            continue;
        const bool strong = m_candidate.isEmpty() || mark.candidate == m_candidate;
        const QColor colour = mark.onHost ? tokens.warning : strong ? tokens.good : tokens.muted;
        const bool measured = mark.point.achievedGflops.has_value();
        // From below when nothing was measured (only a bound), from the point to its roof when it
        // was.
        const double from = measured ? mark.y : frame.lower;
        addLine(*m_plot, {mark.x, mark.x}, {from, mark.point.attainableGflops},
                QPen(colour, 1, measured ? Qt::SolidLine : Qt::DotLine));
        QCPGraph* point = m_plot->addGraph();
        point->setData({mark.x}, {mark.y}, true);
        point->setLineStyle(QCPGraph::lsNone);
        const bool filled = mark.point.source == QLatin1String("counted");
        const auto shape =
            measured ? (mark.onHost ? QCPScatterStyle::ssSquare : QCPScatterStyle::ssDiamond)
                     : QCPScatterStyle::ssCircle;
        point->setScatterStyle(QCPScatterStyle(
            shape, QPen(colour, 1.8), QBrush(filled ? colour : tokens.base), strong ? 10 : 8));
    }
}

void RooflineView::drawFocus(const ThemeTokens& tokens)
{
    m_focusRing = m_plot->addGraph();
    m_focusRing->setLineStyle(QCPGraph::lsNone);
    m_focusRing->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(tokens.accent, 2), Qt::NoBrush, 18));
    if (m_current >= 0 && m_current < m_marks.size() && m_marks.at(m_current).drawable)
        m_focusRing->setData({m_marks.at(m_current).x}, {m_marks.at(m_current).y}, true);
}

void RooflineView::turnLabels()
{
    // Along their slope, whatever the shape of the widget (or the page) is now.
    for (const SlopeLabel& label : std::as_const(m_slopeLabels)) {
        const double x = label.item->position->key();
        const double dx = m_plot->xAxis->coordToPixel(x * 10) - m_plot->xAxis->coordToPixel(x);
        const double dy = m_plot->yAxis->coordToPixel(x * label.bandwidth) -
                          m_plot->yAxis->coordToPixel(x * 10 * label.bandwidth);
        label.item->setRotation(-std::atan2(dy, dx) * 180 / M_PI);
    }
    // Labels closer than a line of text would lie on each other; the compared ceiling keeps its
    // own.
    const double line = QFontMetricsF(font()).height() * 0.85;
    QVector<double> taken;
    for (const bool strong : {true, false}) {
        for (const CeilingLabel& label : std::as_const(m_ceilingLabels)) {
            if (label.strong != strong)
                continue;
            const double y = m_plot->yAxis->coordToPixel(label.item->position->value());
            const bool free = std::none_of(taken.cbegin(), taken.cend(), [y, line](double other) {
                return std::fabs(y - other) < line;
            });
            label.item->setVisible(free);
            if (free)
                taken.append(y);
        }
    }
}

QString RooflineView::describe(const RooflineMark& mark) const
{
    const RooflinePoint& p = mark.point;
    QString text =
        QStringLiteral("%1, %2 (%3): %4, %5, %6 FLOP/byte")
            .arg(mark.candidate, p.caseId, p.source, siText(p.flops, QStringLiteral("FLOP")),
                 siText(p.bytes, QStringLiteral("B")), realText(p.intensity));
    if (!p.boundBy.isEmpty())
        text += tr(". Bound by %1 (%2): at most %3, so at least %4 on this device")
                    .arg(p.boundBy, p.level, gflopsText(p.attainableGflops),
                         durationText(qint64(std::ceil(p.boundNs))));
    if (p.timeNs && p.achievedGflops)
        text +=
            tr(". Measured (%1): %2, %3")
                .arg(p.timingKind, durationText(qint64(*p.timeNs)), gflopsText(*p.achievedGflops));
    else if (!p.boundBy.isEmpty())
        text += tr(". No time was measured on it");
    if (!mark.note.isEmpty())
        text += QStringLiteral(". ") + mark.note;
    return text;
}

void RooflineView::fillTable()
{
    QVector<QVector<ValueCell>> rows;
    for (const RooflineMark& mark : std::as_const(m_marks)) {
        const RooflinePoint& p = mark.point;
        const bool placed = !p.boundBy.isEmpty();
        rows.append({{mark.candidate, false, {}, {}},
                     {p.caseId, false, {}, {}},
                     {p.source, false, {}, {}},
                     {siText(p.flops, QStringLiteral("FLOP")), true, {}, {}},
                     {siText(p.bytes, QStringLiteral("B")), true, {}, {}},
                     {placed ? realText(p.intensity, 3) : QStringLiteral("–"), true, {}, {}},
                     {placed ? p.boundBy : mark.note, false, {}, mark.note},
                     {placed ? durationText(qint64(std::ceil(p.boundNs))) : QStringLiteral("–"),
                      true,
                      {},
                      {}},
                     {p.timeNs ? QStringLiteral("%1 (%2)").arg(durationText(qint64(*p.timeNs)),
                                                               p.timingKind)
                               : tr("not measured"),
                      true,
                      {},
                      {}}});
    }
    m_model->setTable({tr("Candidate"), tr("Case"), tr("Source"), tr("Work"), tr("Traffic"),
                       tr("FLOP/byte"), tr("Bound by"), tr("At least"), tr("Time")},
                      rows);
    m_table->resizeColumnsToContents();
    m_details->setText(
        m_marks.isEmpty()
            ? tr("No roofline pass has run yet: this is the roof alone. F5 runs the passes.")
            : tr("Arrow keys in the plot step through the points."));
}

void RooflineView::setCurrentMark(int index)
{
    if (index < 0 || index >= m_marks.size()) {
        m_current = -1;
        return;
    }
    m_current = index;
    if (m_table->currentIndex().row() != index)
        m_table->selectRow(index);
    const RooflineMark& mark = m_marks.at(index);
    m_details->setText(describe(mark));
    m_plot->setAccessibleDescription(m_details->text());
    if (m_focusRing) {
        if (mark.drawable)
            m_focusRing->setData({mark.x}, {mark.y}, true);
        else
            m_focusRing->setData(QVector<double>{}, QVector<double>{}, true);
        m_plot->replot();
    }
}

QPointF RooflineView::pixelOf(int mark) const
{
    const RooflineMark& m = m_marks.at(mark);
    return {m_plot->xAxis->coordToPixel(m.x), m_plot->yAxis->coordToPixel(m.y)};
}

QByteArray RooflineView::render(PlotFormat format)
{
    const HardwareDevice* chosen = m_hardware.device(device());
    if (!chosen)
        return {};
    draw(*chosen, ThemeTokens::lightSet());
    const QByteArray bytes = renderPlot(*m_plot, format);
    draw(*chosen, ThemeTokens::of(palette()));
    return bytes;
}

void RooflineView::exportFile()
{
    PlotFormat format = PlotFormat::Svg;
    const QString file = askPlotFile(QStringLiteral("roofline-%1").arg(device()), &format, this);
    if (file.isEmpty())
        return;
    const auto written = writeFileAtomically(file, render(format));
    Q_EMIT exported(written ? tr("The plot is in %1").arg(file) : written.error().toString());
}

void RooflineView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_stack && m_hardware.device(device()))
        draw(*m_hardware.device(device()), ThemeTokens::of(palette()));
}

bool RooflineView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_plot)
        return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress && !m_marks.isEmpty()) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int count = int(m_marks.size());
        if (key == Qt::Key_Right || key == Qt::Key_Down) {
            setCurrentMark((m_current + 1) % count);
            return true;
        }
        if (key == Qt::Key_Left || key == Qt::Key_Up) {
            setCurrentMark((std::max(m_current, 0) - 1 + count) % count);
            return true;
        }
    }
    if (event->type() == QEvent::MouseMove || event->type() == QEvent::MouseButtonPress) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        int nearest = -1;
        double best = 14; // pixels
        for (int i = 0; i < m_marks.size(); ++i) {
            if (!m_marks.at(i).drawable)
                continue;
            const QPointF gap = pixelOf(i) - mouse->position();
            const double distance = std::hypot(gap.x(), gap.y());
            if (distance < best) {
                best = distance;
                nearest = i;
            }
        }
        if (nearest < 0)
            QToolTip::hideText();
        else if (event->type() == QEvent::MouseButtonPress)
            setCurrentMark(nearest);
        else
            QToolTip::showText(mouse->globalPosition().toPoint(),
                               describe(m_marks.at(nearest)).toHtmlEscaped(), m_plot);
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace ridgeline
