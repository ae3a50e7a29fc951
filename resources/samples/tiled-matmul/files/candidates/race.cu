// SPDX-License-Identifier: GPL-3.0-or-later
// 16 x 16 tiles of both operands in shared memory, one barrier per tile.
#include <cuda_runtime.h>

namespace {

constexpr int tile = 16;

__global__ void matmulOneBarrier(const float* __restrict__ a, const float* __restrict__ b,
                                 float* __restrict__ c, int m, int n, int k)
{
    __shared__ float tileA[tile][tile];
    __shared__ float tileB[tile][tile];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * tile + ty;
    const int col = blockIdx.x * tile + tx;

    float sum = 0.0f;
    for (int start = 0; start < k; start += tile) {
        tileA[ty][tx] = row < m && start + tx < k ? a[size_t(row) * k + start + tx] : 0.0f;
        tileB[ty][tx] = start + ty < k && col < n ? b[size_t(start + ty) * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int l = 0; l < tile; ++l)
            sum += tileA[ty][l] * tileB[l][tx];
    }
    if (row < m && col < n)
        c[size_t(row) * n + col] = sum;
}

} // namespace

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k)
{
    const dim3 block(tile, tile);
    const dim3 grid((n + tile - 1) / tile, (m + tile - 1) / tile);
    matmulOneBarrier<<<grid, block>>>(a, b, c, m, n, k);
}
