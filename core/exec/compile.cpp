// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/compile.h"

#include "core/support/paths.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

namespace ridgeline {

namespace {

constexpr int cacheVersion = 1;
constexpr int cacheEntries = 200;
constexpr qint64 hashLimit = qint64(256) << 20;

QString harnessFile()
{
    return resourceDir() + QStringLiteral("/harness/harness.cpp");
}

bool isSource(const QString& file)
{
    static const QStringList suffixes{QStringLiteral("cu"), QStringLiteral("cpp"),
                                      QStringLiteral("cc"), QStringLiteral("cxx"),
                                      QStringLiteral("c")};
    return suffixes.contains(QFileInfo(file).suffix());
}

/// Sources, our texts, flags and tool versions: everything the result depends on. Flags that name
/// files outside the bundle make it unknowable, so then there is no key.
QByteArray cacheKey(const CompileRequest& r)
{
    const QByteArray content = bundleContentHash(r.bundle);
    const auto harness = readFile(harnessFile());
    if (content.isEmpty() || !harness)
        return {};
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const auto add = [&hash](const QString& text) {
        hash.addData(text.toUtf8());
        hash.addData(QByteArrayView("\0", 1));
    };
    add(QString::number(cacheVersion));
    hash.addData(content);
    hash.addData(*harness);
    add(thunkSource(r.bundle.signature, r.candidate.entry));
    add(QString::number(int(r.bundle.signature.callStyle)));
    add(r.bundle.dir); // in diagnostics and line tables
    for (const QString& text : {r.cuda.nvcc, r.cuda.version, r.cuda.ptxasVersion, r.cuda.libDir,
                                r.host.path, r.host.version, r.realArch})
        add(text);
    for (const QString& file : r.candidate.files)
        add(file);
    for (const QString& flag : r.bundle.cudaFlags + r.candidate.flags) {
        if (flag.contains(QLatin1Char('/')))
            return {};
        add(flag);
    }
    return hash.result().toHex();
}

bool linkOrCopy(const QString& from, const QString& to)
{
    return QFile::copy(from, to);
}

/// Removes the least recently used results.
void pruneCache(const QString& root)
{
    QDir dir(root);
    const QFileInfoList entries = dir.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time);
    for (qsizetype i = cacheEntries; i < entries.size(); ++i)
        QDir(entries.at(i).absoluteFilePath()).removeRecursively();
}

class Compiler {
public:
    Compiler(const CompileRequest& request, const CancelToken& cancel)
        : m_r(request), m_cancel(cancel)
    {
    }
    Result<CompileResult> run();

private:
    bool step(const QString& program, const QStringList& arguments, QString* log);
    Result<bool> harnessObject(QString& object);
    QStringList commonFlags() const;
    void usage(const QStringList& ptxFiles);
    Result<CompileResult> fromCache(const QString& folder);
    Result<void> store(const QString& folder);
    Error full(const QString& what) const
    {
        return Error{ErrorCode::Environment,
                     what,
                     {m_scratch.path()},
                     QStringLiteral("check permissions and free space of %1").arg(cacheDir())};
    }

