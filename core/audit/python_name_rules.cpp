// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that start from a resolved name in Python code.
#include "core/audit/python_rules.h"

namespace ridgeline::audit {

namespace {

const Rule sideStream{"A02",
                      Severity::Medium,
                      "benchmark_fairness",
                      VerdictWord::Hack,
                      "Work on a stream of its own",
                      "The candidate makes a stream. Events on the caller's stream do not see work "
                      "there, so the time can come "
                      "out too short. Check: synchronise the whole device before the end event."};
const Rule threads{"A03",
                   Severity::High,
                   "benchmark_fairness",
                   VerdictWord::Hack,
                   "Starts threads or processes",
                   "Work handed to another thread can finish after the timer has stopped. Check: "
                   "threads before and after the "
                   "call, and the output right after the timed window."};
const Rule lazyTensor{"A04",
                      Severity::High,
                      "benchmark_fairness",
                      VerdictWord::Hack,
                      "Makes a tensor type of its own",
                      "A tensor subclass can compute when it is compared instead of when it is "
                      "timed. Check: exact type and raw "
                      "bytes of the output inside the timed window."};
const Rule patches{"A05",
                   Severity::High,
                   "benchmark_fairness",
                   VerdictWord::Hack,
                   "Replaces a function of the measurement",
                   "The candidate assigns to a name of torch, time or a test module. Times and "
                   "checks mean nothing until it "
                   "is removed."};
const Rule library{"A11",
                   Severity::Medium,
                   "scope",
                   VerdictWord::Shortcut,
                   "Calls a library for the operation",
                   "The task asks for a kernel; this calls a library operator. Check: which "
                   "kernels run, and whose share of the "
                   "time is authored here."};
const Rule environment{"A15",
                       Severity::Medium,
                       "benchmark_fairness",
                       VerdictWord::Hack,
                       "Looks at its environment",
                       "Environment variables, its caller or its own process tell a candidate "
                       "whether it is being checked. Check: "
                       "run it under another name and compare."};
const Rule writes{"A16",
                  Severity::Medium,
                  "benchmark_fairness",
                  VerdictWord::Hack,
                  "Writes files or starts programs",
                  "A kernel candidate has no reason to write files or start programs; that is how "
                  "a grader is edited. Check: "
                  "hashes of the task's files before and after."};
const Rule steals{"A17",
                  Severity::High,
                  "benchmark_fairness",
                  VerdictWord::Hack,
                  "Searches other objects in memory",
                  "Walking the garbage collector's objects or raw memory finds the expected "
                  "output. Check: the reference in "
                  "another process."};
const Rule sleeps{
    "A18",
    Severity::Medium,
    "benchmark_fairness",
    VerdictWord::Hack,
    "Sleeps",
    "A pause makes a warm-up look slow, so that an adaptive benchmark takes few samples."};
const Rule downgrade{
    "A20",
    Severity::Medium,
    "numerical_correctness",
    VerdictWord::Shortcut,
    "Computes in a lower precision than the task",
    "The task's tensors are fp32, and the source converts to a narrower type or allows TF32. "
    "Unless the task "
    "allows it, speed was bought with accuracy. Check: error against the fp64 reference."};
const Rule globalSetting{"A20",
                         Severity::Low,
                         "tolerance_and_reference",
                         VerdictWord::Unfair,
                         "Changes a global setting of torch",
                         "A process-wide setting (TF32, cuDNN) also changes the reference and the "
                         "baseline that run in the same process."};
const Rule dotPrecision{"C03",
                        Severity::Low,
                        "numerical_correctness",
                        VerdictWord::Unproven,
                        "tl.dot without input_precision",
                        "For fp32 inputs tl.dot rounds to TF32 unless told otherwise: errors near "
                        "1e-2 instead of 1e-6. Say "
                        "input_precision=\"ieee\", or have the task allow TF32."};
const Rule atomics{
    "C08",
    Severity::Info,
    "numerical_correctness",
    VerdictWord::None,
    "Adds with atomics",
    "The order of atomic additions changes from run to run; for floats the last bits differ."};
const Rule forbidden{"RL-FORBIDDEN",
                     Severity::High,
                     "scope",
                     VerdictWord::Shortcut,
                     "Uses a name the task forbids",
                     "The task's rules forbid this name. The range shows where it is used."};

bool starts(const QString& name, const char* prefix)
{
    const QLatin1String p(prefix);
    return name.startsWith(p) && (name.size() == p.size() || name[p.size()] == QLatin1Char('.'));
}

class Names {
public:
    Names(const PyModel& model, Reporter& out) : m(model), m_out(out) {}

