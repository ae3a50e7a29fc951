// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/find_bar.h"

#include "widgets/icons.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace ridgeline {

FindBar::FindBar(const QString& what, QWidget* parent)
    : QWidget(parent),
      m_edit(new QLineEdit(this)),
      m_regex(new QToolButton(this)),
      m_case(new QToolButton(this)),
      m_count(new QLabel(this))
{
    setObjectName(QStringLiteral("PaneHeader"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 3, 6, 3);
    row->setSpacing(4);

    m_edit->setPlaceholderText(tr("Search %1").arg(what));
    m_edit->setAccessibleName(tr("Search %1").arg(what));
    m_edit->setClearButtonEnabled(true);
    m_edit->setMinimumWidth(120);
    m_edit->installEventFilter(this);
    row->addWidget(m_edit, 1);

    m_regex->setText(QStringLiteral(".*"));
    m_regex->setCheckable(true);
    m_regex->setToolTip(tr("Regular expression (Alt+R in the search line)"));
    m_regex->setAccessibleName(tr("Regular expression"));
    m_case->setText(QStringLiteral("Aa"));
    m_case->setCheckable(true);
    m_case->setToolTip(tr("Match case (Alt+C in the search line)"));
    m_case->setAccessibleName(tr("Match case"));
    auto* previous = new QToolButton(this);
    previous->setIcon(themedIcon(QStringLiteral("previous")));
    previous->setToolTip(tr("Previous match (Shift+Enter)"));
    previous->setAccessibleName(tr("Previous match"));
    auto* next = new QToolButton(this);
    next->setIcon(themedIcon(QStringLiteral("next")));
    next->setToolTip(tr("Next match (Enter)"));
    next->setAccessibleName(tr("Next match"));
    auto* close = new QToolButton(this);
    close->setIcon(themedIcon(QStringLiteral("close")));
    close->setToolTip(tr("Close the search (Esc)"));
    close->setAccessibleName(tr("Close the search"));
    for (QToolButton* button : {m_regex, m_case, previous, next, close}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
        if (button == m_case) {
            m_count->setObjectName(QStringLiteral("Muted"));
            m_count->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("000 of 000")));
            m_count->setAlignment(Qt::AlignCenter);
            row->addWidget(m_count);
        }
    }

    connect(m_edit, &QLineEdit::textChanged, this, &FindBar::queryChanged);
    connect(m_regex, &QToolButton::toggled, this, &FindBar::queryChanged);
    connect(m_case, &QToolButton::toggled, this, &FindBar::queryChanged);
    connect(previous, &QToolButton::clicked, this, &FindBar::previousRequested);
    connect(next, &QToolButton::clicked, this, &FindBar::nextRequested);
    connect(close, &QToolButton::clicked, this, &FindBar::closed);
    setFocusProxy(m_edit);
    setCount(-1, 0);
}

SearchQuery FindBar::query() const
{
    return {m_edit->text(), m_regex->isChecked(), m_case->isChecked()};
}

void FindBar::setText(const QString& text)
{
    m_edit->setText(text);
}

void FindBar::setCount(int current, int total, const QString& detail)
{
    QString text;
    if (!m_edit->text().isEmpty()) {
        if (total == 0)
            text = tr("no match");
        else if (current < 0)
            text = tr("%n match(es)", nullptr, total);
        else
            text = tr("%1 of %2").arg(current + 1).arg(total);
        if (total >= searchMatchLimit)
            text += QLatin1Char('+');
        if (total > 0 && !detail.isEmpty())
            text += QStringLiteral("  ·  ") + detail;
    }
    m_count->setText(text);
    m_count->setToolTip({});
}

void FindBar::setError(const QString& message)
{
    m_count->setText(tr("not valid: %1").arg(message));
    m_count->setToolTip(message);
}

void FindBar::activate()
{
    show();
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

bool FindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return QWidget::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    const bool escape = key->key() == Qt::Key_Escape;
    const bool alt =
        key->modifiers() == Qt::AltModifier && (key->key() == Qt::Key_R || key->key() == Qt::Key_C);
    if (!enter && !escape && !alt)
        return QWidget::eventFilter(watched, event);
    // Claimed here, so that Esc closes the search before it cancels a run.
    event->accept();
    if (event->type() == QEvent::ShortcutOverride)
        return true;
    if (escape)
        Q_EMIT closed();
    else if (alt)
        (key->key() == Qt::Key_R ? m_regex : m_case)->toggle();
    else if (key->modifiers() & Qt::ShiftModifier)
        Q_EMIT previousRequested();
    else
        Q_EMIT nextRequested();
    return true;
}

} // namespace ridgeline
