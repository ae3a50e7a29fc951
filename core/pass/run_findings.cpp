// SPDX-License-Identifier: GPL-3.0-or-later
// What a harness outcome means, in words.
#include "core/pass/run_state.h"

namespace ridgeline {

namespace {

/// An answer per kind of failure, once per candidate and pass: the first case stands for the rest.
bool alreadyTold(const PassContext& c, const QString& code)
{
    for (const Finding& finding : c.record.findings) {
        if (finding.pass == c.pass.pass && finding.code == code)
            return true;
    }
    return false;
}

QString advice(const QString& code)
{
    if (code == QLatin1String("E01"))
        return QStringLiteral("The driver is older than the toolkit that made the PTX: not the "
                              "candidate's fault.");
    if (code == QLatin1String("E02"))
        return QStringLiteral("The program holds no code for this device.");
    if (code == QLatin1String("E06"))
        return QStringLiteral(
            "Registers per thread times threads per block exceed the device: fewer "
            "threads, or __launch_bounds__.");
    if (code == QLatin1String("E07"))
        return QStringLiteral(
            "A grid or block dimension is zero or too large (grid y and z at most "
            "65535, 1024 threads a block): print the dimensions for this shape.");
    if (code == QLatin1String("E08"))
        return QStringLiteral(
            "A kernel touched memory outside of its buffers. The error shows up late; "
            "the memory checker of the emulated device names the line.");
    if (code == QLatin1String("E10"))
        return QStringLiteral(
            "A wide load or store at an address that is no multiple of its size.");
    if (code == QLatin1String("E11"))
        return QStringLiteral("An assert in device code failed.");
    if (code == QLatin1String("E12"))
        return QStringLiteral("The device has too little memory for what was asked.");
    return QStringLiteral("The CUDA runtime refused or broke off the work.");
}

} // namespace

void addRunFinding(PassContext& c, const HarnessOutcome& outcome, const QString& caseId)
{
    QString code, title, explanation;
    VerdictWord word = VerdictWord::Run;
    switch (outcome.end) {
    case HarnessEnd::Done:
    case HarnessEnd::NotRun:
    case HarnessEnd::Cancelled:
        return;
    case HarnessEnd::CudaError:
        code = outcome.errorCode;
        title = QStringLiteral("CUDA error: %1").arg(outcome.errorName);
        explanation = advice(code);
        if (code == QLatin1String("E01"))
            word = VerdictWord::Env;
        break;
    case HarnessEnd::Crashed:
        code = QStringLiteral("RL-CRASH");
        title = QStringLiteral("The candidate crashes");
        explanation = QStringLiteral("The process died while the candidate ran.");
        break;
    case HarnessEnd::Hung:
        code = QStringLiteral("RL-HANG");
        title = QStringLiteral("The candidate does not finish");
        explanation = QStringLiteral("It was stopped at the bundle's time limit.");
        break;
    case HarnessEnd::Left:
        code = QStringLiteral("RL-EXIT");
        title = QStringLiteral("The candidate ends the process");
        explanation =
            QStringLiteral("A library function must return to its caller; this one exits.");
        break;
    case HarnessEnd::Stopped:
        code = outcome.process == ProcessEnd::OutputLimit    ? QStringLiteral("RL-FLOOD")
               : outcome.process == ProcessEnd::MemoryLimit  ? QStringLiteral("RL-MEMORY")
               : outcome.process == ProcessEnd::ProcessLimit ? QStringLiteral("RL-FORK")
                                                             : QStringLiteral("RL-DISK");
        title = QStringLiteral("The candidate was stopped at a resource limit");
        explanation =
            QStringLiteral("Limits on memory, processes, output and files protect the machine.");
        break;
    }
    if (alreadyTold(c, code))
        return;
    Finding& finding = c.add(code, Severity::High, title, explanation, word);
    finding.evidence.push_back(
        logEvidence(QStringLiteral("case %1: %2").arg(caseId, outcome.message)));
    const QString tail = QString::fromUtf8(outcome.stderrTail).trimmed();
    if (!tail.isEmpty())
        finding.evidence.push_back(
            logEvidence(QStringLiteral("stderr ends: %1").arg(tail.right(500))));
    finding.evidence.push_back(reproduceEvidence(c));
}

void addTamperFindings(PassContext& c, const HarnessOutcome& outcome, const QString& caseId)
{
    if (!outcome.inputsChanged.isEmpty() && !alreadyTold(c, QStringLiteral("A19"))) {
        Finding& finding =
            c.add(QStringLiteral("A19"), Severity::High, QStringLiteral("Inputs are changed"),
                  QStringLiteral(
                      "The call writes through a parameter that the signature calls an input: "
                      "whoever uses it afterwards, a reference for instance, sees other values."),
                  VerdictWord::Hack);
        finding.evidence.push_back(
            logEvidence(QStringLiteral("case %1: bytes of %2 differ after the call")
                            .arg(caseId, outcome.inputsChanged.join(QStringLiteral(", ")))));
        finding.evidence.push_back(reproduceEvidence(c));
    }
    if (!outcome.guardsBroken.isEmpty() && !alreadyTold(c, QStringLiteral("RL-OOB"))) {
        Finding& finding =
            c.add(QStringLiteral("RL-OOB"), Severity::High,
                  QStringLiteral("Writes outside of its buffers"),
                  QStringLiteral("The bytes before or after a buffer changed during the call."),
                  VerdictWord::Run);
        finding.evidence.push_back(
            logEvidence(QStringLiteral("case %1: the guard zone around %2 is overwritten")
                            .arg(caseId, outcome.guardsBroken.join(QStringLiteral(", ")))));
        finding.evidence.push_back(reproduceEvidence(c));
    }
}

QVector<quint64> seedsOf(const RunState& run, const BundleCase& c)
{
    QVector<quint64> seeds = c.seeds;
    for (int i = 0; c.seeds.isEmpty() && i < qBound(1, run.bundle().trials, 100); ++i)
        seeds << quint64(i);
    for (quint64& seed : seeds)
        seed += run.request.seed;
    return seeds;
}

Error noCudaDevice(const RunState& run)
{
    return Error{
        ErrorCode::Environment,
        QStringLiteral("a CUDA candidate cannot run on %1: %2").arg(run.device.id, run.device.why),
        {},
        run.device.fix};
}

Json axesJson(const BundleCase& c)
{
    Json axes = Json::object();
    for (auto it = c.axes.begin(); it != c.axes.end(); ++it)
        axes[sstr(it.key())] = it.value();
    return axes;
}

Result<OutputComparison> compareParam(const CaseParam& p, const QByteArray& got,
                                      const QByteArray& reference, const ToleranceRule& rule)
{
    if (auto checked = checkTolerance(rule); !checked)
        return checked.error();
    if (got.size() != p.bytes || reference.size() != p.referenceBytes)
        return Error{ErrorCode::Internal,
                     QStringLiteral("output \"%1\" has %2 bytes, %3 expected")
                         .arg(p.param.name)
                         .arg(got.size())
                         .arg(p.bytes),
                     {},
                     {}};
    OutputComparer comparer(p.param.name, p.param.dtype, p.shape, rule,
                            p.param.direction == ParamDirection::Out);
    if (isFloat(p.param.dtype)) {
        // A byte array's buffer is aligned for doubles (malloc).
        comparer.add(got.constData(), reinterpret_cast<const double*>(reference.constData()),
                     p.count);
    } else {
        comparer.addIntegers(got.constData(), reference.constData(), p.count);
    }
    return comparer.finish();
}

} // namespace ridgeline
