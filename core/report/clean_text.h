// SPDX-License-Identifier: GPL-3.0-or-later
// Other people's text made safe to print: the one place every string of a report goes through.
#pragma once

#include <QString>

namespace ridgeline {

/// Control, bidirectional-override, zero-width and non-characters become visible
/// ("\u27e8U+202E\u27e9"), lone surrogates U+FFFD, every line end "\n"; tabs stay. Text over
/// `maxChars` is cut and says how much is missing. What is left is legal XML 1.0 text. Cleaning
/// twice changes nothing more.
QString cleanText(const QString& text, int maxChars = 8000);

/// cleanText on one line: line ends and tabs become spaces, runs of spaces one.
QString cleanLine(const QString& text, int maxChars = 500);

/// Nanoseconds with a unit a person reads: "812 ns", "12.35 µs", "4.812 s".
QString timeText(double ns);
/// Bytes with a binary unit: "812 B", "1.5 MiB".
QString bytesText(double bytes);
/// Up to six significant digits; "nan", "inf", "-inf" as words.
QString numberText(double value);

} // namespace ridgeline
