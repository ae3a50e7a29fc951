// SPDX-License-Identifier: GPL-3.0-or-later
// FlashInfer-Bench and SOL-ExecBench: a definition in JSON, workloads in JSON Lines, solutions in
// JSON, traces with results. SOL keeps a definition and its workloads in one folder.
#include "core/import/module_style.h"

#include "core/support/expr.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>

namespace ridgeline::import {

namespace {

constexpr qint64 jsonLimit = 16 * 1024 * 1024;

bool mentions(const QByteArray& bytes, std::initializer_list<const char*> keys)
{
    return std::all_of(keys.begin(), keys.end(),
                       [&bytes](const char* key) { return bytes.contains(key); });
}

bool isDefinition(const Json& json)
{
    return json.is_object() && jsonMember(json, "name").is_string() &&
           jsonMember(json, "axes").is_object() && jsonMember(json, "inputs").is_object() &&
           jsonMember(json, "outputs").is_object() && json.contains("reference");
}

struct Solution {
    QString file, definition;
};

/// What a tree holds, read once per detection: files by the definition they name.
struct Parts {
    QVector<QPair<QString, QString>> definitions; ///< file, name
    QVector<QString> broken;                      ///< files that should be definitions
    QVector<Solution> solutions;
    QMap<QString, QStringList> lines; ///< workload and trace files by definition
};

Parts partsOf(Scan& scan)
{
    Parts parts;
    for (const QString& file : scan.free(".json")) {
        if (scan.tree().size(file) > jsonLimit || scan.tree().size(file) < 20)
            continue;
        const auto bytes = scan.tree().read(file);
        if (!bytes)
            continue;
        const bool definition = mentions(*bytes, {"\"axes\"", "\"inputs\"", "\"outputs\""});
        const bool solution = mentions(*bytes, {"\"definition\"", "\"spec\"", "\"sources\""});
        if (!definition && !solution)
            continue;
        const auto json = parseJson(*bytes, file);
        if (!json) {
            if (baseOf(file) == QLatin1String("definition.json") ||
                file.contains(QLatin1String("definitions/")))
                parts.broken << file;
            continue;
        }
        if (isDefinition(*json))
            parts.definitions << qMakePair(file, jsonString(*json, "name"));
        else if (baseOf(file) == QLatin1String("definition.json") && definition)
            parts.broken << file;
        else if (jsonMember(*json, "definition").is_string() &&
                 jsonMember(*json, "sources").is_array())
            parts.solutions << Solution{file, jsonString(*json, "definition")};
    }
    for (const QString& file : scan.free(".jsonl")) {
        const QString first = scan.text(file).section(QLatin1Char('\n'), 0, 0).left(4'000'000);
        if (!first.contains(QLatin1String("\"definition\"")))
            continue;
        const auto json = parseJson(first.toUtf8(), file);
        if (json && jsonMember(*json, "definition").is_string())
            parts.lines[jsonString(*json, "definition")] << file;
    }
    return parts;
}

qsizetype commonPrefix(const QString& a, const QString& b)
{
    const QStringList x = a.split(QLatin1Char('/')), y = b.split(QLatin1Char('/'));
    qsizetype n = 0;
    while (n < x.size() && n < y.size() && x[n] == y[n])
        ++n;
    return n;
}

/// One definition each; a solution goes to the definition of its name that is nearest.
void findBoth(Scan& scan, bool sol)
{
    const Parts parts = partsOf(scan);
    QVector<Detection> made;
    QStringList names;
    const auto isSol = [&scan](const QString& file) {
        return scan.tree().contains(joined(parentOf(file), QStringLiteral("workload.jsonl")));
    };
    for (const auto& [file, name] : parts.definitions) {
        if (isSol(file) != sol)
            continue;
        Detection detection;
        detection.format =
            sol ? QStringLiteral("sol-execbench") : QStringLiteral("flashinfer-bench");
        detection.confidence = 1;
        detection.path = sol ? parentOf(file) : file;
        detection.name = name;
        detection.why = sol ? QStringLiteral("definition.json beside workload.jsonl")
                            : QStringLiteral("JSON with name, axes, inputs, outputs, reference");
        detection.files << file;
        if (sol) {
            detection.files << joined(parentOf(file), QStringLiteral("workload.jsonl"));
            const QString folder = baseOf(parentOf(file));
            if (!folder.isEmpty() && folder != name)
                detection.name = folder + QLatin1Char('-') + name;
        }
        made << detection;
        names << name;
    }
    for (const QString& file : parts.broken) {
        if (isSol(file) != sol)
            continue;
        Detection detection;
        detection.format =
            sol ? QStringLiteral("sol-execbench") : QStringLiteral("flashinfer-bench");
        detection.confidence = 0.7;
        detection.path = sol ? parentOf(file) : file;
        detection.name = baseOf(parentOf(file));
        detection.why = QStringLiteral("named like a definition");
        detection.files << file;
        made << detection;
        names << QString();
    }
    const auto nearest = [&](const QString& definition, const QString& file) {
        qsizetype best = -1, found = -1;
        for (qsizetype i = 0; i < made.size(); ++i) {
            if (names[i] != definition)
                continue;
            const qsizetype near = commonPrefix(made[i].files[0], file);
            if (near > best) {
                best = near;
                found = i;
            }
        }
        return found;
    };
    for (const Solution& solution : parts.solutions) {
        const qsizetype at = nearest(solution.definition, solution.file);
        if (at >= 0)
            made[at].files << solution.file;
    }
    for (auto it = parts.lines.begin(); it != parts.lines.end(); ++it) {
        for (const QString& file : *it) {
            const qsizetype at = nearest(it.key(), file);
            if (at >= 0 && !made[at].files.contains(file))
                made[at].files << file;
        }
    }
    // Files of the folder that only this definition can mean: references, configurations.
    for (Detection& detection : made) {
        if (!sol)
            continue;
        for (const QString& name : scan.tree().namesIn(detection.path)) {
            const QString file = joined(detection.path, name);
            if (!detection.files.contains(file) && !scan.isClaimed(file))
                detection.files << file;
        }
    }
    for (const Detection& detection : made)
        scan.add(detection);
}

void findFlashInfer(Scan& scan)
{
    findBoth(scan, false);
}

void findSol(Scan& scan)
{
    findBoth(scan, true);
}

class Filler {
public:
    explicit Filler(Draft& draft)
        : m_draft(draft), m_sol(draft.task().format == QLatin1String("sol-execbench"))
    {
    }

