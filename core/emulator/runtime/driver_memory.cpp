// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/arrays.h"
#include "core/emulator/runtime/driver.h"
#include "core/emulator/runtime/runtime_functions.h"

namespace ridgeline::emu {

namespace {

constexpr auto legacy = DefaultStream::Legacy, perThread = DefaultStream::PerThread;

std::uintptr_t number(const void* pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer);
}

int copyNow(const char* name, const abi::Copy3D& copy, Stream* stream, DefaultStream which,
            bool waits)
{
    return driver::call(name, true, [&]() -> int {
        if (waits) {
            if (const int fault = Device::instance().synchronise())
                return fault;
            if (const int error = refuseDuringCapture())
                return error;
        }
        if (const int error = validateCopy(copy))
            return error == abi::InvalidPitchValue ? int(abi::InvalidValue) : error;
        return submit(stream, which, CopyWork{copy});
    });
}

template <int Kind, DefaultStream Which>
int copyLinear(void* dst, const void* src, std::size_t bytes)
{
    return bytes == 0
               ? driver::ready(true)
               : copyNow("cuMemcpy", linearCopy(dst, src, bytes, Kind), nullptr, Which, true);
}

template <int Kind, DefaultStream Which>
int copyLinearAsync(void* dst, const void* src, std::size_t bytes, Stream* stream)
{
    return bytes == 0
               ? driver::ready(true)
               : copyNow("cuMemcpyAsync", linearCopy(dst, src, bytes, Kind), stream, Which, false);
}

int cuMemcpyPeer(void* dst, void*, const void* src, void*, std::size_t bytes)
{
    return copyLinear<abi::DefaultCopy, legacy>(dst, src, bytes);
}

int cuMemcpyPeerAsync(void* dst, void*, const void* src, void*, std::size_t bytes, Stream* stream)
{
    return copyLinearAsync<abi::DefaultCopy, legacy>(dst, src, bytes, stream);
}

/// CUDA_MEMCPY2D and CUDA_MEMCPY3D. Memory types: 1 host, 2 device, 3 array, 4 unified.
struct Side2D {
    std::size_t xBytes, y;
    int type;
    const void* host;
    const void* device;
    Array* array;
    std::size_t pitch;
};
struct Copy2D {
    Side2D src, dst;
    std::size_t widthBytes, height;
};
struct Side3D {
    std::size_t xBytes, y, z, lod;
    int type;
    const void* host;
    const void* device;
    Array* array;
    void* reserved;
    std::size_t pitch, height;
};
struct Copy3DDriver {
    Side3D src, dst;
    std::size_t widthBytes, height, depth;
};

bool isHost(int type)
{
    return type == 1;
}

/// Fills one side; false when it makes no sense.
bool fillSide(const Side3D& side, std::size_t element, abi::PitchedPointer& pointer,
              abi::Position& pos, Array*& array)
{
    if (side.type == 3) {
        if (!isArray(side.array) || side.xBytes % element)
            return false;
        array = side.array;
        pos = {side.xBytes / element, side.y, side.z};
        return true;
    }
    const void* base = isHost(side.type) ? side.host : side.device;
    if (side.type < 1 || side.type > 4 || !base)
        return false;
    pointer = {const_cast<void*>(base), side.pitch, side.pitch, side.height};
    pos = {side.xBytes, side.y, side.z};
    return true;
}

int copy3D(const Copy3DDriver* driver, Stream* stream, DefaultStream which, bool waits)
{
    if (!driver)
        return abi::InvalidValue;
    std::size_t element = 1;
    for (const Side3D* side : {&driver->src, &driver->dst}) {
        if (side->type == 3 && isArray(side->array))
            element = side->array->elementBytes;
    }
    abi::Copy3D copy{};
    if (driver->widthBytes % element ||
        !fillSide(driver->src, element, copy.src, copy.srcPos, copy.srcArray) ||
        !fillSide(driver->dst, element, copy.dst, copy.dstPos, copy.dstArray))
        return abi::InvalidValue;
    copy.extent = {driver->widthBytes / element, driver->height, driver->depth};
    const bool unified = driver->src.type == 4 || driver->dst.type == 4;
    copy.kind = unified ? int(abi::DefaultCopy)
                : isHost(driver->src.type)
                    ? (isHost(driver->dst.type) ? abi::HostToHost : abi::HostToDevice)
                    : (isHost(driver->dst.type) ? abi::DeviceToHost : abi::DeviceToDevice);
    return copyNow("cuMemcpy3D", copy, stream, which, waits);
}

Side3D widen(const Side2D& side)
{
    return {side.xBytes, side.y,     0,       0,          side.type, side.host,
            side.device, side.array, nullptr, side.pitch, 0};
}

int copy2D(const Copy2D* copy, Stream* stream, DefaultStream which, bool waits)
{
    if (!copy)
        return abi::InvalidValue;
    const Copy3DDriver wide{widen(copy->src), widen(copy->dst), copy->widthBytes, copy->height, 1};
    return copy3D(&wide, stream, which, waits);
}

template <DefaultStream Which>
int copy2DSync(const Copy2D* copy)
{
    return copy2D(copy, nullptr, Which, true);
}

template <DefaultStream Which>
int copy2DAsync(const Copy2D* copy, Stream* stream)
{
    return copy2D(copy, stream, Which, false);
}

template <DefaultStream Which>
int copy3DSync(const Copy3DDriver* copy)
{
    return copy3D(copy, nullptr, Which, true);
}

template <DefaultStream Which>
int copy3DAsync(const Copy3DDriver* copy, Stream* stream)
{
    return copy3D(copy, stream, Which, false);
}

int fill(void* dst, std::size_t pitch, unsigned value, unsigned element, std::size_t width,
         std::size_t height, Stream* stream, DefaultStream which, bool waits)
{
    return driver::call("cuMemset", true, [&]() -> int {
        if (waits) {
            if (const int error = refuseDuringCapture())
                return error;
        }
        MemsetWork work;
        work.params = {dst, pitch, value, element, width, height};
        if (const int error = validateMemset(work))
            return error == abi::InvalidPitchValue ? int(abi::InvalidValue) : error;
        return submit(stream, which, work);
    });
}

template <typename Value, DefaultStream Which>
int fill1D(void* dst, Value value, std::size_t count)
{
    return fill(dst, count * sizeof(Value), value, sizeof(Value), count, 1, nullptr, Which, true);
}

template <typename Value, DefaultStream Which>
int fill1DAsync(void* dst, Value value, std::size_t count, Stream* stream)
{
    return fill(dst, count * sizeof(Value), value, sizeof(Value), count, 1, stream, Which, false);
}

template <typename Value, DefaultStream Which>
int fill2D(void* dst, std::size_t pitch, Value value, std::size_t width, std::size_t height)
{
    return fill(dst, pitch, value, sizeof(Value), width, height, nullptr, Which, true);
}

template <typename Value, DefaultStream Which>
int fill2DAsync(void* dst, std::size_t pitch, Value value, std::size_t width, std::size_t height,
                Stream* stream)
{
    return fill(dst, pitch, value, sizeof(Value), width, height, stream, Which, false);
}

int cuMemAlloc(void** pointer, std::size_t bytes)
{
    // Unlike cudaMalloc, asking for nothing is an error here.
    return bytes == 0 ? int(abi::InvalidValue) : driver::Call<&cudaMalloc>::run(pointer, bytes);
}

int cuMemAllocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                    unsigned element)
{
    if (!pitch || width == 0 || height == 0 || (element != 4 && element != 8 && element != 16) ||
        width > (std::size_t(1) << 40) || height > (std::size_t(1) << 40))
        return abi::InvalidValue;
    *pitch = (width + 511) / 512 * 512;
    return driver::Call<&cudaMalloc>::run(pointer, *pitch * height);
}

