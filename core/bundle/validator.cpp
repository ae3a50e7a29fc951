// SPDX-License-Identifier: GPL-3.0-or-later
// What a schema cannot say about a manifest.
#include "core/bundle/manifest.h"

#include "core/support/expr.h"
#include "core/support/paths.h"

#include <QFileInfo>
#include <QSet>
#include <cmath>
#include <limits>

namespace ridgeline::manifest {

namespace {

QString item(const char* list, qsizetype index, const QString& rest = {})
{
    return QStringLiteral("/%1/%2%3").arg(QString::fromLatin1(list)).arg(index).arg(rest);
}

bool runsHere(const Bundle& bundle)
{
    return bundle.signature.callStyle == CallStyle::CAbi;
}

struct IntegerRange {
    double low = 0;
    double high = 0;
};

std::optional<IntegerRange> rangeOf(DType type)
{
    if (isFloat(type))
        return std::nullopt;
    switch (type) {
    case DType::Bool:
        return IntegerRange{0, 1};
    case DType::UInt8:
    case DType::UInt16:
    case DType::UInt32:
    case DType::UInt64:
        return IntegerRange{0, std::pow(2.0, 8 * dtypeSize(type)) - 1};
    default:
        return IntegerRange{-std::pow(2.0, 8 * dtypeSize(type) - 1),
                            std::pow(2.0, 8 * dtypeSize(type) - 1) - 1};
    }
}

/// Words that would break the code a harness writes around them.
bool isReserved(const QString& name)
{
    static const QSet<QString> words{
        QStringLiteral("auto"),     QStringLiteral("bool"),      QStringLiteral("break"),
        QStringLiteral("case"),     QStringLiteral("char"),      QStringLiteral("class"),
        QStringLiteral("const"),    QStringLiteral("continue"),  QStringLiteral("default"),
        QStringLiteral("delete"),   QStringLiteral("do"),        QStringLiteral("double"),
        QStringLiteral("else"),     QStringLiteral("enum"),      QStringLiteral("extern"),
        QStringLiteral("float"),    QStringLiteral("for"),       QStringLiteral("goto"),
        QStringLiteral("if"),       QStringLiteral("inline"),    QStringLiteral("int"),
        QStringLiteral("long"),     QStringLiteral("namespace"), QStringLiteral("new"),
        QStringLiteral("operator"), QStringLiteral("private"),   QStringLiteral("public"),
        QStringLiteral("register"), QStringLiteral("return"),    QStringLiteral("short"),
        QStringLiteral("signed"),   QStringLiteral("sizeof"),    QStringLiteral("static"),
        QStringLiteral("struct"),   QStringLiteral("switch"),    QStringLiteral("template"),
        QStringLiteral("this"),     QStringLiteral("throw"),     QStringLiteral("try"),
        QStringLiteral("typedef"),  QStringLiteral("union"),     QStringLiteral("unsigned"),
        QStringLiteral("using"),    QStringLiteral("virtual"),   QStringLiteral("void"),
        QStringLiteral("volatile"), QStringLiteral("while"),     QStringLiteral("main"),
        QStringLiteral("and"),      QStringLiteral("or"),        QStringLiteral("not"),
        QStringLiteral("xor"),      QStringLiteral("friend"),    QStringLiteral("typename"),
    };
    return words.contains(name);
}

class Meaning {
public:
    Meaning(const Bundle& bundle, Complaints& complaints) : m_bundle(bundle), m_out(complaints) {}

    void check()
    {
        files();
        signature();
        candidates();
        correctness();
        roofline();
        cases();
        readiness();
    }

private:
    void bad(const QString& pointer, const QString& message, const QString& hint = {})
    {
        m_out.add(ErrorCode::BadSchema, pointer, message, hint);
    }

    void unique(QSet<QString>& seen, const QString& name, const QString& pointer)
    {
        if (!name.isEmpty() && seen.contains(name))
            bad(pointer, QStringLiteral("\"%1\" occurs twice").arg(name.left(120)),
                QStringLiteral("give every entry a name of its own"));
        seen.insert(name);
    }

