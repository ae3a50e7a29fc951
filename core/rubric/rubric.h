// SPDX-License-Identifier: GPL-3.0-or-later
// Rubrics: what a reviewer scores, with the words for each level. krubric/1, one JSON file each.
#pragma once

#include "core/support/json.h"
#include "core/support/result.h"

#include <QString>
#include <QStringList>
#include <QVector>
#include <optional>

namespace ridgeline {

/// What a score means for one criterion, as something a second reviewer can observe.
struct RubricLevel {
    int score = 0;
    QString label; ///< one or two words, "Unproven"
    QString text;  ///< plain text, what one sees in a task of this level
    bool operator==(const RubricLevel&) const = default;
};

struct RubricCriterion {
    QString id; ///< [a-z][a-z0-9_]*, unique in its rubric
    QString title;
    QString guideline;           ///< Markdown for the reviewer
    double weight = 1;           ///< > 0; only ratios matter
    QVector<RubricLevel> levels; ///< one per score of the scale, ascending
    /// What a score must link to: "pass:NAME" (the pass, or a finding of it), "finding", "source",
    /// "artefact".
    QStringList requiredEvidence;
    QStringList appliesTo;                ///< task type names; empty = every task
    QVector<int> justificationRequiredAt; ///< scores that need a comment
    bool operator==(const RubricCriterion&) const = default;

    /// nullptr when the scale has no such score.
    const RubricLevel* level(int score) const;
    bool appliesToTask(const QString& taskType) const
    {
        return appliesTo.isEmpty() || taskType.isEmpty() || appliesTo.contains(taskType);
    }
};

struct RubricScale {
    int min = 1;
    int max = 5;
    QStringList labels; ///< one per score from min to max
    bool operator==(const RubricScale&) const = default;
};

/// A rubric. A value; `hash` pins it, so that a review says what its scores meant.
struct Rubric {
    QString id; ///< [a-z][a-z0-9-]*
    QString version;
    QString title;
    QString description; ///< Markdown
    RubricScale scale;
    QVector<RubricCriterion> criteria;
    QStringList suitsTasks; ///< task type names it was written for; empty = every one
    QStringList
        suitsLanguages; ///< candidate languages or dialects ("cuda", "nki"); empty = every one
    QString hash;       ///< SHA-256 of the canonical JSON of the whole document
    QString file;       ///< where it was read from; not part of its identity
    Json raw;           ///< the document as read

    bool isValid() const { return !id.isEmpty() && !criteria.isEmpty(); }
    const RubricCriterion* criterion(const QString& criterionId) const;
};

/// Sorted keys, no white space, whole numbers without a fraction: equal documents have equal bytes
/// whatever their layout.
QByteArray canonicalJson(const Json& json);

/// SHA-256 of one criterion's meaning; tells which criteria differ between two rubrics.
QString criterionHash(const RubricCriterion& criterion);

/// Every complaint about a document, each with file, JSON pointer and reason; empty = valid.
QVector<Error> validateRubric(const Json& json, const QString& file);

/// The first complaint of validateRubric, or the rubric.
Result<Rubric> rubricFromJson(const Json& json, const QString& file);

/// Reads one file of at most 4 MiB. Any thread.
Result<Rubric> loadRubric(const QString& path);

struct RubricList {
    QVector<Rubric> rubrics; ///< by title
    QVector<Error> problems; ///< files that are no valid rubric
};

/// All *.json of a folder; an empty name means the user's own, dataDir()/rubrics, and rubricDir(),
/// where the user's comes first when two have one id. Any thread.
RubricList listRubrics(const QString& folder = {});

/// The rubric of that id in a folder (empty name: as in listRubrics).
Result<Rubric> findRubric(const QString& id, const QString& folder = {});

/// Id of the rubric that says most exactly that it suits this task type and one of these
/// languages; among equals the first. Empty when none suits.
QString suggestedRubric(const QVector<Rubric>& rubrics, const QString& taskType,
                        const QStringList& languages);

} // namespace ridgeline