int cuMemGetAddressRange(void** base, std::size_t* bytes, void* pointer)
{
    return driver::call("cuMemGetAddressRange", true, [&]() -> int {
        const auto found = Device::instance().memory().find(number(pointer));
        if (!found)
            return driver::notFound;
        if (base)
            *base = reinterpret_cast<void*>(found->base);
        if (bytes)
            *bytes = found->size;
        return abi::Success;
    });
}

/// `data` points at what the attribute's type is.
int pointerAttribute(void* data, int attribute, const void* pointer)
{
    if (!data)
        return abi::InvalidValue;
    const auto found = Device::instance().memory().find(number(pointer));
    if (!found)
        return abi::InvalidValue;
    const bool host = found->kind == MemoryKind::PinnedHost,
               managed = found->kind == MemoryKind::Managed;
    void* same = const_cast<void*>(pointer);
    switch (attribute) {
    case 1:
        *static_cast<void**>(data) = driver::primaryContext();
        break;
    case 2:
        *static_cast<unsigned*>(data) = host ? 1 : 2;
        break;
    case 3:
        *static_cast<void**>(data) = same;
        break;
    case 4:
        if (!host && !managed)
            return abi::InvalidValue;
        *static_cast<void**>(data) = same;
        break;
    case 6:
        *static_cast<int*>(data) = 0;
        break;
    case 7:
        *static_cast<std::uint64_t*>(data) = found->serial;
        break;
    case 8:
        *static_cast<unsigned*>(data) = managed;
        break;
    case 9:
        *static_cast<int*>(data) = 0;
        break;
    case 11:
        *static_cast<void**>(data) = reinterpret_cast<void*>(found->base);
        break;
    case 12:
        *static_cast<std::size_t*>(data) = found->size;
        break;
    case 10:
    case 15:
        *static_cast<int*>(data) = 0;
        break;
    case 13:
        *static_cast<int*>(data) = 1;
        break;
    case 14:
        *static_cast<std::uint64_t*>(data) = 0;
        break;
    case 16:
        *static_cast<unsigned*>(data) = 3;
        break;
    default:
        return abi::NotSupported;
    }
    return abi::Success;
}

