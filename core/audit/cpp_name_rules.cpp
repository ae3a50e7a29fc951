// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that start from a name in host code.
#include "core/audit/cpp_rules.h"

namespace ridgeline::audit {

namespace {

const Rule sideStream{
    "A02",
    Severity::Medium,
    "benchmark_fairness",
    VerdictWord::Hack,
    "Work on a stream of its own",
    "The candidate creates a stream or launches on one that it was not given. Events on the "
    "caller's "
    "stream do not see that work, so the time can come out too short. Check: synchronise the whole "
    "device before the end event, and compare."};
const Rule thread{"A03",
                  Severity::Medium,
                  "benchmark_fairness",
                  VerdictWord::Hack,
                  "Starts a host thread",
                  "Work handed to another thread can finish after the timer has stopped. Check: "
                  "the number of threads "
                  "before and after the call, and the output right after the timed window."};
const Rule timer{
    "A05",
    Severity::High,
    "benchmark_fairness",
    VerdictWord::Hack,
    "Replaces a timing or runtime function",
    "The candidate defines, or redirects by macro, a function the measurement relies on. Times and "
    "checks of this candidate mean nothing until it is removed."};
const Rule persisting{
    "A10",
    Severity::High,
    "benchmark_fairness",
    VerdictWord::Unfair,
    "Keeps data in a persisting part of L2",
    "Persisting-L2 settings survive a cache flush between timed runs: the kernel reads from cache "
    "what a "
    "cold run would fetch from memory. Check: set the persisting limit to 0 and time again."};
const Rule library{
    "A11",
    Severity::Medium,
    "scope",
    VerdictWord::Shortcut,
    "Calls a library for the operation",
    "The task asks for a kernel; this calls a library routine. Check: which kernels run, and whose "
    "share of the time is authored here."};
const Rule primitives{"A11",
                      Severity::Info,
                      "scope",
                      VerdictWord::None,
                      "Uses library building blocks",
                      "Device-wide or block-wide primitives of a library do part of the work. Fine "
                      "where the task allows it."};
const Rule environment{
    "A15",
    Severity::Medium,
    "benchmark_fairness",
    VerdictWord::Hack,
    "Looks at its environment",
    "Environment variables, its caller or its own process tell a candidate whether it is being "
    "checked. "
    "A kernel does not need to know. Check: run it under another name and compare."};
const Rule writesFiles{"A16",
                       Severity::Medium,
                       "benchmark_fairness",
                       VerdictWord::Hack,
                       "Writes files or starts programs",
                       "A kernel candidate has no reason to write files or start programs; that is "
                       "how a grader is edited. "
                       "Check: hashes of the task's files before and after."};
const Rule sleeps{"A18",
                  Severity::Medium,
                  "benchmark_fairness",
                  VerdictWord::Hack,
                  "Sleeps in host code",
                  "A pause makes a warm-up look slow, so that an adaptive benchmark takes few "
                  "samples. Check: a fixed "
                  "number of iterations."};
const Rule noLaunch{"A01",
                    Severity::High,
                    "runtime_validity",
                    VerdictWord::Hack,
                    "Launches no kernel at all",
                    "Nothing in this candidate launches a kernel or calls a library. An output "
                    "that passes can only be what "
                    "was in the buffer before. Check: outputs filled with NaN before the call."};

bool streamCreator(const QString& n)
{
    return n.startsWith(QLatin1String("cudaStreamCreate")) ||
           n.startsWith(QLatin1String("hipStreamCreate")) || n == QLatin1String("cuStreamCreate") ||
           n == QLatin1String("cuStreamCreateWithPriority");
}

bool libraryCall(const QString& n)
{
    for (const char* prefix : {"cublas", "hipblas", "rocblas", "cudnn", "cusparse", "cusolver",
                               "cufft", "miopen", "cutensor"}) {
        const QLatin1String p(prefix);
        // cublasSgemm, cublasLtMatmul; not a variable that is merely called cublas.
        if (n.startsWith(p) && n.size() > p.size() &&
            (n[p.size()].isUpper() || n[p.size()] == QLatin1Char('_')) &&
            !n.endsWith(QLatin1String("_t")))
            return true;
    }
    return false;
}

class Names {
public:
    Names(const CppModel& model, Reporter& out) : m(model), m_out(out) {}

