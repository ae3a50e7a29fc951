// SPDX-License-Identifier: GPL-3.0-or-later
// Manifests that must be refused, and what survives a load and a save.
#include "core/bundle/bundle.h"
#include "core/support/paths.h"
#include "minimal_bundle.h"
#include "schema_check.h"

#include <QElapsedTimer>
#include <QTest>
#include <functional>

#include <sys/stat.h>
#include <unistd.h>

using namespace ridgeline;

namespace {

/// Text of a JSON value, for rows that replace one place of the manifest. "remove" takes it out.
struct Edit {
    const char* name;
    const char* pointer; ///< place that is changed
    const char* value;
    const char* complaint; ///< pointer the error must carry
    const char* says;      ///< part of its message
    bool schemaSees;       ///< whether the JSON Schema refuses it too
};

const Edit edits[] = {
    {"no schema", "/schema", "remove", "", "\"schema\" is missing", true},
    {"other schema", "/schema", "\"kbundle/2\"", "/schema", "not kbundle/1", true},
    {"no id", "/id", "remove", "", "\"id\" is missing", true},
    {"id is a path", "/id", "\"../x\"", "/id", "no id", true},
    {"id is empty", "/id", "\"\"", "/id", "no id", true},
    {"id is a number", "/id", "7", "/id", "text is expected", true},
    {"title missing", "/title", "remove", "", "\"title\" is missing", true},
    {"status unknown", "/status", "\"done\"", "/status", "not one of", true},
    {"task type unknown", "/task_type", "\"optimise\"", "/task_type", "not one of", true},
    {"task type null", "/task_type", "null", "/task_type", "text is expected", true},
    {"ops no list", "/ops", "\"mul\"", "/ops", "list is expected", true},
    {"op no text", "/ops/0", "1", "/ops/0", "text is expected", true},
    {"provenance no object", "/provenance", "[]", "/provenance", "object is expected", true},
    {"files no list", "/files", "{}", "/files", "list is expected", true},
    {"file without path", "/files/0/path", "remove", "/files/0", "\"path\" is missing", true},
    {"file role unknown", "/files/0/role", "\"thing\"", "/files/0/role", "not one of", true},
    {"file twice", "/files/1/path", "\"files/spec.md\"", "/files/1/path", "occurs twice", false},
    {"file absent", "/files/3/path", "\"files/none.cu\"", "/files/3/path", "does not exist", false},
    {"path absolute", "/files/0/path", "\"/etc/passwd\"", "/files/0/path", "absolute", true},
    {"path climbs", "/files/0/path", "\"files/../../x\"", "/files/0/path", "\"..\"", true},
    {"path backslash", "/files/0/path", "\"files\\\\..\\\\x\"", "/files/0/path", "backslash", true},
    {"path elsewhere", "/files/0/path", "\"src/a.cu\"", "/files/0/path", "not below", true},
    {"path is a folder", "/files/0/path", "\"files\"", "/files/0/path", "not below", true},
    {"path with a dot", "/files/0/path", "\"files/./a.cu\"", "/files/0/path", "step", true},
    {"hash short", "/files/2/sha256", "\"abc\"", "/files/2/sha256", "64", true},
    {"spec absent", "/spec/file", "\"files/none.md\"", "/spec/file", "does not exist", false},
    {"spec no object", "/spec", "\"files/spec.md\"", "/spec", "object is expected", true},
    {"call style", "/signature/call_style", "\"cdecl\"", "/signature/call_style", "not one of",
     true},
    {"entry no identifier", "/signature/entry", "\"a b\"", "/signature/entry", "cannot name",
     false},
    {"entry a word of C", "/signature/entry", "\"while\"", "/signature/entry", "cannot name",
     false},
    {"entry injects code", "/signature/entry", "\"f(); system(\"", "/signature/entry",
     "cannot name", false},
    {"axis no identifier", "/signature/axes/0", "\"2n\"", "/signature/axes/0", "no C identifier",
     true},
    {"axis twice", "/signature/axes/1", "\"n\"", "/signature/axes/1", "occurs twice", false},
    {"param without dtype", "/signature/params/0/dtype", "remove", "/signature/params/0",
     "\"dtype\" is missing", true},
    {"param dtype", "/signature/params/0/dtype", "\"float33\"", "/signature/params/0/dtype",
     "no element type", true},
    {"param twice", "/signature/params/1/name", "\"x\"", "/signature/params/1/name", "occurs twice",
     false},
    {"param a word of C++", "/signature/params/0/name", "\"class\"", "/signature/params/0/name",
     "word of C++", false},
    {"shape unknown name", "/signature/params/0/shape/0", "\"rows\"", "/signature/params/0/shape/0",
     "unknown name \"rows\"", false},
    {"shape syntax", "/signature/params/0/shape/0", "\"n +\"", "/signature/params/0/shape/0",
     "value is expected", false},
    {"shape fraction", "/signature/params/0/shape/2", "1.5", "/signature/params/0/shape/2",
     "whole number", true},
    {"shape negative", "/signature/params/0/shape/2", "-1", "/signature/params/0/shape/2",
     "out of range", true},
    {"shape of nine", "/signature/params/0/shape", "[1,1,1,1,1,1,1,1,1]",
     "/signature/params/0/shape", "9 entries", true},
    {"shape negative by axis", "/signature/params/0/shape/0", "\"n - 4\"", "/cases/0/axes",
     "shape of \"x\"", false},
    {"shape divides by zero", "/signature/params/0/shape/0", "\"12 // (n - 3)\"", "/cases/0/axes",
     "division by zero", false},
    {"scalar with shape", "/signature/params/2/shape", "[\"n\"]", "/signature/params/2/shape",
     "scalar has no shape", false},
    {"scalar output", "/signature/params/2/direction", "\"out\"", "/signature/params/2/direction",
     "no output", false},
    {"tensor with value", "/signature/params/0/value", "1", "/signature/params/0/value", "no value",
     false},
    {"no output", "/signature/params/1/direction", "\"in\"", "/signature", "output", false},
    {"reference climbs", "/reference/file", "\"files/../../r.cpp\"", "/reference/file", "\"..\"",
     true},
    {"reference without file", "/reference/file", "remove", "/reference", "\"file\" is missing",
     true},
    {"candidate twice", "/candidates/1/id", "\"a\"", "/candidates/1/id", "occurs twice", false},
    {"candidate without files", "/candidates/0/files", "[]", "/candidates/0/files", "0 entries",
     true},
    {"candidate file absent", "/candidates/0/files/0", "\"files/none.cu\"", "/candidates/0/files/0",
     "does not exist", false},
    {"candidate file twice", "/candidates/1/files/1", "\"files/b.cu\"", "/candidates/1/files/1",
     "occurs twice", false},
    {"expected unknown word", "/candidates/0/expected", "\"right\"", "/candidates/0/expected",
     "not one of", true},
    {"parent unknown", "/candidates/1/parent", "\"z\"", "/candidates/1/parent", "no other", false},
    {"parent itself", "/candidates/1/parent", "\"b\"", "/candidates/1/parent", "no other", false},
    {"flag is a word", "/candidates/1/flags/0", "\"O2\"", "/candidates/1/flags/0",
     "no compiler flag", false},
    {"flag writes a file", "/candidates/1/flags/0", "\"-o\"", "/candidates/1/flags/0",
     "workbench's own", false},
    {"flag runs a program", "/build/flags/cuda/0", "\"--compiler-bindir=x\"", "/build/flags/cuda/0",
     "workbench's own", false},
    {"flag leaves", "/build/flags/cuda/0", "\"-I/usr/include\"", "/build/flags/cuda/0",
     "outside the bundle", false},
    {"flag climbs", "/build/flags/cuda/0", "\"-I../../x\"", "/build/flags/cuda/0",
     "outside the bundle", false},
    {"timeout zero", "/run/timeouts_s/test", "0", "/run/timeouts_s/test", "out of range", true},
    {"timeout text", "/run/timeouts_s/test", "\"60\"", "/run/timeouts_s/test", "whole number",
     true},
    {"exit codes empty", "/run/ok_exit_codes", "[]", "/run/ok_exit_codes", "0 entries", true},
    {"exit code 256", "/run/ok_exit_codes/0", "256", "/run/ok_exit_codes/0", "out of range", true},
    {"no cases", "/cases", "[]", "", "no cases", false},
    {"case twice", "/cases/1/id", "\"small\"", "/cases/1/id", "occurs twice", false},
    {"case use", "/cases/0/use", "\"benchmark\"", "/cases/0/use", "not one of", true},
    {"axis missing", "/cases/0/axes/w", "remove", "/cases/0", "\"w\" has no value", false},
    {"axis undeclared", "/cases/0/axes/k", "1", "/cases/0/axes/k", "no axis", false},
    {"axis negative", "/cases/0/axes/n", "-1", "/cases/0/axes/n", "out of range", true},
    {"axis fraction", "/cases/0/axes/n", "1.5", "/cases/0/axes/n", "whole number", true},
    {"axis over the type", "/cases/0/axes/n", "3000000000", "/cases/0/axes", "no int32", false},
    {"axis over 2^53", "/cases/0/axes/n", "9007199254740994", "/cases/0/axes/n", "out of range",
     true},
    {"tensor too large", "/cases/0/axes/w", "9007199254740992", "/cases/0/axes", "limit of 2^36",
     false},
    {"argument missing", "/cases/0/args/alpha", "remove", "/cases/0", "\"alpha\" has no value",
     false},
    {"argument unknown", "/cases/0/args/beta", "1", "/cases/0/args/beta", "no scalar", false},
    {"argument text", "/cases/0/args/alpha", "\"1\"", "/cases/0/args/alpha", "number is expected",
     true},
    {"seed negative", "/cases/0/seeds/0", "-1", "/cases/0/seeds/0", "out of range", true},
    {"input of an output", "/cases/0/inputs", "{\"y\": {\"gen\": \"normal\"}}", "/cases/0/inputs/y",
     "no input tensor", false},
    {"generator unknown", "/cases/1/inputs/x/gen", "\"gauss\"", "/cases/1/inputs/x/gen",
     "not one of", true},
    {"generator of importers", "/cases/1/inputs/x/gen", "\"code\"", "/cases/1/inputs/x/gen",
     "cannot fill", false},
    {"low above high", "/cases/1/inputs/x/low", "3", "/cases/1/inputs/x/low", "above", false},
    {"tolerance method", "/cases/1/tolerance/method", "\"close\"", "/cases/1/tolerance/method",
     "not one of", true},
    {"ulp without ulp", "/cases/1/tolerance/ulp", "remove", "/cases/1/tolerance", "needs \"ulp\"",
     false},
    {"negative tolerance", "/correctness/default/rtol", "-1e-3", "/correctness/default/rtol",
     "out of range", true},
    {"match ratio", "/correctness/default/min_match_ratio", "1.5",
     "/correctness/default/min_match_ratio", "out of range", true},
    {"rule for no output", "/correctness/per_output/x", "{\"method\": \"exact\"}",
     "/correctness/per_output/x", "no output", false},
    {"reps zero", "/timing/reps/n", "0", "/timing/reps/n", "out of range", true},
    {"cache policy", "/timing/cache/policy", "\"hot\"", "/timing/cache/policy", "not one of", true},
    {"fresh inputs", "/timing/fresh_inputs", "1", "/timing/fresh_inputs", "true or false", true},
    {"flops name", "/roofline/flops_expr", "\"n * k\"", "/roofline/flops_expr",
     "unknown name \"k\"", false},
    {"bytes negative", "/roofline/bytes_expr", "\"n - 5\"", "/cases/0/axes", "negative", false},
    {"roofline dtype", "/roofline/dtype", "\"tf32\"", "/roofline/dtype", "no element type", true},
    {"baseline unknown", "/scoring/baseline", "\"z\"", "/scoring/baseline", "no candidate", false},
};

Json edited(Json json, const QString& pointer, const QByteArray& value)
{
    const nlohmann::ordered_json::json_pointer at(pointer.toStdString());
    if (value == "remove") {
        Json& parent = json[at.parent_pointer()];
        parent.erase(at.back());
    } else {
        json[at] = *parseJson(value, QStringLiteral("edit"));
    }
    return json;
}

} // namespace

