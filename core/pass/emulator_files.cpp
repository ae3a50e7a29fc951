// SPDX-License-Identifier: GPL-3.0-or-later
// What the emulated device writes: counters and checker reports.
#include "core/pass/run_state.h"

#include <QFile>
#include <QFileInfo>

namespace ridgeline {

namespace {

constexpr int mostFindings = 12;

/// Calls `use` with each JSON line; stops after 200,000.
template <class Use>
void eachLine(const QString& path, const Use& use)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return;
    for (int n = 0; n < 200000 && !file.atEnd(); ++n) {
        const auto json = parseJson(file.readLine(1 << 20), path);
        if (json)
            use(*json);
    }
}

QString siteText(const Json& site)
{
    const auto dims = [&site](const char* key) {
        QStringList parts;
        for (const Json& n : jsonMember(site, key)) {
            if (n.is_number())
                parts << QString::number(n.get<double>(), 'f', 0);
        }
        return parts.join(QLatin1Char(','));
    };
    QString text = QStringLiteral("%1 of %2 bytes by thread (%3) in block (%4)")
                       .arg(jsonString(site, "access", QStringLiteral("access")))
                       .arg(jsonInt(site, "size"))
                       .arg(dims("thread"), dims("block"));
    const QString file = jsonString(site, "file");
    if (!file.isEmpty())
        text +=
            QStringLiteral(" at %1:%2").arg(QFileInfo(file).fileName()).arg(jsonInt(site, "line"));
    return text;
}

/// The kernel's name without its parameters and without "(anonymous namespace)::".
QString shortKernel(QString name)
{
    name.remove(QStringLiteral("(anonymous namespace)::"));
    return name.section(QLatin1Char('('), 0, 0);
}

struct CheckerText {
    const char* checker;
    const char* code;
    const char* title;
    const char* explanation;
    VerdictWord word;
    bool proves; ///< that the candidate is wrong
};

const CheckerText texts[] = {
    {"race", "RL-RACE", "Race between threads",
     "Two threads touch the same address without a barrier between them, and one writes: the "
     "result "
     "depends on which comes first. It may be right here by luck and wrong on another device.",
     VerdictWord::Wrong, true},
    {"memory", "RL-OOB", "Access outside of memory that is its own",
     "A thread reads or writes outside of every allocation, misaligned, or after the memory was "
     "freed.",
     VerdictWord::Run, true},
    {"init", "RL-INIT", "Reads memory that nobody wrote",
     "A thread reads bytes that neither the host nor a kernel has written: the value is arbitrary "
     "on "
     "a real device.",
     VerdictWord::Wrong, false},
    {"sync", "RL-SYNC", "Barrier that not all threads reach",
     "Threads of one block or warp wait at a barrier that others skip: on a real device this hangs "
     "or is undefined.",
     VerdictWord::Run, true}};

} // namespace

QVector<CountedKernel> readCounters(const QString& file,
                                    const std::function<QString(const QString& label)>& caseOf)
{
    QVector<CountedKernel> kernels;
    eachLine(file, [&](const Json& line) {
        const QString caseId = caseOf(jsonString(line, "label"));
        if (caseId.isEmpty())
            return;
        const QString name = jsonString(line, "kernel");
        CountedKernel* kernel = nullptr;
        for (CountedKernel& k : kernels) {
            if (k.caseId == caseId && k.kernel == name)
                kernel = &k;
        }
        if (kernel == nullptr) {
            if (kernels.size() >= 1000)
                return;
            kernels.push_back({});
            kernel = &kernels.back();
            kernel->caseId = caseId;
            kernel->kernel = name;
        }
        const Json& flops = jsonMember(line, "flops");
        const Json& global = jsonMember(line, "global");
        const Json& shared = jsonMember(line, "shared");
        const Json& unique = jsonMember(line, "unique_global_bytes");
        ++kernel->launches;
        kernel->fp64 += jsonNumber(flops, "fp64");
        kernel->fp32 += jsonNumber(flops, "fp32");
        kernel->fp16 += jsonNumber(flops, "fp16");
        kernel->bf16 += jsonNumber(flops, "bf16");
        kernel->tensor += jsonNumber(flops, "tensor");
        kernel->loadBytes += jsonNumber(global, "load_bytes");
        kernel->storeBytes += jsonNumber(global, "store_bytes");
        kernel->loadSectors += jsonNumber(global, "load_sectors");
        kernel->storeSectors += jsonNumber(global, "store_sectors");
        kernel->loadRequests += jsonNumber(global, "load_requests");
        kernel->storeRequests += jsonNumber(global, "store_requests");
        kernel->sharedBytes += jsonNumber(shared, "load_bytes") + jsonNumber(shared, "store_bytes");
        kernel->warpInstructions += jsonNumber(line, "warp_instructions");
        kernel->uniqueBytes += jsonNumber(unique, "load") + jsonNumber(unique, "store");
    });
    return kernels;
}

int addCheckerFindings(PassContext& c, const QString& file)
{
    struct Seen {
        QString key;
        Json report;
        qint64 count = 0;
    };
    QVector<Seen> seen;
    eachLine(file, [&seen](const Json& report) {
        const Json& site = jsonMember(report, "site");
        const QString key =
            QStringLiteral("%1|%2|%3|%4")
                .arg(jsonString(report, "checker"), jsonString(report, "kernel"),
                     jsonString(site, "file"), QString::number(jsonInt(site, "line")));
        for (Seen& s : seen) {
            if (s.key == key) {
                s.count += jsonInt(report, "count", 1);
                return;
            }
        }
        if (seen.size() < 500)
            seen.push_back({key, report, jsonInt(report, "count", 1)});
    });
    int proofs = 0;
    int added = 0;
    for (const Seen& s : seen) {
        const QString checker = jsonString(s.report, "checker");
        for (const CheckerText& text : texts) {
            if (checker != QLatin1String(text.checker))
                continue;
            proofs += text.proves ? 1 : 0;
            if (++added > mostFindings)
                continue;
            const Json& site = jsonMember(s.report, "site");
            Finding& finding =
                c.add(QLatin1String(text.code), Severity::High,
                      QStringLiteral("%1: %2 in %3 memory, kernel %4")
                          .arg(QLatin1String(text.title), jsonString(s.report, "kind"),
                               jsonString(s.report, "space", QStringLiteral("global")),
                               shortKernel(jsonString(s.report, "kernel"))),
                      QLatin1String(text.explanation), text.word);
            finding.location =
                sourceRange(c.run.bundle(), jsonString(site, "file"), int(jsonInt(site, "line")));
            QString line = siteText(site);
            const Json& other = jsonMember(s.report, "other");
            if (other.is_object())
                line += QStringLiteral(", against %1").arg(siteText(other));
            finding.evidence.push_back(logEvidence(line));
            finding.evidence.push_back(numberEvidence(
                QStringLiteral("seen %1 times").arg(s.count), double(s.count),
                QStringLiteral("0 (%1 checker of the emulated device)").arg(checker)));
            finding.evidence.push_back(reproduceEvidence(c));
        }
    }
    return proofs;
}

} // namespace ridgeline