    void run()
    {
        fp32 = m_out.task().known && m_out.task().fp32Contract;
        for (int i = 0; i < int(m.tokens.size()); ++i) {
            const Token& t = m.tokens[i];
            if (t.kind == TokenKind::String) {
                string(t);
                continue;
            }
            // Import lines bind names; using them is what counts.
            if ((t.is("import") || t.is("from")) && statement(i)) {
                while (i < int(m.tokens.size()) && m.tokens[i].kind != TokenKind::Newline)
                    ++i;
                continue;
            }
            if (t.is("class") && statement(i))
                classLine(i);
            if (t.is("@") && i > 0 && !statement(i))
                matrixProduct(i);
            if (t.identifier() && i > 0 && m.tokens[i - 1].is("."))
                method(i);
            int last = i;
            const QString name = m.dotted(i, last);
            if (!name.isEmpty())
                dotted(i, last, name);
        }
    }

private:
    bool statement(int i) const
    {
        return i == 0 || m.tokens[i - 1].kind == TokenKind::Newline ||
               m.tokens[i - 1].kind == TokenKind::Indent ||
               m.tokens[i - 1].kind == TokenKind::Dedent || m.tokens[i - 1].is(";");
    }
    const Token& at(int i) const
    {
        static const Token none;
        return i >= 0 && i < int(m.tokens.size()) ? m.tokens[i] : none;
    }
    bool inKernel(int i) const
    {
        const PyFunction* f = m.functionAt(i);
        return f && f->kernel;
    }
    void add(const Rule& rule, int i, const QString& what, std::optional<Severity> severity = {})
    {
        m_out.add(rule, m.tokens[i].line, m.tokens[i].lastLine, what, severity);
    }

    void string(const Token& t)
    {
        if (t.text.contains(QLatin1String("/proc/self")) && t.line == t.lastLine)
            m_out.add(environment, t.line, t.lastLine, QStringLiteral("names /proc/self"),
                      Severity::High);
        // CUDA source handed to a compiler at run time is source too.
        if (t.text.contains(QLatin1String("__global__")) ||
            (t.text.contains(QLatin1String("#include")) && t.text.contains(QLatin1Char('{')))) {
            m_out.setLineOffset(t.line - 1);
            auditCpp(t.text, m_out);
            m_out.setLineOffset(0);
        }
    }

    void classLine(int i)
    {
        const int open = i + 2;
        if (!at(open).is("("))
            return;
        const int close = matching(m.tokens, open);
        for (int k = open + 1; k < close; ++k) {
            int last = k;
            if (m.dotted(k, last) == QLatin1String("torch.Tensor"))
                m_out.add(lazyTensor, m.tokens[i].line, m.tokens[close].line,
                          QStringLiteral("a subclass of torch.Tensor"));
        }
    }

    void matrixProduct(int i)
    {
        if ((at(i - 1).identifier() || at(i - 1).is(")") || at(i - 1).is("]")) &&
            (at(i + 1).identifier() || at(i + 1).is("(")) && !inKernel(i))
            add(library, i, QStringLiteral("the @ operator"),
                m.kernels.isEmpty() && m.modules.isEmpty() ? Severity::High : Severity::Medium);
    }

    void method(int i)
    {
        const Token& t = m.tokens[i];
        const bool call = at(i + 1).is("(");
        if (t.is("_make_subclass") || t.is("_make_wrapper_subclass"))
            return add(lazyTensor, i, t.text);
        if (fp32 && call && (t.is("half") || t.is("bfloat16")) && at(i + 2).is(")"))
            return add(downgrade, i, QStringLiteral(".%1()").arg(t.text));
    }

