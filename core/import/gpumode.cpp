// SPDX-License-Identifier: GPL-3.0-or-later
// GPU MODE: task.yml beside task.py (or task.h), reference and submissions.
#include "core/import/importer.h"
#include "core/import/yaml.h"
#include "core/support/paths.h"

#include <QRegularExpression>

namespace ridgeline::import {

namespace {

void find(Scan& scan)
{
    for (const QString& folder : scan.tree().folders()) {
        for (const char* name : {"task.yml", "task.yaml"}) {
            const QString file = joined(folder, QString::fromLatin1(name));
            if (!scan.tree().contains(file) || scan.isClaimed(file))
                continue;
            const QString text = scan.text(file);
            static const QRegularExpression files(QStringLiteral("^files:"),
                                                  QRegularExpression::MultilineOption);
            static const QRegularExpression lang(QStringLiteral("^lang:"),
                                                 QRegularExpression::MultilineOption);
            const bool sure = text.contains(files) && text.contains(lang) &&
                              text.contains(QLatin1String("@SUBMISSION@"));
            if (!sure && !scan.forced())
                continue;
            Detection detection;
            detection.format = QStringLiteral("gpu-mode");
            detection.confidence = sure ? 1 : 0.5;
            detection.path = folder;
            detection.name = folder.isEmpty() ? baseOf(scan.tree().root()) : baseOf(folder);
            const QString set = baseOf(parentOf(scan.tree().absolute(folder)));
            if (!set.isEmpty() && !folder.isEmpty())
                detection.name = set + QLatin1Char('-') + detection.name;
            detection.why = QStringLiteral("%1 with files, lang and @SUBMISSION@")
                                .arg(QString::fromLatin1(name));
            detection.files << file;
            for (const QString& inside : scan.tree().filesBelow(folder)) {
                if (inside != file && !scan.isClaimed(inside))
                    detection.files << inside;
            }
            scan.add(detection);
            break;
        }
    }
}

QString textOf(const Json& value)
{
    return value.is_string() ? qstr(value.get<std::string>()) : qstr(value.dump());
}

/// Header lines "#!POPCORN leaderboard X" and "#!POPCORN gpu Y" ("//!" in CUDA).
QString popcorn(const QString& source, const char* key)
{
    const QRegularExpression line(
        QStringLiteral("^(?:#|//)!POPCORN[ \\t]+%1s?[ \\t]+(.+)$").arg(QString::fromLatin1(key)),
        QRegularExpression::MultilineOption);
    return line.match(source.left(4000)).captured(1).trimmed();
}

class Filler {
public:
    explicit Filler(Draft& draft) : m_draft(draft), m_folder(draft.task().path) {}

    void run()
    {
        const QString manifest = m_draft.task().files.constFirst();
        m_draft.keep(manifest);
        const auto bytes = m_draft.tree().read(manifest);
        const auto yaml = bytes ? parseYaml(*bytes, manifest) : Result<Json>(bytes.error());
        if (!yaml) {
            m_draft.outcome().error = yaml.error();
            return;
        }
        m_yaml = *yaml;
        m_cuda = jsonString(m_yaml, "lang", QStringLiteral("py")) == QLatin1String("cu");
        Json& manifestJson = m_draft.manifest();
        manifestJson["title"] =
            sstr(baseOf(m_draft.task().name).replace(QLatin1Char('_'), QLatin1Char(' ')));
        const QString description = jsonString(m_yaml, "description");
        if (description.trimmed().isEmpty()) {
            m_draft.unmapped(QStringLiteral("spec: task.yml has no description"));
        } else {
            m_draft.spec(description);
            m_draft.mapped(QStringLiteral("spec: description of task.yml"));
        }
        files();
        if (m_cuda)
            cudaSignature();
        else
            pythonSignature();
        cases();
        limits();
        candidates();
        rest();
    }

private:
    void files()
    {
        const Json& list = jsonMember(m_yaml, "files");
        if (!list.is_array()) {
            m_draft.stub(QStringLiteral("%1: \"files\" is no list").arg(m_draft.task().files[0]));
            return;
        }
        for (const Json& entry : list) {
            const QString name = jsonString(entry, "name");
            const QString source = jsonString(entry, "source");
            if (source == QLatin1String("@SUBMISSION@")) {
                m_submissionName = name;
                continue;
            }
            const auto path = m_draft.tree().resolve(m_folder, source);
            if (!path) {
                m_draft.stub(path.error().toString());
                continue;
            }
            if (!m_draft.tree().contains(*path)) {
                m_draft.stub(QStringLiteral("%1: names \"%2\", which is not there")
                                 .arg(m_draft.task().files[0], source));
                continue;
            }
            const bool reference = name.startsWith(QLatin1String("reference"));
            const bool harness = name.startsWith(QLatin1String("eval"));
            const QString role = reference ? QStringLiteral("reference")
                                 : harness ? QStringLiteral("harness")
                                 : m_cuda  ? QStringLiteral("header")
                                           : QStringLiteral("input_gen");
            const QString made = m_draft.add(*path, role, languageOf(name), name);
            if (reference && !made.isEmpty()) {
                m_reference = made;
                m_referenceText = m_draft.text(*path).value_or(QString());
            }
        }
        m_draft.mapped(QStringLiteral("files: as task.yml names them, so that imports work"));
    }

