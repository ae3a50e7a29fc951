// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/bench_case.h"

#include "core/support/paths.h"

#include <QDir>
#include <QFile>
#include <QMap>
#include <QRandomGenerator>

namespace ridgeline {

namespace {

constexpr int inputSets = 3;
constexpr int chosenDumps = 2; ///< repetitions a block keeps besides results not seen before

} // namespace

Result<void> BenchCase::prepare()
{
    if (!m_scratch.isValid())
        return Error{ErrorCode::Environment,
                     QStringLiteral("cannot make a scratch folder"),
                     {cacheDir()},
                     QStringLiteral("check permissions and free space")};
    auto layout = layoutCase(c.run.bundle(), m_source);
    if (!layout)
        return layout.error();
    m_layout = *layout;
    auto reference = referenceProgram(c.run, [this](const QString& line) { c.log(line); });
    if (!reference)
        return reference.error();
    const quint64 first = seedsOf(c.run, m_source).value(0);
    for (int set = 0; set < inputSets; ++set) {
        auto inputs = makeInputs(m_layout, first + quint64(set), c.run.cancel);
        if (!inputs)
            return inputs.error();
        auto files =
            writeInputs(m_layout, *inputs, m_scratch.path(), QStringLiteral("b_s%1").arg(set));
        if (!files)
            return files.error();
        m_files.push_back(*files);
        auto answer = (*reference)
                          ->run(m_layout, *inputs, qMax(10, c.run.bundle().timeouts.benchS) * 1000,
                                c.run.cancel);
        if (!answer)
            return answer.error();
        m_answers.push_back(*answer);
    }
    return {};
}

Result<BenchCase::Check> BenchCase::check(int rep, int set)
{
    Check result;
    result.ok = true;
    for (qsizetype p = 0; p < m_layout.params.size(); ++p) {
        const CaseParam& param = m_layout.params.at(p);
        if (!param.isOutput())
            continue;
        const auto got = readFile(m_scratch.file(outputFile(0, p, rep)), param.bytes);
        if (!got)
            return got.error();
        const ToleranceRule rule = c.run.bundle().toleranceFor(m_source, param.param.name);
        auto compared = compareParam(param, *got, m_answers.at(set).at(p), rule);
        if (!compared)
            return compared.error();
        if (compared->ok)
            continue;
        if (result.ok)
            result.message = QStringLiteral("%1: %2").arg(param.param.name, compared->message);
        result.ok = false;
        for (int other = 0; other < inputSets && !result.stale; ++other) {
            if (other == set)
                continue;
            const auto stale = compareParam(param, *got, m_answers.at(other).at(p), rule);
            result.stale = stale && stale->ok;
        }
    }
    return result;
}

/// A repetition is verified when its output was compared, or has the same bits for the same input
/// as one that was.
Result<void> BenchCase::judge(const HarnessOutcome& outcome, BenchSeries& series)
{
    QMap<int, QString> hashOf;
    for (const HarnessSample& sample : outcome.samples)
        hashOf.insert(sample.rep, sample.hash);
    QMap<QString, Check> checked; // "set hash" → verdict; results too large to hash are alone
    const auto keyOf = [](int set, const QString& hash, int rep) {
        return hash.startsWith(QLatin1Char('-')) ? QStringLiteral("rep %1").arg(rep)
                                                 : QStringLiteral("%1 %2").arg(set).arg(hash);
    };
    for (const auto& [rep, set] : outcome.dumps) {
        const QString key = keyOf(set, hashOf.value(rep), rep);
        if (set >= 0 && set < inputSets && !checked.contains(key)) {
            auto verdict = check(rep, set);
            if (!verdict)
                return verdict.error();
            checked.insert(key, *verdict);
        }
        for (qsizetype p = 0; p < m_layout.params.size(); ++p)
            QFile::remove(m_scratch.file(outputFile(0, p, rep)));
    }
    const int before = int(series.eventNs.size());
    for (const HarnessSample& sample : outcome.samples) {
        series.eventNs.push_back(sample.eventNs);
        series.fullNs.push_back(sample.fullNs);
        series.hostNs.push_back(sample.hostNs);
        const auto it = checked.constFind(keyOf(sample.set, sample.hash, sample.rep));
        if (it == checked.constEnd())
            continue;
        if (it->ok) {
            ++series.verified;
            continue;
        }
        ++series.wrong;
        series.stale = series.stale || it->stale;
        if (series.firstWrongRep < 0) {
            series.firstWrongRep = before + sample.rep;
            series.firstWrong = it->message;
        }
    }
    return {};
}

Result<void> BenchCase::run(const QString& program, int warmup, int reps, BenchSeries& series,
                            bool count)
{
    if (!series.failure.isEmpty())
        return {}; // it would only fail again
    HarnessJob job;
    job.program = program;
    job.scratch = m_scratch.path();
    job.device = c.run.device;
    job.cuda = *c.run.cuda;
    job.emulator.check = QStringLiteral("memory");
    const QString counters = m_scratch.file(QStringLiteral("counters.jsonl"));
    if (count)
        job.emulator.counters = counters;
    job.limits = candidateLimits();
    job.onLine = [this](const QString& line) { c.log(line); };
    HarnessCase hc;
    hc.index = 0;
    hc.label = m_source.id;
    hc.layout = m_layout;
    hc.inputs = m_files;
    hc.bench = true;
    hc.warmup = warmup;
    hc.reps = reps;
    hc.timeoutMs = qMax(1, c.run.bundle().timeouts.benchS) * 1000;
    for (int i = 0; i < chosenDumps; ++i)
        hc.dump << int(QRandomGenerator::system()->bounded(reps));
    job.cases.push_back(hc);
    auto report = runHarness(job, c.run.cancel);
    if (!report)
        return report.error();
    const HarnessOutcome& outcome = report->outcomes.first();
    if (outcome.end == HarnessEnd::Cancelled)
        return Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {}, {}};
    if (auto judged = judge(outcome, series); !judged)
        return judged;
    addTamperFindings(c, outcome, m_source.id);
    if (outcome.end != HarnessEnd::Done) {
        series.failure = outcome.message;
        series.hung = outcome.end == HarnessEnd::Hung;
        addRunFinding(c, outcome, m_source.id);
    }
    if (count) {
        const QString first = hc.label.simplified() + QStringLiteral("#0");
        series.counted = readCounters(counters, [&](const QString& label) {
            return label == first ? m_source.id : QString();
        });
    }
    return {};
}

} // namespace ridgeline
