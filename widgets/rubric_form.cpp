// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/rubric_form.h"

#include "widgets/empty_state.h"
#include "widgets/runs_view.h"
#include "widgets/safe_browser.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace ridgeline {

namespace {

constexpr int typingPauseMs = 350; ///< typing is sent after this pause, well under a second

QLabel* caption(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("PaneTitle"));
    return label;
}

QLabel* wrapped(QWidget* parent, bool muted)
{
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    if (muted)
        label->setObjectName(QStringLiteral("Muted"));
    return label;
}

QPlainTextEdit* editor(const QString& name, const QString& placeholder, QWidget* parent)
{
    auto* edit = new QPlainTextEdit(parent);
    edit->setAccessibleName(name);
    edit->setPlaceholderText(placeholder);
    edit->setTabChangesFocus(true);
    edit->setMinimumHeight(edit->fontMetrics().height() * 3 + 12);
    edit->setMaximumHeight(edit->fontMetrics().height() * 5 + 12);
    return edit;
}

} // namespace

RubricForm::RubricForm(QWidget* parent)
    : QWidget(parent), m_model(new RubricModel(this)), m_typing(new QTimer(this))
{
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(makeEmptyState(&m_emptyTitle, &m_emptyText, this));
    auto* body = new QWidget(this);
    auto* bodyColumn = new QVBoxLayout(body);
    bodyColumn->setContentsMargins(0, 0, 0, 0);
    bodyColumn->setSpacing(0);

    m_table = makeTable(tr("Rubric criteria"), this);
    m_table->setModel(m_model);
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto* split = new QSplitter(Qt::Vertical, body);
    split->setObjectName(QStringLiteral("RubricSplitter"));
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(m_table);
    split->addWidget(buildCard());
    split->setSizes({270, 460});
    split->setStretchFactor(1, 1);
    bodyColumn->addWidget(split, 1);
    m_stack->addWidget(body);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildHeader());
    column->addWidget(m_stack, 1);
    column->addWidget(buildFooter());

    m_typing->setSingleShot(true);
    m_typing->setInterval(typingPauseMs);
    connect(m_typing, &QTimer::timeout, this, &RubricForm::commitEdits);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &RubricForm::showCriterion);
    clear(tr("No review open"), tr("Open a bundle to score it."));
}

QWidget* RubricForm::buildHeader()
{
    auto* header = new QWidget(this);
    header->setObjectName(QStringLiteral("PaneHeader"));
    header->setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(12, 7, 12, 6);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    m_title = new QToolButton(header);
    m_title->setObjectName(QStringLiteral("RubricTitle"));
    m_title->setAutoRaise(true);
    m_title->setText(tr("Rubric"));
    m_title->setAccessibleName(tr("Rubric of this review"));
    m_title->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_title->setMinimumWidth(60);
    m_rubrics = new QMenu(m_title);
    connect(m_rubrics, &QMenu::triggered, this, [this](const QAction* action) {
        commitEdits();
        Q_EMIT rubricChosen(action->data().toString());
    });
    m_total = new QLabel(header);
    m_total->setAccessibleName(tr("Weighted total"));
    m_saved = new QLabel(header);
    m_saved->setObjectName(QStringLiteral("Muted"));
    m_saved->setAccessibleName(tr("When the review was saved"));
    row->addWidget(m_title);
    row->addStretch(1);
    row->addWidget(m_saved);
    column->addLayout(row);
    column->addWidget(m_total);
    return header;
}

