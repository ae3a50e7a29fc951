// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_fp16.h>
__global__ void k(const float* x, float* y, int n)
{
    half v = __float2half(x[0]);
    y[0] = __half2float(v) * n;
}
extern "C" void solve(const float* x, float* y, int n)
{
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