    void pythonSignature()
    {
        Json& signature = m_draft.object("signature");
        signature["call_style"] = "tuple";
        signature["entry"] = "custom_kernel";
        if (m_reference.isEmpty()) {
            m_draft.stub(QStringLiteral("%1: names no reference.py").arg(m_draft.task().files[0]));
            return;
        }
        const PythonText python(m_referenceText);
        const auto defines = [&python](const char* name) {
            return python.hasFunction(QLatin1String(name)) ||
                   python.matches(
                       qPrintable(QStringLiteral("^%1\\b[^\\n]*=").arg(QLatin1String(name)))) ||
                   python.matches(qPrintable(
                       QStringLiteral("^from .* import .*\\b%1\\b").arg(QLatin1String(name))));
        };
        signature["generator"] = {{"file", sstr(m_reference)}, {"entry", "generate_input"}};
        m_draft.reference(m_reference, QStringLiteral("ref_kernel"), QStringLiteral("torch"));
        Json& correctness = m_draft.object("correctness");
        if (defines("check_implementation")) {
            correctness["method"] = "code";
            correctness["check_entry"] = "check_implementation";
            correctness["check_file"] = sstr(m_reference);
            m_draft.mapped(QStringLiteral("correctness: check_implementation of reference.py"));
        }
        const WrittenTolerance written = writtenTolerance(python.code());
        correctness["default"] =
            tolerance("allclose", written.rtol.value_or(1e-5), written.atol.value_or(1e-8));
        correctness["default"]["reason"] =
            written.rtol ? "as written in reference.py" : "the collection's default";
        if (!defines("generate_input") || !defines("check_implementation"))
            m_draft.stub(QStringLiteral("%1: defines no %2")
                             .arg(m_reference, defines("generate_input")
                                                   ? QStringLiteral("check_implementation")
                                                   : QStringLiteral("generate_input")));
        if (!defines("ref_kernel"))
            m_draft.unmapped(
                QStringLiteral("reference: check_implementation alone decides, there is "
                               "no ref_kernel"));
    }

    void cudaSignature()
    {
        m_draft.object("signature") = {{"call_style", "process"}};
        m_draft.object("correctness")["method"] = "exit_code";
        if (m_reference.isEmpty()) {
            m_draft.stub(QStringLiteral("%1: names no reference.cuh").arg(m_draft.task().files[0]));
            return;
        }
        m_draft.reference(m_reference, QStringLiteral("ref_kernel"), QStringLiteral("cuda"));
        const auto harness = readFile(resourceDir() + QStringLiteral("/harness/gpu_mode_main.cu"));
        if (!harness) {
            m_draft.stub(harness.error().toString());
            return;
        }
        m_main = m_draft.addText(QStringLiteral("ridgeline_main.cu"), *harness,
                                 QStringLiteral("harness"), QStringLiteral("cuda"));
        m_draft.object("build")["flags"] = {{"cuda", {"-std=c++17"}}};
        m_draft.mapped(
            QStringLiteral("correctness: check_implementation of reference.cuh, called by "
                           "Ridgeline's own main; eval.cu is kept and not run"));
    }

