// SPDX-License-Identifier: GPL-3.0-or-later
// Text search as one pure function, shared by every pane that can be searched.
#pragma once

#include "core/support/result.h"

#include <QString>
#include <QVector>

namespace ridgeline {

struct SearchQuery {
    QString text;
    bool regex = false;
    bool caseSensitive = false;
    bool operator==(const SearchQuery&) const = default;
};

/// Offsets are UTF-16 units from the start of the text; the line is zero-based.
struct SearchMatch {
    qsizetype start = 0;
    qsizetype length = 0;
    int line = 0;
    bool operator==(const SearchMatch&) const = default;
};

constexpr int searchMatchLimit = 10000;

/// Every match in order, at most searchMatchLimit; empty matches of an expression are left out. An
/// expression that does not compile, or that needs more steps than the limit set for it, is an
/// error (BadSyntax, TooLarge). Any thread.
Result<QVector<SearchMatch>> findAll(const QString& text, const SearchQuery& query);

} // namespace ridgeline
