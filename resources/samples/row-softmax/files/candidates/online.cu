// SPDX-License-Identifier: GPL-3.0-or-later
// One warp per row and one pass for maximum and sum together: the running sum is rescaled
// whenever the running maximum grows (Milakov and Gimelshein, 2018).
#include <cuda_runtime.h>
#include <math_constants.h>

namespace {

constexpr int warpsPerBlock = 4;

__device__ void merge(float& largest, float& sum, float otherLargest, float otherSum)
{
    const float both = fmaxf(largest, otherLargest);
    // A lane that saw no element has largest = -inf and sum = 0; -inf - -inf would be NaN.
    const float own = largest == -CUDART_INF_F ? 0.0f : sum * expf(largest - both);
    const float other = otherLargest == -CUDART_INF_F ? 0.0f : otherSum * expf(otherLargest - both);
    largest = both;
    sum = own + other;
}

__global__ void softmaxOnline(const float* __restrict__ x, float* __restrict__ y, int rows,
                              int cols)
{
    const int lane = threadIdx.x;
    const int row = blockIdx.x * warpsPerBlock + threadIdx.y;
    if (row >= rows)
        return; // the whole warp leaves together: one row per warp
    const float* in = x + size_t(row) * cols;
    float* out = y + size_t(row) * cols;

    float largest = -CUDART_INF_F;
    float sum = 0.0f;
    for (int j = lane; j < cols; j += 32) {
        const float value = in[j];
        if (value > largest) {
            sum = sum * expf(largest - value) + 1.0f;
            largest = value;
        } else {
            sum += expf(value - largest);
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        const float otherLargest = __shfl_xor_sync(0xffffffffu, largest, offset);
        const float otherSum = __shfl_xor_sync(0xffffffffu, sum, offset);
        merge(largest, sum, otherLargest, otherSum);
    }
    for (int j = lane; j < cols; j += 32)
        out[j] = expf(in[j] - largest) / sum;
}

} // namespace

extern "C" void solve(const float* x, float* y, int rows, int cols)
{
    const dim3 block(32, warpsPerBlock);
    softmaxOnline<<<(rows + warpsPerBlock - 1) / warpsPerBlock, block>>>(x, y, rows, cols);
}
