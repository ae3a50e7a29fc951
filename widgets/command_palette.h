// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QAction;
class QLineEdit;
class QListWidget;

namespace ridgeline {

/// Finds an action by what it is called and triggers it; those used last come first.
class CommandPalette final : public QDialog {
    Q_OBJECT
public:
    explicit CommandPalette(QWidget* parent = nullptr);

    /// Shows the actions that can be used now. `recent` are object names, newest first.
    void popUp(const QList<QAction*>& actions, const QStringList& recent);
    QLineEdit* edit() const { return m_edit; }
    QListWidget* list() const { return m_list; }

Q_SIGNALS:
    void used(const QString& objectName);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refill();
    void run();

    QLineEdit* m_edit;
    QListWidget* m_list;
    QList<QAction*> m_actions;
};

} // namespace ridgeline
