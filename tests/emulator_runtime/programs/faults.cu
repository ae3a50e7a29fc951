// SPDX-License-Identifier: GPL-3.0-or-later
// What a program sees when kernels go wrong: codes, texts, sticky and not. Ends with 0 when all is
// as on a real device.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(64) store(int* data, size_t index)
{
    data[index] = 1;
}

static int failures = 0;

static void expect(cudaError_t got, const char* text)
{
    if (std::strcmp(cudaGetErrorString(got), text) != 0) {
        std::printf("expected '%s', got '%s'\n", text, cudaGetErrorString(got));
        ++failures;
    }
}

int main()
{
    int* data = nullptr;
    expect(cudaMalloc(&data, 64), "no error");
    store<<<1, 4096>>>(data, 0);
    expect(cudaPeekAtLastError(), "invalid configuration argument");
    expect(cudaGetLastError(), "invalid configuration argument");
    expect(cudaGetLastError(), "no error");
    store<<<1, 128>>>(data, 0);
    expect(cudaGetLastError(), "too many resources requested for launch");
    store<<<1, 32, 100 * 1024>>>(data, 0);
    expect(cudaGetLastError(), "invalid argument");
    store<<<0, 32>>>(data, 0);
    expect(cudaGetLastError(), "invalid configuration argument");
    expect(cudaDeviceSynchronize(), "no error");
    expect(cudaMemcpy(data, &failures, 128, cudaMemcpyHostToDevice), "invalid argument");
    expect(cudaGetLastError(), "invalid argument");
    store<<<1, 1>>>(data, size_t(1) << 40);
    expect(cudaGetLastError(), "no error");
    expect(cudaDeviceSynchronize(), "an illegal memory access was encountered");
    expect(cudaGetLastError(), "an illegal memory access was encountered");
    expect(cudaGetLastError(), "an illegal memory access was encountered");
    expect(cudaMalloc(&data, 64), "an illegal memory access was encountered");
    std::printf("failures: %d\n", failures);
    return failures;
}