    const CompileRequest& m_r;
    const CancelToken& m_cancel;
    ScratchDir m_scratch;
    CompileResult m_result;
};

bool Compiler::step(const QString& program, const QStringList& arguments, QString* log)
{
    QStringList shown{program};
    for (const QString& argument : arguments)
        shown << (argument.contains(QLatin1Char(' '))
                      ? QLatin1Char('\'') + argument + QLatin1Char('\'')
                      : argument);
    m_result.commands << shown.join(QLatin1Char(' '));
    ProcessSpec spec;
    spec.program = program;
    spec.arguments = arguments;
    spec.workDir = m_scratch.path();
    spec.environment = compilerEnvironment(m_scratch.path(), m_r.cuda);
    spec.limits.wallMs = qMax(10, m_r.bundle.timeouts.compileS) * 1000;
    spec.limits.memoryBytes = qint64(12) << 30;
    spec.limits.fileBytes = qint64(1) << 30;
    spec.limits.scratchBytes = qint64(4) << 30;
    spec.limits.processes = 200;
    spec.limits.keepBytes = 1 << 20;
    Sandbox sandbox;
    sandbox.readOnly << m_r.bundle.dir << resourceDir() << m_r.cuda.root;
    sandbox.writable << m_scratch.path();
    spec.sandbox = sandbox;
    if (m_r.onLine) {
        spec.onLine = [this](ProcessStream, const QByteArray& line, ProcessControl&) {
            m_r.onLine(QString::fromUtf8(line));
        };
        m_r.onLine(QStringLiteral("$ ") + m_result.commands.last());
    }
    const ProcessOutcome outcome = runProcess(spec, m_cancel);
    const QString text =
        QString::fromUtf8(outcome.out.text()) + QString::fromUtf8(outcome.err.text());
    *log += text;
    if (log != &m_result.log)
        m_result.log += text;
    m_result.end = outcome.end;
    if (!outcome.success())
        m_result.failure =
            QStringLiteral("%1 %2").arg(QFileInfo(program).fileName(), outcome.describe());
    return outcome.success();
}

QStringList Compiler::commonFlags() const
{
    QStringList flags{
        QStringLiteral("-ccbin"),   m_r.host.path,
        QStringLiteral("-cudart"),  QStringLiteral("shared"),
        QStringLiteral("-gencode"), QStringLiteral("arch=compute_80,code=compute_80")};
    if (!m_r.realArch.isEmpty()) {
        const QString number = m_r.realArch.mid(3);
        flags << QStringLiteral("-gencode")
              << QStringLiteral("arch=compute_%1,code=sm_%1").arg(number);
    }
    // The emulated device reads PTX as text; older compilers spell the switch differently.
    const bool modern = m_r.cuda.version.section(QLatin1Char('.'), 0, 0).toInt() >= 13;
    flags << (modern ? QStringLiteral("--compress-mode=none") : QStringLiteral("-no-compress"));
    return flags;
}

/// The harness is the same for every candidate: its object is kept.
Result<bool> Compiler::harnessObject(QString& object)
{
    const auto text = readFile(harnessFile());
    if (!text)
        return text.error();
    const QByteArray key =
        QCryptographicHash::hash(*text + m_r.host.version.toUtf8() + m_r.host.path.toUtf8() +
                                     m_r.cuda.version.toUtf8() + m_r.cuda.includeDir.toUtf8(),
                                 QCryptographicHash::Sha256)
            .toHex();
    const QString folder = cacheDir() + QStringLiteral("/harness");
    object = QStringLiteral("harness.o");
    const QString kept =
        folder + QLatin1Char('/') + QString::fromLatin1(key) + QStringLiteral(".o");
    if (QFileInfo::exists(kept) && linkOrCopy(kept, m_scratch.file(object)))
        return true;
    QString log;
    if (!step(m_r.host.path,
              {QStringLiteral("-std=c++17"), QStringLiteral("-O2"),
               QStringLiteral("-I") + m_r.cuda.includeDir, QStringLiteral("-c"), harnessFile(),
               QStringLiteral("-o"), object},
              &log)) {
        if (m_result.end == ProcessEnd::Cancelled)
            return false;
        return Error{
            ErrorCode::Environment,
            QStringLiteral("the harness does not compile: %1. %2")
                .arg(m_result.failure, log.trimmed().left(500)),
            {harnessFile()},
            QStringLiteral("does the C++ compiler work, and do the CUDA headers in %1 fit?")
                .arg(m_r.cuda.includeDir)};
    }
    QDir().mkpath(folder);
    const auto bytes = readFile(m_scratch.file(object));
    if (bytes)
        (void)writeFileAtomically(kept, *bytes); // only a cache
    return true;
}

void Compiler::usage(const QStringList& ptxFiles)
{
    m_result.arch = m_r.realArch.isEmpty() ? QStringLiteral("sm_80") : m_r.realArch;
    if (m_r.cuda.ptxas.isEmpty())
        return;
    for (const QString& ptx : ptxFiles) {
        QString log;
        step(m_r.cuda.ptxas,
             {QStringLiteral("-v"), QStringLiteral("-arch=") + m_result.arch, ptx,
              QStringLiteral("-o"), QFileInfo(ptx).completeBaseName() + QStringLiteral(".cubin")},
             &log);
        m_result.ptxasLog += log;
    }
    m_result.kernels = parsePtxasUsage(m_result.ptxasLog);
}

Result<CompileResult> Compiler::run()
{
    const QByteArray key = cacheKey(m_r);
    const QString root = cacheDir() + QStringLiteral("/compiled");
    const QString folder = root + QLatin1Char('/') + QString::fromLatin1(key);
    if (!key.isEmpty() && QFileInfo::exists(folder + QStringLiteral("/result.json"))) {
        auto cached = fromCache(folder);
        if (cached)
            return cached;
    }
    if (!m_scratch.isValid())
        return full(QStringLiteral("cannot make a scratch folder"));
    m_result.folder = m_scratch.path();
    const bool process = m_r.bundle.signature.callStyle == CallStyle::Process;
    const auto cancelled = [] {
        return Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {}, {}};
    };

