// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of krubric/1. resources/schema/rubric-1.schema.json says those a schema can say.
#include "core/rubric/rubric.h"

#include <QRegularExpression>
#include <QSet>
#include <cmath>

namespace ridgeline {

namespace {

constexpr int maxCriteria = 100;
constexpr int maxScaleSteps = 11;

class Checker {
public:
    explicit Checker(QString file) : m_file(std::move(file)) {}

    QVector<Error> problems;

    void complain(const QString& pointer, const QString& message, const QString& hint = {})
    {
        problems.push_back({ErrorCode::BadSchema, message, {m_file, 0, 0, pointer}, hint});
    }

    /// The string at `key`; complains when it is missing, blank or no string.
    QString text(const Json& object, const QString& at, const char* key)
    {
        const QString pointer = at + QLatin1Char('/') + QLatin1String(key);
        const Json& value = jsonMember(object, key);
        if (!value.is_string()) {
            complain(pointer, value.is_null() ? QStringLiteral("is missing")
                                              : QStringLiteral("must be a string"));
            return {};
        }
        const QString found = qstr(value.get_ref<const std::string&>());
        if (found.trimmed().isEmpty())
            complain(pointer, QStringLiteral("must not be empty"));
        return found;
    }

    std::optional<int> integer(const Json& object, const QString& at, const char* key)
    {
        const Json& value = jsonMember(object, key);
        if (!value.is_number_integer()) {
            complain(at + QLatin1Char('/') + QLatin1String(key),
                     value.is_null() ? QStringLiteral("is missing")
                                     : QStringLiteral("must be a whole number"));
            return std::nullopt;
        }
        constexpr qint64 outOfEveryScale = 1'000'000;
        return int(std::clamp<qint64>(jsonInt(object, key, outOfEveryScale), -outOfEveryScale,
                                      outOfEveryScale));
    }

    /// The array at `key`; complains when it is missing (unless optional) or no array.
    const Json& list(const Json& object, const QString& at, const char* key, bool required)
    {
        static const Json empty = Json::array();
        const Json& value = jsonMember(object, key);
        if (value.is_array())
            return value;
        if (required || !value.is_null())
            complain(at + QLatin1Char('/') + QLatin1String(key),
                     value.is_null() ? QStringLiteral("is missing")
                                     : QStringLiteral("must be an array"));
        return empty;
    }

    void scale(const Json& document)
    {
        const Json& scale = jsonMember(document, "scale");
        const QString at = QStringLiteral("/scale");
        if (!scale.is_object()) {
            complain(at, scale.is_null() ? QStringLiteral("is missing")
                                         : QStringLiteral("must be an object"));
            return;
        }
        m_min = integer(scale, at, "min");
        m_max = integer(scale, at, "max");
        if (m_min && m_max) {
            const int steps = *m_max - *m_min + 1;
            if (*m_min < 0 || steps < 2 || steps > maxScaleSteps) {
                complain(at, QStringLiteral("runs from %1 to %2").arg(*m_min).arg(*m_max),
                         QStringLiteral("use 2 to %1 scores, none negative").arg(maxScaleSteps));
                m_min = m_max = std::nullopt;
                return;
            }
        }
        const Json& labels = list(scale, at, "labels", true);
        if (labels.is_array() && m_min && m_max && !labels.empty() &&
            int(labels.size()) != *m_max - *m_min + 1)
            complain(at + QStringLiteral("/labels"), QStringLiteral("has %1 labels for %2 scores")
                                                         .arg(labels.size())
                                                         .arg(*m_max - *m_min + 1));
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (!labels[i].is_string() || labels[i].get_ref<const std::string&>().empty())
                complain(QStringLiteral("/scale/labels/%1").arg(i),
                         QStringLiteral("must be a string that is not empty"));
        }
    }

    void levels(const Json& criterion, const QString& at)
    {
        const Json& levels = list(criterion, at, "levels", true);
        QSet<int> seen;
        QSet<QString> texts;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const QString here = QStringLiteral("%1/levels/%2").arg(at).arg(i);
            if (!levels[i].is_object()) {
                complain(here, QStringLiteral("must be an object"));
                continue;
            }
            text(levels[i], here, "label");
            const QString words = text(levels[i], here, "text");
            if (!words.isEmpty() && texts.contains(words))
                complain(here + QStringLiteral("/text"),
                         QStringLiteral("is the text of another level too"),
                         QStringLiteral("say what tells the levels apart"));
            texts.insert(words);
            const auto score = integer(levels[i], here, "score");
            if (!score)
                continue;
            if (m_min && m_max && (*score < *m_min || *score > *m_max))
                complain(here + QStringLiteral("/score"),
                         QStringLiteral("%1 is not on the scale").arg(*score));
            else if (seen.contains(*score))
                complain(here + QStringLiteral("/score"),
                         QStringLiteral("%1 occurs twice").arg(*score));
            seen.insert(*score);
        }
        if (!m_min || !m_max || !levels.is_array())
            return;
        for (int score = *m_min; score <= *m_max; ++score) {
            if (!seen.contains(score))
                complain(at + QStringLiteral("/levels"),
                         QStringLiteral("has no level for the score %1").arg(score),
                         QStringLiteral("describe every score of the scale"));
        }
    }

