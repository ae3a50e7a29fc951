// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for this room only; every file still includes what it uses.
#pragma once

#include "core/support/json.h"
#include "widgets/qsci.h"

#include <QtWidgets/QtWidgets>
