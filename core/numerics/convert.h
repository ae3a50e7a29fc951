// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes of tensor elements ↔ double, exact in the one direction and correctly rounded in the other.
#pragma once

#include "core/support/dtype.h"

#include <cstdint>

namespace ridgeline {

/// What happens to a finite value beyond the largest finite one of a float type.
enum class Overflow {
    Ieee, ///< round to nearest as if the exponent went on: infinity; NaN for fp8_e4m3 (no infinity)
    Saturate, ///< the largest finite value, as the CUDA fp8 constructors do
};

/// Decodes `count` little-endian elements. Every float type, and integers up to 2^53 in magnitude,
/// are exact; larger 64-bit integers are rounded to nearest. A bool is 1 for any byte but 0.
/// Neither pointer needs to be aligned beyond its element. Any thread.
void decodeElements(const void* bytes, DType type, qint64 count, double* out);

/// Encodes `count` doubles with one rounding (to nearest, ties to even), subnormals included. NaN
/// becomes the type's quiet NaN. Integers round to nearest and saturate, NaN becomes 0; a bool is
/// 1 for anything but 0. Any thread.
void encodeElements(const double* values, DType type, qint64 count, void* bytes,
                    Overflow overflow = Overflow::Ieee);

/// One element of each; for single values and tests.
double decodeElement(const void* bytes, DType type);
void encodeElement(double value, DType type, void* bytes, Overflow overflow = Overflow::Ieee);

/// `value` rounded to a float type (Overflow::Ieee) or integer type, as a double.
double roundToType(double value, DType type);

/// Spacing of a float type at r: 2^(max(⌊log2|r|⌋, e_min) − p + 1), e_min the exponent of the
/// smallest normal number and p the precision (Goldberg's definition, with the subnormal spacing
/// near zero). NaN for NaN and infinity. 1 for integer types.
double ulpOf(double r, DType type);

/// Number of representable values of a float type between two values of it: 0 for −0 and +0, 1
/// between the largest finite value and infinity, 2·d(x, 0) for (x, −x). Values are rounded to the
/// type first. A NaN on either side gives UINT64_MAX. Integer types: |a − b|.
std::uint64_t ulpDistance(double a, double b, DType type);

/// Fills an output before a kernel runs, so that an element nobody wrote can be told: a NaN with a
/// payload no arithmetic produces for float types, bytes 0xA5 for the others.
void fillPoison(void* bytes, DType type, qint64 count);

/// Whether one element still holds exactly the pattern of fillPoison. An integer kernel may write
/// this value by chance, so it proves nothing for an element that is otherwise right.
bool isPoison(const void* bytes, DType type);

} // namespace ridgeline