QWidget* RubricForm::buildCard()
{
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(tr("Criterion"));
    auto* card = new QWidget(scroll);
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    m_criterionTitle = caption({}, card);
    m_criterionTitle->setWordWrap(true);
    m_guidelineToggle = new QToolButton(card);
    m_guidelineToggle->setText(tr("Guideline"));
    m_guidelineToggle->setToolTip(tr("Show or hide the guideline (h)"));
    m_guidelineToggle->setAccessibleName(tr("Show the guideline"));
    m_guidelineToggle->setCheckable(true);
    m_guidelineToggle->setChecked(true);
    m_guidelineToggle->setAutoRaise(true);
    m_guidelineToggle->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_guidelineToggle->setArrowType(Qt::DownArrow);
    m_guideline = new SafeBrowser(card);
    m_guideline->setAccessibleName(tr("Guideline of the criterion"));
    m_guideline->setMinimumHeight(fontMetrics().height() * 6);
    m_levels = new QVBoxLayout;
    m_levels->setSpacing(6);
    m_notApplicable = new QCheckBox(tr("Does not apply to this task"), card);
    m_notApplicable->setAccessibleName(m_notApplicable->text());
    m_missing = wrapped(card, false);
    m_missing->setAccessibleName(tr("Still missing for this criterion"));
    m_comment = editor(tr("Comment on this criterion"),
                       tr("Comment for the author (c). Esc leaves the field."), card);
    m_comment->installEventFilter(this);
    m_evidence = new QListWidget(card);
    m_evidence->setAccessibleName(tr("Evidence for this criterion"));
    m_evidence->setMaximumHeight(fontMetrics().height() * 4 + 12);
    m_evidence->setToolTip(tr("Enter goes there, Delete takes the link away"));
    m_evidence->installEventFilter(this);
    auto* link = new QPushButton(tr("Link selected finding or pass"), card);
    link->setToolTip(tr("Links what is selected below to this criterion (Ctrl+L)"));
    link->setAccessibleName(link->text());

    auto* titleRow = new QHBoxLayout;
    titleRow->addWidget(m_criterionTitle, 1);
    titleRow->addWidget(m_guidelineToggle);
    column->addLayout(titleRow);
    m_sideBySide = new QBoxLayout(QBoxLayout::BottomToTop);
    m_sideBySide->setSpacing(12);
    auto* levelColumn = new QVBoxLayout;
    levelColumn->addLayout(m_levels);
    levelColumn->addStretch(1);
    m_sideBySide->addLayout(levelColumn, 1);
    m_sideBySide->addWidget(m_guideline, 1);
    column->addLayout(m_sideBySide);
    column->addWidget(m_notApplicable);
    column->addWidget(m_missing);
    column->addSpacing(4);
    column->addWidget(m_comment);
    auto* evidenceRow = new QHBoxLayout;
    evidenceRow->addWidget(caption(tr("Evidence"), card));
    evidenceRow->addStretch();
    evidenceRow->addWidget(link);
    column->addLayout(evidenceRow);
    column->addWidget(m_evidence);
    column->addStretch(1);
    scroll->setWidget(card);

    connect(m_guidelineToggle, &QToolButton::toggled, this, [this](bool on) {
        m_guidelineToggle->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
        m_guideline->setVisible(on);
    });
    connect(m_notApplicable, &QCheckBox::clicked, this,
            [this](bool on) { Q_EMIT notApplicableChosen(m_shown, on); });
    connect(m_comment, &QPlainTextEdit::textChanged, this, [this] {
        if (m_filling)
            return;
        m_commentTouched = true;
        m_typing->start();
    });
    connect(link, &QPushButton::clicked, this, [this] { Q_EMIT linkRequested(m_shown); });
    connect(m_evidence, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
        const auto links = m_model->review().scores.value(m_shown).evidence;
        const int row = m_evidence->row(item);
        if (row < links.size())
            Q_EMIT evidenceActivated(links.at(row));
    });
    return scroll;
}

