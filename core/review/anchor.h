// SPDX-License-Identifier: GPL-3.0-or-later
// Comments that follow their text when a file changes, and say so when they cannot.
#pragma once

#include "core/review/review.h"

#include <QByteArray>

namespace ridgeline {

enum class AnchorState {
    Exact,    ///< where it was, text unchanged
    Moved,    ///< the same text is elsewhere now, at one certain place
    Orphaned, ///< the text is gone, or several places fit equally: shown with its quote, at no line
};

struct AnchorPlace {
    AnchorState state = AnchorState::Orphaned;
    int firstLine = 0; ///< one-based; 0 when orphaned
    int lastLine = 0;
    QString reason; ///< why it is orphaned; empty otherwise
    bool operator==(const AnchorPlace&) const = default;
};

/// A comment bound to lines of a file as it is now. Error: the range is not inside the file.
Result<AnchoredComment> anchorComment(const QString& file, const QByteArray& fileText,
                                      int firstLine, int lastLine, const QString& text,
                                      const QString& criterion = {});

/// Where the comment belongs in the file as it is now. Pass a null byte array for a file that no
/// longer exists. Never guesses: two equally good places make an orphan. Files over 200,000 lines
/// are only checked in place.
AnchorPlace placeOf(const AnchoredComment& comment, const QByteArray& fileText);

} // namespace ridgeline