int cuPointerGetAttribute(void* data, int attribute, const void* pointer)
{
    return driver::call("cuPointerGetAttribute", true,
                        [&] { return pointerAttribute(data, attribute, pointer); });
}

int cuPointerGetAttributes(unsigned count, const int* attributes, void** data, const void* pointer)
{
    return driver::call("cuPointerGetAttributes", true, [&]() -> int {
        if (!attributes || !data)
            return abi::InvalidValue;
        // An unknown pointer is no error in this form: everything reads as nothing.
        for (unsigned i = 0; i < count; ++i) {
            if (data[i] && pointerAttribute(data[i], attributes[i], pointer) != abi::Success)
                *static_cast<int*>(data[i]) = 0;
        }
        return abi::Success;
    });
}

int cuPointerSetAttribute(const void* value, int attribute, void* pointer)
{
    return driver::call("cuPointerSetAttribute", true, [&]() -> int {
        const auto found = Device::instance().memory().find(number(pointer));
        return value && attribute == 6 && found ? abi::Success : abi::InvalidValue;
    });
}

// ---- arrays

struct ArrayDescriptor {
    std::size_t width, height;
    int format;
    unsigned channels;
};
struct ArrayDescriptor3D {
    std::size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

bool channelDesc(int format, unsigned channels, abi::ChannelDesc& desc)
{
    int bits = 0, kind = 0;
    switch (format) {
    case 0x01:
        bits = 8;
        kind = 1;
        break;
    case 0x02:
        bits = 16;
        kind = 1;
        break;
    case 0x03:
        bits = 32;
        kind = 1;
        break;
    case 0x08:
        bits = 8;
        break;
    case 0x09:
        bits = 16;
        break;
    case 0x0a:
        bits = 32;
        break;
    case 0x10:
        bits = 16;
        kind = 2;
        break;
    case 0x20:
        bits = 32;
        kind = 2;
        break;
    default:
        return false;
    }
    desc = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, kind};
    return channels == 1 || channels == 2 || channels == 4;
}

int cuArray3DCreate(Array** array, const ArrayDescriptor3D* descriptor)
{
    return driver::call("cuArray3DCreate", true, [&]() -> int {
        abi::ChannelDesc desc;
        if (!descriptor || !channelDesc(descriptor->format, descriptor->channels, desc))
            return abi::InvalidValue;
        return makeArray(array, desc, {descriptor->width, descriptor->height, descriptor->depth},
                         descriptor->flags);
    });
}

int cuArrayCreate(Array** array, const ArrayDescriptor* descriptor)
{
    if (!descriptor)
        return abi::InvalidValue;
    const ArrayDescriptor3D wide{descriptor->width,  descriptor->height,   0,
                                 descriptor->format, descriptor->channels, 0};
    return cuArray3DCreate(array, &wide);
}

int cuArray3DGetDescriptor(ArrayDescriptor3D* out, Array* array)
{
    return driver::call("cuArray3DGetDescriptor", true, [&]() -> int {
        if (!isArray(array))
            return abi::InvalidResourceHandle;
        if (!out)
            return abi::InvalidValue;
        const abi::ChannelDesc& desc = array->desc;
        const int size = desc.x == 8 ? 1 : desc.x == 16 ? 2 : 3;
        const int format = desc.kind == 2   ? (desc.x == 16 ? 0x10 : 0x20)
                           : desc.kind == 1 ? size
                                            : size + 7;
        *out = {array->extent.width,
                array->extent.height,
                array->extent.depth,
                format,
                unsigned(array->elementBytes * 8 / std::size_t(desc.x)),
                array->flags};
        return abi::Success;
    });
}

