// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/comments_view.h"

#include "widgets/empty_state.h"
#include "widgets/findings_model.h"
#include "widgets/icons.h"
#include "widgets/runs_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace ridgeline {

namespace {

QString placeText(const PlacedComment& placed)
{
    SourceRange range = placed.comment.range;
    if (placed.place.state == AnchorState::Orphaned)
        return QObject::tr("%1 (lost its place)").arg(range.file);
    range.firstLine = placed.place.firstLine;
    range.lastLine = placed.place.lastLine;
    return rangeText(range);
}

} // namespace

void CommentsModel::setComments(QVector<PlacedComment> comments)
{
    std::stable_sort(comments.begin(), comments.end(),
                     [](const PlacedComment& a, const PlacedComment& b) {
                         return (a.place.state == AnchorState::Orphaned) >
                                (b.place.state == AnchorState::Orphaned);
                     });
    if (comments == m_comments)
        return;
    beginResetModel();
    m_comments = std::move(comments);
    endResetModel();
}

const PlacedComment* CommentsModel::at(int row) const
{
    return row >= 0 && row < m_comments.size() ? &m_comments.at(row) : nullptr;
}

int CommentsModel::rowOf(const QString& id) const
{
    for (int i = 0; i < m_comments.size(); ++i) {
        if (m_comments.at(i).comment.id == id)
            return i;
    }
    return -1;
}

int CommentsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_comments.size());
}

int CommentsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant CommentsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const PlacedComment& placed = m_comments.at(index.row());
    const bool orphan = placed.place.state == AnchorState::Orphaned;
    const auto column = Column(index.column());
    if (role == Qt::DisplayRole) {
        switch (column) {
        case Column::Where:
            return placeText(placed);
        case Column::Criterion:
            return placed.comment.criterion;
        case Column::Text:
            return placed.comment.text.simplified();
        case Column::Count:
            break;
        }
    }
    if (role == Qt::DecorationRole && column == Column::Where)
        return orphan ? shapeIcon(Shape::Triangle, Meaning::Warning)
                      : themedIcon(QStringLiteral("comment"));
    if (role == Qt::ToolTipRole)
        return (orphan ? placed.place.reason + QLatin1Char('\n') + placed.comment.quote
                       : placed.comment.text)
            .toHtmlEscaped();
    return {};
}

QVariant CommentsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (Column(section)) {
    case Column::Where:
        return tr("Where");
    case Column::Criterion:
        return tr("Criterion");
    case Column::Text:
        return tr("Comment");
    case Column::Count:
        break;
    }
    return {};
}

CommentsView::CommentsView(QWidget* parent)
    : QWidget(parent),
      m_model(new CommentsModel(this)),
      m_table(makeTable(tr("Comments"), this)),
      m_stack(new QStackedWidget(this)),
      m_where(new QLabel(this)),
      m_criterion(new QComboBox(this)),
      m_edit(new QPlainTextEdit(this)),
      m_save(new QPushButton(tr("Save (Ctrl+Enter)"), this)),
      m_remove(new QPushButton(tr("Remove"), this))
{
    m_table->setModel(m_model);
    const QFontMetrics fm(font());
    m_table->setColumnWidth(0, fm.averageCharWidth() * 36);
    m_table->setColumnWidth(1, fm.averageCharWidth() * 22);
    QLabel* title = nullptr;
    QLabel* text = nullptr;
    m_stack->addWidget(makeEmptyState(&title, &text, this));
    m_stack->addWidget(m_table);
    title->setText(tr("No comments yet"));
    text->setText(tr("Put the cursor on a line or select some, and press c."));

    m_where->setObjectName(QStringLiteral("PaneTitle"));
    m_where->setTextFormat(Qt::PlainText);
    m_criterion->setAccessibleName(tr("Criterion the comment belongs to"));
    m_criterion->addItem(tr("no criterion"), QString());
    m_edit->setAccessibleName(tr("Comment text"));
    m_edit->setPlaceholderText(tr("What should the author know about these lines?"));
    m_edit->setTabChangesFocus(true);
    m_edit->installEventFilter(this);
    for (QPushButton* button : {m_save, m_remove})
        button->setAccessibleName(button->text());
    auto* right = new QWidget(this);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(10, 8, 10, 8);
    auto* top = new QHBoxLayout;
    top->addWidget(m_where, 1);
    top->addWidget(m_criterion);
    column->addLayout(top);
    column->addWidget(m_edit, 1);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_remove);
    buttons->addWidget(m_save);
    column->addLayout(buttons);

    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setObjectName(QStringLiteral("CommentsSplitter"));
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_stack);
    splitter->addWidget(right);
    splitter->setSizes({560, 420});
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(splitter);

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &CommentsView::showCurrent);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        const PlacedComment* placed = m_model->at(index.row());
        if (placed && placed->place.state != AnchorState::Orphaned)
            Q_EMIT locationActivated(placed->comment.range.file, placed->place.firstLine);
    });
    connect(m_edit, &QPlainTextEdit::textChanged, this, &CommentsView::updateButtons);
    connect(m_save, &QPushButton::clicked, this, &CommentsView::save);
    connect(m_remove, &QPushButton::clicked, this, [this] {
        const QString id = m_draft.id;
        m_draft = {};
        m_savedText.clear();
        m_edit->clear();
        if (!id.isEmpty())
            Q_EMIT commentRemoved(id);
        updateButtons();
    });
    updateButtons();
}

