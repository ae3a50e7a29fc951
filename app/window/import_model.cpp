// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/import_model.h"

namespace ridgeline {

ImportModel::ImportModel(QObject* parent) : QAbstractTableModel(parent) {}

void ImportModel::setTasks(const QVector<Detection>& tasks)
{
    beginResetModel();
    m_rows.clear();
    m_byKey.clear();
    for (const Detection& task : tasks) {
        m_byKey.insert(task.key(), int(m_rows.size()));
        m_rows.append(Row{task, true, {}, {}});
    }
    endResetModel();
    Q_EMIT ticksChanged();
}

void ImportModel::setOutcomes(const QVector<ImportOutcome>& outcomes)
{
    int first = count(), last = -1;
    for (const ImportOutcome& outcome : outcomes) {
        int row = m_byKey.value(outcome.task.key(), -1);
        // The key names the format; a row whose format was chosen by hand is found by its place.
        for (int i = 0; i < count() && row < 0; ++i) {
            if (m_rows[i].task.path == outcome.task.path &&
                m_rows[i].task.record == outcome.task.record)
                row = i;
        }
        if (row < 0)
            continue;
        m_rows[row].outcome = outcome;
        first = std::min(first, row);
        last = std::max(last, row);
    }
    if (last >= 0)
        Q_EMIT dataChanged(index(first, 0), index(last, ColumnCount - 1));
}

void ImportModel::resetOutcomes()
{
    for (Row& row : m_rows)
        row.outcome.reset();
    if (count() > 0)
        Q_EMIT dataChanged(index(0, 0), index(count() - 1, ColumnCount - 1));
}

const ImportOutcome* ImportModel::outcome(int row) const
{
    return row >= 0 && row < count() && m_rows[row].outcome ? &*m_rows[row].outcome : nullptr;
}

QStringList ImportModel::tickedKeys() const
{
    QStringList keys;
    for (const Row& row : m_rows) {
        if (row.ticked)
            keys << row.task.key();
    }
    return keys;
}

QMap<QString, QString> ImportModel::choices() const
{
    QMap<QString, QString> all;
    for (const Row& row : m_rows) {
        if (!row.choice.isEmpty())
            all.insert(row.task.key(), row.choice);
    }
    return all;
}

int ImportModel::openChoices() const
{
    int open = 0;
    for (const Row& row : m_rows)
        open += row.ticked && row.task.isAmbiguous() && row.choice.isEmpty();
    return open;
}

QStringList ImportModel::bundleDirs() const
{
    QStringList dirs;
    for (const Row& row : m_rows) {
        if (row.outcome && !row.outcome->bundleDir.isEmpty())
            dirs << row.outcome->bundleDir;
    }
    return dirs;
}

int ImportModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : count();
}

int ImportModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

Look ImportModel::lookOf(const Row& row) const
{
    if (!row.outcome) {
        if (row.task.isAmbiguous() && row.choice.isEmpty())
            return {Shape::Question, Meaning::Warning, tr("choose a format")};
        return {Shape::Ring, Meaning::Muted, row.ticked ? tr("found") : tr("left out")};
    }
    const ImportOutcome& outcome = *row.outcome;
    if (outcome.error)
        return {Shape::Cross, Meaning::Bad, tr("refused")};
    if (outcome.kept)
        return {Shape::Check, Meaning::Muted, tr("already there")};
    if (outcome.status != BundleStatus::Ready)
        return {Shape::Triangle, Meaning::Warning, tr("stub")};
    return {Shape::Check, Meaning::Good, tr("imported")};
}

QString ImportModel::formatOf(const Row& row) const
{
    const QString id = row.choice.isEmpty() ? row.task.format : row.choice;
    const TaskFormat* format = taskFormat(id);
    QString title = format ? format->title : id;
    if (row.task.isAmbiguous() && row.choice.isEmpty())
        title = tr("%1, or %n other(s)", nullptr, int(row.task.alternatives.size())).arg(title);
    return title;
}

QVariant ImportModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= count())
        return {};
    const Row& row = m_rows.at(index.row());
    const bool numeric = index.column() == Sure || index.column() >= Candidates;
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Task:
            return row.outcome && !row.outcome->id.isEmpty() ? row.outcome->id : row.task.name;
        case Format:
            return formatOf(row);
        case Sure:
            return QStringLiteral("%1 %").arg(qRound(row.task.confidence * 100));
        case State:
            return lookOf(row).text;
        case Candidates:
            return row.outcome ? QVariant(row.outcome->candidates) : QVariant();
        case Cases:
            return row.outcome ? QVariant(row.outcome->cases) : QVariant();
        case Warnings:
            return row.outcome && !row.outcome->warnings.isEmpty()
                       ? QVariant(int(row.outcome->warnings.size()))
                       : QVariant();
        default:
            return {};
        }
    case Qt::DecorationRole:
        return index.column() == State ? QVariant(lookIcon(lookOf(row))) : QVariant();
    case Qt::CheckStateRole:
        if (index.column() == Task && !row.outcome)
            return row.ticked ? Qt::Checked : Qt::Unchecked;
        return {};
    case Qt::TextAlignmentRole:
        return int(numeric ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return QStringLiteral("%1\n%2").arg(row.task.path, row.task.why);
    case ChoicesRole:
        return QStringList{row.task.format} + row.task.alternatives;
    default:
        return {};
    }
}

bool ImportModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || index.row() >= count())
        return false;
    Row& row = m_rows[index.row()];
    if (role == Qt::CheckStateRole && index.column() == Task && !row.outcome)
        row.ticked = value.toInt() == Qt::Checked;
    else if (role == Qt::EditRole && index.column() == Format)
        row.choice = value.toString();
    else
        return false;
    Q_EMIT dataChanged(this->index(index.row(), 0), this->index(index.row(), ColumnCount - 1));
    Q_EMIT ticksChanged();
    return true;
}

QVariant ImportModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Sure || section >= Candidates ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Task"),       tr("Format"), tr("Sure"),    tr("State"),
                              tr("Candidates"), tr("Cases"),  tr("Warnings")};
    return section >= 0 && section < ColumnCount ? QVariant(titles[section]) : QVariant();
}

Qt::ItemFlags ImportModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid() || m_rows.at(index.row()).outcome)
        return flags;
    if (index.column() == Task)
        flags |= Qt::ItemIsUserCheckable;
    if (index.column() == Format && m_rows.at(index.row()).task.isAmbiguous())
        flags |= Qt::ItemIsEditable;
    return flags;
}

} // namespace ridgeline
