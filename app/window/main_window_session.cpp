// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"
#include "core/support/paths.h"
#include "widgets/compare_view.h"
#include "widgets/rubric_form.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>

namespace ridgeline {

namespace {

/// Settings keys cannot hold slashes; a bundle's place is kept under a short hash of its folder.
QString placeKey(const QString& dir)
{
    return QStringLiteral("place/") +
           QString::fromLatin1(
               QCryptographicHash::hash(dir.toUtf8(), QCryptographicHash::Sha256).toHex().left(16));
}

} // namespace

void MainWindow::restoreSession()
{
    QSettings& s = *m_settings;
    restoreGeometry(s.value(QStringLiteral("window/geometry")).toByteArray());
    restoreState(s.value(QStringLiteral("window/state")).toByteArray());
    for (QSplitter* splitter : {m_columns, m_rows, m_compare->splitter()}) {
        const QString name = splitter == m_columns ? QStringLiteral("window/columns")
                             : splitter == m_rows  ? QStringLiteral("window/rows")
                                                   : QStringLiteral("window/compare");
        if (s.contains(name))
            splitter->restoreState(s.value(name).toByteArray());
    }
    m_tabs->setCurrentIndex(
        std::clamp(s.value(QStringLiteral("window/tab"), 0).toInt(), 0, m_tabs->count() - 1));
    if (!s.value(QStringLiteral("window/guideline"), true).toBool() && m_rubric->isGuidelineShown())
        m_rubric->toggleGuideline();

    QStringList bundles = s.value(QStringLiteral("session/bundles")).toStringList();
    QString current = s.value(QStringLiteral("session/current")).toString();
    const bool firstStart = !s.contains(QStringLiteral("session/bundles"));
    if (firstStart && m_options.samplesOnFirstStart) {
        const QDir samples(resourceDir() + QStringLiteral("/samples"));
        for (const QFileInfo& info :
             samples.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
            if (QFileInfo::exists(info.absoluteFilePath() + QStringLiteral("/kbundle.json")))
                bundles.append(info.absoluteFilePath());
        }
        current = bundles.value(0);
    }
    if (bundles.isEmpty())
        return;
    if (!bundles.contains(current))
        current = bundles.first();
    openBundles({current});
    openBundles(bundles, false);
    // Queue order is the session's, not that of loading.
}

bool MainWindow::isFirstStart() const
{
    return !m_settings->contains(QStringLiteral("window/geometry"));
}

void MainWindow::saveSession()
{
    rememberPlace();
    QSettings& s = *m_settings;
    s.setValue(QStringLiteral("window/geometry"), saveGeometry());
    s.setValue(QStringLiteral("window/state"), saveState());
    s.setValue(QStringLiteral("window/columns"), m_columns->saveState());
    s.setValue(QStringLiteral("window/rows"), m_rows->saveState());
    s.setValue(QStringLiteral("window/compare"), m_compare->splitter()->saveState());
    s.setValue(QStringLiteral("window/tab"), m_tabs->currentIndex());
    s.setValue(QStringLiteral("window/guideline"), m_rubric->isGuidelineShown());
    s.setValue(QStringLiteral("session/bundles"), m_workspace->dirs());
    s.setValue(QStringLiteral("session/current"), m_current);
    s.sync();
}

void MainWindow::resetLayout()
{
    applyPreset(QStringLiteral("read"));
    m_compare->splitter()->setSizes({100, 100, 120});
    m_tabs->setCurrentIndex(RunsTab);
    if (!m_rubric->isGuidelineShown())
        m_rubric->toggleGuideline();
    tell(tr("The layout is as on the first start."));
}

void MainWindow::rememberPlace()
{
    const OpenBundle* bundle = m_workspace->find(m_current);
    if (!bundle || bundle->loading || bundle->error)
        return;
    const QString key = placeKey(m_current);
    QStringList lines;
    for (const auto column : {CompareView::Spec, CompareView::Reference, CompareView::Candidate}) {
        const CodePane* pane = m_compare->pane(column);
        lines.append(QStringLiteral("%1,%2,%3,%4")
                         .arg(pane->currentIndex())
                         .arg(pane->cursorLine())
                         .arg(pane->firstVisibleLine())
                         .arg(pane->isRendered() ? 1 : 0));
    }
    m_settings->setValue(key + QStringLiteral("/columns"), lines);
    m_settings->setValue(key + QStringLiteral("/criterion"), m_rubric->currentCriterion());
}

void MainWindow::restorePlace()
{
    const QString key = placeKey(m_current);
    const QStringList lines = m_settings->value(key + QStringLiteral("/columns")).toStringList();
    const bool locked = m_compare->isLocked();
    m_compare->setLocked(false);
    for (int i = 0; i < std::min<int>(3, int(lines.size())); ++i) {
        const QStringList parts = lines.at(i).split(QLatin1Char(','));
        CodePane* pane = m_compare->pane(CompareView::Column(i));
        if (parts.size() != 4 || pane->documents().isEmpty())
            continue;
        const int index = parts[0].toInt();
        if (index >= 0 && index < pane->documents().size())
            pane->setCurrentIndex(index);
        if (parts[3].toInt() == 0) {
            pane->setRendered(false);
            pane->setCursorLine(parts[1].toInt());
            pane->setFirstVisibleLine(parts[2].toInt());
        }
    }
    m_compare->setLocked(locked);
    m_rubric->setCurrentCriterion(m_settings->value(key + QStringLiteral("/criterion")).toString());
    candidateChosen();
}

} // namespace ridgeline