QWidget* RubricForm::buildFooter()
{
    auto* footer = new QWidget(this);
    footer->setObjectName(QStringLiteral("RubricFooter"));
    auto* column = new QVBoxLayout(footer);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(6);
    auto* row = new QHBoxLayout;
    m_verdict = new QComboBox(footer);
    m_verdict->setAccessibleName(tr("Verdict"));
    const std::pair<QString, ReviewVerdict> verdicts[] = {
        {tr("Undecided"), ReviewVerdict::Undecided},
        {tr("Accept"), ReviewVerdict::Accept},
        {tr("Revise"), ReviewVerdict::Revise},
        {tr("Reject"), ReviewVerdict::Reject}};
    for (const auto& [text, value] : verdicts)
        m_verdict->addItem(text, int(value));
    m_word = new QComboBox(footer);
    m_word->setAccessibleName(tr("Verdict word"));
    m_word->setToolTip(tr("The main reason, in the words of the failure catalogue"));
    m_word->addItem(tr("no word"), int(VerdictWord::None));
    for (int i = int(VerdictWord::Hack); i <= int(VerdictWord::Port); ++i)
        m_word->addItem(verdictWordName(VerdictWord(i)), i);
    row->addWidget(caption(tr("Verdict"), footer));
    row->addWidget(m_verdict, 1);
    row->addWidget(m_word, 1);
    column->addLayout(row);
    m_summary =
        editor(tr("Summary for the author"), tr("Summary for the author of the task"), footer);
    m_summary->installEventFilter(this);
    column->addWidget(m_summary);

    const auto verdictChanged = [this] {
        if (!m_filling)
            Q_EMIT verdictChosen(ReviewVerdict(m_verdict->currentData().toInt()),
                                 VerdictWord(m_word->currentData().toInt()));
    };
    connect(m_verdict, &QComboBox::activated, this, verdictChanged);
    connect(m_word, &QComboBox::activated, this, verdictChanged);
    connect(m_summary, &QPlainTextEdit::textChanged, this, [this] {
        if (m_filling)
            return;
        m_summaryTouched = true;
        m_typing->start();
    });
    return footer;
}

void RubricForm::setRubric(const Rubric& rubric, const QString& taskType)
{
    commitEdits();
    m_shown.clear();
    m_model->setRubric(rubric, taskType);
    m_title->setText(rubric.title);
    m_title->setToolTip(tr("%1, version %2").arg(rubric.id, rubric.version));
    for (QAction* action : m_rubrics->actions())
        action->setChecked(action->data().toString() == rubric.id);
    m_stack->setCurrentIndex(1);
    findChild<QWidget*>(QStringLiteral("RubricFooter"))->setVisible(true);
    m_table->selectRow(0);
    showCriterion();
}

