// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/pass/record.h"
#include "core/review/review_store.h"
#include "widgets/code_pane.h"

#include <QFuture>
#include <QObject>
#include <map>
#include <memory>
#include <optional>

namespace ridgeline {

/// Everything the window knows of one bundle. Read by workers once, then owned by the UI thread.
struct OpenBundle {
    QString dir; ///< key; absolute, as the user named it, cleaned
    bool loading = true;
    std::optional<Error> error; ///< the bundle could not be loaded; the rest is empty
    QVector<Error> complaints;  ///< all that is wrong with it, when there is more than one thing
    Bundle bundle;
    QVector<CodeDocument> spec;
    QVector<CodeDocument> reference;
    QVector<CodeDocument> candidates; ///< id of the document = candidate id
    bool haveRun = false;
    RunRecord run;    ///< the newest one
    QString runError; ///< why the newest run could not be read
    std::unique_ptr<ReviewStore> review;
    QString reviewError;     ///< why there is none
    QVector<Rubric> rubrics; ///< all that can be chosen

    /// Findings of all candidates with the reviewer's decisions laid over them.
    QVector<Finding> findings() const;
};

/// The open bundles. Loading happens on worker threads; signals come on the UI thread.
class Workspace final : public QObject {
    Q_OBJECT
public:
    explicit Workspace(QObject* parent = nullptr);
    ~Workspace() override;

    void setReviewer(const QString& reviewer) { m_reviewer = reviewer; }
    QString reviewer() const { return m_reviewer; }

    /// Adds folders or manifests and starts loading them; one already open is only told again.
    void open(const QStringList& paths);
    /// Loads it again (its files changed, or it was broken).
    void reload(const QString& dir);
    /// Goes on with the reviewer's review under another rubric; the present one stays on disk.
    void setRubric(const QString& dir, const QString& rubricId);
    void close(const QString& dir);

    OpenBundle* find(const QString& dir);
    QStringList dirs() const { return m_order; }
    bool isLoading() const;
    /// Replaces the newest run of a bundle.
    void setRun(const QString& dir, const RunRecord& run);
    /// Folder a path stands for: the manifest's folder, absolute and clean.
    static QString keyFor(const QString& path);

Q_SIGNALS:
    void changed(const QString& dir); ///< state, run or review differ
    void loaded(const QString& dir);
    void removed(const QString& dir);

private:
    void load(const QString& dir, const QString& rubricId = {});
    /// Closes the review on a worker: it waits for the disk. Until then its lock is held.
    void closeReview(const QString& dir, OpenBundle& bundle);

    QString m_reviewer;
    QStringList m_order;
    std::map<QString, std::unique_ptr<OpenBundle>> m_bundles;
    std::map<QString, QFuture<void>> m_closing; ///< reviews being closed, the newest per bundle
    std::map<QString, quint64> m_tokens;        ///< a late answer to an older load is dropped
    quint64 m_nextToken = 1;
};

} // namespace ridgeline
