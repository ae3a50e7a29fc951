// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/roofline/host_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ridgeline::host {

namespace {

// Sixteen chains: more than latency × units (4 × 2) on every processor of the last ten years.
constexpr int chains = 16;

template <class T>
double scalarChains(std::uint64_t rounds, double& sink)
{
    constexpr int width = 4;
    T acc[chains * width];
    for (int i = 0; i < chains * width; ++i)
        acc[i] = T(i) * T(0.001);
    const T factor = T(0.999999), term = T(1e-6);
    for (std::uint64_t r = 0; r < rounds; ++r) {
        for (int i = 0; i < chains * width; ++i)
            acc[i] = acc[i] * factor + term;
    }
    for (const T a : acc)
        sink += double(a);
    return double(rounds) * chains * width * 2;
}

#if defined(__x86_64__)

#if defined(__clang__)
#define RIDGELINE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RIDGELINE_UNROLL _Pragma("GCC unroll 16")
#endif

// The chains are spelt out by the unroll: as an array they stay in registers only when every index
// is a constant.
#define RIDGELINE_FMA(NAME, TARGET, VECTOR, ZERO, SET1, FMADD, STORE, SCALAR, WIDTH)               \
    __attribute__((target(TARGET))) double NAME(std::uint64_t rounds, double& sink)                \
    {                                                                                              \
        VECTOR acc[chains];                                                                        \
        for (int i = 0; i < chains; ++i)                                                           \
            acc[i] = SET1(SCALAR(i) * SCALAR(0.001));                                              \
        const VECTOR factor = SET1(SCALAR(0.999999)), term = SET1(SCALAR(1e-6));                   \
        for (std::uint64_t r = 0; r < rounds; ++r) {                                               \
            RIDGELINE_UNROLL for (int i = 0; i < chains; ++i) acc[i] =                             \
                FMADD(acc[i], factor, term);                                                       \
        }                                                                                          \
        SCALAR lanes[WIDTH];                                                                       \
        for (int i = 0; i < chains; ++i) {                                                         \
            STORE(lanes, acc[i]);                                                                  \
            for (const SCALAR lane : lanes)                                                        \
                sink += double(lane);                                                              \
        }                                                                                          \
        return double(rounds) * chains * WIDTH * 2;                                                \
    }

RIDGELINE_FMA(fma32Avx2, "avx2,fma", __m256, _mm256_setzero_ps, _mm256_set1_ps, _mm256_fmadd_ps,
              _mm256_storeu_ps, float, 8)
RIDGELINE_FMA(fma64Avx2, "avx2,fma", __m256d, _mm256_setzero_pd, _mm256_set1_pd, _mm256_fmadd_pd,
              _mm256_storeu_pd, double, 4)
RIDGELINE_FMA(fma32Avx512, "avx512f", __m512, _mm512_setzero_ps, _mm512_set1_ps, _mm512_fmadd_ps,
              _mm512_storeu_ps, float, 16)
RIDGELINE_FMA(fma64Avx512, "avx512f", __m512d, _mm512_setzero_pd, _mm512_set1_pd, _mm512_fmadd_pd,
              _mm512_storeu_pd, double, 8)

#undef RIDGELINE_FMA
#undef RIDGELINE_UNROLL

__attribute__((target("avx2,fma"))) void triadAvx2(double* a, const double* b, const double* c,
                                                   double s, std::size_t count)
{
    const __m256d scale = _mm256_set1_pd(s);
    for (std::size_t i = 0; i < count; i += 4)
        _mm256_stream_pd(a + i,
                         _mm256_fmadd_pd(scale, _mm256_load_pd(c + i), _mm256_load_pd(b + i)));
    _mm_sfence();
}

__attribute__((target("avx512f"))) void triadAvx512(double* a, const double* b, const double* c,
                                                    double s, std::size_t count)
{
    const __m512d scale = _mm512_set1_pd(s);
    for (std::size_t i = 0; i < count; i += 8)
        _mm512_stream_pd(a + i,
                         _mm512_fmadd_pd(scale, _mm512_load_pd(c + i), _mm512_load_pd(b + i)));
    _mm_sfence();
}

#endif

} // namespace

Isa detectIsa()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return Isa::Avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return Isa::Avx2;
#endif
    return Isa::Scalar;
}

double fmaFp32(Isa isa, std::uint64_t rounds, double& sink)
{
#if defined(__x86_64__)
    if (isa == Isa::Avx512)
        return fma32Avx512(rounds, sink);
    if (isa == Isa::Avx2)
        return fma32Avx2(rounds, sink);
#endif
    (void)isa;
    return scalarChains<float>(rounds, sink);
}

double fmaFp64(Isa isa, std::uint64_t rounds, double& sink)
{
#if defined(__x86_64__)
    if (isa == Isa::Avx512)
        return fma64Avx512(rounds, sink);
    if (isa == Isa::Avx2)
        return fma64Avx2(rounds, sink);
#endif
    (void)isa;
    return scalarChains<double>(rounds, sink);
}

void triad(Isa isa, double* a, const double* b, const double* c, double s, std::size_t count)
{
#if defined(__x86_64__)
    if (isa == Isa::Avx512)
        return triadAvx512(a, b, c, s, count);
    if (isa == Isa::Avx2)
        return triadAvx2(a, b, c, s, count);
#endif
    (void)isa;
    for (std::size_t i = 0; i < count; ++i)
        a[i] = b[i] + s * c[i];
}

} // namespace ridgeline::host
