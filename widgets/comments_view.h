// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/review/anchor.h"

#include <QAbstractTableModel>
#include <QWidget>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace ridgeline {

/// A comment and where it belongs in the file as it is now.
struct PlacedComment {
    AnchoredComment comment;
    AnchorPlace place;
    bool operator==(const PlacedComment&) const = default;
};

/// Comments on lines; those that lost their place come first.
class CommentsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Where, Criterion, Text, Count };
    Q_ENUM(Column)

    using QAbstractTableModel::QAbstractTableModel;

    void setComments(QVector<PlacedComment> comments);
    const PlacedComment* at(int row) const;
    int rowOf(const QString& id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVector<PlacedComment> m_comments;
};

/// The list of comments and the field they are written in.
class CommentsView final : public QWidget {
    Q_OBJECT
public:
    explicit CommentsView(QWidget* parent = nullptr);

    void setCriteria(const QVector<std::pair<QString, QString>>& idsAndTitles);
    void setComments(const QVector<PlacedComment>& comments);
    void setReadOnly(bool readOnly);
    /// Begins a new comment on a range; the field gets the keyboard. A draft that was not saved is
    /// kept and shown instead, with its own place.
    void startComment(const QString& file, int firstLine, int lastLine);
    CommentsModel* model() const { return m_model; }
    QTableView* table() const { return m_table; }
    QPlainTextEdit* edit() const { return m_edit; }
    void save();

Q_SIGNALS:
    /// An empty id is a new comment.
    void commentSaved(const QString& id, const QString& file, int firstLine, int lastLine,
                      const QString& text, const QString& criterion);
    void commentRemoved(const QString& id);
    void locationActivated(const QString& file, int line);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Draft {
        QString id;
        QString file;
        int firstLine = 0;
        int lastLine = 0;
        bool isValid() const { return !file.isEmpty(); }
    };

    void showCurrent();
    void updateButtons();
    bool hasUnsavedDraft() const;

    CommentsModel* m_model;
    QTableView* m_table;
    QStackedWidget* m_stack;
    QLabel* m_where;
    QComboBox* m_criterion;
    QPlainTextEdit* m_edit;
    QPushButton* m_save;
    QPushButton* m_remove;
    Draft m_draft;
    QString m_savedText;
    bool m_readOnly = false;
};

} // namespace ridgeline
