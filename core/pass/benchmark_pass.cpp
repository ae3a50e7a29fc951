// SPDX-License-Identifier: GPL-3.0-or-later
// Times a candidate with fresh inputs for every repetition, and checks what the timed calls left.
#include "core/pass/bench_case.h"
#include "core/pass/process_style.h"
#include "core/roofline/roofline.h"
#include "core/support/paths.h"
#include "core/timing/statistics.h"

namespace ridgeline {

namespace {

constexpr int emulatedReps =
    10; ///< emulated time measures the emulator; a few samples show that it ran

/// Bench cases, or the largest test case when there are none.
QVector<BundleCase> benchCases(const Bundle& bundle, QString& note)
{
    QVector<BundleCase> cases;
    for (const BundleCase& c : bundle.cases) {
        if (c.use == CaseUse::Bench)
            cases.push_back(c);
    }
    if (!cases.isEmpty() || bundle.cases.isEmpty())
        return cases;
    const BundleCase* largest = nullptr;
    qint64 most = -1;
    for (const BundleCase& c : bundle.cases) {
        const auto layout = layoutCase(bundle, c);
        if (layout && layout->totalBytes > most) {
            most = layout->totalBytes;
            largest = &c;
        }
    }
    if (largest != nullptr) {
        cases.push_back(*largest);
        note += QStringLiteral("The bundle has no bench case: its largest test case was timed. ");
    }
    return cases;
}

QString timingKind(const RunState& run, bool process)
{
    if (!run.device.isReal())
        return QStringLiteral("emulated");
    return process ? QStringLiteral("host") : QStringLiteral("device");
}

class Benchmark {
public:
    explicit Benchmark(PassContext& context) : c(context) {}
    void run();

private:
    Result<void> one(const BundleCase& source);
    Result<void> oneProcess(const BundleCase& source);
    Json summaryJson(const BundleCase& source, const QVector<double>& samples);
    Json baselineJson(const QVector<double>& samples, const QVector<double>& baseline);
    void judgeTimes(const BundleCase& source, const BenchSeries& series,
                    const SampleSummary& summary);
    void addWrongTimed(const BundleCase& source, const BenchSeries& series);
    int reps() const
    {
        const int wanted = qBound(1, c.run.bundle().timing.reps, 10000);
        return c.run.device.isReal() ? wanted : qMin(wanted, emulatedReps);
    }
    int warmup() const
    {
        const int wanted = qBound(0, c.run.bundle().timing.warmup, 1000);
        return c.run.device.isReal() ? wanted : qMin(wanted, 1);
    }

