// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/runner.h"
#include "core/pass/record.h"

#include <QObject>

class QTabWidget;
class QWidget;

namespace ridgeline {

class ArtefactsView;
class BenchmarkView;
class NumericsView;
class RooflineView;

/// The tabs that show numbers of a run: numerics, benchmark, roofline, artefacts.
class ResultTabs final : public QObject {
    Q_OBJECT
public:
    explicit ResultTabs(QWidget* parent);

    void addTo(QTabWidget* tabs);
    void setRun(const RunRecord& run);
    void clear();
    NumericsView* numerics() const { return m_numerics; }
    BenchmarkView* benchmark() const { return m_benchmark; }
    RooflineView* roofline() const { return m_roofline; }
    ArtefactsView* artefacts() const { return m_artefacts; }
    void showCandidate(const QString& candidate);
    void showArtefact(const QString& path);
    void showLog(const QString& candidate, const QString& pass);

Q_SIGNALS:
    void deviceShown(const QString& model);
    void told(const QString& message);

private:
    RunRecord m_run;
    QString m_candidate;
    NumericsView* m_numerics;
    BenchmarkView* m_benchmark;
    RooflineView* m_roofline;
    ArtefactsView* m_artefacts;
};

} // namespace ridgeline
