// SPDX-License-Identifier: GPL-3.0-or-later
#define THREADS (2 * 1024)
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" void solve(const float* x, float* y, int n)
{
    k<<<1, THREADS>>>(x, y, n);
}
