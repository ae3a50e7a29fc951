// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "core/numerics/compare.h"
#include "core/numerics/convert.h"
#include "core/numerics/npy.h"

#include <QCommandLineParser>
#include <QTextStream>
#include <cmath>

namespace ridgeline {

namespace {

int complain(const Error& error)
{
    QTextStream(stderr) << "ridgeline compare: " << error.toString() << '\n';
    return exitCodeFor(error.code);
}

Error usage(const QString& message)
{
    return {ErrorCode::BadUsage, message, {}, QStringLiteral("ridgeline compare --help")};
}

Result<std::optional<double>> number(const QCommandLineParser& parser, const char* option)
{
    const QString name = QLatin1String(option);
    if (!parser.isSet(name))
        return std::optional<double>{};
    bool ok = false;
    const double value = parser.value(name).toDouble(&ok);
    if (!ok)
        return usage(
            QStringLiteral("--%1 needs a number, not \"%2\"").arg(name, parser.value(name)));
    return std::optional<double>{value};
}

Result<ToleranceRule> ruleOf(const QCommandLineParser& parser)
{
    ToleranceRule rule;
    const auto rtol = number(parser, "rtol"), atol = number(parser, "atol"),
               ulp = number(parser, "ulp"), share = number(parser, "min-match-ratio");
    for (const auto* value : {&rtol, &atol, &ulp, &share}) {
        if (!*value)
            return value->error();
    }
    rule.rtol = *rtol;
    rule.atol = *atol;
    rule.ulp = *ulp;
    rule.minMatchRatio = share->value_or(1.0);
    rule.equalNan = parser.isSet(QStringLiteral("equal-nan"));
    if (parser.isSet(QStringLiteral("method")))
        rule.method = parser.value(QStringLiteral("method"));
    else if (rule.ulp)
        rule.method = QStringLiteral("ulp");
    if (Result<void> checked = checkTolerance(rule); !checked)
        return checked.error();
    return rule;
}

QString shapeText(const QVector<qint64>& shape)
{
    QStringList sizes;
    for (const qint64 n : shape)
        sizes << QString::number(n);
    return QLatin1Char('(') + sizes.join(QStringLiteral(", ")) + QLatin1Char(')');
}

/// A is compared, B is the reference. ULPs are those of A's type.
Result<OutputComparison> comparePair(const QString& a, const QString& b, const ToleranceRule& rule,
                                     std::optional<DType> as)
{
    const Result<NpyArray> got = readNpy(a, as), ref = readNpy(b, {});
    if (!got)
        return got.error();
    // The reference may well be fp64; only raw bytes need the type, too.
    const Result<NpyArray> again = !ref && as ? readNpy(b, as) : ref;
    if (!again)
        return again.error();
    if (got->shape != again->shape)
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("shapes differ: %1 and %2")
                         .arg(shapeText(got->shape), shapeText(again->shape)),
                     {a, 0, 0, {}},
                     {}};
    if (!isFloat(got->dtype) && got->dtype == again->dtype)
        return compareIntegerOutput(a, got->data, got->dtype, again->data, got->shape, rule, false);
    QVector<double> reference(again->count());
    decodeElements(again->data.constData(), again->dtype, again->count(), reference.data());
    return compareOutput(a, got->data, got->dtype, reference, got->shape, rule, false);
}

QString place(const QVector<qint64>& index)
{
    QStringList parts;
    for (const qint64 i : index)
        parts << QString::number(i);
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString shown(double v)
{
    return QString::number(v, 'g', 9);
}

void print(QTextStream& out, const QString& a, const QString& b, const OutputComparison& c)
{
    const auto limit = [](const std::optional<double>& v) {
        return v ? QString::number(*v, 'g', 6) : QStringLiteral("-");
    };
    out << a << " against " << b << ": " << (c.ok ? "same" : "DIFFERENT") << " - " << c.message
        << '\n';
    out << "  " << dtypeName(c.dtype) << ' ' << shapeText(c.shape) << ", rule " << c.rule.method
        << " rtol " << limit(c.rule.rtol) << " atol " << limit(c.rule.atol) << " ulp "
        << limit(c.rule.ulp) << (c.defaultRule ? " (default for the type)" : "") << '\n';
    out << "  elements " << c.count << ", exact " << c.exact << ", mismatches " << c.mismatches
        << ", match ratio " << shown(c.matchRatio) << ", tolerance used " << shown(c.toleranceUsed)
        << '\n';
    out << "  NaN got " << c.nanGot << ", NaN reference " << c.nanRef << ", inf got " << c.infGot
        << ", inf reference " << c.infRef << '\n';
    const auto extreme = [&](const char* name, const std::optional<ElementError>& e,
                             double ElementError::*value) {
        out << "  " << name;
        if (e)
            out << shown((*e).*value) << " at " << place(e->index) << ": got " << shown(e->got)
                << ", reference " << shown(e->ref) << '\n';
        else
            out << "-\n";
    };
    extreme("max abs  ", c.maxAbs, &ElementError::abs);
    extreme("max rel  ", c.maxRel, &ElementError::rel);
    extreme("max ulp  ", c.maxUlp, &ElementError::ulp);
    out << "  ulp      ";
    for (const UlpBucket& bucket : c.ulpHistogram) {
        if (bucket.count)
            out << (std::isinf(bucket.upto) ? QStringLiteral("more")
                                            : QStringLiteral("<=") + QString::number(bucket.upto))
                << ": " << bucket.count << "  ";
    }
    out << '\n';
    if (!c.worstMismatches.isEmpty())
        out << "  worst:\n";
    for (const ElementError& e : c.worstMismatches)
        out << "    " << place(e.index).leftJustified(20) << " got "
            << shown(e.got).leftJustified(16) << " reference " << shown(e.ref).leftJustified(16)
            << " abs " << shown(e.abs) << " ulp " << shown(e.ulp) << '\n';
}

} // namespace

int compareCommand(const QStringList& args)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Compares arrays in pairs: A with its reference B. Exit code 0: same, 1: "
                       "different, 2: bad input.\n"
                       "Without numbers the tolerance is the default of A's element type."));
    parser.addPositionalArgument(QStringLiteral("A.npy B.npy"),
                                 QStringLiteral("one or more pairs"));
    const auto value = [](const char* name, const char* text, const char* kind = "number") {
        return QCommandLineOption(QLatin1String(name), QLatin1String(text), QLatin1String(kind));
    };
    parser.addOptions(
        {value("rtol", "relative tolerance, of the reference"),
         value("atol", "absolute tolerance"),
         value("ulp", "tolerance in ULPs of A's type"),
         value("method", "allclose (default), both_exceed, abs, exact, ulp", "name"),
         value("min-match-ratio", "share of elements that must pass"),
         value("dtype", "element type of raw arrays: bf16, fp8_e4m3, fp8_e5m2", "name"),
         {QStringLiteral("equal-nan"), QStringLiteral("NaN matches NaN")},
         {QStringLiteral("json"), QStringLiteral("print JSON")},
         {QStringList{QStringLiteral("h"), QStringLiteral("help")}, QStringLiteral("this text")}});
    if (!parser.parse(QStringList{QStringLiteral("ridgeline compare")} + args))
        return complain(usage(parser.errorText()));
    if (parser.isSet(QStringLiteral("help"))) {
        QTextStream(stdout) << parser.helpText();
        return 0;
    }
    const QStringList files = parser.positionalArguments();
    if (files.isEmpty() || files.size() % 2)
        return complain(usage(QStringLiteral("arrays come in pairs; %1 named").arg(files.size())));
    const Result<ToleranceRule> rule = ruleOf(parser);
    if (!rule)
        return complain(rule.error());
    std::optional<DType> as;
    if (parser.isSet(QStringLiteral("dtype"))) {
        as = dtypeFromName(parser.value(QStringLiteral("dtype")));
        if (!as)
            return complain(usage(QStringLiteral("unknown element type \"%1\"")
                                      .arg(parser.value(QStringLiteral("dtype")))));
    }
    bool same = true;
    Json list = Json::array();
    QTextStream out(stdout);
    for (qsizetype i = 0; i < files.size(); i += 2) {
        const Result<OutputComparison> c = comparePair(files[i], files[i + 1], *rule, as);
        if (!c)
            return complain(c.error());
        same = same && c->ok;
        if (parser.isSet(QStringLiteral("json"))) {
            Json entry = toJson(*c);
            entry["reference"] = sstr(files[i + 1]);
            list.push_back(std::move(entry));
        } else {
            print(out, files[i], files[i + 1], *c);
        }
    }
    if (parser.isSet(QStringLiteral("json")))
        out << QString::fromUtf8(toJsonBytes(
            {{"schema", "ridgeline-compare/1"}, {"same", same}, {"outputs", std::move(list)}}));
    return same ? 0 : 1;
}

} // namespace ridgeline
