// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
__global__ void pack(const float* w, float* p) { p[threadIdx.x] = w[threadIdx.x]; }
static bool packed = false;
static float* store;
extern "C" void solve(const float* x, float* y, int n)
{
    if (!packed) {
        pack<<<1, 32>>>(x, store);
        packed = true;
    }
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
