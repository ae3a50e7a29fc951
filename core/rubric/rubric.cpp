// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rubric/rubric.h"

#include "core/support/paths.h"

#include <QDir>
#include <algorithm>
#include <cmath>

namespace ridgeline {

namespace {

constexpr qint64 maxRubricBytes = 4 * 1024 * 1024;

nlohmann::json sortedKeys(const Json& json)
{
    if (json.is_object()) {
        nlohmann::json object = nlohmann::json::object();
        for (const auto& [key, value] : json.items())
            object[key] = sortedKeys(value);
        return object;
    }
    if (json.is_array()) {
        nlohmann::json array = nlohmann::json::array();
        for (const Json& item : json)
            array.push_back(sortedKeys(item));
        return array;
    }
    if (json.is_number_float()) {
        const double value = json.get<double>();
        constexpr double exactIntegers = 9007199254740992.0;
        if (std::floor(value) == value && std::abs(value) < exactIntegers)
            return qint64(value);
        return value;
    }
    if (json.is_number_unsigned())
        return json.get<std::uint64_t>();
    if (json.is_number_integer())
        return json.get<std::int64_t>();
    if (json.is_string())
        return json.get<std::string>();
    if (json.is_boolean())
        return json.get<bool>();
    return nullptr;
}

RubricCriterion criterionFromJson(const Json& json)
{
    RubricCriterion criterion;
    criterion.id = jsonString(json, "id");
    criterion.title = jsonString(json, "title");
    criterion.guideline = jsonString(json, "guideline");
    criterion.weight = jsonNumber(json, "weight", 1);
    for (const Json& level : jsonMember(json, "levels"))
        criterion.levels.push_back(
            {int(jsonInt(level, "score")), jsonString(level, "label"), jsonString(level, "text")});
    std::sort(criterion.levels.begin(), criterion.levels.end(),
              [](const RubricLevel& a, const RubricLevel& b) { return a.score < b.score; });
    criterion.requiredEvidence = jsonStrings(json, "required_evidence");
    criterion.appliesTo = jsonStrings(json, "applies_to");
    for (const Json& score : jsonMember(json, "justification_required_at")) {
        if (score.is_number_integer())
            criterion.justificationRequiredAt.push_back(score.get<int>());
    }
    return criterion;
}

} // namespace

const RubricLevel* RubricCriterion::level(int score) const
{
    const auto it = std::find_if(levels.begin(), levels.end(),
                                 [score](const RubricLevel& l) { return l.score == score; });
    return it == levels.end() ? nullptr : &*it;
}

const RubricCriterion* Rubric::criterion(const QString& criterionId) const
{
    const auto it = std::find_if(criteria.begin(), criteria.end(),
                                 [&](const RubricCriterion& c) { return c.id == criterionId; });
    return it == criteria.end() ? nullptr : &*it;
}

QByteArray canonicalJson(const Json& json)
{
    const std::string text =
        sortedKeys(json).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return QByteArray(text.data(), qsizetype(text.size()));
}

QString criterionHash(const RubricCriterion& criterion)
{
    Json levels = Json::array();
    for (const RubricLevel& level : criterion.levels)
        levels.push_back(
            {{"score", level.score}, {"label", sstr(level.label)}, {"text", sstr(level.text)}});
    const Json meaning{{"id", sstr(criterion.id)},
                       {"title", sstr(criterion.title)},
                       {"guideline", sstr(criterion.guideline)},
                       {"levels", std::move(levels)}};
    return sha256Hex(canonicalJson(meaning));
}

Result<Rubric> rubricFromJson(const Json& json, const QString& file)
{
    const QVector<Error> problems = validateRubric(json, file);
    if (!problems.isEmpty())
        return problems.first();
    Rubric rubric;
    rubric.id = jsonString(json, "id");
    rubric.version = jsonString(json, "version");
    rubric.title = jsonString(json, "title");
    rubric.description = jsonString(json, "description");
    const Json& scale = jsonMember(json, "scale");
    rubric.scale.min = int(jsonInt(scale, "min"));
    rubric.scale.max = int(jsonInt(scale, "max"));
    rubric.scale.labels = jsonStrings(scale, "labels");
    for (const Json& criterion : jsonMember(json, "criteria"))
        rubric.criteria.push_back(criterionFromJson(criterion));
    const Json& suits = jsonMember(json, "suits");
    rubric.suitsTasks = jsonStrings(suits, "task_types");
    rubric.suitsLanguages = jsonStrings(suits, "languages");
    rubric.hash = sha256Hex(canonicalJson(json));
    rubric.file = file;
    rubric.raw = json;
    return rubric;
}

Result<Rubric> loadRubric(const QString& path)
{
    auto json = readJsonFile(path, {maxRubricBytes, 32});
    if (!json)
        return json.error();
    return rubricFromJson(*json, path);
}

RubricList listRubrics(const QString& folder)
{
    QStringList folders{folder};
    if (folder.isEmpty())
        folders = {dataDir() + QStringLiteral("/rubrics"), rubricDir()};
    RubricList list;
    QStringList taken;
    for (const QString& path : std::as_const(folders)) {
        const QDir dir(path);
        const QStringList names =
            dir.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name);
        for (const QString& name : names) {
            auto rubric = loadRubric(dir.filePath(name));
            if (!rubric) {
                list.problems.push_back(rubric.error());
            } else if (folder.isEmpty() && taken.contains(rubric->id)) {
                continue; // hidden by the user's own, or by a file that sorts before it
            } else {
                taken << rubric->id;
                list.rubrics.push_back(std::move(*rubric));
            }
        }
    }
    std::stable_sort(list.rubrics.begin(), list.rubrics.end(),
                     [](const Rubric& a, const Rubric& b) { return a.title < b.title; });
    return list;
}

Result<Rubric> findRubric(const QString& id, const QString& folder)
{
    const RubricList list = listRubrics(folder);
    for (const Rubric& rubric : list.rubrics) {
        if (rubric.id == id)
            return rubric;
    }
    QStringList known;
    for (const Rubric& rubric : list.rubrics)
        known << rubric.id;
    return Error{ErrorCode::NotFound,
                 QStringLiteral("there is no rubric \"%1\"").arg(id.left(80)),
                 {folder.isEmpty() ? rubricDir() : folder},
                 known.isEmpty()
                     ? QStringLiteral("the folder holds no valid rubric")
                     : QStringLiteral("known: %1").arg(known.join(QStringLiteral(", ")))};
}

QString suggestedRubric(const QVector<Rubric>& rubrics, const QString& taskType,
                        const QStringList& languages)
{
    QString best;
    int bestRank = -1;
    for (const Rubric& rubric : rubrics) {
        const bool language =
            std::any_of(languages.begin(), languages.end(),
                        [&](const QString& word) { return rubric.suitsLanguages.contains(word); });
        const bool task = rubric.suitsTasks.contains(taskType);
        if ((!rubric.suitsLanguages.isEmpty() && !language) ||
            (!rubric.suitsTasks.isEmpty() && !task))
            continue;
        const int rank = (language ? 2 : 0) + (task ? 1 : 0);
        if (rank > bestRank) {
            best = rubric.id;
            bestRank = rank;
        }
    }
    return best;
}

} // namespace ridgeline
