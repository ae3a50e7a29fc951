// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/log_model.h"
#include "widgets/search.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QListView;

namespace ridgeline {

class FindBar;

/// A live log with search, follow and copy. Only visible rows are painted.
class LogView final : public QWidget {
    Q_OBJECT
public:
    explicit LogView(QWidget* parent = nullptr);

    LogModel* model() const { return m_model; }
    QListView* list() const { return m_list; }
    FindBar* findBar() const { return m_find; }
    void openFind();
    bool isFollowing() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search(int step);
    void copySelection();
    void updateCount();

    LogModel* m_model;
    QListView* m_list;
    FindBar* m_find;
    QLabel* m_count;
    QCheckBox* m_follow;
};

} // namespace ridgeline
