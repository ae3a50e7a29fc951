// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
template <class T> struct Box {};
using Deep = Box<Box<Box<int>>>;
extern "C" void solve(const float* x, float* y, int n)
{
    int m = n << 2 >> 2;
    k<<<(m + 255) / 256, 256>>>(x, y, m);
}
