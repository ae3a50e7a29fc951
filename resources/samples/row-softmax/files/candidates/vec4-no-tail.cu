// SPDX-License-Identifier: GPL-3.0-or-later
// Four elements at a time; one warp per row.
#include <cuda_runtime.h>
#include <math_constants.h>

namespace {

__device__ float warpMax(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
    return v;
}

__device__ float warpSum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
}

__global__ void softmaxVec4(const float* __restrict__ x, float* __restrict__ y, int cols)
{
    const float* in = x + size_t(blockIdx.x) * cols;
    float* out = y + size_t(blockIdx.x) * cols;
    const int groups = cols / 4;

    float largest = -CUDART_INF_F;
    for (int g = threadIdx.x; g < groups; g += 32) {
        for (int e = 0; e < 4; ++e)
            largest = fmaxf(largest, in[4 * g + e]);
    }
    largest = warpMax(largest);

    float sum = 0.0f;
    for (int g = threadIdx.x; g < groups; g += 32) {
        for (int e = 0; e < 4; ++e)
            sum += expf(in[4 * g + e] - largest);
    }
    sum = warpSum(sum);

    for (int g = threadIdx.x; g < groups; g += 32) {
        for (int e = 0; e < 4; ++e)
            out[4 * g + e] = expf(in[4 * g + e] - largest) / sum;
    }
}

} // namespace

extern "C" void solve(const float* x, float* y, int rows, int cols)
{
    softmaxVec4<<<rows, 32>>>(x, y, cols);
}