int cuArrayGetDescriptor(ArrayDescriptor* out, Array* array)
{
    ArrayDescriptor3D wide{};
    const int error = out ? cuArray3DGetDescriptor(&wide, array) : int(abi::InvalidValue);
    if (!error)
        *out = {wide.width, wide.height, wide.format, wide.channels};
    return error;
}

int cuArrayDestroy(Array* array)
{
    return driver::call("cuArrayDestroy", true, [&] { return destroyArray(array); });
}

template <typename Value>
void addFills(DriverFunctions& list, const char* const (&names)[8])
{
    using driver::address;
    list.push_back({names[0], address(&fill1D<Value, legacy>)});
    list.push_back({names[1], address(&fill1D<Value, perThread>)});
    list.push_back({names[2], address(&fill1DAsync<Value, legacy>)});
    list.push_back({names[3], address(&fill1DAsync<Value, perThread>)});
    list.push_back({names[4], address(&fill2D<Value, legacy>)});
    list.push_back({names[5], address(&fill2D<Value, perThread>)});
    list.push_back({names[6], address(&fill2DAsync<Value, legacy>)});
    list.push_back({names[7], address(&fill2DAsync<Value, perThread>)});
}

} // namespace

DriverFunctions driverMemoryFunctions()
{
    using driver::address;
    DriverFunctions list{
        RIDGELINE_ALIAS(cuMemGetInfo_v2, cudaMemGetInfo),
        {"cuMemAlloc_v2", address(cuMemAlloc)},
        {"cuMemAllocPitch_v2", address(cuMemAllocPitch)},
        RIDGELINE_ALIAS(cuMemAllocManaged, cudaMallocManaged),
        RIDGELINE_ALIAS(cuMemFree_v2, cudaFree),
        {"cuMemGetAddressRange_v2", address(cuMemGetAddressRange)},
        RIDGELINE_ALIAS(cuMemAllocHost_v2, cudaMallocHost),
        RIDGELINE_ALIAS(cuMemHostAlloc, cudaHostAlloc),
        RIDGELINE_ALIAS(cuMemFreeHost, cudaFreeHost),
        RIDGELINE_ALIAS(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer),
        RIDGELINE_ALIAS(cuMemHostGetFlags, cudaHostGetFlags),
        RIDGELINE_ALIAS(cuMemHostRegister_v2, cudaHostRegister),
        RIDGELINE_ALIAS(cuMemHostUnregister, cudaHostUnregister),
        RIDGELINE_ALIAS_PAIR(cuMemAllocAsync, cudaMallocAsync, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync, _ptsz),
        RIDGELINE_ALIAS_PAIR(cuMemFreeAsync, cudaFreeAsync, _ptsz),
        RIDGELINE_ALIAS(cuMemPoolCreate, cudaMemPoolCreate),
        RIDGELINE_ALIAS(cuMemPoolDestroy, cudaMemPoolDestroy),
        RIDGELINE_ALIAS(cuMemPoolTrimTo, cudaMemPoolTrimTo),
        RIDGELINE_ALIAS(cuMemPoolSetAttribute, cudaMemPoolSetAttribute),
        RIDGELINE_ALIAS(cuMemPoolGetAttribute, cudaMemPoolGetAttribute),
        RIDGELINE_ALIAS(cuMemPoolSetAccess, cudaMemPoolSetAccess),
        RIDGELINE_ALIAS(cuMemPoolGetAccess, cudaMemPoolGetAccess),
        RIDGELINE_ALIAS(cuMemGetDefaultMemPool, cudaMemGetDefaultMemPool),
        RIDGELINE_ALIAS(cuMemGetMemPool, cudaMemGetMemPool),
        RIDGELINE_ALIAS(cuMemSetMemPool, cudaMemSetMemPool),
        RIDGELINE_ALIAS(cuMemAdvise_v2, cudaMemAdvise),
        RIDGELINE_ALIAS(cuMemPrefetchAsync_v2, cudaMemPrefetchAsync),
        RIDGELINE_ALIAS(cuMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_ptsz),
        RIDGELINE_ALIAS(cuMemRangeGetAttribute, cudaMemRangeGetAttribute),
        RIDGELINE_ALIAS(cuMemRangeGetAttributes, cudaMemRangeGetAttributes),
        {"cuPointerGetAttribute", address(cuPointerGetAttribute)},
        {"cuPointerGetAttributes", address(cuPointerGetAttributes)},
        {"cuPointerSetAttribute", address(cuPointerSetAttribute)},
        {"cuMemcpy", address(&copyLinear<abi::DefaultCopy, legacy>)},
        {"cuMemcpy_ptds", address(&copyLinear<abi::DefaultCopy, perThread>)},
        {"cuMemcpyAsync", address(&copyLinearAsync<abi::DefaultCopy, legacy>)},
        {"cuMemcpyAsync_ptsz", address(&copyLinearAsync<abi::DefaultCopy, perThread>)},
        {"cuMemcpyHtoD_v2", address(&copyLinear<abi::HostToDevice, legacy>)},
        {"cuMemcpyHtoD_v2_ptds", address(&copyLinear<abi::HostToDevice, perThread>)},
        {"cuMemcpyHtoDAsync_v2", address(&copyLinearAsync<abi::HostToDevice, legacy>)},
        {"cuMemcpyHtoDAsync_v2_ptsz", address(&copyLinearAsync<abi::HostToDevice, perThread>)},
        {"cuMemcpyDtoH_v2", address(&copyLinear<abi::DeviceToHost, legacy>)},
        {"cuMemcpyDtoH_v2_ptds", address(&copyLinear<abi::DeviceToHost, perThread>)},
        {"cuMemcpyDtoHAsync_v2", address(&copyLinearAsync<abi::DeviceToHost, legacy>)},
        {"cuMemcpyDtoHAsync_v2_ptsz", address(&copyLinearAsync<abi::DeviceToHost, perThread>)},
        {"cuMemcpyDtoD_v2", address(&copyLinear<abi::DeviceToDevice, legacy>)},
        {"cuMemcpyDtoD_v2_ptds", address(&copyLinear<abi::DeviceToDevice, perThread>)},
        {"cuMemcpyDtoDAsync_v2", address(&copyLinearAsync<abi::DeviceToDevice, legacy>)},
        {"cuMemcpyDtoDAsync_v2_ptsz", address(&copyLinearAsync<abi::DeviceToDevice, perThread>)},
        {"cuMemcpyPeer", address(cuMemcpyPeer)},
        {"cuMemcpyPeerAsync", address(cuMemcpyPeerAsync)},
        {"cuMemcpy2D_v2", address(&copy2DSync<legacy>)},
        {"cuMemcpy2D_v2_ptds", address(&copy2DSync<perThread>)},
        {"cuMemcpy2DUnaligned_v2", address(&copy2DSync<legacy>)},
        {"cuMemcpy2DUnaligned_v2_ptds", address(&copy2DSync<perThread>)},
        {"cuMemcpy2DAsync_v2", address(&copy2DAsync<legacy>)},
        {"cuMemcpy2DAsync_v2_ptsz", address(&copy2DAsync<perThread>)},
        {"cuMemcpy3D_v2", address(&copy3DSync<legacy>)},
        {"cuMemcpy3D_v2_ptds", address(&copy3DSync<perThread>)},
        {"cuMemcpy3DAsync_v2", address(&copy3DAsync<legacy>)},
        {"cuMemcpy3DAsync_v2_ptsz", address(&copy3DAsync<perThread>)},
        {"cuArrayCreate_v2", address(cuArrayCreate)},
        {"cuArray3DCreate_v2", address(cuArray3DCreate)},
        {"cuArrayGetDescriptor_v2", address(cuArrayGetDescriptor)},
        {"cuArray3DGetDescriptor_v2", address(cuArray3DGetDescriptor)},
        {"cuArrayDestroy", address(cuArrayDestroy)},
    };
    addFills<std::uint8_t>(list, {"cuMemsetD8_v2", "cuMemsetD8_v2_ptds", "cuMemsetD8Async",
                                  "cuMemsetD8Async_ptsz", "cuMemsetD2D8_v2", "cuMemsetD2D8_v2_ptds",
                                  "cuMemsetD2D8Async", "cuMemsetD2D8Async_ptsz"});
    addFills<std::uint16_t>(list,
                            {"cuMemsetD16_v2", "cuMemsetD16_v2_ptds", "cuMemsetD16Async",
                             "cuMemsetD16Async_ptsz", "cuMemsetD2D16_v2", "cuMemsetD2D16_v2_ptds",
                             "cuMemsetD2D16Async", "cuMemsetD2D16Async_ptsz"});
    addFills<std::uint32_t>(list,
                            {"cuMemsetD32_v2", "cuMemsetD32_v2_ptds", "cuMemsetD32Async",
                             "cuMemsetD32Async_ptsz", "cuMemsetD2D32_v2", "cuMemsetD2D32_v2_ptds",
                             "cuMemsetD2D32Async", "cuMemsetD2D32Async_ptsz"});
    return list;
}

} // namespace ridgeline::emu
