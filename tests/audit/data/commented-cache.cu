// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
// static const float* last; if (x == last) return; cudaStreamCreate(&s);
/* static int calls = 0; if (++calls > 3) return; usleep(1); */
const char* note = "getenv cublasSgemm cudaStreamCreate std::thread";
extern "C" void solve(const float* x, float* y, int n)
{
#if 0
    static int calls = 0;
    if (++calls > 2) return;
#endif
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
