// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/toolchain.h"

#include "core/exec/process.h"
#include "core/support/paths.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace ridgeline {

namespace {

constexpr int oldestMajor = 12;

const char* const packages[] = {"cuda-toolkit[nvcc,cudart,cccl,crt]==13.0.*",
                                "nvidia-cuda-cuobjdump==13.*", "nvidia-cuda-nvdisasm==13.*"};

ProcessOutcome ask(const QString& program, const QStringList& arguments)
{
    ProcessSpec spec;
    spec.program = program;
    spec.arguments = arguments;
    spec.workDir = QStringLiteral("/");
    spec.environment = cleanEnvironment(QDir::tempPath(), {QFileInfo(program).absolutePath()});
    spec.limits.wallMs = 30000;
    return runProcess(spec);
}

QString versionOf(const QString& tool)
{
    if (tool.isEmpty())
        return {};
    const ProcessOutcome outcome = ask(tool, {QStringLiteral("--version")});
    static const QRegularExpression pattern(QStringLiteral("\\bV(\\d+\\.\\d+\\.\\d+)"));
    return pattern.match(QString::fromUtf8(outcome.out.text())).captured(1);
}

QString besides(const QDir& bin, const char* name)
{
    const QString path = bin.filePath(QLatin1String(name));
    return QFileInfo(path).isExecutable() ? path : QString();
}

/// Fills a toolchain from its nvcc; empty text in `why` on success.
std::optional<CudaToolchain> inspect(const QString& nvcc, QString& why)
{
    const QString real = QFileInfo(nvcc).canonicalFilePath();
    if (real.isEmpty() || !QFileInfo(real).isExecutable()) {
        why = QStringLiteral("%1 is missing or not executable").arg(nvcc);
        return std::nullopt;
    }
    CudaToolchain found;
    // The real path: /usr/bin/nvcc may be a link (or a script) beside nothing else.
    QDir bin = QFileInfo(real).dir();
    found.nvcc = real;
    found.version = versionOf(real);
    if (found.version.isEmpty()) {
        why = QStringLiteral("%1 does not answer --version").arg(real);
        return std::nullopt;
    }
    if (found.version.section(QLatin1Char('.'), 0, 0).toInt() < oldestMajor) {
        why = QStringLiteral("%1 is version %2, older than %3")
                  .arg(real, found.version)
                  .arg(oldestMajor);
        return std::nullopt;
    }
    QDir root = bin;
    root.cdUp();
    found.root = root.absolutePath();
    for (const QString& include : {root.filePath(QStringLiteral("include")),
                                   root.filePath(QStringLiteral("targets/x86_64-linux/include")),
                                   QStringLiteral("/usr/include")}) {
        if (QFileInfo::exists(include + QStringLiteral("/cuda_runtime_api.h"))) {
            found.includeDir = include;
            break;
        }
    }
    for (const QString& lib :
         {root.filePath(QStringLiteral("lib64")), root.filePath(QStringLiteral("lib")),
          root.filePath(QStringLiteral("targets/x86_64-linux/lib")),
          QStringLiteral("/usr/lib/x86_64-linux-gnu")}) {
        if (QFileInfo::exists(lib + QStringLiteral("/libcudart.so"))) {
            found.libDir = lib;
            break;
        }
    }
    if (found.includeDir.isEmpty() || found.libDir.isEmpty()) {
        why = QStringLiteral("%1 has no CUDA runtime %2 beside it")
                  .arg(real, found.includeDir.isEmpty() ? QStringLiteral("headers")
                                                        : QStringLiteral("library libcudart.so"));
        return std::nullopt;
    }
    found.ptxas = besides(bin, "ptxas");
    found.cuobjdump = besides(bin, "cuobjdump");
    found.nvdisasm = besides(bin, "nvdisasm");
    found.ptxasVersion = versionOf(found.ptxas);
    return found;
}

/// site-packages/nvidia/cu13 of the virtual environment.
QString managedRoot(const QString& venv)
{
    const QDir lib(venv + QStringLiteral("/lib"));
    const QStringList pythons = lib.entryList({QStringLiteral("python3*")}, QDir::Dirs);
    for (const QString& python : pythons) {
        const QString root = lib.filePath(python + QStringLiteral("/site-packages/nvidia/cu13"));
        if (QFileInfo::exists(root + QStringLiteral("/bin/nvcc")))
            return root;
    }
    return {};
}

/// The wheels carry libcudart.so.13 only; the linker wants libcudart.so, nvcc looks in lib64.
bool addLinks(const QString& root)
{
    const QDir lib(root + QStringLiteral("/lib"));
    const QString plain = lib.filePath(QStringLiteral("libcudart.so"));
    if (!QFileInfo::exists(plain)) {
        QFile::remove(plain);
        if (!QFile::link(QStringLiteral("libcudart.so.13"), plain))
            return false;
    }
    const QString lib64 = root + QStringLiteral("/lib64");
    return QFileInfo::exists(lib64) || QFile::link(QStringLiteral("lib"), lib64);
}

Error setupError(const QString& what, const QString& hint)
{
    return Error{ErrorCode::Environment, what, {managedCudaDir()}, hint};
}

Result<void> runStep(const QString& program, const QStringList& arguments, const QString& label,
                     int minutes, const std::function<void(const QString&)>& progress,
                     const CancelToken& cancel)
{
    progress(label);
    ProcessSpec spec;
    spec.program = program;
    spec.arguments = arguments;
    spec.workDir = managedCudaDir();
    // pip is not a candidate: it may read the user's own settings (index, certificates).
    spec.environment = cleanEnvironment(managedCudaDir());
    spec.environment.replaceInStrings(QRegularExpression(QStringLiteral("^HOME=.*")),
                                      QStringLiteral("HOME=") + QDir::homePath());
    for (const char* name :
         {"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
          "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CERT", "PIP_CONFIG_FILE", "PIP_TRUSTED_HOST",
          "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"}) {
        if (qEnvironmentVariableIsSet(name))
            spec.environment << QLatin1String(name) + QLatin1Char('=') + qEnvironmentVariable(name);
    }
    spec.limits.wallMs = minutes * 60000;
    QByteArray last;
    spec.onLine = [&](ProcessStream, const QByteArray& line, ProcessControl&) {
        if (!line.trimmed().isEmpty())
            progress(QString::fromUtf8(line));
    };
    const ProcessOutcome outcome = runProcess(spec, cancel);
    if (outcome.end == ProcessEnd::Cancelled)
        return Error{ErrorCode::Cancelled, QStringLiteral("%1: cancelled").arg(label), {}, {}};
    if (!outcome.success()) {
        const QString tail = QString::fromUtf8(outcome.err.text()).trimmed().right(600);
        return setupError(
            QStringLiteral("%1: %2. %3").arg(label, outcome.describe(), tail),
            QStringLiteral("check the network and free space (0.6 GB), then repeat; or "
                           "install the CUDA Toolkit 13 from NVIDIA"));
    }
    return {};
}

Result<void> compileTiny(const CudaToolchain& toolchain)
{
    QTemporaryDir dir;
    QFile source(dir.filePath(QStringLiteral("probe.cu")));
    if (!dir.isValid() || !source.open(QIODevice::WriteOnly))
        return setupError(QStringLiteral("no temporary folder for the test compile"), {});
    source.write("#include <cuda_fp16.h>\n__global__ void k(float* p) { p[threadIdx.x] += 1.0f; }\n"
                 "int main() { float* p = nullptr; k<<<1, 32>>>(p); return 0; }\n");
    source.close();
    ProcessSpec spec;
    spec.program = toolchain.nvcc;
    spec.arguments = {QStringLiteral("-cudart"),  QStringLiteral("shared"),
                      QStringLiteral("-gencode"), QStringLiteral("arch=compute_80,code=compute_80"),
                      QStringLiteral("probe.cu"), QStringLiteral("-o"),
                      QStringLiteral("probe"),    QStringLiteral("-L") + toolchain.libDir};
    spec.workDir = dir.path();
    spec.environment = compilerEnvironment(dir.path(), toolchain);
    spec.limits.wallMs = 180000;
    const ProcessOutcome outcome = runProcess(spec);
    if (!outcome.success())
        return setupError(
            QStringLiteral("the compiler cannot build a small kernel: %1. %2")
                .arg(outcome.describe(), QString::fromUtf8(outcome.err.text()).trimmed().left(400)),
            QStringLiteral("is g++ installed? (package g++)"));
    return {};
}

} // namespace