    void run()
    {
        const QString file = m_draft.task().files.constFirst();
        m_draft.keep(file);
        const auto bytes = m_draft.tree().read(file);
        const auto json = bytes ? parseJson(*bytes, file) : Result<Json>(bytes.error());
        if (!json) {
            m_draft.outcome().error = json.error();
            return;
        }
        if (!isDefinition(*json)) {
            m_draft.outcome().error =
                Error{ErrorCode::BadSchema,
                      QStringLiteral("no definition: name, axes, inputs, outputs and reference are "
                                     "needed"),
                      {file},
                      {}};
            return;
        }
        m_definition = *json;
        basics(file);
        signature();
        rules();
        for (const QString& other : m_draft.task().files) {
            if (other == file)
                continue;
            if (other.endsWith(QLatin1String(".jsonl")))
                lines(other);
            else
                solution(other);
        }
        if (m_cases.empty())
            m_draft.stub(QStringLiteral("%1: no workloads").arg(file));
        m_draft.mapped(QStringLiteral("cases: %1 workloads").arg(m_cases.size()));
        m_draft.manifest()["cases"] = m_cases;
        if (!m_rows.isEmpty()) {
            m_draft.result(importedRecord(m_rows, QStringLiteral("traces"), m_environment));
            m_draft.mapped(QStringLiteral("results: %1 traces").arg(m_rows.size()));
        }
    }

private:
    void basics(const QString& file)
    {
        Json& manifest = m_draft.manifest();
        manifest["title"] = sstr(jsonString(m_definition, "name"));
        m_draft.object("provenance")["upstream_id"] = sstr(jsonString(m_definition, "name"));
        const QString op = jsonString(m_definition, "op_type");
        if (!op.isEmpty())
            manifest["ops"] = Json::array({sstr(op.left(200))});
        Json tags = Json::array();
        for (const QString& tag : jsonStrings(m_definition, "tags"))
            tags.push_back(sstr(tag.left(200)));
        if (!tags.empty())
            manifest["tags"] = tags;
        const QString description = jsonString(m_definition, "description");
        QString text =
            QStringLiteral("# %1\n\n%2\n").arg(jsonString(m_definition, "name"), description);
        const auto table = [&](const char* key, const char* title) {
            text += QStringLiteral("\n## %1\n\n").arg(QLatin1String(title));
            for (const auto& [name, entry] : jsonMember(m_definition, key).items()) {
                const Json& shape = jsonMember(entry, "shape");
                text += QStringLiteral("- `%1`: %2, %3%4\n")
                            .arg(qstr(name), jsonString(entry, "dtype"),
                                 shape.is_null() ? QStringLiteral("scalar") : qstr(shape.dump()),
                                 jsonString(entry, "description").isEmpty()
                                     ? QString()
                                     : QStringLiteral(": ") + jsonString(entry, "description"));
            }
        };
        table("inputs", "Inputs");
        table("outputs", "Outputs");
        const QStringList constraints = jsonStrings(m_definition, "constraints");
        if (!constraints.isEmpty())
            text += QStringLiteral("\n## Constraints\n\n- %1\n")
                        .arg(constraints.join(QStringLiteral("\n- ")));
        m_draft.spec(text.trimmed());
        m_draft.mapped(QStringLiteral("spec: description, inputs and outputs of the definition"));
        const Json& reference = jsonMember(m_definition, "reference");
        if (!reference.is_string() || reference.get_ref<const std::string&>().empty()) {
            m_draft.stub(QStringLiteral("%1#/reference: there is no reference").arg(file));
            return;
        }
        const QString path = m_draft.addText(
            QStringLiteral("reference.py"), QByteArray::fromStdString(reference.get<std::string>()),
            QStringLiteral("reference"), QStringLiteral("python"));
        m_draft.reference(path, QStringLiteral("run"), QStringLiteral("torch"));
        m_draft.mapped(QStringLiteral("reference: run() of the definition"));
        const QString custom = jsonString(m_definition, "custom_inputs_entrypoint");
        if (!custom.isEmpty())
            m_generator = {{"file", sstr(path)}, {"entry", sstr(custom)}};
    }