    void expression(const QString& text, const QString& pointer)
    {
        if (const auto checked = checkExpr(text, m_bundle.signature.axes); !checked) {
            Error error = checked.error();
            bad(pointer, error.message,
                m_bundle.signature.axes.isEmpty()
                    ? QStringLiteral("the signature declares no axes")
                    : QStringLiteral("the axes are: %1")
                          .arg(m_bundle.signature.axes.join(QStringLiteral(", "))));
        }
    }

    void identifier(const QString& name, const QString& pointer)
    {
        if (!isIdentifier(name) || isReserved(name))
            bad(pointer, QStringLiteral("\"%1\" cannot name a C function").arg(name.left(120)));
    }

    void files()
    {
        QSet<QString> seen;
        for (qsizetype i = 0; i < m_bundle.files.size(); ++i)
            unique(seen, m_bundle.files[i].path, item("files", i, QStringLiteral("/path")));
        const auto listed = [&](const QString& path, const QString& pointer) {
            if (!path.isEmpty() && !seen.contains(path))
                m_out.warn(pointer, QStringLiteral("\"%1\" is not listed in files").arg(path));
        };
        listed(m_bundle.specFile, QStringLiteral("/spec/file"));
        listed(m_bundle.sourceImpl, QStringLiteral("/source_impl/file"));
        if (m_bundle.reference)
            listed(m_bundle.reference->file, QStringLiteral("/reference/file"));
        for (qsizetype i = 0; i < m_bundle.candidates.size(); ++i) {
            for (const QString& path : m_bundle.candidates[i].files)
                listed(path, item("candidates", i, QStringLiteral("/files")));
        }
    }

    void signature()
    {
        const Signature& s = m_bundle.signature;
        QSet<QString> axes;
        for (qsizetype i = 0; i < s.axes.size(); ++i)
            unique(axes, s.axes[i], QStringLiteral("/signature/axes/%1").arg(i));
        if (runsHere(m_bundle)) {
            identifier(s.entry, QStringLiteral("/signature/entry"));
            if (m_bundle.reference)
                identifier(m_bundle.reference->entry, QStringLiteral("/reference/entry"));
        }
        QSet<QString> names;
        for (qsizetype i = 0; i < s.params.size(); ++i) {
            const Param& p = s.params[i];
            const QString at = QStringLiteral("/signature/params/%1").arg(i);
            unique(names, p.name, at + QStringLiteral("/name"));
            if (isReserved(p.name))
                bad(at + QStringLiteral("/name"),
                    QStringLiteral("\"%1\" is a word of C++").arg(p.name));
            for (qsizetype d = 0; d < p.shape.size(); ++d)
                expression(p.shape[d], at + QStringLiteral("/shape/%1").arg(d));
            if (p.pointer) {
                if (axes.contains(p.name))
                    bad(at + QStringLiteral("/name"),
                        QStringLiteral("\"%1\" is an axis, so it cannot be a tensor").arg(p.name));
                if (!p.value.isEmpty())
                    bad(at + QStringLiteral("/value"), QStringLiteral("a tensor has no value"));
                continue;
            }
            if (!p.shape.isEmpty())
                bad(at + QStringLiteral("/shape"), QStringLiteral("a scalar has no shape"),
                    QStringLiteral("set \"pointer\": true for a tensor"));
            if (p.direction != ParamDirection::In)
                bad(at + QStringLiteral("/direction"),
                    QStringLiteral("a scalar passed by value is no output"));
            if (!p.value.isEmpty())
                expression(p.value, at + QStringLiteral("/value"));
        }
    }

