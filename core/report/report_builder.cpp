// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/clean_text.h"
#include "core/report/report_model.h"
#include "core/report/report_tables.h"
#include "core/review/anchor.h"
#include "core/support/paths.h"

#include <QRegularExpression>
#include <QSet>
#include <algorithm>

namespace ridgeline {

namespace {

constexpr int maxFindings = 200;
constexpr int maxEvidence = 20;

/// What numbers of that kind of device are worth.
QString labelOf(const QString& kind)
{
    if (kind == QLatin1String("cuda"))
        return QStringLiteral("real CUDA device: times are times of this GPU");
    if (kind == QLatin1String("emulated-cuda"))
        return QStringLiteral("emulated CUDA device: counts are exact, times are not GPU times");
    if (kind == QLatin1String("nki-simulator"))
        return QStringLiteral("NKI simulator: results are checked, times are not device times");
    if (kind.endsWith(QLatin1String("-interpreter")))
        return QStringLiteral("interpreter: results are checked, times are not device times");
    if (kind == QLatin1String("cpu") || kind == QLatin1String("host"))
        return QStringLiteral("this machine's CPU: times are host times");
    return QStringLiteral("kind of device not recorded: no time in this report is comparable");
}

QString rangePlace(const SourceRange& range)
{
    if (range.file.isEmpty())
        return {};
    QString place = cleanLine(range.file, 200);
    if (range.firstLine > 0)
        place += QStringLiteral(":%1").arg(range.firstLine);
    if (range.lastLine > range.firstLine)
        place += QStringLiteral("-%1").arg(range.lastLine);
    return place;
}

QString evidenceText(const Evidence& evidence)
{
    QStringList parts;
    if (!evidence.text.isEmpty())
        parts << cleanLine(evidence.text);
    if (evidence.source)
        parts << rangePlace(*evidence.source);
    if (!evidence.rule.isEmpty())
        parts << QStringLiteral("rule: ") + cleanLine(evidence.rule);
    if (!evidence.artefact.isEmpty())
        parts << QStringLiteral("artefact: ") + cleanLine(evidence.artefact);
    QString kind = cleanLine(evidence.kind, 40);
    return kind + QStringLiteral(": ") + parts.join(QStringLiteral("; "));
}

/// A word as a shell takes it literally: readers copy commands out of reports.
QString shellWord(const QString& word)
{
    static const QRegularExpression plain(QStringLiteral("\\A[A-Za-z0-9._:/=+-]+\\z"));
    if (plain.match(word).hasMatch())
        return word;
    QString quoted = word;
    quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

class Builder {
public:
    explicit Builder(const ReportInput& input) : m_in(input) {}

    ReportModel build()
    {
        header();
        collectFindings();
        review();
        findings();
        candidates();
        return std::move(m_out);
    }

private:
    bool wanted(const QString& candidate) const
    {
        return m_in.candidate.isEmpty() || candidate.isEmpty() || candidate == m_in.candidate;
    }

    void header()
    {
        m_out.version = cleanLine(m_in.version, 40);
        m_out.bundle = cleanLine(m_in.bundle.id, 200);
        m_out.bundleTitle = cleanLine(m_in.bundle.title, 300);
        m_out.taskType = taskTypeName(m_in.bundle.taskType);
        if (!m_in.run) {
            m_out.missing << QStringLiteral(
                "There is no run: nothing in this report was compiled, executed or counted.");
            return;
        }
        const RunRecord& run = *m_in.run;
        m_out.device = cleanLine(run.device, 120);
        const Json& device = jsonMember(run.environment, "device");
        m_out.deviceKind =
            cleanLine(jsonString(device, "kind", run.device.section(QLatin1Char(':'), 0, 0)), 60);
        m_out.deviceName = cleanLine(jsonString(device, "name"), 120);
        m_out.deviceLabel = labelOf(m_out.deviceKind);
        m_out.runStarted = run.started;
        m_out.runFile = cleanLine(m_in.runFile, 200);
        if (!run.bundle.isEmpty() && run.bundle != m_in.bundle.id)
            m_out.missing << QStringLiteral("The run is of the bundle \"%1\", not of this one.")
                                 .arg(cleanLine(run.bundle, 200));
        environment(run.environment);
    }

    void environment(const Json& environment)
    {
        const auto add = [this](const QString& name, const QString& value) {
            if (!value.isEmpty())
                m_out.environment.push_back({name, cleanLine(value, 300)});
        };
        add(QStringLiteral("Device"), m_out.device);
        add(QStringLiteral("Device name"), m_out.deviceName);
        add(QStringLiteral("Host"), jsonString(environment, "host"));
        add(QStringLiteral("System"), jsonString(environment, "os"));
        add(QStringLiteral("CPU"), jsonString(environment, "cpu"));
        add(QStringLiteral("nvcc"), jsonString(jsonMember(environment, "nvcc"), "version"));
        add(QStringLiteral("ptxas"), jsonString(environment, "ptxas_version"));
        add(QStringLiteral("Host compiler"), jsonString(environment, "compiler_host"));
        add(QStringLiteral("Ridgeline"), jsonString(environment, "ridgeline"));
        for (const Json& lack : jsonMember(environment, "missing")) {
            if (!lack.is_object() || m_out.missing.size() > 50)
                continue;
            QString line = QStringLiteral("%1 was missing (%2)")
                               .arg(cleanLine(jsonString(lack, "what"), 200),
                                    cleanLine(jsonString(lack, "why"), 200));
            const QString lost = cleanLine(jsonString(lack, "lost"), 200);
            if (!lost.isEmpty())
                line += QStringLiteral(": lost ") + lost;
            m_out.missing << line + QLatin1Char('.');
        }
    }

    void collectFindings()
    {
        if (!m_in.run)
            return;
        for (const CandidateRun& run : m_in.run->candidates) {
            for (Finding finding : run.findings) {
                if (finding.candidate.isEmpty())
                    finding.candidate = run.id;
                m_findings.push_back(std::move(finding));
            }
        }
    }

    const Finding* findingOf(const QString& id) const
    {
        for (const Finding& finding : m_findings) {
            if (finding.id == id)
                return &finding;
        }
        return nullptr;
    }

    QString criterionTitle(const QString& id) const
    {
        if (m_in.rubric) {
            if (const RubricCriterion* c = m_in.rubric->criterion(id))
                return cleanLine(c->title);
        }
        return cleanLine(id);
    }

    QString linkText(const EvidenceLink& link) const
    {
        QString line = cleanLine(link.kind, 40);
        if (link.kind == QLatin1String("finding")) {
            const Finding* finding = findingOf(link.ref);
            line +=
                QStringLiteral(": ") +
                (finding != nullptr ? cleanLine(finding->title)
                                    : cleanLine(link.ref) + QStringLiteral(" (not in this run)"));
        } else if (link.source) {
            line += QStringLiteral(": ") + rangePlace(*link.source);
        } else if (!link.ref.isEmpty()) {
            line += QStringLiteral(": ") + cleanLine(link.ref);
        }
        if (!link.text.isEmpty())
            line += QStringLiteral(" \u2013 ") + cleanLine(link.text);
        return line;
    }

    void review()
    {
        m_out.missing << QStringList(m_in.notices);
        for (QString& line : m_out.missing)
            line = cleanLine(line, 600);
        if (!m_in.review) {
            m_out.missing << QStringLiteral(
                "There is no review: no score, no verdict and no judged finding.");
            m_out.verdict = reviewVerdictName(ReviewVerdict::Undecided);
            return;
        }
        const Review& review = *m_in.review;
        m_out.reviewer = cleanLine(review.reviewer, 200);
        m_out.activeMs = review.activeMs;
        m_out.verdict = reviewVerdictName(review.verdict);
        m_out.word = verdictWordName(review.word);
        m_out.summary = cleanText(review.summary, 20'000).trimmed();
        if (review.verdict == ReviewVerdict::Undecided)
            m_out.missing << QStringLiteral("The reviewer has not given a verdict.");
        if (m_out.summary.isEmpty())
            m_out.missing << QStringLiteral("The reviewer has not written a summary.");
        comments(review);
        if (!m_in.rubric) {
            m_out.rubric = cleanLine(review.rubric.id + QLatin1Char(' ') + review.rubric.version);
            m_out.rubricHash = cleanLine(review.rubric.hash, 80);
            m_out.missing << QStringLiteral(
                "The rubric of the review is not here: level texts and the total are left out.");
            scoresWithoutRubric(review);
            return;
        }
        scores(review, *m_in.rubric);
    }

    void scoresWithoutRubric(const Review& review)
    {
        for (const CriterionPin& pin : review.rubric.criteria) {
            const CriterionScore score = review.scores.value(pin.id);
            ReportScore row;
            row.criterion = cleanLine(pin.id, 80);
            row.title = cleanLine(pin.title);
            row.weight = pin.weight;
            row.score = score.score;
            row.comment = cleanText(score.comment);
            row.notApplicable = score.notApplicable;
            for (const EvidenceLink& link : score.evidence)
                row.evidence << linkText(link);
            m_out.scores.push_back(std::move(row));
        }
    }

    void scores(const Review& review, const Rubric& rubric)
    {
        m_out.rubric = cleanLine(rubric.title + QLatin1Char(' ') + rubric.version);
        m_out.rubricHash = cleanLine(review.rubric.hash, 80);
        m_out.scaleMin = rubric.scale.min;
        m_out.scaleMax = rubric.scale.max;
        for (const QString& change : rubricChanges(review.rubric, rubric))
            m_out.missing << QStringLiteral("Rubric: ") + cleanLine(change) + QLatin1Char('.');
        const ReviewStanding standing = standingOf(review, rubric, m_out.taskType, m_findings);
        m_out.total = standing.total;
        m_out.scoredWeight = standing.scoredWeight;
        m_out.applicableWeight = standing.applicableWeight;
        for (const RubricCriterion& c : rubric.criteria) {
            const CriterionScore score = review.scores.value(c.id);
            ReportScore row;
            row.criterion = cleanLine(c.id, 80);
            row.title = cleanLine(c.title);
            row.weight = c.weight;
            row.notApplicable = standing.notApplicable.contains(c.id);
            if (const RubricLevel* level = score.score ? c.level(*score.score) : nullptr) {
                row.score = level->score;
                row.label = cleanLine(level->label);
                row.levelText = cleanText(level->text, 2000);
            }
            row.comment = cleanText(score.comment);
            for (const EvidenceLink& link : score.evidence)
                row.evidence << linkText(link);
            row.needsJustification = standing.unjustified.contains(c.id);
            for (const EvidenceGap& gap : standing.evidenceGaps) {
                if (gap.criterion == c.id)
                    row.missingEvidence << cleanLine(gap.required);
            }
            m_out.scores.push_back(std::move(row));
        }
    }

    void comments(const Review& review)
    {
        for (const AnchoredComment& comment : review.comments) {
            ReportComment row;
            row.text = cleanText(comment.text);
            row.quote = cleanText(comment.quote, 1000);
            row.criterion =
                comment.criterion.isEmpty() ? QString() : criterionTitle(comment.criterion);
            QByteArray text;
            if (const auto path = resolveInside(m_in.bundle.dir, comment.range.file)) {
                if (auto bytes = readFile(*path))
                    text = bytes->isNull() ? QByteArray("") : *bytes;
            }
            const AnchorPlace place = placeOf(comment, text);
            SourceRange range = comment.range;
            if (place.state == AnchorState::Orphaned) {
                row.note = QStringLiteral("orphaned: ") + place.reason;
            } else {
                if (place.state == AnchorState::Moved)
                    row.note = QStringLiteral("moved from line %1").arg(range.firstLine);
                range.firstLine = place.firstLine;
                range.lastLine = place.lastLine;
            }
            row.place = rangePlace(range);
            m_out.comments.push_back(std::move(row));
        }
    }

    ReportFinding rowOf(const Finding& finding) const
    {
        ReportFinding row;
        row.id = cleanLine(finding.id, 300);
        row.code = cleanLine(finding.code, 60);
        row.severity = severityName(finding.severity);
        row.title = cleanLine(finding.title);
        row.explanation = cleanText(finding.explanation, 4000);
        row.candidate = cleanLine(finding.candidate, 120);
        row.pass = cleanLine(finding.pass, 60);
        if (finding.location)
            row.place = rangePlace(*finding.location);
        for (const Evidence& evidence : finding.evidence) {
            if (row.evidence.size() == maxEvidence) {
                row.evidence << QStringLiteral("%1 more").arg(finding.evidence.size() -
                                                              maxEvidence);
                break;
            }
            row.evidence << evidenceText(evidence);
        }
        row.word = verdictWordName(finding.suggestedVerdict);
        row.criterion = finding.suggestedCriterion.isEmpty()
                            ? QString()
                            : criterionTitle(finding.suggestedCriterion);
        row.state = finding.state;
        row.reason = cleanText(finding.reason, 2000);
        return row;
    }

    void findings()
    {
        QVector<Finding> sorted = m_findings;
        std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
            return int(a.severity) > int(b.severity);
        });
        int leftOut = 0;
        QSet<QString> known;
        for (Finding& finding : sorted) {
            known.insert(finding.id);
            if (!wanted(finding.candidate))
                continue;
            // Only a person's word moves a finding; a state inside a result file is not one.
            finding.state = FindingState::Open;
            finding.reason.clear();
            if (m_in.review && m_in.review->decisions.contains(finding.id)) {
                const FindingDecision decision = m_in.review->decisions.value(finding.id);
                finding.state = decision.state;
                finding.reason = decision.reason;
            }
            auto& list = finding.state == FindingState::Confirmed   ? m_out.confirmed
                         : finding.state == FindingState::Dismissed ? m_out.dismissed
                                                                    : m_out.open;
            if (list.size() < maxFindings)
                list.push_back(rowOf(finding));
            else
                ++leftOut;
        }
        if (leftOut > 0)
            m_out.missing << QStringLiteral(
                                 "%1 findings are left out of this report; they are in the "
                                 "run.")
                                 .arg(leftOut);
        if (!m_in.review || !m_in.run)
            return;
        int elsewhere = 0;
        for (auto it = m_in.review->decisions.cbegin(); it != m_in.review->decisions.cend(); ++it)
            elsewhere += known.contains(it.key()) ? 0 : 1;
        if (elsewhere > 0)
            m_out.missing
                << QStringLiteral("%1 judged findings belong to another run.").arg(elsewhere);
    }

    /// Passes that say nothing about a candidate, so that silence is not read as a pass.
    void unproven(const CandidateRun& run)
    {
        QStringList absent;
        for (const char* name : {"compile", "audit", "correctness", "benchmark", "roofline"}) {
            const QString pass = QLatin1String(name);
            const PassRecord* record = run.pass(pass);
            if (record == nullptr)
                absent << pass;
            else if (record->state != PassState::Passed && record->state != PassState::Failed)
                absent << QStringLiteral("%1 (%2)").arg(pass, passStateName(record->state));
        }
        if (!absent.isEmpty())
            m_out.missing << QStringLiteral("Candidate %1 has no result of: %2.")
                                 .arg(cleanLine(run.id, 120), absent.join(QStringLiteral(", ")));
    }

    void candidates()
    {
        if (!m_in.run)
            return;
        for (const CandidateRun& run : m_in.run->candidates) {
            if (!wanted(run.id))
                continue;
            ReportCandidate row;
            row.id = cleanLine(run.id, 120);
            row.verdict = verdictName(run.verdict);
            row.reason = cleanLine(run.verdictReason);
            if (const Candidate* candidate = m_in.bundle.candidate(run.id)) {
                row.title = cleanLine(candidate->title);
                QStringList origin;
                for (const QString& part : {candidate->author, candidate->model}) {
                    if (!part.isEmpty())
                        origin << cleanLine(part, 200);
                }
                row.origin = origin.join(QStringLiteral(", "));
            }
            row.tables = tablesOf(run);
            unproven(run);
            row.plot = roofPlotOf(run);
            row.reproduce << QStringLiteral("ridgeline run BUNDLE --candidate %1 --device %2")
                                 .arg(shellWord(cleanLine(run.id, 120)), shellWord(m_out.device));
            if (const PassRecord* compile = run.pass(QStringLiteral("compile"))) {
                const QString command = cleanLine(jsonString(compile->result, "command"), 2000);
                if (!command.isEmpty())
                    row.reproduce << command;
            }
            m_out.candidates.push_back(std::move(row));
        }
        if (m_out.candidates.isEmpty())
            m_out.missing << (m_in.candidate.isEmpty()
                                  ? QStringLiteral("The run has no candidate.")
                                  : QStringLiteral("The run has no candidate \"%1\".")
                                        .arg(cleanLine(m_in.candidate, 120)));
    }

    const ReportInput& m_in;
    ReportModel m_out;
    QVector<Finding> m_findings;
};

} // namespace

ReportModel buildReport(const ReportInput& input)
{
    return Builder(input).build();
}

bool ReportModel::hasProblems() const
{
    return !confirmed.isEmpty() ||
           std::any_of(candidates.begin(), candidates.end(), [](const ReportCandidate& candidate) {
               return candidate.verdict == QLatin1String("fail");
           });
}

} // namespace ridgeline
