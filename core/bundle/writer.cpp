// SPDX-License-Identifier: GPL-3.0-or-later
// From values back to JSON. Only what differs from what `raw` says is written, so that a manifest
// that was merely loaded comes out as it went in.
#include "core/bundle/manifest.h"

#include <cmath>

namespace ridgeline {

namespace {

using manifest::Complaints;

/// Sets or, for an empty value that was not there before, leaves out.
template <class Value>
void put(Json& object, const char* key, const Value& value)
{
    if (!object.is_object())
        object = Json::object();
    object[key] = value;
}

void putText(Json& object, const char* key, const QString& now, const QString& before)
{
    if (now == before)
        return;
    if (now.isEmpty())
        object.erase(key);
    else
        put(object, key, sstr(now));
}

Json wordsJson(const QStringList& words)
{
    Json list = Json::array();
    for (const QString& word : words)
        list.push_back(sstr(word));
    return list;
}

void putWords(Json& object, const char* key, const QStringList& now, const QStringList& before)
{
    if (now != before)
        put(object, key, wordsJson(now));
}

/// A whole number is written as one.
Json numberJson(double value)
{
    constexpr double exact = 9007199254740992.0;
    if (value == std::floor(value) && std::abs(value) <= exact)
        return Json(qint64(value));
    return Json(value);
}

Json& child(Json& object, const char* key)
{
    if (!object.is_object())
        object = Json::object();
    Json& member = object[key];
    if (!member.is_object())
        member = Json::object();
    return member;
}

/// Rewrites a list: an entry that was there (same name) is edited in place of its old object, so
/// that its unknown keys stay; a new one starts from an empty object.
template <class T, class Name, class Write>
void putList(Json& object, const char* key, const QVector<T>& now, const QVector<T>& before,
             Name name, Write write)
{
    if (now == before)
        return;
    const Json old = jsonMember(object, key);
    Json list = Json::array();
    for (const T& value : now) {
        Json entry = Json::object();
        T was;
        for (qsizetype i = 0; i < before.size() && std::size_t(i) < old.size(); ++i) {
            if (name(before[i]) == name(value)) {
                entry = old[std::size_t(i)];
                was = before[i];
                break;
            }
        }
        write(entry, value, was);
        list.push_back(std::move(entry));
    }
    put(object, key, list);
}

void writeRule(Json& json, const ToleranceRule& now, const ToleranceRule& before)
{
    if (!json.is_object())
        json = Json::object();
    if (now.method != before.method || !json.contains("method"))
        put(json, "method", sstr(now.method));
    const auto limit = [&](const char* key, const std::optional<double>& value,
                           const std::optional<double>& was) {
        if (value == was)
            return;
        if (value)
            put(json, key, *value);
        else
            json.erase(key);
    };
    limit("rtol", now.rtol, before.rtol);
    limit("atol", now.atol, before.atol);
    limit("ulp", now.ulp, before.ulp);
    if (now.minMatchRatio != before.minMatchRatio)
        put(json, "min_match_ratio", now.minMatchRatio);
    if (now.equalNan != before.equalNan)
        put(json, "equal_nan", now.equalNan);
}

void writeFile(Json& json, const BundleFile& now, const BundleFile& before)
{
    putText(json, "path", now.path, before.path);
    putText(json, "role", now.role, before.role);
    putText(json, "language", now.language, before.language);
    putText(json, "visibility", now.visibility, before.visibility);
    putText(json, "sha256", now.sha256, before.sha256);
}

void writeParam(Json& json, const Param& now, const Param& before)
{
    putText(json, "name", now.name, before.name);
    if (now.dtype != before.dtype || !json.contains("dtype"))
        put(json, "dtype", sstr(dtypeName(now.dtype)));
    if (now.pointer != before.pointer)
        put(json, "pointer", now.pointer);
    if (now.direction != before.direction)
        put(json, "direction", sstr(paramDirectionName(now.direction)));
    putWords(json, "shape", now.shape, before.shape);
    putText(json, "value", now.value, before.value);
}

void writeSignature(Json& json, const Signature& now, const Signature& before)
{
    if (now.callStyle != before.callStyle || !json.contains("call_style"))
        put(json, "call_style", sstr(callStyleName(now.callStyle)));
    putText(json, "entry", now.entry, before.entry);
    putWords(json, "axes", now.axes, before.axes);
    putList(
        json, "params", now.params, before.params, [](const Param& p) { return p.name; },
        writeParam);
}

void writeCandidate(Json& json, const Candidate& now, const Candidate& before)
{
    putText(json, "id", now.id, before.id);
    putText(json, "title", now.title, before.title);
    putWords(json, "files", now.files, before.files);
    putText(json, "entry", now.entry, before.entry);
    putText(json, "language", now.language, before.language);
    putText(json, "author", now.author, before.author);
    putText(json, "model", now.model, before.model);
    putText(json, "parent", now.parent, before.parent);
    if (now.expected != before.expected)
        put(json, "expected", sstr(expectedName(now.expected)));
    putWords(json, "flags", now.flags, before.flags);
}

void writeInput(Json& json, const InputGen& now, const InputGen& before)
{
    const bool fresh = !json.contains("gen");
    if (now.gen != before.gen || fresh)
        put(json, "gen", sstr(now.gen));
    const auto number = [&](const char* key, double value, double was) {
        if (value != was)
            put(json, key, numberJson(value));
    };
    number("low", now.low, before.low);
    number("high", now.high, before.high);
    number("mean", now.mean, before.mean);
    number("std", now.std, before.std);
    number("value", now.value, before.value);
}

/// Maps keep the order of the old object for the keys that stay.
template <class T, class Write>
void putMap(Json& object, const char* key, const QMap<QString, T>& now,
            const QMap<QString, T>& before, Write write)
{
    if (now == before)
        return;
    Json map = Json::object();
    const Json old = jsonMember(object, key);
    if (old.is_object()) {
        for (const auto& [name, value] : old.items()) {
            if (now.contains(qstr(name)))
                map[name] = value;
        }
    }
    for (auto it = now.begin(); it != now.end(); ++it)
        write(map[sstr(it.key())], *it, before.value(it.key()));
    put(object, key, map);
}

void writeCase(Json& json, const BundleCase& now, const BundleCase& before)
{
    putText(json, "id", now.id, before.id);
    if (now.use != before.use)
        put(json, "use", sstr(caseUseName(now.use)));
    putMap(json, "axes", now.axes, before.axes,
           [](Json& value, qint64 number, qint64) { value = number; });
    putMap(json, "args", now.args, before.args, [](Json& value, double number, double was) {
        if (value.is_null() || number != was)
            value = numberJson(number);
    });
    if (now.seeds != before.seeds) {
        Json seeds = Json::array();
        for (quint64 seed : now.seeds)
            seeds.push_back(seed);
        json.erase("seed");
        put(json, "seeds", seeds);
    }
    putMap(json, "inputs", now.inputs, before.inputs, writeInput);
    if (now.tolerance != before.tolerance) {
        if (now.tolerance)
            writeRule(json["tolerance"], *now.tolerance,
                      before.tolerance.value_or(ToleranceRule{}));
        else
            json.erase("tolerance");
    }
    putWords(json, "argv", now.argv, before.argv);
}

void writeSettings(Json& json, const Bundle& now, const Bundle& before)
{
    if (now.tolerance != before.tolerance)
        writeRule(child(child(json, "correctness"), "default"), now.tolerance, before.tolerance);
    if (now.perOutput != before.perOutput)
        putMap(child(json, "correctness"), "per_output", now.perOutput, before.perOutput,
               writeRule);
    if (now.trials != before.trials)
        put(child(json, "correctness"), "trials", now.trials);
    if (now.forbidden != before.forbidden)
        putWords(child(json, "correctness"), "forbidden", now.forbidden, before.forbidden);

    if (now.cudaFlags != before.cudaFlags)
        putWords(child(child(json, "build"), "flags"), "cuda", now.cudaFlags, before.cudaFlags);
    const auto limit = [&](const char* key, int value, int was) {
        if (value != was)
            put(child(child(json, "run"), "timeouts_s"), key, value);
    };
    limit("compile", now.timeouts.compileS, before.timeouts.compileS);
    limit("test", now.timeouts.testS, before.timeouts.testS);
    limit("bench", now.timeouts.benchS, before.timeouts.benchS);
    if (now.okExitCodes != before.okExitCodes) {
        Json codes = Json::array();
        for (int code : now.okExitCodes)
            codes.push_back(code);
        put(child(json, "run"), "ok_exit_codes", codes);
    }

    if (now.timing.warmup != before.timing.warmup)
        put(child(child(json, "timing"), "warmup"), "n", now.timing.warmup);
    if (now.timing.reps != before.timing.reps)
        put(child(child(json, "timing"), "reps"), "n", now.timing.reps);
    if (now.timing.cachePolicy != before.timing.cachePolicy)
        putText(child(child(json, "timing"), "cache"), "policy", now.timing.cachePolicy,
                before.timing.cachePolicy);
    if (now.timing.freshInputs != before.timing.freshInputs)
        put(child(json, "timing"), "fresh_inputs", now.timing.freshInputs);

    if (now.roofline != before.roofline) {
        Json& roofline = child(json, "roofline");
        putText(roofline, "flops_expr", now.roofline.flopsExpr, before.roofline.flopsExpr);
        putText(roofline, "bytes_expr", now.roofline.bytesExpr, before.roofline.bytesExpr);
        if (now.roofline.dtype != before.roofline.dtype)
            put(roofline, "dtype", sstr(dtypeName(now.roofline.dtype)));
        if (now.roofline.tensorCores != before.roofline.tensorCores)
            put(roofline, "tensor_cores", now.roofline.tensorCores);
    }
    if (now.hardwareNames != before.hardwareNames)
        putWords(child(json, "hardware"), "names", now.hardwareNames, before.hardwareNames);
    if (now.baselineCandidate != before.baselineCandidate)
        putText(child(json, "scoring"), "baseline", now.baselineCandidate,
                before.baselineCandidate);
}

} // namespace

Json bundleToJson(const Bundle& bundle)
{
    Json json = bundle.raw.is_object() ? bundle.raw : Json::object();
    // What `raw` means to the reader; what it complains about does not matter here.
    Complaints ignored{QString()};
    Bundle before = manifest::readManifest(json, ignored);
    manifest::deriveStatus(before, bundle.dir, ignored);

    if (!json.contains("schema"))
        put(json, "schema", "kbundle/1");
    putText(json, "id", bundle.id, before.id);
    putText(json, "title", bundle.title, before.title);
    if (bundle.status != before.status)
        put(json, "status", sstr(bundleStatusName(bundle.status)));
    if (bundle.taskType != before.taskType || !json.contains("task_type"))
        put(json, "task_type", sstr(taskTypeName(bundle.taskType)));
    putWords(json, "ops", bundle.ops, before.ops);
    putWords(json, "tags", bundle.tags, before.tags);
    putText(json, "difficulty", bundle.difficulty, before.difficulty);
    putList(
        json, "files", bundle.files, before.files, [](const BundleFile& f) { return f.path; },
        writeFile);
    if (bundle.specFile != before.specFile) {
        if (bundle.specFile.isEmpty())
            json.erase("spec");
        else
            put(child(json, "spec"), "file", sstr(bundle.specFile));
    }
    if (bundle.signature != before.signature) {
        // A manifest without a signature reads as one with the default entry.
        Signature was = before.signature;
        if (!json.contains("signature"))
            was = Signature{};
        writeSignature(child(json, "signature"), bundle.signature, was);
    }
    if (bundle.reference != before.reference) {
        if (!bundle.reference) {
            json.erase("reference");
        } else {
            const Reference was = before.reference.value_or(Reference{});
            Json& reference = child(json, "reference");
            putText(reference, "file", bundle.reference->file, was.file);
            putText(reference, "entry", bundle.reference->entry, was.entry);
            putText(reference, "framework", bundle.reference->framework, was.framework);
        }
    }
    if (bundle.sourceImpl != before.sourceImpl) {
        if (bundle.sourceImpl.isEmpty())
            json.erase("source_impl");
        else
            put(child(json, "source_impl"), "file", sstr(bundle.sourceImpl));
    }
    putList(
        json, "candidates", bundle.candidates, before.candidates,
        [](const Candidate& c) { return c.id; }, writeCandidate);
    putList(
        json, "cases", bundle.cases, before.cases, [](const BundleCase& c) { return c.id; },
        writeCase);
    writeSettings(json, bundle, before);
    return json;
}

} // namespace ridgeline
