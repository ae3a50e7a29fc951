// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code_pane.h"

#include "widgets/empty_state.h"
#include "widgets/find_bar.h"
#include "widgets/icons.h"
#include "widgets/lexers.h"
#include "widgets/safe_browser.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTextBlock>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

namespace ridgeline {

namespace {

enum Page { EditorPage, RenderedPage, MessagePage };
enum Margin { NumberMargin = 0, MarkerMargin = 1, FoldMargin = 2 };
constexpr int matchIndicator = 8;
constexpr int currentIndicator = 9;
constexpr int currentMarkerLine = 12; ///< background of the line jumped to

int markerNumber(const LineMarker& marker)
{
    // 0..2 findings by weight, 3 comment, 4 diagnostic
    if (marker.kind == LineMarker::Kind::Comment)
        return 3;
    if (marker.kind == LineMarker::Kind::Diagnostic)
        return 4;
    return marker.meaning == Meaning::Bad ? 0 : marker.meaning == Meaning::Warning ? 1 : 2;
}

} // namespace

CodePane::CodePane(const QString& role, QWidget* parent)
    : QWidget(parent),
      m_role(role),
      m_title(new QLabel(role, this)),
      m_path(new QLabel(this)),
      m_chooser(new QComboBox(this)),
      m_sourceToggle(new QToolButton(this)),
      m_stack(new QStackedWidget(this)),
      m_editor(new QsciScintilla(this)),
      m_page(new SafeBrowser(this)),
      m_message(nullptr),
      m_findBar(new FindBar(role.toLower(), this))
{
    auto* header = new QWidget(this);
    header->setObjectName(QStringLiteral("PaneHeader"));
    header->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(8, 3, 4, 3);
    row->setSpacing(6);
    m_title->setObjectName(QStringLiteral("PaneTitle"));
    m_path->setObjectName(QStringLiteral("Muted"));
    m_path->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_chooser->setAccessibleName(tr("%1: file shown").arg(role));
    m_chooser->setToolTip(tr("Choose what this column shows"));
    m_chooser->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_chooser->setMinimumContentsLength(12);
    m_chooser->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_sourceToggle->setIcon(themedIcon(QStringLiteral("source")));
    m_sourceToggle->setCheckable(true);
    m_sourceToggle->setAutoRaise(true);
    m_sourceToggle->setToolTip(tr("Show the Markdown source"));
    m_sourceToggle->setAccessibleName(tr("%1: show the Markdown source").arg(role));
    auto* find = new QToolButton(this);
    find->setIcon(themedIcon(QStringLiteral("search")));
    find->setAutoRaise(true);
    find->setToolTip(tr("Search this column (Ctrl+F)"));
    find->setAccessibleName(tr("%1: search this column").arg(role));
    row->addWidget(m_title);
    row->addWidget(m_chooser, 2);
    row->addWidget(m_path, 1);
    row->addWidget(m_sourceToggle);
    row->addWidget(find);
    header->setFixedHeight(fontMetrics().height() + 16);

    buildEditor();
    m_page->setAccessibleName(tr("%1, rendered").arg(role));
    m_page->setFrameShape(QFrame::NoFrame);
    m_page->viewport()->installEventFilter(this);
    m_message = makeEmptyState(&m_messageTitle, &m_messageText, this);

    m_stack->addWidget(m_editor);
    m_stack->addWidget(m_page);
    m_stack->addWidget(m_message);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header);
    column->addWidget(m_findBar);
    column->addWidget(m_stack, 1);
    m_findBar->hide();
    setEmptyText(tr("Nothing open"), tr("Open a bundle with Ctrl+O."));

