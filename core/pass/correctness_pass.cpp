// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/process_style.h"
#include "core/support/paths.h"

#include <QFile>

namespace ridgeline {

namespace {

constexpr qint64 batchBytes = qint64(256) << 20; ///< tensors on disk and in memory at a time

struct Entry {
    int index = 0;
    CaseLayout layout;
    quint64 seed = 0;
    QVector<GeneratedTensor> inputs;
    QString label() const { return QStringLiteral("%1/%2").arg(layout.source.id).arg(seed); }
};

/// Totals of the pass.
struct Tally {
    int passed = 0, failed = 0, notRun = 0, errors = 0;
    bool onlyTimeouts = true;
    QVector<QPair<QString, OutputComparison>> wrong; ///< label, comparison
    QVector<QPair<QString, OutputComparison>> unwritten;
};

void addWrongFindings(PassContext& c, const Tally& tally)
{
    if (!tally.wrong.isEmpty()) {
        Finding& finding =
            c.add(QStringLiteral("RL-WRONG"), Severity::High, QStringLiteral("Wrong results"),
                  QStringLiteral("The output differs from the fp64 reference by more than the "
                                 "bundle's rule allows."),
                  VerdictWord::Wrong);
        int shown = 0;
        for (const auto& [label, o] : tally.wrong) {
            if (++shown > 4)
                break;
            finding.evidence.push_back(
                numberEvidence(QStringLiteral("case %1, output %2: %3 of %4 elements are off; %5")
                                   .arg(label, o.name)
                                   .arg(o.mismatches)
                                   .arg(o.count)
                                   .arg(o.message),
                               double(o.mismatches),
                               QStringLiteral("%1, atol %2, rtol %3")
                                   .arg(o.rule.method)
                                   .arg(o.rule.atol.value_or(0))
                                   .arg(o.rule.rtol.value_or(0))));
        }
        finding.evidence.push_back(reproduceEvidence(c));
    }
    if (!tally.unwritten.isEmpty()) {
        const auto& [label, o] = tally.unwritten.first();
        const bool all = o.unwritten == o.count;
        Finding& finding = c.add(
            all ? QStringLiteral("B15") : QStringLiteral("RL-UNWRITTEN"), Severity::High,
            all ? QStringLiteral("Output never written")
                : QStringLiteral("Part of the output is never written"),
            all ? QStringLiteral(
                      "Every element still holds the poison from before the call: a launch that "
                      "failed and was not checked, or no computation at all (A01).")
                : QStringLiteral(
                      "These elements still hold the poison from before the call, often a tail "
                      "that the grid or a vectorised loop does not reach."),
            all ? VerdictWord::Run : VerdictWord::Wrong);
        finding.evidence.push_back(
            numberEvidence(QStringLiteral("case %1, output %2: %3 of %4 elements unwritten")
                               .arg(label, o.name)
                               .arg(o.unwritten)
                               .arg(o.count),
                           double(o.unwritten), QStringLiteral("0")));
        finding.evidence.push_back(reproduceEvidence(c));
    }
}

Json caseJson(const Entry& entry, PassState state, const QString& message, qint64 wallNs)
{
    return Json{{"case", sstr(entry.layout.source.id)},
                {"axes", axesJson(entry.layout.source)},
                {"seed", entry.seed},
                {"state", sstr(passStateName(state))},
                {"message", sstr(message)},
                {"wall_ns", wallNs},
                {"outputs", Json::array()}};
}

/// Compares the outputs of one finished case. An error ends the pass.
Result<Json> judge(PassContext& c, const Entry& entry, const HarnessOutcome& outcome,
                   const ReferenceProgram& reference, const QString& scratch, Tally& tally)
{
    auto expected = reference.run(entry.layout, entry.inputs,
                                  qMax(10, c.run.bundle().timeouts.testS) * 1000, c.run.cancel);
    if (!expected)
        return expected.error();
    Json outputs = Json::array();
    bool ok = true;
    QString message;
    for (qsizetype i = 0; i < entry.layout.params.size(); ++i) {
        const CaseParam& p = entry.layout.params.at(i);
        if (!p.isOutput())
            continue;
        const auto got = readFile(scratch + QLatin1Char('/') + outputFile(entry.index, i), p.bytes);
        if (!got)
            return got.error();
        auto compared =
            compareParam(p, *got, expected->at(i),
                         c.run.bundle().toleranceFor(entry.layout.source, p.param.name));
        if (!compared)
            return compared.error();
        outputs.push_back(toJson(*compared));
        if (!compared->ok) {
            ok = false;
            message = QStringLiteral("%1: %2").arg(p.param.name, compared->message);
            if (compared->unwritten > 0)
                tally.unwritten.push_back({entry.label(), *compared});
            if (compared->mismatches > compared->unwritten)
                tally.wrong.push_back({entry.label(), *compared});
        } else if (message.isEmpty()) {
            message = compared->message;
        }
    }
    Json json =
        caseJson(entry, ok ? PassState::Passed : PassState::Failed, message, outcome.wallNs);
    json["outputs"] = std::move(outputs);
    (ok ? tally.passed : tally.failed) += 1;
    tally.onlyTimeouts = tally.onlyTimeouts && ok;
    c.log(QStringLiteral("case %1: %2: %3")
              .arg(entry.label(), ok ? QStringLiteral("right") : QStringLiteral("wrong"), message));
    return json;
}

class Correctness {
public:
    explicit Correctness(PassContext& context) : c(context) {}
    void run();

private:
    Result<void> plan();
    Result<void> batch(QVector<Entry>& entries);
    void finish();

