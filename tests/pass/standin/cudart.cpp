// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for the CUDA runtime, for tests of the harness and the passes: device memory is host
// memory, the clock is the host's, and kernels are refused. Test candidates are plain C++ that
// computes on the "device" memory directly, so that the tests need neither GPU nor emulated device.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

int lastError = 0;

struct Event {
    std::chrono::steady_clock::time_point when;
};

} // namespace

EXPORT int cudaGetDeviceCount(int* count)
{
    *count = 1;
    return 0;
}
EXPORT int cudaDeviceGetAttribute(int* value, int, int)
{
    *value = 8;
    return 0;
}
EXPORT int cudaMalloc(void** pointer, std::size_t size)
{
    *pointer = std::malloc(size);
    return *pointer != nullptr ? 0 : 2;
}
EXPORT int cudaFree(void* pointer)
{
    std::free(pointer);
    return 0;
}
EXPORT int cudaMemcpy(void* to, const void* from, std::size_t size, int)
{
    std::memcpy(to, from, size);
    return 0;
}
EXPORT int cudaMemset(void* to, int value, std::size_t size)
{
    std::memset(to, value, size);
    return 0;
}
EXPORT int cudaDeviceSynchronize()
{
    return lastError;
}
EXPORT int cudaGetLastError()
{
    return lastError;
}
/// Test candidates call this to pretend that a launch failed.
EXPORT void standin_fail(int code)
{
    lastError = code;
}
EXPORT const char* cudaGetErrorName(int code)
{
    return code == 9     ? "cudaErrorInvalidConfiguration"
           : code == 700 ? "cudaErrorIllegalAddress"
                         : "cudaErrorUnknown";
}
EXPORT const char* cudaGetErrorString(int code)
{
    return code == 9     ? "invalid configuration argument"
           : code == 700 ? "an illegal memory access was encountered"
                         : "unknown error";
}
EXPORT int cudaEventCreate(Event** event)
{
    *event = new Event;
    return 0;
}
EXPORT int cudaEventRecord(Event* event, void*)
{
    event->when = std::chrono::steady_clock::now();
    return 0;
}
EXPORT int cudaEventSynchronize(Event*)
{
    return 0;
}
EXPORT int cudaEventElapsedTime(float* ms, Event* a, Event* b)
{
    *ms = std::chrono::duration<float, std::milli>(b->when - a->when).count();
    return 0;
}

namespace {

/// One counters and one report line per call, as the emulated device writes them.
void append(const char* variable, const char* line)
{
    const char* path = std::getenv(variable);
    std::FILE* file = path != nullptr ? std::fopen(path, "a") : nullptr;
    if (file == nullptr)
        return;
    std::fputs(line, file);
    std::fclose(file);
}

char label[200];

} // namespace

EXPORT void ridgeline_emu_mark(const char* text)
{
    std::snprintf(label, sizeof label, "%s", text);
}
EXPORT void standin_count()
{
    char line[600];
    std::snprintf(
        line, sizeof line,
        "{\"launch\": 0, \"label\": \"%s\", \"kernel\": \"k(float*)\", \"warp_instructions\": 7, "
        "\"flops\": {\"fp64\": 0, \"fp32\": 1000, \"fp16\": 0, \"bf16\": 0, \"tensor\": 0}, "
        "\"global\": {\"load_bytes\": 400, \"store_bytes\": 400, \"load_sectors\": 13, "
        "\"store_sectors\": 13}, \"shared\": {\"load_bytes\": 8, \"store_bytes\": 8}, "
        "\"unique_global_bytes\": {\"load\": 416, \"store\": 416}}\n",
        label);
    append("RIDGELINE_EMU_COUNTERS", line);
}
EXPORT void standin_race(const char* file, int at)
{
    char line[800];
    std::snprintf(line, sizeof line,
                  "{\"checker\": \"race\", \"kind\": \"RAW\", \"space\": \"shared\", \"kernel\": "
                  "\"k(float*)\", "
                  "\"count\": 3, \"site\": {\"access\": \"read\", \"size\": 4, \"block\": [0,0,0], "
                  "\"thread\": [1,0,0], \"file\": \"%s\", \"line\": %d}}\n",
                  file, at);
    append("RIDGELINE_EMU_REPORT", line);
}

#define REFUSE(name)                                                                               \
    EXPORT int name()                                                                              \
    {                                                                                              \
        std::fprintf(stderr, "stand-in: " #name " is not there\n");                                \
        return 1;                                                                                  \
    }
REFUSE(__cudaRegisterFatBinary)
REFUSE(__cudaRegisterFatBinaryEnd)
REFUSE(__cudaUnregisterFatBinary)
REFUSE(__cudaRegisterFunction)
REFUSE(__cudaRegisterVar)
REFUSE(__cudaInitModule)
REFUSE(__cudaPushCallConfiguration)
REFUSE(__cudaPopCallConfiguration)
REFUSE(__cudaGetKernel)
REFUSE(__cudaLaunchKernel)
REFUSE(cudaLaunchKernel)