void CommentsView::setCriteria(const QVector<std::pair<QString, QString>>& idsAndTitles)
{
    m_criterion->clear();
    m_criterion->addItem(tr("no criterion"), QString());
    for (const auto& [id, title] : idsAndTitles)
        m_criterion->addItem(title, id);
}

void CommentsView::setComments(const QVector<PlacedComment>& comments)
{
    m_model->setComments(comments);
    m_stack->setCurrentIndex(comments.isEmpty() ? 0 : 1);
    const int row = m_model->rowOf(m_draft.id);
    if (row >= 0 && !m_draft.id.isEmpty())
        m_table->selectRow(row);
    else if (!m_draft.id.isEmpty() && !hasUnsavedDraft()) {
        m_draft = {};
        m_edit->clear();
    }
    updateButtons();
}

void CommentsView::setReadOnly(bool readOnly)
{
    m_readOnly = readOnly;
    m_edit->setReadOnly(readOnly);
    updateButtons();
}

bool CommentsView::hasUnsavedDraft() const
{
    return m_draft.isValid() && m_edit->toPlainText() != m_savedText;
}

void CommentsView::startComment(const QString& file, int firstLine, int lastLine)
{
    if (!hasUnsavedDraft()) {
        m_draft = {{}, file, firstLine, lastLine};
        m_savedText.clear();
        m_table->clearSelection();
        m_table->setCurrentIndex({});
        m_edit->clear();
    }
    updateButtons();
    m_edit->setFocus(Qt::ShortcutFocusReason);
}

void CommentsView::showCurrent()
{
    const PlacedComment* placed = m_model->at(m_table->currentIndex().row());
    if (!placed || hasUnsavedDraft())
        return;
    const bool orphan = placed->place.state == AnchorState::Orphaned;
    m_draft = {placed->comment.id, placed->comment.range.file,
               orphan ? placed->comment.range.firstLine : placed->place.firstLine,
               orphan ? placed->comment.range.lastLine : placed->place.lastLine};
    m_savedText = placed->comment.text;
    m_edit->setPlainText(placed->comment.text);
    m_criterion->setCurrentIndex(std::max(0, m_criterion->findData(placed->comment.criterion)));
    updateButtons();
}

void CommentsView::updateButtons()
{
    const bool text = !m_edit->toPlainText().trimmed().isEmpty();
    m_save->setEnabled(m_draft.isValid() && text && !m_readOnly);
    m_remove->setEnabled(m_draft.isValid() && !m_readOnly);
    m_edit->setEnabled(m_draft.isValid());
    const SourceRange range{m_draft.file, m_draft.firstLine, m_draft.lastLine, {}};
    m_where->setText(m_draft.isValid() ? rangeText(range) : tr("No line chosen"));
}

void CommentsView::save()
{
    const QString text = m_edit->toPlainText().trimmed();
    if (!m_draft.isValid() || text.isEmpty() || m_readOnly)
        return;
    const Draft draft = std::exchange(m_draft, {});
    m_savedText.clear();
    m_edit->clear();
    updateButtons();
    m_table->setFocus();
    Q_EMIT commentSaved(draft.id, draft.file, draft.firstLine, draft.lastLine, text,
                        m_criterion->currentData().toString());
}

bool CommentsView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_edit &&
        (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride)) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter && key->modifiers() == Qt::ControlModifier) {
            event->accept();
            if (event->type() == QEvent::KeyPress)
                save();
            return true;
        }
        if (key->key() == Qt::Key_Escape) { // leaves the field, keeps the draft
            event->accept();
            if (event->type() == QEvent::KeyPress)
                m_table->setFocus();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace ridgeline