    void candidates()
    {
        QSet<QString> ids;
        for (qsizetype i = 0; i < m_bundle.candidates.size(); ++i)
            unique(ids, m_bundle.candidates[i].id, item("candidates", i, QStringLiteral("/id")));
        for (qsizetype i = 0; i < m_bundle.candidates.size(); ++i) {
            const Candidate& c = m_bundle.candidates[i];
            if (!c.parent.isEmpty() && (!ids.contains(c.parent) || c.parent == c.id))
                bad(item("candidates", i, QStringLiteral("/parent")),
                    QStringLiteral("\"%1\" is no other candidate").arg(c.parent));
            if (runsHere(m_bundle) && !c.entry.isEmpty())
                identifier(c.entry, item("candidates", i, QStringLiteral("/entry")));
            QSet<QString> paths;
            for (qsizetype f = 0; f < c.files.size(); ++f)
                unique(paths, c.files[f],
                       item("candidates", i, QStringLiteral("/files/%1").arg(f)));
            for (qsizetype f = 0; f < c.flags.size(); ++f)
                compilerFlag(c.flags[f], item("candidates", i, QStringLiteral("/flags/%1").arg(f)));
        }
        for (qsizetype f = 0; f < m_bundle.cudaFlags.size(); ++f)
            compilerFlag(m_bundle.cudaFlags[f], QStringLiteral("/build/flags/cuda/%1").arg(f));
        if (!m_bundle.baselineCandidate.isEmpty() && !ids.contains(m_bundle.baselineCandidate))
            bad(QStringLiteral("/scoring/baseline"),
                QStringLiteral("\"%1\" is no candidate").arg(m_bundle.baselineCandidate));
    }

    /// Flags may tune code generation, not choose programs, outputs or files elsewhere. The
    /// sandbox is what protects the machine; this says early that a bundle will not be portable.
    void compilerFlag(const QString& flag, const QString& pointer)
    {
        static const char* const refused[] = {"-o",       "--output",
                                              "-ccbin",   "--compiler-bindir",
                                              "-optf",    "--options-file",
                                              "--run",    "-run",
                                              "--keep",   "-keep",
                                              "--dryrun", "-dryrun",
                                              "-MF",      "--dependency-output",
                                              "-odir"};
        if (!flag.startsWith(QLatin1Char('-')) || flag.contains(QChar(0)) ||
            flag.contains(QLatin1Char('\n'))) {
            bad(pointer, QStringLiteral("\"%1\" is no compiler flag").arg(flag.left(60)),
                QStringLiteral("one flag per entry, each beginning with -"));
            return;
        }
        for (const char* word : refused) {
            const QString name = QString::fromLatin1(word);
            if (flag == name || flag.startsWith(name + QLatin1Char('=')))
                bad(pointer, QStringLiteral("the flag \"%1\" is the workbench's own").arg(name));
        }
        const QStringList parts = flag.split(QLatin1Char('='));
        const bool leaves = flag.contains(QStringLiteral("../")) ||
                            parts.constLast().startsWith(QLatin1Char('/')) ||
                            flag.startsWith(QLatin1String("-I/")) ||
                            flag.startsWith(QLatin1String("-L/"));
        if (leaves)
            m_out.add(ErrorCode::UnsafePath, pointer,
                      QStringLiteral("the flag \"%1\" names a path outside the bundle")
                          .arg(flag.left(120)));
    }

    void rule(const ToleranceRule& r, const QString& pointer)
    {
        const auto needs = [&](bool given, const char* key) {
            if (!given)
                bad(pointer, QStringLiteral("the method %1 needs \"%2\"")
                                 .arg(r.method, QString::fromLatin1(key)));
        };
        if (r.method == QLatin1String("ulp"))
            needs(r.ulp.has_value(), "ulp");
        if (r.method == QLatin1String("abs"))
            needs(r.atol.has_value(), "atol");
        if (r.method == QLatin1String("both_exceed")) {
            needs(r.atol.has_value(), "atol");
            needs(r.rtol.has_value(), "rtol");
        }
    }

    const Param* param(const QString& name) const
    {
        for (const Param& p : m_bundle.signature.params) {
            if (p.name == name)
                return &p;
        }
        return nullptr;
    }