void RubricForm::setRubricChoices(const QVector<Rubric>& rubrics)
{
    m_rubrics->clear();
    for (const Rubric& rubric : rubrics) {
        QAction* action = m_rubrics->addAction(tr("%1 (%2)")
                                                   .arg(rubric.title, rubric.version)
                                                   .replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setData(rubric.id);
        action->setCheckable(true);
    }
    m_title->setMenu(rubrics.isEmpty() ? nullptr : m_rubrics);
    m_title->setPopupMode(QToolButton::InstantPopup);
}

void RubricForm::openRubricMenu()
{
    if (m_title->menu() != nullptr)
        m_title->showMenu();
}

void RubricForm::setReview(const Review& review, const QVector<Finding>& findings,
                           const QString& readOnlyWhy)
{
    m_readOnlyWhy = readOnlyWhy;
    m_model->setReview(review, findings);
    fillCard();
    fillFooter();
}

void RubricForm::clear(const QString& title, const QString& text)
{
    m_shown.clear();
    m_commentTouched = m_summaryTouched = false;
    m_model->setRubric({}, {});
    m_title->setText(tr("Rubric"));
    m_title->setToolTip({});
    setRubricChoices({});
    m_total->clear();
    m_saved->clear();
    m_emptyTitle->setText(title);
    m_emptyText->setText(text);
    m_stack->setCurrentIndex(0);
    findChild<QWidget*>(QStringLiteral("RubricFooter"))->setVisible(false);
}

void RubricForm::setSaved(const QDateTime& when)
{
    m_saved->setText(tr("saved %1").arg(when.toLocalTime().toString(QStringLiteral("HH:mm:ss"))));
    m_saved->setToolTip({});
}

void RubricForm::setUnsaved()
{
    m_saved->setText(tr("saving …"));
}

void RubricForm::setSaveFailed(const QString& why)
{
    m_saved->setText(tr("NOT saved"));
    m_saved->setToolTip(why.toHtmlEscaped());
}

QString RubricForm::currentCriterion() const
{
    return m_shown;
}

void RubricForm::setCurrentCriterion(const QString& criterion)
{
    const int row = m_model->rowOf(criterion);
    if (row >= 0)
        m_table->selectRow(row);
}

void RubricForm::showCriterion()
{
    const QString id = m_model->idAt(m_table->currentIndex().row());
    if (id == m_shown)
        return;
    commitEdits();
    m_shown = id;
    fillLevels();
    fillCard();
}

void RubricForm::fillLevels()
{
    m_levelButtons.clear();
    while (QLayoutItem* item = m_levels->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const RubricCriterion* criterion = m_model->rubric().criterion(m_shown);
    if (!criterion)
        return;
    m_criterionTitle->setText(criterion->title);
    m_guideline->showMarkdown(criterion->guideline);
    for (const RubricLevel& level : criterion->levels) {
        auto* box = new QWidget(this);
        auto* row = new QVBoxLayout(box);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(0);
        auto* button =
            new QRadioButton(QStringLiteral("%1  %2").arg(level.score).arg(level.label), box);
        button->setAutoExclusive(false); // a score can be taken back, and rows are own parents
        button->setAccessibleName(tr("Score %1, %2").arg(level.score).arg(level.label));
        button->setAccessibleDescription(level.text);
        button->setProperty("score", level.score);
        auto* text = wrapped(box, true);
        text->setText(level.text);
        text->setIndent(22);
        text->setVisible(!level.text.isEmpty());
        row->addWidget(button);
        row->addWidget(text);
        m_levels->addWidget(box);
        m_levelButtons.append(button);
        const int score = level.score;
        connect(button, &QRadioButton::clicked, this, [this, score] { choose(score); });
    }
}

void RubricForm::fillCard()
{
    const QScopedValueRollback guard(m_filling, true);
    const CriterionScore score = m_model->review().scores.value(m_shown);
    const bool editable = m_readOnlyWhy.isEmpty();
    for (QRadioButton* button : std::as_const(m_levelButtons)) {
        button->setChecked(score.score && button->property("score").toInt() == *score.score);
        button->setEnabled(editable && !score.notApplicable);
    }
    m_notApplicable->setChecked(score.notApplicable);
    m_notApplicable->setEnabled(editable);
    m_comment->setReadOnly(!editable);
    if (!m_commentTouched && m_comment->toPlainText() != score.comment)
        m_comment->setPlainText(score.comment);
    m_evidence->clear();
    for (const EvidenceLink& link : score.evidence)
        m_evidence->addItem(link.text.isEmpty() ? link.kind + QLatin1Char(' ') + link.ref
                                                : link.text);
    m_evidence->setVisible(!score.evidence.isEmpty());
    const QStringList missing = m_model->missingFor(m_shown);
    QString text = m_readOnlyWhy;
    if (text.isEmpty() && !missing.isEmpty())
        text = tr("Missing: %1").arg(missing.join(QStringLiteral(", ")));
    m_missing->setText(text);
    m_missing->setVisible(!text.isEmpty());
    QPalette palette = m_missing->palette();
    palette.setColor(QPalette::WindowText, ThemeTokens::of(palette).warning);
    m_missing->setPalette(palette);
}

void RubricForm::fillFooter()
{
    const QScopedValueRollback guard(m_filling, true);
    const Review& review = m_model->review();
    const ReviewStanding& standing = m_model->standing();
    const bool editable = m_readOnlyWhy.isEmpty();
    m_verdict->setCurrentIndex(m_verdict->findData(int(review.verdict)));
    m_word->setCurrentIndex(m_word->findData(int(review.word)));
    m_verdict->setEnabled(editable);
    m_word->setEnabled(editable);
    m_summary->setReadOnly(!editable);
    if (!m_summaryTouched && m_summary->toPlainText() != review.summary)
        m_summary->setPlainText(review.summary);
    const int all = int(m_model->rubric().criteria.size() - standing.notApplicable.size());
    const int scored = all - int(standing.missing.size());
    QString total = tr("%1 of %2 scored").arg(scored).arg(all);
    if (standing.total) {
        total = tr("%1 of %2 · %3")
                    .arg(QLocale().toString(*standing.total, 'f', 2))
                    .arg(m_model->rubric().scale.max)
                    .arg(total);
    }
    m_total->setText(total);
}

void RubricForm::choose(int score)
{
    const auto current = m_model->review().scores.value(m_shown).score;
    if (current && *current == score)
        Q_EMIT scoreChosen(m_shown, std::nullopt); // the same again takes it back
    else
        Q_EMIT scoreChosen(m_shown, score);
    fillCard();
}

void RubricForm::scoreCurrent(int score)
{
    const RubricCriterion* criterion = m_model->rubric().criterion(m_shown);
    if (!criterion || !criterion->level(score) || !m_readOnlyWhy.isEmpty())
        return;
    Q_EMIT scoreChosen(m_shown, score);
    const bool needsWords = criterion->justificationRequiredAt.contains(score) &&
                            m_comment->toPlainText().trimmed().isEmpty();
    if (needsWords)
        fillCard();
    else
        step(1);
}

void RubricForm::step(int step)
{
    const int row = m_table->currentIndex().row() + step;
    if (row >= 0 && row < m_model->rowCount())
        m_table->selectRow(row);
}

void RubricForm::goToNextIncomplete()
{
    const int rows = m_model->rowCount();
    for (int i = 1; i <= rows; ++i) {
        const int row = (m_table->currentIndex().row() + i) % rows;
        if (!m_model->index(row, 0).data(RubricModel::CompleteRole).toBool()) {
            m_table->selectRow(row);
            return;
        }
    }
}

void RubricForm::focusComment()
{
    m_comment->setFocus(Qt::ShortcutFocusReason);
    m_comment->moveCursor(QTextCursor::End);
}

void RubricForm::focusTable()
{
    m_table->setFocus(Qt::ShortcutFocusReason);
}

void RubricForm::toggleGuideline()
{
    m_guidelineToggle->toggle();
}

bool RubricForm::isGuidelineShown() const
{
    return m_guidelineToggle->isChecked();
}

void RubricForm::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // Beside the field when there is room for two columns of text, else above it.
    const bool wide = width() >= 620;
    m_sideBySide->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::BottomToTop);
    m_guideline->setMaximumHeight(wide ? QWIDGETSIZE_MAX : fontMetrics().height() * 8);
}

