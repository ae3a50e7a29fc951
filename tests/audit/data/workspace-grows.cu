// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
static float* workspace = nullptr;
static size_t capacity = 0;
extern "C" void solve(const float* x, float* y, int n)
{
    const size_t need = size_t(n) * sizeof(float);
    if (need > capacity) {
        cudaFree(workspace);
        if (cudaMalloc(&workspace, need) != cudaSuccess)
            return;
        capacity = need;
    }
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
