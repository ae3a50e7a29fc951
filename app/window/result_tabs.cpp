// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/result_tabs.h"

#include "core/roofline/hardware.h"
#include "widgets/artefacts_view.h"
#include "widgets/benchmark_view.h"
#include "widgets/numerics_view.h"
#include "widgets/roofline_view.h"

#include <QFutureWatcher>
#include <QTabWidget>
#include <QtConcurrentRun>

namespace ridgeline {

ResultTabs::ResultTabs(QWidget* parent)
    : QObject(parent),
      m_numerics(new NumericsView(parent)),
      m_benchmark(new BenchmarkView(parent)),
      m_roofline(new RooflineView(parent)),
      m_artefacts(new ArtefactsView(parent))
{
    connect(m_roofline, &RooflineView::deviceChosen, this, &ResultTabs::deviceShown);
    connect(m_roofline, &RooflineView::exported, this, &ResultTabs::told);
    using Table = Result<HardwareTable>;
    auto* watcher = new QFutureWatcher<std::shared_ptr<Table>>(this);
    connect(watcher, &QFutureWatcher<std::shared_ptr<Table>>::finished, this, [this, watcher] {
        watcher->deleteLater();
        const std::shared_ptr<Table> table = watcher->result();
        if (*table)
            m_roofline->setHardware(**table);
        else
            Q_EMIT told(table->error().toString());
    });
    watcher->setFuture(QtConcurrent::run([] { return std::make_shared<Table>(loadHardware()); }));
}

void ResultTabs::addTo(QTabWidget* tabs)
{
    tabs->addTab(m_numerics, tr("Numerics"));
    tabs->addTab(m_benchmark, tr("Benchmark"));
    tabs->addTab(m_roofline, tr("Roofline"));
    tabs->addTab(m_artefacts, tr("Artefacts"));
}

void ResultTabs::setRun(const RunRecord& run)
{
    m_run = run;
    m_numerics->setRows(numericsRows(run), m_candidate);
    m_benchmark->setRows(benchmarkRows(run), m_candidate);
    m_roofline->setRun(rooflineOf(run));
    m_artefacts->setRun(run);
}

void ResultTabs::clear()
{
    setRun({});
}

void ResultTabs::showCandidate(const QString& candidate)
{
    m_candidate = candidate;
    m_numerics->setRows(numericsRows(m_run), candidate);
    m_benchmark->setRows(benchmarkRows(m_run), candidate);
    m_roofline->setCandidate(candidate);
    m_artefacts->setCandidate(candidate);
}

void ResultTabs::showArtefact(const QString& path)
{
    if (!m_artefacts->showPath(path))
        Q_EMIT told(tr("The run has no artefact %1.").arg(path));
}

void ResultTabs::showLog(const QString& candidate, const QString& pass)
{
    const CandidateRun* run = m_run.candidate(candidate);
    const PassRecord* record = run ? run->pass(pass) : nullptr;
    if (record && !record->log.isEmpty())
        showArtefact(record->log);
}

} // namespace ridgeline
