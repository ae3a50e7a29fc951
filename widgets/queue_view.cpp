// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/queue_view.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace ridgeline {

namespace {

/// Matches the filter against title, subtitle and state word.
class QueueFilter final : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override
    {
        const QString needle = filterRegularExpression().pattern();
        if (needle.isEmpty())
            return true;
        const QModelIndex index = sourceModel()->index(row, 0, parent);
        for (const int role : {int(Qt::DisplayRole), int(QueueModel::SubtitleRole),
                               int(QueueModel::StateRole), int(QueueModel::DetailRole)}) {
            if (index.data(role).toString().contains(filterRegularExpression()))
                return true;
        }
        return false;
    }
};

class QueueDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {100, option.fontMetrics.height() * 2 + 16};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const ThemeTokens& t = ThemeTokens::of(option.palette);
        const bool selected = option.state & QStyle::State_Selected;
        painter->save();
        painter->fillRect(option.rect, selected ? t.selection : t.base);
        if (selected)
            painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())),
                              t.accent);
        const QRect inner = option.rect.adjusted(12, 7, -10, -7);
        const int line = option.fontMetrics.height();
        const QRect iconRect(inner.x(), inner.y() + (line - 16) / 2, 16, 16);
        index.data(Qt::DecorationRole).value<QIcon>().paint(painter, iconRect);
        const int x = iconRect.right() + 9;
        const QRect first(x, inner.y(), inner.right() - x, line);
        const QRect second = first.translated(0, line + 2);
        QFont bold = option.font;
        bold.setWeight(QFont::DemiBold);
        painter->setFont(bold);
        painter->setPen(selected ? t.selectionText : t.text);
        painter->drawText(
            first, Qt::AlignVCenter,
            QFontMetrics(bold).elidedText(index.data().toString(), Qt::ElideRight, first.width()));
        painter->setFont(option.font);
        painter->setPen(selected ? t.selectionText : t.muted);
        QStringList parts{index.data(QueueModel::StateRole).toString()};
        for (const int role : {int(QueueModel::DetailRole), int(QueueModel::SubtitleRole)}) {
            if (!index.data(role).toString().isEmpty())
                parts.append(index.data(role).toString());
        }
        painter->drawText(second, Qt::AlignVCenter,
                          option.fontMetrics.elidedText(parts.join(QStringLiteral(" · ")),
                                                        Qt::ElideRight, second.width()));
        painter->setPen(t.border);
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
        painter->restore();
    }
};

} // namespace

QueueView::QueueView(QueueModel* model, QWidget* parent)
    : QWidget(parent),
      m_model(model),
      m_proxy(new QueueFilter(this)),
      m_filter(new QLineEdit(this)),
      m_count(new QLabel(this)),
      m_list(new QListView(this))
{
    m_proxy->setSourceModel(model);
    auto* header = new QWidget(this);
    header->setObjectName(QStringLiteral("PaneHeader"));
    header->setAttribute(Qt::WA_StyledBackground);
    header->setFixedHeight(fontMetrics().height() + 16);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(12, 3, 10, 3);
    auto* title = new QLabel(tr("Queue"), header);
    title->setObjectName(QStringLiteral("PaneTitle"));
    m_count->setObjectName(QStringLiteral("Muted"));
    row->addWidget(title);
    row->addStretch();
    row->addWidget(m_count);

    m_filter->setPlaceholderText(tr("Filter by name or state"));
    m_filter->setAccessibleName(tr("Filter the queue"));
    m_filter->setClearButtonEnabled(true);
    m_filter->installEventFilter(this);
    auto* filterRow = new QHBoxLayout;
    filterRow->setContentsMargins(8, 6, 8, 6);
    filterRow->addWidget(m_filter);

    m_list->setObjectName(QStringLiteral("QueueList"));
    m_list->setModel(m_proxy);
    m_list->setItemDelegate(new QueueDelegate(this));
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(tr("Queue of bundles"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->installEventFilter(this);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header);
    column->addLayout(filterRow);
    column->addWidget(m_list, 1);

    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_proxy->setFilterRegularExpression(QRegularExpression(
            QRegularExpression::escape(text), QRegularExpression::CaseInsensitiveOption));
        updateCount();
    });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
        if (!m_quiet && !currentDir().isEmpty())
            Q_EMIT bundleChosen(currentDir());
    });
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this, &QueueView::updateCount);
    connect(m_proxy, &QAbstractItemModel::rowsRemoved, this, &QueueView::updateCount);
    updateCount();
}

void QueueView::updateCount()
{
    const int shown = m_proxy->rowCount();
    const int all = m_model->rowCount();
    m_count->setText(shown == all ? all == 1 ? tr("1 bundle") : tr("%1 bundles").arg(all)
                                  : tr("%1 of %2").arg(shown).arg(all));
}

QString QueueView::currentDir() const
{
    return m_list->currentIndex().data(QueueModel::DirRole).toString();
}

void QueueView::setCurrentDir(const QString& dir)
{
    const QScopedValueRollback guard(m_quiet, true);
    const QModelIndex index = m_proxy->mapFromSource(m_model->index(m_model->rowOf(dir)));
    m_list->setCurrentIndex(index);
}

void QueueView::step(int step)
{
    const int row = m_list->currentIndex().row() + step;
    if (row >= 0 && row < m_proxy->rowCount())
        m_list->setCurrentIndex(m_proxy->index(row, 0));
}

bool QueueView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (watched == m_filter && (key->key() == Qt::Key_Down || key->key() == Qt::Key_Return)) {
            m_list->setFocus();
            if (!m_list->currentIndex().isValid())
                step(1);
            return true;
        }
        if (watched == m_list && key->key() == Qt::Key_Delete && !currentDir().isEmpty()) {
            Q_EMIT removeRequested(currentDir());
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace ridgeline
