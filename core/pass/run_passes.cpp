// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/run_state.h"
#include "core/support/paths.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <exception>

namespace ridgeline {

namespace {

struct Step {
    const char* name;
    void (*run)(PassContext&);
};

const Step steps[] = {
    {"environment", environmentPass}, {"compile", compilePass},     {"audit", auditPass},
    {"correctness", correctnessPass}, {"benchmark", benchmarkPass}, {"roofline", rooflinePass}};

bool needsProgram(const QString& pass)
{
    return pass == QLatin1String("correctness") || pass == QLatin1String("benchmark");
}

QVector<Candidate> chosen(const RunRequest& request)
{
    if (request.candidates.isEmpty())
        return request.bundle.candidates;
    QVector<Candidate> candidates;
    for (const Candidate& candidate : request.bundle.candidates) {
        if (request.candidates.contains(candidate.id))
            candidates.push_back(candidate);
    }
    return candidates;
}

/// Passes asked for, and those they need.
QStringList wantedPasses(const RunRequest& request)
{
    if (request.passes.isEmpty())
        return passNames();
    QStringList wanted;
    const bool compile = request.passes.contains(QStringLiteral("correctness")) ||
                         request.passes.contains(QStringLiteral("benchmark"));
    for (const QString& name : passNames()) {
        if (request.passes.contains(name) || (compile && name == QLatin1String("compile")))
            wanted << name;
    }
    return wanted;
}

void runOne(PassContext& context, const Step& step)
{
    const PassRecord* compile = context.record.pass(QStringLiteral("compile"));
    if (context.cancelled()) {
        context.end(PassState::Cancelled, QStringLiteral("cancelled before it began"));
    } else if (needsProgram(context.pass.pass) && compile != nullptr &&
               compile->state != PassState::Passed) {
        context.end(PassState::Skipped, QStringLiteral("not compiled"));
    } else {
        try {
            step.run(context);
        } catch (const std::exception& error) { // std::bad_alloc of a huge case, for instance
            context.endWith(
                Error{ErrorCode::Internal,
                      QStringLiteral("the pass broke off: %1").arg(QString::fromUtf8(error.what())),
                      {},
                      {}});
        }
    }
}

} // namespace

QStringList passNames()
{
    QStringList names;
    for (const Step& step : steps)
        names << QLatin1String(step.name);
    return names;
}

Result<void> checkRequest(const RunRequest& request)
{
    QStringList known;
    for (const Candidate& candidate : request.bundle.candidates)
        known << candidate.id;
    for (const QString& id : request.candidates) {
        if (!known.contains(id))
            return Error{ErrorCode::BadUsage,
                         QStringLiteral("the bundle has no candidate \"%1\"").arg(id.left(80)),
                         {request.bundle.dir},
                         QStringLiteral("it has: %1").arg(known.join(QStringLiteral(", ")))};
    }
    for (const QString& pass : request.passes) {
        if (!passNames().contains(pass))
            return Error{ErrorCode::BadUsage,
                         QStringLiteral("unknown pass \"%1\"").arg(pass.left(80)),
                         {},
                         QStringLiteral("known: %1").arg(passNames().join(QStringLiteral(", ")))};
    }
    return {};
}

Result<RunResult> runPasses(const RunRequest& request, const RunObserver& observer,
                            const CancelToken& cancel)
{
    if (auto checked = checkRequest(request); !checked)
        return checked.error();
    RunState run(request, observer, cancel);
    if (auto prepared = prepareEnvironment(run); !prepared)
        return prepared.error();

    RunResult result;
    RunRecord& record = result.record;
    record.bundle = request.bundle.id;
    record.device = run.device.id;
    record.started = QDateTime::currentDateTimeUtc();
    record.environment = run.environment;
    const RunPlace place = choosePlace(request, run.device, record.started);
    result.saveNote = place.note;
    record.artefactDir = place.artefactDir;
    run.artefactDir = place.artefactDir;
    if (run.artefactDir.isEmpty()) { // no place to keep anything: work on without
        run.artefactDir =
            QDir::tempPath() +
            QStringLiteral("/ridgeline-nowhere-%1").arg(QCoreApplication::applicationPid());
        run.temporary << run.artefactDir;
    }

    const QStringList wanted = wantedPasses(request);
    const QVector<Candidate> candidates = chosen(request);
    for (const Candidate& candidate : candidates) {
        CandidateRun candidateRun;
        candidateRun.id = candidate.id;
        for (const QString& name : wanted) {
            PassRecord pass;
            pass.pass = name;
            candidateRun.passes.push_back(pass);
        }
        record.candidates.push_back(candidateRun);
    }
    if (observer.runStarted)
        observer.runStarted(record);

    run.total = int(candidates.size() * wanted.size());
    for (qsizetype i = 0; i < candidates.size(); ++i) {
        CandidateRun& candidateRun = record.candidates[i];
        for (PassRecord& pass : candidateRun.passes) {
            const Step* step = nullptr;
            for (const Step& s : steps)
                step = pass.pass == QLatin1String(s.name) ? &s : step;
            QElapsedTimer clock;
            clock.start();
            pass.started = QDateTime::currentDateTimeUtc();
            pass.state = PassState::Running;
            run.progress(QStringLiteral("%1: %2").arg(candidates.at(i).id, pass.pass));
            if (observer.passChanged)
                observer.passChanged(candidateRun.id, pass);
            {
                PassContext context(run, candidates.at(i), candidateRun, pass);
                runOne(context, *step);
            }
            pass.wallNs = clock.nsecsElapsed();
            decideVerdict(candidateRun);
            ++run.done;
            if (observer.passChanged)
                observer.passChanged(candidateRun.id, pass);
        }
        decideVerdict(candidateRun);
    }
    run.progress(QStringLiteral("done"));
    for (const QString& folder : run.temporary)
        QDir(folder).removeRecursively();
    if (!place.recordFile.isEmpty()) {
        auto written = writeFileAtomically(place.recordFile, toJsonBytes(toJson(record)));
        if (written)
            result.savedTo = place.recordFile;
        else
            result.saveNote =
                QStringLiteral("the run could not be saved: %1").arg(written.error().toString());
    }
    return result;
}

} // namespace ridgeline
