// SPDX-License-Identifier: GPL-3.0-or-later
// Text of a bundle, a run and a review that tries to be more than text, in every format.
#include "core/report/report_document.h"
#include "core/report/report_writer.h"
#include "report_fixture.h"

#include <QGuiApplication>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTextBlock>
#include <QTextDocument>
#include <QXmlStreamReader>
#include <QtConcurrent>
#include <QtTest>
#include <archive.h>
#include <archive_entry.h>

using namespace ridgeline;

namespace {

const QStringList payloads{
    QStringLiteral("<script>alert(1)</script>"),
    QStringLiteral("<img src=x onerror=alert(2)>"),
    QStringLiteral("</td></tr></table></pre><iframe src=\"http://evil.example/\">"),
    QStringLiteral("![pixel](http://evil.example/p.png)"),
    QStringLiteral("[click](javascript:alert(3))"),
    QStringLiteral("[ref]: http://evil.example/ \"t\""),
    QStringLiteral("https://evil.example/auto and www.evil.example and <https://evil.example/>"),
    QStringLiteral("someone@evil.example"),
    QStringLiteral("# injected heading"),
    QStringLiteral("injected setext\n==="),
    QStringLiteral("a\n\n---\n\nb"),
    QStringLiteral("| a | b |\n|---|---|\n| c | d |"),
    QStringLiteral("```\ncode fence"),
    QStringLiteral("~~~\nother fence"),
    QStringLiteral("`tick` ``two`` `"),
    QStringLiteral("- item\n+ item\n* item\n1. item\n2) item"),
    QStringLiteral("> quote"),
    QStringLiteral("    indented"),
    QStringLiteral("&lt;b&gt; &#60;u&#62; &copy;"),
    QStringLiteral("**bold** __bold__ *it* _it_ ~~gone~~ $x$ \\*"),
    QStringLiteral("]]> <!-- <![CDATA[ <?php"),
    QStringLiteral("\u202egpj.exe \u2066x\u2069 \u200b\ufeff"),
    QString::fromLatin1("\x1b[31mred\x07 \x01", 11),
    QStringLiteral("nul") + QChar(0) + QChar(0xd800) + QChar(0xffff),
    QStringLiteral("'\"&<>"),
};

QString allPayloads()
{
    return payloads.join(QLatin1Char('\n'));
}

/// Puts the payload into every string of a document but the words passes and the report go by.
void poison(Json& json, const QString& text)
{
    if (json.is_string())
        json = sstr(text);
    else if (json.is_object()) {
        for (const auto& [key, value] : json.items()) {
            if (key != "timing_kind" && key != "source" && key != "state")
                poison(value, text);
        }
    } else if (json.is_array()) {
        for (Json& item : json)
            poison(item, text);
    }
}

ReportInput hostileInput(const QString& dir, const QString& text)
{
    ReportInput input = fixture::wholeInput(dir);
    input.bundle.title = text;
    input.bundle.id = text;
    input.runFile = text;
    for (Candidate& candidate : input.bundle.candidates) {
        candidate.title = text;
        candidate.author = text;
        candidate.model = text;
    }
    RunRecord& run = *input.run;
    run.bundle = text + QStringLiteral("x");
    run.device = text;
    poison(run.environment, text);
    for (CandidateRun& candidate : run.candidates) {
        candidate.verdictReason = text;
        for (PassRecord& pass : candidate.passes) {
            pass.summary = text;
            poison(pass.result, text);
        }
        for (Finding& finding : candidate.findings) {
            finding.title = finding.explanation = finding.code = finding.pass = text;
            finding.suggestedCriterion = text;
            for (Evidence& evidence : finding.evidence)
                evidence = {text, text, 1.0, text, SourceRange{text, 1, 2, text}, text};
            finding.location = SourceRange{text, 1, 2, text};
        }
    }
    Review& review = *input.review;
    review.reviewer = text;
    review.summary = text;
    for (CriterionScore& score : review.scores) {
        score.comment = text;
        score.evidence.push_back({text, text, SourceRange{text, 3, 4, text}, text});
        score.evidence.push_back({text, text, std::nullopt, text});
    }
    for (FindingDecision& decision : review.decisions)
        decision.reason = text;
    for (AnchoredComment& comment : review.comments) {
        comment.text = comment.quote = text;
        comment.range.file = text;
    }
    for (RubricCriterion& criterion : input.rubric->criteria) {
        criterion.title = text;
        for (RubricLevel& level : criterion.levels)
            level.text = level.label = text;
    }
    input.notices << text;
    return input;
}

void expectNoDangerousCharacters(const QString& text)
{
    for (const QChar c : text) {
        const char16_t u = c.unicode();
        QVERIFY2(u >= 0x20 || u == '\n' || u == '\t', qPrintable(QString::number(u, 16)));
        QVERIFY2(!(u >= 0x202a && u <= 0x202e) && !(u >= 0x2066 && u <= 0x2069) && u != 0x200b &&
                     u != 0xfeff && u != 0xfffe && u != 0xffff,
                 qPrintable(QString::number(u, 16)));
    }
}

/// Files of a ZIP in memory.
QMap<QString, QByteArray> unzip(const QByteArray& bytes)
{
    QMap<QString, QByteArray> files;
    archive* reader = archive_read_new();
    archive_read_support_format_zip(reader);
    if (archive_read_open_memory(reader, bytes.constData(), std::size_t(bytes.size())) ==
        ARCHIVE_OK) {
        archive_entry* entry = nullptr;
        while (archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
            QByteArray content;
            char buffer[65536];
            for (la_ssize_t n = 0; (n = archive_read_data(reader, buffer, sizeof buffer)) > 0;)
                content.append(buffer, n);
            files.insert(QString::fromUtf8(archive_entry_pathname(entry)), content);
        }
    }
    archive_read_free(reader);
    return files;
}

struct XmlFacts {
    QString error;
    QString text;
    QSet<QString> elements;
    QMap<QString, QStringList> attributes; // values by qualified name
};

XmlFacts readXml(const QByteArray& bytes)
{
    XmlFacts facts;
    QXmlStreamReader xml(bytes);
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isStartElement()) {
            facts.elements.insert(xml.qualifiedName().toString());
            for (const QXmlStreamAttribute& a : xml.attributes())
                facts.attributes[a.qualifiedName().toString()] << a.value().toString();
        } else if (xml.isCharacters()) {
            facts.text += xml.text().toString();
        }
    }
    if (xml.hasError())
        facts.error = xml.errorString();
    return facts;
}

} // namespace

