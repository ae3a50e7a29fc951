// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/harness_run.h"

#include "core/numerics/convert.h"
#include "core/support/paths.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>

#include <unistd.h>

namespace ridgeline {

namespace {

constexpr int mostHangs = 3;

/// cudaError → id of the failure catalogue.
QString catalogueCode(const QString& name)
{
    static const struct {
        const char* name;
        const char* code;
    } table[] = {{"cudaErrorUnsupportedPtxVersion", "E01"},
                 {"cudaErrorNoKernelImageForDevice", "E02"},
                 {"cudaErrorLaunchOutOfResources", "E06"},
                 {"cudaErrorInvalidConfiguration", "E07"},
                 {"cudaErrorIllegalAddress", "E08"},
                 {"cudaErrorMisalignedAddress", "E10"},
                 {"cudaErrorAssert", "E11"},
                 {"cudaErrorMemoryAllocation", "E12"},
                 {"cudaErrorStreamCaptureUnsupported", "E18"}};
    for (const auto& row : table) {
        if (name == QLatin1String(row.name))
            return QLatin1String(row.code);
    }
    return QStringLiteral("RL-CUDA");
}

QByteArray planText(const HarnessJob& job, const QVector<int>& pending, const QByteArray& nonce)
{
    const bool real = job.device.isReal();
    QByteArray plan = "nonce " + nonce + '\n';
    // Guards only where no memory checker sees further; the flush beats any L2 of today.
    plan += "guard " + QByteArray::number(real ? 4096 : 0) + '\n';
    for (const int i : pending) {
        if (real && job.cases.at(i).bench) {
            plan += "flush " + QByteArray::number(qint64(256) << 20) + '\n';
            break;
        }
    }
    for (const int i : pending) {
        const HarnessCase& c = job.cases.at(i);
        plan += "case " + QByteArray::number(c.index) + (c.bench ? " bench " : " check ") +
                QByteArray::number(c.warmup) + ' ' + QByteArray::number(c.reps) + '\n';
        plan += "label " + c.label.simplified().toUtf8() + '\n';
        for (qsizetype p = 0; p < c.layout.params.size(); ++p) {
            const CaseParam& param = c.layout.params.at(p);
            const QByteArray name = param.param.name.toUtf8().replace(' ', '_');
            if (!param.param.pointer) {
                plan += "scalar " + param.scalar.toHex() + '\n';
                continue;
            }
            const QByteArray bytes = QByteArray::number(param.bytes);
            QByteArray files;
            for (const QStringList& set : c.inputs)
                files += param.isInput() ? ' ' + set.at(p).toUtf8() : QByteArray();
            const QByteArray out = outputFile(c.index, p).toUtf8();
            if (param.param.direction == ParamDirection::Out) {
                QByteArray pattern(dtypeSize(param.param.dtype), '\0');
                fillPoison(pattern.data(), param.param.dtype, 1);
                plan += "out " + name + ' ' + bytes + ' ' + pattern.toHex() + ' ' + out + '\n';
            } else if (param.param.direction == ParamDirection::InOut) {
                plan += "inout " + name + ' ' + bytes + files + ' ' + out + '\n';
            } else {
                plan += "in " + name + ' ' + bytes + files + '\n';
            }
        }
        if (!c.dump.isEmpty()) {
            plan += "dump";
            for (const int rep : c.dump)
                plan += ' ' + QByteArray::number(rep);
            plan += '\n';
        }
        plan += "end\n";
    }
    return plan;
}

/// One process over the pending cases.
class Session {
public:
    Session(const HarnessJob& job, HarnessReport& report, const CancelToken& cancel)
        : m_job(job), m_report(report), m_cancel(cancel)
    {
    }
    /// Runs the cases and settles at least one of them, or says why none could run.
    Result<void> run(const QVector<int>& pending);
    bool settled(int i) const { return m_settled.contains(i); }
    bool hung() const { return m_hung; }

private:
    void line(const QByteArray& text, ProcessControl& control);
    HarnessOutcome* byIndex(int index, int* position = nullptr);
    void settle(int position, HarnessEnd end, const QString& message);

