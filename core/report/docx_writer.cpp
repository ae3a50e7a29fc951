// SPDX-License-Identifier: GPL-3.0-or-later
// DOCX as the smallest OOXML package word processors open: content types, relations, document,
// styles, numbering, core properties, and the roofline images.
#include "core/report/report_document.h"
#include "core/report/report_writer.h"
#include "core/report/roof_drawing.h"
#include "core/report/zip_writer.h"

#include <QBuffer>
#include <QGuiApplication>

namespace ridgeline {

namespace {

const QString xmlHead =
    QStringLiteral("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
const QString wordNs =
    QStringLiteral("http://schemas.openxmlformats.org/wordprocessingml/2006/main");
const QString relNs =
    QStringLiteral("http://schemas.openxmlformats.org/officeDocument/2006/relationships");
const QString packageNs = QStringLiteral("http://schemas.openxmlformats.org/package/2006/");

/// Upright A4 with margins of 18 mm, in twentieths of a point.
constexpr int pageWidth = 11906;
constexpr int pageHeight = 16838;
constexpr int margin = 1020;
constexpr int textWidth = pageWidth - 2 * margin;

QString xml(const QString& text)
{
    return text.toHtmlEscaped();
}

/// Runs of a paragraph; line ends become <w:br/>. `halfPoints` 0 = the style's size.
QString runsXml(const Runs& runs, int halfPoints = 0, bool bold = false)
{
    QString out;
    for (const TextRun& run : runs) {
        if (run.text.isEmpty())
            continue;
        QString look;
        if (run.style == TextRun::Style::Code)
            look += QStringLiteral("<w:rStyle w:val=\"CodeText\"/>");
        if (bold || run.style == TextRun::Style::Bold)
            look += QStringLiteral("<w:b/>");
        if (run.style == TextRun::Style::Italic)
            look += QStringLiteral("<w:i/>");
        if (halfPoints > 0)
            look += QStringLiteral("<w:sz w:val=\"%1\"/>").arg(halfPoints);
        out += QStringLiteral("<w:r>");
        if (!look.isEmpty())
            out += QStringLiteral("<w:rPr>") + look + QStringLiteral("</w:rPr>");
        const QStringList lines = run.text.split(QLatin1Char('\n'));
        for (qsizetype i = 0; i < lines.size(); ++i) {
            if (i > 0)
                out += QStringLiteral("<w:br/>");
            out += QStringLiteral("<w:t xml:space=\"preserve\">") + xml(lines[i]) +
                   QStringLiteral("</w:t>");
        }
        out += QStringLiteral("</w:r>");
    }
    return out;
}

QString paragraph(const QString& styleId, const QString& content, const QString& more = {})
{
    return QStringLiteral("<w:p><w:pPr><w:pStyle w:val=\"") + styleId + QStringLiteral("\"/>") +
           more + QStringLiteral("</w:pPr>") + content + QStringLiteral("</w:p>\n");
}

QString tableXml(const ReportTable& table)
{
    const int columns = int(table.columns.size());
    if (columns == 0)
        return {};
    const int halfPoints = columns > 6 ? 13 : 17;
    const QString widthAttribute = QString::number(textWidth / columns);
    const auto cell = [&](const QString& text, const ReportColumn& column, bool head) {
        const TextRun run{text,
                          column.code && !head ? TextRun::Style::Code : TextRun::Style::Plain};
        return QStringLiteral("<w:tc><w:tcPr><w:tcW w:w=\"") + widthAttribute +
               QStringLiteral("\" w:type=\"dxa\"/></w:tcPr>") +
               paragraph(QStringLiteral("Cell"), runsXml({run}, halfPoints, head),
                         column.numeric ? QStringLiteral("<w:jc w:val=\"right\"/>") : QString()) +
               QStringLiteral("</w:tc>");
    };
    QString out = QStringLiteral("<w:tbl><w:tblPr><w:tblStyle w:val=\"Grid\"/><w:tblW w:w=\"%1\" "
                                 "w:type=\"dxa\"/></w:tblPr><w:tblGrid>")
                      .arg(textWidth);
    for (int i = 0; i < columns; ++i)
        out += QStringLiteral("<w:gridCol w:w=\"") + widthAttribute + QStringLiteral("\"/>");
    out += QStringLiteral("</w:tblGrid><w:tr><w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>");
    for (const ReportColumn& column : table.columns)
        out += cell(column.name, column, true);
    out += QStringLiteral("</w:tr>\n");
    for (const QStringList& row : table.rows) {
        out += QStringLiteral("<w:tr><w:trPr><w:cantSplit/></w:trPr>");
        for (int i = 0; i < columns; ++i)
            out += cell(row.value(i), table.columns[i], false);
        out += QStringLiteral("</w:tr>\n");
    }
    // Two tables in a row would merge without a paragraph between them.
    return out + QStringLiteral("</w:tbl>\n") + paragraph(QStringLiteral("Cell"), {});
}

QString pictureXml(int number, const QString& description, const QImage& image)
{
    constexpr qint64 emuPerTwip = 635;
    const qint64 wide = qint64(textWidth) * emuPerTwip * 8 / 10;
    const qint64 high = wide * image.height() / image.width();
    const QString id = QString::number(number);
    const QString extent = QStringLiteral("cx=\"%1\" cy=\"%2\"").arg(wide).arg(high);
    return QStringLiteral("<w:r><w:drawing><wp:inline><wp:extent ") + extent +
           QStringLiteral("/><wp:docPr id=\"") + id + QStringLiteral("\" name=\"Roofline ") + id +
           QStringLiteral("\" descr=\"") + xml(description) +
           QStringLiteral(
               "\"/><a:graphic><a:graphicData "
               "uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:pic>"
               "<pic:nvPicPr><pic:cNvPr id=\"") +
           id + QStringLiteral("\" name=\"roofline-") + id +
           QStringLiteral(
               ".png\"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed=\"rImage") +
           id +
           QStringLiteral(
               "\"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm>"
               "<a:off x=\"0\" y=\"0\"/><a:ext ") +
           extent +
           QStringLiteral(
               "/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>"
               "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>");
}

QString stylesXml()
{
    const auto style = [](const char* id, const char* name, const char* paragraph,
                          const char* run) {
        return QStringLiteral(
                   "<w:style w:type=\"paragraph\" w:styleId=\"%1\"><w:name w:val=\"%2\"/>"
                   "<w:basedOn w:val=\"Normal\"/><w:qFormat/><w:pPr>%3</w:pPr><w:rPr>%4</w:rPr>"
                   "</w:style>\n")
            .arg(QLatin1String(id), QLatin1String(name), QLatin1String(paragraph),
                 QLatin1String(run));
    };
    const char* const code = "<w:rFonts w:ascii=\"DejaVu Sans Mono\" w:hAnsi=\"DejaVu Sans Mono\" "
                             "w:cs=\"DejaVu Sans Mono\"/><w:sz w:val=\"17\"/>";
    return xmlHead + QStringLiteral("<w:styles xmlns:w=\"") + wordNs +
           QStringLiteral(
               "\"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii=\"Calibri\" "
               "w:hAnsi=\"Calibri\" w:cs=\"Calibri\"/><w:sz w:val=\"20\"/><w:lang "
               "w:val=\"en-GB\"/></w:rPr></w:rPrDefault></w:docDefaults>\n"
               "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name "
               "w:val=\"Normal\"/><w:pPr><w:spacing w:after=\"100\"/></w:pPr></w:style>\n") +
           style("Heading1", "heading 1",
                 "<w:keepNext/><w:spacing w:after=\"160\"/><w:outlineLvl w:val=\"0\"/>",
                 "<w:b/><w:sz w:val=\"40\"/>") +
           style("Heading2", "heading 2",
                 "<w:keepNext/><w:spacing w:before=\"320\" w:after=\"100\"/><w:outlineLvl "
                 "w:val=\"1\"/>",
                 "<w:b/><w:sz w:val=\"28\"/>") +
           style("Heading3", "heading 3",
                 "<w:keepNext/><w:spacing w:before=\"200\" w:after=\"60\"/><w:outlineLvl "
                 "w:val=\"2\"/>",
                 "<w:b/><w:sz w:val=\"23\"/>") +
           style("Heading4", "heading 4",
                 "<w:keepNext/><w:spacing w:before=\"140\" w:after=\"40\"/><w:outlineLvl "
                 "w:val=\"3\"/>",
                 "<w:b/><w:sz w:val=\"20\"/>") +
           style("Note", "Note",
                 "<w:shd w:val=\"clear\" w:fill=\"FDF5E3\"/><w:ind w:left=\"160\"/>", "") +
           style("Quotation", "Quotation", "<w:ind w:left=\"320\"/>",
                 "<w:color w:val=\"59636E\"/>") +
           style("ListItem", "List Item",
                 "<w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr><w:spacing "
                 "w:after=\"40\"/>",
                 "") +
           style("CodeBlock", "Code Block", "<w:shd w:val=\"clear\" w:fill=\"F3F5F8\"/>", code) +
           style("Cell", "Cell", "<w:spacing w:before=\"20\" w:after=\"20\"/>", "") +
           QStringLiteral(
               "<w:style w:type=\"character\" w:styleId=\"CodeText\"><w:name w:val=\"Code "
               "Text\"/><w:rPr>") +
           QLatin1String(code) +
           QStringLiteral(
               "</w:rPr></w:style>\n<w:style w:type=\"table\" w:styleId=\"Grid\"><w:name "
               "w:val=\"Grid\"/><w:tblPr><w:tblBorders>") +
           QStringLiteral(
               "<w:top w:val=\"single\" w:sz=\"4\" w:color=\"C8CED5\"/><w:left w:val=\"single\" "
               "w:sz=\"4\" w:color=\"C8CED5\"/><w:bottom w:val=\"single\" w:sz=\"4\" "
               "w:color=\"C8CED5\"/><w:right w:val=\"single\" w:sz=\"4\" w:color=\"C8CED5\"/>"
               "<w:insideH w:val=\"single\" w:sz=\"4\" w:color=\"C8CED5\"/><w:insideV "
               "w:val=\"single\" w:sz=\"4\" w:color=\"C8CED5\"/></w:tblBorders><w:tblCellMar>"
               "<w:left w:w=\"60\" w:type=\"dxa\"/><w:right w:w=\"60\" w:type=\"dxa\"/>"
               "</w:tblCellMar></w:tblPr></w:style>\n</w:styles>\n");
}

QString numberingXml()
{
    return xmlHead + QStringLiteral("<w:numbering xmlns:w=\"") + wordNs +
           QStringLiteral(
               "\"><w:abstractNum w:abstractNumId=\"0\"><w:multiLevelType "
               "w:val=\"singleLevel\"/><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt "
               "w:val=\"bullet\"/><w:lvlText w:val=\"\u2022\"/><w:lvlJc w:val=\"left\"/><w:pPr>"
               "<w:ind w:left=\"400\" w:hanging=\"240\"/></w:pPr></w:lvl></w:abstractNum><w:num "
               "w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>\n");
}

} // namespace

Result<QByteArray> docxReport(const ReportModel& model)
{
    const ReportDocument report = documentOf(model);
    const bool canDraw = qobject_cast<QGuiApplication*>(QCoreApplication::instance()) != nullptr;
    QVector<ZipEntry> images;
    QString body;
    QString imageRelations;
    for (const Block& block : report.blocks) {
        switch (block.kind) {
        case Block::Kind::Heading:
            body += paragraph(QStringLiteral("Heading%1").arg(block.level), runsXml(block.runs));
            break;
        case Block::Kind::Paragraph:
            body += paragraph(QStringLiteral("Normal"), runsXml(block.runs));
            break;
        case Block::Kind::Note:
            body += paragraph(QStringLiteral("Note"), runsXml(block.runs));
            break;
        case Block::Kind::Bullet:
            body += paragraph(QStringLiteral("ListItem"), runsXml(block.runs));
            break;
        case Block::Kind::Quote:
            body += paragraph(QStringLiteral("Quotation"), runsXml(block.runs));
            break;
        case Block::Kind::Code:
            body += paragraph(QStringLiteral("CodeBlock"), runsXml(block.runs));
            break;
        case Block::Kind::Table:
            body += tableXml(block.table);
            break;
        case Block::Kind::Plot: {
            const QImage image = canDraw ? roofImage(block.plot) : QImage();
            if (image.isNull())
                break;
            QBuffer png;
            png.open(QIODevice::WriteOnly);
            image.save(&png, "PNG");
            const int number = int(images.size()) + 1;
            images.push_back(
                {QStringLiteral("word/media/roofline-%1.png").arg(number), png.data()});
            imageRelations += QStringLiteral("<Relationship Id=\"rImage%1\" Type=\"%2/image\" "
                                             "Target=\"media/roofline-%1.png\"/>")
                                  .arg(QString::number(number), relNs);
            body += paragraph(QStringLiteral("Normal"),
                              pictureXml(number, roofDescription(block.plot), image));
            break;
        }
        }
    }
    const QString document =
        xmlHead + QStringLiteral("<w:document xmlns:w=\"") + wordNs +
        QStringLiteral("\" xmlns:r=\"") + relNs +
        QStringLiteral(
            "\" "
            "xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\" "
            "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" "
            "xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><w:body>\n") +
        body +
        QStringLiteral(
            "<w:sectPr><w:pgSz w:w=\"%1\" w:h=\"%2\"/><w:pgMar w:top=\"%3\" w:right=\"%3\" "
            "w:bottom=\"%3\" w:left=\"%3\" w:header=\"500\" w:footer=\"500\" w:gutter=\"0\"/>"
            "</w:sectPr></w:body></w:document>\n")
            .arg(QString::number(pageWidth), QString::number(pageHeight), QString::number(margin));
    const QString wordType =
        QStringLiteral("application/vnd.openxmlformats-officedocument.wordprocessingml.");
    const QString contentTypes =
        xmlHead + QStringLiteral("<Types xmlns=\"") + packageNs +
        QStringLiteral(
            "content-types\"><Default Extension=\"rels\" "
            "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default "
            "Extension=\"xml\" ContentType=\"application/xml\"/><Default Extension=\"png\" "
            "ContentType=\"image/png\"/><Override PartName=\"/word/document.xml\" ContentType=\"") +
        wordType +
        QStringLiteral(
            "document.main+xml\"/><Override PartName=\"/word/styles.xml\" ContentType=\"") +
        wordType +
        QStringLiteral("styles+xml\"/><Override PartName=\"/word/numbering.xml\" ContentType=\"") +
        wordType +
        QStringLiteral("numbering+xml\"/><Override PartName=\"/docProps/core.xml\" "
                       "ContentType=\"application/vnd.openxmlformats-package.core-properties+xml\"/"
                       "></Types>\n");
    const QString relationsHead = xmlHead + QStringLiteral("<Relationships xmlns=\"") + packageNs +
                                  QStringLiteral("relationships\">");
    const QString packageRelations =
        relationsHead + QStringLiteral("<Relationship Id=\"rDocument\" Type=\"") + relNs +
        QStringLiteral(
            "/officeDocument\" Target=\"word/document.xml\"/><Relationship Id=\"rCore\" Type=\"") +
        packageNs +
        QStringLiteral("relationships/metadata/core-properties\" Target=\"docProps/core.xml\"/>"
                       "</Relationships>\n");
    const QString documentRelations =
        relationsHead + QStringLiteral("<Relationship Id=\"rStyles\" Type=\"") + relNs +
        QStringLiteral("/styles\" Target=\"styles.xml\"/><Relationship Id=\"rNumbering\" Type=\"") +
        relNs + QStringLiteral("/numbering\" Target=\"numbering.xml\"/>") + imageRelations +
        QStringLiteral("</Relationships>\n");
    const QString core =
        xmlHead + QStringLiteral("<cp:coreProperties xmlns:cp=\"") + packageNs +
        QStringLiteral(
            "metadata/core-properties\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>") +
        xml(report.title) + QStringLiteral("</dc:title><dc:creator>") + xml(model.reviewer) +
        QStringLiteral("</dc:creator></cp:coreProperties>\n");

    QVector<ZipEntry> entries{
        {QStringLiteral("[Content_Types].xml"), contentTypes.toUtf8()},
        {QStringLiteral("_rels/.rels"), packageRelations.toUtf8()},
        {QStringLiteral("docProps/core.xml"), core.toUtf8()},
        {QStringLiteral("word/document.xml"), document.toUtf8()},
        {QStringLiteral("word/styles.xml"), stylesXml().toUtf8()},
        {QStringLiteral("word/numbering.xml"), numberingXml().toUtf8()},
        {QStringLiteral("word/_rels/document.xml.rels"), documentRelations.toUtf8()}};
    entries += images;
    return zipOf(entries);
}

} // namespace ridgeline