    void addCases(const char* key, const char* use, Json& list)
    {
        const Json& cases = jsonMember(m_yaml, key);
        if (!cases.is_array())
            return;
        int n = 0;
        for (const Json& each : cases) {
            ++n;
            if (!each.is_object()) {
                m_draft.warn(QStringLiteral("%1: entry %2 of %3 is no mapping")
                                 .arg(m_draft.task().files[0])
                                 .arg(n)
                                 .arg(QLatin1String(key)));
                continue;
            }
            if (list.size() >= 2000)
                continue;
            Json made{{"id", sstr(QStringLiteral("%1-%2").arg(QLatin1String(use)).arg(n))},
                      {"use", use}};
            if (m_cuda) {
                made["argv"] = Json::array();
                for (const auto& [name, value] : each.items())
                    made["argv"].push_back(
                        sstr(QStringLiteral("%1=%2").arg(qstr(name), textOf(value))));
            } else {
                made["kwargs"] = each;
                const qint64 seed = jsonInt(each, "seed", -1);
                if (seed >= 0 && seed <= (qint64(1) << 53))
                    made["seeds"] = Json::array({seed});
            }
            if (jsonInt(each, "world_size") > 0)
                made["world_size"] = jsonInt(each, "world_size");
            list.push_back(made);
        }
    }

    void cases()
    {
        Json list = Json::array();
        addCases("tests", "test", list);
        const std::size_t tests = list.size();
        addCases("benchmarks", "bench", list);
        m_draft.mapped(
            QStringLiteral("cases: %1 tests, %2 benchmarks").arg(tests).arg(list.size() - tests));
        if (list.empty())
            m_draft.stub(QStringLiteral("%1: no tests").arg(m_draft.task().files[0]));
        m_draft.manifest()["cases"] = std::move(list);
    }

    void limits()
    {
        Json& timeouts = m_draft.object("run")["timeouts_s"];
        timeouts = Json::object();
        const auto seconds = [&](const char* from, const char* to) {
            const qint64 value = jsonInt(m_yaml, from, 180);
            if (value >= 1 && value <= 86400)
                timeouts[to] = value;
        };
        seconds("test_timeout", "test");
        seconds("benchmark_timeout", "bench");
        seconds("ranked_timeout", "ranked");
        m_draft.object("timing") = {
            {"clock", m_cuda ? "host" : "cuda_event"},
            {"reps", {{"n", 100}, {"min", 3}, {"max", 100}}},
            {"stop", {{"rel_err", m_cuda ? 0.01 : 0.001}, {"max_s", 10}, {"wall_s", 120}}},
            {"cache", {{"policy", m_cuda ? "warm" : "cold"}}},
            {"recheck", true},
            {"statistic", "mean"}};
        m_draft.object("scoring")["method"] =
            sstr(jsonString(m_yaml, "ranking_by", QStringLiteral("last")));
        m_draft.mapped(QStringLiteral("timing: 3 to 100 repetitions until the mean is known to %1, "
                                      "mean")
                           .arg(m_cuda ? QStringLiteral("1 %") : QStringLiteral("0.1 %")));
    }

    void candidates()
    {
        static const QStringList known{QStringLiteral("reference"), QStringLiteral("task"),
                                       QStringLiteral("eval"), QStringLiteral("utils")};
        for (const QString& file : m_draft.tree().filesBelow(m_folder)) {
            const QString below = m_folder.isEmpty() ? file : file.mid(m_folder.size() + 1);
            const QString language = languageOf(file);
            const bool solution = below.startsWith(QLatin1String("solutions/"));
            const bool top =
                !below.contains(QLatin1Char('/')) && below.startsWith(QLatin1String("submission"));
            if ((!solution && !top) ||
                (language != QLatin1String("python") && language != QLatin1String("cuda"))) {
                if (!below.contains(QLatin1Char('/')) || solution)
                    m_draft.keep(file);
                continue;
            }
            addCandidate(file, below);
        }
        const Json& list = jsonMember(m_draft.manifest(), "candidates");
        m_draft.mapped(QStringLiteral("candidates: %1").arg(list.is_array() ? list.size() : 0));
    }

