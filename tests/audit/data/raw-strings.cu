// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
const char* help = R"x(cudaStreamCreate(&s); static int n; if (n++) return;)x";
#define LONG \
    1
extern "C" void solve(const float* x, float* y, int n)
{
    const char c = '"';
    (void)c;
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
