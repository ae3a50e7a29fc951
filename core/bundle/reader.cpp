// SPDX-License-Identifier: GPL-3.0-or-later
// From JSON to values. What is refused here, resources/schema/kbundle-1.schema.json refuses too.
#include "core/bundle/manifest.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridgeline::manifest {

namespace {

constexpr qint64 largestCount = qint64(1) << 53; // exact in a double

qsizetype codePoints(const std::string& utf8)
{
    return std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

bool isId(const QString& text)
{
    const auto allowed = [](QChar c) {
        const char16_t u = c.unicode();
        return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || (u >= '0' && u <= '9');
    };
    if (text.isEmpty() || text.size() > 100 || !allowed(text.at(0)))
        return false;
    return std::all_of(text.begin(), text.end(), [&](QChar c) {
        return allowed(c) || c == QLatin1Char('.') || c == QLatin1Char('_') ||
               c == QLatin1Char('-');
    });
}

QString typeOf(const Json& json)
{
    return json.is_number_float() ? QStringLiteral("a fraction") : qstr(json.type_name());
}

/// One object of the manifest. Each getter notes its key as known and complains with a pointer
/// when the value is not what it must be; it then returns the fallback.
class ObjectReader {
public:
    ObjectReader(const Json& json, QString pointer, Complaints& complaints)
        : m_json(json.is_object() ? json : jsonMember(Json(), "")),
          m_pointer(std::move(pointer)),
          m_complaints(complaints)
    {
        if (!json.is_object())
            m_complaints.add(ErrorCode::BadSchema, m_pointer,
                             QStringLiteral("an object is expected, not %1").arg(typeOf(json)));
    }

    QString at(const QString& key) const { return m_pointer + pointerStep(key); }
    Complaints& complaints() { return m_complaints; }

    void wrong(const char* key, const QString& message, ErrorCode code = ErrorCode::BadSchema,
               const QString& hint = {})
    {
        m_complaints.add(code, at(QString::fromUtf8(key)), message, hint);
    }

    /// The member, or nullptr when it is absent (an error when it is required).
    const Json* member(const char* key, bool required = false)
    {
        m_known << QString::fromUtf8(key);
        if (m_json.is_object()) {
            const auto it = m_json.find(key);
            if (it != m_json.end())
                return &*it;
            if (required)
                m_complaints.add(
                    ErrorCode::BadSchema, m_pointer,
                    QStringLiteral("the key \"%1\" is missing").arg(QString::fromUtf8(key)));
        }
        return nullptr;
    }

    QString text(const char* key, bool required = false, int maxLength = maxText)
    {
        const Json* value = member(key, required);
        if (value == nullptr)
            return {};
        return textOf(*value, at(QString::fromUtf8(key)), maxLength);
    }

    QString textOf(const Json& value, const QString& pointer, int maxLength)
    {
        if (!value.is_string()) {
            m_complaints.add(ErrorCode::BadSchema, pointer,
                             QStringLiteral("a text is expected, not %1").arg(typeOf(value)));
            return {};
        }
        const std::string& utf8 = value.get_ref<const std::string&>();
        if (codePoints(utf8) > maxLength) {
            m_complaints.add(ErrorCode::BadSchema, pointer,
                             QStringLiteral("longer than %1 characters").arg(maxLength));
            return {};
        }
        return qstr(utf8);
    }

    QString id(const char* key)
    {
        const Json* value = member(key, true);
        const QString word = value == nullptr ? QString() : text(key);
        if (value != nullptr && value->is_string() && !isId(word))
            wrong(key, QStringLiteral("\"%1\" is no id").arg(word.left(120)), ErrorCode::BadSchema,
                  QStringLiteral("use 1 to 100 of A-Z a-z 0-9 . _ -, a letter or digit first"));
        return word;
    }

    QString identifier(const char* key, bool required, const QString& fallback = {})
    {
        const Json* value = member(key, required);
        if (value == nullptr)
            return fallback;
        const QString word = text(key);
        if (value->is_string() && !isIdentifier(word))
            wrong(key, QStringLiteral("\"%1\" is no C identifier").arg(word.left(120)));
        return word;
    }

    /// Index in `names` of the word, or `fallback` when absent or wrong.
    int word(const char* key, const QStringList& names, int fallback, bool required = false)
    {
        const Json* value = member(key, required);
        if (value == nullptr)
            return fallback;
        const QString given = text(key);
        const int index = int(names.indexOf(given));
        if (index < 0 && value->is_string())
            wrong(key, QStringLiteral("\"%1\" is not one of the known words").arg(given.left(120)),
                  ErrorCode::BadSchema,
                  QStringLiteral("use one of: %1").arg(names.join(QStringLiteral(", "))));
        return index < 0 ? fallback : index;
    }

    bool flag(const char* key, bool fallback)
    {
        const Json* value = member(key);
        if (value == nullptr)
            return fallback;
        if (!value->is_boolean())
            wrong(key, QStringLiteral("true or false is expected, not %1").arg(typeOf(*value)));
        return value->is_boolean() ? value->get<bool>() : fallback;
    }

    qint64 integerOf(const Json& value, const QString& pointer, qint64 low, qint64 high,
                     qint64 fallback)
    {
        const bool fits =
            value.is_number_integer() &&
            (!value.is_number_unsigned() ||
             value.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<qint64>::max()));
        const qint64 number = fits ? value.get<std::int64_t>() : 0;
        if (fits && number >= low && number <= high)
            return number;
        m_complaints.add(
            ErrorCode::BadSchema, pointer,
            value.is_number_integer()
                ? QStringLiteral("%1 is out of range").arg(qstr(value.dump()))
                : QStringLiteral("a whole number is expected, not %1").arg(typeOf(value)),
            QStringLiteral("use a whole number from %1 to %2").arg(low).arg(high));
        return fallback;
    }

    int integer(const char* key, int low, int high, int fallback)
    {
        const Json* value = member(key);
        if (value == nullptr)
            return fallback;
        return int(integerOf(*value, at(QString::fromUtf8(key)), low, high, fallback));
    }

    double numberOf(const Json& value, const QString& pointer, double low, double high,
                    double fallback)
    {
        if (!value.is_number()) {
            m_complaints.add(ErrorCode::BadSchema, pointer,
                             QStringLiteral("a number is expected, not %1").arg(typeOf(value)));
            return fallback;
        }
        const double number = value.get<double>();
        if (number < low || number > high) {
            m_complaints.add(ErrorCode::BadSchema, pointer,
                             QStringLiteral("%1 is out of range").arg(number),
                             QStringLiteral("use a number from %1 to %2").arg(low).arg(high));
            return fallback;
        }
        return number;
    }

    double number(const char* key, double fallback, double low = -largestDouble,
                  double high = largestDouble)
    {
        const Json* value = member(key);
        return value == nullptr ? fallback
                                : numberOf(*value, at(QString::fromUtf8(key)), low, high, fallback);
    }

    std::optional<double> tolerance(const char* key)
    {
        if (member(key) == nullptr)
            return std::nullopt;
        return number(key, 0, 0);
    }

    /// Calls item(value, pointer) for every entry of a list of at most `most`.
    template <class Item>
    void list(const char* key, int most, Item item, int least = 0, bool required = false)
    {
        const Json* value = member(key, required);
        if (value == nullptr)
            return;
        if (!value->is_array()) {
            wrong(key, QStringLiteral("a list is expected, not %1").arg(typeOf(*value)));
            return;
        }
        if (value->size() > std::size_t(most) || value->size() < std::size_t(least)) {
            wrong(key, QStringLiteral("%1 entries, from %2 to %3 are allowed")
                           .arg(value->size())
                           .arg(least)
                           .arg(most));
            return;
        }
        for (std::size_t i = 0; i < value->size(); ++i)
            item((*value)[i], at(QString::fromUtf8(key)) + QStringLiteral("/%1").arg(i));
    }

    QStringList words(const char* key, int most = maxWords, int least = 0, bool required = false,
                      int maxLength = maxText)
    {
        QStringList all;
        list(
            key, most,
            [&](const Json& value, const QString& pointer) {
                all << textOf(value, pointer, maxLength);
            },
            least, required);
        return all;
    }

    /// Calls item(name, value, pointer) for every member of an object whose keys are identifiers.
    template <class Item>
    void map(const char* key, Item item)
    {
        const Json* value = member(key);
        if (value == nullptr)
            return;
        if (!value->is_object()) {
            wrong(key, QStringLiteral("an object is expected, not %1").arg(typeOf(*value)));
            return;
        }
        for (const auto& [name, entry] : value->items()) {
            const QString word = qstr(name);
            const QString pointer = at(QString::fromUtf8(key)) + pointerStep(word);
            if (!isIdentifier(word)) {
                m_complaints.add(ErrorCode::BadSchema, pointer,
                                 QStringLiteral("the key is no C identifier"));
                continue;
            }
            item(word, entry, pointer);
        }
    }

    /// Calls read(reader) for a member that is an object.
    template <class Read>
    void object(const char* key, Read read)
    {
        const Json* value = member(key);
        if (value == nullptr)
            return;
        ObjectReader reader(*value, at(QString::fromUtf8(key)), m_complaints);
        read(reader);
    }

    QString path(const char* key)
    {
        const Json* value = member(key, true);
        return value == nullptr ? QString() : pathOf(*value, at(QString::fromUtf8(key)));
    }

    QString pathOf(const Json& value, const QString& pointer)
    {
        const QString path = textOf(value, pointer, 1000);
        if (!value.is_string())
            return {};
        const QStringList steps = path.split(QLatin1Char('/'));
        QString why;
        auto code = ErrorCode::UnsafePath;
        if (path.startsWith(QLatin1Char('/'))) {
            why = QStringLiteral("is absolute");
        } else if (steps.contains(QStringLiteral(".."))) {
            why = QStringLiteral("contains \"..\"");
        } else if (path.contains(QLatin1Char('\\'))) {
            why = QStringLiteral("contains a backslash");
        } else if (steps.size() < 2 || (steps.at(0) != QLatin1String("files") &&
                                        steps.at(0) != QLatin1String("native"))) {
            why = QStringLiteral("is not below files/ or native/");
            code = ErrorCode::BadSchema;
        } else if (steps.contains(QString()) || steps.contains(QStringLiteral("."))) {
            why = QStringLiteral("has an empty or \".\" step");
            code = ErrorCode::BadSchema;
        } else {
            return path;
        }
        m_complaints.add(code, pointer,
                         QStringLiteral("the path \"%1\" %2").arg(path.left(120), why),
                         QStringLiteral("name a file below files/ or native/ of the bundle"));
        return {};
    }

    DType dtype(const char* key, DType fallback, bool required = false)
    {
        const Json* value = member(key, required);
        if (value == nullptr)
            return fallback;
        const QString name = text(key);
        const auto type = dtypeFromName(name);
        if (!type && value->is_string())
            wrong(key, QStringLiteral("\"%1\" is no element type").arg(name.left(60)),
                  ErrorCode::BadSchema, QStringLiteral("for example fp32, bf16, int32"));
        return type.value_or(fallback);
    }

    /// Warns about keys nobody asked for, extensions ("x-…") and `kept` aside.
    void finish(const QStringList& kept = {})
    {
        if (!m_json.is_object())
            return;
        for (const auto& [name, value] : m_json.items()) {
            const QString key = qstr(name);
            if (!m_known.contains(key) && !kept.contains(key) &&
                !key.startsWith(QLatin1String("x-")))
                m_complaints.warn(at(key), QStringLiteral("unknown key, kept but not used"));
        }
    }

    static constexpr double largestDouble = std::numeric_limits<double>::max();

private:
    const Json& m_json;
    QString m_pointer;
    Complaints& m_complaints;
    QStringList m_known;
};

/// An expression given as text or as a number.
QString expressionOf(ObjectReader& reader, const Json& value, const QString& pointer)
{
    if (value.is_number())
        return qstr(value.dump());
    return reader.textOf(value, pointer, 1000);
}

ToleranceRule readRule(const Json& json, const QString& pointer, Complaints& complaints)
{
    ObjectReader reader(json, pointer, complaints);
    ToleranceRule rule;
    rule.method = toleranceMethods().at(reader.word("method", toleranceMethods(), 0));
    rule.rtol = reader.tolerance("rtol");
    rule.atol = reader.tolerance("atol");
    rule.ulp = reader.tolerance("ulp");
    rule.minMatchRatio = reader.number("min_match_ratio", 1, 0, 1);
    rule.equalNan = reader.flag("equal_nan", false);
    reader.finish(
        {QStringLiteral("error_cap"), QStringLiteral("allow_neg_inf"), QStringLiteral("reason")});
    return rule;
}

Param readParam(const Json& json, const QString& pointer, Complaints& complaints)
{
    ObjectReader reader(json, pointer, complaints);
    Param param;
    param.name = reader.identifier("name", true);
    param.dtype = reader.dtype("dtype", DType::Fp32, true);
    param.pointer = reader.flag("pointer", false);
    param.direction = ParamDirection(reader.word("direction", paramDirectionNames(), 0));
    reader.list("shape", maxRank, [&](const Json& value, const QString& at) {
        if (value.is_number())
            param.shape << QString::number(reader.integerOf(value, at, 0, largestCount, 0));
        else
            param.shape << reader.textOf(value, at, 1000);
    });
    if (const Json* value = reader.member("value"))
        param.value = expressionOf(reader, *value, reader.at(QStringLiteral("value")));
    reader.finish({QStringLiteral("const"), QStringLiteral("description")});
    return param;
}

void readSignature(ObjectReader& reader, Signature& signature)
{
    signature.callStyle = CallStyle(reader.word("call_style", callStyleNames(), 0));
    if (reader.member("entry") != nullptr)
        signature.entry = reader.text("entry", false, 200);
    reader.list("axes", maxAxes, [&](const Json& value, const QString& pointer) {
        const QString name = reader.textOf(value, pointer, maxText);
        if (value.is_string() && !isIdentifier(name))
            reader.complaints().add(
                ErrorCode::BadSchema, pointer,
                QStringLiteral("\"%1\" is no C identifier").arg(name.left(120)));
        signature.axes << name;
    });
    reader.list("params", maxParams, [&](const Json& value, const QString& pointer) {
        signature.params << readParam(value, pointer, reader.complaints());
    });
    reader.finish({QStringLiteral("constraints"), QStringLiteral("init_args"),
                   QStringLiteral("inputs"), QStringLiteral("outputs")});
}

BundleFile readFileEntry(const Json& json, const QString& pointer, Complaints& complaints)
{
    static const QStringList visibilities{QStringLiteral("shown"), QStringLiteral("hidden")};
    ObjectReader reader(json, pointer, complaints);
    BundleFile file;
    file.path = reader.path("path");
    const int role = reader.word("role", roleNames(), -1, true);
    file.role = role < 0 ? QString() : roleNames().at(role);
    file.language = reader.text("language", false, 100);
    file.visibility = visibilities.at(reader.word("visibility", visibilities, 0));
    file.sha256 = reader.text("sha256", false, 64);
    const bool hex = std::all_of(file.sha256.begin(), file.sha256.end(), [](QChar c) {
        return (c >= QLatin1Char('0') && c <= QLatin1Char('9')) ||
               (c >= QLatin1Char('a') && c <= QLatin1Char('f'));
    });
    if (const Json* given = reader.member("sha256");
        given != nullptr && given->is_string() && (!hex || file.sha256.size() != 64))
        reader.wrong("sha256", QStringLiteral("64 lower-case hexadecimal digits are expected"));
    reader.finish({QStringLiteral("upstream_path")});
    return file;
}

Candidate readCandidate(const Json& json, const QString& pointer, Complaints& complaints)
{
    ObjectReader reader(json, pointer, complaints);
    Candidate candidate;
    candidate.id = reader.id("id");
    candidate.title = reader.text("title", false, 500);
    reader.list(
        "files", maxWords,
        [&](const Json& value, const QString& at) { candidate.files << reader.pathOf(value, at); },
        1, true);
    candidate.entry = reader.text("entry", false, 200);
    if (reader.member("language") != nullptr)
        candidate.language = reader.text("language", false, 100);
    candidate.author = reader.text("author", false, 500);
    candidate.model = reader.text("model", false, 500);
    candidate.parent = reader.text("parent", false, 100);
    candidate.expected = Expected(reader.word("expected", expectedNames(), 0));
    candidate.flags = reader.words("flags", maxWords, 0, false, 200);
    reader.finish({QStringLiteral("dsl"), QStringLiteral("target_hw"), QStringLiteral("build"),
                   QStringLiteral("note")});
    return candidate;
}

InputGen readInput(const Json& json, const QString& pointer, Complaints& complaints)
{
    ObjectReader reader(json, pointer, complaints);
    InputGen input;
    input.gen = generatorNames().at(reader.word("gen", generatorNames(), 0, true));
    input.low = reader.number("low", 0);
    input.high = reader.number("high", 1);
    input.mean = reader.number("mean", 0);
    input.std = reader.number("std", 1, 0);
    input.value = reader.number("value", 0);
    reader.finish({QStringLiteral("file"), QStringLiteral("entry"), QStringLiteral("shape"),
                   QStringLiteral("dtype"), QStringLiteral("literal")});
    return input;
}

BundleCase readCase(const Json& json, const QString& pointer, Complaints& complaints)
{
    ObjectReader reader(json, pointer, complaints);
    BundleCase c;
    c.id = reader.id("id");
    c.use = CaseUse(reader.word("use", caseUseNames(), 0));
    reader.map("axes", [&](const QString& name, const Json& value, const QString& at) {
        c.axes.insert(name, reader.integerOf(value, at, 0, largestCount, 0));
    });
    reader.map("args", [&](const QString& name, const Json& value, const QString& at) {
        c.args.insert(name, reader.numberOf(value, at, -ObjectReader::largestDouble,
                                            ObjectReader::largestDouble, 0));
    });
    if (const Json* seed = reader.member("seed"))
        c.seeds << quint64(
            reader.integerOf(*seed, reader.at(QStringLiteral("seed")), 0, largestCount, 0));
    if (reader.member("seeds") != nullptr) {
        c.seeds.clear();
        reader.list("seeds", maxSeeds, [&](const Json& value, const QString& at) {
            c.seeds << quint64(reader.integerOf(value, at, 0, largestCount, 0));
        });
    }
    reader.map("inputs", [&](const QString& name, const Json& value, const QString& at) {
        c.inputs.insert(name, readInput(value, at, complaints));
    });
    if (const Json* rule = reader.member("tolerance"))
        c.tolerance = readRule(*rule, reader.at(QStringLiteral("tolerance")), complaints);
    c.argv = reader.words("argv");
    reader.finish({QStringLiteral("world_size"), QStringLiteral("note")});
    return c;
}

void readCorrectness(ObjectReader& reader, Bundle& bundle)
{
    if (const Json* rule = reader.member("default"))
        bundle.tolerance =
            readRule(*rule, reader.at(QStringLiteral("default")), reader.complaints());
    reader.map("per_output", [&](const QString& name, const Json& value, const QString& pointer) {
        bundle.perOutput.insert(name, readRule(value, pointer, reader.complaints()));
    });
    bundle.trials = reader.integer("trials", 1, 1000, 1);
    bundle.forbidden = reader.words("forbidden", maxWords, 0, false, 200);
    reader.finish({QStringLiteral("method"), QStringLiteral("per_dtype"),
                   QStringLiteral("seed_policy"), QStringLiteral("check_entry"),
                   QStringLiteral("required_refs"), QStringLiteral("reason")});
}

void readTiming(ObjectReader& reader, TimingPlan& timing)
{
    static const QStringList policies{QString(), QStringLiteral("cold"), QStringLiteral("warm")};
    reader.object("warmup", [&](ObjectReader& warmup) {
        timing.warmup = warmup.integer("n", 0, 100000, timing.warmup);
        warmup.finish({QStringLiteral("ms")});
    });
    reader.object("reps", [&](ObjectReader& reps) {
        timing.reps = reps.integer("n", 1, 100000, timing.reps);
        reps.finish({QStringLiteral("ms"), QStringLiteral("min"), QStringLiteral("max")});
    });
    reader.object("cache", [&](ObjectReader& cache) {
        timing.cachePolicy = policies.at(cache.word("policy", policies, 0));
        cache.finish({QStringLiteral("bytes")});
    });
    timing.freshInputs = reader.flag("fresh_inputs", true);
    reader.finish({QStringLiteral("clock"), QStringLiteral("filters"), QStringLiteral("stop"),
                   QStringLiteral("discard_first"), QStringLiteral("recheck"),
                   QStringLiteral("statistic"), QStringLiteral("trials"),
                   QStringLiteral("outliers"), QStringLiteral("clocks_locked")});
}

void readRun(ObjectReader& reader, Bundle& bundle)
{
    reader.object("timeouts_s", [&](ObjectReader& limits) {
        constexpr int day = 86400;
        bundle.timeouts.compileS = limits.integer("compile", 1, day, bundle.timeouts.compileS);
        bundle.timeouts.testS = limits.integer("test", 1, day, bundle.timeouts.testS);
        bundle.timeouts.benchS = limits.integer("bench", 1, day, bundle.timeouts.benchS);
        limits.finish({QStringLiteral("ranked")});
    });
    if (reader.member("ok_exit_codes") != nullptr) {
        bundle.okExitCodes.clear();
        reader.list(
            "ok_exit_codes", 256,
            [&](const Json& value, const QString& pointer) {
                bundle.okExitCodes << int(reader.integerOf(value, pointer, 0, 255, 0));
            },
            1);
    }
    reader.finish({QStringLiteral("commands"), QStringLiteral("cwd"), QStringLiteral("env")});
}

/// Objects that are kept as they are: only their being objects is checked.
void keepObject(ObjectReader& top, const char* key)
{
    top.object(key, [](ObjectReader&) {});
}

} // namespace