    Json tensor(const std::string& name, const Json& entry)
    {
        Json made{{"name", name}, {"dtype", jsonMember(entry, "dtype")}};
        const Json& shape = jsonMember(entry, "shape");
        if (shape.is_array()) {
            made["shape"] = Json::array();
            for (const Json& extent : shape)
                made["shape"].push_back(extent.is_number() ? Json(extent.dump()) : extent);
        } else {
            made["shape"] = nullptr;
        }
        return made;
    }

    void signature()
    {
        Json& signature = m_draft.object("signature");
        signature["call_style"] = m_sol ? "function" : "dps";
        signature["entry"] = "run";
        signature["axes"] = Json::array();
        for (const auto& [name, axis] : jsonMember(m_definition, "axes").items()) {
            signature["axes"].push_back(name);
            const QString type = jsonString(axis, "type");
            if (type == QLatin1String("const"))
                m_constants.insert(qstr(name), jsonNumber(axis, "value"));
            else if (type == QLatin1String("expr"))
                m_expressions.insert(qstr(name), jsonString(axis, "expression"));
            else
                m_free << qstr(name);
        }
        for (const char* key : {"inputs", "outputs"}) {
            signature[key] = Json::array();
            for (const auto& [name, entry] : jsonMember(m_definition, key).items())
                signature[key].push_back(tensor(name, entry));
        }
        if (!m_generator.is_null())
            signature["generator"] = m_generator;
        const Json& constraints = jsonMember(m_definition, "constraints");
        if (!constraints.is_null())
            signature["constraints"] = constraints;
        m_draft.mapped(QStringLiteral("signature: axes, inputs and outputs of the definition"));
    }