    connect(m_chooser, &QComboBox::activated, this, [this](int index) {
        setCurrentIndex(index);
        Q_EMIT documentChosen(index);
    });
    connect(m_sourceToggle, &QToolButton::toggled, this, [this](bool source) {
        m_renderMarkdown = !source;
        showCurrent();
    });
    connect(find, &QToolButton::clicked, this, &CodePane::openFind);
    connect(m_findBar, &FindBar::queryChanged, this, &CodePane::restartSearch);
    connect(m_findBar, &FindBar::nextRequested, this, [this] { runSearch(1); });
    connect(m_findBar, &FindBar::previousRequested, this, [this] { runSearch(-1); });
    connect(m_findBar, &FindBar::closed, this, [this] {
        m_findBar->hide();
        m_ownMatches.clear();
        showMatches({}, -1);
        focusTarget()->setFocus();
    });
    applyTheme();
    showCurrent();
}

CodePane::~CodePane() = default;

void CodePane::buildEditor()
{
    QsciScintilla& e = *m_editor;
    e.setAccessibleName(tr("%1, source").arg(m_role));
    e.setFrameShape(QFrame::NoFrame);
    e.setReadOnly(true);
    e.setUtf8(true);
    e.setMarginType(NumberMargin, QsciScintilla::NumberMargin);
    e.setMarginType(MarkerMargin, QsciScintilla::SymbolMargin);
    e.setMarginWidth(MarkerMargin, 18);
    e.setMarginMarkerMask(MarkerMargin, 0x1f);
    e.setMarginSensitivity(MarkerMargin, true);
    e.setFolding(QsciScintilla::PlainFoldStyle, FoldMargin);
    e.setCaretLineVisible(true);
    e.setTabWidth(4);
    e.setBraceMatching(QsciScintilla::SloppyBraceMatch);
    e.setScrollWidth(1);
    e.setScrollWidthTracking(true);
    e.SendScintilla(QsciScintilla::SCI_SETENDATLASTLINE, 0L);
    e.SendScintilla(QsciScintilla::SCI_SETCARETSTYLE, QsciScintilla::CARETSTYLE_LINE);
    // A read-only view needs no editing keys; those that remain are for moving and copying.
    e.indicatorDefine(QsciScintilla::StraightBoxIndicator, matchIndicator);
    e.indicatorDefine(QsciScintilla::FullBoxIndicator, currentIndicator);
    e.setIndicatorDrawUnder(true, matchIndicator);
    e.setIndicatorDrawUnder(true, currentIndicator);
    e.viewport()->installEventFilter(this);

    // Scintilla moves its scroll bars with their signals blocked, so keys and the wheel are only
    // heard of here; it tells after the fact, when it paints.
    connect(&e, &QsciScintilla::SCN_UPDATEUI, this, [this](int updated) {
        if (updated & QsciScintilla::SC_UPDATE_V_SCROLL)
            Q_EMIT scrolledVertically();
        if (updated & QsciScintilla::SC_UPDATE_H_SCROLL)
            Q_EMIT scrolledHorizontally(horizontalOffset());
    });
    connect(m_page->verticalScrollBar(), &QScrollBar::valueChanged, this,
            &CodePane::scrolledVertically);
    connect(&e, &QsciScintilla::marginClicked, this, [this](int, int line, Qt::KeyboardModifiers) {
        for (const LineMarker& marker : std::as_const(m_markers)) {
            if (marker.line == line + 1) {
                Q_EMIT markerClicked(marker.line);
                return;
            }
        }
    });
    connect(&e, &QsciScintilla::cursorPositionChanged, this,
            [this](int line, int column) { Q_EMIT cursorMoved(line + 1, column + 1); });
}

