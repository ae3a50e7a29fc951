// SPDX-License-Identifier: GPL-3.0-or-later
constexpr int T = 128;
__global__ void k(const float* x, float* y, int n)
{
    __shared__ float a[T][T];
    __shared__ double b[T];
    y[0] = a[0][0] + x[n];
}
extern "C" void solve(const float* x, float* y, int n)
{
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
