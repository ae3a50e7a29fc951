// SPDX-License-Identifier: GPL-3.0-or-later
// 64 x 64 tiles in shared memory, 4 x 4 outputs per thread in registers: each value read from
// shared memory serves four multiply-adds.
#include <cuda_runtime.h>

namespace {

constexpr int tile = 64;  // rows and columns of the output per block
constexpr int depth = 16; // of the reduction per step
constexpr int edge = 16;  // threads per side
constexpr int each = tile / edge;

__global__ void matmulRegisters(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k)
{
    __shared__ float tileA[depth][tile + 1]; // transposed; the pad keeps its stores off one bank
    __shared__ float tileB[depth][tile];
    const int tx = threadIdx.x % edge;
    const int ty = threadIdx.x / edge;
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;

    float sum[each][each] = {};
    for (int start = 0; start < k; start += depth) {
        for (int i = threadIdx.x; i < tile * depth; i += edge * edge) {
            const int rowA = firstRow + i / depth;
            const int colA = start + i % depth;
            tileA[i % depth][i / depth] = rowA < m && colA < k ? a[size_t(rowA) * k + colA] : 0.0f;
            const int rowB = start + i / tile;
            const int colB = firstCol + i % tile;
            tileB[i / tile][i % tile] = rowB < k && colB < n ? b[size_t(rowB) * n + colB] : 0.0f;
        }
        __syncthreads();
        for (int l = 0; l < depth; ++l) {
            float left[each];
            float right[each];
#pragma unroll
            for (int i = 0; i < each; ++i) {
                left[i] = tileA[l][ty + i * edge];
                right[i] = tileB[l][tx + i * edge];
            }
#pragma unroll
            for (int i = 0; i < each; ++i) {
#pragma unroll
                for (int j = 0; j < each; ++j)
                    sum[i][j] += left[i] * right[j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const int row = firstRow + ty + i * edge;
#pragma unroll
        for (int j = 0; j < each; ++j) {
            const int col = firstCol + tx + j * edge;
            if (row < m && col < n)
                c[size_t(row) * n + col] = sum[i][j];
        }
    }
}

} // namespace

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k)
{
    const dim3 grid((n + tile - 1) / tile, (m + tile - 1) / tile);
    matmulRegisters<<<grid, edge * edge>>>(a, b, c, m, n, k);
}
