// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/log_view.h"

#include "widgets/find_bar.h"
#include "widgets/icons.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QLocale>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

namespace ridgeline {

namespace {

class LogDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {200, option.fontMetrics.height() + 1};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const ThemeTokens& t = ThemeTokens::of(option.palette);
        const bool selected = option.state & QStyle::State_Selected;
        if (selected)
            painter->fillRect(option.rect, t.selection);
        const auto meaning = Meaning(index.data(LogModel::MeaningRole).toInt());
        painter->setPen(selected ? t.selectionText : t.colour(meaning));
        painter->setFont(option.font);
        painter->drawText(option.rect.adjusted(8, 0, -4, 0), Qt::AlignVCenter | Qt::TextSingleLine,
                          option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight,
                                                        option.rect.width() - 12));
    }
};

} // namespace

LogView::LogView(QWidget* parent)
    : QWidget(parent),
      m_model(new LogModel(this)),
      m_list(new QListView(this)),
      m_find(new FindBar(tr("log"), this)),
      m_count(new QLabel(this)),
      m_follow(new QCheckBox(tr("Follow"), this))
{
    auto* header = new QWidget(this);
    header->setObjectName(QStringLiteral("PaneHeader"));
    header->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(8, 2, 4, 2);
    auto* title = new QLabel(tr("Log"), header);
    title->setObjectName(QStringLiteral("PaneTitle"));
    m_count->setObjectName(QStringLiteral("Muted"));
    m_follow->setChecked(true);
    m_follow->setToolTip(tr("Keep the newest line in view"));
    m_follow->setAccessibleName(tr("Follow the log"));
    auto* find = new QToolButton(header);
    find->setIcon(themedIcon(QStringLiteral("search")));
    find->setAutoRaise(true);
    find->setToolTip(tr("Search the log"));
    find->setAccessibleName(tr("Search the log"));
    row->addWidget(title);
    row->addWidget(m_count, 1);
    row->addWidget(m_follow);
    row->addWidget(find);

    m_list->setModel(m_model);
    m_list->setItemDelegate(new LogDelegate(this));
    m_list->setUniformItemSizes(true);
    m_list->setFont(codeFont());
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setAccessibleName(tr("Log"));
    m_list->installEventFilter(this);
    m_find->hide();

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header);
    column->addWidget(m_find);
    column->addWidget(m_list, 1);

    connect(m_model, &LogModel::batchShown, this, [this] {
        if (m_follow->isChecked())
            m_list->scrollToBottom();
        updateCount();
    });
    connect(m_model, &QAbstractItemModel::modelReset, this, &LogView::updateCount);
    // Scrolling up by hand ends following, reaching the end resumes it.
    connect(m_list->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] {
        const QScrollBar* bar = m_list->verticalScrollBar();
        m_follow->setChecked(bar->sliderPosition() >= bar->maximum());
    });
    connect(find, &QToolButton::clicked, this, &LogView::openFind);
    connect(m_find, &FindBar::queryChanged, this, [this] { search(0); });
    connect(m_find, &FindBar::nextRequested, this, [this] { search(1); });
    connect(m_find, &FindBar::previousRequested, this, [this] { search(-1); });
    connect(m_find, &FindBar::closed, this, [this] {
        m_find->hide();
        m_list->setFocus();
    });
    updateCount();
}

bool LogView::isFollowing() const
{
    return m_follow->isChecked();
}

void LogView::updateCount()
{
    const QLocale locale;
    QString text = tr("%1 lines").arg(locale.toString(m_model->totalLines()));
    if (m_model->droppedLines() > 0)
        text += tr(", the oldest %1 are only in the log file")
                    .arg(locale.toString(m_model->droppedLines()));
    m_count->setText(text);
}

void LogView::openFind()
{
    m_find->activate();
}

void LogView::search(int step)
{
    const SearchQuery query = m_find->query();
    if (query.text.isEmpty()) {
        m_find->setCount(-1, 0);
        return;
    }
    // One expression for both kinds; the rows are few (capped), each short.
    QRegularExpression expression(query.regex ? QStringLiteral("(*LIMIT_MATCH=20000)") + query.text
                                              : QRegularExpression::escape(query.text),
                                  query.caseSensitive ? QRegularExpression::NoPatternOption
                                                      : QRegularExpression::CaseInsensitiveOption);
    if (!expression.isValid()) {
        m_find->setError(expression.errorString());
        return;
    }
    QVector<int> hits;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (expression.match(m_model->lineAt(row)).hasMatch())
            hits.append(row);
    }
    const int from = std::max(0, m_list->currentIndex().row());
    int at = -1;
    if (!hits.isEmpty()) {
        auto it = step > 0 ? std::upper_bound(hits.cbegin(), hits.cend(), from)
                           : std::lower_bound(hits.cbegin(), hits.cend(), from);
        at = int(it - hits.cbegin());
        if (step < 0)
            at = (at - 1 + int(hits.size())) % int(hits.size());
        else if (at == hits.size())
            at = 0;
        m_follow->setChecked(false);
        m_list->setCurrentIndex(m_model->index(hits[at]));
        m_list->scrollTo(m_list->currentIndex(), QAbstractItemView::PositionAtCenter);
    }
    m_find->setCount(at, int(hits.size()));
}

void LogView::copySelection()
{
    QModelIndexList rows = m_list->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    QStringList lines;
    for (const QModelIndex& index : std::as_const(rows))
        lines.append(m_model->lineAt(index.row()));
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

bool LogView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_list && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        copySelection();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace ridgeline