    QStringList objects, ptxFiles;
    QStringList includes;
    for (const BundleFile& file : m_r.bundle.files) {
        if (file.role == QLatin1String("header") || file.role == QLatin1String("template"))
            includes << QStringLiteral("-I") +
                            QFileInfo(m_r.bundle.absolute(file.path)).absolutePath();
    }
    includes.removeDuplicates();
    int n = 0;
    for (const QString& file : m_r.candidate.files) {
        if (!isSource(file))
            continue;
        const QString base = QStringLiteral("k%1_%2").arg(n++).arg(
            QFileInfo(file).completeBaseName().left(60).replace(QLatin1Char(' '),
                                                                QLatin1Char('_')));
        const QString keep = m_scratch.file(base + QStringLiteral(".keep"));
        QDir().mkpath(keep);
        QStringList arguments = commonFlags();
        arguments << QStringLiteral("-lineinfo") << QStringLiteral("--keep")
                  << QStringLiteral("--keep-dir") << keep << includes << m_r.bundle.cudaFlags
                  << m_r.candidate.flags << QStringLiteral("-c") << m_r.bundle.absolute(file)
                  << QStringLiteral("-o") << base + QStringLiteral(".o");
        const bool compiled = step(m_r.cuda.nvcc, arguments, &m_result.log);
        const QFileInfoList kept =
            QDir(keep).entryInfoList({QStringLiteral("*.ptx")}, QDir::Files | QDir::NoSymLinks);
        // With a real architecture there may be one PTX per step; the compute_80 one is the text
        // that the emulated device and the reader get.
        QString chosen;
        for (const QFileInfo& info : kept) {
            if (chosen.isEmpty() || info.fileName().contains(QLatin1String("compute_80")))
                chosen = info.absoluteFilePath();
        }
        if (!chosen.isEmpty()) {
            const QString ptx = m_scratch.file(base + QStringLiteral(".ptx"));
            QFile::rename(chosen, ptx);
            ptxFiles << ptx;
        }
        QDir(keep).removeRecursively();
        if (!compiled) {
            if (m_result.end == ProcessEnd::Cancelled)
                return cancelled();
            m_result.diagnostics = parseDiagnostics(m_result.log, m_r.bundle.dir);
            m_result.ptxFiles = ptxFiles;
            m_scratch.release();
            return m_result;
        }
        objects << base + QStringLiteral(".o");
    }
    m_result.ptxFiles = ptxFiles;
    if (objects.isEmpty()) {
        m_result.failure = QStringLiteral("the candidate lists no .cu, .cpp or .c file");
        m_result.diagnostics = {{QStringLiteral("error"), {}, 0, 0, m_result.failure}};
        m_scratch.release();
        return m_result;
    }
    usage(ptxFiles);
    if (m_result.end == ProcessEnd::Cancelled)
        return cancelled();

