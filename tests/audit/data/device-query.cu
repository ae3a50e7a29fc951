// SPDX-License-Identifier: GPL-3.0-or-later
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" void solve(const float* x, float* y, int n)
{
    static int sms = 0;
    if (sms == 0)
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    if (n == 0)
        return;
    k<<<sms * 4, 256>>>(x, y, n);
}
