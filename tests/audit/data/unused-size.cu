// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y)
{
    y[threadIdx.x] = x[threadIdx.x];
}
extern "C" void solve(const float* x, float* y, int n)
{
    k<<<4, 256>>>(x, y);
}