    void correctness()
    {
        rule(m_bundle.tolerance, QStringLiteral("/correctness/default"));
        for (auto it = m_bundle.perOutput.begin(); it != m_bundle.perOutput.end(); ++it) {
            const QString at = QStringLiteral("/correctness/per_output") + pointerStep(it.key());
            rule(*it, at);
            const Param* p = param(it.key());
            if (runsHere(m_bundle) &&
                (p == nullptr || !p->pointer || p->direction == ParamDirection::In))
                bad(at, QStringLiteral("\"%1\" is no output of the signature").arg(it.key()));
        }
    }

    void roofline()
    {
        if (!m_bundle.roofline.flopsExpr.isEmpty())
            expression(m_bundle.roofline.flopsExpr, QStringLiteral("/roofline/flops_expr"));
        if (!m_bundle.roofline.bytesExpr.isEmpty())
            expression(m_bundle.roofline.bytesExpr, QStringLiteral("/roofline/bytes_expr"));
    }

    void cases()
    {
        QSet<QString> ids;
        // After a broken expression every case would repeat the same complaint.
        const bool expressionsRight = m_out.errors().isEmpty();
        for (qsizetype i = 0; i < m_bundle.cases.size(); ++i) {
            const BundleCase& c = m_bundle.cases[i];
            unique(ids, c.id, item("cases", i, QStringLiteral("/id")));
            if (c.tolerance)
                rule(*c.tolerance, item("cases", i, QStringLiteral("/tolerance")));
            if (!axesOf(c, i) || !runsHere(m_bundle))
                continue;
            names(c, i);
            if (expressionsRight)
                values(c, i);
        }
    }

    bool axesOf(const BundleCase& c, qsizetype i)
    {
        bool complete = true;
        for (const QString& axis : m_bundle.signature.axes) {
            if (!c.axes.contains(axis)) {
                bad(item("cases", i), QStringLiteral("the axis \"%1\" has no value").arg(axis),
                    QStringLiteral("add it to \"axes\" of the case"));
                complete = false;
            }
        }
        for (auto it = c.axes.begin(); it != c.axes.end(); ++it) {
            if (!m_bundle.signature.axes.contains(it.key()))
                bad(item("cases", i, QStringLiteral("/axes") + pointerStep(it.key())),
                    QStringLiteral("\"%1\" is no axis of the signature").arg(it.key()));
        }
        return complete;
    }

    void names(const BundleCase& c, qsizetype i)
    {
        for (auto it = c.args.begin(); it != c.args.end(); ++it) {
            const Param* p = param(it.key());
            if (p == nullptr || p->pointer)
                bad(item("cases", i, QStringLiteral("/args") + pointerStep(it.key())),
                    QStringLiteral("\"%1\" is no scalar parameter").arg(it.key()));
        }
        for (auto it = c.inputs.begin(); it != c.inputs.end(); ++it) {
            const QString at = item("cases", i, QStringLiteral("/inputs") + pointerStep(it.key()));
            const Param* p = param(it.key());
            if (p == nullptr || !p->pointer || p->direction == ParamDirection::Out) {
                bad(at, QStringLiteral("\"%1\" is no input tensor").arg(it.key()));
                continue;
            }
            generator(*it, *p, at);
        }
    }

    void generator(const InputGen& input, const Param& p, const QString& at)
    {
        if (generatorNames().indexOf(input.gen) >
            generatorNames().indexOf(QStringLiteral("arange"))) {
            bad(at + QStringLiteral("/gen"),
                QStringLiteral("\"%1\" cannot fill a c_abi tensor").arg(input.gen),
                QStringLiteral("use normal, uniform, randint, full or arange"));
            return;
        }
        const bool ranged =
            input.gen == QLatin1String("uniform") || input.gen == QLatin1String("randint");
        if (ranged && input.low > input.high)
            bad(at + QStringLiteral("/low"), QStringLiteral("low is above high"));
        const auto range = rangeOf(p.dtype);
        const bool outside =
            range && ((ranged && (input.low < range->low || input.high > range->high)) ||
                      (input.gen == QLatin1String("full") &&
                       (input.value < range->low || input.value > range->high)));
        if (outside)
            bad(at, QStringLiteral("the values do not fit %1").arg(dtypeName(p.dtype)));
    }