    const HarnessJob& m_job;
    HarnessReport& m_report;
    const CancelToken& m_cancel;
    QByteArray m_nonce;
    QVector<int> m_settled;
    QVector<int> m_pending;
    int m_active = -1;
    qint64 m_startedNs = 0;
    QElapsedTimer m_clock;
    QString m_problem;
    bool m_hung = false;
};

HarnessOutcome* Session::byIndex(int index, int* position)
{
    for (const int i : m_pending) {
        if (m_job.cases.at(i).index == index && !m_settled.contains(i)) {
            if (position != nullptr)
                *position = i;
            return &m_report.outcomes[i];
        }
    }
    return nullptr;
}

void Session::settle(int position, HarnessEnd end, const QString& message)
{
    HarnessOutcome& outcome = m_report.outcomes[position];
    outcome.end = end;
    if (!message.isEmpty())
        outcome.message = message;
    outcome.wallNs = m_clock.nsecsElapsed() - m_startedNs;
    m_settled << position;
    m_active = -1;
    if (m_job.onCase)
        m_job.onCase(outcome);
}

void Session::line(const QByteArray& text, ProcessControl& control)
{
    if (!text.startsWith(m_nonce + ' ')) {
        // Before it has read its plan the harness does not know the nonce.
        if (text.startsWith(" {\"event\":\"harness_error\"")) {
            const auto early = parseJson(text.mid(1), QStringLiteral("harness"));
            if (early)
                m_problem = jsonString(*early, "message");
            return;
        }
        ++m_report.forged;
        return;
    }
    const auto json = parseJson(text.mid(m_nonce.size() + 1), QStringLiteral("harness"));
    if (!json) {
        ++m_report.forged;
        return;
    }
    const QString event = jsonString(*json, "event");
    int position = -1;
    HarnessOutcome* outcome = byIndex(int(jsonInt(*json, "case", -1)), &position);
    if (event == QLatin1String("device")) {
        m_report.device = *json;
        m_report.device.erase("event");
    } else if (event == QLatin1String("harness_error")) {
        m_problem = jsonString(*json, "message");
    } else if (event == QLatin1String("start") && outcome != nullptr) {
        m_active = position;
        m_startedNs = m_clock.nsecsElapsed();
        control.setDeadline(m_job.cases.at(position).timeoutMs);
    } else if (event == QLatin1String("sample") && outcome != nullptr) {
        outcome->samples.push_back({int(jsonInt(*json, "rep")), int(jsonInt(*json, "set")),
                                    jsonNumber(*json, "event_ns"), jsonNumber(*json, "full_ns"),
                                    jsonNumber(*json, "host_ns"), jsonString(*json, "hash")});
    } else if (event == QLatin1String("dumped") && outcome != nullptr) {
        outcome->dumps.push_back({int(jsonInt(*json, "rep")), int(jsonInt(*json, "set"))});
    } else if (event == QLatin1String("cuda_error")) {
        const QString message = QStringLiteral("%1: %2 (%3)")
                                    .arg(jsonString(*json, "where"), jsonString(*json, "text"),
                                         jsonString(*json, "name"));
        if (outcome == nullptr) {
            m_problem = message;
            return;
        }
        outcome->errorName = jsonString(*json, "name");
        outcome->errorCode = catalogueCode(outcome->errorName);
        settle(position, HarnessEnd::CudaError, message);
    } else if (event == QLatin1String("done") && outcome != nullptr) {
        outcome->inputsChanged = jsonStrings(*json, "inputs_changed");
        outcome->guardsBroken = jsonStrings(*json, "guards_broken");
        settle(position, HarnessEnd::Done, {});
    }
}

Result<void> Session::run(const QVector<int>& pending)
{
    m_pending = pending;
    m_nonce = QByteArray::number(QRandomGenerator::system()->generate64(), 16);
    const QString planName = QStringLiteral("plan.txt");
    QFile plan(m_job.scratch + QLatin1Char('/') + planName);
    const QByteArray text = planText(m_job, pending, m_nonce);
    if (!plan.open(QIODevice::WriteOnly | QIODevice::Truncate) || plan.write(text) != text.size() ||
        !plan.flush())
        return Error{ErrorCode::Environment,
                     QStringLiteral("cannot write the plan: %1").arg(plan.errorString()),
                     {plan.fileName()},
                     QStringLiteral("check free space")};
    plan.close();

    ProcessSpec spec;
    spec.program = m_job.program;
    spec.arguments = {planName};
    spec.workDir = m_job.scratch;
    spec.environment = cleanEnvironment(m_job.scratch);
    spec.environment << QStringLiteral("RIDGELINE_REPORT_FD=3");
    spec.limits = m_job.limits;
    spec.limits.wallMs = 60000; // to the first case: starting a driver can take seconds
    Sandbox sandbox;
    sandbox.readOnly << QFileInfo(m_job.program).absolutePath();
    sandbox.writable << m_job.scratch;
    addDeviceEnvironment(m_job.device, m_job.cuda, m_job.emulator, spec.environment, sandbox);
    spec.sandbox = sandbox;
    spec.reportPipe = true;
    spec.onLine = [this](ProcessStream stream, const QByteArray& bytes, ProcessControl& control) {
        if (stream == ProcessStream::Report)
            line(bytes, control);
        else if (m_job.onLine)
            m_job.onLine(QString::fromUtf8(bytes));
    };
    m_clock.start();
    const ProcessOutcome outcome = runProcess(spec, m_cancel);
    m_report.sandboxed = outcome.sandboxed;
    if (outcome.end == ProcessEnd::Cancelled)
        return Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {}, {}};
    const QByteArray tail = outcome.err.text().right(4000);
    if (m_active >= 0) {
        HarnessOutcome& active = m_report.outcomes[m_active];
        active.process = outcome.end;
        active.signal = outcome.signal;
        active.stderrTail = tail;
        const bool hangs =
            outcome.end == ProcessEnd::TimedOut || outcome.end == ProcessEnd::CpuLimit;
        m_hung = hangs;
        const HarnessEnd end = hangs                                   ? HarnessEnd::Hung
                               : outcome.end == ProcessEnd::Signalled  ? HarnessEnd::Crashed
                               : outcome.end == ProcessEnd::Exited     ? HarnessEnd::Left
                               : outcome.end == ProcessEnd::NotStarted ? HarnessEnd::NotRun
                                                                       : HarnessEnd::Stopped;
        QString message = outcome.describe();
        if (!m_problem.isEmpty())
            message = m_problem;
        else if (end == HarnessEnd::Left)
            message =
                QStringLiteral("ended the process itself (%1) instead of returning").arg(message);
        if (outcome.err.text().contains("std::bad_alloc"))
            message += QStringLiteral("; it had run out of memory (std::bad_alloc)");
        settle(m_active, end, message);
        return {};
    }
    if (!m_settled.isEmpty()) {
        for (const int i : m_settled)
            m_report.outcomes[i].stderrTail = tail;
        return {};
    }
    QString message = m_problem.isEmpty() ? outcome.describe() : m_problem;
    if (m_problem.isEmpty() && outcome.end != ProcessEnd::Exited &&
        outcome.end != ProcessEnd::NotStarted) {
        // The candidate's static initialisers run before any case; this would happen every time.
        for (const int i : pending) {
            m_report.outcomes[i].process = outcome.end;
            m_report.outcomes[i].signal = outcome.signal;
            m_report.outcomes[i].stderrTail = tail;
            settle(i, outcome.end == ProcessEnd::TimedOut ? HarnessEnd::Hung : HarnessEnd::Crashed,
                   QStringLiteral("before the first case: ") + message);
        }
        return {};
    }
    if (!tail.trimmed().isEmpty())
        message += QStringLiteral(": ") + QString::fromUtf8(tail).trimmed().right(400);
    return Error{
        ErrorCode::Environment,
        QStringLiteral("the harness could not start on %1: %2").arg(m_job.device.id, message),
        {m_job.program},
        QStringLiteral("run \"ridgeline devices\" to see what can run here")};
}

} // namespace

