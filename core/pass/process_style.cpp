// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/process_style.h"

#include "core/support/paths.h"

#include <QFile>
#include <QFileInfo>

namespace ridgeline {

namespace {

QString codesText(const QVector<int>& codes)
{
    QStringList words;
    for (const int code : codes)
        words << QString::number(code);
    return words.join(QStringLiteral(" or "));
}

} // namespace

ProgramRun runProgram(PassContext& context, const QString& program, const BundleCase& c,
                      const EmulatorOptions& emulator, int timeoutMs)
{
    ProgramRun run;
    ScratchDir scratch;
    if (!scratch.isValid()) {
        run.outcome.problem = QStringLiteral("cannot make a scratch folder in %1").arg(cacheDir());
        run.message = run.outcome.problem;
        return run;
    }
    ProcessSpec spec;
    spec.program = program;
    spec.arguments = c.argv;
    spec.workDir = scratch.path();
    spec.environment = cleanEnvironment(scratch.path());
    spec.limits = candidateLimits();
    spec.limits.wallMs = timeoutMs;
    Sandbox sandbox;
    sandbox.readOnly << QFileInfo(program).absolutePath() << context.run.bundle().dir;
    sandbox.writable << scratch.path();
    // The emulated device writes its files where the sandbox lets it, then they are moved.
    EmulatorOptions inside = emulator;
    if (!emulator.counters.isEmpty())
        inside.counters = scratch.file(QStringLiteral("counters.jsonl"));
    if (!emulator.report.isEmpty())
        inside.report = scratch.file(QStringLiteral("checks.jsonl"));
    addDeviceEnvironment(context.run.device, *context.run.cuda, inside, spec.environment, sandbox);
    spec.sandbox = sandbox;
    spec.onLine = [&context](ProcessStream, const QByteArray& line, ProcessControl&) {
        context.log(QString::fromUtf8(line));
    };
    run.outcome = runProcess(spec, context.run.cancel);
    const auto append = [](const QString& from, const QString& to) {
        QFile source(from), target(to);
        if (to.isEmpty() || !source.open(QIODevice::ReadOnly) ||
            !target.open(QIODevice::WriteOnly | QIODevice::Append))
            return;
        target.write(source.read(64 << 20));
    };
    append(inside.counters, emulator.counters);
    append(inside.report, emulator.report);

    const QVector<int>& good = context.run.bundle().okExitCodes;
    const ProcessOutcome& o = run.outcome;
    run.ok = o.end == ProcessEnd::Exited && good.contains(o.exitCode);
    run.message =
        o.end == ProcessEnd::Exited
            ? QStringLiteral("exit code %1, expected %2").arg(o.exitCode).arg(codesText(good))
            : o.describe();
    run.told.process = o.end;
    run.told.signal = o.signal;
    run.told.message = run.message;
    run.told.stderrTail = o.err.text().right(2000);
    switch (o.end) {
    case ProcessEnd::Exited:
        run.told.end = HarnessEnd::Done;
        break;
    case ProcessEnd::Signalled:
        run.told.end = HarnessEnd::Crashed;
        break;
    case ProcessEnd::TimedOut:
    case ProcessEnd::CpuLimit:
        run.told.end = HarnessEnd::Hung;
        break;
    case ProcessEnd::Cancelled:
        run.told.end = HarnessEnd::Cancelled;
        break;
    case ProcessEnd::NotStarted:
        run.told.end = HarnessEnd::NotRun;
        break;
    default:
        run.told.end = HarnessEnd::Stopped;
    }
    return run;
}

void processCorrectness(PassContext& c)
{
    const auto compiled =
        compiledCandidate(c.run, c.candidate, [&c](const QString& l) { c.log(l); });
    if (!compiled)
        return c.endWith(compiled.error());
    ScratchDir scratch;
    EmulatorOptions emulator;
    emulator.check = QStringLiteral("memory,race,init,sync");
    emulator.counters = scratch.file(QStringLiteral("counters.jsonl"));
    emulator.report = scratch.file(QStringLiteral("checks.jsonl"));
    Json cases = Json::array();
    int passed = 0, failed = 0, total = 0;
    bool onlyTimeouts = true;
    for (const BundleCase& source : c.run.bundle().cases) {
        if (source.use == CaseUse::Bench)
            continue;
        ++total;
        c.run.progress(QStringLiteral("%1: correctness, case %2").arg(c.candidate.id, source.id));
        const ProgramRun run = runProgram(c, compiled->program, source, emulator,
                                          qMax(1, c.run.bundle().timeouts.testS) * 1000);
        if (run.told.end == HarnessEnd::Cancelled)
            return c.endWith(Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {}, {}});
        if (run.told.end == HarnessEnd::NotRun)
            return c.endWith(Error{ErrorCode::Environment, run.message, {compiled->program}, {}});
        const bool hung = run.told.end == HarnessEnd::Hung;
        (run.ok ? passed : failed) += 1;
        onlyTimeouts = onlyTimeouts && (run.ok || hung);
        if (!run.ok && run.told.end == HarnessEnd::Done) {
            bool told = false;
            for (const Finding& finding : c.record.findings)
                told = told || finding.code == QLatin1String("RL-EXIT-CODE");
            if (!told) {
                Finding& finding =
                    c.add(QStringLiteral("RL-EXIT-CODE"), Severity::High,
                          QStringLiteral("The program says that it failed"),
                          QStringLiteral("Its exit code is not one the bundle accepts."),
                          VerdictWord::Wrong);
                finding.evidence.push_back(
                    numberEvidence(QStringLiteral("case %1: %2").arg(source.id, run.message),
                                   run.outcome.exitCode, codesText(c.run.bundle().okExitCodes)));
                finding.evidence.push_back(reproduceEvidence(c));
            }
        } else if (!run.ok) {
            addRunFinding(c, run.told, source.id);
        }
        c.log(QStringLiteral("case %1: %2").arg(source.id, run.message));
        Json codes = Json::array();
        for (const int code : c.run.bundle().okExitCodes)
            codes.push_back(code);
        cases.push_back(
            {{"case", sstr(source.id)},
             {"axes", axesJson(source)},
             {"state", sstr(passStateName(run.ok ? PassState::Passed
                                          : hung ? PassState::Timeout
                                                 : PassState::Failed))},
             {"message", sstr(run.message)},
             {"wall_ns", run.outcome.wallNs},
             {"outputs", Json::array()},
             {"exit_code",
              run.outcome.end == ProcessEnd::Exited ? Json(run.outcome.exitCode) : Json()},
             {"expected_exit_codes", codes},
             {"stdout_tail", sstr(QString::fromUtf8(run.outcome.out.text().right(2000)))}});
    }
    const int proofs = addCheckerFindings(c, emulator.report);
    // A program names no cases in its launches: with one case they are that case's.
    QStringList ids;
    for (const BundleCase& source : c.run.bundle().cases) {
        if (source.use != CaseUse::Bench)
            ids << source.id;
    }
    if (ids.size() == 1) {
        const auto counted =
            readCounters(emulator.counters, [&ids](const QString&) { return ids.first(); });
        if (!counted.isEmpty())
            c.run.counted.insert(c.candidate.id, counted);
    }
    for (const auto& [file, name] :
         {qMakePair(emulator.counters, QStringLiteral("counters")),
          qMakePair(emulator.report, QStringLiteral("checker reports"))}) {
        const auto bytes = readFile(file, 64 << 20);
        if (bytes && !bytes->isEmpty())
            c.artefact(name, QStringLiteral("correctness-") + QFileInfo(file).fileName(),
                       QStringLiteral("application/jsonl"), *bytes);
    }
    c.pass.result = {{"reference", nullptr},
                     {"passed", passed},
                     {"failed", failed},
                     {"checker_errors", proofs},
                     {"cases", std::move(cases)}};
    if (total == 0)
        return c.endWith(Error{
            ErrorCode::BadSchema,
            QStringLiteral("the bundle has no test case"),
            {c.run.bundle().dir + QStringLiteral("/kbundle.json"), 0, 0, QStringLiteral("/cases")},
            {}});
    QString summary = QStringLiteral("%1 of %2 cases ended as expected").arg(passed).arg(total);
    if (proofs > 0)
        summary += QStringLiteral(", but the checkers found %1 errors").arg(proofs);
    if (failed == 0 && proofs == 0)
        c.end(PassState::Passed, summary);
    else
        c.end(failed > 0 && onlyTimeouts && proofs == 0 ? PassState::Timeout : PassState::Failed,
              summary);
}

} // namespace ridgeline