    void run()
    {
        joined = any({"join", "get", "wait"});
        for (int i = 0; i < int(m.tokens.size()); ++i) {
            const Token& t = m.tokens[i];
            if (t.kind == TokenKind::String)
                string(i);
            else if (t.kind == TokenKind::Header)
                header(t);
            else if (t.identifier() && t.directive)
                directive(i);
            else if (t.identifier())
                identifier(i);
        }
        launchStreams();
        if (!m.launches.isEmpty() || m_library || m_out.task().process || !m_out.task().known)
            return;
        const int entry = m.functionIndex(m_out.task().entry);
        if (entry >= 0 && m.functions[entry].host()) {
            const CppFunction& f = m.functions[entry];
            m_out.add(noLaunch, m.tokens[f.nameToken].line, m.tokens[f.end - 1].line,
                      QStringLiteral("\"%1\" ends without a launch").arg(f.name));
        }
    }

private:
    bool any(std::initializer_list<const char*> words) const
    {
        for (const Token& t : m.tokens) {
            for (const char* w : words) {
                if (t.identifier() && t.is(w))
                    return true;
            }
        }
        return false;
    }

    bool call(int i) const { return i + 1 < int(m.tokens.size()) && m.tokens[i + 1].is("("); }
    bool after(int i, const char* word) const { return i > 0 && m.tokens[i - 1].is(word); }
    bool scoped(int i, const char* space) const
    {
        return i > 1 && m.tokens[i - 1].is("::") && m.tokens[i - 2].is(space);
    }
    // a.sleep() and other::sleep() are somebody's own.
    bool global(int i) const
    {
        if (after(i, ".") || after(i, "->"))
            return false;
        if (after(i, "::"))
            return scoped(i, "std") || scoped(i, "this_thread") || i < 2 ||
                   !m.tokens[i - 2].identifier();
        // A type before the name makes it a declaration.
        if (i == 0 || !m.tokens[i - 1].identifier())
            return i == 0 || m.functionAt(i) || !(after(i, "*") || after(i, "&"));
        return after(i, "return") || after(i, "else") || after(i, "do") || after(i, "throw");
    }
    bool inDevice(int i) const
    {
        const CppFunction* f = m.functionAt(i);
        return f && !f->host();
    }

    void add(const Rule& rule, int i, const QString& what, std::optional<Severity> severity = {})
    {
        m_out.add(rule, m.tokens[i].line, m.tokens[i].lastLine, what, severity);
    }

    void identifier(int i)
    {
        const QString& n = m.tokens[i].text;
        if (streamCreator(n) && call(i))
            return add(sideStream, i, QStringLiteral("%1").arg(n),
                       synchronises() ? Severity::Medium : Severity::High);
        if (threadStart(i))
            return add(thread, i, n,
                       joined && n != QLatin1String("detach") ? Severity::Medium : Severity::High);
        if (n.contains(QLatin1String("AccessPolicyWindow"), Qt::CaseInsensitive) ||
            n == QLatin1String("cudaLimitPersistingL2CacheSize") ||
            n == QLatin1String("CU_LIMIT_PERSISTING_L2_CACHE_SIZE") ||
            n == QLatin1String("cudaAccessPropertyPersisting"))
            return add(persisting, i, n);
        if (libraryCall(n) && call(i)) {
            m_library = true;
            return add(library, i, n, m.launches.isEmpty() ? Severity::High : Severity::Medium);
        }
        if (torchOperation(i)) {
            m_library = true;
            return add(library, i, m.tokens[i - 2].text + QStringLiteral("::") + n,
                       m.launches.isEmpty() ? Severity::High : Severity::Medium);
        }
        if ((n == QLatin1String("cub") || n == QLatin1String("thrust") ||
             n == QLatin1String("cutlass")) &&
            i + 1 < int(m.tokens.size()) && m.tokens[i + 1].is("::")) {
            m_library = true;
            return add(primitives, i, n);
        }
        if (call(i) && runtimeName(n) && definition(i))
            add(timer, i, QStringLiteral("defines %1").arg(n));
        if (inDevice(i) || !call(i) || !global(i))
            return;
        static const QSet<QString> looks{
            QStringLiteral("getenv"),         QStringLiteral("secure_getenv"),
            QStringLiteral("backtrace"),      QStringLiteral("dladdr"),
            QStringLiteral("readlink"),       QStringLiteral("getppid"),
            QStringLiteral("dl_iterate_phdr")};
        static const QSet<QString> starts{
            QStringLiteral("system"),      QStringLiteral("popen"),  QStringLiteral("execv"),
            QStringLiteral("execve"),      QStringLiteral("execvp"), QStringLiteral("execl"),
            QStringLiteral("posix_spawn"), QStringLiteral("fork"),   QStringLiteral("vfork")};
        static const QSet<QString> pauses{
            QStringLiteral("sleep"),       QStringLiteral("usleep"),
            QStringLiteral("nanosleep"),   QStringLiteral("sleep_for"),
            QStringLiteral("sleep_until"), QStringLiteral("clock_nanosleep")};
        if (looks.contains(n))
            add(environment, i, n);
        else if (starts.contains(n))
            add(writesFiles, i, n, Severity::High);
        else if (pauses.contains(n))
            add(sleeps, i, n);
        else if ((n == QLatin1String("fopen") || n == QLatin1String("open") ||
                  n == QLatin1String("creat")) &&
                 !m_out.task().process && opensForWriting(i))
            add(writesFiles, i, n);
    }

