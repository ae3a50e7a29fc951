// SPDX-License-Identifier: GPL-3.0-or-later
// Constant, managed and device variables, struct parameters, templates, shared memory, events,
// symbols, occupancy. Ends with 0 when every result is right.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t code = (call);                                                                               \
        if (code != cudaSuccess) {                                                                                     \
            std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(code));                                   \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

__constant__ float factors[4];
__device__ int counter;
__managed__ int shown;

struct Range {
    int first, last;
    float offset;
};

template <int Factor> __global__ void scale(float* data, Range range)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= range.first && i < range.last)
        data[i] = data[i] * factors[Factor] + range.offset;
    if (i == 0)
        shown = 77;
    atomicAdd(&counter, 1);
}

__global__ void blockSums(const float* data, float* sums, int n)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? data[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = tile[0];
}

int main()
{
    const int n = 3000, block = 128, blocks = (n + block - 1) / block;
    const float host[4] = {1.0f, 3.0f, 5.0f, 7.0f};
    CHECK(cudaMemcpyToSymbol(factors, host, sizeof host));
    shown = 5;
    std::vector<float> data(n, 2.0f), sums(blocks);
    float *d = nullptr, *s = nullptr;
    CHECK(cudaMalloc(&d, n * sizeof(float)));
    CHECK(cudaMalloc(&s, blocks * sizeof(float)));
    CHECK(cudaMemcpy(d, data.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    scale<1><<<blocks, block>>>(d, Range{0, n, 0.5f});
    CHECK(cudaGetLastError());
    blockSums<<<blocks, block, block * sizeof(float)>>>(d, s, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaMemcpy(sums.data(), s, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    double total = 0;
    for (float sum : sums)
        total += sum;
    int count = 0, resident = 0;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, blockSums, block, block * sizeof(float)));
    std::printf("total %g count %d shown %d ms %d resident %d\n", total, count, shown, ms >= 0, resident > 0);
    return std::fabs(total - n * 6.5) < 1e-3 && count == blocks * block && shown == 77 && ms >= 0 && resident > 0 ? 0
                                                                                                                  : 1;
}