    void rules()
    {
        Json& correctness = m_draft.object("correctness");
        if (m_sol) {
            correctness["default"] = tolerance("allclose", 1e-2, 1e-2);
            correctness["default"]["min_match_ratio"] = 0.99;
            correctness["trials"] = 10;
            m_draft.mapped(QStringLiteral("correctness: allclose 1e-2 with 99 % of elements, or as "
                                          "each workload says"));
        } else {
            correctness["default"] = tolerance("both_exceed", 1e-2, 1e-2);
            const bool moe = jsonString(m_definition, "op_type").contains(QLatin1String("moe"));
            if (moe)
                correctness["default"]["min_match_ratio"] = 0.95;
            m_draft.mapped(QStringLiteral("correctness: wrong where abs > 1e-2 and rel > 1e-2%1")
                               .arg(moe ? QStringLiteral(", 95 % of elements") : QString()));
        }
        m_draft.object("timing") = {{"clock", "cupti"},      {"warmup", {{"n", 10}}},
                                    {"reps", {{"n", 50}}},   {"cache", {{"policy", "cold"}}},
                                    {"statistic", "median"}, {"trials", m_sol ? 1 : 3}};
        m_draft.mapped(QStringLiteral("timing: 10 warm-ups, 50 repetitions, cold L2, median"));
    }

    /// All axes of one workload; an expression that cannot be computed leaves the case out.
    std::optional<Json> axesOf(const Json& given, const QString& place)
    {
        ExprEnv env;
        for (auto it = m_constants.begin(); it != m_constants.end(); ++it)
            env.insert(it.key(), *it);
        for (const QString& name : std::as_const(m_free)) {
            const Json& value = jsonMember(given, name.toUtf8().constData());
            if (!value.is_number_integer() || value.get<double>() < 0) {
                m_draft.warn(QStringLiteral("%1: the axis \"%2\" has no value").arg(place, name));
                return std::nullopt;
            }
            env.insert(name, value.get<double>());
        }
        // An expression may use another one.
        QMap<QString, QString> open = m_expressions;
        for (qsizetype round = m_expressions.size(); round > 0 && !open.isEmpty(); --round) {
            for (const QString& name : open.keys()) {
                const auto value = evaluateCount(open.value(name), env);
                if (!value)
                    continue;
                env.insert(name, double(*value));
                open.remove(name);
            }
        }
        if (!open.isEmpty()) {
            m_draft.warn(QStringLiteral("%1: the axis \"%2\" cannot be computed from \"%3\"")
                             .arg(place, open.firstKey(), open.first()));
            return std::nullopt;
        }
        Json axes = Json::object();
        for (auto it = env.begin(); it != env.end(); ++it)
            axes[sstr(it.key())] = qint64(*it);
        return axes;
    }

    Json inputOf(const Json& input, const QString& place)
    {
        const QString type = jsonString(input, "type");
        if (type == QLatin1String("scalar"))
            return {{"gen", "scalar"}, {"value", jsonMember(input, "value")}};
        if (type == QLatin1String("custom"))
            return {{"gen", "code"}};
        if (type == QLatin1String("safetensors")) {
            const QString path = jsonString(input, "path");
            Json made{{"gen", "file"}, {"key", jsonMember(input, "tensor_key")}};
            // Paths count from the top of the data set.
            QString found;
            for (QString folder = parentOf(m_draft.task().files[0]);; folder = parentOf(folder)) {
                const auto at = m_draft.tree().resolve(folder, path);
                if (at && m_draft.tree().contains(*at)) {
                    found = *at;
                    break;
                }
                if (folder.isEmpty())
                    break;
            }
            if (found.isEmpty()) {
                m_draft.warn(QStringLiteral("%1: \"%2\" is not there").arg(place, path));
                made["file"] = sstr(QStringLiteral("files/blob/missing"));
            } else {
                if (!m_blobs.contains(found))
                    m_blobs.insert(found, m_draft.add(found, QStringLiteral("data"),
                                                      QStringLiteral("safetensors"),
                                                      QStringLiteral("blob/") + baseOf(found)));
                made["file"] = sstr(m_blobs.value(found));
            }
            return made;
        }
        return {{"gen", "normal"}};
    }

