// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/findings_model.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace ridgeline {

class SafeBrowser;

/// Findings with their evidence; a person confirms or dismisses each. Decisions are asked for by
/// signal, the owner answers with setFindings.
class FindingsView final : public QWidget {
    Q_OBJECT
public:
    explicit FindingsView(QWidget* parent = nullptr);

    void setFindings(const QVector<Finding>& findings, bool haveRun);
    FindingsModel* model() const { return m_model; }
    QTableView* table() const { return m_table; }
    QLineEdit* reasonEdit() const { return m_reason; }
    const Finding* current() const;
    void select(const QString& id);
    /// Confirms the selected finding; the reason field is optional.
    void confirm();
    /// Dismisses it; without a reason it asks for one first.
    void dismiss();
    void reopen();

Q_SIGNALS:
    void decided(const QString& id, ridgeline::FindingState state, const QString& reason);
    void locationActivated(const QString& file, int line);
    void artefactActivated(const QString& path);

private:
    void showCurrent();
    void activate();
    void decide(FindingState state);
    void refilter();

    FindingsModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QStackedWidget* m_stack;
    QLabel* m_emptyTitle = nullptr;
    QLabel* m_emptyText = nullptr;
    QTableView* m_table;
    QLineEdit* m_filter;
    QComboBox* m_severity;
    QComboBox* m_state;
    QLabel* m_count;
    SafeBrowser* m_details;
    QLineEdit* m_reason;
    QPushButton* m_confirm;
    QPushButton* m_dismiss;
    QPushButton* m_reopen;
};

} // namespace ridgeline