    if (!process) {
        QString harness;
        auto made = harnessObject(harness);
        if (!made)
            return made.error();
        if (!*made)
            return cancelled();
        QFile thunk(m_scratch.file(QStringLiteral("thunk.cpp")));
        const QByteArray text = thunkSource(m_r.bundle.signature, m_r.candidate.entry).toUtf8();
        if (!thunk.open(QIODevice::WriteOnly) || thunk.write(text) != text.size() || !thunk.flush())
            return full(QStringLiteral("cannot write the harness: %1").arg(thunk.errorString()));
        thunk.close();
        QString log;
        if (!step(m_r.host.path,
                  {QStringLiteral("-std=c++17"), QStringLiteral("-O1"), QStringLiteral("-c"),
                   QStringLiteral("thunk.cpp"), QStringLiteral("-o"), QStringLiteral("thunk.o")},
                  &log)) {
            if (m_result.end == ProcessEnd::Cancelled)
                return cancelled();
            return Error{ErrorCode::BadSchema,
                         QStringLiteral("no call can be made from the bundle's signature: %1")
                             .arg(log.trimmed().left(500)),
                         {m_r.bundle.dir + QStringLiteral("/kbundle.json"), 0, 0,
                          QStringLiteral("/signature")},
                         {}};
        }
        objects << harness << QStringLiteral("thunk.o");
    }
    QStringList arguments = commonFlags();
    arguments << objects << QStringLiteral("-o") << QStringLiteral("program")
              << QStringLiteral("-L") + m_r.cuda.libDir << QStringLiteral("-ldl")
              << QStringLiteral("-Xlinker") << QStringLiteral("--export-dynamic");
    for (const QString& flag : m_r.bundle.cudaFlags + m_r.candidate.flags) {
        if (flag.startsWith(QLatin1String("-l")) || flag.startsWith(QLatin1String("-rdc")))
            arguments << flag;
    }
    const bool linked = step(m_r.cuda.nvcc, arguments, &m_result.log);
    if (m_result.end == ProcessEnd::Cancelled)
        return cancelled();
    m_result.diagnostics = parseDiagnostics(m_result.log, m_r.bundle.dir);
    if (linked) {
        m_result.ok = true;
        m_result.program = m_scratch.file(QStringLiteral("program"));
        m_result.failure.clear();
    }
    if (linked && !key.isEmpty() && store(folder)) {
        pruneCache(root);
        auto cached = fromCache(folder);
        if (cached) {
            cached->fromCache = false;
            return cached;
        }
    }
    m_scratch.release();
    return m_result;
}

/// Objects are not worth keeping. The folder appears whole or not at all.
Result<void> Compiler::store(const QString& folder)
{
    const auto name = [](const QString& path) { return sstr(QFileInfo(path).fileName()); };
    Json ptx = Json::array();
    for (const QString& file : m_result.ptxFiles)
        ptx.push_back(name(file));
    Json commands = Json::array();
    for (const QString& command : m_result.commands)
        commands.push_back(sstr(command));
    const Json json{{"arch", sstr(m_result.arch)},
                    {"log", sstr(m_result.log)},
                    {"ptxas_log", sstr(m_result.ptxasLog)},
                    {"ptx", ptx},
                    {"commands", commands}};
    const QDir scratch(m_scratch.path());
    for (const QString& file : scratch.entryList(
             {QStringLiteral("*.o"), QStringLiteral("*.cubin"), QStringLiteral("thunk.cpp")}))
        QFile::remove(scratch.filePath(file));
    if (auto written =
            writeFileAtomically(m_scratch.file(QStringLiteral("result.json")), toJsonBytes(json));
        !written)
        return written;
    QDir().mkpath(QFileInfo(folder).absolutePath());
    if (!QDir().rename(m_scratch.path(), folder) && !QFileInfo::exists(folder))
        return full(QStringLiteral("cannot keep the compiled candidate"));
    return {};
}