    void workload(const Json& workload, const QString& place)
    {
        const QString uuid = jsonString(workload, "uuid");
        const auto axes = axesOf(jsonMember(workload, "axes"), place);
        if (!axes || m_cases.size() >= 2000)
            return;
        QString id =
            idFrom(uuid.isEmpty() ? QStringLiteral("workload-%1").arg(m_cases.size() + 1) : uuid);
        if (m_seen.contains(id))
            return;
        m_seen << id;
        Json made{{"id", sstr(id)}, {"axes", *axes}, {"inputs", Json::object()}};
        for (const auto& [name, input] : jsonMember(workload, "inputs").items()) {
            Json spec = inputOf(input, place);
            // A scalar that is no number is kept where it does not stop the rest.
            if (spec["gen"] == "scalar" && !spec["value"].is_number()) {
                spec["literal"] = spec["value"];
                spec.erase("value");
            }
            made["inputs"][name] = spec;
        }
        const Json& rule = jsonMember(workload, "tolerance");
        if (rule.is_object()) {
            made["tolerance"] = tolerance("allclose", jsonNumber(rule, "max_rtol", 1e-2),
                                          jsonNumber(rule, "max_atol", 1e-2));
            made["tolerance"]["min_match_ratio"] =
                std::clamp(jsonNumber(rule, "required_matched_ratio", 0.99), 0.0, 1.0);
            for (const auto& [from, to] : {std::pair("max_error_cap", "error_cap"),
                                           std::pair("allow_negative_inf", "allow_neg_inf")}) {
                if (!jsonMember(rule, from).is_null())
                    made["tolerance"][to] = jsonMember(rule, from);
            }
        }
        m_cases.push_back(made);
    }

    void lines(const QString& file)
    {
        m_draft.keep(file);
        const auto bytes = m_draft.tree().read(file);
        if (!bytes)
            return;
        if (bytes->trimmed().startsWith('[')) {
            m_draft.warn(
                QStringLiteral("%1: a JSON list although its name says JSON Lines; read as "
                               "a list")
                    .arg(file));
            const auto list = parseJson(*bytes, file);
            if (!list) {
                m_draft.warn(list.error().toString());
                return;
            }
            int n = 0;
            for (const Json& entry : *list)
                line(entry, QStringLiteral("%1#/%2").arg(file).arg(n++));
            return;
        }
        int number = 0;
        for (const QByteArray& text : bytes->split('\n')) {
            ++number;
            if (text.trimmed().isEmpty())
                continue;
            const QString place = QStringLiteral("%1:%2").arg(file).arg(number);
            const auto json = parseJson(text, file);
            if (!json) {
                m_draft.warn(QStringLiteral("%1: %2").arg(place, json.error().message));
                continue;
            }
            line(*json, place);
        }
    }

    void line(const Json& json, const QString& place)
    {
        const Json& inside = jsonMember(json, "workload");
        workload(inside.is_object() ? inside : json, place);
        const Json& evaluation = jsonMember(json, "evaluation");
        const QString solution = jsonString(json, "solution");
        if (!evaluation.is_object() || solution.isEmpty())
            return;
        ImportedRow row;
        row.candidate = idFrom(solution);
        row.caseId = idFrom(jsonString(inside, "uuid"));
        const QString status = jsonString(evaluation, "status");
        row.compiled = status != QLatin1String("COMPILE_ERROR");
        row.correct = status == QLatin1String("PASSED");
        row.message =
            QStringLiteral("%1 %2").arg(status, jsonString(evaluation, "log").left(300)).trimmed();
        const double ms = jsonNumber(jsonMember(evaluation, "performance"), "latency_ms", -1);
        if (ms > 0) {
            row.ns = ms * 1e6;
            row.rawValue = ms;
            row.rawUnit = QStringLiteral("ms");
            row.statistic = m_sol ? QStringLiteral("median") : QStringLiteral("mean of medians");
        }
        row.more = evaluation;
        m_environment = jsonMember(evaluation, "environment");
        m_rows << row;
    }

