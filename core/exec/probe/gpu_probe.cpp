// SPDX-License-Identifier: GPL-3.0-or-later
// A program of its own that asks NVIDIA's driver what is there: loading a driver can crash or hang,
// and the workbench must do neither. Prints tab-separated lines.
#include <cstdio>

#include <dlfcn.h>

namespace {

template <class Function>
Function find(void* library, const char* name)
{
    return reinterpret_cast<Function>(::dlsym(library, name));
}

int problem(const char* text, int code)
{
    std::printf("problem\t%s (driver error %d)\n", text, code);
    return 0;
}

} // namespace

int main()
{
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) {
        std::printf("problem\tNVIDIA's driver library libcuda.so.1 cannot be loaded\n");
        return 0;
    }
    const auto init = find<int (*)(unsigned)>(library, "cuInit");
    const auto countOf = find<int (*)(int*)>(library, "cuDeviceGetCount");
    const auto nameOf = find<int (*)(char*, int, int)>(library, "cuDeviceGetName");
    const auto attribute = find<int (*)(int*, int, int)>(library, "cuDeviceGetAttribute");
    const auto memoryOf = find<int (*)(size_t*, int)>(library, "cuDeviceTotalMem_v2");
    if (!init || !countOf || !nameOf || !attribute || !memoryOf)
        return problem("libcuda.so.1 lacks expected functions", 0);
    if (const int code = init(0))
        return problem("NVIDIA's driver does not start", code);
    int count = 0;
    if (const int code = countOf(&count))
        return problem("NVIDIA's driver cannot count its devices", code);
    if (count == 0)
        return problem("NVIDIA's driver sees no device", 0);
    for (int i = 0; i < count; ++i) {
        char name[256] = "";
        int major = 0, minor = 0;
        size_t memory = 0;
        nameOf(name, sizeof name, i);
        attribute(&major, 75, i); // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
        attribute(&minor, 76, i); // …_MINOR
        memoryOf(&memory, i);
        std::printf("device\t%d\t%s\t%d.%d\t%zu\n", i, name, major, minor, memory);
    }
    return 0;
}
