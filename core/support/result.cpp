// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/result.h"

namespace ridgeline {

QString Location::toString() const
{
    QString text = file;
    if (line > 0) {
        text += QStringLiteral(":%1").arg(line);
        if (column > 0)
            text += QStringLiteral(":%1").arg(column);
    }
    if (!pointer.isEmpty())
        text += QLatin1Char('#') + pointer;
    return text;
}

QString Error::toString() const
{
    QString text = where.toString();
    if (!text.isEmpty())
        text += QStringLiteral(": ");
    text += message;
    if (!hint.isEmpty())
        text += QStringLiteral(" (%1)").arg(hint);
    return text;
}

int exitCodeFor(ErrorCode code)
{
    switch (code) {
    case ErrorCode::BadUsage:
    case ErrorCode::NotFound:
    case ErrorCode::Unreadable:
    case ErrorCode::BadSyntax:
    case ErrorCode::BadSchema:
    case ErrorCode::UnsafePath:
    case ErrorCode::TooLarge:
        return 2;
    case ErrorCode::Environment:
        return 3;
    case ErrorCode::Cancelled:
    case ErrorCode::Internal:
        return 1;
    }
    return 1;
}

} // namespace ridgeline