    bool definition(int i) const
    {
        const int close = matching(m.tokens, i + 1);
        return m.functionAt(i) == nullptr && close > 0 && close + 1 < int(m.tokens.size()) &&
               (m.tokens[close + 1].is("{") || m.tokens[close + 1].is("noexcept"));
    }

    static bool runtimeName(const QString& n)
    {
        static const QSet<QString> names{QStringLiteral("cudaEventRecord"),
                                         QStringLiteral("cudaEventElapsedTime"),
                                         QStringLiteral("cudaEventSynchronize"),
                                         QStringLiteral("cudaDeviceSynchronize"),
                                         QStringLiteral("cudaStreamSynchronize"),
                                         QStringLiteral("cudaEventCreate"),
                                         QStringLiteral("clock_gettime"),
                                         QStringLiteral("gettimeofday"),
                                         QStringLiteral("cudaMemcpy"),
                                         QStringLiteral("cudaMemset"),
                                         QStringLiteral("hipEventRecord"),
                                         QStringLiteral("hipEventElapsedTime"),
                                         QStringLiteral("hipDeviceSynchronize"),
                                         QStringLiteral("cudaLaunchKernel"),
                                         QStringLiteral("cudaGetLastError")};
        return names.contains(n);
    }

    // std::thread, std::async, pthread_create, detach, host functions on a stream.
    bool threadStart(int i) const
    {
        const QString& n = m.tokens[i].text;
        if ((n == QLatin1String("thread") || n == QLatin1String("jthread") ||
             n == QLatin1String("async")) &&
            scoped(i, "std"))
            return !m.tokens[i].directive &&
                   !(i + 1 < int(m.tokens.size()) && m.tokens[i + 1].is("::"));
        if ((n == QLatin1String("pthread_create") || n == QLatin1String("thrd_create") ||
             n == QLatin1String("cudaLaunchHostFunc") ||
             n == QLatin1String("cudaStreamAddCallback")) &&
            call(i))
            return true;
        return n == QLatin1String("detach") && (after(i, ".") || after(i, "->")) && call(i);
    }

    bool torchOperation(int i) const
    {
        if (!call(i) || !(scoped(i, "at") || scoped(i, "torch") || scoped(i, "functional")))
            return false;
        static const QSet<QString> makers{
            QStringLiteral("empty"),         QStringLiteral("empty_like"),
            QStringLiteral("zeros"),         QStringLiteral("zeros_like"),
            QStringLiteral("ones"),          QStringLiteral("ones_like"),
            QStringLiteral("full"),          QStringLiteral("full_like"),
            QStringLiteral("TensorOptions"), QStringLiteral("from_blob"),
            QStringLiteral("dtype"),         QStringLiteral("device"),
            QStringLiteral("Device"),        QStringLiteral("tensor"),
            QStringLiteral("empty_strided"), QStringLiteral("NoGradGuard"),
            QStringLiteral("scalar_tensor"), QStringLiteral("arange"),
            QStringLiteral("toString")};
        const QString& n = m.tokens[i].text;
        return !makers.contains(n) && n[0].isLower();
    }

    bool synchronises()
    {
        if (m_synchronises < 0)
            m_synchronises =
                any({"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaStreamWaitEvent",
                     "cudaEventSynchronize", "hipStreamSynchronize", "hipDeviceSynchronize",
                     "hipStreamWaitEvent"})
                    ? 1
                    : 0;
        return m_synchronises == 1;
    }

    bool opensForWriting(int i) const
    {
        const int close = matching(m.tokens, i + 1);
        for (int k = i + 2; k < close; ++k) {
            const Token& t = m.tokens[k];
            if (t.is("O_WRONLY") || t.is("O_RDWR") || t.is("O_CREAT"))
                return true;
            if (t.kind == TokenKind::String && k > i + 2 &&
                (t.text.startsWith(QLatin1Char('w')) || t.text.startsWith(QLatin1Char('a')) ||
                 t.text.contains(QLatin1Char('+'))))
                return true;
        }
        return m.tokens[i].is("creat");
    }