Bundle readManifest(const Json& json, Complaints& complaints)
{
    Bundle bundle;
    bundle.signature.entry = QStringLiteral("solve");
    ObjectReader top(json, QString(), complaints);
    if (!json.is_object())
        return bundle;
    const QString schema = top.text("schema", true);
    if (const Json* given = top.member("schema");
        given != nullptr && given->is_string() && schema != QLatin1String("kbundle/1"))
        top.wrong("schema", QStringLiteral("\"%1\" is not kbundle/1").arg(schema.left(60)),
                  ErrorCode::BadSchema, QStringLiteral("this version reads kbundle/1 only"));
    bundle.id = top.id("id");
    bundle.title = top.text("title", true, 500);
    bundle.status = BundleStatus(top.word("status", bundleStatusNames(), 0));
    bundle.taskType = TaskType(top.word("task_type", taskTypeNames(), 0, true));
    bundle.ops = top.words("ops", maxWords, 0, false, 200);
    bundle.tags = top.words("tags", maxWords, 0, false, 200);
    bundle.difficulty = top.text("difficulty", false, 100);
    top.text("direction", false, 100);
    for (const char* key : {"provenance", "license", "native"})
        keepObject(top, key);
    top.list("files", maxFiles, [&](const Json& value, const QString& pointer) {
        bundle.files << readFileEntry(value, pointer, complaints);
    });
    top.object("spec", [&](ObjectReader& spec) {
        bundle.specFile = spec.path("file");
        spec.finish({QStringLiteral("media"), QStringLiteral("math")});
    });
    top.object("signature",
               [&](ObjectReader& signature) { readSignature(signature, bundle.signature); });
    top.object("reference", [&](ObjectReader& reader) {
        Reference reference;
        reference.file = reader.path("file");
        if (reader.member("entry") != nullptr)
            reference.entry = reader.text("entry", false, 200);
        reference.framework = reader.text("framework", false, 100);
        reader.finish({QStringLiteral("target")});
        bundle.reference = reference;
    });
    top.object("source_impl", [&](ObjectReader& source) {
        bundle.sourceImpl = source.path("file");
        source.finish(
            {QStringLiteral("entry"), QStringLiteral("framework"), QStringLiteral("target")});
    });
    top.list("candidates", maxCandidates, [&](const Json& value, const QString& pointer) {
        bundle.candidates << readCandidate(value, pointer, complaints);
    });
    top.object("build", [&](ObjectReader& build) {
        build.object("flags", [&](ObjectReader& flags) {
            bundle.cudaFlags = flags.words("cuda", maxWords, 0, false, 200);
            flags.finish({QStringLiteral("c"), QStringLiteral("ld")});
        });
        build.finish({QStringLiteral("commands"), QStringLiteral("defines"),
                      QStringLiteral("include_dirs"), QStringLiteral("binding"),
                      QStringLiteral("deps"), QStringLiteral("cwd"), QStringLiteral("env")});
    });
    top.object("run", [&](ObjectReader& run) { readRun(run, bundle); });
    top.list("cases", maxCases, [&](const Json& value, const QString& pointer) {
        bundle.cases << readCase(value, pointer, complaints);
    });
    top.object("correctness", [&](ObjectReader& reader) { readCorrectness(reader, bundle); });
    top.object("timing", [&](ObjectReader& reader) { readTiming(reader, bundle.timing); });
    top.object("roofline", [&](ObjectReader& roofline) {
        bundle.roofline.flopsExpr = roofline.text("flops_expr", false, 1000);
        bundle.roofline.bytesExpr = roofline.text("bytes_expr", false, 1000);
        bundle.roofline.dtype = roofline.dtype("dtype", DType::Fp32);
        bundle.roofline.tensorCores = roofline.flag("tensor_cores", false);
        roofline.finish({QStringLiteral("regime"), QStringLiteral("peak"), QStringLiteral("sol_us"),
                         QStringLiteral("baseline_us")});
    });
    top.object("hardware", [&](ObjectReader& hardware) {
        bundle.hardwareNames = hardware.words("names", maxWords, 0, false, 200);
        hardware.finish({QStringLiteral("min_cc"), QStringLiteral("min_toolkit"),
                         QStringLiteral("device_count"), QStringLiteral("datacenter")});
    });
    top.object("scoring", [&](ObjectReader& scoring) {
        bundle.baselineCandidate = scoring.text("baseline", false, 100);
        scoring.finish({QStringLiteral("method")});
    });
    top.finish({QStringLiteral("results"), QStringLiteral("reviews"), QStringLiteral("$schema")});
    return bundle;
}

} // namespace ridgeline::manifest