class TestBundle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_schema = std::make_unique<SchemaCheck>(
            QStringLiteral(RIDGELINE_SOURCE_DIR "/resources/schema/kbundle-1.schema.json"));
    }

    void refused_data()
    {
        QTest::addColumn<int>("index");
        for (int i = 0; i < int(std::size(edits)); ++i)
            QTest::newRow(edits[i].name) << i;
    }

    void refused()
    {
        QFETCH(int, index);
        const Edit& edit = edits[index];
        const MinimalBundle on;
        const Json json =
            edited(MinimalBundle::manifest(), QString::fromLatin1(edit.pointer), edit.value);
        const QVector<Error> errors = validateBundle(json, on.dir());
        QVERIFY(!errors.isEmpty());
        bool found = false;
        QStringList all;
        for (const Error& error : errors) {
            all << error.toString();
            QCOMPARE(error.where.file, on.manifestPath());
            QVERIFY(!error.message.isEmpty());
            found = found || (error.where.pointer == QLatin1String(edit.complaint) &&
                              error.message.contains(QLatin1String(edit.says)));
        }
        QVERIFY2(found, qPrintable(all.join(QLatin1Char('\n'))));
        QCOMPARE(!m_schema->complaints(json).isEmpty(), edit.schemaSees);
        QVERIFY(on.writeManifest(json));
        const auto loaded = loadBundle(on.dir());
        QVERIFY(!loaded.ok());
        QCOMPARE(loaded.error(), errors.constFirst());
    }

    void allErrorsAtOnce()
    {
        const MinimalBundle on;
        Json json = MinimalBundle::manifest();
        json["id"] = 1;
        json["candidates"][0]["expected"] = "x";
        json["cases"][1]["axes"]["n"] = "many";
        json["files"][3]["path"] = "files/none.cu";
        QStringList pointers;
        for (const Error& error : validateBundle(json, on.dir()))
            pointers << error.where.pointer;
        QCOMPARE(pointers,
                 (QStringList{QStringLiteral("/id"), QStringLiteral("/candidates/0/expected"),
                              QStringLiteral("/cases/1/axes/n"), QStringLiteral("/files/3/path")}));
    }

    void complaintsAreLimited()
    {
        const MinimalBundle on;
        Json json = MinimalBundle::manifest();
        for (int i = 0; i < 900; ++i)
            json["tags"].push_back(i);
        const QVector<Error> errors = validateBundle(json, on.dir());
        QCOMPARE(errors.size(), 201);
        QVERIFY(errors.constLast().message.contains(QStringLiteral("more than 200")));
    }

    void notEvenAnObject()
    {
        const MinimalBundle on;
        for (const char* text : {"null", "[]", "3", "\"x\"", "true"}) {
            QVERIFY(!validateBundle(*parseJson(text, {}), on.dir()).isEmpty());
            QVERIFY(on.write(QStringLiteral("kbundle.json"), text));
            QCOMPARE(loadBundle(on.dir()).error().code, ErrorCode::BadSchema);
        }
        QVERIFY(on.write(QStringLiteral("kbundle.json"), "{\"schema\": \"kbundle/1\",\n oops"));
        const auto broken = loadBundle(on.dir());
        QCOMPARE(broken.error().code, ErrorCode::BadSyntax);
        QCOMPARE(broken.error().where.line, 2);
    }

    void whatIsNoBundle()
    {
        QTemporaryDir empty;
        QCOMPARE(loadBundle(QStringLiteral("/nowhere/at/all")).error().code, ErrorCode::NotFound);
        QCOMPARE(loadBundle(empty.path()).error().code, ErrorCode::NotFound);
        const MinimalBundle on;
        QCOMPARE(loadBundle(on.dir() + QStringLiteral("/files/a.cu")).error().code,
                 ErrorCode::BadUsage);
        QVERIFY(QDir().mkpath(on.manifestPath()));
        QCOMPARE(loadBundle(on.dir()).error().code, ErrorCode::Unreadable);
    }

    void manifestOverTheLimit()
    {
        const MinimalBundle on;
        QVERIFY(on.write(QStringLiteral("kbundle.json"), QByteArray(17 << 20, ' ')));
        QCOMPARE(loadBundle(on.dir()).error().code, ErrorCode::TooLarge);
        const QByteArray deep(70, '[');
        QVERIFY(on.write(QStringLiteral("kbundle.json"), deep));
        QVERIFY(loadBundle(on.dir()).error().message.contains(QStringLiteral("deeper than 64")));
    }

    void linksOutOfTheBundle()
    {
        const MinimalBundle on;
        QVERIFY(on.writeManifest(MinimalBundle::manifest()));
        QVERIFY(loadBundle(on.dir()).ok());
        const QString spec = on.dir() + QStringLiteral("/files/spec.md");
        QVERIFY(QFile::remove(spec));
        QCOMPARE(::symlink("/etc/passwd", QFile::encodeName(spec).constData()), 0);
        const auto loaded = loadBundle(on.dir());
        QCOMPARE(loaded.error().code, ErrorCode::UnsafePath);
        QCOMPARE(loaded.error().where.pointer, QStringLiteral("/files/0/path"));
    }

    void manifestIsALinkOut()
    {
        const MinimalBundle other;
        QVERIFY(other.writeManifest(MinimalBundle::manifest()));
        const MinimalBundle on;
        QCOMPARE(::symlink(QFile::encodeName(other.manifestPath()).constData(),
                           QFile::encodeName(on.manifestPath()).constData()),
                 0);
        QCOMPARE(loadBundle(on.dir()).error().code, ErrorCode::UnsafePath);
    }

    void pipesAndFoldersAreNoFiles()
    {
        const MinimalBundle on;
        QVERIFY(on.writeManifest(MinimalBundle::manifest()));
        const QString path = on.dir() + QStringLiteral("/files/a.cu");
        QVERIFY(QFile::remove(path));
        QCOMPARE(::mkfifo(QFile::encodeName(path).constData(), 0600), 0);
        QCOMPARE(loadBundle(on.dir()).error().code, ErrorCode::Unreadable); // and does not wait
        QVERIFY(QFile::remove(path));
        QVERIFY(QDir().mkpath(path));
        QCOMPARE(loadBundle(on.dir()).error().code, ErrorCode::Unreadable);
    }

    void sourceOverTheLimit()
    {
        const MinimalBundle on;
        QVERIFY(on.writeManifest(MinimalBundle::manifest()));
        QVERIFY(on.write(QStringLiteral("files/b.cu"), QByteArray((16 << 20) + 1, 'x')));
        const auto loaded = loadBundle(on.dir());
        QCOMPARE(loaded.error().code, ErrorCode::TooLarge);
        QCOMPARE(loaded.error().where.pointer, QStringLiteral("/candidates/1/files/0"));
    }

    void missingReferenceIsAStub()
    {
        const MinimalBundle on;
        Json json = edited(MinimalBundle::manifest(), QStringLiteral("/reference"), "remove");
        QVERIFY(on.writeManifest(json));
        const auto without = loadBundle(on.dir());
        QVERIFY2(without.ok(), without ? "" : qPrintable(without.error().toString()));
        QVERIFY(without->status == BundleStatus::Stub);
        QVERIFY(!without->reference);
        QVERIFY(without->warnings.join(QLatin1Char('\n')).contains(QStringLiteral("stub")));
        QVERIFY(bundleToJson(*without) == json);

        QVERIFY(on.writeManifest(MinimalBundle::manifest()));
        QVERIFY(QFile::remove(on.dir() + QStringLiteral("/files/reference.cpp")));
        const auto lost = loadBundle(on.dir());
        QVERIFY2(lost.ok(), lost ? "" : qPrintable(lost.error().toString()));
        QVERIFY(lost->status == BundleStatus::Stub);
        QVERIFY(bundleToJson(*lost) == MinimalBundle::manifest());
    }

    void stubNeedsLittle()
    {
        const MinimalBundle on;
        QVERIFY(on.write(QStringLiteral("kbundle.json"),
                         R"({"schema": "kbundle/1", "id": "s", "title": "S", "status": "stub",
                             "task_type": "generate"})"));
        const auto bundle = loadBundle(on.dir());
        QVERIFY2(bundle.ok(), bundle ? "" : qPrintable(bundle.error().toString()));
        QVERIFY(bundle->status == BundleStatus::Stub);
    }

    void changedFileWarns()
    {
        const MinimalBundle on;
        Json json = MinimalBundle::manifest();
        json["files"][2]["sha256"] = sha256Hex("a.cu").toStdString();
        QVERIFY(on.writeManifest(json));
        const auto warnings = [&] {
            return loadBundle(on.dir())->warnings.join(QLatin1Char('\n'));
        };
        QVERIFY(!warnings().contains(QStringLiteral("has changed")));
        QVERIFY(on.write(QStringLiteral("files/a.cu"), "other"));
        QVERIFY(warnings().contains(QStringLiteral("/files/2/sha256")));
    }

    void everyFieldIsRead()
    {
        const MinimalBundle on;
        QVERIFY(m_schema->complaints(MinimalBundle::manifest()).isEmpty());
        QVERIFY(on.writeManifest(MinimalBundle::manifest()));
        const auto loaded = loadBundle(on.dir());
        QVERIFY2(loaded.ok(), loaded ? "" : qPrintable(loaded.error().toString()));
        const Bundle& b = *loaded;
        QCOMPARE(b.dir, QFileInfo(on.dir()).canonicalFilePath());
        QCOMPARE(b.id, QStringLiteral("scale"));
        QVERIFY(b.taskType == TaskType::Optimize);
        QVERIFY(b.status == BundleStatus::Ready);
        QCOMPARE(b.files.size(), 5);
        QCOMPARE(b.files[3].visibility, QStringLiteral("hidden"));
        QCOMPARE(b.signature.axes, (QStringList{QStringLiteral("n"), QStringLiteral("w")}));
        QCOMPARE(b.signature.params[0].shape,
                 (QStringList{QStringLiteral("n"), QStringLiteral("w // 2"), QStringLiteral("3")}));
        QVERIFY(b.signature.params[0].dtype == DType::Fp32);
        QVERIFY(b.signature.params[1].direction == ParamDirection::Out);
        QCOMPARE(b.signature.params[3].value, QStringLiteral("2 * n"));
        QCOMPARE(b.signature.params[4].value, QStringLiteral("1"));
        QCOMPARE(b.reference->framework, QStringLiteral("cpp"));
        QCOMPARE(b.sourceImpl, QStringLiteral("files/source.cu"));
        QCOMPARE(b.candidate(QStringLiteral("b"))->flags.size(), 2);
        QVERIFY(b.candidate(QStringLiteral("b"))->expected == Expected::Cheat);
        QVERIFY(b.candidate(QStringLiteral("c")) == nullptr);
        QCOMPARE(b.cases[0].seeds, (QVector<quint64>{3, 1}));
        QCOMPARE(b.cases[1].seeds, (QVector<quint64>{9}));
        QCOMPARE(b.cases[1].inputs[QStringLiteral("x")].high, 2.5);
        QCOMPARE(b.cases[2].args[QStringLiteral("alpha")], -1e-3);
        QVERIFY(b.cases[2].use == CaseUse::Bench);
        QCOMPARE(b.timeouts.testS, 20);
        QCOMPARE(b.okExitCodes, (QVector<int>{0, 3}));
        QCOMPARE(b.timing.reps, 7);
        QCOMPARE(b.timing.cachePolicy, QStringLiteral("warm"));
        QVERIFY(!b.timing.freshInputs);
        QVERIFY(b.roofline.tensorCores);
        QVERIFY(b.roofline.dtype == DType::Bf16);
        QCOMPARE(b.baselineCandidate, QStringLiteral("a"));
        QCOMPARE(b.trials, 3);
        QCOMPARE(b.toleranceFor(b.cases[0], QStringLiteral("y")).method, QStringLiteral("abs"));
        QCOMPARE(b.toleranceFor(b.cases[0], QStringLiteral("z")).rtol, std::optional<double>(1e-3));
        QCOMPARE(b.toleranceFor(b.cases[1], QStringLiteral("y")).method, QStringLiteral("ulp"));
        QVERIFY(b.warnings.join(QLatin1Char('\n')).contains(QStringLiteral("/unknown_top")));
        QVERIFY(!b.warnings.join(QLatin1Char('\n')).contains(QStringLiteral("x-lab")));
    }

    void unchangedComesOutAsItWentIn()
    {
        const MinimalBundle on;
        QVERIFY(on.writeManifest(MinimalBundle::manifest()));
        const Bundle bundle = *loadBundle(on.dir());
        QCOMPARE(toJsonBytes(bundleToJson(bundle)), toJsonBytes(MinimalBundle::manifest()));
        // Another layout of the same content keeps its bytes.
        const QByteArray oneLine = toJsonLine(MinimalBundle::manifest()) + "\n\n";
        QVERIFY(on.write(QStringLiteral("kbundle.json"), oneLine));
        QVERIFY(saveBundle(*loadBundle(on.dir())).ok());
        QCOMPARE(*readFile(on.manifestPath()), oneLine);
    }

    /// Each field changed alone changes the manifest, is read back, and leaves the rest alone.
    void everyFieldIsWritten()
    {
        using Change = std::function<void(Bundle&)>;
        const QVector<Change> changes{
            [](Bundle& b) { b.id = QStringLiteral("other"); },
            [](Bundle& b) { b.title = QStringLiteral("T\"\n"); },
            [](Bundle& b) { b.status = BundleStatus::Broken; },
            [](Bundle& b) { b.taskType = TaskType::Fuse; },
            [](Bundle& b) { b.ops.clear(); },
            [](Bundle& b) { b.tags << QStringLiteral("new"); },
            [](Bundle& b) { b.difficulty.clear(); },
            [](Bundle& b) { b.files[1].language = QStringLiteral("cxx"); },
            [](Bundle& b) { b.files.removeLast(); },
            [](Bundle& b) { b.specFile.clear(); },
            [](Bundle& b) { b.specFile = QStringLiteral("files/source.cu"); },
            [](Bundle& b) { b.signature.entry = QStringLiteral("run"); },
            [](Bundle& b) { b.signature.params[0].dtype = DType::Fp16; },
            [](Bundle& b) { b.signature.params[0].shape[2] = QStringLiteral("4"); },
            [](Bundle& b) { b.signature.params[3].value = QStringLiteral("3 * n"); },
            [](Bundle& b) { b.signature.params[1].direction = ParamDirection::InOut; },
            [](Bundle& b) { b.reference->entry = QStringLiteral("ref"); },
            [](Bundle& b) { b.sourceImpl.clear(); },
            [](Bundle& b) { b.candidates[0].expected = Expected::Wrong; },
            [](Bundle& b) { b.candidates.swapItemsAt(0, 1); },
            [](Bundle& b) {
                Candidate c;
                c.id = QStringLiteral("c");
                c.files << QStringLiteral("files/a.cu");
                b.candidates << c;
            },
            [](Bundle& b) { b.candidates[1].flags.clear(); },
            [](Bundle& b) { b.cases[0].axes[QStringLiteral("n")] = 5; },
            [](Bundle& b) { b.cases[0].args[QStringLiteral("alpha")] = 0.1; },
            [](Bundle& b) { b.cases[0].use = CaseUse::Hidden; },
            [](Bundle& b) {
                b.cases[1].seeds = {4, 5};
            },
            [](Bundle& b) {
                b.cases[0].inputs[QStringLiteral("x")].gen = QStringLiteral("arange");
            },
            [](Bundle& b) { b.cases[1].inputs[QStringLiteral("x")].low = -3; },
            [](Bundle& b) { b.cases[1].tolerance.reset(); },
            [](Bundle& b) { b.cases[1].tolerance->ulp = 4; },
            [](Bundle& b) { b.cases[0].tolerance = ToleranceRule{}; },
            [](Bundle& b) { b.cases[1].argv.clear(); },
            [](Bundle& b) { b.cases.removeFirst(); },
            [](Bundle& b) { b.tolerance.rtol.reset(); },
            [](Bundle& b) { b.tolerance.atol = 1e-9; },
            [](Bundle& b) { b.perOutput.clear(); },
            [](Bundle& b) { b.trials = 1; },
            [](Bundle& b) { b.forbidden << QStringLiteral("x"); },
            [](Bundle& b) { b.timeouts.benchS = 31; },
            [](Bundle& b) { b.okExitCodes = {7}; },
            [](Bundle& b) { b.cudaFlags.clear(); },
            [](Bundle& b) { b.timing.warmup = 3; },
            [](Bundle& b) { b.timing.cachePolicy.clear(); },
            [](Bundle& b) { b.timing.freshInputs = true; },
            [](Bundle& b) { b.roofline.flopsExpr = QStringLiteral("n"); },
            [](Bundle& b) { b.roofline.tensorCores = false; },
            [](Bundle& b) { b.hardwareNames.clear(); },
            [](Bundle& b) { b.baselineCandidate.clear(); },
        };
        for (qsizetype i = 0; i < changes.size(); ++i) {
            const MinimalBundle on;
            QVERIFY(on.writeManifest(MinimalBundle::manifest()));
            Bundle bundle = *loadBundle(on.dir());
            changes[i](bundle);
            const auto saved = saveBundle(bundle);
            QVERIFY2(saved.ok(), saved ? "" : qPrintable(saved.error().toString()));
            const auto again = loadBundle(on.dir());
            QVERIFY2(again.ok(), again ? "" : qPrintable(again.error().toString()));
            QVERIFY2(bundleToJson(*again) != MinimalBundle::manifest(),
                     qPrintable(QStringLiteral("change %1 was not written").arg(i)));
            Bundle expected = bundle;
            Bundle got = *again;
            expected.raw = got.raw = Json();
            expected.warnings = got.warnings = {};
            QVERIFY2(bundleToJson(expected) == bundleToJson(got),
                     qPrintable(QStringLiteral("change %1 was not read back").arg(i)));
            QVERIFY(again->raw["unknown_top"] == MinimalBundle::manifest()["unknown_top"]);
            QVERIFY(m_schema->complaints(again->raw).isEmpty());
        }
    }

    void unknownKeysOfEntriesSurviveEdits()
    {
        const MinimalBundle on;
        QVERIFY(on.writeManifest(MinimalBundle::manifest()));
        Bundle bundle = *loadBundle(on.dir());
        bundle.candidates[0].title = QStringLiteral("New");
        bundle.cases[1].inputs[QStringLiteral("x")].high = 9;
        bundle.files[2].language = QStringLiteral("c");
        bundle.timing.warmup = 9;
        QVERIFY(saveBundle(bundle).ok());
        const Json json = *readJsonFile(on.manifestPath());
        QCOMPARE(json["candidates"][0]["x-n"].get<int>(), 7);
        QCOMPARE(json["cases"][1]["inputs"]["x"]["x-z"].get<int>(), 0);
        QCOMPARE(json["files"][2]["x-k"].get<int>(), 1);
        QCOMPARE(json["timing"]["warmup"]["ms"].get<int>(), 5);
        QStringList keys;
        for (const auto& entry : json["candidates"][0].items())
            keys << qstr(entry.key());
        QCOMPARE(keys.join(QLatin1Char(' ')),
                 QStringLiteral("id title files language expected x-n"));
    }

    void savingFromScratch()
    {
        const MinimalBundle on;
        QVERIFY(on.writeManifest(MinimalBundle::manifest()));
        Bundle bundle = *loadBundle(on.dir());
        bundle.raw = Json();
        const Json json = bundleToJson(bundle);
        QCOMPARE(m_schema->complaints(json), QStringList());
        QVERIFY(on.writeManifest(json));
        Bundle again = *loadBundle(on.dir());
        again.raw = Json();
        QVERIFY(bundleToJson(again) == json);
    }

    void savingRefusesWhatLoadingWould()
    {
        const MinimalBundle on;
        QVERIFY(on.writeManifest(MinimalBundle::manifest()));
        const QByteArray before = *readFile(on.manifestPath());
        Bundle bundle = *loadBundle(on.dir());
        bundle.baselineCandidate = QStringLiteral("nobody");
        const auto saved = saveBundle(bundle);
        QVERIFY(!saved.ok());
        QCOMPARE(saved.error().where.pointer, QStringLiteral("/scoring/baseline"));
        QCOMPARE(*readFile(on.manifestPath()), before);
    }

private:
    std::unique_ptr<SchemaCheck> m_schema;
};

QTEST_GUILESS_MAIN(TestBundle)
#include "tst_bundle.moc"
