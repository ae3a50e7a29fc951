// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/search.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace ridgeline {

/// A line to type a search into, with regex and case toggles, a count and next/previous. It
/// searches nothing itself.
class FindBar final : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(const QString& what, QWidget* parent = nullptr);

    SearchQuery query() const;
    void setText(const QString& text);
    /// `current` is zero-based, -1 = none yet. `detail` follows the count.
    void setCount(int current, int total, const QString& detail = {});
    void setError(const QString& message);
    /// Focuses the line and selects its text.
    void activate();

Q_SIGNALS:
    void queryChanged();
    void nextRequested();
    void previousRequested();
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLineEdit* m_edit;
    QToolButton* m_regex;
    QToolButton* m_case;
    QLabel* m_count;
};

} // namespace ridgeline
