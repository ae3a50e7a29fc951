// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/source_audit.h"

#include "core/audit/cpp_rules.h"
#include "core/audit/python_rules.h"
#include "core/audit/reporter.h"
#include "core/support/paths.h"

#include <QFileInfo>
#include <algorithm>

namespace ridgeline {

namespace audit {

void auditCpp(const QString& text, Reporter& out)
{
    const CppModel model = modelCpp(text);
    auditKeptState(model, out);
    auditCppNames(model, out);
    auditCppContract(model, out);
    auditCppLimits(model, out);
}

void Reporter::add(const Rule& rule, int firstLine, int lastLine, const QString& what,
                   std::optional<Severity> severity)
{
    const SourceRange range =
        sourceRange(m_path, m_text, firstLine + m_offset, lastLine + m_offset);
    const Severity level = std::max(rule.severity, severity.value_or(rule.severity));
    Evidence evidence;
    evidence.kind = QStringLiteral("source");
    evidence.text = what;
    evidence.source = range;
    for (Finding& f : m_findings) {
        if (f.code != QLatin1String(rule.code) || f.title != QLatin1String(rule.title))
            continue;
        f.severity = std::max(f.severity, level);
        const bool seen = std::any_of(f.evidence.begin(), f.evidence.end(),
                                      [&](const Evidence& e) { return e.source == range; });
        if (!seen && f.evidence.size() < 8)
            f.evidence.push_back(evidence);
        return;
    }
    Finding f;
    f.code = QString::fromLatin1(rule.code);
    f.severity = level;
    f.title = QString::fromUtf8(rule.title);
    f.explanation = QString::fromUtf8(rule.explanation);
    f.pass = QStringLiteral("audit");
    f.location = range;
    f.evidence = {evidence};
    f.suggestedCriterion = QString::fromLatin1(rule.criterion);
    f.suggestedVerdict = rule.verdict;
    m_findings.push_back(f);
}

} // namespace audit

namespace {

constexpr qint64 maxBytes = 8 * 1024 * 1024;

bool isPython(const QString& language)
{
    return language == QLatin1String("python") || language == QLatin1String("triton") ||
           language == QLatin1String("pallas") || language == QLatin1String("nki");
}

bool isCpp(const QString& language)
{
    return language == QLatin1String("cuda") || language == QLatin1String("cpp") ||
           language == QLatin1String("hip");
}

QString languageOf(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == QLatin1String("cu") || suffix == QLatin1String("cuh"))
        return QStringLiteral("cuda");
    if (suffix == QLatin1String("hip"))
        return QStringLiteral("hip");
    if (suffix == QLatin1String("py"))
        return QStringLiteral("python");
    static const QStringList cpp{QStringLiteral("cpp"), QStringLiteral("cc"),
                                 QStringLiteral("cxx"), QStringLiteral("c"),
                                 QStringLiteral("h"),   QStringLiteral("hpp")};
    return cpp.contains(suffix) ? QStringLiteral("cpp") : QString();
}

void sortFindings(QVector<Finding>& findings)
{
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
}

AuditTask taskOf(const Bundle& bundle, const Candidate& candidate)
{
    AuditTask task;
    task.known = true;
    task.migration = bundle.taskType == TaskType::Migrate;
    task.process = bundle.signature.callStyle == CallStyle::Process;
    task.entry = candidate.entry.isEmpty() ? bundle.signature.entry : candidate.entry;
    if (task.entry.isEmpty())
        task.entry = QStringLiteral("solve");
    task.forbidden = bundle.forbidden;
    bool floats = false, narrow = bundle.roofline.tensorCores;
    for (const Param& p : bundle.signature.params) {
        if (!p.pointer || !isFloat(p.dtype))
            continue;
        floats = true;
        narrow = narrow || floatFormat(p.dtype).precision < 24;
    }
    task.fp32Contract = floats && !narrow;
    for (const BundleCase& c : bundle.cases) {
        for (const qint64 v : c.axes)
            task.axisValues.push_back(v);
    }
    return task;
}

} // namespace

SourceRange sourceRange(const QString& path, const QString& text, int firstLine, int lastLine)
{
    const QByteArray utf8 = text.toUtf8();
    const int within = int(std::min<qsizetype>(lastLine, linesOf(utf8).size()));
    return {path, firstLine, std::max(firstLine, lastLine), hashOfLines(utf8, firstLine, within)};
}

QVector<Finding> auditText(const QString& text, const QString& path, const QString& language,
                           const AuditTask& task)
{
    audit::Reporter out(text, path, language, task);
    if (isCpp(language))
        audit::auditCpp(text, out);
    else if (isPython(language))
        audit::auditPython(text, out);
    QVector<Finding> findings = out.take();
    sortFindings(findings);
    return findings;
}

Result<QVector<Finding>> auditFile(const QString& path, const QString& language)
{
    const QString chosen = language.isEmpty() ? languageOf(path) : language;
    if (!isCpp(chosen) && !isPython(chosen))
        return Error{ErrorCode::BadUsage,
                     chosen.isEmpty()
                         ? QStringLiteral("the file's suffix does not say which language it is")
                         : QStringLiteral("there are no rules for the language \"%1\"").arg(chosen),
                     {path, 0, 0, {}},
                     QStringLiteral(
                         "name it with --language cuda, cpp, hip, python, triton, pallas or nki")};
    const Result<QByteArray> bytes = readFile(path, maxBytes);
    if (!bytes)
        return bytes.error();
    return auditText(QString::fromUtf8(*bytes), path, chosen);
}

Result<QVector<Finding>> auditCandidate(const Bundle& bundle, const Candidate& candidate)
{
    const AuditTask task = taskOf(bundle, candidate);
    QVector<Finding> all;
    bool launches = false;
    for (const QString& file : candidate.files) {
        const Result<QString> path = resolveInside(bundle.dir, file);
        if (!path)
            return path.error();
        const Result<QByteArray> bytes = readFile(*path, maxBytes);
        if (!bytes)
            return bytes.error();
        QString language = languageOf(file);
        if (language.isEmpty() || (isPython(language) && isPython(candidate.language)) ||
            (isCpp(language) && candidate.language == QLatin1String("hip")))
            language = candidate.language;
        const QString text = QString::fromUtf8(*bytes);
        launches = launches || (isCpp(language) && !audit::modelCpp(text).launches.isEmpty());
        all += auditText(text, file, language, task);
    }
    // One file may hold the entry and another the kernels.
    if (launches)
        all.removeIf([](const Finding& f) { return f.code == QLatin1String("A01"); });
    sortFindings(all);
    QMap<QString, int> numbers;
    for (Finding& f : all) {
        f.candidate = candidate.id;
        f.id = QStringLiteral("%1/audit/%2/%3").arg(candidate.id, f.code).arg(++numbers[f.code]);
    }
    return all;
}

int auditRuleCount()
{
    return int(audit::cppStateRules().size() + audit::cppNameRules().size() +
               audit::cppContractRules().size() + audit::cppLimitRules().size() +
               audit::pythonStateRules().size() + audit::pythonNameRules().size());
}

} // namespace ridgeline
