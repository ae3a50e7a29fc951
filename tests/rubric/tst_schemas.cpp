// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON schemas of rubrics and runs say what the code and the files say.
#include "core/pass/record.h"
#include "core/rubric/rubric.h"
#include "core/support/paths.h"

#include <QDir>
#include <QtTest>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

using namespace ridgeline;

namespace {

const QString root = QStringLiteral(RIDGELINE_SOURCE_DIR);

nlohmann::json plain(const QString& file)
{
    auto bytes = readFile(root + QLatin1Char('/') + file);
    return bytes ? nlohmann::json::parse(bytes->begin(), bytes->end()) : nlohmann::json();
}

/// Empty = valid, else the first complaint.
QString complaint(const nlohmann::json& schemaJson, const nlohmann::json& document)
{
    valijson::Schema schema;
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schemaJson), schema);
    valijson::Validator validator;
    valijson::ValidationResults results;
    if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results))
        return {};
    valijson::ValidationResults::Error error;
    QString text = QStringLiteral("invalid");
    while (results.popError(error)) {
        text += QLatin1Char('\n');
        for (const auto& step : error.context)
            text += QString::fromStdString(step);
        text += QStringLiteral(": ") + QString::fromStdString(error.description);
    }
    return text;
}

} // namespace

class TestSchemas : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRubricObeysItsSchema()
    {
        const auto schema = plain(QStringLiteral("resources/schema/rubric-1.schema.json"));
        const auto files =
            QDir(root + QStringLiteral("/rubrics")).entryList({QStringLiteral("*.json")});
        QVERIFY(!files.isEmpty());
        for (const QString& file : files)
            QCOMPARE(complaint(schema, plain(QStringLiteral("rubrics/") + file)), QString());
    }

    void rubricSchemaRefusesWhatTheCodeRefuses_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        for (const auto& [path, value] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"/schema", "1"},
                 {"/id", "\"A b\""},
                 {"/criteria", "[]"},
                 {"/criteria/0/weight", "0"},
                 {"/criteria/0/levels/0/score", "\"1\""},
                 {"/criteria/0/required_evidence", "[\"pass\"]"},
                 {"/criteria/0/applies_to", "[\"paint\"]"}})
            QTest::newRow(path) << QString::fromLatin1(path) << QString::fromLatin1(value);
    }
    void rubricSchemaRefusesWhatTheCodeRefuses()
    {
        QFETCH(QString, path);
        QFETCH(QString, value);
        auto rubric = plain(QStringLiteral("rubrics/general-kernel-task.json"));
        rubric[nlohmann::json::json_pointer(path.toStdString())] =
            nlohmann::json::parse(value.toStdString());
        QVERIFY(!complaint(plain(QStringLiteral("resources/schema/rubric-1.schema.json")), rubric)
                     .isEmpty());
        QVERIFY(!validateRubric(Json::parse(rubric.dump()), {}).isEmpty());
    }

    void exampleRunObeysKresult()
    {
        const auto schema = plain(QStringLiteral("resources/schema/kresult-1.schema.json"));
        QCOMPARE(complaint(schema, plain(QStringLiteral("tests/data/softmax.kresult.json"))),
                 QString());
    }

    void whatRecordsWriteObeysKresult()
    {
        const QString file = root + QStringLiteral("/tests/data/softmax.kresult.json");
        const auto run = runFromJson(*readJsonFile(file), file);
        QVERIFY(run.ok());
        QCOMPARE(run->candidates.size(), 2);
        const auto written = nlohmann::json::parse(toJsonBytes(toJson(*run)).toStdString());
        QCOMPARE(
            complaint(plain(QStringLiteral("resources/schema/kresult-1.schema.json")), written),
            QString());
    }

    void kresultRefuses_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        const char* roofline = "/candidates/0/passes/5/result/points/0/timing_kind";
        for (const auto& [path, value] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"/schema", "\"kresult/2\""},
                 {"/candidates/0/verdict", "\"maybe\""},
                 {"/candidates/0/passes/3/state", "\"done\""},
                 {"/candidates/0/passes/3/result/cases/0/outputs/0/rule/method", "\"close\""},
                 {"/candidates/0/passes/1/artefacts/0/path", "\"/etc/passwd\""},
                 {"/candidates/0/passes/1/artefacts/0/path", "\"a/../../b\""},
                 {"/candidates/0/passes/4/result/timing_kind", "\"gpu\""},
                 {"/candidates/1/findings/0/severity", "\"fatal\""},
                 {roofline, "\"guess\""}})
            QTest::addRow("%s=%s", path, value)
                << QString::fromLatin1(path) << QString::fromLatin1(value);
    }
    void kresultRefuses()
    {
        QFETCH(QString, path);
        QFETCH(QString, value);
        auto run = plain(QStringLiteral("tests/data/softmax.kresult.json"));
        run[nlohmann::json::json_pointer(path.toStdString())] =
            nlohmann::json::parse(value.toStdString());
        QVERIFY(!complaint(plain(QStringLiteral("resources/schema/kresult-1.schema.json")), run)
                     .isEmpty());
    }

    void kresultNeverPlotsEmulatedTime()
    {
        auto run = plain(QStringLiteral("tests/data/softmax.kresult.json"));
        auto& point = run["candidates"][0]["passes"][5]["result"]["points"][0];
        point["timing_kind"] = "emulated";
        const auto schema = plain(QStringLiteral("resources/schema/kresult-1.schema.json"));
        QCOMPARE(complaint(schema, run), QString());
        point["time_ns"] = 12345;
        QVERIFY(!complaint(schema, run).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestSchemas)
#include "tst_schemas.moc"