Result<HostCompiler> findHostCompiler()
{
    for (const char* name : {"g++", "c++", "clang++"}) {
        const QString path = QStandardPaths::findExecutable(QLatin1String(name));
        if (path.isEmpty())
            continue;
        const ProcessOutcome outcome = ask(path, {QStringLiteral("--version")});
        if (outcome.success())
            return HostCompiler{path, QString::fromUtf8(outcome.out.text()).section('\n', 0, 0)};
    }
    return Error{ErrorCode::Environment,
                 QStringLiteral("no C++ compiler found (g++, c++, clang++)"),
                 {},
                 QStringLiteral("install the package g++")};
}

QString managedCudaDir()
{
    return cacheDir() + QStringLiteral("/cuda-13.0");
}

Result<CudaToolchain> findCudaToolchain()
{
    QStringList tried, whys;
    const auto attempt = [&](const QString& nvcc) -> std::optional<CudaToolchain> {
        if (nvcc.isEmpty() || tried.contains(nvcc))
            return std::nullopt;
        tried << nvcc;
        QString why;
        auto found = inspect(nvcc, why);
        if (!found)
            whys << why;
        return found;
    };
    const QString forced = qEnvironmentVariable("RIDGELINE_NVCC");
    if (!forced.isEmpty()) {
        if (auto found = attempt(forced))
            return *found;
    } else {
        if (auto found = attempt(QStandardPaths::findExecutable(QStringLiteral("nvcc"))))
            return *found;
        QDir local(QStringLiteral("/usr/local"));
        QStringList names = local.entryList({QStringLiteral("cuda*")}, QDir::Dirs, QDir::Name);
        for (const QString& name : names) {
            const QString nvcc = local.filePath(name + QStringLiteral("/bin/nvcc"));
            if (!QFileInfo::exists(nvcc))
                continue;
            if (auto found = attempt(nvcc))
                return *found;
        }
        const QString root = managedRoot(managedCudaDir());
        if (!root.isEmpty()) {
            if (auto found = attempt(root + QStringLiteral("/bin/nvcc"))) {
                found->managed = true;
                return *found;
            }
        }
    }
    QString message = QStringLiteral("no CUDA compiler (nvcc %1 or newer) found").arg(oldestMajor);
    if (!whys.isEmpty())
        message += QStringLiteral(": ") + whys.join(QStringLiteral("; "));
    return Error{
        ErrorCode::Environment,
        message,
        {},
        QStringLiteral("run \"ridgeline setup cuda\", which makes one from PyPI's packages "
                       "(0.4 GB), or install the CUDA Toolkit 13")};
}

