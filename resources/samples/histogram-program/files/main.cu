// SPDX-License-Identifier: GPL-3.0-or-later
// Makes data, calls the candidate, compares with a count on the CPU. Exit 0: equal, 1: different,
// 2: a CUDA call failed, 3: bad arguments.
#include "histogram.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

namespace {

void check(cudaError_t status, const char* what)
{
    if (status == cudaSuccess)
        return;
    std::printf("FAIL: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(2);
}

std::vector<unsigned char> makeData(std::size_t count, unsigned skewPercent, std::uint64_t seed)
{
    std::vector<unsigned char> data(count);
    std::uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
    for (unsigned char& byte : data) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        byte = (state >> 40) % 100 < skewPercent ? 7 : static_cast<unsigned char>(state >> 24);
    }
    return data;
}

bool runOnce(std::size_t count, unsigned skewPercent, std::uint64_t seed)
{
    const std::vector<unsigned char> data = makeData(count, skewPercent, seed);
    std::array<unsigned, 256> expected{};
    for (unsigned char byte : data)
        ++expected[byte];

    unsigned char* deviceData = nullptr;
    unsigned* deviceBins = nullptr;
    check(cudaMalloc(reinterpret_cast<void**>(&deviceData), count + 1), "cudaMalloc");
    check(cudaMalloc(reinterpret_cast<void**>(&deviceBins), sizeof(expected)), "cudaMalloc");
    check(cudaMemset(deviceBins, 0xa5, sizeof(expected)), "cudaMemset");
    if (count > 0)
        check(cudaMemcpy(deviceData, data.data(), count, cudaMemcpyHostToDevice), "cudaMemcpy");
    histogram(deviceData, count, deviceBins);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "histogram");
    std::array<unsigned, 256> got{};
    check(cudaMemcpy(got.data(), deviceBins, sizeof(got), cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaFree(deviceData), "cudaFree");
    check(cudaFree(deviceBins), "cudaFree");

    for (int bin = 0; bin < 256; ++bin) {
        if (got[bin] != expected[bin]) {
            std::printf("FAIL: bin %d has %u, expected %u\n", bin, got[bin], expected[bin]);
            return false;
        }
    }
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s COUNT SKEW_PERCENT\n", argv[0]);
        return 3;
    }
    const std::size_t count = std::strtoull(argv[1], nullptr, 10);
    const unsigned skew = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
    if (!runOnce(count, skew, 1) || !runOnce(count, skew, 2))
        return 1;
    std::printf("PASS: 2 x 256 bins over %zu bytes\n", count);
    return 0;
}
