# SPDX-License-Identifier: GPL-3.0-or-later
from torch.utils.cpp_extension import load_inline

SOURCE = """
__global__ void k(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }
void go(const float* x, float* y)
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    k<<<1, 32, 0, s>>>(x, y);
}
"""
ext = load_inline("e", SOURCE)


def solve(x):
    return ext.go(x)
