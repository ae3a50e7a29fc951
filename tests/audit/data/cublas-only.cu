// SPDX-License-Identifier: GPL-3.0-or-later
#include <cublas_v2.h>
extern "C" void solve(const float* x, float* y, int n)
{
    cublasHandle_t h;
    cublasCreate(&h);
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, nullptr, x, n, x, n, nullptr, y, n);
}