    /// Shapes, scalars and roofline of one case with its own axes.
    void values(const BundleCase& c, qsizetype i)
    {
        ExprEnv env;
        for (auto it = c.axes.begin(); it != c.axes.end(); ++it)
            env.insert(it.key(), double(it.value()));
        for (const Param& p : m_bundle.signature.params) {
            if (p.pointer)
                tensor(p, env, i);
            else
                scalar(p, c, env, i);
        }
        for (const QString& text : {m_bundle.roofline.flopsExpr, m_bundle.roofline.bytesExpr}) {
            if (text.isEmpty())
                continue;
            const auto value = evaluateExpr(text, env);
            if (!value)
                bad(item("cases", i, QStringLiteral("/axes")),
                    QStringLiteral("roofline: %1").arg(value.error().message));
            else if (*value < 0)
                bad(item("cases", i, QStringLiteral("/axes")),
                    QStringLiteral("roofline expression \"%1\" is negative").arg(text.left(120)));
        }
    }

    void tensor(const Param& p, const ExprEnv& env, qsizetype i)
    {
        double bytes = dtypeSize(p.dtype);
        for (const QString& text : p.shape) {
            const auto extent = evaluateCount(text, env);
            if (!extent) {
                bad(item("cases", i, QStringLiteral("/axes")),
                    QStringLiteral("shape of \"%1\": %2").arg(p.name, extent.error().message));
                return;
            }
            bytes *= double(*extent);
        }
        if (bytes > double(maxTensorBytes))
            m_out.add(ErrorCode::TooLarge, item("cases", i, QStringLiteral("/axes")),
                      QStringLiteral("the tensor \"%1\" has %2 bytes, more than the limit of 2^36")
                          .arg(p.name)
                          .arg(bytes, 0, 'g', 6));
    }

    void scalar(const Param& p, const BundleCase& c, const ExprEnv& env, qsizetype i)
    {
        double value = 0;
        QString at = item("cases", i, QStringLiteral("/axes"));
        if (!p.value.isEmpty()) {
            const auto result = evaluateExpr(p.value, env);
            if (!result) {
                bad(at, QStringLiteral("value of \"%1\": %2").arg(p.name, result.error().message));
                return;
            }
            value = *result;
        } else if (c.args.contains(p.name)) {
            at = item("cases", i, QStringLiteral("/args") + pointerStep(p.name));
            value = c.args.value(p.name);
        } else if (c.axes.contains(p.name)) {
            value = double(c.axes.value(p.name));
        } else {
            bad(item("cases", i),
                QStringLiteral("the scalar parameter \"%1\" has no value").arg(p.name),
                QStringLiteral("add it to \"args\" of the case"));
            return;
        }
        const auto range = rangeOf(p.dtype);
        if (range && (value != std::floor(value) || value < range->low || value > range->high))
            bad(at, QStringLiteral("%1 is no %2 for the parameter \"%3\"")
                        .arg(value, 0, 'g', 17)
                        .arg(dtypeName(p.dtype), p.name));
    }

    /// What a bundle that says it is ready must have to be run.
    void readiness()
    {
        if (m_bundle.status != BundleStatus::Ready)
            return;
        const QString hint = QStringLiteral("or set \"status\": \"stub\"");
        if (runsHere(m_bundle)) {
            bool output = false;
            for (const Param& p : m_bundle.signature.params)
                output = output || (p.pointer && p.direction != ParamDirection::In);
            if (!output)
                bad(QStringLiteral("/signature"),
                    QStringLiteral("no parameter is an output tensor"), hint);
        }
        if (m_bundle.cases.isEmpty() &&
            (runsHere(m_bundle) || m_bundle.signature.callStyle == CallStyle::Process))
            bad(QString(), QStringLiteral("there are no cases"), hint);
    }