Result<CudaToolchain> setupManagedCuda(const std::function<void(const QString&)>& progress,
                                       const CancelToken& cancel)
{
    const QString dir = managedCudaDir();
    if (!QDir().mkpath(dir))
        return setupError(QStringLiteral("cannot make the folder"),
                          QStringLiteral("check permissions and free space"));
    QLockFile lock(dir + QStringLiteral(".lock"));
    lock.setStaleLockTime(0);
    while (!lock.tryLock(200)) {
        if (cancel.isCancelled())
            return Error{ErrorCode::Cancelled, QStringLiteral("cancelled"), {}, {}};
        if (lock.error() != QLockFile::LockFailedError)
            return setupError(QStringLiteral("cannot lock the folder"), {});
    }
    QString why;
    const QString ready = managedRoot(dir);
    if (!ready.isEmpty() && addLinks(ready)) {
        auto found = inspect(ready + QStringLiteral("/bin/nvcc"), why);
        if (found && compileTiny(*found)) {
            found->managed = true;
            progress(QStringLiteral("already there: nvcc %1 in %2").arg(found->version, ready));
            return *found;
        }
    }
    const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"));
    if (python.isEmpty())
        return setupError(QStringLiteral("python3 is needed to fetch the compiler and is missing"),
                          QStringLiteral("install the packages python3 and python3-venv"));
    if (!QFileInfo::exists(dir + QStringLiteral("/bin/pip"))) {
        // --clear: an interrupted first step leaves an environment without pip.
        auto made = runStep(
            python, {QStringLiteral("-m"), QStringLiteral("venv"), QStringLiteral("--clear"), dir},
            QStringLiteral("making a Python environment in %1").arg(dir), 5, progress, cancel);
        if (!made) {
            Error error = made.error();
            if (error.code == ErrorCode::Environment)
                error.hint = QStringLiteral("install the package python3-venv, then repeat");
            return error;
        }
    }
    QStringList arguments{
        QStringLiteral("-m"),         QStringLiteral("pip"),
        QStringLiteral("install"),    QStringLiteral("--disable-pip-version-check"),
        QStringLiteral("--no-input"), QStringLiteral("--progress-bar"),
        QStringLiteral("off")};
    for (const char* package : packages)
        arguments << QLatin1String(package);
    auto installed = runStep(dir + QStringLiteral("/bin/python3"), arguments,
                             QStringLiteral("fetching NVIDIA's compiler packages from PyPI"), 60,
                             progress, cancel);
    if (!installed)
        return installed.error();
    const QString root = managedRoot(dir);
    if (root.isEmpty() || !addLinks(root))
        return setupError(
            QStringLiteral("the packages do not hold the compiler where it is expected"),
            QStringLiteral("remove the folder and repeat"));
    auto found = inspect(root + QStringLiteral("/bin/nvcc"), why);
    if (!found)
        return setupError(why, QStringLiteral("remove the folder and repeat"));
    progress(QStringLiteral("compiling a small kernel"));
    if (auto compiled = compileTiny(*found); !compiled)
        return compiled.error();
    found->managed = true;
    progress(QStringLiteral("ready: nvcc %1 in %2").arg(found->version, root));
    return *found;
}

QStringList compilerEnvironment(const QString& scratch, const CudaToolchain& toolchain)
{
    QStringList environment = cleanEnvironment(scratch, {QFileInfo(toolchain.nvcc).absolutePath()});
    if (toolchain.managed)
        environment << QStringLiteral("CUDA_HOME=") + toolchain.root;
    return environment;
}

} // namespace ridgeline
