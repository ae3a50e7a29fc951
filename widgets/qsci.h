// SPDX-License-Identifier: GPL-3.0-or-later
// QScintilla's headers spell `signals` and `slots`, which QT_NO_KEYWORDS takes away; they are given
// back for these headers only.
#pragma once

#ifdef QT_NO_KEYWORDS
#define signals Q_SIGNALS
#define slots Q_SLOTS
#endif
#include <Qsci/qscilexercpp.h>
#include <Qsci/qscilexercustom.h>
#include <Qsci/qscilexerjson.h>
#include <Qsci/qscilexermarkdown.h>
#include <Qsci/qscilexerpython.h>
#include <Qsci/qsciscintilla.h>
#ifdef QT_NO_KEYWORDS
#undef signals
#undef slots
#endif
