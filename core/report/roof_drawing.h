// SPDX-License-Identifier: GPL-3.0-or-later
// A small roofline for reports. Both axes are logarithmic and fixed by the device alone, so that
// two reports for one device can be laid side by side.
#pragma once

#include "core/report/report_model.h"

#include <QByteArray>
#include <QImage>

namespace ridgeline {

/// A self-contained <svg> element without script, style sheet or reference; empty when the plot
/// cannot be drawn.
QString roofSvg(const RoofPlot& plot);

/// The same drawing as an image of 2 × 640 by 2 × 360 pixels; null when it cannot be drawn. Needs a
/// QGuiApplication for its fonts.
QImage roofImage(const RoofPlot& plot);

/// What the drawing shows, for those who cannot see it.
QString roofDescription(const RoofPlot& plot);

} // namespace ridgeline