    const Bundle& m_bundle;
    Complaints& m_out;
};

struct Named {
    QString path;
    QString pointer;
    bool source = false; ///< shown in an editor, so limited in size
};

QVector<Named> namedFiles(const Bundle& bundle)
{
    QVector<Named> all;
    for (qsizetype i = 0; i < bundle.files.size(); ++i)
        all << Named{bundle.files[i].path, item("files", i, QStringLiteral("/path")), false};
    all << Named{bundle.specFile, QStringLiteral("/spec/file"), true};
    all << Named{bundle.sourceImpl, QStringLiteral("/source_impl/file"), true};
    for (qsizetype i = 0; i < bundle.candidates.size(); ++i) {
        for (qsizetype f = 0; f < bundle.candidates[i].files.size(); ++f)
            all << Named{bundle.candidates[i].files[f],
                         item("candidates", i, QStringLiteral("/files/%1").arg(f)), true};
    }
    if (bundle.reference)
        all << Named{bundle.reference->file, QStringLiteral("/reference/file"), true};
    return all;
}

} // namespace

void checkMeaning(const Bundle& bundle, Complaints& complaints)
{
    Meaning(bundle, complaints).check();
}

void checkFiles(const Bundle& bundle, const QString& dir, Complaints& complaints)
{
    const QString reference = bundle.reference ? bundle.reference->file : QString();
    for (const Named& named : namedFiles(bundle)) {
        if (named.path.isEmpty())
            continue;
        const auto path = resolveInside(dir, named.path);
        if (!path) {
            complaints.add(path.error().code, named.pointer, path.error().message,
                           path.error().hint);
            continue;
        }
        const QFileInfo info(*path);
        if (!info.exists()) {
            // A task whose reference is lost is a stub, not an unreadable bundle.
            if (named.path != reference)
                complaints.add(ErrorCode::NotFound, named.pointer,
                               QStringLiteral("the file \"%1\" does not exist").arg(named.path),
                               QStringLiteral("add the file or correct the path"));
        } else if (!info.isFile()) {
            complaints.add(ErrorCode::Unreadable, named.pointer,
                           QStringLiteral("\"%1\" is not a regular file").arg(named.path));
        } else if (named.source && info.size() > maxSourceBytes) {
            complaints.add(ErrorCode::TooLarge, named.pointer,
                           QStringLiteral("\"%1\" has %2 bytes; source files may have %3")
                               .arg(named.path)
                               .arg(info.size())
                               .arg(maxSourceBytes));
        }
    }
    for (qsizetype i = 0; i < bundle.files.size(); ++i) {
        const BundleFile& file = bundle.files[i];
        if (file.sha256.isEmpty())
            continue;
        const auto path = resolveInside(dir, file.path);
        const auto bytes = path ? readFile(*path, maxSourceBytes) : path.error();
        if (bytes && sha256Hex(*bytes) != file.sha256)
            complaints.warn(
                item("files", i, QStringLiteral("/sha256")),
                QStringLiteral("\"%1\" has changed since the manifest was written").arg(file.path));
    }
}

void deriveStatus(Bundle& bundle, const QString& dir, Complaints& complaints)
{
    if (bundle.status != BundleStatus::Ready || bundle.signature.callStyle == CallStyle::Process)
        return;
    if (!bundle.reference) {
        complaints.warn(QString(), QStringLiteral("there is no reference: the bundle is a stub"));
        bundle.status = BundleStatus::Stub;
        return;
    }
    if (dir.isEmpty())
        return;
    const auto path = resolveInside(dir, bundle.reference->file);
    if (!path || !QFileInfo(*path).isFile()) {
        complaints.warn(QStringLiteral("/reference/file"),
                        QStringLiteral("\"%1\" does not exist: the bundle is a stub")
                            .arg(bundle.reference->file));
        bundle.status = BundleStatus::Stub;
    }
}

} // namespace ridgeline::manifest
