// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot_style.h"

#include "widgets/qcp.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace ridgeline {

namespace {

constexpr int exportWidth = 960;
constexpr int exportHeight = 600;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridgeline::Plot", text);
}

} // namespace

void stylePlot(QCustomPlot& plot, const ThemeTokens& t)
{
    plot.setBackground(QBrush(t.base));
    plot.setFont(QApplication::font());
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis, plot.xAxis2, plot.yAxis2}) {
        axis->setBasePen(QPen(t.muted, 1));
        axis->setTickPen(QPen(t.muted, 1));
        axis->setSubTickPen(QPen(t.border, 1));
        axis->setTickLabelColor(t.text);
        axis->setLabelColor(t.text);
        axis->setTickLabelFont(QApplication::font());
        axis->setLabelFont(QApplication::font());
        axis->grid()->setPen(QPen(t.border, 1, Qt::SolidLine));
        axis->grid()->setSubGridPen(QPen(t.border, 1, Qt::DotLine));
        axis->grid()->setZeroLinePen(QPen(t.border, 1));
    }
    if (plot.legend) {
        QColor back = t.base;
        back.setAlpha(230);
        plot.legend->setBrush(back);
        plot.legend->setBorderPen(QPen(t.border));
        plot.legend->setTextColor(t.text);
        plot.legend->setFont(QApplication::font());
    }
}

QByteArray renderPlot(QCustomPlot& plot, PlotFormat format)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (format == PlotFormat::Png) {
        const QPixmap pixmap = plot.toPixmap(exportWidth, exportHeight, 2.0);
        pixmap.save(&buffer, "PNG");
    } else if (format == PlotFormat::Svg) {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize({exportWidth, exportHeight});
        generator.setViewBox(QRect(0, 0, exportWidth, exportHeight));
        QCPPainter painter;
        painter.begin(&generator);
        painter.setMode(QCPPainter::pmVectorized);
        plot.toPainter(&painter, exportWidth, exportHeight);
        painter.end();
    } else {
        QPdfWriter writer(&buffer);
        writer.setResolution(96);
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        writer.setPageSize(
            QPageSize(QSizeF(exportWidth / 96.0, exportHeight / 96.0), QPageSize::Inch));
        QCPPainter painter;
        painter.begin(&writer);
        painter.setMode(QCPPainter::pmVectorized);
        plot.toPainter(&painter, exportWidth, exportHeight);
        painter.end();
    }
    return bytes;
}

QString askPlotFile(const QString& suggestedName, PlotFormat* format, QWidget* parent)
{
    const QString file = QFileDialog::getSaveFileName(parent, tr("Export the plot"),
                                                      suggestedName + QStringLiteral(".svg"),
                                                      tr("SVG (*.svg);;PNG (*.png);;PDF (*.pdf)"));
    const QString suffix = QFileInfo(file).suffix().toLower();
    *format = suffix == QLatin1String("png")   ? PlotFormat::Png
              : suffix == QLatin1String("pdf") ? PlotFormat::Pdf
                                               : PlotFormat::Svg;
    return file;
}

} // namespace ridgeline