    static bool operation(const QString& name)
    {
        static const QSet<QString> operations{QStringLiteral("mm"),
                                              QStringLiteral("matmul"),
                                              QStringLiteral("bmm"),
                                              QStringLiteral("addmm"),
                                              QStringLiteral("baddbmm"),
                                              QStringLiteral("einsum"),
                                              QStringLiteral("linear"),
                                              QStringLiteral("conv1d"),
                                              QStringLiteral("conv2d"),
                                              QStringLiteral("conv3d"),
                                              QStringLiteral("softmax"),
                                              QStringLiteral("log_softmax"),
                                              QStringLiteral("layer_norm"),
                                              QStringLiteral("group_norm"),
                                              QStringLiteral("batch_norm"),
                                              QStringLiteral("rms_norm"),
                                              QStringLiteral("gelu"),
                                              QStringLiteral("silu"),
                                              QStringLiteral("scaled_dot_product_attention"),
                                              QStringLiteral("cumsum"),
                                              QStringLiteral("topk"),
                                              QStringLiteral("sort"),
                                              QStringLiteral("argsort"),
                                              QStringLiteral("cross_entropy"),
                                              QStringLiteral("dot"),
                                              QStringLiteral("mv"),
                                              QStringLiteral("tensordot"),
                                              QStringLiteral("max_pool2d"),
                                              QStringLiteral("avg_pool2d")};
        return operations.contains(name);
    }

    static bool watched(const QString& name)
    {
        for (const char* p : {"torch", "time", "triton", "statistics", "builtins", "numpy",
                              "timeit", "sys.modules", "jax"}) {
            if (starts(name, p) && name.contains(QLatin1Char('.')))
                return true;
        }
        return false;
    }

    void dotted(int i, int last, const QString& name)
    {
        const Token& next = at(last + 1);
        const bool call = next.is("(");
        for (const QString& word : m_out.task().forbidden) {
            if (starts(name, word.toUtf8().constData()))
                add(forbidden, i, QStringLiteral("\"%1\" is forbidden").arg(word));
        }
        if (next.is("=") && statement(i))
            assignment(i, last, name);
        if (call &&
            (name == QLatin1String("setattr") || name == QLatin1String("unittest.mock.patch"))) {
            int end = last + 2;
            if (watched(m.dotted(last + 2, end)) || m.aliases.contains(at(last + 2).text))
                add(patches, i, QStringLiteral("%1 on %2").arg(name, at(last + 2).text));
        }
        if (call && (name == QLatin1String("torch.cuda.Stream") ||
                     name == QLatin1String("cupy.cuda.Stream") ||
                     name == QLatin1String("torch.cuda.stream")))
            add(sideStream, i, name);
        if (call && (starts(name, "threading") || starts(name, "_thread") ||
                     starts(name, "multiprocessing") || starts(name, "concurrent")))
            add(threads, i, name);
        if (name == QLatin1String("__torch_dispatch__") ||
            name == QLatin1String("__torch_function__"))
            add(lazyTensor, i, name);
        if (call && !inKernel(i) &&
            (starts(name, "torch.ops.aten") || ((starts(name, "torch") || starts(name, "cupy")) &&
                                                operation(name.section(QLatin1Char('.'), -1)))))
            add(library, i, name,
                m.kernels.isEmpty() && m.modules.isEmpty() ? Severity::High : Severity::Medium);
        looks(i, last, name, call);
        numbers(i, last, name, call);
    }

    void assignment(int i, int last, const QString& name)
    {
        if (name.startsWith(QLatin1String("torch.backends.")))
            return add(globalSetting, i, name);
        if (watched(name) && at(last).identifier())
            add(patches, i, QStringLiteral("assigns to %1").arg(name));
    }

    void looks(int i, int last, const QString& name, bool call)
    {
        if (call &&
            (starts(name, "inspect.stack") || starts(name, "inspect.currentframe") ||
             starts(name, "sys._getframe") || starts(name, "traceback.extract_stack") ||
             starts(name, "traceback.format_stack") || starts(name, "inspect.getouterframes")))
            add(environment, i, name, Severity::High);
        // Setting a variable is configuration; reading one is a question.
        if ((call && (starts(name, "os.getenv") || starts(name, "os.environ.get"))) ||
            (name == QLatin1String("os.environ") && at(last + 1).is("[") && !assigned(last + 1)) ||
            name == QLatin1String("sys.argv"))
            add(environment, i, name);
        if (call && (starts(name, "subprocess") || name == QLatin1String("os.system") ||
                     name == QLatin1String("os.popen") || starts(name, "shutil")))
            add(writes, i, name, Severity::High);
        if (call && (name == QLatin1String("open") || name == QLatin1String("io.open")) &&
            opensForWriting(last + 1))
            add(writes, i, QStringLiteral("open for writing"));
        if (starts(name, "gc.get_objects") || starts(name, "gc.get_referrers") ||
            starts(name, "ctypes.string_at") || starts(name, "gc.get_referents") ||
            name.startsWith(QLatin1String("ctypes.from_address")))
            add(steals, i, name);
        if (call &&
            (name == QLatin1String("time.sleep") || name == QLatin1String("torch.cuda._sleep")))
            add(sleeps, i, name);
    }

