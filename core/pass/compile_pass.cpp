// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/run_state.h"
#include "core/support/paths.h"

#include <QFileInfo>

namespace ridgeline {

namespace {

Json diagnosticsJson(const QVector<Diagnostic>& diagnostics)
{
    Json list = Json::array();
    for (const Diagnostic& d : diagnostics)
        list.push_back({{"severity", sstr(d.severity)},
                        {"file", sstr(d.file)},
                        {"line", d.line},
                        {"column", d.column},
                        {"message", sstr(d.message)}});
    return list;
}

Json kernelsJson(const QVector<KernelUsage>& kernels)
{
    Json list = Json::array();
    for (const KernelUsage& k : kernels)
        list.push_back({{"name", sstr(k.name)},
                        {"mangled", sstr(k.mangled)},
                        {"registers", k.registers},
                        {"spill_store_bytes", k.spillStoreBytes},
                        {"spill_load_bytes", k.spillLoadBytes},
                        {"stack_bytes", k.stackBytes},
                        {"shared_bytes", k.sharedBytes},
                        {"const_bytes", k.constBytes},
                        {"barriers", k.barriers}});
    return list;
}

/// Catalogue id and advice for an error text.
QPair<QString, QString> explain(const QString& message, const QString& entry)
{
    if (message.contains(QStringLiteral("undefined reference to `%1'").arg(entry)))
        return {
            QStringLiteral("RL-ENTRY"),
            QStringLiteral("The bundle calls \"%1\", which the candidate does not define with C "
                           "linkage. Write extern \"C\" before it, with the parameters of the "
                           "signature.")
                .arg(entry)};
    if (message.contains(QLatin1String("Unsupported gpu architecture")))
        return {QStringLiteral("E03"),
                QStringLiteral("The toolkit is older than the architecture asked for.")};
    if (message.contains(QLatin1String("uses too much shared data")))
        return {
            QStringLiteral("E05"),
            QStringLiteral("More than 48 KiB of static shared memory: use dynamic shared memory "
                           "and opt in with cudaFuncSetAttribute.")};
    if (message.contains(QLatin1String("No such file or directory")))
        return {QStringLiteral("E04"),
                QStringLiteral("A header is missing or named by a path of another machine.")};
    return {QStringLiteral("RL-BUILD"), QStringLiteral("The candidate does not compile.")};
}

} // namespace

Result<CompileResult> compiledCandidate(RunState& run, const Candidate& candidate,
                                        const std::function<void(const QString&)>& onLine)
{
    const auto it = run.compiled.constFind(candidate.id);
    if (it != run.compiled.constEnd())
        return it.value();
    if (!run.host || !run.cuda)
        return Error{ErrorCode::Environment, run.host ? run.cudaMissing : run.hostMissing, {}, {}};
    CompileRequest request;
    request.bundle = run.bundle();
    request.candidate = candidate;
    request.cuda = *run.cuda;
    request.host = *run.host;
    request.onLine = onLine;
    if (run.device.isReal() && !run.device.computeCapability.isEmpty())
        request.realArch =
            QStringLiteral("sm_") + QString(run.device.computeCapability).remove(QLatin1Char('.'));
    auto result = compileCandidate(request, run.cancel);
    if (result) {
        run.compiled.insert(candidate.id, *result);
        if (result->folder.startsWith(cacheDir() + QStringLiteral("/scratch/")))
            run.temporary << result->folder;
    }
    return result;
}

void compilePass(PassContext& c)
{
    if (c.candidate.language != QLatin1String("cuda") &&
        c.candidate.language != QLatin1String("cpp")) {
        c.end(PassState::Skipped, QStringLiteral("candidates in %1 cannot be run by this version")
                                      .arg(c.candidate.language));
        return;
    }
    const CallStyle style = c.run.bundle().signature.callStyle;
    if (style != CallStyle::CAbi && style != CallStyle::Process) {
        c.end(PassState::Skipped,
              QStringLiteral("only the call styles c_abi and process can run in this version"));
        return;
    }
    const auto compiled =
        compiledCandidate(c.run, c.candidate, [&c](const QString& line) { c.log(line); });
    if (!compiled) {
        c.endWith(compiled.error());
        return;
    }
    const CompileResult& r = *compiled;
    if (r.fromCache) {
        c.log(QStringLiteral("same sources, flags and tools as before: taken from the cache"));
        for (const QString& command : r.commands)
            c.log(QStringLiteral("$ ") + command);
        for (const QString& line : r.log.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
            c.log(line);
    }
    int errors = 0, warnings = 0;
    for (const Diagnostic& d : r.diagnostics) {
        errors += d.severity == QLatin1String("error") ? 1 : 0;
        warnings += d.severity == QLatin1String("warning") ? 1 : 0;
    }
    c.pass.result = {{"compiler", sstr(QStringLiteral("nvcc ") + c.run.cuda->version)},
                     {"command", sstr(r.commands.join(QLatin1Char('\n')))},
                     {"arch", sstr(r.arch)},
                     {"kernels", kernelsJson(r.kernels)},
                     {"diagnostics", diagnosticsJson(r.diagnostics)},
                     {"errors", errors},
                     {"warnings", warnings},
                     {"cached", r.fromCache}};
    for (const QString& ptx : r.ptxFiles) {
        const auto text = readFile(ptx, 64 << 20);
        if (text)
            c.artefact(QStringLiteral("PTX"), QFileInfo(ptx).fileName(),
                       QStringLiteral("text/x-ptx"), *text);
    }
    if (!r.ptxasLog.isEmpty())
        c.artefact(QStringLiteral("ptxas log"), QStringLiteral("ptxas.txt"),
                   QStringLiteral("text/plain"), r.ptxasLog.toUtf8());
    if (r.ok) {
        int registers = 0, spills = 0;
        for (const KernelUsage& k : r.kernels) {
            registers = qMax(registers, k.registers);
            spills += k.spillStoreBytes + k.spillLoadBytes;
        }
        QString summary = r.kernels.isEmpty() ? QStringLiteral("compiled")
                                              : QStringLiteral("%1 kernels, up to %2 registers")
                                                    .arg(r.kernels.size())
                                                    .arg(registers);
        if (spills > 0)
            summary += QStringLiteral(", %1 bytes of spills").arg(spills);
        if (warnings > 0)
            summary += QStringLiteral(", %1 warnings").arg(warnings);
        c.end(PassState::Passed, summary);
        return;
    }
    const Diagnostic* first = firstError(r.diagnostics);
    const bool late = r.end == ProcessEnd::TimedOut || r.end == ProcessEnd::CpuLimit;
    QString text = first != nullptr ? first->message : r.failure;
    const QString entry =
        c.candidate.entry.isEmpty() ? c.run.bundle().signature.entry : c.candidate.entry;
    const auto [code, advice] = explain(text, entry);
    Finding& finding = c.add(late ? QStringLiteral("RL-BUILD-TIME") : code, Severity::High,
                             late ? QStringLiteral("Compiling takes longer than the bundle allows")
                                  : QStringLiteral("Does not compile"),
                             advice, VerdictWord::Build);
    finding.evidence.push_back(logEvidence(text));
    if (first != nullptr) {
        finding.location = sourceRange(c.run.bundle(), first->file, first->line);
        if (!first->file.isEmpty())
            text = QStringLiteral("%1:%2: %3").arg(first->file).arg(first->line).arg(text);
    }
    c.end(late ? PassState::Timeout : PassState::Failed, text);
}

} // namespace ridgeline
