// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ridgeline {

namespace {

static_assert(std::endian::native == std::endian::little, "element bytes are little-endian");

// A narrow binary format: sign, exponent, significand without the hidden bit.
struct Narrow {
    int precision;
    int minExponent;
    std::uint32_t maxFinite; // encoding without sign
    std::uint32_t infinity;  // what overflow becomes
    std::uint32_t nan;
    int signBit;
};

constexpr Narrow fp16{11, -14, 0x7bff, 0x7c00, 0x7e00, 15};
constexpr Narrow bf16{8, -126, 0x7f7f, 0x7f80, 0x7fc0, 15};
constexpr Narrow e4m3{4, -6, 0x7e, 0x7f, 0x7f, 7};
constexpr Narrow e5m2{3, -14, 0x7b, 0x7c, 0x7e, 7};

// One rounding straight from the 53-bit significand, so that no double rounding can happen.
std::uint32_t encodeNarrow(double value, const Narrow& f, Overflow overflow)
{
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = std::uint32_t(bits >> 63) << f.signBit;
    const int biased = int(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & 0xfffffffffffffull;
    if (biased == 0x7ff) {
        if (fraction)
            return sign | f.nan;
        return sign | (overflow == Overflow::Saturate ? f.maxFinite : f.infinity);
    }
    // A subnormal double is far below half the smallest value of every narrow format.
    if (biased == 0)
        return sign;
    const int exponent = biased - 1023;
    const bool normal = exponent >= f.minExponent;
    const int shift = 53 - f.precision + (normal ? 0 : f.minExponent - exponent);
    if (shift > 54)
        return sign;
    const std::uint64_t significand = fraction | 1ull << 52;
    std::uint64_t kept = significand >> shift;
    const std::uint64_t rest = significand & ((1ull << shift) - 1);
    const std::uint64_t half = 1ull << (shift - 1);
    if (rest > half || (rest == half && (kept & 1)))
        ++kept;
    // The hidden bit, or a carry out of the significand, adds into the exponent field.
    std::uint64_t code = kept;
    if (normal)
        code += std::uint64_t(exponent - f.minExponent) << (f.precision - 1);
    if (code > f.maxFinite)
        return sign | (overflow == Overflow::Saturate ? f.maxFinite : f.infinity);
    return sign | std::uint32_t(code);
}

double decodeNarrow(std::uint32_t code, const Narrow& f)
{
    const std::uint32_t magnitude = code & ((1u << f.signBit) - 1);
    const double sign = code >> f.signBit & 1 ? -1.0 : 1.0;
    if (magnitude > f.maxFinite) {
        if (magnitude == f.infinity && f.infinity != f.nan)
            return sign * std::numeric_limits<double>::infinity();
        return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    }
    const int fractionBits = f.precision - 1;
    const std::uint32_t exponent = magnitude >> fractionBits;
    const std::uint32_t fraction = magnitude & ((1u << fractionBits) - 1);
    if (exponent == 0)
        return sign * std::ldexp(double(fraction), f.minExponent - fractionBits);
    return sign * std::ldexp(double(fraction | 1u << fractionBits),
                             f.minExponent - fractionBits + int(exponent) - 1);
}

const std::array<double, 256>& fp8Table(DType type)
{
    static const auto make = [](const Narrow& f) {
        std::array<double, 256> table{};
        for (std::uint32_t code = 0; code < 256; ++code)
            table[code] = decodeNarrow(code, f);
        return table;
    };
    static const std::array<double, 256> table4 = make(e4m3);
    static const std::array<double, 256> table5 = make(e5m2);
    return type == DType::Fp8E4M3 ? table4 : table5;
}

double decodeHalf(std::uint16_t code)
{
    // The shifted bits are a float whose exponent is 112 too small; the product is exact, and makes
    // the subnormals right as well.
    auto bits =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>((code & 0x7fffu) << 13) * 0x1p112f);
    if ((code & 0x7c00u) == 0x7c00u)
        bits = 0x7f800000u | (code & 0x3ffu) << 13;
    return double(std::bit_cast<float>(bits | (code & 0x8000u) << 16));
}

template <class T, class Fn>
void decodeAll(const void* bytes, qint64 count, double* out, Fn convert)
{
    const auto* p = static_cast<const unsigned char*>(bytes);
    for (qint64 i = 0; i < count; ++i) {
        T element;
        std::memcpy(&element, p + i * qint64(sizeof(T)), sizeof(T));
        out[i] = convert(element);
    }
}

template <class T, class Fn>
void encodeAll(const double* values, qint64 count, void* bytes, Fn convert)
{
    auto* p = static_cast<unsigned char*>(bytes);
    for (qint64 i = 0; i < count; ++i) {
        const T element = convert(values[i]);
        std::memcpy(p + i * qint64(sizeof(T)), &element, sizeof(T));
    }
}

template <class T>
void decodePlain(const void* bytes, qint64 count, double* out)
{
    decodeAll<T>(bytes, count, out, [](T v) { return double(v); });
}

template <class T>
T saturate(double value)
{
    if (std::isnan(value))
        return 0;
    const double rounded = std::nearbyint(value);
    // The upper limit of a 64-bit type is not a double; 2^63 and 2^64 are, hence >=.
    if (rounded <= double(std::numeric_limits<T>::min()))
        return std::numeric_limits<T>::min();
    if (rounded >= double(std::numeric_limits<T>::max()))
        return std::numeric_limits<T>::max();
    return T(rounded);
}

template <class T>
void encodeInteger(const double* values, qint64 count, void* bytes)
{
    encodeAll<T>(values, count, bytes, saturate<T>);
}

float toFloat(double value, Overflow overflow)
{
    const auto narrow = float(value); // correctly rounded: one IEEE conversion
    if (overflow == Overflow::Saturate && std::isinf(narrow))
        return std::copysign(std::numeric_limits<float>::max(), narrow);
    return narrow;
}

// Magnitude on a line where neighbours differ by one; the sign is folded in by the caller.
std::int64_t ordinal(double value, DType type)
{
    unsigned char bytes[8] = {};
    encodeElement(value, type, bytes);
    std::uint64_t code = 0;
    std::memcpy(&code, bytes, sizeof code);
    const int signBit = dtypeSize(type) * 8 - 1;
    const auto magnitude = std::int64_t(code & ((1ull << signBit) - 1));
    return code >> signBit & 1 ? -magnitude : magnitude;
}

constexpr std::uint64_t poison64 = 0x7ff8deaddeaddeadull;
constexpr std::uint32_t poison32 = 0x7fc0deadu;
constexpr std::uint16_t poisonHalf = 0x7eadu;
constexpr std::uint16_t poisonBf16 = 0x7fadu;
constexpr std::uint8_t poisonE4M3 = 0xffu; // the only NaN besides the 0x7f that hardware makes
constexpr std::uint8_t poisonE5M2 = 0xfdu;

int poisonOf(DType type, unsigned char* out)
{
    const auto put = [out](auto v) {
        std::memcpy(out, &v, sizeof v);
        return int(sizeof v);
    };
    switch (type) {
    case DType::Fp64:
        return put(poison64);
    case DType::Fp32:
        return put(poison32);
    case DType::Fp16:
        return put(poisonHalf);
    case DType::Bf16:
        return put(poisonBf16);
    case DType::Fp8E4M3:
        return put(poisonE4M3);
    case DType::Fp8E5M2:
        return put(poisonE5M2);
    default:
        break;
    }
    const int size = dtypeSize(type);
    std::fill_n(out, size, static_cast<unsigned char>(0xa5));
    return size;
}

} // namespace