Result<CompileResult> Compiler::fromCache(const QString& folder)
{
    auto json = readJsonFile(folder + QStringLiteral("/result.json"));
    if (!json)
        return json.error();
    CompileResult result;
    result.ok = true;
    result.fromCache = true;
    result.end = ProcessEnd::Exited;
    result.folder = folder;
    result.program = folder + QStringLiteral("/program");
    result.arch = jsonString(*json, "arch");
    result.log = jsonString(*json, "log");
    result.ptxasLog = jsonString(*json, "ptxas_log");
    result.commands = jsonStrings(*json, "commands");
    for (const QString& file : jsonStrings(*json, "ptx"))
        result.ptxFiles << folder + QLatin1Char('/') + file;
    result.diagnostics = parseDiagnostics(result.log, m_r.bundle.dir);
    result.kernels = parsePtxasUsage(result.ptxasLog);
    if (!QFileInfo(result.program).isExecutable())
        return full(QStringLiteral("the cached program is gone"));
    // Access order decides what is pruned.
    QFile touched(folder + QStringLiteral("/used"));
    if (touched.open(QIODevice::WriteOnly))
        touched.write(QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toUtf8());
    return result;
}

} // namespace

Result<CompileResult> compileCandidate(const CompileRequest& request, const CancelToken& cancel)
{
    return Compiler(request, cancel).run();
}

QString hostTypeName(DType type)
{
    switch (type) {
    case DType::Fp64:
        return QStringLiteral("double");
    case DType::Fp32:
        return QStringLiteral("float");
    case DType::Fp16:
    case DType::Bf16:
        return QStringLiteral("uint16_t");
    case DType::Fp8E4M3:
    case DType::Fp8E5M2:
        return QStringLiteral("uint8_t");
    case DType::Bool:
        return QStringLiteral("bool");
    default: {
        const QString name = dtypeName(type); // int32, uint8 …
        return name + QStringLiteral("_t");
    }
    }
}

QString thunkSource(const Signature& signature, const QString& entry)
{
    QString name = entry.isEmpty() ? signature.entry : entry;
    if (name.isEmpty())
        name = QStringLiteral("solve");
    QStringList types, values;
    for (qsizetype i = 0; i < signature.params.size(); ++i) {
        const Param& param = signature.params.at(i);
        // Without a type: C linkage has no overloads, and a pointer is a pointer in the ABI.
        const QString type = param.pointer ? QStringLiteral("void*") : hostTypeName(param.dtype);
        types << type;
        values << QStringLiteral("*static_cast<%1*>(a[%2])").arg(type).arg(i);
    }
    return QStringLiteral("// Generated by Ridgeline from the bundle's signature.\n"
                          "#include <cstdint>\n"
                          "extern \"C\" void %1(%2);\n"
                          "extern \"C\" void ridgeline_call(void** a)\n{\n    (void)a;\n"
                          "    %1(%3);\n}\n")
        .arg(name, types.join(QStringLiteral(", ")), values.join(QStringLiteral(", ")));
}

QByteArray bundleContentHash(const Bundle& bundle)
{
    QStringList names;
    qint64 total = 0;
    QDirIterator it(bundle.dir + QStringLiteral("/files"), QDir::Files | QDir::Hidden,
                    QDirIterator::Subdirectories);
    while (it.hasNext()) {
        names << it.next();
        total += it.fileInfo().size();
        if (total > hashLimit || names.size() > 10000)
            return {};
    }
    names.sort();
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QString& name : names) {
        QFile file(name);
        if (!file.open(QIODevice::ReadOnly))
            return {};
        QCryptographicHash one(QCryptographicHash::Sha256);
        if (!one.addData(&file))
            return {};
        hash.addData(name.mid(bundle.dir.size()).toUtf8());
        hash.addData(QByteArrayView("\0", 1));
        hash.addData(one.result());
    }
    return hash.result().toHex();
}

} // namespace ridgeline
