// SPDX-License-Identifier: GPL-3.0-or-later
// One warp per row, one pass: mean and squared deviations are updated together and merged
// pairwise (Welford 1962; Chan, Golub and LeVeque 1983).
#include <cuda_runtime.h>

namespace {

constexpr int warpsPerBlock = 4;

__global__ void layernormWelford(const float* __restrict__ x, const float* __restrict__ weight,
                                 const float* __restrict__ bias, float* __restrict__ y, int rows,
                                 int cols, float eps)
{
    const int row = blockIdx.x * warpsPerBlock + threadIdx.y;
    if (row >= rows)
        return; // the whole warp leaves together: one row per warp
    const float* in = x + size_t(row) * cols;
    float* out = y + size_t(row) * cols;

    float count = 0.0f;
    float mean = 0.0f;
    float deviation = 0.0f; // sum of squared differences from the mean
    for (int j = threadIdx.x; j < cols; j += 32) {
        const float value = in[j];
        count += 1.0f;
        const float before = value - mean;
        mean += before / count;
        deviation += before * (value - mean);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        const float otherCount = __shfl_xor_sync(0xffffffffu, count, offset);
        const float otherMean = __shfl_xor_sync(0xffffffffu, mean, offset);
        const float otherDeviation = __shfl_xor_sync(0xffffffffu, deviation, offset);
        const float both = count + otherCount;
        if (both > 0.0f) {
            const float apart = otherMean - mean;
            // Both lanes of a pair must get the same mean: weights, not mean + apart * share.
            mean = (count * mean + otherCount * otherMean) / both;
            deviation += otherDeviation + apart * apart * (count * otherCount / both);
        }
        count = both;
    }
    const float scale = 1.0f / sqrtf(deviation / cols + eps);
    for (int j = threadIdx.x; j < cols; j += 32)
        out[j] = (in[j] - mean) * scale * weight[j] + bias[j];
}

} // namespace

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int rows,
                      int cols, float eps)
{
    const dim3 block(32, warpsPerBlock);
    layernormWelford<<<(rows + warpsPerBlock - 1) / warpsPerBlock, block>>>(x, weight, bias, y,
                                                                            rows, cols, eps);
}
