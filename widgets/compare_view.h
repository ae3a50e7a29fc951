// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/code_pane.h"

#include <QMap>
#include <QWidget>
#include <array>

class QSplitter;
class QToolButton;

namespace ridgeline {

/// Spec, reference and candidate side by side: one scroll lock, one search over all three.
class CompareView final : public QWidget {
    Q_OBJECT
public:
    enum Column { Spec, Reference, Candidate };
    Q_ENUM(Column)

    explicit CompareView(QWidget* parent = nullptr);

    CodePane* pane(Column column) const { return m_panes[size_t(column)]; }
    QSplitter* splitter() const { return m_splitter; }
    FindBar* searchBar() const { return m_search; }

    /// While locked, scrolling one column scrolls the others by as many lines (a rendered page: by
    /// the same share), from the places they had when the lock was set.
    bool isLocked() const { return m_locked; }
    void setLocked(bool locked);

    void openSearch();
    void stepSearch(int step);
    void closeSearch();
    int matchCount() const { return int(m_hits.size()); }
    int currentMatch() const { return m_currentHit; }

    /// Shows the one-based line of a bundle file in whichever column has it; false when none has.
    bool showLine(const QString& path, int line);
    /// Marks by bundle file; applied to what is shown now and later.
    void setMarkers(const QMap<QString, QVector<LineMarker>>& markers);
    /// The column that has the keyboard, else Candidate.
    Column activeColumn() const;

Q_SIGNALS:
    void lockChanged(bool locked);
    void candidateChosen(int index);
    void markerClicked(const QString& path, int line);

private:
    struct Hit {
        int column = 0;
        int index = 0; ///< in m_matches[column]
    };

    void follow(int from);
    void followHorizontally(int from, int pixels);
    void noteOffsets();
    void search();
    void showHit();
    void applyMarkers(int column);

    std::array<CodePane*, 3> m_panes{};
    std::array<int, 3> m_offsets{};
    std::array<QVector<SearchMatch>, 3> m_matches;
    QVector<Hit> m_hits;
    int m_currentHit = -1;
    QMap<QString, QVector<LineMarker>> m_markers;
    QSplitter* m_splitter;
    FindBar* m_search;
    bool m_locked = true;
    bool m_following = false; ///< guards against a column answering its own echo
    /// Where each column was put last: its late echo of that is not a wish of the user's.
    std::array<int, 3> m_seenLine{-1, -1, -1};
    std::array<int, 3> m_seenX{-1, -1, -1};
};

} // namespace ridgeline
