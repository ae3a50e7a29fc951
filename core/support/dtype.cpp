// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/dtype.h"

#include <array>
#include <cmath>

namespace ridgeline {

namespace {

struct Facts {
    DType type;
    const char* name;
    const char* cuda;
    int size;
    FloatFormat format;
};

// Largest finite values: (2 - 2^(1-p)) * 2^emax; e4m3fn gives up one code of the top binade for
// NaN.
const std::array<Facts, 15> facts{{
    {DType::Fp64, "fp64", "double", 8, {53, -1022, 1.7976931348623157e308}},
    {DType::Fp32, "fp32", "float", 4, {24, -126, 3.4028234663852886e38}},
    {DType::Fp16, "fp16", "__half", 2, {11, -14, 65504}},
    {DType::Bf16, "bf16", "__nv_bfloat16", 2, {8, -126, 3.3895313892515355e38}},
    {DType::Fp8E4M3, "fp8_e4m3", "__nv_fp8_e4m3", 1, {4, -6, 448}},
    {DType::Fp8E5M2, "fp8_e5m2", "__nv_fp8_e5m2", 1, {3, -14, 57344}},
    {DType::Int64, "int64", "long long", 8, {}},
    {DType::Int32, "int32", "int", 4, {}},
    {DType::Int16, "int16", "short", 2, {}},
    {DType::Int8, "int8", "signed char", 1, {}},
    {DType::UInt8, "uint8", "unsigned char", 1, {}},
    {DType::UInt16, "uint16", "unsigned short", 2, {}},
    {DType::UInt32, "uint32", "unsigned int", 4, {}},
    {DType::UInt64, "uint64", "unsigned long long", 8, {}},
    {DType::Bool, "bool", "bool", 1, {}},
}};

const Facts& factsOf(DType type)
{
    for (const Facts& f : facts) {
        if (f.type == type)
            return f;
    }
    return facts[1];
}

} // namespace

int dtypeSize(DType type)
{
    return factsOf(type).size;
}

bool isFloat(DType type)
{
    return factsOf(type).format.precision > 0;
}

QString dtypeName(DType type)
{
    return QString::fromLatin1(factsOf(type).name);
}

QString dtypeCudaName(DType type)
{
    return QString::fromLatin1(factsOf(type).cuda);
}

FloatFormat floatFormat(DType type)
{
    return factsOf(type).format;
}

std::optional<DType> dtypeFromName(const QString& name)
{
    for (const Facts& f : facts) {
        if (name == QLatin1String(f.name))
            return f.type;
    }
    struct Alias {
        const char* name;
        DType type;
    };
    static const Alias aliases[] = {
        {"double", DType::Fp64},
        {"float64", DType::Fp64},
        {"f64", DType::Fp64},
        {"float", DType::Fp32},
        {"float32", DType::Fp32},
        {"f32", DType::Fp32},
        {"half", DType::Fp16},
        {"float16", DType::Fp16},
        {"f16", DType::Fp16},
        {"bfloat16", DType::Bf16},
        {"int", DType::Int32},
        {"long", DType::Int64},
        {"float8_e4m3fn", DType::Fp8E4M3},
        {"float8_e5m2", DType::Fp8E5M2},
        {"byte", DType::UInt8},
    };
    for (const Alias& alias : aliases) {
        if (name == QLatin1String(alias.name))
            return alias.type;
    }
    return std::nullopt;
}

} // namespace ridgeline