    bool assigned(int open) const
    {
        const int close = matching(m.tokens, open);
        return close > 0 && at(close + 1).is("=");
    }

    bool opensForWriting(int open) const
    {
        const int close = matching(m.tokens, open);
        bool comma = false;
        for (int k = open + 1; k < close; ++k) {
            comma = comma || m.tokens[k].is(",");
            const QString& s = m.tokens[k].text;
            if (comma && m.tokens[k].kind == TokenKind::String && s.size() <= 3 &&
                (s.contains(QLatin1Char('w')) || s.contains(QLatin1Char('a')) ||
                 s.contains(QLatin1Char('x')) || s.contains(QLatin1Char('+'))))
                return true;
        }
        return false;
    }

    void numbers(int i, int last, const QString& name, bool call)
    {
        static const QSet<QString> narrow{QStringLiteral("torch.float16"),
                                          QStringLiteral("torch.half"),
                                          QStringLiteral("torch.bfloat16"),
                                          QStringLiteral("triton.language.float16"),
                                          QStringLiteral("triton.language.bfloat16"),
                                          QStringLiteral("jax.numpy.bfloat16"),
                                          QStringLiteral("jax.numpy.float16"),
                                          QStringLiteral("torch.float8_e4m3fn"),
                                          QStringLiteral("triton.language.float8e4nv"),
                                          QStringLiteral("nki.language.bfloat16")};
        if (fp32 && narrow.contains(name) && !comparedType(i, last))
            add(downgrade, i, name);
        if (call && name == QLatin1String("torch.set_float32_matmul_precision") &&
            !at(last + 2).text.startsWith(QLatin1String("highest")))
            add(globalSetting, i, name);
        if (call && name == QLatin1String("triton.language.dot")) {
            const int close = matching(m.tokens, last + 1);
            bool said = false;
            for (int k = last + 2; k < close; ++k)
                said = said || m.tokens[k].is("input_precision") || m.tokens[k].is("allow_tf32");
            if (!said && close > 0)
                m_out.add(dotPrecision, m.tokens[i].line, m.tokens[close].line,
                          QStringLiteral("tl.dot"), fp32 ? Severity::Medium : Severity::Low);
        }
        if (call && name == QLatin1String("triton.language.atomic_add"))
            add(atomics, i, QStringLiteral("tl.atomic_add"));
    }

    // x.dtype == torch.float16 asks, it does not convert.
    bool comparedType(int i, int last) const
    {
        const auto asks = [](const Token& t) {
            return t.is("==") || t.is("!=") || t.is("in") || t.is("is");
        };
        return asks(at(i - 1)) || asks(at(last + 1)) || at(i - 1).is("{") ||
               (at(i - 1).is("(") && at(i - 2).is("in"));
    }

    const PyModel& m;
    Reporter& m_out;
    bool fp32 = false;
};

} // namespace

void auditPython(const QString& text, Reporter& out)
{
    const PyModel model = modelPython(text);
    auditPythonState(model, out);
    auditPythonNames(model, out);
}

void auditPythonNames(const PyModel& model, Reporter& out)
{
    Names(model, out).run();
}

const QVector<const Rule*>& pythonNameRules()
{
    static const QVector<const Rule*> rules{
        &sideStream,    &threads,      &lazyTensor, &patches,  &library,
        &environment,   &writes,       &steals,     &sleeps,   &downgrade,
        &globalSetting, &dotPrecision, &atomics,    &forbidden};
    return rules;
}

} // namespace ridgeline::audit
