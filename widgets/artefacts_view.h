// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pass/record.h"

#include <QWidget>

class QListWidget;

namespace ridgeline {

class CodePane;

/// Files a run left: PTX, logs, harness. Each is read when it is chosen, by a worker.
class ArtefactsView final : public QWidget {
    Q_OBJECT
public:
    explicit ArtefactsView(QWidget* parent = nullptr);

    void setRun(const RunRecord& run);
    void setCandidate(const QString& candidate);
    /// Selects an artefact or log by its path relative to the run's folder.
    bool showPath(const QString& path);
    QListWidget* list() const { return m_list; }
    CodePane* pane() const { return m_pane; }

private:
    struct Entry {
        QString candidate;
        QString pass;
        QString name;
        QString path;
        QString media;
    };

    void refill();
    void load(const Entry& entry);

    RunRecord m_run;
    QVector<Entry> m_entries;
    QVector<Entry> m_shown;
    QString m_candidate;
    quint64 m_token = 0; ///< an answer to an older choice is dropped
    QListWidget* m_list;
    CodePane* m_pane;
};

} // namespace ridgeline
