// SPDX-License-Identifier: GPL-3.0-or-later
// PDF and ODT through a QTextDocument that is filled by a cursor. Text is inserted as text: no HTML
// or Markdown reader ever sees it.
#include "core/report/report_document.h"
#include "core/report/report_writer.h"
#include "core/report/roof_drawing.h"

#include <QBuffer>
#include <QGuiApplication>
#include <QPageSize>
#include <QPdfWriter>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextDocumentWriter>
#include <QTextList>
#include <QTextTable>
#include <QUrl>
#include <array>

namespace ridgeline {

namespace {

const QString mono = QStringLiteral("DejaVu Sans Mono");

/// A document that loads nothing from anywhere: only the images we put into it exist.
class ClosedDocument final : public QTextDocument {
public:
    using QTextDocument::QTextDocument;

protected:
    QVariant loadResource(int /*type*/, const QUrl& /*name*/) override { return {}; }
};

QTextCharFormat formatOf(TextRun::Style style, double points)
{
    QTextCharFormat format;
    format.setFontPointSize(points);
    if (style == TextRun::Style::Bold)
        format.setFontWeight(QFont::Bold);
    if (style == TextRun::Style::Italic)
        format.setFontItalic(true);
    if (style == TextRun::Style::Code) {
        format.setFontFamilies({mono});
        format.setFontFixedPitch(true);
        format.setFontPointSize(points * 0.92);
    }
    return format;
}

/// Line ends inside a block stay inside it.
QString inBlock(QString text)
{
    return text.replace(QLatin1Char('\n'), QChar(QChar::LineSeparator));
}

class Filler {
public:
    explicit Filler(QTextDocument& document, double pageWidth)
        : m_cursor(&document), m_document(document), m_pageWidth(pageWidth)
    {
    }

    void fill(const ReportDocument& report)
    {
        for (const Block& block : report.blocks) {
            if (block.kind != Block::Kind::Bullet)
                m_list = nullptr;
            add(block);
        }
    }

private:
    void start(const QTextBlockFormat& format)
    {
        if (m_empty)
            m_cursor.setBlockFormat(format);
        else
            m_cursor.insertBlock(format, QTextCharFormat());
        m_empty = false;
    }

    void insert(const Runs& runs, double points, bool bold = false, bool italic = false)
    {
        for (const TextRun& run : runs) {
            QTextCharFormat format = formatOf(run.style, points);
            if (bold)
                format.setFontWeight(QFont::Bold);
            if (italic)
                format.setFontItalic(true);
            m_cursor.insertText(inBlock(run.text), format);
        }
    }

    void add(const Block& block)
    {
        constexpr double body = 9.5;
        constexpr std::array<double, 4> headings{20, 14, 11.5, 10};
        QTextBlockFormat format;
        format.setBottomMargin(5);
        switch (block.kind) {
        case Block::Kind::Heading: {
            format.setHeadingLevel(block.level);
            format.setTopMargin(block.level == 1 ? 0 : 16 - 2.5 * block.level);
            format.setPageBreakPolicy(QTextFormat::PageBreak_Auto);
            start(format);
            insert(block.runs, headings[std::size_t(std::clamp(block.level, 1, 4) - 1)], true);
            return;
        }
        case Block::Kind::Paragraph:
            start(format);
            insert(block.runs, body);
            return;
        case Block::Kind::Note:
            format.setLeftMargin(8);
            format.setBackground(QColor(0xfd, 0xf5, 0xe3));
            start(format);
            insert(block.runs, body);
            return;
        case Block::Kind::Quote:
            format.setLeftMargin(16);
            start(format);
            insert(block.runs, body, false, true);
            return;
        case Block::Kind::Code:
            format.setBackground(QColor(0xf3, 0xf5, 0xf8));
            start(format);
            insert(block.runs, body);
            return;
        case Block::Kind::Bullet: {
            start(QTextBlockFormat());
            if (m_list == nullptr)
                m_list = m_cursor.createList(QTextListFormat::ListDisc);
            else
                m_list->add(m_cursor.block());
            insert(block.runs, body);
            return;
        }
        case Block::Kind::Table:
            table(block.table);
            return;
        case Block::Kind::Plot:
            plot(block.plot);
            return;
        }
    }

