// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/generate.h"

#include "core/numerics/convert.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>

namespace ridgeline {

namespace {

constexpr qint64 chunkElements = 4096;
constexpr qint64 maxElements = qint64(1) << 32;

// 64-bit FNV-1a of the name, finished with SplitMix64's mixer because FNV's high bits are weak.
std::array<quint32, 2> keyOf(const QString& name)
{
    quint64 h = 0xcbf29ce484222325ull;
    const QByteArray utf8 = name.toUtf8();
    for (const char c : utf8)
        h = (h ^ quint8(c)) * 0x100000001b3ull;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 27) * 0x94d049bb133111ebull;
    h ^= h >> 31;
    return {quint32(h), quint32(h >> 32)};
}

struct Stream {
    std::array<quint32, 2> key;
    quint64 seed;

    // Two 64-bit numbers for the pair of elements 2·index and 2·index + 1.
    std::array<quint64, 2> pair(quint64 index) const
    {
        const auto r = philox4x32(
            {quint32(index), quint32(index >> 32), quint32(seed), quint32(seed >> 32)}, key);
        return {quint64(r[1]) << 32 | r[0], quint64(r[3]) << 32 | r[2]};
    }
};

// [0, 1) in steps of 2^-53.
double unit(quint64 r)
{
    return double(r >> 11) * 0x1p-53;
}

// 1/23, 1/21 … 1/1: the series of atanh.
constexpr auto oddReciprocals = [] {
    std::array<double, 12> r{};
    for (int i = 0; i < 12; ++i)
        r[std::size_t(i)] = 1.0 / (23 - 2 * i);
    return r;
}();

// −1/(n(n−1)) for n = last, last − 2 …: quotients of neighbouring Taylor terms.
template <int last, int terms>
constexpr std::array<double, terms> taylorFactors()
{
    std::array<double, terms> r{};
    for (int i = 0; i < terms; ++i) {
        const int n = last - 2 * i;
        r[std::size_t(i)] = -1.0 / (n * (n - 1));
    }
    return r;
}
constexpr auto sineFactors = taylorFactors<17, 8>();
constexpr auto cosineFactors = taylorFactors<18, 9>();

// Natural logarithm for x in (0, 1]: x = 2^k·m with m in [√½, √2), log m = 2·atanh((m−1)/(m+1)).
// |s| ≤ 0.1716, so the first term left out, s^25/25, is below 2^-65 of the sum.
double logarithm(double x)
{
    const auto bits = std::bit_cast<quint64>(x);
    int k = int(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++k;
    }
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    double sum = 0;
    for (const double reciprocal : oddReciprocals)
        sum = sum * z + reciprocal;
    return double(k) * 0.6931471805599453 + 2.0 * s * sum;
}

// sin and cos of 2πu for u in [0, 1), from the nearest eighth so that |angle| ≤ π/4.
void sinCosTurn(double u, double& sine, double& cosine)
{
    const double quarters = u * 4.0;
    const int quadrant = int(quarters + 0.5);
    const double angle = (quarters - quadrant) * 1.5707963267948966;
    const double z = angle * angle;
    double s = 0, c = 0;
    // Taylor, Horner from the outside: the terms left out are below 2^-60 at π/4.
    for (const double factor : sineFactors)
        s = (s + 1.0) * (z * factor);
    for (const double factor : cosineFactors)
        c = (c + 1.0) * (z * factor);
    s = (s + 1.0) * angle;
    c += 1.0;
    switch (quadrant & 3) {
    case 0:
        sine = s;
        cosine = c;
        break;
    case 1:
        sine = c;
        cosine = -s;
        break;
    case 2:
        sine = -s;
        cosine = -c;
        break;
    default:
        sine = -c;
        cosine = s;
        break;
    }
}

enum class Kind { Normal, Uniform, RandInt, Full, Arange };

std::optional<Kind> kindOf(const QString& gen)
{
    if (gen == QLatin1String("normal"))
        return Kind::Normal;
    if (gen == QLatin1String("uniform"))
        return Kind::Uniform;
    if (gen == QLatin1String("randint"))
        return Kind::RandInt;
    if (gen == QLatin1String("full"))
        return Kind::Full;
    if (gen == QLatin1String("arange"))
        return Kind::Arange;
    return std::nullopt;
}

__extension__ typedef unsigned __int128 Wide;

// randint: low + ⌊r·n / 2^64⌋; the bias of at most n/2^64 cannot be seen.
double integerIn(const InputGen& gen, quint64 r)
{
    const auto n = quint64(gen.high - gen.low) + 1;
    const auto offset = quint64((static_cast<Wide>(r) * n) >> 64);
    return gen.low + double(offset);
}

void fillPairs(const InputGen& gen, Kind kind, const Stream& stream, qint64 first, qint64 count,
               double* out)
{
    for (qint64 i = first & ~qint64(1); i < first + count; i += 2) {
        const auto r = stream.pair(quint64(i) / 2);
        double a = 0, b = 0;
        if (kind == Kind::Normal) {
            // 1 − u is in (0, 1], so the logarithm is finite.
            const double radius = std::sqrt(-2.0 * logarithm(1.0 - unit(r[0])));
            sinCosTurn(unit(r[1]), b, a);
            a = gen.mean + gen.std * (radius * a);
            b = gen.mean + gen.std * (radius * b);
        } else if (kind == Kind::Uniform) {
            a = gen.low + (gen.high - gen.low) * unit(r[0]);
            b = gen.low + (gen.high - gen.low) * unit(r[1]);
        } else {
            a = integerIn(gen, r[0]);
            b = integerIn(gen, r[1]);
        }
        if (i >= first)
            out[i - first] = a;
        if (i + 1 >= first && i + 1 < first + count)
            out[i + 1 - first] = b;
    }
}

// Integers wrap like the C conversion, so that a long arange in int8 still tells neighbours apart.
double arangeValue(qint64 i, DType type)
{
    if (type == DType::Bool)
        return double(i & 1);
    const int bits = dtypeSize(type) * 8;
    if (isFloat(type) || bits == 64)
        return double(i);
    const quint64 low = quint64(i) & ((quint64(1) << bits) - 1);
    const bool isSigned = type == DType::Int32 || type == DType::Int16 || type == DType::Int8;
    if (isSigned && low >> (bits - 1))
        return double(qint64(low) - (qint64(1) << bits));
    return double(low);
}

Error badInput(const QString& message)
{
    return {ErrorCode::BadSchema,
            message,
            {},
            QStringLiteral("known generators: normal(mean, std), uniform(low, high), randint(low, "
                           "high), full(value), arange")};
}

} // namespace

