// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/result_tabs.h"

#include <QTabWidget>

namespace ridgeline {

ResultTabs::ResultTabs(QWidget* parent) : QObject(parent) {}

void ResultTabs::addTo(QTabWidget* tabs)
{
    for (const QString& name : {tr("Numerics"), tr("Benchmark"), tr("Roofline"), tr("Artefacts")})
        tabs->addTab(new QWidget(tabs), name);
}

void ResultTabs::setRun(const RunRecord& run, const QString&)
{
    m_run = run;
}

void ResultTabs::clear()
{
    m_run = {};
}

void ResultTabs::showCandidate(const QString& candidate)
{
    m_candidate = candidate;
}

void ResultTabs::showArtefact(const QString&) {}

void ResultTabs::showLog(const QString&, const QString&) {}

} // namespace ridgeline
