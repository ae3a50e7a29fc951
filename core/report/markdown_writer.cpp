// SPDX-License-Identifier: GPL-3.0-or-later
// GitHub-flavoured Markdown. Whatever a bundle says is escaped until it can only be text.
#include "core/report/clean_text.h"
#include "core/report/report_document.h"
#include "core/report/report_writer.h"

#include <QRegularExpression>

namespace ridgeline {

namespace {

/// Text that no Markdown reader takes for markup. `lineStart`: what comes first begins a line.
QString escaped(const QString& text, bool lineStart, const QString& lineBreak)
{
    static const QRegularExpression numbered(QStringLiteral("\\A\\d{1,9}[.)]"));
    static const QRegularExpression web(QStringLiteral("www\\."),
                                        QRegularExpression::CaseInsensitiveOption);
    QString out;
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const bool starts = i > 0 || lineStart;
        QString line = starts ? lines[i].trimmed() : lines[i];
        line.replace(QLatin1Char('\t'), QLatin1Char(' '));
        QString safe;
        for (qsizetype k = 0; k < line.size(); ++k) {
            const QChar c = line[k];
            if (c == QLatin1Char('&'))
                safe += QStringLiteral("&amp;");
            else if (c == QLatin1Char('<'))
                safe += QStringLiteral("&lt;");
            else if (c == QLatin1Char('>'))
                safe += QStringLiteral("&gt;");
            else if (c == QLatin1Char('@'))
                safe += QStringLiteral("&#64;"); // mentions
            else if (c == QLatin1Char('_') && k > 0 && k + 1 < line.size() &&
                     line[k - 1].isLetterOrNumber() && line[k + 1].isLetterOrNumber())
                safe += c; // inside a word it is never markup
            else if (QStringLiteral("\\`*_[]|~$").contains(c))
                safe += QLatin1Char('\\') + QString(c);
            else if (c == QLatin1Char(':') && line.mid(k, 3) == QLatin1String("://"))
                safe += QStringLiteral("\\:"); // bare addresses become links elsewhere
            else if (c == QLatin1Char('#') && k + 1 < line.size() && line[k + 1].isDigit())
                safe += QStringLiteral("\\#"); // issue numbers
            else if (k == 0 && starts && QStringLiteral("#-+=:!").contains(c))
                safe += QLatin1Char('\\') + QString(c);
            else
                safe += c;
        }
        safe.replace(web, QStringLiteral("www\\."));
        if (starts) {
            const auto match = numbered.match(safe);
            if (match.hasMatch())
                safe.insert(match.capturedLength() - 1, QLatin1Char('\\'));
        }
        out += (i > 0 ? lineBreak : QString()) + safe;
    }
    return out;
}

/// A code span: longer fence than any inside, one line.
QString codeSpan(const QString& text, bool inTable)
{
    QString line = text;
    line.replace(QLatin1Char('\n'), QLatin1Char(' '));
    if (line.trimmed().isEmpty())
        return {};
    if (inTable)
        line.replace(QLatin1Char('|'), QStringLiteral("\\|"));
    int longest = 0;
    int current = 0;
    for (const QChar c : line) {
        current = c == QLatin1Char('`') ? current + 1 : 0;
        longest = std::max(longest, current);
    }
    const QString fence(longest + 1, QLatin1Char('`'));
    const bool pad = line.startsWith(QLatin1Char('`')) || line.endsWith(QLatin1Char('`'));
    return pad ? fence + QLatin1Char(' ') + line + QLatin1Char(' ') + fence : fence + line + fence;
}

QString runsText(const Runs& runs, bool inTable, const QString& lineBreak)
{
    QString out;
    for (const TextRun& run : runs) {
        if (run.text.isEmpty())
            continue;
        if (run.style == TextRun::Style::Code) {
            out += codeSpan(run.text, inTable);
            continue;
        }
        const QString text = escaped(run.text, out.isEmpty() && !inTable, lineBreak);
        const QString trimmed = text.trimmed();
        const QString mark = run.style == TextRun::Style::Bold     ? QStringLiteral("**")
                             : run.style == TextRun::Style::Italic ? QStringLiteral("*")
                                                                   : QString();
        if (mark.isEmpty() || trimmed.isEmpty() || trimmed.contains(lineBreak))
            out += text;
        else
            out += mark + trimmed + mark +
                   (text.endsWith(QLatin1Char(' ')) ? QStringLiteral(" ") : QString());
    }
    return out;
}

QString tableText(const ReportTable& table)
{
    const QString cellBreak = QStringLiteral("<br>");
    QString out;
    QString rule;
    for (const ReportColumn& column : table.columns) {
        out += QStringLiteral("| ") + escaped(column.name, false, cellBreak) + QLatin1Char(' ');
        rule += column.numeric ? QStringLiteral("| ---: ") : QStringLiteral("| --- ");
    }
    out += QStringLiteral("|\n") + rule + QStringLiteral("|\n");
    for (const QStringList& row : table.rows) {
        for (qsizetype i = 0; i < table.columns.size(); ++i) {
            const QString cell = row.value(i);
            const bool isCode = table.columns[i].code && cell != QStringLiteral("\u2013");
            out += QStringLiteral("| ") +
                   (isCode ? codeSpan(cell, true) : escaped(cell, false, cellBreak)) +
                   QLatin1Char(' ');
        }
        out += QStringLiteral("|\n");
    }
    return out;
}

QString fenced(const QString& text)
{
    QString fence = QStringLiteral("```");
    while (text.contains(fence))
        fence += QLatin1Char('`');
    return fence + QStringLiteral("text\n") + text + QLatin1Char('\n') + fence + QLatin1Char('\n');
}

} // namespace

QByteArray markdownReport(const ReportModel& model)
{
    const ReportDocument document = documentOf(model);
    const QString hardBreak = QStringLiteral("\\\n");
    QString out;
    bool inList = false;
    for (const Block& block : document.blocks) {
        const bool bullet = block.kind == Block::Kind::Bullet;
        if (!out.isEmpty() && !(bullet && inList))
            out += QLatin1Char('\n');
        inList = bullet;
        switch (block.kind) {
        case Block::Kind::Heading: {
            const QString one = runsText(block.runs, false, QStringLiteral(" "));
            out +=
                QString(block.level, QLatin1Char('#')) + QLatin1Char(' ') + one + QLatin1Char('\n');
            break;
        }
        case Block::Kind::Paragraph:
            out += runsText(block.runs, false, hardBreak) + QLatin1Char('\n');
            break;
        case Block::Kind::Note:
            out += QLatin1Char('*') + runsText(block.runs, false, QStringLiteral(" ")) +
                   QStringLiteral("*\n");
            break;
        case Block::Kind::Bullet:
            out += QStringLiteral("- ") + runsText(block.runs, false, QStringLiteral("\\\n  ")) +
                   QLatin1Char('\n');
            break;
        case Block::Kind::Quote:
            out += QStringLiteral("> ") + runsText(block.runs, false, QStringLiteral("\\\n> ")) +
                   QLatin1Char('\n');
            break;
        case Block::Kind::Code:
            out += fenced(block.runs.value(0).text);
            break;
        case Block::Kind::Table:
            out += tableText(block.table);
            break;
        case Block::Kind::Plot:
            out +=
                QStringLiteral("*The roofline is drawn in the HTML, PDF, ODT and DOCX reports; its "
                               "numbers are below.*\n");
            break;
        }
    }
    return out.toUtf8();
}

} // namespace ridgeline