void decodeElements(const void* bytes, DType type, qint64 count, double* out)
{
    switch (type) {
    case DType::Fp64:
        return decodePlain<double>(bytes, count, out);
    case DType::Fp32:
        return decodePlain<float>(bytes, count, out);
    case DType::Fp16:
        return decodeAll<std::uint16_t>(bytes, count, out, decodeHalf);
    case DType::Bf16:
        return decodeAll<std::uint16_t>(bytes, count, out, [](std::uint16_t v) {
            return double(std::bit_cast<float>(std::uint32_t(v) << 16));
        });
    case DType::Fp8E4M3:
    case DType::Fp8E5M2: {
        const std::array<double, 256>& table = fp8Table(type);
        return decodeAll<std::uint8_t>(bytes, count, out,
                                       [&table](std::uint8_t v) { return table[v]; });
    }
    case DType::Int64:
        return decodePlain<std::int64_t>(bytes, count, out);
    case DType::Int32:
        return decodePlain<std::int32_t>(bytes, count, out);
    case DType::Int16:
        return decodePlain<std::int16_t>(bytes, count, out);
    case DType::Int8:
        return decodePlain<std::int8_t>(bytes, count, out);
    case DType::UInt8:
        return decodePlain<std::uint8_t>(bytes, count, out);
    case DType::UInt16:
        return decodePlain<std::uint16_t>(bytes, count, out);
    case DType::UInt32:
        return decodePlain<std::uint32_t>(bytes, count, out);
    case DType::UInt64:
        return decodePlain<std::uint64_t>(bytes, count, out);
    case DType::Bool:
        return decodeAll<std::uint8_t>(bytes, count, out,
                                       [](std::uint8_t v) { return v ? 1.0 : 0.0; });
    }
}