void CodePane::applyTheme()
{
    const ThemeTokens& t = ThemeTokens::of(palette());
    QsciScintilla& e = *m_editor;
    const QFont font = codeFont();
    e.setFont(font);
    e.setPaper(t.base);
    e.setColor(t.text);
    if (m_lexer)
        applyLexerTheme(*m_lexer, t, font);
    e.setMarginsFont(font);
    e.setMarginsBackgroundColor(t.raised);
    e.setMarginsForegroundColor(t.muted);
    e.setFoldMarginColors(t.raised, t.raised);
    e.setMarkerForegroundColor(t.raised);
    e.setMarkerBackgroundColor(t.muted);
    e.setCaretForegroundColor(t.accent);
    e.setCaretLineBackgroundColor(t.current);
    e.setSelectionBackgroundColor(t.selection);
    e.setSelectionForegroundColor(t.selectionText);
    e.setMatchedBraceBackgroundColor(t.selection);
    e.setMatchedBraceForegroundColor(t.selectionText);
    e.setIndicatorForegroundColor(t.warning, matchIndicator);
    e.setIndicatorForegroundColor(t.accent, currentIndicator);
    e.markerDefine(QsciScintilla::Background, currentMarkerLine);
    e.setMarkerBackgroundColor(t.selection, currentMarkerLine);
    const Look looks[] = {lookOf(Severity::High), lookOf(Severity::Medium), lookOf(Severity::Low)};
    for (int i = 0; i < 3; ++i)
        e.markerDefine(lookIcon(looks[i]).pixmap(14, 14), i);
    e.markerDefine(themedIcon(QStringLiteral("comment")).pixmap(14, 14), 3);
    e.markerDefine(shapeIcon(Shape::Cross, Meaning::Warning).pixmap(14, 14), 4);
    const int digits = QString::number(std::max(1, e.lines())).size();
    e.setMarginWidth(NumberMargin, QString(std::max(3, digits) + 1, QLatin1Char('0')));
    drawMarkers();
}

void CodePane::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        applyTheme();
        if (isRendered())
            showCurrent();
    }
}

bool CodePane::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_editor->viewport() && event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int line = m_editor->lineAt(help->pos()) + 1;
        QStringList texts;
        for (const LineMarker& marker : std::as_const(m_markers)) {
            if (marker.line == line)
                texts.append(marker.text.toHtmlEscaped());
        }
        if (texts.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(
                help->globalPos(),
                QStringLiteral("<div>%1</div>").arg(texts.join(QLatin1String("<br>"))), m_editor);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void CodePane::setDocuments(const QVector<CodeDocument>& documents, int current)
{
    m_documents = documents;
    m_chooser->clear();
    for (const CodeDocument& document : documents)
        m_chooser->addItem(document.title.isEmpty() ? document.path : document.title);
    m_chooser->setVisible(documents.size() > 1);
    m_path->setVisible(documents.size() <= 1);
    m_current = -1;
    setCurrentIndex(documents.isEmpty() ? -1 : std::clamp(current, 0, int(documents.size()) - 1));
    if (documents.isEmpty())
        showCurrent();
}

void CodePane::setEmptyText(const QString& title, const QString& text)
{
    m_emptyTitle = title;
    m_emptyText = text;
    if (m_current < 0)
        showCurrent();
}

CodeDocument CodePane::currentDocument() const
{
    return m_current >= 0 ? m_documents.at(m_current) : CodeDocument{};
}

void CodePane::setCurrentIndex(int index)
{
    if (index == m_current || index >= m_documents.size())
        return;
    m_current = index;
    m_chooser->setCurrentIndex(index);
    m_markers.clear();
    showCurrent();
}

bool CodePane::isRendered() const
{
    return m_stack->currentIndex() == RenderedPage;
}

void CodePane::setRendered(bool rendered)
{
    m_sourceToggle->setChecked(!rendered);
}

void CodePane::showCurrent()
{
    const CodeDocument document = currentDocument();
    const bool markdown = document.language == QLatin1String("markdown");
    m_path->setText(document.path);
    m_path->setToolTip(document.path);
    m_sourceToggle->setVisible(markdown && document.error.isEmpty());
    m_matches.clear();
    m_shownMatch = -1;
    if (m_current < 0 || !document.error.isEmpty()) {
        m_messageTitle->setText(m_current < 0 ? m_emptyTitle : tr("This file cannot be shown"));
        m_messageText->setText(m_current < 0 ? m_emptyText : document.error);
        m_stack->setCurrentIndex(MessagePage);
        return;
    }
    if (markdown && m_renderMarkdown) {
        static_cast<SafeBrowser*>(m_page)->showMarkdown(document.text);
        m_stack->setCurrentIndex(RenderedPage);
    } else {
        QsciLexer* old = m_lexer;
        m_utf8 = document.text.toUtf8();
        m_editor->setText(document.text);
        m_lexer = makeLexer(document.language, this);
        m_editor->setLexer(m_lexer);
        delete old;
        m_editor->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTH, 1L);
        applyTheme();
        m_stack->setCurrentIndex(EditorPage);
    }
    if (m_findBar->isVisible())
        restartSearch();
}

