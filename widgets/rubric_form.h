// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/rubric_model.h"

#include <QDateTime>
#include <QWidget>

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QLabel;
class QListWidget;
class QMenu;
class QPlainTextEdit;
class QRadioButton;
class QStackedWidget;
class QTableView;
class QTimer;
class QToolButton;
class QVBoxLayout;

namespace ridgeline {

class SafeBrowser;

/// The rubric with the guideline and the words of every level beside the field. It changes nothing
/// itself: it asks by signals, and shows what setReview gives it.
class RubricForm final : public QWidget {
    Q_OBJECT
public:
    explicit RubricForm(QWidget* parent = nullptr);

    void setRubric(const Rubric& rubric, const QString& taskType);
    /// What the menu of the title offers. Empty: no menu.
    void setRubricChoices(const QVector<Rubric>& rubrics);
    void openRubricMenu();
    /// `readOnlyWhy` not empty: fields are shown and cannot be edited, and this says why.
    void setReview(const Review& review, const QVector<Finding>& findings,
                   const QString& readOnlyWhy = {});
    void clear(const QString& title, const QString& text);
    void setSaved(const QDateTime& when);
    void setUnsaved();
    void setSaveFailed(const QString& why);

    RubricModel* model() const { return m_model; }
    QString currentCriterion() const;
    void setCurrentCriterion(const QString& criterion);
    /// What a digit key does: scores the current criterion and moves to the next, unless the score
    /// needs a comment that is not there.
    void scoreCurrent(int score);
    void step(int step);
    void goToNextIncomplete();
    void focusComment();
    void focusTable();
    void toggleGuideline();
    bool isGuidelineShown() const;
    /// Sends what was typed and has not been sent yet.
    void commitEdits();

    QPlainTextEdit* commentEdit() const { return m_comment; }
    QPlainTextEdit* summaryEdit() const { return m_summary; }
    QLabel* savedLabel() const { return m_saved; }
    QLabel* totalLabel() const { return m_total; }
    QToolButton* rubricButton() const { return m_title; }

Q_SIGNALS:
    void rubricChosen(const QString& id);
    void scoreChosen(const QString& criterion, std::optional<int> score);
    void notApplicableChosen(const QString& criterion, bool notApplicable);
    void commentEdited(const QString& criterion, const QString& text);
    void linkRequested(const QString& criterion);
    void evidenceActivated(const ridgeline::EvidenceLink& link);
    void evidenceRemoved(const QString& criterion, const ridgeline::EvidenceLink& link);
    void verdictChosen(ridgeline::ReviewVerdict verdict, ridgeline::VerdictWord word);
    void summaryEdited(const QString& text);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* buildHeader();
    QWidget* buildCard();
    QWidget* buildFooter();
    void showCriterion();
    void fillLevels();
    void fillCard();
    void fillFooter();
    void choose(int score);

    RubricModel* m_model;
    QString m_shown; ///< criterion the card shows
    QString m_readOnlyWhy;
    bool m_filling = false;

    QStackedWidget* m_stack = nullptr;
    QLabel* m_emptyTitle = nullptr;
    QLabel* m_emptyText = nullptr;
    QToolButton* m_title = nullptr;
    QMenu* m_rubrics = nullptr;
    QLabel* m_total = nullptr;
    QLabel* m_saved = nullptr;
    QTableView* m_table = nullptr;
    QLabel* m_criterionTitle = nullptr;
    SafeBrowser* m_guideline = nullptr;
    QToolButton* m_guidelineToggle = nullptr;
    QBoxLayout* m_sideBySide = nullptr;
    QVBoxLayout* m_levels = nullptr;
    QVector<QRadioButton*> m_levelButtons;
    QCheckBox* m_notApplicable = nullptr;
    QPlainTextEdit* m_comment = nullptr;
    QListWidget* m_evidence = nullptr;
    QLabel* m_missing = nullptr;
    QComboBox* m_verdict = nullptr;
    QComboBox* m_word = nullptr;
    QPlainTextEdit* m_summary = nullptr;
    QTimer* m_typing = nullptr;
    bool m_commentTouched = false;
    bool m_summaryTouched = false;
};

} // namespace ridgeline
