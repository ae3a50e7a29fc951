// SPDX-License-Identifier: GPL-3.0-or-later
// With linked_part.cu and -rdc=true: device code of two files, linked by the loader.
#include <cstdio>
#include <cuda_runtime.h>

extern __device__ int twice(int value);
extern __constant__ int base[2];

__global__ void apply(int* out)
{
    out[threadIdx.x] = twice(int(threadIdx.x)) + base[1];
}

int main()
{
    int *out = nullptr, host[32] = {};
    if (cudaMalloc(&out, sizeof host) != cudaSuccess)
        return 1;
    apply<<<1, 32>>>(out);
    const cudaError_t code = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%s, last %d\n", cudaGetErrorString(code), host[31]);
    return code == cudaSuccess && host[31] == 62 + 9 ? 0 : 1;
}