void encodeElements(const double* values, DType type, qint64 count, void* bytes, Overflow overflow)
{
    const auto narrow16 = [&](const Narrow& f) {
        encodeAll<std::uint16_t>(values, count, bytes, [&](double v) {
            return std::uint16_t(encodeNarrow(v, f, overflow));
        });
    };
    const auto narrow8 = [&](const Narrow& f) {
        encodeAll<std::uint8_t>(values, count, bytes, [&](double v) {
            return std::uint8_t(encodeNarrow(v, f, overflow));
        });
    };
    switch (type) {
    case DType::Fp64:
        if (count > 0)
            std::memcpy(bytes, values, std::size_t(count) * sizeof(double));
        return;
    case DType::Fp32:
        return encodeAll<float>(values, count, bytes,
                                [overflow](double v) { return toFloat(v, overflow); });
    case DType::Fp16:
        return narrow16(fp16);
    case DType::Bf16:
        return narrow16(bf16);
    case DType::Fp8E4M3:
        return narrow8(e4m3);
    case DType::Fp8E5M2:
        return narrow8(e5m2);
    case DType::Int64:
        return encodeInteger<std::int64_t>(values, count, bytes);
    case DType::Int32:
        return encodeInteger<std::int32_t>(values, count, bytes);
    case DType::Int16:
        return encodeInteger<std::int16_t>(values, count, bytes);
    case DType::Int8:
        return encodeInteger<std::int8_t>(values, count, bytes);
    case DType::UInt8:
        return encodeInteger<std::uint8_t>(values, count, bytes);
    case DType::UInt16:
        return encodeInteger<std::uint16_t>(values, count, bytes);
    case DType::UInt32:
        return encodeInteger<std::uint32_t>(values, count, bytes);
    case DType::UInt64:
        return encodeInteger<std::uint64_t>(values, count, bytes);
    case DType::Bool:
        return encodeAll<std::uint8_t>(values, count, bytes,
                                       [](double v) { return std::uint8_t(v != 0.0); });
    }
}

double decodeElement(const void* bytes, DType type)
{
    double value = 0;
    decodeElements(bytes, type, 1, &value);
    return value;
}

void encodeElement(double value, DType type, void* bytes, Overflow overflow)
{
    encodeElements(&value, type, 1, bytes, overflow);
}

double roundToType(double value, DType type)
{
    unsigned char bytes[8];
    encodeElement(value, type, bytes);
    return decodeElement(bytes, type);
}

double ulpOf(double r, DType type)
{
    if (!isFloat(type))
        return 1;
    if (!std::isfinite(r))
        return std::numeric_limits<double>::quiet_NaN();
    const FloatFormat format = floatFormat(type);
    const int exponent = r == 0 ? format.minExponent : std::max(std::ilogb(r), format.minExponent);
    return std::ldexp(1.0, exponent - format.precision + 1);
}

std::uint64_t ulpDistance(double a, double b, DType type)
{
    if (std::isnan(a) || std::isnan(b))
        return std::numeric_limits<std::uint64_t>::max();
    if (!isFloat(type)) {
        const double distance = std::fabs(roundToType(a, type) - roundToType(b, type));
        return saturate<std::uint64_t>(distance);
    }
    const std::int64_t x = ordinal(a, type), y = ordinal(b, type);
    return x > y ? std::uint64_t(x) - std::uint64_t(y) : std::uint64_t(y) - std::uint64_t(x);
}

void fillPoison(void* bytes, DType type, qint64 count)
{
    unsigned char pattern[8];
    const auto size = std::size_t(poisonOf(type, pattern));
    auto* p = static_cast<unsigned char*>(bytes);
    for (qint64 i = 0; i < count; ++i)
        std::memcpy(p + std::size_t(i) * size, pattern, size);
}

bool isPoison(const void* bytes, DType type)
{
    unsigned char pattern[8];
    const auto size = std::size_t(poisonOf(type, pattern));
    return std::memcmp(bytes, pattern, size) == 0;
}

} // namespace ridgeline
