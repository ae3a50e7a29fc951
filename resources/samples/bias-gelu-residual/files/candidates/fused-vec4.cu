// SPDX-License-Identifier: GPL-3.0-or-later
// One kernel, 16-byte accesses where the row length and the addresses allow them.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int threads = 128;

__device__ float element(float x, float bias, float residual)
{
    const float v = x + bias;
    return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f)) + residual;
}

__global__ void fusedVector(const float4* __restrict__ x, const float4* __restrict__ bias,
                            const float4* __restrict__ residual, float4* __restrict__ y, int groups)
{
    const int g = blockIdx.x * threads + threadIdx.x;
    if (g >= groups)
        return;
    const size_t at = size_t(blockIdx.y) * groups + g;
    const float4 in = x[at];
    const float4 shift = bias[g];
    const float4 rest = residual[at];
    float4 out;
    out.x = element(in.x, shift.x, rest.x);
    out.y = element(in.y, shift.y, rest.y);
    out.z = element(in.z, shift.z, rest.z);
    out.w = element(in.w, shift.w, rest.w);
    y[at] = out;
}

__global__ void fusedScalar(const float* __restrict__ x, const float* __restrict__ bias,
                            const float* __restrict__ residual, float* __restrict__ y, int cols)
{
    const int col = blockIdx.x * threads + threadIdx.x;
    if (col >= cols)
        return;
    const size_t at = size_t(blockIdx.y) * cols + col;
    y[at] = element(x[at], bias[col], residual[at]);
}

bool aligned(const void* pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % alignof(float4) == 0;
}

} // namespace

extern "C" void solve(const float* x, const float* bias, const float* residual, float* y, int rows,
                      int cols)
{
    if (cols % 4 == 0 && aligned(x) && aligned(bias) && aligned(residual) && aligned(y)) {
        const int groups = cols / 4;
        const dim3 grid((groups + threads - 1) / threads, rows);
        fusedVector<<<grid, threads>>>(
            reinterpret_cast<const float4*>(x), reinterpret_cast<const float4*>(bias),
            reinterpret_cast<const float4*>(residual), reinterpret_cast<float4*>(y), groups);
    } else {
        const dim3 grid((cols + threads - 1) / threads, rows);
        fusedScalar<<<grid, threads>>>(x, bias, residual, y, cols);
    }
}
