// SPDX-License-Identifier: GPL-3.0-or-later
// Tolerance rules, and a comparison as JSON.
#include "core/numerics/compare.h"
#include "core/numerics/method.h"

#include <cmath>

namespace ridgeline {

namespace {

Json toJson(const ElementError& e)
{
    return {{"index", e.index},           {"got", jsonNumberOf(e.got)},
            {"ref", jsonNumberOf(e.ref)}, {"abs", jsonNumberOf(e.abs)},
            {"rel", jsonNumberOf(e.rel)}, {"ulp", jsonNumberOf(e.ulp)}};
}

Json extreme(const std::optional<ElementError>& e, double value)
{
    if (!e)
        return nullptr;
    return {{"value", jsonNumberOf(value)},
            {"index", e->index},
            {"got", jsonNumberOf(e->got)},
            {"ref", jsonNumberOf(e->ref)}};
}

} // namespace

std::optional<ToleranceMethod> methodOf(const QString& name)
{
    if (name == QLatin1String("allclose"))
        return ToleranceMethod::AllClose;
    if (name == QLatin1String("both_exceed"))
        return ToleranceMethod::BothExceed;
    if (name == QLatin1String("abs"))
        return ToleranceMethod::Abs;
    if (name == QLatin1String("exact"))
        return ToleranceMethod::Exact;
    if (name == QLatin1String("ulp"))
        return ToleranceMethod::Ulp;
    return std::nullopt;
}

ToleranceRule resolveTolerance(const ToleranceRule& rule, DType dtype)
{
    ToleranceRule resolved = rule;
    if (resolved.method == QLatin1String("exact"))
        return resolved;
    if (resolved.method == QLatin1String("ulp")) {
        if (!resolved.ulp)
            resolved.ulp = 1;
        if (!resolved.atol)
            resolved.atol = 0;
        return resolved;
    }
    if (!resolved.rtol && !resolved.atol) {
        switch (dtype) {
        case DType::Fp64:
            resolved.rtol = 1e-7;
            resolved.atol = 1e-7;
            break;
        case DType::Fp32:
            resolved.rtol = 1.3e-6;
            resolved.atol = 1e-5;
            break;
        case DType::Fp16:
            resolved.rtol = 1e-3;
            resolved.atol = 1e-5;
            break;
        case DType::Bf16:
            resolved.rtol = 1.6e-2;
            resolved.atol = 1e-5;
            break;
        case DType::Fp8E4M3:
            resolved.rtol = 0.125;
            resolved.atol = 0x1p-9;
            break;
        case DType::Fp8E5M2:
            resolved.rtol = 0.25;
            resolved.atol = 0x1p-16;
            break;
        default:
            break;
        }
    }
    resolved.rtol = resolved.rtol.value_or(0);
    resolved.atol = resolved.atol.value_or(0);
    return resolved;
}

Result<void> checkTolerance(const ToleranceRule& rule)
{
    const QString hint = QStringLiteral("methods: allclose, both_exceed, abs, exact, ulp");
    if (!methodOf(rule.method))
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("unknown tolerance method \"%1\"").arg(rule.method),
                     {},
                     hint};
    for (const std::optional<double>& limit : {rule.rtol, rule.atol, rule.ulp}) {
        if (limit && !(*limit >= 0 && std::isfinite(*limit)))
            return Error{
                ErrorCode::BadSchema,
                QStringLiteral("a tolerance must be a finite number >= 0, not %1").arg(*limit),
                {},
                hint};
    }
    if (!(rule.minMatchRatio >= 0 && rule.minMatchRatio <= 1))
        return Error{ErrorCode::BadSchema,
                     QStringLiteral("min_match_ratio must be between 0 and 1, not %1")
                         .arg(rule.minMatchRatio),
                     {},
                     {}};
    return {};
}

Json jsonNumberOf(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

Json toJson(const OutputComparison& c)
{
    const auto optional = [](const std::optional<double>& v) {
        return v ? jsonNumberOf(*v) : Json(nullptr);
    };
    Json firsts = Json::array(), worsts = Json::array(), histogram = Json::array();
    for (const ElementError& e : c.firstMismatches)
        firsts.push_back(toJson(e));
    for (const ElementError& e : c.worstMismatches)
        worsts.push_back(toJson(e));
    for (const UlpBucket& bucket : c.ulpHistogram)
        histogram.push_back({{"upto", jsonNumberOf(bucket.upto)}, {"count", bucket.count}});
    return {{"name", sstr(c.name)},
            {"dtype", sstr(dtypeName(c.dtype))},
            {"shape", c.shape},
            {"count", c.count},
            {"rule",
             {{"method", sstr(c.rule.method)},
              {"rtol", optional(c.rule.rtol)},
              {"atol", optional(c.rule.atol)},
              {"ulp", optional(c.rule.ulp)},
              {"min_match_ratio", c.rule.minMatchRatio},
              {"equal_nan", c.rule.equalNan}}},
            {"default_rule", c.defaultRule},
            {"ok", c.ok},
            {"message", sstr(c.message)},
            {"mismatches", c.mismatches},
            {"match_ratio", c.matchRatio},
            {"tolerance_used", jsonNumberOf(c.toleranceUsed)},
            {"exact", c.exact},
            {"unwritten", c.unwritten},
            {"nan_got", c.nanGot},
            {"nan_ref", c.nanRef},
            {"inf_got", c.infGot},
            {"inf_ref", c.infRef},
            {"nan_mismatches", c.nanMismatches},
            {"inf_mismatches", c.infMismatches},
            {"signed_zeros", c.signedZeros},
            {"max_abs", extreme(c.maxAbs, c.maxAbs ? c.maxAbs->abs : 0)},
            {"max_rel", extreme(c.maxRel, c.maxRel ? c.maxRel->rel : 0)},
            {"max_ulp", extreme(c.maxUlp, c.maxUlp ? c.maxUlp->ulp : 0)},
            {"first_mismatches", std::move(firsts)},
            {"worst_mismatches", std::move(worsts)},
            {"ulp_histogram", std::move(histogram)}};
}

} // namespace ridgeline
