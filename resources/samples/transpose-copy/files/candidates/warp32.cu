// SPDX-License-Identifier: GPL-3.0-or-later
// The tile follows the warp: 32 x 32, one warp per source row.
#include <cuda_runtime.h>

namespace {

constexpr int edge = 32;
constexpr int warps = 8;
constexpr int rowsPerWarp = edge / warps;

__device__ float warpMax(float v)
{
    for (int offset = edge / 2; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
    return v;
}

__global__ void transposeAmax(const float* __restrict__ in, float* __restrict__ out,
                              float* __restrict__ amax, int rows, int cols, int ld)
{
    __shared__ float tile[edge][edge + 1]; // the pad keeps the column read off one bank
    const int lane = threadIdx.x;
    const int firstRow = blockIdx.x * edge;
    const int own = threadIdx.y * rowsPerWarp;

    float largest[rowsPerWarp] = {};
    for (int firstCol = 0; firstCol < cols; firstCol += edge) {
#pragma unroll
        for (int r = 0; r < rowsPerWarp; ++r) {
            const int row = firstRow + own + r;
            const int col = firstCol + lane;
            const float value = row < rows && col < cols ? in[size_t(row) * ld + col] : 0.0f;
            tile[own + r][lane] = value;
            largest[r] = fmaxf(largest[r], fabsf(value));
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < rowsPerWarp; ++r) {
            const int col = firstCol + own + r;
            const int row = firstRow + lane;
            if (row < rows && col < cols)
                out[size_t(col) * rows + row] = tile[lane][own + r];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < rowsPerWarp; ++r) {
        const float top = warpMax(largest[r]);
        if (lane == 0 && firstRow + own + r < rows)
            amax[firstRow + own + r] = top;
    }
}

} // namespace

extern "C" void solve(const float* in, float* out, float* amax, int rows, int cols, int ld)
{
    const dim3 block(edge, warps);
    transposeAmax<<<(rows + edge - 1) / edge, block>>>(in, out, amax, rows, cols, ld);
}
