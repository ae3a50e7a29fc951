// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/safe_browser.h"

#include "widgets/theme.h"

#include <QTextBlock>
#include <QTextDocument>
#include <QTextTable>

namespace ridgeline {

namespace {

/// Room for a page to breathe, and code that looks like code.
void dress(QTextDocument& document, const ThemeTokens& t)
{
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        QTextBlockFormat format = block.blockFormat();
        const bool code = format.hasProperty(QTextFormat::BlockCodeFence) ||
                          format.hasProperty(QTextFormat::BlockCodeLanguage);
        if (format.headingLevel() > 0) {
            format.setTopMargin(block.blockNumber() == 0 ? 0 : 12);
            format.setBottomMargin(4);
        } else if (code) {
            format.setBackground(t.raised);
            format.setNonBreakableLines(false);
            format.setLeftMargin(8);
        } else if (!block.textList() && !cursor.currentTable()) {
            format.setTopMargin(4);
            format.setBottomMargin(4);
        }
        cursor.setBlockFormat(format);
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            QTextCharFormat chars = fragment.charFormat();
            if (!chars.fontFixedPitch() && !code)
                continue;
            chars.setFontFamilies({codeFont().family()});
            chars.setForeground(t.builtin);
            QTextCursor part(&document);
            part.setPosition(fragment.position());
            part.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
            part.setCharFormat(chars);
        }
    }
    const auto frames = document.rootFrame()->childFrames();
    for (QTextFrame* frame : frames) {
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            // Qt 6.4's Markdown reader opens the first header cell with an empty line.
            QTextCursor first = table->cellAt(0, 0).firstCursorPosition();
            if (first.block().text().isEmpty() &&
                first.block() != table->cellAt(0, 0).lastCursorPosition().block())
                first.deleteChar();
            QTextCharFormat bold; // which that empty line took with it
            bold.setFontWeight(QFont::Bold);
            first.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
            first.mergeCharFormat(bold);
            QTextTableFormat format = table->format();
            format.setBorderCollapse(true);
            format.setBorder(1);
            format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            format.setBorderBrush(t.border);
            format.setCellPadding(4);
            format.setTopMargin(6);
            format.setBottomMargin(6);
            table->setFormat(format);
        }
    }
}

} // namespace

SafeBrowser::SafeBrowser(QWidget* parent) : QTextBrowser(parent)
{
    setOpenLinks(false);
    setOpenExternalLinks(false);
    setUndoRedoEnabled(false);
}

QVariant SafeBrowser::loadResource(int, const QUrl&)
{
    return {};
}

void SafeBrowser::styleDocument()
{
    document()->setDocumentMargin(14);
}

void SafeBrowser::showMarkdown(const QString& markdown)
{
    styleDocument();
    document()->setMarkdown(markdown,
                            QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub |
                                                            QTextDocument::MarkdownNoHTML));
    dress(*document(), ThemeTokens::of(palette()));
    moveCursor(QTextCursor::Start);
}

void SafeBrowser::showTrustedHtml(const QString& html)
{
    styleDocument();
    document()->setHtml(html);
    moveCursor(QTextCursor::Start);
}

} // namespace ridgeline
