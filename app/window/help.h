// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace ridgeline {

class Actions;

/// F1: what the window does and every key it has, made from the actions themselves.
void showHelpDialog(const Actions& actions, QWidget* parent);

} // namespace ridgeline
