// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged manifests, fixed seeds: no crash, no hang, every complaint with a pointer that leads
// somewhere, and reader and published schema of one mind about every one of them.
#include "core/bundle/bundle.h"
#include "core/bundle/manifest.h"
#include "core/support/paths.h"
#include "minimal_bundle.h"
#include "schema_check.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTest>

using namespace ridgeline;

namespace {

/// Values a mutation may put anywhere.
const QVector<Json>& pool()
{
    static const QVector<Json> values = [] {
        QVector<Json> v;
        for (const char* text : {"null",
                                 "true",
                                 "false",
                                 "0",
                                 "1",
                                 "-1",
                                 "7",
                                 "1.5",
                                 "2.0",
                                 "-0.5",
                                 "1e300",
                                 "-1e300",
                                 "1e-300",
                                 "256",
                                 "100000",
                                 "100001",
                                 "86401",
                                 "9007199254740992",
                                 "9007199254740994",
                                 "4294967296",
                                 "18446744073709551615",
                                 "\"\"",
                                 "\"x\"",
                                 "\"n\"",
                                 "\"n * w\"",
                                 "\"files/a.cu\"",
                                 "\"/files/a.cu\"",
                                 "\"files/../a.cu\"",
                                 "\"files//a.cu\"",
                                 "\"files/\"",
                                 "\"native/x\"",
                                 "\"native\"",
                                 "\"files/.\"",
                                 "\"files/..a\"",
                                 "\"files/a..\"",
                                 "\"files\\\\a\"",
                                 "\"fp32\"",
                                 "\"half\"",
                                 "\"FP32\"",
                                 "\"in\"",
                                 "\"correct\"",
                                 "\"test\"",
                                 "\"exact\"",
                                 "\"cold\"",
                                 "\"kbundle/1\"",
                                 "\"c_abi\"",
                                 "\"ready\"",
                                 "\"fuse\"",
                                 "\"normal\"",
                                 "\"spec\"",
                                 "\"shown\"",
                                 "\"2n\"",
                                 "\"a b\"",
                                 "\"\\u00e9\"",
                                 "\"\\ud83d\\ude00\"",
                                 "\"-\"",
                                 "\".x\"",
                                 "\"x.\"",
                                 "[]",
                                 "{}",
                                 "[[]]",
                                 "[1]",
                                 "[\"x\"]",
                                 "[\"n\", 3]",
                                 "[{}]",
                                 "{\"n\": 1}",
                                 "{\"2\": 1}",
                                 "{\"n\": {}}",
                                 "{\"file\": \"files/a.cu\"}",
                                 "{\"path\": \"files/a.cu\", \"role\": \"spec\"}",
                                 "{\"gen\": \"full\"}",
                                 "{\"id\": \"q\"}",
                                 "{\"name\": \"q\", \"dtype\": \"int\"}",
                                 "{\"method\": \"abs\"}"})
            v << *parseJson(text, QStringLiteral("pool"));
        v << Json(std::string(100, 'a')) << Json(std::string(101, 'a'))
          << Json(std::string(64, 'a')) << Json(std::string(65, 'a')) << Json(std::string(501, 'a'))
          << Json(std::string(1001, 'a')) << Json(std::string(10001, 'a'));
        Json wide = Json::array();
        for (int i = 0; i < 1001; ++i)
            wide.push_back("w");
        v << wide;
        return v;
    }();
    return values;
}

void collect(Json& node, QVector<Json*>& all)
{
    all << &node;
    if (node.is_structured()) {
        for (auto& entry : node.items())
            collect(entry.value(), all);
    }
}

/// One change somewhere in the tree.
void mutate(Json& root, QRandomGenerator& random)
{
    QVector<Json*> nodes;
    collect(root, nodes);
    Json& node = *nodes[random.bounded(int(nodes.size()))];
    const Json value = pool().at(random.bounded(int(pool().size())));
    const int kind = int(random.bounded(6));
    if (kind == 0 && node.is_object() && !node.empty()) {
        auto it = node.begin();
        std::advance(it, random.bounded(int(node.size())));
        node.erase(it.key());
    } else if (kind == 1 && node.is_array() && !node.empty()) {
        node.erase(node.begin() + random.bounded(int(node.size())));
    } else if (kind == 2 && node.is_array() && !node.empty()) {
        const Json copy = node[random.bounded(int(node.size()))];
        node.push_back(copy);
    } else if (kind == 3 && node.is_object()) {
        static const char* const keys[] = {"id", "files", "gen", "axes", "extra", "x-y", "9", "n"};
        node[keys[random.bounded(8)]] = value;
    } else if (kind == 4 && node.is_string()) {
        std::string text = node.get<std::string>();
        text.insert(random.bounded(int(text.size()) + 1), 1, "/.\\ -a1\n"[random.bounded(8)]);
        node = text;
    } else {
        node = value;
    }
}

bool leadsSomewhere(const Json& json, const QString& pointer)
{
    return pointer.isEmpty() || json.contains(Json::json_pointer(pointer.toStdString()));
}

} // namespace

