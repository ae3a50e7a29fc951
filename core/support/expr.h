// SPDX-License-Identifier: GPL-3.0-or-later
// Integer expressions of bundles: shapes, FLOPs, bytes.
#pragma once

#include "core/support/result.h"

#include <QMap>
#include <QStringList>

namespace ridgeline {

/// Values of names an expression may use (axes of a case).
using ExprEnv = QMap<QString, double>;

/// Evaluates `+ - * / // % **`, parentheses, integer and decimal literals (also 1e-5), and names,
/// with Python's precedence (`**` binds tighter than unary minus and to the right; `//` floors, `/`
/// does not). Errors name the column: unknown name, division by zero, result not finite, text over
/// 1,000 characters or nested deeper than 100.
Result<double> evaluateExpr(const QString& text, const ExprEnv& env);

/// Whether `text` is an expression over `names`, whatever their values: everything evaluateExpr
/// refuses but division by zero and results that are not finite.
Result<void> checkExpr(const QString& text, const QStringList& names);

/// evaluateExpr, and the result must be an integer in [0, 2^53].
Result<qint64> evaluateCount(const QString& text, const ExprEnv& env);

} // namespace ridgeline