void RubricForm::commitEdits()
{
    m_typing->stop();
    if (std::exchange(m_commentTouched, false) && !m_shown.isEmpty())
        Q_EMIT commentEdited(m_shown, m_comment->toPlainText());
    if (std::exchange(m_summaryTouched, false))
        Q_EMIT summaryEdited(m_summary->toPlainText());
}

void RubricForm::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_missing) {
        fillCard();
        if (const RubricCriterion* criterion = m_model->rubric().criterion(m_shown))
            m_guideline->showMarkdown(criterion->guideline);
    }
}

bool RubricForm::eventFilter(QObject* watched, QEvent* event)
{
    const bool text = watched == m_comment || watched == m_summary;
    if (text && event->type() == QEvent::FocusOut)
        commitEdits();
    if (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (text && key->key() == Qt::Key_Escape) {
            // Leaves the field, so that digits score again; it must not cancel a run.
            event->accept();
            if (event->type() == QEvent::KeyPress)
                m_table->setFocus();
            return true;
        }
        if (watched == m_evidence && event->type() == QEvent::KeyPress &&
            key->key() == Qt::Key_Delete) {
            const auto links = m_model->review().scores.value(m_shown).evidence;
            const int row = m_evidence->currentRow();
            if (row >= 0 && row < links.size())
                Q_EMIT evidenceRemoved(m_shown, links.at(row));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace ridgeline