std::array<quint32, 4> philox4x32(std::array<quint32, 4> c, std::array<quint32, 2> key)
{
    for (int round = 0; round < 10; ++round) {
        const quint64 p0 = quint64(0xd2511f53u) * c[0];
        const quint64 p1 = quint64(0xcd9e8d57u) * c[2];
        c = {quint32(p1 >> 32) ^ c[1] ^ key[0], quint32(p1), quint32(p0 >> 32) ^ c[3] ^ key[1],
             quint32(p0)};
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return c;
}

InputGen defaultInput(DType type)
{
    InputGen gen;
    if (!isFloat(type)) {
        gen.gen = QStringLiteral("randint");
        gen.low = 0;
        gen.high = type == DType::Bool ? 1 : 127;
    }
    return gen;
}

Result<void> checkInput(const InputGen& gen, DType type)
{
    const std::optional<Kind> kind = kindOf(gen.gen);
    if (!kind)
        return badInput(QStringLiteral("unknown input generator \"%1\"").arg(gen.gen));
    for (const double v : {gen.low, gen.high, gen.mean, gen.std}) {
        if (!std::isfinite(v))
            return badInput(
                QStringLiteral("%1: low, high, mean and std must be finite").arg(gen.gen));
    }
    if (*kind == Kind::Normal && gen.std < 0)
        return badInput(QStringLiteral("normal: std %1 is negative").arg(gen.std));
    if ((*kind == Kind::Uniform || *kind == Kind::RandInt) && gen.low > gen.high)
        return badInput(
            QStringLiteral("%1: low %2 is over high %3").arg(gen.gen).arg(gen.low).arg(gen.high));
    if (*kind == Kind::Uniform && !std::isfinite(gen.high - gen.low))
        return badInput(QStringLiteral("uniform: the range from low to high overflows"));
    if (*kind == Kind::RandInt) {
        if (gen.low != std::floor(gen.low) || gen.high != std::floor(gen.high))
            return badInput(QStringLiteral("randint: low %1 and high %2 must be integers")
                                .arg(gen.low)
                                .arg(gen.high));
        if (std::fabs(gen.low) > 0x1p53 || std::fabs(gen.high) > 0x1p53)
            return badInput(QStringLiteral("randint: limits over 2^53 are not supported"));
        if (!isFloat(type) &&
            (roundToType(gen.low, type) != gen.low || roundToType(gen.high, type) != gen.high))
            return badInput(QStringLiteral("randint: [%1, %2] does not fit %3")
                                .arg(gen.low)
                                .arg(gen.high)
                                .arg(dtypeName(type)));
    }
    return {};
}

void generateRange(const InputGen& gen, DType type, quint64 seed, const QString& name, qint64 first,
                   qint64 count, void* bytes, double* values)
{
    const Kind kind = kindOf(gen.gen).value_or(Kind::Normal);
    const Stream stream{keyOf(name), seed};
    std::array<double, chunkElements> exact;
    std::array<unsigned char, chunkElements * 8> encoded;
    const int size = dtypeSize(type);
    for (qint64 done = 0; done < count; done += chunkElements) {
        const qint64 n = std::min(chunkElements, count - done);
        if (kind == Kind::Full) {
            std::fill_n(exact.begin(), n, gen.value);
        } else if (kind == Kind::Arange) {
            for (qint64 i = 0; i < n; ++i)
                exact[std::size_t(i)] = arangeValue(first + done + i, type);
        } else {
            fillPairs(gen, kind, stream, first + done, n, exact.data());
        }
        auto* target = bytes ? static_cast<unsigned char*>(bytes) + done * size : encoded.data();
        encodeElements(exact.data(), type, n, target);
        if (values)
            decodeElements(target, type, n, values + done);
    }
}

Result<GeneratedTensor> generateInput(const InputGen& gen, DType type, qint64 count, quint64 seed,
                                      const QString& name, const CancelToken& cancel)
{
    if (count < 0 || count > maxElements)
        return Error{ErrorCode::TooLarge,
                     QStringLiteral("input \"%1\" would have %2 elements; the limit is 2^32")
                         .arg(name)
                         .arg(count),
                     {},
                     QStringLiteral("use a smaller case")};
    if (Result<void> checked = checkInput(gen, type); !checked) {
        Error error = checked.error();
        error.message = QStringLiteral("input \"%1\": %2").arg(name, error.message);
        return error;
    }
    GeneratedTensor tensor;
    try {
        tensor.bytes.resize(qsizetype(count) * dtypeSize(type));
        tensor.values.resize(qsizetype(count));
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::TooLarge,
                     QStringLiteral("input \"%1\" of %2 elements does not fit in memory")
                         .arg(name)
                         .arg(count),
                     {},
                     QStringLiteral("use a smaller case")};
    }
    const qint64 step = 1 << 20;
    for (qint64 first = 0; first < count; first += step) {
        if (cancel.isCancelled())
            return Error{
                ErrorCode::Cancelled, QStringLiteral("making inputs was cancelled"), {}, {}};
        generateRange(gen, type, seed, name, first, std::min(step, count - first),
                      tensor.bytes.data() + first * dtypeSize(type), tensor.values.data() + first);
    }
    return tensor;
}

} // namespace ridgeline
