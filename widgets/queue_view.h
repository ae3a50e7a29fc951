// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/queue_model.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QListView;
class QSortFilterProxyModel;

namespace ridgeline {

/// The queue of bundles with a filter over title, id and state.
class QueueView final : public QWidget {
    Q_OBJECT
public:
    explicit QueueView(QueueModel* model, QWidget* parent = nullptr);

    QListView* list() const { return m_list; }
    QLineEdit* filter() const { return m_filter; }
    QString currentDir() const;
    /// Selects without telling.
    void setCurrentDir(const QString& dir);
    /// Moves the selection by `step` rows of what the filter leaves, and tells.
    void step(int step);

Q_SIGNALS:
    void bundleChosen(const QString& dir);
    void removeRequested(const QString& dir);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void updateCount();

    QueueModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QLineEdit* m_filter;
    QLabel* m_count;
    QListView* m_list;
    bool m_quiet = false;
};

} // namespace ridgeline
