// SPDX-License-Identifier: GPL-3.0-or-later
// Colours by meaning, for light and dark. Every text colour here reaches a contrast of 4.5:1 (WCAG
// 2.1, 1.4.3) on the three backgrounds; a test computes it.
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>
#include <QVector>

class QApplication;

namespace ridgeline {

enum class ThemeMode { System, Light, Dark };

/// What a state means, so that a row, an icon and a plot agree on shape and colour.
enum class Meaning { Neutral, Good, Bad, Warning, Info, Running, Muted };

struct ThemeTokens {
    bool dark = false;
    // backgrounds
    QColor window;  ///< behind panels
    QColor base;    ///< behind code and tables
    QColor raised;  ///< headers, alternate rows
    QColor border;  ///< lines, no text
    QColor current; ///< current line of code
    QColor selection;
    // text
    QColor text;
    QColor muted;
    QColor accent;
    QColor selectionText;
    QColor good;
    QColor bad;
    QColor warning;
    QColor info;
    // code
    QColor comment;
    QColor keyword;
    QColor type;
    QColor string;
    QColor number;
    QColor preprocessor;
    QColor builtin;

    static const ThemeTokens& lightSet();
    static const ThemeTokens& darkSet();
    /// The set that fits a palette: dark when its window is darker than its text.
    static const ThemeTokens& of(const QPalette& palette);

    QColor colour(Meaning meaning) const;
    QPalette palette() const;
    /// Every colour used for text, with a name for messages; the contrast test walks them.
    QVector<std::pair<QString, QColor>> textColours() const;
    QVector<std::pair<QString, QColor>> backgrounds() const;
};

/// WCAG 2.1 relative luminance contrast, 1 to 21.
double contrastRatio(const QColor& a, const QColor& b);

/// Sets style, palette and style sheet of the application. System keeps the desktop's choice of
/// light or dark. Call on the UI thread.
void applyTheme(QApplication& app, ThemeMode mode);

/// The fixed-pitch font of code, logs and numbers.
QFont codeFont();

} // namespace ridgeline
