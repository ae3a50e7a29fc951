// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/search.h"
#include "widgets/theme.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QsciLexer;
class QsciScintilla;
class QStackedWidget;
class QTextBrowser;
class QToolButton;

namespace ridgeline {

class FindBar;

/// One text a pane can show.
struct CodeDocument {
    QString id;       ///< the caller's own key
    QString title;    ///< in the chooser
    QString path;     ///< relative to the bundle; for markers and links
    QString language; ///< see makeLexer
    QString text;
    QString error; ///< why there is no text; shown instead of it
    bool operator==(const CodeDocument&) const = default;
};

/// A mark in the margin of a line (one-based) with the text its tool tip shows.
struct LineMarker {
    enum class Kind { Finding, Comment, Diagnostic };
    int line = 0;
    Kind kind = Kind::Finding;
    Meaning meaning = Meaning::Info;
    QString text;
    bool operator==(const LineMarker&) const = default;
};

/// Read-only view of one document out of several. Markdown is rendered (no raw HTML, nothing is
/// fetched) with a toggle to its source. UI thread.
class CodePane final : public QWidget {
    Q_OBJECT
public:
    /// `role` names the pane: "Spec", "Reference", "Candidate".
    explicit CodePane(const QString& role, QWidget* parent = nullptr);
    ~CodePane() override;

    void setDocuments(const QVector<CodeDocument>& documents, int current = 0);
    /// An empty pane says why it is empty and what to do.
    void setEmptyText(const QString& title, const QString& text);
    int currentIndex() const { return m_current; }
    void setCurrentIndex(int index);
    const QVector<CodeDocument>& documents() const { return m_documents; }
    CodeDocument currentDocument() const;

    bool isRendered() const;
    void setRendered(bool rendered);
    /// The text that is searched: the source, or what the rendered page reads as.
    QString visibleText() const;

    /// Scrolls the one-based line into the middle, puts the cursor there. Switches a rendered page
    /// to its source. Out of range is clamped.
    void goToLine(int line);
    int cursorLine() const;
    /// Puts the cursor there without scrolling it into the middle or marking the line.
    void setCursorLine(int line);
    QString selectedText() const;
    /// One-based first and last line of the selection, or the cursor's line twice.
    std::pair<int, int> selectedLines() const;

    void setMarkers(const QVector<LineMarker>& markers);

    /// Marks all matches; `current` of them stronger (-1 = none) and scrolled to.
    void showMatches(const QVector<SearchMatch>& matches, int current);
    void openFind();
    FindBar* findBar() const { return m_findBar; }

    /// Vertical place as first visible line (code) and as 0..1 (both kinds).
    int firstVisibleLine() const;
    void setFirstVisibleLine(int line);
    double scrollFraction() const;
    void setScrollFraction(double fraction);
    int horizontalOffset() const;
    void setHorizontalOffset(int pixels);

    QsciScintilla* editor() const { return m_editor; }
    QTextBrowser* page() const { return m_page; }
    /// The widget that takes the keyboard now.
    QWidget* focusTarget() const;

Q_SIGNALS:
    void documentChosen(int index);
    void scrolledVertically();
    void scrolledHorizontally(int pixels);
    void markerClicked(int line);
    void cursorMoved(int line, int column);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildEditor();
    void applyTheme();
    void showCurrent();
    void runSearch(int step);
    void restartSearch();
    void drawMarkers();

    QString m_role;
    QVector<CodeDocument> m_documents;
    QVector<LineMarker> m_markers;
    QVector<SearchMatch> m_matches;
    QVector<SearchMatch> m_ownMatches; ///< of this pane's own find bar
    int m_ownCurrent = -1;
    int m_shownMatch = -1;
    int m_current = -1;
    bool m_renderMarkdown = true;
    QString m_emptyTitle;
    QString m_emptyText;
    QByteArray m_utf8; ///< text in the editor; match offsets are turned into byte offsets

    QLabel* m_title;
    QLabel* m_path;
    QComboBox* m_chooser;
    QToolButton* m_sourceToggle;
    QStackedWidget* m_stack;
    QsciScintilla* m_editor;
    QTextBrowser* m_page;
    QWidget* m_message;
    QLabel* m_messageTitle;
    QLabel* m_messageText;
    FindBar* m_findBar;
    QsciLexer* m_lexer = nullptr;
};

} // namespace ridgeline
