// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/run_state.h"

#include "core/support/paths.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

namespace ridgeline {

namespace {

constexpr qint64 largestLog = 16 << 20;

} // namespace

PassContext::PassContext(RunState& runState, const Candidate& candidateRef, CandidateRun& runRecord,
                         PassRecord& passRecord)
    : run(runState), candidate(candidateRef), record(runRecord), pass(passRecord)
{
    const QString relative =
        safeName(candidate.id) + QLatin1Char('/') + pass.pass + QStringLiteral(".log");
    const QString path = run.artefactDir + QLatin1Char('/') + relative;
    QDir().mkpath(QFileInfo(path).absolutePath());
    m_log.setFileName(path);
    if (m_log.open(QIODevice::WriteOnly))
        pass.log = relative;
}

PassContext::~PassContext()
{
    if (m_log.isOpen() && m_logged == 0) {
        m_log.remove(); // an empty log tells nothing
        pass.log.clear();
    }
}

void PassContext::log(const QString& line)
{
    if (m_log.isOpen() && m_logged < largestLog) {
        const QByteArray bytes = line.toUtf8() + '\n';
        m_logged += bytes.size();
        m_log.write(bytes);
        if (m_logged >= largestLog)
            m_log.write("[the log ends here: 16 MiB]\n");
        m_log.flush();
    }
    if (run.observer.logLines)
        run.observer.logLines(candidate.id, pass.pass, {line});
}

void PassContext::artefact(const QString& name, const QString& fileName, const QString& media,
                           const QByteArray& bytes)
{
    const QString relative = safeName(candidate.id) + QLatin1Char('/') + fileName;
    const QString path = run.artefactDir + QLatin1Char('/') + relative;
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.flush()) {
        const QString why = file.errorString();
        file.remove();
        log(QStringLiteral("cannot write the artefact %1: %2").arg(path, why));
        return;
    }
    pass.artefacts.push_back({name, relative, media});
}

Finding& PassContext::add(const QString& code, Severity severity, const QString& title,
                          const QString& explanation, VerdictWord word)
{
    Finding finding;
    int n = 0;
    for (const Finding& other : record.findings)
        n += other.pass == pass.pass && other.code == code ? 1 : 0;
    finding.id = QStringLiteral("%1/%2/%3/%4").arg(candidate.id, pass.pass, code).arg(n);
    finding.code = code;
    finding.severity = severity;
    finding.title = title;
    finding.explanation = explanation;
    finding.pass = pass.pass;
    finding.candidate = candidate.id;
    finding.suggestedVerdict = word;
    if (pass.pass == QLatin1String("compile"))
        finding.suggestedCriterion = QStringLiteral("compile_validity");
    else if (word == VerdictWord::Wrong)
        finding.suggestedCriterion = QStringLiteral("numerical_correctness");
    else if (pass.pass == QLatin1String("benchmark"))
        finding.suggestedCriterion = QStringLiteral("benchmark_fairness");
    else
        finding.suggestedCriterion = QStringLiteral("runtime_validity");
    record.findings.push_back(finding);
    return record.findings.back();
}

void PassContext::end(PassState state, const QString& summary)
{
    pass.state = state;
    pass.summary = summary;
}

void PassContext::endWith(const Error& error)
{
    if (error.code == ErrorCode::Cancelled) {
        end(PassState::Cancelled, QStringLiteral("cancelled"));
        return;
    }
    log(error.toString());
    QString summary = error.message;
    if (!error.hint.isEmpty())
        summary += QStringLiteral(" (%1)").arg(error.hint);
    end(PassState::Error, summary);
    if (!pass.result.is_object())
        pass.result = Json::object();
    pass.result["error"] = {{"message", sstr(error.message)},
                            {"where", sstr(error.where.toString())},
                            {"hint", sstr(error.hint)},
                            {"environment", error.code == ErrorCode::Environment}};
}

Evidence numberEvidence(const QString& text, double value, const QString& rule)
{
    Evidence e;
    e.kind = QStringLiteral("number");
    e.text = text;
    e.value = value;
    e.rule = rule;
    return e;
}

Evidence logEvidence(const QString& text)
{
    Evidence e;
    e.kind = QStringLiteral("log");
    e.text = text;
    return e;
}

Evidence reproduceEvidence(const PassContext& context)
{
    Evidence e;
    e.kind = QStringLiteral("reproduce");
    e.text = QStringLiteral("ridgeline run '%1' --candidate %2 --pass %3 --device %4 --seed %5")
                 .arg(context.run.bundle().dir, context.candidate.id, context.pass.pass,
                      context.run.device.id)
                 .arg(context.run.request.seed);
    return e;
}

std::optional<SourceRange> sourceRange(const Bundle& bundle, const QString& file, int line)
{
    QString relative = file;
    if (file.startsWith(bundle.dir + QLatin1Char('/')))
        relative = file.mid(bundle.dir.size() + 1);
    const auto path = resolveInside(bundle.dir, relative);
    if (!path || line < 1)
        return std::nullopt;
    const auto text = readFile(*path, 16 << 20);
    if (!text)
        return std::nullopt;
    const QString hash = hashOfLines(*text, line, line);
    if (hash.isEmpty())
        return std::nullopt;
    return SourceRange{relative, line, line, hash};
}

QString safeName(const QString& id)
{
    QString name = id.left(80);
    static const QRegularExpression unsafe(QStringLiteral("[^A-Za-z0-9._-]"));
    name.replace(unsafe, QStringLiteral("_"));
    // A name of dots only would walk; two ids that differ only in what was replaced must not meet.
    if (name != id || name.startsWith(QLatin1Char('.')))
        name = QStringLiteral("c-") + name + QLatin1Char('-') + sha256Hex(id.toUtf8()).left(8);
    return name;
}

} // namespace ridgeline
