// SPDX-License-Identifier: GPL-3.0-or-later
// A small CUDA program made without nvcc: PTX registered by hand through the entry points that
// nvcc's generated code uses. It loads libcudart.so.13 by name, so whoever starts it decides which.
// Usage: probe add|outofbounds|launcherror|driver
#include "fatbin_builder.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

const char* const ptx = R"(.version 8.0
.target sm_80
.address_size 64

.visible .entry add(
    .param .u64 p_out,
    .param .u64 p_a,
    .param .u64 p_b,
    .param .u32 p_n
)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [p_out];
    ld.param.u64 %rd2, [p_a];
    ld.param.u64 %rd3, [p_b];
    ld.param.u32 %r1, [p_n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd4, %rd1;
    cvta.to.global.u64 %rd5, %rd2;
    cvta.to.global.u64 %rd6, %rd3;
    mul.wide.s32 %rd7, %r5, 4;
    add.s64 %rd8, %rd5, %rd7;
    add.s64 %rd9, %rd6, %rd7;
    add.s64 %rd10, %rd4, %rd7;
    ld.global.f32 %f1, [%rd8];
    ld.global.f32 %f2, [%rd9];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd10], %f3;
DONE:
    ret;
}
)";

char addStub;

struct Dim3 {
    unsigned x, y, z;
};

template <typename Function>
Function* symbol(const char* name)
{
    static void* library = dlopen("libcudart.so.13", RTLD_NOW | RTLD_GLOBAL);
    void* found = library ? dlsym(library, name) : nullptr;
    if (!found) {
        std::fprintf(stderr, "probe: no %s: %s\n", name, dlerror());
        std::exit(90);
    }
    return reinterpret_cast<Function*>(found);
}

int check(int code, const char* what)
{
    if (code != 0)
        std::printf("%s: %s\n", what, symbol<const char*(int)>("cudaGetErrorString")(code));
    return code;
}

int launch(float* out, float* a, float* b, int n, Dim3 grid, Dim3 block)
{
    void* args[] = {&out, &a, &b, &n};
    return symbol<int(const void*, Dim3, Dim3, void**, std::size_t, void*)>("cudaLaunchKernel")(
        &addStub, grid, block, args, 0, nullptr);
}

int driver()
{
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        std::fprintf(stderr, "probe: %s\n", dlerror());
        return 90;
    }
    int count = 0;
    const auto call = [&](const char* name) { return dlsym(library, name); };
    if (reinterpret_cast<int (*)(unsigned)>(call("cuInit"))(0) != 0 ||
        reinterpret_cast<int (*)(int*)>(call("cuDeviceGetCount"))(&count) != 0 || count != 1)
        return 1;
    std::puts("driver ok");
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string what = argc > 1 ? argv[1] : "add";
    if (what == "driver")
        return driver();
    const std::string image = fatbin_builder::fatbin(fatbin_builder::zstdPtx(ptx));
    fatbin_builder::Wrapper wrapper;
    wrapper.data = image.data();
    void** handle = symbol<void**(const void*)>("__cudaRegisterFatBinary")(&wrapper);
    symbol<void(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*)>(
        "__cudaRegisterFunction")(handle, &addStub, nullptr, "add", -1, nullptr, nullptr, nullptr,
                                  nullptr, nullptr);
    symbol<void(void**)>("__cudaRegisterFatBinaryEnd")(handle);

    constexpr int n = 1000;
    float *a = nullptr, *b = nullptr, *out = nullptr;
    std::vector<float> host(n);
    for (int i = 0; i < n; ++i)
        host[std::size_t(i)] = float(i);
    const auto allocate = symbol<int(void*, std::size_t)>("cudaMalloc");
    const auto copy = symbol<int(void*, const void*, std::size_t, int)>("cudaMemcpy");
    const auto synchronise = symbol<int()>("cudaDeviceSynchronize");
    for (float** pointer : {&a, &b, &out}) {
        if (check(allocate(pointer, n * sizeof(float)), "cudaMalloc"))
            return 1;
    }
    if (check(copy(a, host.data(), n * sizeof(float), 1), "copy") ||
        check(copy(b, host.data(), n * sizeof(float), 1), "copy"))
        return 1;
    if (auto* mark =
            reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "ridgeline_emu_mark")))
        mark("probe");
    if (what == "launcherror")
        return check(launch(out, a, b, n, {1, 1, 1}, {2048, 1, 1}), "launch") == 9 ? 0 : 1;
    // One block too many threads past the end of every array, when the bound is a lie.
    const int bound = what == "outofbounds" ? 1 << 20 : n;
    if (check(launch(out, a, b, bound, {what == "outofbounds" ? 4096u : 8u, 1, 1}, {128, 1, 1}),
              "launch"))
        return 1;
    const int code = check(synchronise(), "synchronise");
    if (code)
        return code == 700 || code == 719 ? 40 : 1;
    if (check(copy(host.data(), out, n * sizeof(float), 2), "copy back"))
        return 1;
    for (int i = 0; i < n; ++i) {
        if (host[std::size_t(i)] != 2.0f * float(i)) {
            std::printf("element %d is %g\n", i, double(host[std::size_t(i)]));
            return 1;
        }
    }
    std::puts("add ok");
    symbol<void(void**)>("__cudaUnregisterFatBinary")(handle);
    return 0;
}