    PassContext& c;
    const Candidate* m_baseline = nullptr;
    QString m_program, m_baselineProgram, m_kind, m_note;
    Json m_cases = Json::array();
    QVector<CountedKernel> m_counted;
    int m_wrong = 0, m_failed = 0, m_verified = 0;
    bool m_hung = false;
};

Json Benchmark::summaryJson(const BundleCase& source, const QVector<double>& samples)
{
    Json json{
        {"case", sstr(source.id)},
        {"axes", axesJson(source)},
        {"warmup", warmup()},
        {"reps", samples.size()},
        {"cache", c.run.device.isReal() && m_kind == QLatin1String("device") ? "cold" : "warm"},
        {"fresh_inputs", m_kind != QLatin1String("host")}};
    Json values = Json::array();
    for (const double sample : samples)
        values.push_back(sample);
    json["samples_ns"] = values;
    const auto summary = summarize(samples);
    if (summary) {
        const Json statistics = toJson(*summary);
        for (const auto& [key, value] : statistics.items())
            json[key] = value;
    }
    json["baseline"] = nullptr;
    return json;
}

Json Benchmark::baselineJson(const QVector<double>& samples, const QVector<double>& baseline)
{
    const auto compared = compareSeries(samples, baseline);
    const auto summary = summarize(baseline);
    if (!compared || !summary)
        return nullptr;
    Json json{{"candidate", sstr(m_baseline->id)}, {"median_ns", summary->median}};
    const Json ratio = toJson(*compared);
    for (const auto& [key, value] : ratio.items())
        json[key] = value;
    Json values = Json::array();
    for (const double sample : baseline)
        values.push_back(sample);
    json["samples_ns"] = values;
    return json;
}

/// Work outside of the timed stream, and times that physics forbids. Real devices only.
void Benchmark::judgeTimes(const BundleCase& source, const BenchSeries& series,
                           const SampleSummary& summary)
{
    if (m_kind != QLatin1String("device"))
        return;
    const auto full = summarize(series.fullNs);
    if (full && full->median > 2 * summary.median + 50000) {
        Finding& finding = c.add(
            QStringLiteral("A02"), Severity::High,
            QStringLiteral("Work goes on outside of the timed stream"),
            QStringLiteral(
                "Events on the default stream end long before the device is idle: the work runs "
                "on another stream or thread, and the event time leaves it out."),
            VerdictWord::Hack);
        finding.evidence.push_back(numberEvidence(
            QStringLiteral("case %1: %2 ns between events, %3 ns until the device is idle")
                .arg(source.id)
                .arg(summary.median, 0, 'f', 0)
                .arg(full->median, 0, 'f', 0),
            full->median - summary.median, QStringLiteral("at most the event time plus 50 µs")));
        finding.evidence.push_back(reproduceEvidence(c));
    }
    const auto table = loadHardware();
    const HardwareDevice* hardware = table ? table->device(c.run.device.model) : nullptr;
    const auto work = expressionWork(c.run.bundle().roofline, source);
    if (hardware == nullptr || !work || !work->has_value())
        return;
    const RooflineSpec& spec = c.run.bundle().roofline;
    const auto point =
        makePoint(*hardware, peakKind(*hardware, spec.dtype, spec.tensorCores),
                  QStringLiteral("dram"), source.id, QStringLiteral("expression"), **work);
    if (!point || summary.median >= point->boundNs)
        return;
    Finding& finding = c.add(
        QStringLiteral("RL-PHYSICS"), Severity::High,
        QStringLiteral("Faster than the device can be"),
        QStringLiteral(
            "The median time is below the bytes of the case over the memory's bandwidth, or its "
            "FLOPs over the peak. Either work is skipped, the bundle's expressions are wrong, or "
            "the data stay in a cache between repetitions."),
        VerdictWord::Hack);
    finding.evidence.push_back(numberEvidence(
        QStringLiteral("case %1: median %2 ns").arg(source.id).arg(summary.median, 0, 'f', 0),
        summary.median,
        QStringLiteral("at least %1 ns on %2 (%3 bound)")
            .arg(point->boundNs, 0, 'f', 0)
            .arg(hardware->name, point->boundBy)));
    finding.evidence.push_back(reproduceEvidence(c));
}

void Benchmark::addWrongTimed(const BundleCase& source, const BenchSeries& series)
{
    const PassRecord* correctness = c.record.pass(QStringLiteral("correctness"));
    const bool rightBefore = correctness != nullptr && correctness->state == PassState::Passed;
    // A wrong candidate is wrong here too, and that was said. An answer to another input is more.
    if (!rightBefore && !series.stale && correctness != nullptr)
        return;
    const QString code = series.stale  ? QStringLiteral("A06")
                         : rightBefore ? QStringLiteral("A09")
                                       : QStringLiteral("RL-WRONG");
    for (const Finding& finding : c.record.findings) {
        if (finding.pass == c.pass.pass && finding.code == code)
            return;
    }
    Finding& finding =
        series.stale
            ? c.add(code, Severity::High,
                    QStringLiteral("Timed calls return the result of an earlier input"),
                    QStringLiteral(
                        "The input was rewritten in place before each timed call; the output "
                        "belongs to an input before. The result is remembered by address instead "
                        "of being computed, so the time means nothing."),
                    VerdictWord::Hack)
        : rightBefore
            ? c.add(code, Severity::High, QStringLiteral("Right when checked, wrong when timed"),
                    QStringLiteral("The correctness pass found the same code right. In the timed "
                                   "calls its output is wrong or missing: the work is skipped, so "
                                   "the time means nothing."),
                    VerdictWord::Hack)
            : c.add(code, Severity::High, QStringLiteral("Timed calls leave wrong results"),
                    QStringLiteral("The outputs of the timed repetitions do not match the "
                                   "reference; correctness was not checked in this run."),
                    VerdictWord::Wrong);
    finding.evidence.push_back(numberEvidence(
        QStringLiteral("case %1: %2 of %3 timed repetitions wrong, first at repetition %4: %5")
            .arg(source.id)
            .arg(series.wrong)
            .arg(series.eventNs.size())
            .arg(series.firstWrongRep)
            .arg(series.firstWrong),
        series.wrong, QStringLiteral("0")));
    finding.evidence.push_back(reproduceEvidence(c));
}

Result<void> Benchmark::one(const BundleCase& source)
{
    BenchCase bench(c, source);
    if (auto prepared = bench.prepare(); !prepared)
        return prepared;
    // ABBA: a drift of the machine hits both sides alike.
    const bool pair = m_baseline != nullptr;
    const int blocks = !pair ? 1 : c.run.device.isReal() ? 4 : 2;
    const int perBlock = qMax(1, reps() / blocks);
    BenchSeries mine, other;
    for (int block = 0; block < blocks; ++block) {
        for (int side = 0; side < (pair ? 2 : 1); ++side) {
            const bool baselineTurn = pair && (side == 1) != (block % 2 == 1);
            c.run.progress(QStringLiteral("%1: benchmark, case %2, block %3 of %4")
                               .arg(baselineTurn ? m_baseline->id : c.candidate.id, source.id)
                               .arg(block + 1)
                               .arg(blocks));
            auto ran = bench.run(baselineTurn ? m_baselineProgram : m_program, warmup(), perBlock,
                                 baselineTurn ? other : mine, !baselineTurn && block == 0);
            if (!ran)
                return ran;
        }
    }
    if (m_counted.isEmpty() || !mine.counted.isEmpty())
        m_counted += mine.counted;
    const QVector<double>& samples = m_kind == QLatin1String("device") ? mine.eventNs : mine.hostNs;
    Json json = summaryJson(source, samples);
    json["verified_reps"] = mine.verified;
    json["wrong_reps"] = mine.wrong;
    if (m_kind == QLatin1String("device")) {
        Json full = Json::array();
        for (const double ns : mine.fullNs)
            full.push_back(ns);
        json["full_ns"] = full;
    }
    if (!mine.failure.isEmpty())
        json["message"] = sstr(mine.failure);
    if (pair && mine.failure.isEmpty() && other.failure.isEmpty()) {
        const QVector<double>& theirs =
            m_kind == QLatin1String("device") ? other.eventNs : other.hostNs;
        json["baseline"] = baselineJson(samples, theirs);
    } else if (pair && !other.failure.isEmpty()) {
        m_note += QStringLiteral("Baseline %1 failed on case %2: %3. ")
                      .arg(m_baseline->id, source.id, other.failure);
    }
    m_cases.push_back(std::move(json));
    m_verified += mine.verified;
    m_wrong += mine.wrong;
    if (mine.wrong > 0)
        addWrongTimed(source, mine);
    if (!mine.failure.isEmpty()) {
        ++m_failed;
        m_hung = m_hung || mine.hung;
    } else if (const auto summary = summarize(samples)) {
        judgeTimes(source, mine, *summary);
    }
    return {};
}

/// Whole programs: the clock is the host's around the process.
Result<void> Benchmark::oneProcess(const BundleCase& source)
{
    QVector<double> mine, theirs;
    const int count = qMin(reps(), 20);
    EmulatorOptions emulator;
    emulator.check = QStringLiteral("memory");
    const int timeoutMs = qMax(1, c.run.bundle().timeouts.benchS) * 1000;
    for (int rep = -qMin(warmup(), 1); rep < count; ++rep) {
        for (int side = 0; side < (m_baseline != nullptr ? 2 : 1); ++side) {
            const bool baselineTurn = m_baseline != nullptr && (side == 1) != (rep % 2 == 0);
            c.run.progress(QStringLiteral("%1: benchmark, case %2, repetition %3 of %4")
                               .arg(c.candidate.id, source.id)
                               .arg(qMax(0, rep + 1))
                               .arg(count));
            const ProgramRun run = runProgram(c, baselineTurn ? m_baselineProgram : m_program,
                                              source, emulator, timeoutMs);
            if (run.told.end == HarnessEnd::Cancelled)
                return Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {}, {}};
            if (!run.ok && !baselineTurn) {
                ++m_failed;
                m_hung = m_hung || run.told.end == HarnessEnd::Hung;
                addRunFinding(c, run.told, source.id);
                Json json = summaryJson(source, mine);
                json["message"] = sstr(run.message);
                m_cases.push_back(std::move(json));
                return {};
            }
            if (rep >= 0)
                (baselineTurn ? theirs : mine).push_back(double(run.outcome.wallNs));
        }
    }
    Json json = summaryJson(source, mine);
    if (m_baseline != nullptr)
        json["baseline"] = baselineJson(mine, theirs);
    m_cases.push_back(std::move(json));
    return {};
}

void Benchmark::run()
{
    const auto log = [this](const QString& line) { c.log(line); };
    const auto compiled = compiledCandidate(c.run, c.candidate, log);
    if (!compiled)
        return c.endWith(compiled.error());
    m_program = compiled->program;
    const Bundle& bundle = c.run.bundle();
    const bool process = bundle.signature.callStyle == CallStyle::Process;
    m_kind = timingKind(c.run, process);
    if (!bundle.baselineCandidate.isEmpty() && bundle.baselineCandidate != c.candidate.id)
        m_baseline = bundle.candidate(bundle.baselineCandidate);
    if (m_baseline != nullptr) {
        const auto baseline = compiledCandidate(c.run, *m_baseline, log);
        if (baseline && baseline->ok) {
            m_baselineProgram = baseline->program;
        } else {
            m_note += QStringLiteral("Baseline %1 does not compile, so nothing is compared. ")
                          .arg(m_baseline->id);
            m_baseline = nullptr;
        }
    }
    Result<void> ran;
    const QVector<BundleCase> cases = benchCases(bundle, m_note);
    for (const BundleCase& source : cases) {
        ran = process ? oneProcess(source) : one(source);
        if (!ran)
            break;
    }
    if (!m_counted.isEmpty())
        c.run.counted.insert(c.candidate.id, m_counted);
    if (m_kind == QLatin1String("emulated"))
        m_note +=
            QStringLiteral(
                "Emulated time is the emulator's own wall clock on this CPU. It says nothing about "
                "the speed on a GPU; the counts do. At most %1 repetitions are taken. ")
                .arg(emulatedReps);
    c.pass.result = {{"timing_kind", sstr(m_kind)},
                     {"clock", process ? "process wall clock"
                               : m_kind == QLatin1String("emulated")
                                   ? "host clock around the call"
                                   : "cudaEvent on the default stream"},
                     {"note", sstr(m_note.trimmed())},
                     {"cases", std::move(m_cases)}};
    if (!ran)
        return c.endWith(ran.error());
    if (cases.isEmpty())
        return c.end(PassState::Skipped, QStringLiteral("the bundle has no case to time"));
    if (m_failed > 0)
        return c.end(m_hung ? PassState::Timeout : PassState::Failed,
                     QStringLiteral("%1 of %2 cases did not finish their repetitions")
                         .arg(m_failed)
                         .arg(cases.size()));
    if (m_wrong > 0)
        return c.end(PassState::Failed,
                     QStringLiteral("%1 timed repetitions left wrong results").arg(m_wrong));
    c.end(PassState::Passed,
          process ? QStringLiteral("%1 cases timed (%2)").arg(cases.size()).arg(m_kind)
                  : QStringLiteral("%1 cases timed (%2), %3 repetitions verified")
                        .arg(cases.size())
                        .arg(m_kind)
                        .arg(m_verified));
}

} // namespace

void benchmarkPass(PassContext& context)
{
    if (!context.run.device.isCuda())
        return context.endWith(noCudaDevice(context.run));
    Benchmark(context).run();
}

} // namespace ridgeline