    PassContext& c;
    QString m_program;
    const ReferenceProgram* m_reference = nullptr;
    QVector<Entry> m_entries;
    Tally m_tally;
    Json m_cases = Json::array();
    ScratchDir m_scratch;
    int m_checkerErrors = 0;
    int m_forged = 0;
};

/// Lists every case and seed of the tests; inputs are made later, batch by batch.
Result<void> Correctness::plan()
{
    for (const BundleCase& source : c.run.bundle().cases) {
        if (source.use == CaseUse::Bench)
            continue;
        auto layout = layoutCase(c.run.bundle(), source);
        if (!layout)
            return layout.error();
        for (const quint64 seed : seedsOf(c.run, source)) {
            Entry entry;
            entry.index = int(m_entries.size());
            entry.layout = *layout;
            entry.seed = seed;
            m_entries.push_back(entry);
        }
    }
    if (m_entries.isEmpty())
        return Error{
            ErrorCode::BadSchema,
            QStringLiteral("the bundle has no test case"),
            {c.run.bundle().dir + QStringLiteral("/kbundle.json"), 0, 0, QStringLiteral("/cases")},
            QStringLiteral("add cases with \"use\": \"test\"")};
    return {};
}

Result<void> Correctness::batch(QVector<Entry>& entries)
{
    HarnessJob job;
    job.program = m_program;
    job.scratch = m_scratch.path();
    job.device = c.run.device;
    job.cuda = *c.run.cuda;
    job.emulator.check = QStringLiteral("memory,race,init,sync");
    job.emulator.counters = m_scratch.file(QStringLiteral("counters.jsonl"));
    job.emulator.report = m_scratch.file(QStringLiteral("checks.jsonl"));
    job.limits = candidateLimits();
    job.onLine = [this](const QString& line) { c.log(line); };
    for (Entry& entry : entries) {
        auto inputs = makeInputs(entry.layout, entry.seed, c.run.cancel);
        if (!inputs)
            return inputs.error();
        entry.inputs = std::move(*inputs);
        auto files = writeInputs(entry.layout, entry.inputs, m_scratch.path(),
                                 QStringLiteral("c%1_s0").arg(entry.index));
        if (!files)
            return files.error();
        HarnessCase hc;
        hc.index = entry.index;
        hc.label = entry.label();
        hc.layout = entry.layout;
        hc.inputs = {*files};
        hc.timeoutMs = qMax(1, c.run.bundle().timeouts.testS) * 1000;
        job.cases.push_back(hc);
    }
    job.onCase = [this](const HarnessOutcome& outcome) {
        c.run.progress(QStringLiteral("%1: correctness, case %2 of %3")
                           .arg(c.candidate.id)
                           .arg(outcome.index + 1)
                           .arg(m_entries.size()));
    };
    auto report = runHarness(job, c.run.cancel);
    if (!report)
        return report.error();
    m_forged += report->forged;
    for (qsizetype i = 0; i < entries.size(); ++i) {
        Entry& entry = entries[i];
        const HarnessOutcome& outcome = report->outcomes.at(i);
        if (outcome.end == HarnessEnd::Cancelled)
            return Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {}, {}};
        addTamperFindings(c, outcome, entry.label());
        if (outcome.end == HarnessEnd::Done) {
            auto judged = judge(c, entry, outcome, *m_reference, m_scratch.path(), m_tally);
            if (!judged)
                return judged.error();
            if (!outcome.guardsBroken.isEmpty())
                ++m_checkerErrors;
            m_cases.push_back(std::move(*judged));
        } else if (outcome.end == HarnessEnd::NotRun) {
            ++m_tally.notRun;
            m_cases.push_back(caseJson(entry, PassState::Skipped, outcome.message, 0));
        } else {
            const bool hung = outcome.end == HarnessEnd::Hung;
            ++m_tally.failed;
            m_tally.onlyTimeouts = m_tally.onlyTimeouts && hung;
            addRunFinding(c, outcome, entry.label());
            c.log(QStringLiteral("case %1: %2").arg(entry.label(), outcome.message));
            m_cases.push_back(caseJson(entry, hung ? PassState::Timeout : PassState::Failed,
                                       outcome.message, outcome.wallNs));
        }
        entry.inputs.clear();
        for (qsizetype p = 0; p < entry.layout.params.size(); ++p) {
            QFile::remove(m_scratch.file(outputFile(entry.index, p)));
            QFile::remove(m_scratch.file(QStringLiteral("c%1_s0_p%2.in").arg(entry.index).arg(p)));
        }
    }
    return {};
}

void Correctness::finish()
{
    const auto keep = [this](const char* file, const QString& name) {
        const auto bytes = readFile(m_scratch.file(QLatin1String(file)), 64 << 20);
        if (bytes && !bytes->isEmpty())
            c.artefact(name, QStringLiteral("correctness-") + QLatin1String(file),
                       QStringLiteral("application/jsonl"), *bytes);
    };
    keep("counters.jsonl", QStringLiteral("counters"));
    keep("checks.jsonl", QStringLiteral("checker reports"));
    m_checkerErrors += addCheckerFindings(c, m_scratch.file(QStringLiteral("checks.jsonl")));
    // One seed of each case: the counts of a call do not depend on the seed in what we plot.
    QMap<QString, QString> firstLabel;
    for (const Entry& entry : m_entries) {
        if (!firstLabel.values().contains(entry.layout.source.id))
            firstLabel.insert(entry.label(), entry.layout.source.id);
    }
    const auto counted =
        readCounters(m_scratch.file(QStringLiteral("counters.jsonl")),
                     [&firstLabel](const QString& label) { return firstLabel.value(label); });
    if (!counted.isEmpty())
        c.run.counted.insert(c.candidate.id, counted);
    addWrongFindings(c, m_tally);
    if (m_forged > 0) {
        Finding& finding =
            c.add(QStringLiteral("RL-FORGED"), Severity::High,
                  QStringLiteral("The candidate writes to the harness's report channel"),
                  QStringLiteral(
                      "Lines arrived there that the harness did not write. They were ignored."),
                  VerdictWord::Hack);
        finding.evidence.push_back(numberEvidence(QStringLiteral("%1 foreign lines").arg(m_forged),
                                                  m_forged, QStringLiteral("0")));
    }
}

void Correctness::run()
{
    const auto compiled =
        compiledCandidate(c.run, c.candidate, [this](const QString& l) { c.log(l); });
    if (!compiled)
        return c.endWith(compiled.error());
    m_program = compiled->program;
    auto reference = referenceProgram(c.run, [this](const QString& l) { c.log(l); });
    if (!reference)
        return c.endWith(reference.error());
    m_reference = *reference;
    if (!m_scratch.isValid())
        return c.endWith(Error{ErrorCode::Environment,
                               QStringLiteral("cannot make a scratch folder"),
                               {cacheDir()},
                               QStringLiteral("check permissions and free space")});
    if (auto planned = plan(); !planned)
        return c.endWith(planned.error());
    Result<void> ran;
    for (qsizetype first = 0; first < m_entries.size() && ran;) {
        QVector<Entry> entries;
        qint64 bytes = 0;
        while (first < m_entries.size() &&
               (entries.isEmpty() || bytes + m_entries.at(first).layout.totalBytes <= batchBytes)) {
            bytes += m_entries.at(first).layout.totalBytes;
            entries.push_back(m_entries.at(first++));
        }
        ran = batch(entries);
    }
    finish();
    c.pass.result = {{"reference",
                      {{"kind", "cpp fp64"},
                       {"file", sstr(m_reference->file())},
                       {"command", sstr(m_reference->command())}}},
                     {"passed", m_tally.passed},
                     {"failed", m_tally.failed},
                     {"checker_errors", m_checkerErrors},
                     {"cases", std::move(m_cases)}};
    if (!ran)
        return c.endWith(ran.error());
    const qsizetype total = m_entries.size();
    QString summary = QStringLiteral("%1 of %2 cases right").arg(m_tally.passed).arg(total);
    if (m_checkerErrors > 0)
        summary += QStringLiteral(", but the checkers found %1 errors").arg(m_checkerErrors);
    if (m_tally.notRun > 0)
        summary += QStringLiteral(", %1 not run").arg(m_tally.notRun);
    if (m_tally.failed == 0 && m_checkerErrors == 0 && m_tally.passed == total)
        c.end(PassState::Passed, summary);
    else if (m_tally.failed > 0 && m_tally.onlyTimeouts && m_checkerErrors == 0)
        c.end(PassState::Timeout, summary + QStringLiteral(": the candidate does not finish"));
    else
        c.end(PassState::Failed, summary);
}

} // namespace

Result<const ReferenceProgram*> referenceProgram(RunState& run,
                                                 const std::function<void(const QString&)>& onLine)
{
    if (run.referenceError)
        return *run.referenceError;
    if (!run.reference) {
        if (!run.host)
            return Error{ErrorCode::Environment, run.hostMissing, {}, {}};
        auto built = ReferenceProgram::build(run.bundle(), *run.host, onLine, run.cancel);
        if (!built) {
            if (built.error().code != ErrorCode::Cancelled)
                run.referenceError = built.error();
            return built.error();
        }
        run.reference = *built;
    }
    return &*run.reference;
}

void correctnessPass(PassContext& context)
{
    if (!context.run.device.isCuda()) {
        context.endWith(noCudaDevice(context.run));
        return;
    }
    if (context.run.bundle().signature.callStyle == CallStyle::Process)
        processCorrectness(context);
    else
        Correctness(context).run();
}

} // namespace ridgeline