    void addCandidate(const QString& file, const QString& below)
    {
        const auto source = m_draft.text(file);
        if (!source)
            return;
        const QString name = QStringLiteral("candidates/") + below;
        QStringList files{m_draft.add(file, QStringLiteral("candidate"), languageOf(file), name)};
        Json more = Json::object();
        if (below.contains(QLatin1String("/correct/")))
            more["expected"] = "correct";
        else if (below.contains(QLatin1String("/wrong/")))
            more["expected"] = "wrong";
        const QString gpu = popcorn(*source, "gpu");
        if (!gpu.isEmpty())
            more["target_hw"] = Json::array({sstr(gpu)});
        QString language = QStringLiteral("cuda");
        if (m_cuda) {
            if (!m_main.isEmpty())
                files << m_main;
        } else {
            language = dslOf(PythonText(*source));
        }
        m_draft.candidate(baseOf(below).section(QLatin1Char('.'), 0, 0), files, language, more);
    }

    void rest()
    {
        // The set file of the collection names devices and the leaderboard.
        QStringList gpus;
        for (QString above = parentOf(m_folder);; above = parentOf(above)) {
            for (const QString& name : m_draft.tree().namesIn(above)) {
                if (!name.endsWith(QLatin1String(".yaml")))
                    continue;
                const auto bytes = m_draft.tree().read(joined(above, name));
                const auto set = bytes ? parseYaml(*bytes, name) : Result<Json>(bytes.error());
                if (!set)
                    continue;
                for (const Json& problem : jsonMember(*set, "problems")) {
                    const QString directory = jsonString(problem, "directory");
                    if (directory.isEmpty() || joined(above, directory) != m_folder)
                        continue;
                    m_draft.keep(joined(above, name));
                    gpus += jsonStrings(problem, "gpus");
                    m_draft.object("provenance")["upstream_id"] = sstr(jsonString(problem, "name"));
                }
            }
            if (above.isEmpty())
                break;
        }
        gpus += jsonStrings(m_yaml, "gpus");
        gpus.removeDuplicates();
        if (!gpus.isEmpty()) {
            Json names = Json::array();
            for (const QString& gpu : std::as_const(gpus))
                names.push_back(sstr(gpu));
            m_draft.object("hardware")["names"] = names;
        }
        if (jsonBool(m_yaml, "multi_gpu")) {
            m_draft.unmapped(QStringLiteral("multi_gpu: several devices do not run here"));
            m_draft.object("hardware")["device_count"] = "several";
        }
        for (const char* key : {"templates", "libraries", "config", "seed"}) {
            if (!jsonMember(m_yaml, key).is_null())
                m_draft.unmapped(QStringLiteral("%1: kept in native/").arg(QLatin1String(key)));
        }
        if (const Json& config = jsonMember(m_yaml, "config"); m_cuda && config.is_object()) {
            const QStringList defines = jsonStrings(config, "defines");
            for (const QString& define : defines)
                m_draft.object("build")["flags"]["cuda"].push_back(
                    sstr(QStringLiteral("-D") + define));
        }
    }

    Draft& m_draft;
    QString m_folder, m_reference, m_referenceText, m_submissionName, m_main;
    Json m_yaml;
    bool m_cuda = false;
};

void fill(Draft& draft)
{
    Filler(draft).run();
}

} // namespace

Importer gpuModeImporter()
{
    return {{QStringLiteral("gpu-mode"), QStringLiteral("GPU MODE"),
             QStringLiteral("task.yml with files, lang and @SUBMISSION@"), false},
            find,
            fill};
}

} // namespace ridgeline::import
