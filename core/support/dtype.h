// SPDX-License-Identifier: GPL-3.0-or-later
// Element types of tensors, with the format facts numerics needs.
#pragma once

#include <QString>
#include <optional>

namespace ridgeline {

/// Element types a bundle may name. Names in files are the lower-case enumerator names below.
enum class DType {
    Fp64,
    Fp32,
    Fp16,
    Bf16,
    Fp8E4M3,
    Fp8E5M2,
    Int64,
    Int32,
    Int16,
    Int8,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Bool
};

/// Facts of a floating-point format. IEEE 754-2019 for fp64/fp32/fp16, bfloat16 as in the
/// CUDA Math API, fp8 as in OCP "8-bit Floating Point Specification" 1.0 (E4M3 is the fn form:
/// no infinity, largest finite value 448).
struct FloatFormat {
    int precision = 0; ///< significand bits with the hidden one: 53, 24, 11, 8, 4, 3
    int minExponent =
        0; ///< exponent of the smallest normal number: -1022, -126, -14, -126, -6, -14
    double maxFinite = 0;
};

/// Bytes per element.
int dtypeSize(DType type);
bool isFloat(DType type);
/// "fp32", "bf16", "fp8_e4m3", "int32", "bool" …
QString dtypeName(DType type);
/// The inverse; also accepts "float32", "float", "half", "bfloat16", "double", "int", "f32".
std::optional<DType> dtypeFromName(const QString& name);
/// Format of a float type; precision 0 for integers.
FloatFormat floatFormat(DType type);
/// The C++ type of the host harness: "float", "double", "__half", "__nv_bfloat16", "int32_t" …
QString dtypeCudaName(DType type);

} // namespace ridgeline
