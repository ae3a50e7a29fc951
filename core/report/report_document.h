// SPDX-License-Identifier: GPL-3.0-or-later
// A report laid out as blocks, the same for every format. Writers only translate blocks.
#pragma once

#include "core/report/report_model.h"

namespace ridgeline {

/// A stretch of text in one style. Never markup.
struct TextRun {
    enum class Style { Plain, Bold, Italic, Code };
    QString text;
    Style style = Style::Plain;
    bool operator==(const TextRun&) const = default;
};
using Runs = QVector<TextRun>;

struct Block {
    enum class Kind { Heading, Paragraph, Note, Bullet, Quote, Code, Table, Plot };
    Kind kind = Kind::Paragraph;
    int level = 1;     ///< Heading: 1 to 4
    Runs runs;         ///< Heading, Paragraph, Note, Bullet, Quote; Code: one run
    ReportTable table; ///< Table (its title and note are blocks of their own)
    RoofPlot plot;     ///< Plot
    bool operator==(const Block&) const = default;
};

struct ReportDocument {
    QString title;
    QVector<Block> blocks;
};

ReportDocument documentOf(const ReportModel& model);

/// Text of a person: `code` between backticks becomes Code runs, everything else stays text.
Runs proseRuns(const QString& text);

} // namespace ridgeline
