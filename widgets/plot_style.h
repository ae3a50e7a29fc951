// SPDX-License-Identifier: GPL-3.0-or-later
// How every plot of the window looks, and how it leaves the window as a file.
#pragma once

#include "core/support/result.h"
#include "widgets/theme.h"

#include <QByteArray>

class QCustomPlot;
class QWidget;

namespace ridgeline {

/// Colours, fonts and grid from the theme; call again after a palette change, then replot.
void stylePlot(QCustomPlot& plot, const ThemeTokens& tokens);

enum class PlotFormat { Svg, Png, Pdf };

/// The plot as a file's bytes, painted by the code that paints it on the screen, at 960 × 600
/// (PNG: twice that), styled as it is now. UI thread, milliseconds.
QByteArray renderPlot(QCustomPlot& plot, PlotFormat format);

/// Asks for a file; empty when the user changed their mind. `format` is set from its suffix.
QString askPlotFile(const QString& suggestedName, PlotFormat* format, QWidget* parent);

} // namespace ridgeline
