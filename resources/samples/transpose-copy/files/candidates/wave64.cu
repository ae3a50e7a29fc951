// SPDX-License-Identifier: GPL-3.0-or-later
// Line by line from the source: 64 lanes per row, intrinsics renamed.
#include <cuda_runtime.h>

namespace {

constexpr int wave = 64;
constexpr int waves = 4;
constexpr int rowsPerWave = wave / waves;

__device__ float waveMax(float v)
{
    for (int offset = wave / 2; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
    return v;
}

__global__ void transposeAmax(const float* __restrict__ in, float* __restrict__ out,
                              float* __restrict__ amax, int rows, int cols, int ld)
{
    __shared__ float tile[wave][wave + 1];
    const int lane = threadIdx.x;
    const int firstRow = blockIdx.x * wave;

    float largest[rowsPerWave];
    for (int r = 0; r < rowsPerWave; ++r)
        largest[r] = 0.0f;

    for (int firstCol = 0; firstCol < cols; firstCol += wave) {
        for (int r = 0; r < rowsPerWave; ++r) {
            const int row = firstRow + threadIdx.y * rowsPerWave + r;
            const int col = firstCol + lane;
            float value = 0.0f;
            if (row < rows && col < cols)
                value = in[size_t(row) * ld + col];
            tile[threadIdx.y * rowsPerWave + r][lane] = value;
            largest[r] = fmaxf(largest[r], fabsf(value));
        }
        __syncthreads();
        for (int r = 0; r < rowsPerWave; ++r) {
            const int col = firstCol + threadIdx.y * rowsPerWave + r;
            const int row = firstRow + lane;
            if (row < rows && col < cols)
                out[size_t(col) * rows + row] = tile[lane][threadIdx.y * rowsPerWave + r];
        }
        __syncthreads();
    }
    for (int r = 0; r < rowsPerWave; ++r) {
        const float top = waveMax(largest[r]);
        const int row = firstRow + threadIdx.y * rowsPerWave + r;
        if (lane == 0 && row < rows)
            amax[row] = top;
    }
}

} // namespace

extern "C" void solve(const float* in, float* out, float* amax, int rows, int cols, int ld)
{
    const dim3 block(wave, waves);
    transposeAmax<<<(rows + wave - 1) / wave, block>>>(in, out, amax, rows, cols, ld);
}
