// SPDX-License-Identifier: GPL-3.0-or-later
// Icons that take their colour from the palette when they are painted, so a change of theme or of
// screen scale needs no reload.
#pragma once

#include "core/audit/finding.h"
#include "core/pass/record.h"
#include "widgets/theme.h"

#include <QIcon>

namespace ridgeline {

/// A shape says the same as a colour, for those who cannot tell the colours apart.
enum class Shape {
    Check,    ///< disc with a tick
    Cross,    ///< octagon with a cross
    Triangle, ///< triangle with an exclamation mark
    Question, ///< disc outline with a question mark
    Ring,     ///< outline only: nothing happened yet
    Play,     ///< triangle pointing right: running
    Dash,     ///< disc outline with a bar: skipped
    Square,   ///< filled square: stopped
    Clock,    ///< disc outline with hands: out of time
    Diamond,  ///< filled diamond
    Bar,      ///< a short bar
};

struct Look {
    Shape shape = Shape::Ring;
    Meaning meaning = Meaning::Muted;
    QString text; ///< the word beside the icon, translated
};

Look lookOf(PassState state);
Look lookOf(CandidateVerdict verdict);
Look lookOf(Severity severity);
Look lookOf(FindingState state);

QIcon shapeIcon(Shape shape, Meaning meaning);
QIcon lookIcon(const Look& look);

/// resources/icons/NAME.svg drawn in the text colour; an empty icon when there is no such file.
QIcon themedIcon(const QString& name);

} // namespace ridgeline
