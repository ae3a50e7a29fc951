// SPDX-License-Identifier: GPL-3.0-or-later
// What one reviewer says about one bundle: scores, comments, decisions, verdict. Values only; the
// journal that keeps them is review_store.h.
#pragma once

#include "core/audit/finding.h"
#include "core/pass/record.h"
#include "core/rubric/rubric.h"

#include <QDateTime>
#include <QMap>
#include <QString>
#include <QVector>
#include <optional>

namespace ridgeline {

/// What a pinned criterion was when it was scored.
struct CriterionPin {
    QString id;
    QString title;
    double weight = 1;
    QString hash; ///< criterionHash
    bool operator==(const CriterionPin&) const = default;
};

/// The rubric a review was made with, in enough detail to say what changed since.
struct RubricPin {
    QString id;
    QString version;
    QString hash;
    int scaleMin = 1;
    int scaleMax = 5;
    QVector<CriterionPin> criteria;
    bool operator==(const RubricPin&) const = default;
};

RubricPin pinOf(const Rubric& rubric);

/// What a score rests on.
struct EvidenceLink {
    QString kind; ///< finding, pass, artefact, source
    QString ref;  ///< finding id, "candidate/pass", artefact path; empty for source
    std::optional<SourceRange> source;
    QString text; ///< one line for people
    bool operator==(const EvidenceLink&) const = default;
};

struct CriterionScore {
    std::optional<int> score;   ///< on the rubric's scale
    bool notApplicable = false; ///< set by the reviewer; leaves the total
    QString comment;
    QVector<EvidenceLink> evidence;
    bool operator==(const CriterionScore&) const = default;
};

struct FindingDecision {
    FindingState state = FindingState::Open;
    QString reason;
    bool operator==(const FindingDecision&) const = default;
};

/// A comment on lines of a bundle file. The hashes let it follow the text (anchor.h).
struct AnchoredComment {
    QString id; ///< unique in its review
    SourceRange range;
    QString before; ///< SHA-256 of the up to three lines above
    QString after;  ///< SHA-256 of the up to three lines below
    QString quote;  ///< the lines themselves, at most 2,000 characters, to show when orphaned
    QString text;
    QString criterion; ///< criterion id; may be empty
    bool operator==(const AnchoredComment&) const = default;
};

enum class ReviewVerdict { Undecided, Accept, Revise, Reject };
QString reviewVerdictName(ReviewVerdict verdict);         ///< undecided, accept, revise, reject
ReviewVerdict reviewVerdictFromName(const QString& name); ///< unknown names are Undecided

struct Review {
    QString bundle; ///< bundle id
    QString reviewer;
    RubricPin rubric;
    QMap<QString, CriterionScore> scores;     ///< by criterion id
    QMap<QString, FindingDecision> decisions; ///< by finding id
    QVector<AnchoredComment> comments;
    ReviewVerdict verdict = ReviewVerdict::Undecided;
    VerdictWord word = VerdictWord::None;
    QString summary;     ///< for the author of the task
    qint64 activeMs = 0; ///< time the reviewer worked, as the window counted it
    QDateTime started;   ///< UTC
    QDateTime changed;   ///< UTC
    bool operator==(const Review&) const = default;
};

/// kreview/1.
Json toJson(const Review& review);
/// Unknown words become defaults; wrong types are left out. Errors only when it is no kreview/1.
Result<Review> reviewFromJson(const Json& json, const QString& file);

Json toJson(const EvidenceLink& link);
EvidenceLink evidenceLinkFromJson(const Json& json);
Json toJson(const AnchoredComment& comment);
AnchoredComment anchoredCommentFromJson(const Json& json);
Json toJson(const RubricPin& pin);
RubricPin rubricPinFromJson(const Json& json);

/// Evidence a criterion asks for and its score does not link to.
struct EvidenceGap {
    QString criterion;
    QString required; ///< "pass:compile", "source" …
    bool operator==(const EvidenceGap&) const = default;
};

/// Where a review stands against its rubric.
struct ReviewStanding {
    /// Weighted mean of the scores given, on the rubric's scale; absent when nothing is scored.
    /// Criteria without a score and those not applicable are left out, never counted as zero.
    std::optional<double> total;
    double scoredWeight = 0;
    double applicableWeight = 0;
    QStringList missing;       ///< criteria that apply and have no score, rubric order
    QStringList notApplicable; ///< by task type or by the reviewer's word
    QVector<EvidenceGap> evidenceGaps;
    QStringList unjustified; ///< scored where a comment is required, and there is none
    bool complete() const
    {
        return missing.isEmpty() && evidenceGaps.isEmpty() && unjustified.isEmpty();
    }
};

/// `taskType` as in the bundle ("generate" …); empty = every criterion applies. `findings` tell
/// which pass a linked finding came from.
ReviewStanding standingOf(const Review& review, const Rubric& rubric, const QString& taskType,
                          const QVector<Finding>& findings = {});

/// What differs between the rubric a review is pinned to and the one at hand; one line each,
/// empty = same hash.
QStringList rubricChanges(const RubricPin& pinned, const Rubric& now);

/// The review pinned to `now`: scores of criteria with the same id stay (a score off the new scale
/// becomes "not scored", its comment stays); scores of criteria that are gone stay in the value but
/// count for nothing. `notes` gets one line per thing a person should look at.
Review migrated(const Review& review, const Rubric& now, QStringList* notes);

} // namespace ridgeline
