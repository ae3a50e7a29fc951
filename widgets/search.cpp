// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/search.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace ridgeline {

Result<QVector<SearchMatch>> findAll(const QString& text, const SearchQuery& query)
{
    QVector<SearchMatch> matches;
    if (query.text.isEmpty())
        return matches;
    int line = 0;
    qsizetype lineSeen = 0;
    const auto add = [&](qsizetype start, qsizetype length) {
        line += int(QStringView(text).mid(lineSeen, start - lineSeen).count(QLatin1Char('\n')));
        lineSeen = start;
        matches.append({start, length, line});
    };
    if (!query.regex) {
        const auto sensitivity = query.caseSensitive ? Qt::CaseSensitive : Qt::CaseInsensitive;
        qsizetype at = text.indexOf(query.text, 0, sensitivity);
        while (at >= 0 && matches.size() < searchMatchLimit) {
            add(at, query.text.size());
            at = text.indexOf(query.text, at + query.text.size(), sensitivity);
        }
        return matches;
    }
    // The step limit keeps an expression like (a+)+$ from freezing the window.
    QRegularExpression::PatternOptions options = QRegularExpression::MultilineOption;
    if (!query.caseSensitive)
        options |= QRegularExpression::CaseInsensitiveOption;
    const QRegularExpression plain(query.text, options);
    if (!plain.isValid()) {
        return Error{ErrorCode::BadSyntax,
                     QCoreApplication::translate("ridgeline::Search", "%1 at character %2")
                         .arg(plain.errorString())
                         .arg(plain.patternErrorOffset() + 1),
                     {},
                     {}};
    }
    const QRegularExpression limited(QStringLiteral("(*LIMIT_MATCH=200000)") + query.text, options);
    qsizetype from = 0;
    while (from <= text.size() && matches.size() < searchMatchLimit) {
        const QRegularExpressionMatch match = limited.match(text, from);
        if (!match.isValid()) {
            return Error{ErrorCode::TooLarge,
                         QCoreApplication::translate("ridgeline::Search",
                                                     "this expression needs too many steps here"),
                         {},
                         {}};
        }
        if (!match.hasMatch())
            break;
        if (match.capturedLength() > 0)
            add(match.capturedStart(), match.capturedLength());
        from = match.capturedLength() > 0 ? match.capturedEnd() : match.capturedEnd() + 1;
    }
    return matches;
}

} // namespace ridgeline
