// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
struct Plan { static constexpr int tile = 32; int calls = 0; };
static const int limit = 4;
extern "C" void solve(const float* x, float* y, int n)
{
    Plan plan;
    if (++plan.calls > limit)
        return;
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
