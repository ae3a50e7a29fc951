// SPDX-License-Identifier: GPL-3.0-or-later
#define T 64
__global__ void k(const float* x, float* y, int n)
{
    __shared__ float a[T][T + 1];
    extern __shared__ float b[];
    y[0] = a[0][0] + x[n] + b[0];
}
extern "C" void solve(const float* x, float* y, int n)
{
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
