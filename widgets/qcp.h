// SPDX-License-Identifier: GPL-3.0-or-later
// QCustomPlot's header uses Qt's short keywords, which QT_NO_KEYWORDS takes away; they are given
// back for this header only.
#pragma once

#include <QtGlobal>

#ifdef QT_NO_KEYWORDS
#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach Q_FOREACH
#endif
#include <qcustomplot.h>
#ifdef QT_NO_KEYWORDS
#undef signals
#undef slots
#undef foreach
#endif
