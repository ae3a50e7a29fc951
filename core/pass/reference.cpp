// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/reference.h"

#include "core/numerics/convert.h"
#include "core/pass/harness_run.h"
#include "core/support/paths.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace ridgeline {

namespace {

constexpr qint64 keptBytes = qint64(1) << 30; ///< of answers in the cache

QString referenceThunk(const Bundle& bundle)
{
    Signature signature = bundle.signature;
    for (Param& param : signature.params) {
        if (isFloat(param.dtype))
            param.dtype = DType::Fp64;
    }
    const QString entry =
        bundle.reference->entry.isEmpty() ? QStringLiteral("reference") : bundle.reference->entry;
    return thunkSource(signature, entry);
}

ProcessSpec sandboxed(const Bundle* bundle, const QString& scratch)
{
    ProcessSpec spec;
    spec.workDir = scratch;
    spec.environment = cleanEnvironment(scratch);
    spec.limits = candidateLimits();
    Sandbox sandbox;
    sandbox.readOnly << resourceDir();
    if (bundle != nullptr)
        sandbox.readOnly << bundle->dir;
    sandbox.writable << scratch;
    spec.sandbox = sandbox;
    return spec;
}

/// Oldest answers go first.
void pruneAnswers(const QString& root)
{
    const QFileInfoList entries =
        QDir(root).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time);
    qint64 total = 0;
    for (const QFileInfo& entry : entries) {
        const QFileInfoList files = QDir(entry.absoluteFilePath()).entryInfoList(QDir::Files);
        for (const QFileInfo& file : files)
            total += file.size();
        if (total > keptBytes)
            QDir(entry.absoluteFilePath()).removeRecursively();
    }
}

QByteArray poisonOf(DType type)
{
    const DType held = isFloat(type) ? DType::Fp64 : type;
    QByteArray pattern(dtypeSize(held), '\0');
    fillPoison(pattern.data(), held, 1);
    return pattern;
}

} // namespace

Result<ReferenceProgram> ReferenceProgram::build(const Bundle& bundle, const HostCompiler& host,
                                                 const std::function<void(const QString&)>& onLine,
                                                 const CancelToken& cancel)
{
    const QString manifest = bundle.dir + QStringLiteral("/kbundle.json");
    if (!bundle.reference)
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("the bundle has no reference"),
                     {manifest, 0, 0, QStringLiteral("/reference")},
                     QStringLiteral("without one nothing can be compared")};
    const QString suffix = QFileInfo(bundle.reference->file).suffix();
    if (suffix != QLatin1String("cpp") && suffix != QLatin1String("cc") &&
        suffix != QLatin1String("cxx") && suffix != QLatin1String("c"))
        return Error{
            ErrorCode::BadSchema,
            QStringLiteral("the reference \"%1\" is no C++ file").arg(bundle.reference->file),
            {manifest, 0, 0, QStringLiteral("/reference/file")},
            QStringLiteral("references of other languages cannot run yet")};
    const QString source = bundle.absolute(bundle.reference->file);
    const QString mainFile = resourceDir() + QStringLiteral("/harness/reference_main.cpp");
    const auto mainText = readFile(mainFile);
    if (!mainText)
        return mainText.error();
    const QByteArray thunk = referenceThunk(bundle).toUtf8();
    const QByteArray content = bundleContentHash(bundle);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QByteArray& part : {content, *mainText, thunk, host.path.toUtf8(),
                                   host.version.toUtf8(), bundle.reference->file.toUtf8()}) {
        hash.addData(part);
        hash.addData(QByteArrayView("\0", 1));
    }

    ReferenceProgram program;
    program.m_file = bundle.reference->file;
    program.m_manifest = manifest;
    // No fast math, no contraction: the reference is to be the plain fp64 meaning of its text.
    const QStringList flags{QStringLiteral("-std=c++17"), QStringLiteral("-O2"),
                            QStringLiteral("-ffp-contract=off")};
    program.m_command =
        QStringLiteral("%1 %2 %3")
            .arg(QFileInfo(host.path).fileName(), flags.join(QLatin1Char(' ')), program.m_file);
    const QString root = cacheDir() + QStringLiteral("/references");
    program.m_key = content.isEmpty() ? QByteArray() : hash.result().toHex();
    const QString kept = root + QLatin1Char('/') + QString::fromLatin1(program.m_key);
    if (!program.m_key.isEmpty() && QFileInfo(kept).isExecutable()) {
        program.m_program = kept;
        return program;
    }

    ScratchDir scratch;
    QFile thunkFile(scratch.file(QStringLiteral("thunk.cpp")));
    if (!scratch.isValid() || !thunkFile.open(QIODevice::WriteOnly) ||
        thunkFile.write(thunk) != thunk.size() || !thunkFile.flush())
        return Error{ErrorCode::Environment,
                     QStringLiteral("cannot write to the scratch folder"),
                     {scratch.path()},
                     QStringLiteral("check permissions and free space")};
    thunkFile.close();
    ProcessSpec spec = sandboxed(&bundle, scratch.path());
    spec.program = host.path;
    spec.arguments = flags;
    spec.arguments << source << mainFile << QStringLiteral("thunk.cpp") << QStringLiteral("-o")
                   << QStringLiteral("program");
    spec.limits.wallMs = qMax(10, bundle.timeouts.compileS) * 1000;
    if (onLine) {
        onLine(QStringLiteral("$ ") + program.m_command);
        spec.onLine = [&onLine](ProcessStream, const QByteArray& line, ProcessControl&) {
            onLine(QString::fromUtf8(line));
        };
    }
    const ProcessOutcome outcome = runProcess(spec, cancel);
    if (outcome.end == ProcessEnd::Cancelled)
        return Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {}, {}};
    if (!outcome.success()) {
        const auto diagnostics =
            parseDiagnostics(QString::fromUtf8(outcome.err.text()), bundle.dir);
        const Diagnostic* first = firstError(diagnostics);
        Error error{ErrorCode::BadSchema,
                    QStringLiteral("the reference does not compile: %1")
                        .arg(first != nullptr ? first->message : outcome.describe()),
                    {source},
                    QStringLiteral("it must define extern \"C\" void %1(…) as the signature says, "
                                   "with double for every float type")
                        .arg(bundle.reference->entry)};
        if (first != nullptr && !first->file.isEmpty())
            error.where = {bundle.absolute(first->file), first->line, first->column, {}};
        return error;
    }
    QDir().mkpath(root);
    QString target = kept;
    if (program.m_key.isEmpty())
        target = root + QStringLiteral("/once-") + QFileInfo(scratch.path()).fileName();
    if (!QFile::rename(scratch.file(QStringLiteral("program")), target) &&
        !QFileInfo::exists(target))
        return Error{ErrorCode::Environment,
                     QStringLiteral("cannot keep the compiled reference"),
                     {target},
                     QStringLiteral("check free space")};
    program.m_program = target;
    return program;
}

