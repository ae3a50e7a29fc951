// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/report_document.h"
#include "core/report/report_writer.h"
#include "core/report/roof_drawing.h"

namespace ridgeline {

namespace {

const char* const style = R"css(
:root { color-scheme: light dark; --ink: #1c2127; --dim: #59636e; --line: #d5dae0; --soft: #f3f5f8;
  --paper: #ffffff; --accent: #1f4e8c; --warn: #8a5a00; --warnsoft: #fdf5e3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --dim: #a3adb8; --line: #3a424b;
  --soft: #22282e; --paper: #181c20; --accent: #8db8ee; --warn: #e3b65c; --warnsoft: #2b2617; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 68rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, "Noto Sans", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.35rem; margin: 2.6rem 0 .8rem; padding-bottom: .3rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1.1rem; margin: 1.8rem 0 .5rem; }
h4 { font-size: 1rem; margin: 1.3rem 0 .3rem; }
p { margin: .5rem 0; white-space: pre-line; max-width: 52rem; }
ul { margin: .4rem 0; padding-left: 1.4rem; max-width: 52rem; } li { margin: .2rem 0; white-space: pre-line; }
blockquote { margin: .5rem 0; padding: .3rem 0 .3rem 1rem; border-left: 3px solid var(--accent);
  color: var(--dim); max-width: 52rem; white-space: pre-line; }
.note { padding: .45rem .8rem; background: var(--warnsoft); border-left: 3px solid var(--warn); }
code, pre { font: .88em/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
code { background: var(--soft); padding: .1em .3em; border-radius: 3px; }
pre { background: var(--soft); padding: .8rem 1rem; border-radius: 4px; overflow-x: auto; white-space: pre-wrap; }
.wide { overflow-x: auto; margin: .6rem 0 1rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .35rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  max-width: 30rem; overflow-wrap: anywhere; min-width: 3.2rem; }
th { color: var(--dim); font-weight: 600; } .n { text-align: right; }
svg { width: 100%; max-width: 640px; height: auto; border: 1px solid var(--line); border-radius: 4px; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } h2, h3, h4 { break-after: avoid; }
  tr, pre, svg { break-inside: avoid; } }
)css";

QString inlineText(const Runs& runs)
{
    QString out;
    for (const TextRun& run : runs) {
        const QString text = run.text.toHtmlEscaped();
        switch (run.style) {
        case TextRun::Style::Plain:
            out += text;
            break;
        case TextRun::Style::Bold:
            out += QStringLiteral("<strong>") + text + QStringLiteral("</strong>");
            break;
        case TextRun::Style::Italic:
            out += QStringLiteral("<em>") + text + QStringLiteral("</em>");
            break;
        case TextRun::Style::Code:
            out += QStringLiteral("<code>") + text + QStringLiteral("</code>");
            break;
        }
    }
    return out;
}

QString element(const QString& tag, const QString& attributes, const QString& content)
{
    return QLatin1Char('<') + tag + attributes + QLatin1Char('>') + content + QStringLiteral("</") +
           tag + QStringLiteral(">\n");
}

QString tableText(const ReportTable& table)
{
    QString out = QStringLiteral("<div class=\"wide\"><table>\n<thead><tr>");
    const auto numeric = [&table](qsizetype i) {
        return table.columns[i].numeric ? QStringLiteral(" class=\"n\"") : QString();
    };
    for (qsizetype i = 0; i < table.columns.size(); ++i)
        out += QStringLiteral("<th scope=\"col\"") + numeric(i) + QLatin1Char('>') +
               table.columns[i].name.toHtmlEscaped() + QStringLiteral("</th>");
    out += QStringLiteral("</tr></thead>\n<tbody>\n");
    for (const QStringList& row : table.rows) {
        out += QStringLiteral("<tr>");
        for (qsizetype i = 0; i < table.columns.size(); ++i) {
            const QString text = row.value(i).toHtmlEscaped();
            out +=
                QStringLiteral("<td") + numeric(i) + QLatin1Char('>') +
                (table.columns[i].code ? QStringLiteral("<code>") + text + QStringLiteral("</code>")
                                       : text) +
                QStringLiteral("</td>");
        }
        out += QStringLiteral("</tr>\n");
    }
    return out + QStringLiteral("</tbody></table></div>\n");
}

} // namespace

QByteArray htmlReport(const ReportModel& model)
{
    const ReportDocument document = documentOf(model);
    QString out =
        QStringLiteral(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"referrer\" content=\"no-referrer\">\n<title>") +
        document.title.toHtmlEscaped() + QStringLiteral("</title>\n<style>") +
        QString::fromLatin1(style) + QStringLiteral("</style>\n</head>\n<body>\n");
    bool inList = false;
    for (const Block& block : document.blocks) {
        const bool bullet = block.kind == Block::Kind::Bullet;
        if (bullet != inList)
            out += bullet ? QStringLiteral("<ul>\n") : QStringLiteral("</ul>\n");
        inList = bullet;
        const QString text = inlineText(block.runs);
        switch (block.kind) {
        case Block::Kind::Heading:
            out += element(QStringLiteral("h%1").arg(block.level), {}, text);
            break;
        case Block::Kind::Paragraph:
            out += element(QStringLiteral("p"), {}, text);
            break;
        case Block::Kind::Note:
            out += element(QStringLiteral("p"), QStringLiteral(" class=\"note\""), text);
            break;
        case Block::Kind::Bullet:
            out += element(QStringLiteral("li"), {}, text);
            break;
        case Block::Kind::Quote:
            out += element(QStringLiteral("blockquote"), {}, text);
            break;
        case Block::Kind::Code:
            out += element(QStringLiteral("pre"), {}, block.runs.value(0).text.toHtmlEscaped());
            break;
        case Block::Kind::Table:
            out += tableText(block.table);
            break;
        case Block::Kind::Plot:
            out += roofSvg(block.plot);
            break;
        }
    }
    if (inList)
        out += QStringLiteral("</ul>\n");
    return (out + QStringLiteral("</body>\n</html>\n")).toUtf8();
}

} // namespace ridgeline
