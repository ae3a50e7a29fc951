// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/report_document.h"

#include "core/report/clean_text.h"

#include <cmath>

namespace ridgeline {

namespace {

using Style = TextRun::Style;
using Kind = Block::Kind;

QString capital(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

class Layout {
public:
    explicit Layout(const ReportModel& model) : m_in(model) {}

    ReportDocument build()
    {
        m_out.title = QStringLiteral("Review of %1")
                          .arg(m_in.bundleTitle.isEmpty() ? m_in.bundle : m_in.bundleTitle);
        header();
        verdict();
        missing();
        scores();
        findings();
        comments();
        for (const ReportCandidate& candidate : m_in.candidates)
            this->candidate(candidate);
        environment();
        dismissed();
        return std::move(m_out);
    }

private:
    void heading(int level, const QString& text)
    {
        Block block{Kind::Heading, level, {{text}}};
        m_out.blocks.push_back(std::move(block));
    }
    void add(Kind kind, Runs runs)
    {
        Block block{kind, 1, std::move(runs)};
        m_out.blocks.push_back(std::move(block));
    }
    /// Paragraphs of a person's text: blank lines part them.
    void prose(const QString& text, Kind kind = Kind::Paragraph)
    {
        for (const QString& part : text.split(QStringLiteral("\n\n"), Qt::SkipEmptyParts)) {
            if (!part.trimmed().isEmpty())
                add(kind, proseRuns(part.trimmed()));
        }
    }
    void code(const QString& text) { add(Kind::Code, {{text, Style::Code}}); }
    void table(const ReportTable& table)
    {
        Block block;
        block.kind = Kind::Table;
        block.table = table;
        m_out.blocks.push_back(std::move(block));
        if (table.rowsLeftOut > 0)
            add(Kind::Note,
                {{QStringLiteral("%1 more rows are in the run.").arg(table.rowsLeftOut)}});
    }

    void header()
    {
        heading(1, m_out.title);
        ReportTable facts{
            QStringLiteral("facts"), {}, {}, {{QStringLiteral("About")}, {QString()}}, {}};
        const auto row = [&facts](const QString& name, const QString& value) {
            if (!value.isEmpty())
                facts.rows.push_back({name, value});
        };
        row(QStringLiteral("Bundle"), m_in.bundle);
        row(QStringLiteral("Task type"), m_in.taskType);
        QStringList ids;
        for (const ReportCandidate& c : m_in.candidates)
            ids << c.id;
        row(ids.size() == 1 ? QStringLiteral("Candidate") : QStringLiteral("Candidates"),
            cleanLine(ids.join(QStringLiteral(", ")), 1000));
        if (!m_in.device.isEmpty()) {
            row(QStringLiteral("Device"), m_in.device);
            row(QStringLiteral("What its numbers are"), m_in.deviceLabel);
            row(QStringLiteral("Run"),
                QStringLiteral("%1 (%2)").arg(
                    m_in.runStarted.toUTC().toString(QStringLiteral("yyyy-MM-dd hh:mm 'UTC'")),
                    m_in.runFile));
        }
        row(QStringLiteral("Reviewer"), m_in.reviewer);
        row(QStringLiteral("Rubric"),
            m_in.rubricHash.isEmpty()
                ? m_in.rubric
                : QStringLiteral("%1 (sha256 %2)").arg(m_in.rubric, m_in.rubricHash.left(12)));
        if (m_in.activeMs >= 60'000)
            row(QStringLiteral("Time spent"), QStringLiteral("%1 min").arg(m_in.activeMs / 60'000));
        table(facts);
    }

    void verdict()
    {
        heading(2, QStringLiteral("Verdict"));
        if (m_in.reviewer.isEmpty()) {
            add(Kind::Paragraph, {{QStringLiteral("No person has judged this bundle yet.")}});
        } else {
            Runs runs{{capital(m_in.verdict), Style::Bold}};
            if (!m_in.word.isEmpty())
                runs += Runs{{QStringLiteral(" (%1)").arg(m_in.word)}};
            if (m_in.total) {
                runs += Runs{{QStringLiteral(". Weighted total %1 on a scale from %2 to %3")
                                  .arg(QString::number(*m_in.total, 'f', 2))
                                  .arg(m_in.scaleMin)
                                  .arg(m_in.scaleMax)}};
                if (m_in.scoredWeight < m_in.applicableWeight)
                    runs += Runs{{QStringLiteral(" over %1 of %2 weight: the rest is not scored")
                                      .arg(numberText(m_in.scoredWeight),
                                           numberText(m_in.applicableWeight))}};
            }
            runs += Runs{{QStringLiteral(".")}};
            add(Kind::Paragraph, runs);
            prose(m_in.summary);
        }
        for (const ReportCandidate& c : m_in.candidates) {
            Runs runs{{c.id, Style::Code}, {QStringLiteral(": ")}, {c.verdict, Style::Bold}};
            if (!c.reason.isEmpty())
                runs += Runs{{QStringLiteral(" \u2013 ") + c.reason}};
            add(Kind::Bullet, runs);
        }
    }

    void missing()
    {
        if (m_in.missing.isEmpty())
            return;
        heading(2, QStringLiteral("What this report lacks"));
        for (const QString& line : m_in.missing)
            add(Kind::Bullet, {{line}});
    }

    QString scoreCell(const ReportScore& score) const
    {
        if (score.notApplicable)
            return QStringLiteral("not applicable");
        if (!score.score)
            return QStringLiteral("not scored");
        return QStringLiteral("%1 %2").arg(*score.score).arg(score.label).trimmed();
    }

    void scores()
    {
        if (m_in.scores.isEmpty())
            return;
        heading(2, QStringLiteral("Scores"));
        ReportTable overview{QStringLiteral("scores"),
                             {},
                             {},
                             {{QStringLiteral("Criterion")},
                              {QStringLiteral("Weight"), true},
                              {QStringLiteral("Score")}},
                             {}};
        for (const ReportScore& score : m_in.scores)
            overview.rows.push_back({score.title, numberText(score.weight), scoreCell(score)});
        table(overview);
        for (const ReportScore& score : m_in.scores) {
            if (!score.score && score.comment.isEmpty() && score.evidence.isEmpty())
                continue;
            heading(3, QStringLiteral("%1: %2").arg(score.title, scoreCell(score)));
            if (!score.levelText.isEmpty())
                add(Kind::Quote, {{score.levelText, Style::Italic}});
            prose(score.comment);
            for (const QString& line : score.evidence)
                add(Kind::Bullet, {{QStringLiteral("Evidence: "), Style::Bold}, {line}});
            if (score.needsJustification)
                add(Kind::Note,
                    {{QStringLiteral(
                        "The rubric asks for a justification of this score; there is none.")}});
            if (!score.missingEvidence.isEmpty())
                add(Kind::Note, {{QStringLiteral("Not linked, though the rubric asks for it: ") +
                                  score.missingEvidence.join(QStringLiteral(", "))}});
        }
    }

    void finding(const ReportFinding& f)
    {
        heading(4, f.title.isEmpty() ? f.code : f.title);
        Runs facts{{f.severity, Style::Bold}, {QStringLiteral(" \u00b7 ")}, {f.code, Style::Code}};
        if (!f.candidate.isEmpty())
            facts += Runs{{QStringLiteral(" \u00b7 candidate ")}, {f.candidate, Style::Code}};
        if (!f.pass.isEmpty())
            facts += Runs{{QStringLiteral(" \u00b7 pass ") + f.pass}};
        if (!f.place.isEmpty())
            facts += Runs{{QStringLiteral(" \u00b7 ")}, {f.place, Style::Code}};
        if (!f.word.isEmpty())
            facts += Runs{{QStringLiteral(" \u00b7 suggests ") + f.word}};
        if (!f.criterion.isEmpty())
            facts += Runs{{QStringLiteral(" \u00b7 bears on ") + f.criterion}};
        add(Kind::Paragraph, facts);
        prose(f.explanation);
        for (const QString& line : f.evidence)
            add(Kind::Bullet, {{line}});
        if (!f.reason.isEmpty())
            add(Kind::Paragraph,
                Runs{{QStringLiteral("Reviewer: "), Style::Bold}} + proseRuns(f.reason));
    }

    void findings()
    {
        heading(2, QStringLiteral("Findings"));
        if (m_in.confirmed.isEmpty() && m_in.open.isEmpty())
            add(Kind::Paragraph,
                {{m_in.device.isEmpty() ? QStringLiteral("None: nothing was run.")
                  : m_in.dismissed.isEmpty()
                      ? QStringLiteral("The passes that ran left no finding.")
                      : QStringLiteral("None stands; see the appendix for what was dismissed.")}});
        if (!m_in.confirmed.isEmpty()) {
            heading(3, QStringLiteral("Confirmed by the reviewer"));
            for (const ReportFinding& f : m_in.confirmed)
                finding(f);
        }
        if (!m_in.open.isEmpty()) {
            heading(3, QStringLiteral("Not yet judged"));
            add(Kind::Note,
                {{QStringLiteral(
                    "A tool reported these; no person has confirmed or dismissed them.")}});
            for (const ReportFinding& f : m_in.open)
                finding(f);
        }
    }

    void comments()
    {
        if (m_in.comments.isEmpty())
            return;
        heading(2, QStringLiteral("Comments on lines"));
        for (const ReportComment& c : m_in.comments) {
            Runs head{{c.place, Style::Code}};
            if (!c.note.isEmpty())
                head += Runs{{QStringLiteral(" (%1)").arg(c.note), Style::Italic}};
            if (!c.criterion.isEmpty())
                head += Runs{{QStringLiteral(" \u00b7 ") + c.criterion}};
            add(Kind::Paragraph, head);
            QString quote = c.quote;
            while (quote.endsWith(QLatin1Char('\n')))
                quote.chop(1);
            if (!quote.isEmpty())
                code(quote);
            prose(c.text);
        }
    }

    void candidate(const ReportCandidate& c)
    {
        heading(2, QStringLiteral("Candidate %1").arg(c.id));
        Runs facts;
        if (!c.title.isEmpty())
            facts += Runs{{c.title}};
        if (!c.origin.isEmpty())
            facts += Runs{{(facts.isEmpty() ? QString() : QStringLiteral(" \u00b7 ")) +
                           QStringLiteral("by %1").arg(c.origin)}};
        if (!facts.isEmpty())
            add(Kind::Paragraph, facts);
        for (const ReportTable& t : c.tables) {
            heading(3, t.title);
            if (!t.note.isEmpty())
                add(Kind::Note, {{t.note}});
            if (t.id == QLatin1String("roofline") && c.plot.isDrawable()) {
                Block block;
                block.kind = Kind::Plot;
                block.plot = c.plot;
                m_out.blocks.push_back(std::move(block));
            }
            table(t);
        }
        if (!c.reproduce.isEmpty()) {
            heading(3, QStringLiteral("Reproduce"));
            code(c.reproduce.join(QLatin1Char('\n')));
        }
    }

    void environment()
    {
        if (m_in.environment.isEmpty())
            return;
        heading(2, QStringLiteral("Environment"));
        ReportTable t{QStringLiteral("environment"),
                      {},
                      {},
                      {{QStringLiteral("What")}, {QStringLiteral("Value")}},
                      {}};
        t.rows = m_in.environment;
        table(t);
    }

    void dismissed()
    {
        if (m_in.dismissed.isEmpty())
            return;
        heading(2, QStringLiteral("Appendix: dismissed findings"));
        for (const ReportFinding& f : m_in.dismissed)
            finding(f);
    }

    const ReportModel& m_in;
    ReportDocument m_out;
};

} // namespace

Runs proseRuns(const QString& text)
{
    const QStringList parts = text.split(QLatin1Char('`'));
    Runs runs;
    for (qsizetype i = 0; i < parts.size(); ++i) {
        // Odd parts lie between backticks; a last one without a partner is text.
        const bool isCode = i % 2 == 1 && i + 1 < parts.size() && !parts[i].isEmpty() &&
                            !parts[i].contains(QLatin1Char('\n'));
        if (isCode)
            runs.push_back({parts[i], TextRun::Style::Code});
        else if (i % 2 == 1)
            runs.push_back({QLatin1Char('`') + parts[i] +
                            (i + 1 < parts.size() ? QStringLiteral("`") : QString())});
        else if (!parts[i].isEmpty())
            runs.push_back({parts[i]});
    }
    return runs;
}

ReportDocument documentOf(const ReportModel& model)
{
    return Layout(model).build();
}

} // namespace ridgeline