Result<ReferenceOutputs> ReferenceProgram::run(const CaseLayout& layout,
                                               const QVector<GeneratedTensor>& inputs,
                                               int timeoutMs, const CancelToken& cancel) const
{
    const auto noSpace = [](const QString& path, const QString& why) {
        return Error{ErrorCode::Environment,
                     QStringLiteral("cannot write the reference's input: %1").arg(why),
                     {path},
                     QStringLiteral("check free space")};
    };
    ScratchDir scratch;
    if (!scratch.isValid())
        return noSpace(cacheDir(), QStringLiteral("no scratch folder"));
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(m_key);
    QByteArray plan;
    QVector<QByteArray> held(layout.params.size());
    for (qsizetype i = 0; i < layout.params.size(); ++i) {
        const CaseParam& p = layout.params.at(i);
        if (!p.param.pointer) {
            plan += "scalar " + p.referenceScalar.toHex() + '\n';
            continue;
        }
        const QByteArray number = QByteArray::number(i);
        plan += "tensor " + QByteArray::number(p.referenceBytes) + ' ' +
                (p.isInput() ? number + ".in" : QByteArray("-")) + ' ' +
                (p.isOutput() ? number + ".out" : QByteArray("-")) + ' ' +
                poisonOf(p.param.dtype).toHex() + '\n';
        if (!p.isInput())
            continue;
        const GeneratedTensor& tensor = inputs.at(i);
        held[i] = isFloat(p.param.dtype)
                      ? QByteArray(reinterpret_cast<const char*>(tensor.values.constData()),
                                   tensor.values.size() * qsizetype(sizeof(double)))
                      : tensor.bytes;
        hash.addData(held.at(i));
    }
    hash.addData(plan);
    const QString root = cacheDir() + QStringLiteral("/answers");
    const QString kept = root + QLatin1Char('/') + QString::fromLatin1(hash.result().toHex());

    ReferenceOutputs outputs(layout.params.size());
    const auto readOutputs = [&](const QString& folder) -> bool {
        for (qsizetype i = 0; i < layout.params.size(); ++i) {
            const CaseParam& p = layout.params.at(i);
            if (!p.isOutput())
                continue;
            const auto bytes =
                readFile(QStringLiteral("%1/%2.out").arg(folder).arg(i), p.referenceBytes);
            if (!bytes || bytes->size() != p.referenceBytes)
                return false;
            outputs[i] = *bytes;
        }
        return true;
    };
    if (!m_key.isEmpty() && QFileInfo::exists(kept) && readOutputs(kept))
        return outputs;

    for (qsizetype i = 0; i < held.size(); ++i) {
        if (!layout.params.at(i).isInput())
            continue;
        QFile file(scratch.file(QStringLiteral("%1.in").arg(i)));
        if (!file.open(QIODevice::WriteOnly) || file.write(held.at(i)) != held.at(i).size() ||
            !file.flush())
            return noSpace(file.fileName(), file.errorString());
        held[i].clear();
    }
    QFile planFile(scratch.file(QStringLiteral("plan.txt")));
    if (!planFile.open(QIODevice::WriteOnly) || planFile.write(plan) != plan.size() ||
        !planFile.flush())
        return noSpace(planFile.fileName(), planFile.errorString());
    planFile.close();
    ProcessSpec spec = sandboxed(nullptr, scratch.path());
    spec.sandbox->readOnly << QFileInfo(m_program).absolutePath();
    spec.program = m_program;
    spec.arguments = {QStringLiteral("plan.txt")};
    spec.limits.wallMs = timeoutMs;
    const ProcessOutcome outcome = runProcess(spec, cancel);
    if (outcome.end == ProcessEnd::Cancelled)
        return Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {}, {}};
    if (!outcome.success() || !readOutputs(scratch.path())) {
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("the reference failed on case \"%1\": %2. %3")
                         .arg(layout.source.id, outcome.describe(),
                              QString::fromUtf8(outcome.err.text()).trimmed().right(300)),
                     {m_manifest, 0, 0, QStringLiteral("/reference")},
                     QStringLiteral("mend the task: its reference must handle every case")};
    }
    if (!m_key.isEmpty()) {
        for (qsizetype i = 0; i < held.size(); ++i)
            QFile::remove(scratch.file(QStringLiteral("%1.in").arg(i)));
        QDir().mkpath(root);
        if (QDir().rename(scratch.path(), kept))
            pruneAnswers(root);
    }
    return outputs;
}

} // namespace ridgeline
