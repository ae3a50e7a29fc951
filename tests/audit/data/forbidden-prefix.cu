// SPDX-License-Identifier: GPL-3.0-or-later
#include <cublas_v2.h>
extern "C" void solve(const float* x, float* y, int n)
{
    cublasHandle_t h;
    cublasCreate(&h);
    (void)n; (void)x; (void)y;
}
