// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y, int n)
{
    for (int half = 16; half > 0; half /= 2)
        y[half] = x[half];
}
extern "C" void solve(const float* x, float* y, int n)
{
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
