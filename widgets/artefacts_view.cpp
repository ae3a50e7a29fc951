// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/artefacts_view.h"

#include "core/support/paths.h"
#include "widgets/code_pane.h"
#include "widgets/lexers.h"

#include <QFutureWatcher>
#include <QListWidget>
#include <QSplitter>
#include <QVBoxLayout>
#include <QtConcurrentRun>

namespace ridgeline {

namespace {

constexpr qint64 maxShownBytes = 4 * 1024 * 1024;

/// Reads an artefact; its path comes from a file, so it may not leave the run's folder.
CodeDocument readArtefact(const QString& folder, const QString& path, const QString& title,
                          const QString& media)
{
    CodeDocument document;
    document.id = path;
    document.path = path;
    document.title = title;
    document.language =
        media == QLatin1String("text/x-ptx") ? QStringLiteral("ptx") : languageOfFile(path);
    const auto file = resolveInside(folder, path);
    if (!file) {
        document.error = file.error().toString();
        return document;
    }
    const auto bytes = readFile(*file, maxShownBytes);
    if (!bytes)
        document.error = bytes.error().toString();
    else if (bytes->left(4096).contains('\0'))
        document.error =
            QObject::tr("This is no text file (%1 bytes): %2").arg(bytes->size()).arg(*file);
    else
        document.text = QString::fromUtf8(*bytes);
    return document;
}

} // namespace

ArtefactsView::ArtefactsView(QWidget* parent)
    : QWidget(parent), m_list(new QListWidget(this)), m_pane(new CodePane(tr("Artefact"), this))
{
    m_list->setAccessibleName(tr("Artefacts and logs"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setObjectName(QStringLiteral("ArtefactsSplitter"));
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_list);
    splitter->addWidget(m_pane);
    splitter->setSizes({260, 800});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(splitter);
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0 && row < m_shown.size())
            load(m_shown.at(row));
    });
    setRun({});
}

void ArtefactsView::setRun(const RunRecord& run)
{
    m_run = run;
    m_entries.clear();
    for (const CandidateRun& candidate : run.candidates) {
        for (const PassRecord& pass : candidate.passes) {
            for (const Artefact& artefact : pass.artefacts)
                m_entries.append(
                    {candidate.id, pass.pass, artefact.name, artefact.path, artefact.media});
            if (!pass.log.isEmpty())
                m_entries.append(
                    {candidate.id, pass.pass, tr("log"), pass.log, QStringLiteral("text/plain")});
        }
    }
    refill();
}

void ArtefactsView::setCandidate(const QString& candidate)
{
    if (candidate == m_candidate)
        return;
    m_candidate = candidate;
    refill();
}

void ArtefactsView::refill()
{
    const int row = m_list->currentRow();
    const QString before =
        row >= 0 && row < m_shown.size() ? m_shown.at(row).pass + m_shown.at(row).name : QString();
    m_shown.clear();
    m_list->clear();
    ++m_token;
    int again = -1;
    for (const Entry& entry : std::as_const(m_entries)) {
        if (!m_candidate.isEmpty() && entry.candidate != m_candidate)
            continue;
        if (entry.pass + entry.name == before)
            again = int(m_shown.size());
        m_shown.append(entry);
        auto* item = new QListWidgetItem(QStringLiteral("%1 – %2").arg(entry.pass, entry.name));
        item->setToolTip(entry.path.toHtmlEscaped());
        m_list->addItem(item);
    }
    m_pane->setDocuments({});
    if (m_entries.isEmpty())
        m_pane->setEmptyText(tr("No artefacts yet"),
                             tr("Passes leave PTX, compiler output and logs here. F5 runs them."));
    else
        m_pane->setEmptyText(tr("Nothing chosen"), tr("Choose an artefact or a log on the left."));
    if (!m_shown.isEmpty())
        m_list->setCurrentRow(std::max(0, again));
}

bool ArtefactsView::showPath(const QString& path)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < m_shown.size(); ++i) {
            if (m_shown.at(i).path == path) {
                m_list->setCurrentRow(i);
                return true;
            }
        }
        // Perhaps it is another candidate's.
        for (const Entry& entry : std::as_const(m_entries)) {
            if (entry.path == path)
                setCandidate(entry.candidate);
        }
    }
    return false;
}

void ArtefactsView::load(const Entry& entry)
{
    const quint64 token = ++m_token;
    auto* watcher = new QFutureWatcher<CodeDocument>(this);
    connect(watcher, &QFutureWatcher<CodeDocument>::finished, this, [this, watcher, token] {
        watcher->deleteLater();
        if (token == m_token)
            m_pane->setDocuments({watcher->result()});
    });
    watcher->setFuture(
        QtConcurrent::run(readArtefact, m_run.artefactDir, entry.path, entry.name, entry.media));
}

} // namespace ridgeline