QString CodePane::visibleText() const
{
    if (m_current < 0 || m_stack->currentIndex() == MessagePage)
        return {};
    return isRendered() ? m_page->document()->toPlainText() : m_documents.at(m_current).text;
}

void CodePane::goToLine(int line)
{
    if (m_current < 0)
        return;
    if (isRendered())
        setRendered(false);
    const int index = std::clamp(line, 1, std::max(1, m_editor->lines())) - 1;
    m_editor->ensureLineVisible(index);
    m_editor->setCursorPosition(index, 0);
    const int onScreen = int(m_editor->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
    const int display = int(m_editor->SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, index));
    m_editor->setFirstVisibleLine(std::max(0, display - onScreen / 2));
    m_editor->markerDeleteAll(currentMarkerLine);
    m_editor->markerAdd(index, currentMarkerLine);
}

void CodePane::setCursorLine(int line)
{
    m_editor->setCursorPosition(std::clamp(line, 1, std::max(1, m_editor->lines())) - 1, 0);
}

int CodePane::cursorLine() const
{
    int line = 0;
    int column = 0;
    m_editor->getCursorPosition(&line, &column);
    return line + 1;
}

QString CodePane::selectedText() const
{
    return isRendered() ? m_page->textCursor().selectedText() : m_editor->selectedText();
}

std::pair<int, int> CodePane::selectedLines() const
{
    if (!m_editor->hasSelectedText())
        return {cursorLine(), cursorLine()};
    int from = 0;
    int fromColumn = 0;
    int to = 0;
    int toColumn = 0;
    m_editor->getSelection(&from, &fromColumn, &to, &toColumn);
    return {from + 1, toColumn == 0 && to > from ? to : to + 1};
}

void CodePane::setMarkers(const QVector<LineMarker>& markers)
{
    m_markers = markers;
    drawMarkers();
}

void CodePane::drawMarkers()
{
    for (int number = 0; number < 5; ++number)
        m_editor->markerDeleteAll(number);
    if (m_stack->currentIndex() != EditorPage)
        return;
    for (const LineMarker& marker : std::as_const(m_markers)) {
        if (marker.line >= 1 && marker.line <= m_editor->lines())
            m_editor->markerAdd(marker.line - 1, markerNumber(marker));
    }
}

void CodePane::openFind()
{
    const QString selected = selectedText();
    if (!selected.isEmpty() && !selected.contains(QLatin1Char('\n')))
        m_findBar->setText(selected);
    m_findBar->activate();
    restartSearch();
}

void CodePane::restartSearch()
{
    m_ownCurrent = -1;
    const auto found = findAll(visibleText(), m_findBar->query());
    if (!found) {
        m_ownMatches.clear();
        showMatches({}, -1);
        m_findBar->setError(found.error().message);
        return;
    }
    m_ownMatches = *found;
    runSearch(1);
}

void CodePane::runSearch(int step)
{
    const int total = int(m_ownMatches.size());
    if (total > 0)
        m_ownCurrent = m_ownCurrent < 0 ? 0 : (m_ownCurrent + step + total) % total;
    showMatches(m_ownMatches, m_ownCurrent);
    m_findBar->setCount(m_ownCurrent, total);
}