class TestReportHostile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_model = buildReport(hostileInput(m_dir.path(), allPayloads())); }

    void modelHoldsNoDangerousCharacter()
    {
        expectNoDangerousCharacters(QString::fromUtf8(jsonReport(m_model)));
        const auto json = parseJson(jsonReport(m_model), {});
        QVERIFY(json.ok());
        QCOMPARE(jsonString(*json, "schema"), QStringLiteral("kreport/1"));
        QVERIFY(jsonString(jsonMember(*json, "review"), "summary").contains(payloads[0]));
    }

    void markdownIsOnlyText()
    {
        const QString markdown = QString::fromUtf8(markdownReport(m_model));
        expectNoDangerousCharacters(markdown);
        // A reader that knows tables, bare addresses and inline HTML is the judge.
        QTextDocument document;
        document.setMarkdown(markdown, QTextDocument::MarkdownDialectGitHub);
        int headings = 0;
        for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
            headings += block.blockFormat().headingLevel() > 0 ? 1 : 0;
            for (auto it = block.begin(); !it.atEnd(); ++it) {
                const QTextCharFormat format = it.fragment().charFormat();
                QVERIFY2(!format.isAnchor() ||
                             format.anchorHref().startsWith(QStringLiteral("mailto:")),
                         qPrintable(format.anchorHref()));
                QVERIFY2(!format.isImageFormat(), qPrintable(it.fragment().text()));
                QVERIFY(!format.fontStrikeOut());
            }
        }
        int expected = 0;
        for (const Block& block : documentOf(m_model).blocks)
            expected += block.kind == Block::Kind::Heading ? 1 : 0;
        QCOMPARE(headings, expected);
        const QString text = document.toPlainText();
        for (const char* piece :
             {"<script>alert(1)</script>", "<img src=x onerror=alert(2)>",
              "![pixel](http://evil.example/p.png)", "[click](javascript:alert(3))",
              "# injected heading", "&lt;b&gt; &#60;u&#62; &copy;",
              "**bold** __bold__ *it* _it_ ~~gone~~", "1. item"})
            QVERIFY2(text.contains(QLatin1String(piece)), piece);
    }

    void everyPayloadAloneIsOnlyText_data()
    {
        QTest::addColumn<QString>("payload");
        for (qsizetype i = 0; i < payloads.size(); ++i)
            QTest::addRow("%d", int(i)) << payloads[i];
    }
    void everyPayloadAloneIsOnlyText()
    {
        QFETCH(QString, payload);
        const ReportModel model = buildReport(hostileInput(m_dir.path(), payload));
        QTextDocument document;
        document.setMarkdown(QString::fromUtf8(markdownReport(model)),
                             QTextDocument::MarkdownDialectGitHub);
        int headings = 0;
        int tables = 0;
        for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
            headings += block.blockFormat().headingLevel() > 0 ? 1 : 0;
            for (auto it = block.begin(); !it.atEnd(); ++it) {
                const QTextCharFormat format = it.fragment().charFormat();
                QVERIFY(!format.isAnchor() ||
                        format.anchorHref().startsWith(QStringLiteral("mailto:")));
                QVERIFY(!format.isImageFormat());
            }
        }
        for (QTextFrame* frame : document.rootFrame()->childFrames())
            tables += frame->inherits("QTextTable") ? 1 : 0;
        int expectedHeadings = 0;
        int expectedTables = 0;
        for (const Block& block : documentOf(model).blocks) {
            expectedHeadings += block.kind == Block::Kind::Heading ? 1 : 0;
            expectedTables += block.kind == Block::Kind::Table ? 1 : 0;
        }
        QCOMPARE(headings, expectedHeadings);
        QCOMPARE(tables, expectedTables);
    }

    void htmlHasOnlyOurTags()
    {
        const QString html = QString::fromUtf8(htmlReport(m_model));
        expectNoDangerousCharacters(html);
        QVERIFY(html.contains(QStringLiteral("Content-Security-Policy")));
        static const QSet<QString> tags{
            QStringLiteral("html"),   QStringLiteral("head"),   QStringLiteral("meta"),
            QStringLiteral("title"),  QStringLiteral("style"),  QStringLiteral("body"),
            QStringLiteral("h1"),     QStringLiteral("h2"),     QStringLiteral("h3"),
            QStringLiteral("h4"),     QStringLiteral("p"),      QStringLiteral("ul"),
            QStringLiteral("li"),     QStringLiteral("code"),   QStringLiteral("pre"),
            QStringLiteral("em"),     QStringLiteral("strong"), QStringLiteral("blockquote"),
            QStringLiteral("div"),    QStringLiteral("table"),  QStringLiteral("thead"),
            QStringLiteral("tbody"),  QStringLiteral("tr"),     QStringLiteral("th"),
            QStringLiteral("td"),     QStringLiteral("svg"),    QStringLiteral("rect"),
            QStringLiteral("line"),   QStringLiteral("text"),   QStringLiteral("circle"),
            QStringLiteral("polygon")};
        static const QRegularExpression tag(QStringLiteral("<(/?)([^\\s<>/]*)([^<>]*)>"));
        static const QRegularExpression attribute(QStringLiteral("([\\w-]+)=\"[^\"]*\""));
        static const QRegularExpression forbidden(
            QStringLiteral("^(on.*|href|src|srcdoc|action|data|xlink.*)$"));
        int seen = 0;
        for (auto it = tag.globalMatch(html); it.hasNext(); ++seen) {
            const auto match = it.next();
            const QString name = match.captured(2);
            QVERIFY2(tags.contains(name) || name == QLatin1String("!DOCTYPE"),
                     qPrintable(match.captured()));
            for (auto a = attribute.globalMatch(match.captured(3)); a.hasNext();) {
                const QString key = a.next().captured(1);
                QVERIFY2(!forbidden.match(key).hasMatch(), qPrintable(match.captured()));
            }
        }
        QVERIFY(seen > 100);
        // Every "<" begins one of those tags.
        QCOMPARE(html.count(QLatin1Char('<')), qsizetype(seen));
        QTextDocument document;
        document.setHtml(html);
        for (const char* piece :
             {"<script>alert(1)</script>", "&lt;b&gt; &#60;u&#62; &copy;", "[ref]: http"})
            QVERIFY2(document.toPlainText().contains(QLatin1String(piece)), piece);
    }

    void docxIsWellFormedAndClosed()
    {
        const auto bytes = docxReport(m_model);
        QVERIFY(bytes.ok());
        const auto files = unzip(*bytes);
        QVERIFY(files.contains(QStringLiteral("[Content_Types].xml")));
        QVERIFY(files.contains(QStringLiteral("word/document.xml")));
        for (auto it = files.cbegin(); it != files.cend(); ++it) {
            if (it.key().endsWith(QStringLiteral(".png")))
                continue;
            const XmlFacts facts = readXml(it.value());
            QVERIFY2(facts.error.isEmpty(), qPrintable(it.key() + facts.error));
            QVERIFY(!facts.attributes.contains(QStringLiteral("TargetMode")));
            for (const char* element :
                 {"w:hyperlink", "w:instrText", "w:fldSimple", "w:object", "w:altChunk"})
                QVERIFY2(!facts.elements.contains(QLatin1String(element)), element);
            for (const QString& target : facts.attributes.value(QStringLiteral("Target")))
                QVERIFY2(files.contains(target) || files.contains(QStringLiteral("word/") + target),
                         qPrintable(target));
        }
        const QString text = readXml(files[QStringLiteral("word/document.xml")]).text;
        for (const QString& payload : {payloads[0], payloads[3], payloads[18]})
            QVERIFY2(text.contains(payload), qPrintable(payload));
        QCOMPARE(*docxReport(m_model), *bytes);
    }

    void odtIsWellFormedAndClosed()
    {
        const auto bytes = odtReport(m_model);
        QVERIFY(bytes.ok());
        const auto files = unzip(*bytes);
        QVERIFY(files.contains(QStringLiteral("content.xml")));
        const XmlFacts facts = readXml(files[QStringLiteral("content.xml")]);
        QVERIFY2(facts.error.isEmpty(), qPrintable(facts.error));
        for (const char* element :
             {"text:a", "office:scripts", "script:event-listener", "draw:object"})
            QVERIFY2(!facts.elements.contains(QLatin1String(element)), element);
        for (const QString& target : facts.attributes.value(QStringLiteral("xlink:href")))
            QVERIFY2(target.startsWith(QStringLiteral("Pictures/")) && files.contains(target),
                     qPrintable(target));
        QVERIFY(facts.text.contains(payloads[0]));
        QVERIFY(facts.text.contains(payloads[3]));
    }

    void pdfHasTextAndNoActions()
    {
        const auto bytes = pdfReport(m_model);
        QVERIFY(bytes.ok());
        QVERIFY(bytes->startsWith("%PDF-"));
        for (const char* action :
             {"/URI", "/JavaScript", "/JS", "/Launch", "/Link", "/OpenAction", "/EmbeddedFile"})
            QVERIFY2(!bytes->contains(action), action);
        // Where poppler is, it reads the words back; everywhere the layout is the same document as
        // ODT's.
        const QString tool = QStandardPaths::findExecutable(QStringLiteral("pdftotext"));
        if (tool.isEmpty()) {
            qInfo("pdftotext is not here: the text of the PDF was checked in the document only");
            return;
        }
        QTemporaryDir dir;
        const QString file = dir.filePath(QStringLiteral("r.pdf"));
        QVERIFY(writeFileAtomically(file, *bytes).ok());
        QProcess process;
        process.start(tool,
                      {QStringLiteral("-enc"), QStringLiteral("UTF-8"), file, QStringLiteral("-")});
        QVERIFY(process.waitForFinished(60'000));
        const QString text = QString::fromUtf8(process.readAllStandardOutput());
        QVERIFY(text.contains(QStringLiteral("<script>alert(1)</script>")));
        QVERIFY(text.contains(QStringLiteral("[click](javascript:alert(3))")));
        QVERIFY(!text.contains(QChar(0x202e)));
    }

    void megabyteLinesAreCutInEveryFormat()
    {
        const QString line(1'000'000, QLatin1Char('A'));
        QElapsedTimer timer;
        timer.start();
        const ReportModel model = buildReport(hostileInput(m_dir.path(), line));
        for (const ReportFormat format :
             {ReportFormat::Markdown, ReportFormat::Html, ReportFormat::Docx, ReportFormat::Odt,
              ReportFormat::Pdf, ReportFormat::Json}) {
            const auto bytes = writeReport(model, format);
            QVERIFY(bytes.ok());
            QVERIFY2(bytes->size() < 4'000'000, qPrintable(reportFormatName(format)));
        }
        qInfo("six formats of megabyte lines in %lld ms", (long long)timer.elapsed());
        QVERIFY(QString::fromUtf8(markdownReport(model))
                    .contains(QStringLiteral("more characters left out")));
    }

    void threadsWriteAtOnce()
    {
        const ReportModel model = buildReport(fixture::wholeInput(m_dir.path()));
        const qsizetype alone = pdfReport(model)->size();
        QVector<QFuture<qsizetype>> pages;
        for (int i = 0; i < 4; ++i)
            pages << QtConcurrent::run([model] { return pdfReport(model)->size(); });
        for (QFuture<qsizetype>& page : pages) {
            const qsizetype size = page.result();
            QVERIFY2(std::abs(size - alone) < 64, qPrintable(QString::number(size)));
        }
    }

    void randomTextNeverBecomesMarkup()
    {
        const QString alphabet = QStringLiteral("<>[]()!*_`~#|\\&;:/-=+.1 \n\tabw@$\"'{}^");
        QRandomGenerator random(11);
        for (int round = 0; round < 60; ++round) {
            QString text;
            for (int i = 0; i < 60; ++i)
                text += alphabet[random.bounded(int(alphabet.size()))];
            ReportInput input = fixture::wholeInput(m_dir.path());
            input.run.reset();
            input.review->summary = text;
            const ReportModel model = buildReport(input);
            QTextDocument document;
            document.setMarkdown(QString::fromUtf8(markdownReport(model)),
                                 QTextDocument::MarkdownDialectGitHub);
            int headings = 0;
            for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
                headings += block.blockFormat().headingLevel() > 0 ? 1 : 0;
                for (auto it = block.begin(); !it.atEnd(); ++it) {
                    QVERIFY2(!it.fragment().charFormat().isAnchor(), qPrintable(text));
                    QVERIFY2(!it.fragment().charFormat().isImageFormat(), qPrintable(text));
                }
            }
            int expected = 0;
            for (const Block& block : documentOf(model).blocks)
                expected += block.kind == Block::Kind::Heading ? 1 : 0;
            QVERIFY2(headings == expected, qPrintable(text));
        }
    }

private:
    QTemporaryDir m_dir;
    ReportModel m_model;
};

QTEST_MAIN(TestReportHostile)
#include "tst_report_hostile.moc"