QString outputFile(int caseIndex, qsizetype param, int rep)
{
    const QString name = QStringLiteral("c%1_p%2.out").arg(caseIndex).arg(param);
    return rep < 0 ? name : name + QStringLiteral(".rep%1").arg(rep);
}

ProcessLimits candidateLimits()
{
    ProcessLimits limits;
    const qint64 memory = qint64(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
    limits.memoryBytes = memory > 0 ? memory / 2 : qint64(4) << 30;
    limits.processes = 64;
    limits.fileBytes = qint64(9) << 30;
    limits.scratchBytes = qint64(40) << 30;
    limits.floodBytes = 64 << 20;
    return limits;
}

Result<HarnessReport> runHarness(const HarnessJob& job, const CancelToken& cancel)
{
    HarnessReport report;
    report.outcomes.resize(job.cases.size());
    QVector<int> pending;
    for (int i = 0; i < int(job.cases.size()); ++i) {
        report.outcomes[i].index = job.cases.at(i).index;
        pending << i;
    }
    int hangs = 0;
    while (!pending.isEmpty()) {
        Session session(job, report, cancel);
        auto ran = session.run(pending);
        if (!ran) {
            if (ran.error().code == ErrorCode::Cancelled) {
                for (const int i : pending) {
                    if (!session.settled(i))
                        report.outcomes[i].end = HarnessEnd::Cancelled;
                }
                return report;
            }
            // A candidate may also be what keeps the program from starting (static initialisers).
            return ran.error();
        }
        pending.removeIf([&session](int i) { return session.settled(i); });
        hangs += session.hung() ? 1 : 0;
        if (hangs >= mostHangs) {
            for (const int i : pending)
                report.outcomes[i].message =
                    QStringLiteral("not run: %1 cases before it did not finish").arg(hangs);
            break;
        }
    }
    return report;
}

} // namespace ridgeline
