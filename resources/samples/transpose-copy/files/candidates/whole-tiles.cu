// SPDX-License-Identifier: GPL-3.0-or-later
// 32 x 32 tiles without bounds checks in the inner loop.
#include <cuda_runtime.h>

namespace {

constexpr int edge = 32;
constexpr int warps = 8;
constexpr int rowsPerWarp = edge / warps;

__global__ void transposeAmax(const float* __restrict__ in, float* __restrict__ out,
                              float* __restrict__ amax, int rows, int cols, int ld)
{
    __shared__ float tile[edge][edge + 1];
    const int lane = threadIdx.x;
    const int firstRow = blockIdx.x * edge;
    const int own = threadIdx.y * rowsPerWarp;

    float largest[rowsPerWarp] = {};
    for (int firstCol = 0; firstCol + edge <= cols; firstCol += edge) {
#pragma unroll
        for (int r = 0; r < rowsPerWarp; ++r) {
            const float value = in[size_t(firstRow + own + r) * ld + firstCol + lane];
            tile[own + r][lane] = value;
            largest[r] = fmaxf(largest[r], fabsf(value));
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < rowsPerWarp; ++r)
            out[size_t(firstCol + own + r) * rows + firstRow + lane] = tile[lane][own + r];
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < rowsPerWarp; ++r) {
        float top = largest[r];
        for (int offset = edge / 2; offset > 0; offset /= 2)
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
        if (lane == 0)
            amax[firstRow + own + r] = top;
    }
}

} // namespace

extern "C" void solve(const float* in, float* out, float* amax, int rows, int cols, int ld)
{
    const dim3 block(edge, warps);
    if (rows >= edge)
        transposeAmax<<<rows / edge, block>>>(in, out, amax, rows, cols, ld);
}
