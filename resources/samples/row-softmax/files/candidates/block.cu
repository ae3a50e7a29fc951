// SPDX-License-Identifier: GPL-3.0-or-later
// One block per row: maximum and sum are reduced by warp shuffles, then across warps.
#include <cuda_runtime.h>
#include <math_constants.h>

namespace {

constexpr int threads = 128;
constexpr int warps = threads / 32;

struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

template <class Op>
__device__ float blockReduce(float value, float neutral, Op op)
{
    __shared__ float partial[warps];
    for (int offset = 16; offset > 0; offset /= 2)
        value = op(value, __shfl_xor_sync(0xffffffffu, value, offset));
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    __syncthreads(); // partial may still be read by the reduction before this one
    if (lane == 0)
        partial[warp] = value;
    __syncthreads();
    value = neutral;
    for (int w = 0; w < warps; ++w)
        value = op(value, partial[w]);
    return value;
}

__global__ void softmaxRows(const float* __restrict__ x, float* __restrict__ y, int cols)
{
    const float* in = x + size_t(blockIdx.x) * cols;
    float* out = y + size_t(blockIdx.x) * cols;

    float largest = -CUDART_INF_F;
    for (int j = threadIdx.x; j < cols; j += threads)
        largest = fmaxf(largest, in[j]);
    largest = blockReduce(largest, -CUDART_INF_F, Max());

    float sum = 0.0f;
    for (int j = threadIdx.x; j < cols; j += threads)
        sum += expf(in[j] - largest);
    sum = blockReduce(sum, 0.0f, Sum());

    const float scale = 1.0f / sum;
    for (int j = threadIdx.x; j < cols; j += threads)
        out[j] = expf(in[j] - largest) * scale;
}

} // namespace

extern "C" void solve(const float* x, float* y, int rows, int cols)
{
    softmaxRows<<<rows, threads>>>(x, y, cols);
}