    void table(const ReportTable& table)
    {
        start(QTextBlockFormat());
        QTextTableFormat format;
        format.setCellPadding(2.5);
        format.setCellSpacing(0);
        format.setBorder(0.5);
        format.setBorderBrush(QColor(0xc8, 0xce, 0xd5));
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderCollapse(true);
        format.setHeaderRowCount(1);
        format.setBottomMargin(8);
        // More columns, smaller letters: ten columns still fit on an upright page.
        const double points = table.columns.size() > 6 ? 6.5 : 8.5;
        QTextTable* grid =
            m_cursor.insertTable(int(table.rows.size()) + 1, int(table.columns.size()), format);
        for (qsizetype i = 0; i < table.columns.size(); ++i)
            cell(grid, 0, int(i), {table.columns[i].name, TextRun::Style::Bold}, points,
                 table.columns[i].numeric);
        for (qsizetype row = 0; row < table.rows.size(); ++row) {
            for (qsizetype i = 0; i < table.columns.size(); ++i)
                cell(grid, int(row) + 1, int(i),
                     {table.rows[row].value(i),
                      table.columns[i].code ? TextRun::Style::Code : TextRun::Style::Plain},
                     points, table.columns[i].numeric);
        }
        m_cursor.movePosition(QTextCursor::End);
    }

    void cell(QTextTable* grid, int row, int column, const TextRun& run, double points,
              bool numeric)
    {
        QTextCursor cursor = grid->cellAt(row, column).firstCursorPosition();
        QTextBlockFormat format;
        format.setAlignment(numeric ? Qt::AlignRight : Qt::AlignLeft);
        cursor.setBlockFormat(format);
        cursor.insertText(inBlock(run.text), formatOf(run.style, points));
    }

    void plot(const RoofPlot& plot)
    {
        const QImage image = roofImage(plot);
        if (image.isNull())
            return;
        const QString name = QStringLiteral("roofline-%1.png").arg(++m_images);
        m_document.addResource(QTextDocument::ImageResource, QUrl(name), image);
        QTextBlockFormat format;
        start(format);
        QTextImageFormat shown;
        shown.setName(name);
        shown.setWidth(m_pageWidth);
        shown.setHeight(m_pageWidth * image.height() / image.width());
        m_cursor.insertImage(shown);
    }

    QTextCursor m_cursor;
    QTextDocument& m_document;
    double m_pageWidth;
    QTextList* m_list = nullptr;
    bool m_empty = true;
    int m_images = 0;
};

Result<void> needsFonts()
{
    if (qobject_cast<QGuiApplication*>(QCoreApplication::instance()) != nullptr)
        return {};
    return Error{ErrorCode::Internal,
                 QStringLiteral("this format lays text out with fonts and needs a QGuiApplication"),
                 {},
                 {}};
}

} // namespace

Result<QByteArray> pdfReport(const ReportModel& model)
{
    if (const auto may = needsFonts(); !may)
        return may.error();
    const ReportDocument report = documentOf(model);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF(18, 16, 18, 18), QPageLayout::Millimeter);
        writer.setTitle(report.title);
        writer.setCreator(QStringLiteral("Ridgeline ") + model.version);
        ClosedDocument document;
        document.setDocumentMargin(0);
        document.setDefaultFont(QFont(QStringLiteral("DejaVu Sans"), 9));
        // QTextDocument lays out at 96 dpi whatever the printer's resolution is.
        constexpr double screenDpi = 96;
        const QSizeF page =
            QSizeF(writer.pageLayout().paintRect(QPageLayout::Inch).size()) * screenDpi;
        Filler(document, page.width() * 0.8).fill(report);
        document.setPageSize(page);
        document.print(&writer);
    }
    return buffer.data();
}

Result<QByteArray> odtReport(const ReportModel& model)
{
    if (const auto may = needsFonts(); !may)
        return may.error();
    ClosedDocument document;
    document.setDefaultFont(QFont(QStringLiteral("DejaVu Sans"), 9));
    const ReportDocument report = documentOf(model);
    document.setMetaInformation(QTextDocument::DocumentTitle, report.title);
    Filler(document, 480).fill(report);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QTextDocumentWriter writer(&buffer, "ODF");
    if (!writer.write(&document))
        return Error{
            ErrorCode::Internal, QStringLiteral("the ODT writer of Qt refused the report"), {}, {}};
    return buffer.data();
}

} // namespace ridgeline
