// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QMap>
#include <QObject>
#include <QStringList>
#include <functional>

class QWidget;

namespace ridgeline {

/// Every action of the window, registered once: menus, toolbar, command palette, help and the test
/// for duplicate shortcuts all read from here.
class Actions final : public QObject {
    Q_OBJECT
public:
    explicit Actions(QWidget* window);

    struct Spec {
        QString id;
        QString text; ///< with "&"
        QString tip;  ///< what it does, one line
        QString icon; ///< resources/icons name; may be empty
        QList<QKeySequence> shortcuts;
        bool checkable = false;
    };

    /// Adds an action to the window. `scope` limits its keys to a widget and its children; null =
    /// the whole window. Single keys do not reach an action while a text field has the keyboard.
    QAction* add(const Spec& spec, std::function<void()> handler, QWidget* scope = nullptr);
    QAction* get(const QString& id) const;
    QList<QAction*> all() const;
    /// Ids of actions with the same key in overlapping scopes, as "a = b (key)"; empty = none.
    QStringList conflicts() const;

private:
    QWidget* m_window;
    QStringList m_order;
    QMap<QString, QAction*> m_actions;
    QMap<QString, QWidget*> m_scopes;
};

} // namespace ridgeline
