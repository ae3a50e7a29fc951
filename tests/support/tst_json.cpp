// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/json.h"

#include <QRandomGenerator>
#include <QTest>

using namespace ridgeline;

namespace {

const QString file = QStringLiteral("x.json");

Error errorOf(const QByteArray& text, const JsonLimits& limits = {})
{
    const auto result = parseJson(text, file, limits);
    return result ? Error{} : result.error();
}

} // namespace

class TestJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const QByteArray& text, int line, const char* says) {
            QTest::newRow(name) << text << line << QString::fromLatin1(says);
        };
        row("empty", "", 1, "unexpected end");
        row("blank", " \n ", 2, "unexpected end");
        row("trailing text", "{} x", 1, "");
        row("two documents", "{}\n{}", 2, "");
        row("trailing comma", "[1,\n2,\n]", 3, "");
        row("comment", "{} // no", 1, "");
        row("single quotes", "{'a': 1}", 1, "");
        row("unclosed", "{\"a\": [1, 2", 1, "");
        row("unclosed text", "{\"a\": \"b", 1, "");
        row("raw newline in a text", "\"a\nb\"", 1, "");
        row("NaN", "[NaN]", 1, "");
        row("infinite", "[1e999]", 1, "");
        row("leading zero", "[01]", 1, "");
        row("invalid UTF-8", "[\"\xff\"]", 1, "");
        row("overlong UTF-8", "[\"\xc0\xaf\"]", 1, "");
        row("lone surrogate", "[\"\\ud800\"]", 1, "");
        row("control character", QByteArray("[\"a\x01\"]"), 1, "");
        row("NUL", QByteArray("[1]\0", 4), 1, "");
        row("duplicate key", "{\n \"a\": 1,\n \"a\": 2\n}", 3, "\"a\" occurs twice");
        row("duplicate by escape", "{\"a\": 1,\n\"\\u0061\": 2}", 2, "\"a\" occurs twice");
        row("duplicate deep inside", "[{\"x\": {\"k\": 1,\n\n\"k\": 1}}]", 3, "occurs twice");
        row("too deep", "{\"a\":\n" + QByteArray(200, '[') + QByteArray(200, ']') + "}", 2,
            "nested deeper than 128");
    }

    void refused()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, line);
        QFETCH(QString, says);
        const auto result = parseJson(text, file);
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, ErrorCode::BadSyntax);
        QCOMPARE(result.error().where.file, file);
        QCOMPARE(result.error().where.line, line);
        QVERIFY(result.error().where.column > 0);
        QVERIFY2(result.error().message.contains(says), qPrintable(result.error().message));
        QVERIFY(!result.error().message.contains(QStringLiteral("json.exception")));
    }

    void columnPointsAtTheFault()
    {
        const Error error = errorOf("{\"a\": 1,\n  \"b\": nul}");
        QCOMPARE(error.where.line, 2);
        QCOMPARE(error.where.column, 11);
    }

    void limits()
    {
        QCOMPARE(errorOf("[1, 2]", {5, 128}).code, ErrorCode::TooLarge);
        QVERIFY(parseJson("[1,2]", file, {5, 128}).ok());
        const QByteArray deep = QByteArray(64, '[') + QByteArray(64, ']');
        QVERIFY(parseJson(deep, file, {1000, 64}).ok());
        QVERIFY(!parseJson(deep, file, {1000, 63}).ok());
        JsonLimits few;
        few.maxValues = 4;
        QVERIFY(parseJson("[1,{\"a\":null}]", file, few).ok());
        const Error many = errorOf("[1,{\"a\":[]},\"x\"]", few);
        QVERIFY(many.message.contains(QStringLiteral("more than 4 values")));
    }

    void amillionBracketsCostNothing()
    {
        // Unlimited, this is a stack overflow or gigabytes; here it ends at the 129th.
        const Error error = errorOf(QByteArray(10'000'000, '['));
        QCOMPARE(error.where.column, 129);
    }

    void accepted()
    {
        QVERIFY(parseJson("\xEF\xBB\xBF{}", file).ok());
        const auto same = parseJson("[{\"a\": 1}, {\"a\": 2}, {\"b\": {\"a\": 3}}]", file);
        QVERIFY(same.ok());
        const auto order = parseJson("{\"z\": 1, \"a\": 2, \"m\": 3}", file);
        QVERIFY(order.ok());
        QCOMPARE(toJsonLine(*order), QByteArray("{\"z\":1,\"a\":2,\"m\":3}"));
    }

    void gettersNeverThrow()
    {
        const auto parsed =
            parseJson("{\"s\": \"x\", \"i\": 7, \"f\": 1.5, \"b\": true, \"n\": null, \"big\": "
                      "18446744073709551615, \"huge\": 1e300, \"l\": [\"a\", 1, \"b\"]}",
                      file);
        QVERIFY(parsed.ok());
        const Json& o = *parsed;
        for (const char* key : {"s", "i", "f", "b", "n", "big", "huge", "l", "absent"}) {
            for (const Json& json : {o, Json(), Json(1), Json::array()}) {
                jsonString(json, key);
                jsonNumber(json, key);
                jsonInt(json, key);
                jsonBool(json, key);
                jsonStrings(json, key);
                jsonMember(json, key);
            }
        }
        QCOMPARE(jsonString(o, "i", QStringLiteral("no")), QStringLiteral("no"));
        QCOMPARE(jsonInt(o, "big", -1), qint64(-1));
        QCOMPARE(jsonInt(o, "huge", -1), qint64(-1));
        QCOMPARE(jsonInt(o, "f", -1), qint64(-1));
        QCOMPARE(jsonInt(o, "i"), qint64(7));
        QCOMPARE(jsonNumber(o, "i"), 7.0);
        QCOMPARE(jsonBool(o, "i", true), true);
        QCOMPARE(jsonStrings(o, "l"), (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
        QVERIFY(jsonMember(o, "absent").is_null());
    }

    void pointers()
    {
        QCOMPARE(pointerStep(QStringLiteral("a/b~c")), QStringLiteral("/a~1b~0c"));
        QCOMPARE(pointerStep(QString()), QStringLiteral("/"));
    }

    void invalidUtf8IsReplacedOnTheWayOut()
    {
        const Json json = std::string("a\xff");
        QCOMPARE(toJsonLine(json), QByteArray("\"a\xEF\xBF\xBD\""));
        QVERIFY(parseJson(toJsonBytes(json), file).ok());
    }

    /// Random bytes and random damage to a right document: an answer every time, and what is
    /// accepted survives writing and reading.
    void damagedText()
    {
        const QByteArray right =
            "{\"a\": [1, -2.5e3, \"x\\n\\u00e9\", {\"b\": null}], \"c\": true}";
        QRandomGenerator random(20261201);
        int refused = 0;
        for (int round = 0; round < 20000; ++round) {
            QByteArray text = right;
            for (int edits = int(random.bounded(1, 4)); edits > 0; --edits) {
                const qsizetype at = random.bounded(int(text.size()));
                switch (random.bounded(4)) {
                case 0:
                    text[at] = char(random.bounded(256));
                    break;
                case 1:
                    text.remove(at, random.bounded(1, 6));
                    break;
                case 2:
                    text.insert(at, text.mid(random.bounded(int(text.size())), 5));
                    break;
                default:
                    text.insert(at, "[]{},:\"\\0"[random.bounded(9)]);
                }
                if (text.isEmpty())
                    text = " ";
            }
            const auto result = parseJson(text, file);
            if (!result) {
                ++refused;
                QVERIFY(result.error().where.line > 0);
                QVERIFY(!result.error().message.isEmpty());
                continue;
            }
            const auto again = parseJson(toJsonBytes(*result), file);
            QVERIFY(again.ok());
            QVERIFY(*again == *result);
        }
        QVERIFY(refused > 10000);
    }
};

QTEST_GUILESS_MAIN(TestJson)
#include "tst_json.moc"
