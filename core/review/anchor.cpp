// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/anchor.h"

#include "core/support/paths.h"

#include <QUuid>
#include <QVector>

namespace ridgeline {

namespace {

constexpr int maxSearchedLines = 200'000;
constexpr qint64 maxHashedLines = 5'000'000;
constexpr int contextLines = 3;
constexpr int maxQuote = 2000;

QString hashOf(const QVector<QByteArray>& lines, int first, int last)
{
    QByteArray text;
    for (int i = first; i <= last; ++i)
        text += lines[i - 1] + '\n';
    return sha256Hex(text);
}

bool inside(const QVector<QByteArray>& lines, int first, int last)
{
    return first >= 1 && last >= first && last <= lines.size();
}

QString hashBefore(const QVector<QByteArray>& lines, int first)
{
    return hashOf(lines, std::max(1, first - contextLines), first - 1);
}

QString hashAfter(const QVector<QByteArray>& lines, int last)
{
    return hashOf(lines, last + 1, int(std::min<qsizetype>(lines.size(), last + contextLines)));
}

} // namespace

Result<AnchoredComment> anchorComment(const QString& file, const QByteArray& fileText,
                                      int firstLine, int lastLine, const QString& text,
                                      const QString& criterion)
{
    const auto lines = linesOf(fileText);
    if (!inside(lines, firstLine, lastLine))
        return Error{ErrorCode::BadUsage,
                     QStringLiteral("lines %1 to %2 are not in a file of %3 lines")
                         .arg(firstLine)
                         .arg(lastLine)
                         .arg(lines.size()),
                     {file},
                     QStringLiteral("select lines of the file")};
    QByteArray quote;
    for (int i = firstLine; i <= lastLine && quote.size() <= maxQuote; ++i)
        quote += lines[i - 1] + '\n';
    AnchoredComment comment;
    comment.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    comment.range = {file, firstLine, lastLine, hashOf(lines, firstLine, lastLine)};
    comment.before = hashBefore(lines, firstLine);
    comment.after = hashAfter(lines, lastLine);
    comment.quote = QString::fromUtf8(quote).left(maxQuote);
    comment.text = text;
    comment.criterion = criterion;
    return comment;
}

AnchorPlace placeOf(const AnchoredComment& comment, const QByteArray& fileText)
{
    const auto orphan = [](const QString& why) {
        return AnchorPlace{AnchorState::Orphaned, 0, 0, why};
    };
    if (fileText.isNull())
        return orphan(QStringLiteral("the file is gone"));
    const auto lines = linesOf(fileText);
    const SourceRange& range = comment.range;
    if (range.firstLine < 1 || range.lastLine < range.firstLine)
        return orphan(QStringLiteral("the comment names no lines"));
    const bool sameHere = inside(lines, range.firstLine, range.lastLine) &&
                          hashOf(lines, range.firstLine, range.lastLine) == range.sha256;
    const AnchorPlace here{AnchorState::Exact, range.firstLine, range.lastLine, {}};
    if (lines.size() > maxSearchedLines)
        return sameHere ? here
                        : orphan(QStringLiteral("the text changed and the file is too long to "
                                                "search"));

    const int count = range.lastLine - range.firstLine + 1;
    QVector<int> places;    // every line where the text begins
    QVector<int> inContext; // those with the same lines above and below
    // A long range is hashed only where its first line fits; the quote holds that line.
    const QByteArray firstLine = comment.quote.section(QLatin1Char('\n'), 0, 0).toUtf8();
    const bool quoteKnown = comment.quote.contains(QLatin1Char('\n')) &&
                            !comment.quote.contains(QChar(QChar::ReplacementCharacter));
    qint64 hashedLines = 0;
    for (int first = 1; first + count - 1 <= lines.size(); ++first) {
        if (quoteKnown && lines[first - 1] != firstLine)
            continue;
        hashedLines += count;
        if (hashedLines > maxHashedLines)
            return orphan(QStringLiteral("the text repeats too often to tell which is meant"));
        if (hashOf(lines, first, first + count - 1) != range.sha256)
            continue;
        places << first;
        if (hashBefore(lines, first) == comment.before &&
            hashAfter(lines, first + count - 1) == comment.after)
            inContext << first;
    }
    const auto at = [&](int first) {
        if (first == range.firstLine)
            return here;
        return AnchorPlace{AnchorState::Moved, first, first + count - 1, {}};
    };
    // Text that occurs once is itself. Text that occurs more often ("}") needs its neighbours.
    if (places.size() == 1)
        return at(places.first());
    if (inContext.contains(range.firstLine))
        return here;
    if (inContext.size() == 1)
        return at(inContext.first());
    if (places.isEmpty())
        return orphan(QStringLiteral("the text changed"));
    return orphan(QStringLiteral("the same text occurs %1 times and none is certainly meant")
                      .arg(places.size()));
}

} // namespace ridgeline
