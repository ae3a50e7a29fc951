// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLabel;
class QWidget;

namespace ridgeline {

/// A page that says why there is nothing to see and what to do; the two labels are handed out so
/// that the owner can change them. Plain text only.
QWidget* makeEmptyState(QLabel** title, QLabel** text, QWidget* parent);

} // namespace ridgeline
