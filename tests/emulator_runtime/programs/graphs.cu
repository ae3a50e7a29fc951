// SPDX-License-Identifier: GPL-3.0-or-later
// Streams, capture into a graph, launches, an update of the executable, stream-ordered memory.
#include <cstdio>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t code = (call);                                                                               \
        if (code != cudaSuccess) {                                                                                     \
            std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(code));                                   \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

__global__ void step(int* data, int add)
{
    data[threadIdx.x] = data[threadIdx.x] * 2 + add;
}

int main()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int *data = nullptr, host[32];
    CHECK(cudaMallocAsync(&data, sizeof host, stream));
    cudaGraph_t graph, second;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(data, 0, sizeof host, stream));
    step<<<1, 32, 0, stream>>>(data, 3);
    step<<<1, 32, 0, stream>>>(data, 1);
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    const int before = host[31];
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(data, 0, sizeof host, stream));
    step<<<1, 32, 0, stream>>>(data, 10);
    step<<<1, 32, 0, stream>>>(data, 1);
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &second));
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(exec, second, &info));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("before %d after %d\n", before, host[31]);
    CHECK(cudaFreeAsync(data, stream));
    return before == 7 && host[31] == 21 ? 0 : 1;
}