class TestBundleFuzz : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readerAndSchemaAgree()
    {
        const SchemaCheck schema(
            QStringLiteral(RIDGELINE_SOURCE_DIR "/resources/schema/kbundle-1.schema.json"));
        QRandomGenerator random(424242);
        int refused = 0;
        int accepted = 0;
        for (int round = 0; round < 800; ++round) {
            Json json = MinimalBundle::manifest();
            for (int edits = int(random.bounded(1, 3)); edits > 0; --edits)
                mutate(json, random);
            manifest::Complaints complaints{QStringLiteral("m")};
            manifest::readManifest(json, complaints);
            const QStringList bySchema = schema.complaints(json);
            QStringList byReader;
            for (const Error& error : complaints.errors())
                byReader << error.toString();
            QVERIFY2(byReader.isEmpty() == bySchema.isEmpty(),
                     qPrintable(QStringLiteral("round %1\nreader: %2\nschema: %3")
                                    .arg(round)
                                    .arg(byReader.join(QLatin1Char('\n')),
                                         bySchema.join(QLatin1Char('\n')))));
            ++(byReader.isEmpty() ? accepted : refused);
        }
        QVERIFY(refused > 200);
        QVERIFY(accepted > 80);
    }

    void complaintsLeadSomewhere()
    {
        const MinimalBundle on;
        QRandomGenerator random(7);
        QElapsedTimer timer;
        int right = 0;
        for (int round = 0; round < 1500; ++round) {
            Json json = MinimalBundle::manifest();
            for (int edits = int(random.bounded(1, 6)); edits > 0; --edits)
                mutate(json, random);
            timer.start();
            const QVector<Error> errors = validateBundle(json, on.dir());
            QVERIFY(timer.elapsed() < 5000);
            right += errors.isEmpty();
            for (const Error& error : errors) {
                QCOMPARE(error.where.file, on.manifestPath());
                QVERIFY(!error.message.isEmpty());
                QVERIFY2(leadsSomewhere(json, error.where.pointer), qPrintable(error.toString()));
            }
            // Whatever it is, writing what was read does not crash, and keeps a right one whole.
            manifest::Complaints ignored{QString()};
            Bundle bundle = manifest::readManifest(json, ignored);
            bundle.raw = json;
            const Json written = bundleToJson(bundle);
            if (errors.isEmpty() && bundle.reference)
                QVERIFY(written == json);
        }
        QVERIFY(right > 40);
    }

    void damagedBytes()
    {
        const MinimalBundle on;
        const QByteArray text = toJsonBytes(MinimalBundle::manifest());
        QRandomGenerator random(31);
        int loaded = 0;
        for (int round = 0; round < 600; ++round) {
            QByteArray damaged = text;
            for (int edits = int(random.bounded(1, 5)); edits > 0; --edits) {
                const int at = int(random.bounded(int(damaged.size())));
                switch (random.bounded(4)) {
                case 0:
                    damaged[at] = char(random.bounded(256));
                    break;
                case 1:
                    damaged.remove(at, random.bounded(1, 40));
                    break;
                case 2:
                    damaged.truncate(std::max(1, at));
                    break;
                default:
                    damaged.insert(at, damaged.mid(int(random.bounded(int(damaged.size()))), 30));
                }
            }
            QVERIFY(on.write(QStringLiteral("kbundle.json"), damaged));
            const auto result = loadBundle(on.dir());
            if (result) {
                ++loaded;
                continue;
            }
            QVERIFY(result.error().where.file.endsWith(QLatin1String("/kbundle.json")));
            if (result.error().code == ErrorCode::BadSyntax)
                QVERIFY(result.error().where.line > 0);
        }
        QVERIFY(loaded > 4);
        QVERIFY(loaded < 400);
    }

    /// The largest manifest the limits allow is answered in seconds.
    void largeManifest()
    {
        Json json = MinimalBundle::manifest();
        const Json one = json["cases"][0];
        for (int i = 0; i < 1990; ++i) {
            Json copy = one;
            copy["id"] = "c" + std::to_string(i);
            json["cases"].push_back(copy);
        }
        std::string sum = "n";
        while (sum.size() < 990)
            sum += "+n";
        json["signature"]["params"][0]["shape"] = {sum};
        const MinimalBundle on;
        QElapsedTimer timer;
        timer.start();
        const QVector<Error> errors = validateBundle(json, on.dir());
        QVERIFY2(errors.isEmpty(), errors.isEmpty() ? "" : qPrintable(errors[0].toString()));
        QVERIFY(timer.elapsed() < 20000);
    }
};

QTEST_GUILESS_MAIN(TestBundleFuzz)
#include "tst_bundle_fuzz.moc"