void CodePane::showMatches(const QVector<SearchMatch>& matches, int current)
{
    if (isRendered()) {
        const ThemeTokens& t = ThemeTokens::of(palette());
        QList<QTextEdit::ExtraSelection> selections;
        for (int i = 0; i < matches.size(); ++i) {
            QTextEdit::ExtraSelection selection;
            selection.cursor = QTextCursor(m_page->document());
            selection.cursor.setPosition(int(matches[i].start));
            selection.cursor.setPosition(int(matches[i].start + matches[i].length),
                                         QTextCursor::KeepAnchor);
            selection.format.setBackground(i == current ? t.accent : t.selection);
            selection.format.setForeground(i == current ? t.base : t.selectionText);
            selections.append(selection);
        }
        m_page->setExtraSelections(selections);
        if (current >= 0 && current < matches.size()) {
            QTextCursor cursor(m_page->document());
            cursor.setPosition(int(matches[current].start));
            m_page->setTextCursor(cursor);
            m_page->ensureCursorVisible();
        }
        return;
    }
    if (m_stack->currentIndex() != EditorPage)
        return;
    const bool sameMatches = matches == m_matches;
    const auto fill = [this](int indicator, qsizetype from, qsizetype length) {
        m_editor->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, indicator);
        m_editor->SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE, (unsigned long)from,
                                (long)length);
    };
    const auto clear = [this](int indicator) {
        m_editor->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, indicator);
        m_editor->SendScintilla(QsciScintilla::SCI_INDICATORCLEARRANGE, 0UL, long(m_utf8.size()));
    };
    m_matches = matches;
    clear(currentIndicator);
    if (!sameMatches)
        clear(matchIndicator);
    const QString text = m_documents.value(m_current).text;
    const QStringView view(text);
    qsizetype seen = 0;
    qsizetype bytes = 0;
    for (int i = 0; i < matches.size(); ++i) {
        if (sameMatches && i != current)
            continue;
        bytes += view.mid(seen, matches[i].start - seen).toUtf8().size();
        seen = matches[i].start;
        const qsizetype length = view.mid(seen, matches[i].length).toUtf8().size();
        if (!sameMatches)
            fill(matchIndicator, bytes, length);
        if (i == current) {
            fill(currentIndicator, bytes, length);
            m_editor->ensureLineVisible(matches[i].line);
            m_editor->SendScintilla(QsciScintilla::SCI_SETSEL, (unsigned long)bytes, (long)bytes);
            const int onScreen = int(m_editor->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
            const int first = m_editor->firstVisibleLine();
            const int display = int(
                m_editor->SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, matches[i].line));
            if (display < first || display >= first + onScreen)
                m_editor->setFirstVisibleLine(std::max(0, display - onScreen / 2));
        }
    }
}

int CodePane::firstVisibleLine() const
{
    return m_editor->firstVisibleLine();
}

void CodePane::setFirstVisibleLine(int line)
{
    m_editor->setFirstVisibleLine(std::max(0, line));
}

namespace {

QScrollBar* scrollBarOf(bool rendered, QTextBrowser* page, QsciScintilla* editor)
{
    return rendered ? page->verticalScrollBar() : editor->verticalScrollBar();
}

} // namespace

double CodePane::scrollFraction() const
{
    const QScrollBar* bar = scrollBarOf(isRendered(), m_page, m_editor);
    return bar->maximum() > 0 ? double(bar->value()) / bar->maximum() : 0;
}

void CodePane::setScrollFraction(double fraction)
{
    QScrollBar* bar = scrollBarOf(isRendered(), m_page, m_editor);
    bar->setValue(qRound(std::clamp(fraction, 0.0, 1.0) * bar->maximum()));
}

int CodePane::horizontalOffset() const
{
    return int(m_editor->SendScintilla(QsciScintilla::SCI_GETXOFFSET));
}

void CodePane::setHorizontalOffset(int pixels)
{
    m_editor->SendScintilla(QsciScintilla::SCI_SETXOFFSET, long(std::max(0, pixels)));
}

QWidget* CodePane::focusTarget() const
{
    return isRendered() ? static_cast<QWidget*>(m_page) : m_editor;
}

} // namespace ridgeline
