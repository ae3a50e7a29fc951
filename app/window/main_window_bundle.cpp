// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"
#include "app/window/result_tabs.h"
#include "core/review/anchor.h"
#include "widgets/comments_view.h"
#include "widgets/compare_view.h"
#include "widgets/findings_view.h"
#include "widgets/queue_view.h"
#include "widgets/rubric_form.h"
#include "widgets/runs_view.h"

#include <QFileInfo>

namespace ridgeline {

namespace {

/// The worst verdict of a run, as a word for the queue; empty without a run.
QString runWord(const OpenBundle& bundle)
{
    if (!bundle.haveRun)
        return {};
    int fail = 0;
    int suspect = 0;
    int pass = 0;
    int unknown = 0;
    for (const CandidateRun& candidate : bundle.run.candidates) {
        fail += candidate.verdict == CandidateVerdict::Fail;
        suspect += candidate.verdict == CandidateVerdict::Suspect;
        pass += candidate.verdict == CandidateVerdict::Pass;
        unknown += candidate.verdict == CandidateVerdict::Unknown;
    }
    QStringList parts;
    if (pass > 0)
        parts.append(QObject::tr("%1 pass").arg(pass));
    if (fail > 0)
        parts.append(QObject::tr("%1 fail").arg(fail));
    if (suspect > 0)
        parts.append(QObject::tr("%1 suspect").arg(suspect));
    if (unknown > 0)
        parts.append(QObject::tr("%1 unknown").arg(unknown));
    return parts.join(QStringLiteral(", "));
}

} // namespace

void MainWindow::openBundles(const QStringList& paths, bool select)
{
    if (paths.isEmpty())
        return;
    const QString first = Workspace::keyFor(paths.first());
    if (select && first != m_current) {
        rememberPlace();
        m_current = first;
    }
    m_workspace->open(paths);
    if (select) {
        m_queue->setCurrentDir(first);
        showBundle(first);
    }
}

void MainWindow::refreshQueue(const QString& dir)
{
    const OpenBundle* bundle = m_workspace->find(dir);
    if (!bundle)
        return;
    QueueEntry entry;
    entry.dir = dir;
    entry.title = bundle->bundle.title.isEmpty() ? QFileInfo(dir).fileName() : bundle->bundle.title;
    if (bundle->loading) {
        entry.look = {Shape::Clock, Meaning::Muted, tr("loading")};
    } else if (bundle->error) {
        entry.look = {Shape::Triangle, Meaning::Bad, tr("broken")};
        entry.detail = bundle->error->where.pointer;
    } else {
        entry.subtitle = taskTypeName(bundle->bundle.taskType);
        entry.detail = runWord(*bundle);
        entry.look = {Shape::Ring, Meaning::Muted, tr("to do")};
        if (m_runner->isRunning() && dir == m_runningDir) {
            entry.look = {Shape::Play, Meaning::Running, tr("running")};
        } else if (bundle->review) {
            const Review& review = bundle->review->review();
            int scored = 0;
            for (const CriterionScore& score : review.scores)
                scored += score.score.has_value();
            const bool decided = review.verdict != ReviewVerdict::Undecided;
            if (decided)
                entry.look = {Shape::Check, Meaning::Good, reviewVerdictName(review.verdict)};
            else if (scored > 0)
                entry.look = {Shape::Diamond, Meaning::Info, tr("%1 scored").arg(scored)};
        }
    }
    m_queueModel->put(entry);
}

void MainWindow::showBundle(const QString& dir)
{
    if (dir != m_current)
        rememberPlace();
    m_current = dir;
    m_queue->setCurrentDir(dir);
    OpenBundle* bundle = currentBundle();
    const bool usable = bundle && !bundle->loading && !bundle->error;
    setWindowTitle(bundle ? tr("%1 – Ridgeline")
                                .arg(bundle->bundle.title.isEmpty() ? QFileInfo(dir).fileName()
                                                                    : bundle->bundle.title)
                          : tr("Ridgeline"));
    CodePane* spec = m_compare->pane(CompareView::Spec);
    CodePane* reference = m_compare->pane(CompareView::Reference);
    CodePane* candidate = m_compare->pane(CompareView::Candidate);
    if (!usable) {
        for (CodePane* pane : {spec, reference, candidate})
            pane->setDocuments({});
        if (!bundle) {
            spec->setEmptyText(tr("No bundle open"),
                               tr("Open a task bundle with Ctrl+O, or drop its folder here."));
            reference->setEmptyText(tr("Reference"),
                                    tr("What is right is computed from this file."));
            candidate->setEmptyText(tr("Candidate"), tr("The kernel under review is shown here."));
        } else if (bundle->loading) {
            for (CodePane* pane : {spec, reference, candidate})
                pane->setEmptyText(tr("Loading …"), dir);
        } else {
            showError(*bundle);
        }
        m_runs->setRun({});
        m_findings->setFindings({}, false);
        m_results->clear();
        m_comments->setComments({});
        m_rubric->clear(tr("No review open"),
                        bundle ? tr("A bundle that cannot be read cannot be scored.")
                               : tr("Open a bundle to score it."));
        if (bundle && bundle->loading)
            m_rubric->clear(tr("Loading …"), {});
        updateActions();
        return;
    }
    spec->setEmptyText(tr("No spec"), tr("The bundle names no spec file."));
    reference->setEmptyText(tr("No reference"),
                            tr("The bundle has no reference, so correctness cannot be checked."));
    candidate->setEmptyText(tr("No candidate"), tr("The bundle has no candidate to review."));
    spec->setDocuments(bundle->spec);
    reference->setDocuments(bundle->reference);
    candidate->setDocuments(bundle->candidates);
    if (bundle->review) {
        m_rubric->setRubricChoices(bundle->rubrics);
        m_rubric->setRubric(bundle->review->rubric(), taskTypeName(bundle->bundle.taskType));
        QVector<std::pair<QString, QString>> criteria;
        for (const RubricCriterion& criterion : bundle->review->rubric().criteria)
            criteria.append({criterion.id, criterion.title});
        m_comments->setCriteria(criteria);
        m_rubric->setSaved(bundle->review->review().changed.isValid()
                               ? bundle->review->review().changed
                               : QDateTime::currentDateTimeUtc());
        const ReviewOpening& opening = bundle->review->opening();
        if (!opening.rubricChanges.isEmpty())
            tell(tr("The rubric changed since this review: %1")
                     .arg(opening.rubricChanges.join(QStringLiteral("; "))),
                 20000);
        else if (!opening.notices.isEmpty())
            tell(opening.notices.join(QStringLiteral("; ")), 20000);
    } else {
        m_rubric->clear(tr("The review cannot be opened"), bundle->reviewError);
    }
    showResults(*bundle);
    showReview();
    restorePlace();
    if (!bundle->runError.isEmpty())
        tell(tr("The newest run cannot be read: %1").arg(bundle->runError), 20000);
    else if (!bundle->bundle.warnings.isEmpty())
        tell(bundle->bundle.warnings.join(QStringLiteral("; ")), 12000);
    updateActions();
    Q_EMIT bundleShown(dir);
}

void MainWindow::showError(const OpenBundle& bundle)
{
    CodePane* const panes[] = {m_compare->pane(CompareView::Spec),
                               m_compare->pane(CompareView::Reference),
                               m_compare->pane(CompareView::Candidate)};
    const Error& error = *bundle.error;
    QString where = error.where.toString();
    if (where.isEmpty())
        where = bundle.dir;
    panes[0]->setEmptyText(tr("This bundle cannot be read"),
                           QStringLiteral("%1\n\n%2\n\n%3").arg(error.message, where, error.hint));
    QStringList all;
    for (const Error& complaint : bundle.complaints)
        all.append(complaint.toString());
    const int shown = std::min<int>(20, int(all.size()));
    panes[1]->setEmptyText(
        all.size() > 1 ? tr("Everything that is wrong (%1)").arg(all.size()) : QString(),
        all.size() > 1 ? all.mid(0, shown).join(QStringLiteral("\n\n")) : QString());
    panes[2]->setEmptyText(
        tr("What to do"),
        tr("Mend the file and press Ctrl+R to read it again. The other bundles of "
           "the queue are not touched; Ctrl+W takes this one off the queue."));
}

void MainWindow::showResults(OpenBundle& bundle)
{
    m_runs->setRun(bundle.run);
    m_results->setRun(bundle.run);
    candidateChosen();
}

QString MainWindow::currentCandidate() const
{
    return m_compare->pane(CompareView::Candidate)->currentDocument().id;
}

void MainWindow::candidateChosen()
{
    m_results->showCandidate(currentCandidate());
    showMarkers();
}

void MainWindow::showMarkers()
{
    OpenBundle* bundle = currentBundle();
    if (!bundle || bundle->loading || bundle->error)
        return;
    QMap<QString, QVector<LineMarker>> markers;
    const QVector<Finding> findings = bundle->findings();
    m_findings->setFindings(findings, bundle->haveRun);
    for (const Finding& finding : findings) {
        if (!finding.location || finding.state == FindingState::Dismissed)
            continue;
        LineMarker marker;
        marker.line = finding.location->firstLine;
        marker.meaning = lookOf(finding.severity).meaning;
        marker.text = tr("%1 (%2)").arg(finding.title, lookOf(finding.severity).text);
        markers[finding.location->file].append(marker);
    }
    QVector<PlacedComment> placed;
    if (bundle->review) {
        QMap<QString, QByteArray> texts;
        for (const auto* list : {&bundle->spec, &bundle->reference, &bundle->candidates}) {
            for (const CodeDocument& document : *list)
                texts.insert(document.path, document.text.toUtf8());
        }
        for (const AnchoredComment& comment : bundle->review->review().comments) {
            const AnchorPlace place = placeOf(comment, texts.value(comment.range.file));
            placed.append({comment, place});
            if (place.state != AnchorState::Orphaned)
                markers[comment.range.file].append(
                    {place.firstLine, LineMarker::Kind::Comment, Meaning::Info, comment.text});
        }
    }
    for (const CandidateRun& run : bundle->run.candidates) {
        const PassRecord* compile = run.pass(QStringLiteral("compile"));
        if (!compile)
            continue;
        for (const Json& diagnostic : jsonMember(compile->result, "diagnostics")) {
            LineMarker marker;
            marker.kind = LineMarker::Kind::Diagnostic;
            marker.line = int(jsonInt(diagnostic, "line"));
            marker.meaning = jsonString(diagnostic, "severity") == QLatin1String("error")
                                 ? Meaning::Bad
                                 : Meaning::Warning;
            marker.text = jsonString(diagnostic, "message");
            markers[jsonString(diagnostic, "file")].append(marker);
        }
    }
    m_comments->setComments(placed);
    m_compare->setMarkers(markers);
}

void MainWindow::goTo(const QString& file, int line)
{
    if (!m_compare->showLine(file, line))
        tell(tr("%1 is not one of the files shown.").arg(file));
}

} // namespace ridgeline
