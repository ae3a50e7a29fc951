// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" void solve(const float* x, float* y, int n)
{
    const dim3 block(32, 32);
    k<<<n, block>>>(x, y, n);
    k<<<1, 1024>>>(x, y, n);
}
