// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rubric/rubric.h"
#include "core/support/paths.h"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

using namespace ridgeline;

namespace {

Json smallRubric()
{
    return Json::parse(R"({
        "schema": "krubric/1", "id": "small", "version": "1", "title": "Small", "description": "d",
        "scale": {"min": 1, "max": 2, "labels": ["bad", "fine"]},
        "criteria": [{"id": "one", "title": "One", "guideline": "g", "weight": 2,
            "levels": [{"score": 1, "label": "bad", "text": "fails"},
                       {"score": 2, "label": "fine", "text": "works"}],
            "required_evidence": ["pass:compile", "source"], "applies_to": ["debug"],
            "justification_required_at": [1]}]})");
}

QStringList pointersOf(const QVector<Error>& problems)
{
    QStringList pointers;
    for (const Error& problem : problems) {
        pointers << problem.where.pointer;
    }
    return pointers;
}

} // namespace

class TestRubric : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyProblemHasFilePointerAndReason()
    {
        Json json = smallRubric();
        json["id"] = "Big Rubric";
        json.erase("version");
        json["criteria"][0]["weight"] = -1;
        json["criteria"][0]["levels"].erase(0);
        json["criteria"][0]["required_evidence"].push_back("pass:");
        json["criteria"][0]["applies_to"].push_back("paint");
        json["criteria"][0]["justification_required_at"].push_back(7);
        json["criteria"].push_back(json["criteria"][0]);
        const auto problems = validateRubric(json, QStringLiteral("x.json"));
        const QStringList pointers = pointersOf(problems);
        for (const char* expected : {"/id", "/version", "/criteria/0/weight", "/criteria/0/levels",
                                     "/criteria/0/required_evidence/2", "/criteria/0/applies_to/1",
                                     "/criteria/0/justification_required_at/1", "/criteria/1/id"})
            QVERIFY2(pointers.contains(QLatin1String(expected)), expected);
        for (const Error& problem : problems) {
            QCOMPARE(problem.where.file, QStringLiteral("x.json"));
            QVERIFY(!problem.message.isEmpty());
            QCOMPARE(problem.code, ErrorCode::BadSchema);
        }
    }

    void refusesWrongShapes_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("pointer");
        const auto row = [](const char* path, const char* value, const char* pointer = nullptr) {
            QTest::addRow("%s=%s", path, value)
                << QString::fromLatin1(path) << QString::fromUtf8(value)
                << QString::fromLatin1(pointer == nullptr ? path : pointer);
        };
        row("/schema", "\"krubric/2\"");
        row("/title", "7");
        row("/title", "\"  \"");
        row("/id", "\"../../etc\"");
        row("/id", "\"ok\\n\"", "/id");
        row("/scale", "null");
        row("/scale", "[]");
        row("/scale/min", "1.5");
        row("/scale/max", "1e300");
        row("/scale/max", "1", "/scale");
        row("/scale/max", "99999999999999999999", "/scale/max");
        row("/scale/min", "-3", "/scale");
        row("/scale/labels", "[\"a\"]");
        row("/scale/labels", "[\"a\", 3]", "/scale/labels/1");
        row("/criteria", "[]");
        row("/criteria", "{}");
        row("/criteria/0", "\"x\"");
        row("/criteria/0/levels", "null");
        row("/criteria/0/levels/0", "1");
        row("/criteria/0/levels/0/score", "9");
        row("/criteria/0/levels/1/score", "1");
        row("/criteria/0/levels/1/text", "\"fails\"");
        row("/criteria/0/weight", "\"1\"");
        row("/criteria/0/weight", "0");
        row("/criteria/0/required_evidence", "{}");
        row("/criteria/0/id", "\"One\"");
    }
    void refusesWrongShapes()
    {
        QFETCH(QString, path);
        QFETCH(QString, value);
        QFETCH(QString, pointer);
        Json json = smallRubric();
        json[Json::json_pointer(path.toStdString())] = Json::parse(value.toStdString());
        const auto problems = validateRubric(json, {});
        QVERIFY2(pointersOf(problems).contains(pointer),
                 qPrintable(pointersOf(problems).join(QLatin1Char(' '))));
        QVERIFY(!rubricFromJson(json, {}).ok());
    }

    void noDocumentIsAnAnswerToo()
    {
        for (const char* text : {"null", "[]", "3", "\"x\"", "{}"})
            QVERIFY(!validateRubric(Json::parse(text), {}).isEmpty());
        QVERIFY(!loadRubric(QStringLiteral("/nowhere/x.json")).ok());
    }

    void changedBytesNeverCrash()
    {
        const QByteArray good = toJsonBytes(smallRubric());
        QRandomGenerator random(20261201);
        int valid = 0;
        for (int round = 0; round < 4000; ++round) {
            QByteArray bytes = good;
            for (int i = 0; i < 1 + round % 4; ++i)
                bytes[random.bounded(int(bytes.size()))] = char(random.bounded(256));
            const auto json = parseJson(bytes, {});
            if (json && rubricFromJson(*json, {}).ok())
                ++valid;
        }
        QVERIFY(valid < 4000);
    }

    void validOneIsRead()
    {
        const auto rubric = rubricFromJson(smallRubric(), QStringLiteral("f"));
        QVERIFY(rubric.ok());
        const RubricCriterion* one = rubric->criterion(QStringLiteral("one"));
        QVERIFY(one != nullptr);
        QCOMPARE(one->weight, 2.0);
        QCOMPARE(one->level(2)->text, QStringLiteral("works"));
        QVERIFY(one->level(3) == nullptr);
        QVERIFY(one->appliesToTask(QStringLiteral("debug")));
        QVERIFY(!one->appliesToTask(QStringLiteral("fuse")));
        QVERIFY(rubric->criterion(QStringLiteral("two")) == nullptr);
    }

    void hashIgnoresLayoutOnly()
    {
        const Json json = smallRubric();
        Json reordered = Json::object();
        std::vector<std::string> keys;
        for (const auto& [key, value] : json.items())
            keys.push_back(key);
        for (auto it = keys.rbegin(); it != keys.rend(); ++it)
            reordered[*it] = json[*it];
        reordered["criteria"][0]["weight"] = 2.0;
        QCOMPARE(rubricFromJson(reordered, {})->hash, rubricFromJson(json, {})->hash);
        Json other = json;
        other["criteria"][0]["levels"][0]["text"] = "fails often";
        const auto changed = rubricFromJson(other, {});
        QVERIFY(changed->hash != rubricFromJson(json, {})->hash);
        QVERIFY(criterionHash(changed->criteria[0]) !=
                criterionHash(rubricFromJson(json, {})->criteria[0]));
        QCOMPARE(canonicalJson(Json::parse(R"({"b": [1.0, "x"], "a": null})")),
                 QByteArray(R"({"a":null,"b":[1,"x"]})"));
    }

    void aFolderWithABrokenFileStillLists()
    {
        QTemporaryDir dir;
        QVERIFY(
            writeFileAtomically(dir.filePath(QStringLiteral("a.json")), toJsonBytes(smallRubric()))
                .ok());
        QVERIFY(writeFileAtomically(dir.filePath(QStringLiteral("b.json")), "{").ok());
        const RubricList list = listRubrics(dir.path());
        QCOMPARE(list.rubrics.size(), 1);
        QCOMPARE(list.problems.size(), 1);
        QVERIFY(list.problems[0].where.file.endsWith(QStringLiteral("b.json")));
        QVERIFY(findRubric(QStringLiteral("small"), dir.path()).ok());
        const auto none = findRubric(QStringLiteral("big"), dir.path());
        QVERIFY(!none.ok());
        QVERIFY(none.error().hint.contains(QStringLiteral("small")));
    }

    void suitsIsCheckedAndSuggests()
    {
        Json json = smallRubric();
        json["suits"] = {{"task_types", {"paint"}}, {"languages", {"../nki"}}};
        const QStringList pointers = pointersOf(validateRubric(json, QStringLiteral("x")));
        QCOMPARE(pointers, (QStringList{QStringLiteral("/suits/task_types/0"),
                                        QStringLiteral("/suits/languages/0")}));
        json["suits"] = 3;
        QCOMPARE(pointersOf(validateRubric(json, QStringLiteral("x"))),
                 QStringList{QStringLiteral("/suits")});

        const auto make = [](const char* id, const Json& suits) {
            Json document = smallRubric();
            document["id"] = id;
            if (!suits.is_null())
                document["suits"] = suits;
            return *rubricFromJson(document, QStringLiteral("x"));
        };
        const QVector<Rubric> rubrics{
            make("any", {}), make("port", {{"task_types", {"migrate"}}}),
            make("nki", {{"languages", {"nki"}}}),
            make("nki-port", {{"languages", {"nki"}}, {"task_types", {"migrate"}}})};
        const QString migrate = QStringLiteral("migrate"), fuse = QStringLiteral("fuse");
        const QStringList cuda{QStringLiteral("cuda")}, nki{QStringLiteral("nki")};
        QCOMPARE(suggestedRubric(rubrics, fuse, cuda), QStringLiteral("any"));
        QCOMPARE(suggestedRubric(rubrics, migrate, cuda), QStringLiteral("port"));
        QCOMPARE(suggestedRubric(rubrics, fuse, nki), QStringLiteral("nki"));
        QCOMPARE(suggestedRubric(rubrics, migrate, cuda + nki), QStringLiteral("nki-port"));
        QCOMPARE(suggestedRubric({rubrics[3]}, fuse, nki), QString());
    }

    void generalRubricIsComplete()
    {
        const auto rubric =
            loadRubric(QStringLiteral(RIDGELINE_SOURCE_DIR "/rubrics/general-kernel-task.json"));
        QVERIFY2(rubric.ok(), rubric ? "" : qPrintable(rubric.error().toString()));
        QStringList ids;
        for (const RubricCriterion& c : rubric->criteria) {
            ids << c.id;
            QCOMPARE(c.levels.size(), 5);
            QVERIFY(c.guideline.size() > 600);
            for (const RubricLevel& level : c.levels)
                QVERIFY2(level.text.size() > 60, qPrintable(c.id));
            QVERIFY(c.justificationRequiredAt.contains(1) && c.justificationRequiredAt.contains(5));
            QVERIFY(!c.requiredEvidence.isEmpty());
        }
        const QStringList expected{QStringLiteral("spec_quality"),
                                   QStringLiteral("scope"),
                                   QStringLiteral("completeness"),
                                   QStringLiteral("compile_validity"),
                                   QStringLiteral("runtime_validity"),
                                   QStringLiteral("numerical_correctness"),
                                   QStringLiteral("tolerance_and_reference"),
                                   QStringLiteral("benchmark_fairness"),
                                   QStringLiteral("code_quality"),
                                   QStringLiteral("written_feedback")};
        QCOMPARE(ids, expected);
    }
};

QTEST_GUILESS_MAIN(TestRubric)
#include "tst_rubric.moc"
