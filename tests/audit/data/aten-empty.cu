// SPDX-License-Identifier: GPL-3.0-or-later
#include <torch/extension.h>
__global__ void k(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
torch::Tensor forward(torch::Tensor a)
{
    auto y = torch::empty_like(a);
    const int n = a.numel();
    k<<<(n + 255) / 256, 256>>>(a.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
