// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/log_model.h"

#include <QTimer>

namespace ridgeline {

namespace {

/// One printable line: no control characters, no terminal colours, a bounded length.
QString cleaned(QString line)
{
    if (line.size() > LogModel::maxLineLength) {
        line.truncate(LogModel::maxLineLength);
        line.append(QChar(0x2026));
    }
    bool plain = true;
    for (const QChar c : std::as_const(line))
        plain = plain && c.unicode() >= 0x20 && c.unicode() != 0x7f;
    if (plain)
        return line;
    QString out;
    out.reserve(line.size());
    for (qsizetype i = 0; i < line.size(); ++i) {
        const char16_t c = line.at(i).unicode();
        if (c == 0x1b && i + 1 < line.size() && line.at(i + 1) == QLatin1Char('[')) {
            i += 2; // CSI: skip to its final byte
            while (i < line.size() && (line.at(i).unicode() < 0x40 || line.at(i).unicode() > 0x7e))
                ++i;
        } else if (c == u'\t') {
            out.append(QLatin1String("    "));
        } else if (c >= 0x20 && c != 0x7f) {
            out.append(QChar(c));
        }
    }
    return out;
}

Meaning meaningOf(const QString& line)
{
    const QStringView head = QStringView(line).left(400);
    // A summary that counts none is good news.
    if (head.contains(QLatin1String(" 0 errors")) || head.startsWith(QLatin1String("0 errors")))
        return Meaning::Neutral;
    if (head.contains(QLatin1String("error"), Qt::CaseInsensitive) ||
        head.contains(QLatin1String("failed"), Qt::CaseInsensitive))
        return Meaning::Bad;
    if (head.contains(QLatin1String("warning"), Qt::CaseInsensitive))
        return Meaning::Warning;
    return Meaning::Neutral;
}

} // namespace

LogModel::LogModel(QObject* parent) : QAbstractListModel(parent), m_timer(new QTimer(this))
{
    m_timer->setInterval(batchIntervalMs);
    connect(m_timer, &QTimer::timeout, this, [this] { showBatch(rowsPerBatch); });
}

void LogModel::append(const QStringList& lines)
{
    m_total += lines.size();
    m_pending += lines;
    if (m_pending.size() > maxRows) {
        const qsizetype over = m_pending.size() - maxRows;
        m_pending.remove(0, over);
        m_dropped += over;
    }
    if (!m_timer->isActive())
        m_timer->start();
}

void LogModel::clear()
{
    m_timer->stop();
    m_pending.clear();
    beginResetModel();
    m_rows.clear();
    m_total = 0;
    m_dropped = 0;
    endResetModel();
}

void LogModel::flush()
{
    while (!m_pending.isEmpty())
        showBatch(int(m_pending.size()));
}

void LogModel::showBatch(int limit)
{
    const qsizetype count = std::min<qsizetype>(limit, m_pending.size());
    QList<Row> fresh;
    fresh.reserve(count);
    bool grew = false;
    for (qsizetype i = 0; i < count; ++i) {
        const QString line = cleaned(m_pending.at(i));
        if (fresh.isEmpty() && !m_rows.isEmpty() && m_rows.last().text == line) {
            ++m_rows.last().repeats;
            grew = true;
        } else if (!fresh.isEmpty() && fresh.last().text == line) {
            ++fresh.last().repeats;
        } else {
            fresh.append({line, 1, meaningOf(line)});
        }
    }
    m_pending.remove(0, count);
    if (grew) {
        const QModelIndex last = index(int(m_rows.size()) - 1);
        Q_EMIT dataChanged(last, last);
    }
    const qsizetype over = m_rows.size() + fresh.size() - maxRows;
    if (over > 0 && !m_rows.isEmpty()) {
        const qsizetype gone = std::min(over, m_rows.size());
        beginRemoveRows({}, 0, int(gone) - 1);
        for (qsizetype i = 0; i < gone; ++i)
            m_dropped += m_rows.at(i).repeats;
        m_rows.remove(0, gone);
        endRemoveRows();
    }
    if (!fresh.isEmpty()) {
        beginInsertRows({}, int(m_rows.size()), int(m_rows.size() + fresh.size()) - 1);
        m_rows.append(std::move(fresh));
        endInsertRows();
    }
    if (m_pending.isEmpty())
        m_timer->stop();
    Q_EMIT batchShown();
}

int LogModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

QVariant LogModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows.size())
        return {};
    const Row& row = m_rows.at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return row.repeats > 1 ? QStringLiteral("%1   (×%2)").arg(row.text).arg(row.repeats)
                               : row.text;
    case RepeatsRole:
        return row.repeats;
    case MeaningRole:
        return int(row.meaning);
    default:
        return {};
    }
}

} // namespace ridgeline
