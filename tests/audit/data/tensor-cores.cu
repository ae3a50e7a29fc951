// SPDX-License-Identifier: GPL-3.0-or-later
#include <mma.h>
using namespace nvcuda;
__global__ void k(const float* x, float* y, int n)
{
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
}
extern "C" void solve(const float* x, float* y, int n)
{
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
