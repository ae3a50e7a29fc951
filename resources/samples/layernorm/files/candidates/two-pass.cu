// SPDX-License-Identifier: GPL-3.0-or-later
// One block per row, two passes as in the source.
#include <cuda_runtime.h>

namespace {

constexpr int threads = 128;
constexpr int warps = threads / 32;

__device__ float blockSum(float value)
{
    __shared__ float partial[warps];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    __syncthreads(); // partial may still be read by the sum before this one
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0.0f;
    for (int w = 0; w < warps; ++w)
        sum += partial[w];
    return sum;
}

__global__ void layernorm(const float* __restrict__ x, const float* __restrict__ weight,
                          const float* __restrict__ bias, float* __restrict__ y, int cols,
                          float eps)
{
    const float* in = x + size_t(blockIdx.x) * cols;
    float* out = y + size_t(blockIdx.x) * cols;

    float total = 0.0f;
    for (int j = threadIdx.x; j < cols; j += threads)
        total += in[j];
    const float mean = blockSum(total) / cols;

    float squares = 0.0f;
    for (int j = threadIdx.x; j < cols; j += threads) {
        const float centred = in[j] - mean;
        squares += centred * centred;
    }
    const float scale = 1.0f / sqrtf(blockSum(squares) / cols + eps);

    for (int j = threadIdx.x; j < cols; j += threads)
        out[j] = (in[j] - mean) * scale * weight[j] + bias[j];
}

} // namespace

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int rows,
                      int cols, float eps)
{
    layernorm<<<rows, threads>>>(x, weight, bias, y, cols, eps);
}
