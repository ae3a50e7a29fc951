// SPDX-License-Identifier: GPL-3.0-or-later
// Private bins per block, plain increments: "shared memory is fast enough".
#include "../histogram.h"

#include <cuda_runtime.h>

namespace {

constexpr int threads = 256; // one per bin when merging
constexpr int maxBlocks = 64;

__global__ void countBytes(const unsigned char* __restrict__ data, size_t count, unsigned* bins)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = size_t(blockIdx.x) * threads + threadIdx.x; i < count;
         i += size_t(gridDim.x) * threads)
        ++own[data[i]];
    __syncthreads();
    if (own[threadIdx.x] > 0)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

} // namespace

void histogram(const unsigned char* data, std::size_t count, unsigned int* bins)
{
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned));
    if (count == 0)
        return;
    const std::size_t wanted = (count + threads - 1) / threads;
    const int blocks = wanted < maxBlocks ? int(wanted) : maxBlocks;
    countBytes<<<blocks, threads>>>(data, count, bins);
}
