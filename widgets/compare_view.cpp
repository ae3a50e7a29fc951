// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_view.h"

#include "widgets/find_bar.h"

#include <QApplication>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <utility>

namespace ridgeline {

CompareView::CompareView(QWidget* parent)
    : QWidget(parent),
      m_splitter(new QSplitter(Qt::Horizontal, this)),
      m_search(new FindBar(tr("all three columns"), this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_search);
    column->addWidget(m_splitter, 1);
    m_search->hide();
    m_splitter->setHandleWidth(1);
    m_splitter->setChildrenCollapsible(false);

    const QString roles[] = {tr("Spec"), tr("Reference"), tr("Candidate")};
    for (int i = 0; i < 3; ++i) {
        auto* pane = new CodePane(roles[i], m_splitter);
        pane->setMinimumWidth(120);
        m_panes[size_t(i)] = pane;
        m_splitter->addWidget(pane);
        connect(pane, &CodePane::scrolledVertically, this, [this, i] { follow(i); });
        connect(pane, &CodePane::scrolledHorizontally, this,
                [this, i](int pixels) { followHorizontally(i, pixels); });
        connect(pane, &CodePane::documentChosen, this, [this, i](int index) {
            applyMarkers(i);
            noteOffsets();
            if (m_search->isVisible())
                search();
            if (i == Candidate)
                Q_EMIT candidateChosen(index);
        });
        connect(pane, &CodePane::markerClicked, this, [this, pane](int line) {
            Q_EMIT markerClicked(pane->currentDocument().path, line);
        });
    }
    m_splitter->setSizes({100, 100, 120});

    connect(m_search, &FindBar::queryChanged, this, &CompareView::search);
    connect(m_search, &FindBar::nextRequested, this, [this] { stepSearch(1); });
    connect(m_search, &FindBar::previousRequested, this, [this] { stepSearch(-1); });
    connect(m_search, &FindBar::closed, this, &CompareView::closeSearch);
}

void CompareView::setLocked(bool locked)
{
    if (locked == m_locked)
        return;
    m_locked = locked;
    noteOffsets();
    Q_EMIT lockChanged(locked);
}

void CompareView::noteOffsets()
{
    for (size_t i = 0; i < m_panes.size(); ++i)
        m_seenLine[i] = m_offsets[i] = m_panes[i]->firstVisibleLine();
}

void CompareView::follow(int from)
{
    if (!m_locked || m_following)
        return;
    const QScopedValueRollback guard(m_following, true);
    const CodePane& source = *m_panes[size_t(from)];
    if (!source.isRendered() &&
        std::exchange(m_seenLine[size_t(from)], source.firstVisibleLine()) ==
            source.firstVisibleLine())
        return;
    for (int i = 0; i < 3; ++i) {
        CodePane& target = *m_panes[size_t(i)];
        if (i == from || target.currentIndex() < 0)
            continue;
        if (source.isRendered() || target.isRendered())
            target.setScrollFraction(source.scrollFraction());
        else
            target.setFirstVisibleLine(source.firstVisibleLine() - m_offsets[size_t(from)] +
                                       m_offsets[size_t(i)]);
        m_seenLine[size_t(i)] = target.firstVisibleLine();
    }
}

void CompareView::followHorizontally(int from, int pixels)
{
    if (!m_locked || m_following)
        return;
    if (std::exchange(m_seenX[size_t(from)], pixels) == pixels)
        return;
    const QScopedValueRollback guard(m_following, true);
    for (int i = 0; i < 3; ++i) {
        CodePane& target = *m_panes[size_t(i)];
        if (i == from || target.isRendered())
            continue;
        target.setHorizontalOffset(pixels);
        m_seenX[size_t(i)] = target.horizontalOffset();
    }
}

void CompareView::openSearch()
{
    const QString selected = pane(activeColumn())->selectedText();
    if (!selected.isEmpty() && selected.size() < 200 && !selected.contains(QLatin1Char('\n')))
        m_search->setText(selected);
    m_search->activate();
    search();
}

void CompareView::closeSearch()
{
    m_search->hide();
    m_hits.clear();
    m_currentHit = -1;
    for (CodePane* pane : m_panes)
        pane->showMatches({}, -1);
    pane(activeColumn())->focusTarget()->setFocus();
}

void CompareView::search()
{
    m_hits.clear();
    m_currentHit = -1;
    const SearchQuery query = m_search->query();
    for (int i = 0; i < 3; ++i) {
        const auto found = findAll(m_panes[size_t(i)]->visibleText(), query);
        m_matches[size_t(i)] = found ? *found : QVector<SearchMatch>{};
        if (!found) {
            m_search->setError(found.error().message);
            for (CodePane* pane : m_panes)
                pane->showMatches({}, -1);
            return;
        }
        for (int k = 0; k < m_matches[size_t(i)].size(); ++k)
            m_hits.append({i, k});
    }
    if (!m_hits.isEmpty())
        m_currentHit = 0;
    showHit();
}

void CompareView::stepSearch(int step)
{
    if (m_hits.isEmpty())
        return;
    m_currentHit = (m_currentHit + step + int(m_hits.size())) % int(m_hits.size());
    showHit();
}

void CompareView::showHit()
{
    // Columns keep their own place while one of them jumps to a match.
    const QScopedValueRollback guard(m_following, true);
    for (int i = 0; i < 3; ++i) {
        const bool here = m_currentHit >= 0 && m_hits[m_currentHit].column == i;
        m_panes[size_t(i)]->showMatches(m_matches[size_t(i)],
                                        here ? m_hits[m_currentHit].index : -1);
    }
    m_search->setCount(m_currentHit, int(m_hits.size()),
                       tr("spec %1, reference %2, candidate %3")
                           .arg(m_matches[0].size())
                           .arg(m_matches[1].size())
                           .arg(m_matches[2].size()));
}

bool CompareView::showLine(const QString& path, int line)
{
    // The candidate first: the same header may be shown in two columns.
    for (const int i : {int(Candidate), int(Reference), int(Spec)}) {
        CodePane& pane = *m_panes[size_t(i)];
        const auto& documents = pane.documents();
        for (int k = -1; k < documents.size(); ++k) {
            const int index = k < 0 ? pane.currentIndex() : k;
            if (index < 0 || documents[index].path != path)
                continue;
            if (index != pane.currentIndex()) {
                pane.setCurrentIndex(index);
                Q_EMIT pane.documentChosen(index);
            }
            const QScopedValueRollback guard(m_following, true);
            pane.goToLine(line);
            return true;
        }
    }
    return false;
}

void CompareView::setMarkers(const QMap<QString, QVector<LineMarker>>& markers)
{
    m_markers = markers;
    for (int i = 0; i < 3; ++i)
        applyMarkers(i);
}

void CompareView::applyMarkers(int column)
{
    CodePane& pane = *m_panes[size_t(column)];
    pane.setMarkers(m_markers.value(pane.currentDocument().path));
}

CompareView::Column CompareView::activeColumn() const
{
    const QWidget* focus = QApplication::focusWidget();
    for (int i = 0; i < 3; ++i) {
        if (focus && m_panes[size_t(i)]->isAncestorOf(focus))
            return Column(i);
    }
    return Candidate;
}

} // namespace ridgeline
