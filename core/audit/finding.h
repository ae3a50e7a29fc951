// SPDX-License-Identifier: GPL-3.0-or-later
// A finding: one fact about a candidate, with evidence, that a person confirms or dismisses.
#pragma once

#include "core/support/json.h"

#include <QString>
#include <QVector>
#include <optional>

namespace ridgeline {

enum class Severity { Info, Low, Medium, High };
enum class FindingState { Open, Confirmed, Dismissed };

/// Verdict words of the failure catalogue. None: the finding only informs.
enum class VerdictWord {
    None,
    Hack,
    Shortcut,
    Wrong,
    Unproven,
    Unfair,
    Build,
    Run,
    Env,
    Task,
    Port
};

/// A range of a bundle file, one-based and inclusive, with the hash of its text (hashOfLines).
struct SourceRange {
    QString file; ///< relative to the bundle
    int firstLine = 0;
    int lastLine = 0;
    QString sha256;
    bool operator==(const SourceRange&) const = default;
};

/// What backs a finding. kind decides which members are set.
struct Evidence {
    QString kind; ///< number, source, log, artefact, reproduce
    QString text; ///< one line for people, e.g. "max abs error 0.93 > atol 1e-5"
    std::optional<double> value;
    QString rule; ///< the rule the number broke
    std::optional<SourceRange> source;
    QString artefact; ///< path relative to the run's artefact folder
    bool operator==(const Evidence&) const = default;
};

struct Finding {
    QString id;   ///< unique in a run: "<candidate>/<pass>/<code>/<n>"
    QString code; ///< failure-catalogue id (A06, B15 …) or RL-… for our own
    Severity severity = Severity::Info;
    QString title;
    QString explanation;
    QVector<Evidence> evidence;
    QString pass;
    QString candidate;
    std::optional<SourceRange> location;
    QString suggestedCriterion; ///< rubric criterion id
    VerdictWord suggestedVerdict = VerdictWord::None;
    FindingState state = FindingState::Open;
    QString reason; ///< why it was dismissed or confirmed
    bool operator==(const Finding&) const = default;
};

/// Lines without their ends (LF or CRLF); a final line end does not start a further line.
QVector<QByteArray> linesOf(const QByteArray& text);

/// SHA-256 of lines first..last (one-based, inclusive) of a file, each ended by "\n" whatever the
/// file's own line ends are. Empty when the range is not inside the file.
QString hashOfLines(const QByteArray& fileText, int firstLine, int lastLine);

QString severityName(Severity severity);      ///< info, low, medium, high
QString verdictWordName(VerdictWord word);    ///< HACK … PORT; empty for None
QString findingStateName(FindingState state); ///< open, confirmed, dismissed

Json toJson(const Finding& finding);
/// Unknown words become the default; never throws.
Finding findingFromJson(const Json& json);

} // namespace ridgeline
