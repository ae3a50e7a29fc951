// SPDX-License-Identifier: GPL-3.0-or-later
#include <cublas_v2.h>
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" void solve(const float* x, float* y, int n)
{
    cublasHandle_t h;
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, nullptr, x, n, x, n, nullptr, y, n);
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
