// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/runner.h"
#include "core/pass/record.h"

#include <QObject>

class QTabWidget;
class QWidget;

namespace ridgeline {

/// The tabs that show numbers of a run: numerics, benchmark, roofline, artefacts.
class ResultTabs final : public QObject {
    Q_OBJECT
public:
    explicit ResultTabs(QWidget* parent);

    void addTo(QTabWidget* tabs);
    void setRun(const RunRecord& run, const QString& bundleDir);
    void clear();
    void showCandidate(const QString& candidate);
    void showArtefact(const QString& path);
    void showLog(const QString& candidate, const QString& pass);

Q_SIGNALS:
    void locationActivated(const QString& file, int line);
    void deviceShown(const QString& model);

private:
    RunRecord m_run;
    QString m_candidate;
};

} // namespace ridgeline