    void solution(const QString& file)
    {
        m_draft.keep(file);
        if (!file.endsWith(QLatin1String(".json")))
            return;
        const auto bytes = m_draft.tree().read(file);
        const auto json = bytes ? parseJson(*bytes, file) : Result<Json>(bytes.error());
        if (!json) {
            m_draft.warn(json.error().toString());
            return;
        }
        const Json& sources = jsonMember(*json, "sources");
        if (!sources.is_array() || !jsonMember(*json, "definition").is_string())
            return;
        const QString name = jsonString(*json, "name", baseOf(file));
        const Json& spec = jsonMember(*json, "spec");
        const QString entry = jsonString(spec, "entry_point");
        QStringList paths;
        QString first;
        for (const Json& source : sources) {
            const QString path = jsonString(source, "path");
            const auto clean = m_draft.tree().resolve(QString(), path);
            if (!clean) {
                m_draft.warn(
                    QStringLiteral("%1: source \"%2\" leaves its folder; the solution is left "
                                   "out")
                        .arg(file, path.left(120)));
                return;
            }
            const Json& content = jsonMember(source, "content");
            const QString made = m_draft.addText(
                QStringLiteral("solutions/%1/%2").arg(idFrom(name), *clean),
                content.is_string() ? QByteArray::fromStdString(content.get<std::string>())
                                    : QByteArray(),
                QStringLiteral("candidate"), languageOf(path));
            if (path == entry.section(QLatin1String("::"), 0, 0))
                first = made;
            else
                paths << made;
        }
        if (first.isEmpty() && paths.isEmpty()) {
            m_draft.warn(QStringLiteral("%1: names no sources").arg(file));
            return;
        }
        if (!first.isEmpty())
            paths.prepend(first);
        QStringList languages = jsonStrings(spec, "languages");
        if (languages.isEmpty())
            languages << jsonString(spec, "language");
        QString language = languages.value(0);
        if (language == QLatin1String("cuda_cpp") || language == QLatin1String("cudnn") ||
            language == QLatin1String("cutlass"))
            language = QStringLiteral("cuda");
        if (language == QLatin1String("pytorch") || language == QLatin1String("torch"))
            language = QStringLiteral("python");
        Json more{{"entry", sstr(entry.section(QLatin1String("::"), 1))}};
        if (more["entry"] == "")
            more.erase("entry");
        more["dsl"] = jsonMember(spec, "languages").is_array() ? jsonMember(spec, "languages")
                                                               : jsonMember(spec, "language");
        if (const Json& author = jsonMember(*json, "author"); author.is_string())
            more["author"] = author;
        if (const Json& hardware = jsonMember(spec, "target_hardware"); !hardware.is_null())
            more["target_hw"] = hardware;
        // What a solution does not say depends on the collection.
        const bool dps = jsonBool(spec, "destination_passing_style", true);
        more["build"] = {{"call_style", dps ? "dps" : "function"},
                         {"binding", jsonMember(spec, "binding")},
                         {"deps", jsonMember(spec, "dependencies")}};
        if (const Json& options = jsonMember(spec, "compile_options"); !options.is_null())
            more["build"]["flags"] = options;
        m_draft.candidate(name, paths, language, more);
        m_draft.mapped(
            QStringLiteral("candidate: %1 (%2)").arg(name, languages.join(QStringLiteral(", "))));
    }

    Draft& m_draft;
    const bool m_sol;
    Json m_definition, m_environment;
    Json m_generator;
    Json m_cases = Json::array();
    QMap<QString, double> m_constants;
    QMap<QString, QString> m_expressions, m_blobs;
    QStringList m_free, m_seen;
    QVector<ImportedRow> m_rows;
};

void fill(Draft& draft)
{
    Filler(draft).run();
}

} // namespace

Importer flashInferImporter()
{
    return {{QStringLiteral("flashinfer-bench"), QStringLiteral("FlashInfer-Bench"),
             QStringLiteral("JSON with name, axes, inputs, outputs and reference"), false},
            findFlashInfer,
            fill};
}

Importer solImporter()
{
    return {{QStringLiteral("sol-execbench"), QStringLiteral("SOL-ExecBench"),
             QStringLiteral("definition.json beside workload.jsonl"), false},
            findSol,
            fill};
}

} // namespace ridgeline::import
