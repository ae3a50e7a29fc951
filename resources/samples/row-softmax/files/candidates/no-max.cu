// SPDX-License-Identifier: GPL-3.0-or-later
// One block per row; exponentials are summed as they come.
#include <cuda_runtime.h>

namespace {

constexpr int threads = 128;

__global__ void softmaxDirect(const float* __restrict__ x, float* __restrict__ y, int cols)
{
    __shared__ float partial[threads];
    const float* in = x + size_t(blockIdx.x) * cols;
    float* out = y + size_t(blockIdx.x) * cols;

    float sum = 0.0f;
    for (int j = threadIdx.x; j < cols; j += threads)
        sum += expf(in[j]);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    const float scale = 1.0f / partial[0];
    for (int j = threadIdx.x; j < cols; j += threads)
        out[j] = expf(in[j]) * scale;
}

} // namespace

extern "C" void solve(const float* x, float* y, int rows, int cols)
{
    softmaxDirect<<<rows, threads>>>(x, y, cols);
}