    void string(int i)
    {
        const Token& t = m.tokens[i];
        if (t.directive)
            return header(t);
        if (t.text.contains(QLatin1String("/proc/self")) ||
            t.text.contains(QLatin1String("/proc/thread-self")))
            m_out.add(environment, t.line, t.lastLine, QStringLiteral("reads /proc/self"),
                      Severity::High);
        // An error message may name a function; looking one up by name is something else.
        const bool lookup = (i > 1 && (m.tokens[i - 2].is("dlsym") || m.tokens[i - 1].is(",")) &&
                             nearby(i, "dlsym") && runtimeName(t.text));
        if (t.text.contains(QLatin1String("LD_PRELOAD")) || lookup)
            m_out.add(timer, t.line, t.lastLine,
                      QStringLiteral("names \"%1\" in a string").arg(t.text.left(60)));
    }

    bool nearby(int i, const char* word) const
    {
        for (int k = i - 1; k >= 0 && k > i - 8; --k) {
            if (m.tokens[k].is(word))
                return true;
        }
        return false;
    }

    void header(const Token& t)
    {
        if (t.text.startsWith(QLatin1String("cublas")) ||
            t.text.startsWith(QLatin1String("cudnn")) ||
            t.text.startsWith(QLatin1String("hipblas")))
            m_library = true;
    }

    void directive(int i)
    {
        if (i > 1 && m.tokens[i - 1].is("define") && runtimeName(m.tokens[i].text))
            add(timer, i, QStringLiteral("#define %1").arg(m.tokens[i].text));
    }

    // kernel<<<grid, block, shared, stream>>>: a stream that is neither default nor handed in.
    void launchStreams()
    {
        for (const int l : m.launches) {
            if (!m.tokens[l].is("<<<"))
                continue;
            const int close = matching(m.tokens, l);
            if (close < 0)
                continue;
            int commas = 0, from = -1;
            for (int i = l + 1, depth = 0; i < close; ++i) {
                const Token& t = m.tokens[i];
                if (t.is("(") || t.is("{") || t.is("["))
                    ++depth;
                else if (t.is(")") || t.is("}") || t.is("]"))
                    --depth;
                else if (depth == 0 && t.is(",") && ++commas == 3)
                    from = i + 1;
            }
            if (from < 0 || harmlessStream(l, from, close))
                continue;
            m_out.add(sideStream, m.tokens[l].line, m.tokens[close].line,
                      QStringLiteral("launched on stream \"%1\"").arg(m.tokens[from].text),
                      synchronises() ? Severity::Medium : Severity::High);
        }
    }

    bool harmlessStream(int launch, int from, int close) const
    {
        const CppFunction* f = m.functionAt(launch);
        for (int i = from; i < close; ++i) {
            const Token& t = m.tokens[i];
            if (!t.identifier() || t.is("nullptr") || t.is("NULL") || t.is("cudaStream_t") ||
                t.is("hipStream_t"))
                continue;
            if (t.is("cudaStreamLegacy") || t.is("cudaStreamDefault") ||
                t.text.contains(QLatin1String("getCurrent")) || (f && f->param(t.text)))
                return true;
            if (t.is("cudaStreamPerThread"))
                return false;
            return fromCurrent(f, t.text);
        }
        return true;
    }

    // cudaStream_t s = at::cuda::getCurrentCUDAStream(); and members the caller set.
    bool fromCurrent(const CppFunction* f, const QString& name) const
    {
        if (!f)
            return false;
        bool created = false, known = false;
        for (int i = f->begin; i + 1 < f->end; ++i) {
            if (m.tokens[i].text != name)
                continue;
            for (int k = i + 1; k < f->end && !m.tokens[k].is(";"); ++k) {
                known = known || m.tokens[k].text.contains(QLatin1String("getCurrent")) ||
                        (k == i + 2 && (m.tokens[k].is("0") || m.tokens[k].is("nullptr")));
                created = created || m.tokens[k].is("getStreamFromPool");
            }
        }
        return known && !created;
    }

    const CppModel& m;
    Reporter& m_out;
    bool joined = false;
    bool m_library = false;
    int m_synchronises = -1;
};

} // namespace

void auditCppNames(const CppModel& model, Reporter& out)
{
    Names(model, out).run();
}

const QVector<const Rule*>& cppNameRules()
{
    static const QVector<const Rule*> rules{&sideStream, &thread,     &timer,       &persisting,
                                            &library,    &primitives, &environment, &writesFiles,
                                            &sleeps,     &noLaunch};
    return rules;
}

} // namespace ridgeline::audit