    void words(const Json& criterion, const QString& at, const char* key,
               const QRegularExpression& allowed, const QString& hint)
    {
        const Json& items = list(criterion, at, key, false);
        QSet<QString> seen;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const QString here = QStringLiteral("%1/%2/%3").arg(at, QLatin1String(key)).arg(i);
            const QString word =
                items[i].is_string() ? qstr(items[i].get_ref<const std::string&>()) : QString();
            if (!allowed.match(word).hasMatch())
                complain(here, QStringLiteral("\"%1\" is not known").arg(word.left(80)), hint);
            else if (seen.contains(word))
                complain(here, QStringLiteral("\"%1\" occurs twice").arg(word));
            seen.insert(word);
        }
    }

    void taskTypes(const Json& object, const QString& at, const char* key)
    {
        static const QRegularExpression known(
            QStringLiteral("\\A(generate|translate|migrate|debug|optimize|fuse)\\z"));
        words(object, at, key, known,
              QStringLiteral("use generate, translate, migrate, debug, optimize, fuse"));
    }

    void criterion(const Json& criterion, const QString& at)
    {
        if (!criterion.is_object()) {
            complain(at, QStringLiteral("must be an object"));
            return;
        }
        static const QRegularExpression idRule(QStringLiteral("\\A[a-z][a-z0-9_]{0,63}\\z"));
        static const QRegularExpression evidence(
            QStringLiteral("\\A(finding|source|artefact|pass:[a-z][a-z-]*)\\z"));
        const QString id = text(criterion, at, "id");
        if (!id.isEmpty() && !idRule.match(id).hasMatch())
            complain(at + QStringLiteral("/id"),
                     QStringLiteral("\"%1\" is no criterion id").arg(id.left(80)),
                     QStringLiteral("lower-case letters, digits and _, letter first, at most 64"));
        if (m_ids.contains(id))
            complain(at + QStringLiteral("/id"), QStringLiteral("\"%1\" occurs twice").arg(id));
        if (!id.isEmpty())
            m_ids.insert(id);
        text(criterion, at, "title");
        text(criterion, at, "guideline");
        const Json& weight = jsonMember(criterion, "weight");
        if (!weight.is_number() || !std::isfinite(weight.get<double>()) ||
            weight.get<double>() <= 0 || weight.get<double>() > 1000)
            complain(at + QStringLiteral("/weight"),
                     weight.is_null() ? QStringLiteral("is missing")
                                      : QStringLiteral("must be a number over 0, at most 1000"));
        levels(criterion, at);
        words(criterion, at, "required_evidence", evidence,
              QStringLiteral("use finding, source, artefact or pass:NAME"));
        taskTypes(criterion, at, "applies_to");
        const Json& justify = list(criterion, at, "justification_required_at", false);
        for (std::size_t i = 0; i < justify.size(); ++i) {
            const bool whole = justify[i].is_number_integer();
            const double score = whole ? justify[i].get<double>() : -1;
            if (!whole || (m_min && m_max && (score < *m_min || score > *m_max)))
                complain(QStringLiteral("%1/justification_required_at/%2").arg(at).arg(i),
                         QStringLiteral("must be a score of the scale"));
        }
    }

    void suits(const Json& document)
    {
        const Json& suits = jsonMember(document, "suits");
        if (suits.is_null())
            return;
        const QString at = QStringLiteral("/suits");
        if (!suits.is_object()) {
            complain(at, QStringLiteral("must be an object"));
            return;
        }
        taskTypes(suits, at, "task_types");
        static const QRegularExpression language(QStringLiteral("\\A[a-z][a-z0-9_+-]{0,31}\\z"));
        words(suits, at, "languages", language,
              QStringLiteral("a candidate's language or dialect, such as cuda, triton, nki"));
    }

private:
    QString m_file;
    std::optional<int> m_min;
    std::optional<int> m_max;
    QSet<QString> m_ids;
};

} // namespace

QVector<Error> validateRubric(const Json& json, const QString& file)
{
    Checker checker(file);
    if (!json.is_object()) {
        checker.complain({}, QStringLiteral("a rubric must be a JSON object"));
        return checker.problems;
    }
    if (jsonString(json, "schema") != QLatin1String("krubric/1"))
        checker.complain(QStringLiteral("/schema"), QStringLiteral("must be \"krubric/1\""));
    static const QRegularExpression idRule(QStringLiteral("\\A[a-z][a-z0-9-]{0,63}\\z"));
    const QString id = checker.text(json, {}, "id");
    if (!id.isEmpty() && !idRule.match(id).hasMatch())
        checker.complain(QStringLiteral("/id"),
                         QStringLiteral("\"%1\" is no rubric id").arg(id.left(80)),
                         QStringLiteral("lower-case letters, digits and -, letter first, at most "
                                        "64: it becomes part of file names"));
    checker.text(json, {}, "version");
    checker.text(json, {}, "title");
    checker.text(json, {}, "description");
    checker.scale(json);
    checker.suits(json);
    const Json& criteria = checker.list(json, {}, "criteria", true);
    if (criteria.empty() && jsonMember(json, "criteria").is_array())
        checker.complain(QStringLiteral("/criteria"), QStringLiteral("must not be empty"));
    if (int(criteria.size()) > maxCriteria) {
        checker.complain(
            QStringLiteral("/criteria"),
            QStringLiteral("has %1 entries, more than %2").arg(criteria.size()).arg(maxCriteria));
        return checker.problems;
    }
    for (std::size_t i = 0; i < criteria.size(); ++i)
        checker.criterion(criteria[i], QStringLiteral("/criteria/%1").arg(i));
    return checker.problems;
}

} // namespace ridgeline
