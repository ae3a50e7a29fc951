// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace ridgeline {

namespace {

QString plainText(const QAction& action)
{
    QString text = action.text();
    text.remove(QLatin1Char('&'));
    return text;
}

/// Every word of the query must occur in the text.
bool matches(const QString& query, const QString& text)
{
    const auto words = query.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::all_of(words.cbegin(), words.cend(), [&text](const QString& word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

} // namespace

CommandPalette::CommandPalette(QWidget* parent)
    : QDialog(parent, Qt::Popup), m_edit(new QLineEdit(this)), m_list(new QListWidget(this))
{
    setAccessibleName(tr("Commands"));
    m_edit->setPlaceholderText(tr("Type what you want to do"));
    m_edit->setAccessibleName(tr("Command"));
    m_edit->installEventFilter(this);
    m_list->setAccessibleName(tr("Matching commands"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setUniformItemSizes(true);
    m_list->setFrameShape(QFrame::NoFrame);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->addWidget(m_edit);
    column->addWidget(m_list);
    connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::refill);
    connect(m_list, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        m_list->setCurrentItem(item);
        run();
    });
}

void CommandPalette::popUp(const QList<QAction*>& actions, const QStringList& recent)
{
    m_actions.clear();
    for (QAction* action : actions) {
        if (action->isEnabled() && action->isVisible())
            m_actions.append(action);
    }
    std::stable_sort(m_actions.begin(), m_actions.end(), [&recent](QAction* a, QAction* b) {
        const auto rank = [&recent](QAction* action) {
            const auto at = recent.indexOf(action->objectName());
            return at < 0 ? recent.size() : at;
        };
        return rank(a) < rank(b);
    });
    m_edit->clear();
    refill();
    if (const QWidget* window = parentWidget()) {
        resize(std::min(620, window->width() - 80), std::min(420, window->height() - 120));
        move(window->mapToGlobal(QPoint((window->width() - width()) / 2, 80)));
    }
    show();
    m_edit->setFocus();
}

void CommandPalette::refill()
{
    m_list->clear();
    for (int i = 0; i < m_actions.size(); ++i) {
        const QAction& action = *m_actions.at(i);
        const QString text = plainText(action);
        if (!matches(m_edit->text(), text + QLatin1Char(' ') + action.statusTip()))
            continue;
        const QString key = action.shortcut().toString(QKeySequence::NativeText);
        auto* item = new QListWidgetItem(
            action.icon(), key.isEmpty() ? text : QStringLiteral("%1    [%2]").arg(text, key));
        item->setToolTip(action.statusTip().toHtmlEscaped());
        item->setData(Qt::UserRole, i);
        m_list->addItem(item);
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::run()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (!item)
        return;
    QAction* action = m_actions.at(item->data(Qt::UserRole).toInt());
    hide();
    Q_EMIT used(action->objectName());
    action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            const int row = m_list->currentRow() + (key == Qt::Key_Down ? 1 : -1);
            m_list->setCurrentRow(std::clamp(row, 0, std::max(0, m_list->count() - 1)));
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            run();
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace ridgeline
