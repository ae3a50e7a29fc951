// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/actions.h"

#include "widgets/icons.h"

#include <QWidget>

namespace ridgeline {

Actions::Actions(QWidget* window) : QObject(window), m_window(window) {}

QAction* Actions::add(const Spec& spec, std::function<void()> handler, QWidget* scope)
{
    Q_ASSERT(!m_actions.contains(spec.id));
    auto* action = new QAction(spec.text, m_window);
    action->setObjectName(spec.id);
    action->setShortcuts(spec.shortcuts);
    action->setShortcutContext(scope ? Qt::WidgetWithChildrenShortcut : Qt::WindowShortcut);
    action->setStatusTip(spec.tip);
    QString tip = spec.tip;
    if (!spec.shortcuts.isEmpty())
        tip +=
            QStringLiteral(" (%1)").arg(spec.shortcuts.first().toString(QKeySequence::NativeText));
    action->setToolTip(tip);
    action->setCheckable(spec.checkable);
    if (!spec.icon.isEmpty())
        action->setIcon(themedIcon(spec.icon));
    connect(action, &QAction::triggered, this, [handler = std::move(handler)] { handler(); });
    (scope ? scope : m_window)->addAction(action);
    m_order.append(spec.id);
    m_actions.insert(spec.id, action);
    m_scopes.insert(spec.id, scope);
    return action;
}

QAction* Actions::get(const QString& id) const
{
    return m_actions.value(id);
}

QList<QAction*> Actions::all() const
{
    QList<QAction*> list;
    for (const QString& id : m_order)
        list.append(m_actions.value(id));
    return list;
}

QStringList Actions::conflicts() const
{
    QStringList found;
    for (int i = 0; i < m_order.size(); ++i) {
        for (int k = i + 1; k < m_order.size(); ++k) {
            const QWidget* a = m_scopes.value(m_order.at(i));
            const QWidget* b = m_scopes.value(m_order.at(k));
            const bool overlap = !a || !b || a == b || a->isAncestorOf(b) || b->isAncestorOf(a);
            if (!overlap)
                continue;
            const auto keys = m_actions.value(m_order.at(k))->shortcuts();
            for (const QKeySequence& key : m_actions.value(m_order.at(i))->shortcuts()) {
                if (keys.contains(key))
                    found.append(QStringLiteral("%1 = %2 (%3)")
                                     .arg(m_order.at(i), m_order.at(k), key.toString()));
            }
        }
    }
    return found;
}

} // namespace ridgeline
