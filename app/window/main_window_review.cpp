// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/actions.h"
#include "app/window/main_window.h"
#include "core/review/anchor.h"
#include "widgets/comments_view.h"
#include "widgets/compare_view.h"
#include "widgets/findings_view.h"
#include "widgets/rubric_form.h"
#include "widgets/runs_view.h"

#include <QApplication>
#include <QInputDialog>
#include <QSettings>
#include <QTabWidget>

namespace ridgeline {

void MainWindow::connectReview()
{
    // Calls `change` with the current review and shows what it answers.
    const auto edit = [this](auto change) {
        OpenBundle* bundle = currentBundle();
        if (bundle && bundle->review)
            answer(change(*bundle->review));
    };
    connect(m_rubric, &RubricForm::rubricChosen, this,
            [this](const QString& id) { m_workspace->setRubric(m_current, id); });
    connect(m_rubric, &RubricForm::scoreChosen, this,
            [edit](const QString& criterion, std::optional<int> score) {
                edit([&](ReviewStore& store) { return store.setScore(criterion, score); });
            });
    connect(m_rubric, &RubricForm::notApplicableChosen, this,
            [edit](const QString& criterion, bool on) {
                edit([&](ReviewStore& store) { return store.setNotApplicable(criterion, on); });
            });
    connect(m_rubric, &RubricForm::commentEdited, this,
            [edit](const QString& criterion, const QString& text) {
                edit([&](ReviewStore& store) { return store.setComment(criterion, text); });
            });
    connect(m_rubric, &RubricForm::summaryEdited, this, [edit](const QString& text) {
        edit([&](ReviewStore& store) { return store.setSummary(text); });
    });
    connect(m_rubric, &RubricForm::verdictChosen, this,
            [edit](ReviewVerdict verdict, VerdictWord word) {
                edit([&](ReviewStore& store) { return store.setVerdict(verdict, word); });
            });
    connect(m_rubric, &RubricForm::evidenceRemoved, this,
            [edit](const QString& criterion, const EvidenceLink& link) {
                edit([&](ReviewStore& store) { return store.removeEvidence(criterion, link); });
            });
    connect(m_rubric, &RubricForm::linkRequested, this, &MainWindow::linkEvidence);
    connect(m_rubric, &RubricForm::evidenceActivated, this, [this](const EvidenceLink& link) {
        if (link.source) {
            goTo(link.source->file, link.source->firstLine);
        } else if (link.kind == QLatin1String("finding")) {
            m_findings->select(link.ref);
            showTab(FindingsTab);
        } else {
            const QStringList parts = link.ref.split(QLatin1Char('/'));
            const int row = parts.size() == 2 ? m_runs->model()->rowOf(parts[0], parts[1]) : -1;
            if (row >= 0)
                m_runs->table()->selectRow(row);
            showTab(RunsTab);
        }
    });
    connect(m_findings, &FindingsView::decided, this,
            [edit](const QString& id, FindingState state, const QString& reason) {
                edit([&](ReviewStore& store) { return store.decideFinding(id, state, reason); });
            });
    connect(m_comments, &CommentsView::commentRemoved, this, [edit](const QString& id) {
        edit([&](ReviewStore& store) { return store.removeAnchoredComment(id); });
    });
    connect(m_comments, &CommentsView::commentSaved, this,
            [this](const QString& id, const QString& file, int firstLine, int lastLine,
                   const QString& text, const QString& criterion) {
                OpenBundle* bundle = currentBundle();
                if (!bundle || !bundle->review)
                    return;
                QByteArray bytes;
                for (const auto* list : {&bundle->spec, &bundle->reference, &bundle->candidates}) {
                    for (const CodeDocument& document : *list) {
                        if (document.path == file)
                            bytes = document.text.toUtf8();
                    }
                }
                auto comment = anchorComment(file, bytes, firstLine, lastLine, text, criterion);
                if (!comment) {
                    answer(comment.error());
                    return;
                }
                comment->id = id;
                const auto stored = bundle->review->putAnchoredComment(*comment);
                if (!stored)
                    answer(stored.error());
            });
}

void MainWindow::showReview()
{
    OpenBundle* bundle = currentBundle();
    if (!bundle || bundle->loading || !bundle->review)
        return;
    ReviewStore* store = bundle->review.get();
    // The writer thread tells; the label is the UI thread's.
    connect(store, &ReviewStore::saved, m_rubric, &RubricForm::setSaved,
            Qt::ConnectionType(Qt::QueuedConnection | Qt::UniqueConnection));
    connect(store, &ReviewStore::failed, this, &MainWindow::saveFailed,
            Qt::ConnectionType(Qt::QueuedConnection | Qt::UniqueConnection));
    if (store->unsavedEdits() > 0)
        m_rubric->setUnsaved();
    m_rubric->setReview(store->review(), bundle->findings(), store->opening().readOnlyWhy);
    m_comments->setReadOnly(store->isReadOnly());
    showMarkers();
    updateActions();
}

void MainWindow::saveFailed(const Error& error)
{
    m_rubric->setSaveFailed(error.toString());
    tell(tr("The review is NOT saved: %1").arg(error.toString()), 60000);
}

void MainWindow::answer(const Result<void>& result)
{
    if (!result)
        tell(result.error().toString(), 12000);
}

void MainWindow::startComment()
{
    const QWidget* focus = QApplication::focusWidget();
    for (const auto column : {CompareView::Spec, CompareView::Reference, CompareView::Candidate}) {
        CodePane* pane = m_compare->pane(column);
        if (!focus || !pane->isAncestorOf(focus) || pane->currentIndex() < 0)
            continue;
        if (pane->isRendered()) { // a rendered page has no lines to hold on to
            pane->setRendered(false);
            pane->focusTarget()->setFocus();
            tell(tr("Choose the lines in the source, then press c again."));
            return;
        }
        const auto [first, last] = pane->selectedLines();
        m_tabs->setCurrentIndex(CommentsTab);
        m_comments->startComment(pane->currentDocument().path, first, last);
        return;
    }
    m_rubric->focusComment();
}

void MainWindow::linkEvidence(const QString& criterion)
{
    OpenBundle* bundle = currentBundle();
    if (!bundle || !bundle->review || criterion.isEmpty())
        return;
    EvidenceLink link;
    const QWidget* focus = QApplication::focusWidget();
    CodePane* pane = m_compare->pane(m_compare->activeColumn());
    if (focus && pane->isAncestorOf(focus) && !pane->isRendered() && pane->currentIndex() >= 0) {
        const auto [first, last] = pane->selectedLines();
        const CodeDocument document = pane->currentDocument();
        link.kind = QStringLiteral("source");
        link.source = SourceRange{document.path, first, last,
                                  hashOfLines(document.text.toUtf8(), first, last)};
        link.text = rangeText(link.source);
    } else if (m_tabs->currentIndex() == FindingsTab && m_findings->current()) {
        const Finding* finding = m_findings->current();
        link.kind = QStringLiteral("finding");
        link.ref = finding->id;
        link.text = QStringLiteral("%1 %2").arg(finding->code, finding->title);
    } else if (!m_runs->selectedPass().isEmpty()) {
        link.kind = QStringLiteral("pass");
        link.ref = m_runs->selectedCandidate() + QLatin1Char('/') + m_runs->selectedPass();
        const int row = m_runs->table()->currentIndex().row();
        const QString summary =
            m_runs->model()->index(row, int(RunsModel::Column::Summary)).data().toString();
        link.text = QStringLiteral("%1: %2").arg(link.ref, summary);
    } else {
        tell(tr("Select a finding, a pass, or lines of a column first, then link."));
        return;
    }
    answer(bundle->review->addEvidence(criterion, link));
    tell(tr("Linked to %1: %2").arg(criterion, link.text));
}

void MainWindow::askReviewer()
{
    bool ok = false;
    const QString name =
        QInputDialog::getText(this, tr("Reviewer"), tr("Reviews are kept under this name"),
                              QLineEdit::Normal, m_workspace->reviewer(), &ok)
            .trimmed();
    if (!ok || name.isEmpty() || name == m_workspace->reviewer())
        return;
    m_settings->setValue(QStringLiteral("reviewer"), name);
    m_workspace->setReviewer(name);
    for (const QString& dir : m_workspace->dirs())
        m_workspace->reload(dir);
}

} // namespace ridgeline
