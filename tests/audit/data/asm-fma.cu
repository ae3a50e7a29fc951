// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y, int n)
{
    float r;
    asm("fma.rn.f32 %0, %1, %1, %1;" : "=f"(r) : "f"(x[0]));
    y[0] = r * n;
}
extern "C" void solve(const float* x, float* y, int n)
{
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
