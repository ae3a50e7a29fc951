// SPDX-License-Identifier: GPL-3.0-or-later
// cudaMemcpy* and cudaMemset*, plain and to symbols. Those with arrays are in array_api.cpp.
#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/pairs.h"
#include "core/emulator/runtime/stream.h"
#include "core/emulator/runtime/symbols.h"

namespace ridgeline::emu {

namespace {

/// Validates and submits. Synchronous copies also report the faults of earlier kernels.
int copyNow(const abi::Copy3D& copy, Stream* stream, DefaultStream whichDefault, bool async)
{
    if (!async) {
        if (const int error = refuseDuringCapture())
            return error;
    }
    if (const int error = validateCopy(copy))
        return error;
    return submit(stream, whichDefault, CopyWork{copy});
}

int linear(void* dst, const void* src, std::size_t bytes, int kind, Stream* stream,
           DefaultStream whichDefault, bool async)
{
    if (kind < 0 || kind > 4)
        return abi::InvalidMemcpyDirection;
    if (bytes == 0)
        return findStream(stream, whichDefault) ? abi::Success : abi::InvalidResourceHandle;
    return copyNow(linearCopy(dst, src, bytes, kind), stream, whichDefault, async);
}

int copy2D(void* dst, std::size_t dstPitch, const void* src, std::size_t srcPitch,
           std::size_t width, std::size_t height, int kind, Stream* stream,
           DefaultStream whichDefault, bool async)
{
    if (width > dstPitch || width > srcPitch)
        return abi::InvalidPitchValue;
    abi::Copy3D copy{};
    copy.src = {const_cast<void*>(src), srcPitch, width, height};
    copy.dst = {dst, dstPitch, width, height};
    copy.extent = {width, height, 1};
    copy.kind = kind;
    return copyNow(copy, stream, whichDefault, async);
}

int copy3D(const abi::Copy3D* copy, Stream* stream, DefaultStream whichDefault, bool async)
{
    return copy ? copyNow(*copy, stream, whichDefault, async) : int(abi::InvalidValue);
}

int peer3D(const abi::Copy3DPeer* peer, Stream* stream, DefaultStream whichDefault, bool async)
{
    if (!peer)
        return abi::InvalidValue;
    if (peer->srcDevice != 0 || peer->dstDevice != 0)
        return abi::InvalidDevice;
    const abi::Copy3D copy{peer->srcArray, peer->srcPos, peer->src,    peer->dstArray,
                           peer->dstPos,   peer->dst,    peer->extent, abi::DeviceToDevice};
    return copyNow(copy, stream, whichDefault, async);
}

int peer(void* dst, int dstDevice, const void* src, int srcDevice, std::size_t bytes,
         Stream* stream, DefaultStream whichDefault)
{
    if (srcDevice != 0 || dstDevice != 0)
        return abi::InvalidDevice;
    return linear(dst, src, bytes, abi::DefaultCopy, stream, whichDefault, true);
}

int symbolCopy(const void* symbol, void* other, std::size_t bytes, std::size_t offset, int kind,
               bool toSymbol, Stream* stream, DefaultStream whichDefault, bool async)
{
    char* address = nullptr;
    std::size_t size = 0;
    if (const int error = symbolPlace(symbol, address, size))
        return error;
    if (offset > size || bytes > size - offset)
        return abi::InvalidValue;
    const bool fits = kind == abi::DefaultCopy || kind == abi::DeviceToDevice ||
                      kind == (toSymbol ? abi::HostToDevice : abi::DeviceToHost);
    if (!fits)
        return abi::InvalidMemcpyDirection;
    return toSymbol ? linear(address + offset, other, bytes, kind, stream, whichDefault, async)
                    : linear(other, address + offset, bytes, kind, stream, whichDefault, async);
}

int fill(void* pointer, int value, std::size_t bytes, Stream* stream, DefaultStream whichDefault,
         bool async)
{
    MemsetWork work;
    work.params = {pointer, bytes, unsigned(value) & 0xff, 1, bytes, 1};
    if (!async) {
        if (const int error = refuseDuringCapture())
            return error;
    }
    if (bytes == 0)
        return findStream(stream, whichDefault) ? abi::Success : abi::InvalidResourceHandle;
    if (const int error = validateMemset(work))
        return error;
    return submit(stream, whichDefault, work);
}

int fill3D(void* pointer, std::size_t pitch, std::size_t slice, int value, std::size_t width,
           std::size_t height, std::size_t depth, Stream* stream, DefaultStream whichDefault,
           bool async)
{
    MemsetWork work;
    work.params = {pointer, pitch, unsigned(value) & 0xff, 1, width, height};
    work.depth = depth;
    work.slicePitch = slice;
    if (!async) {
        if (const int error = refuseDuringCapture())
            return error;
    }
    if (const int error = validateMemset(work))
        return error;
    return submit(stream, whichDefault, work);
}

int copyBatch(void* const* dsts, const void* const* srcs, const std::size_t* sizes,
              std::size_t count, Stream* stream, DefaultStream whichDefault)
{
    if (count == 0 || !dsts || !srcs || !sizes)
        return abi::InvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
        if (const int error =
                linear(dsts[i], srcs[i], sizes[i], abi::DefaultCopy, stream, whichDefault, true))
            return error;
    }
    return abi::Success;
}

} // namespace

RIDGELINE_SYNC_PAIR(cudaMemcpy, (void* dst, const void* src, std::size_t bytes, int kind),
                    linear(dst, src, bytes, kind, nullptr, which, false))
RIDGELINE_ASYNC_PAIR(cudaMemcpyAsync,
                     (void* dst, const void* src, std::size_t bytes, int kind, Stream* stream),
                     linear(dst, src, bytes, kind, stream, which, true))
RIDGELINE_SYNC_PAIR(cudaMemcpy2D,
                    (void* dst, std::size_t dstPitch, const void* src, std::size_t srcPitch,
                     std::size_t width, std::size_t height, int kind),
                    copy2D(dst, dstPitch, src, srcPitch, width, height, kind, nullptr, which,
                           false))
RIDGELINE_ASYNC_PAIR(cudaMemcpy2DAsync,
                     (void* dst, std::size_t dstPitch, const void* src, std::size_t srcPitch,
                      std::size_t width, std::size_t height, int kind, Stream* stream),
                     copy2D(dst, dstPitch, src, srcPitch, width, height, kind, stream, which, true))
RIDGELINE_SYNC_PAIR(cudaMemcpy3D, (const abi::Copy3D* copy), copy3D(copy, nullptr, which, false))
RIDGELINE_ASYNC_PAIR(cudaMemcpy3DAsync, (const abi::Copy3D* copy, Stream* stream),
                     copy3D(copy, stream, which, true))
RIDGELINE_SYNC_PAIR(cudaMemcpy3DPeer, (const abi::Copy3DPeer* copy),
                    peer3D(copy, nullptr, which, false))
RIDGELINE_ASYNC_PAIR(cudaMemcpy3DPeerAsync, (const abi::Copy3DPeer* copy, Stream* stream),
                     peer3D(copy, stream, which, true))
RIDGELINE_SYNC_PAIR(cudaMemcpyToSymbol,
                    (const void* symbol, void* src, std::size_t bytes, std::size_t offset,
                     int kind),
                    symbolCopy(symbol, src, bytes, offset, kind, true, nullptr, which, false))
RIDGELINE_SYNC_PAIR(cudaMemcpyFromSymbol,
                    (void* dst, const void* symbol, std::size_t bytes, std::size_t offset,
                     int kind),
                    symbolCopy(symbol, dst, bytes, offset, kind, false, nullptr, which, false))
RIDGELINE_ASYNC_PAIR(cudaMemcpyToSymbolAsync,
                     (const void* symbol, void* src, std::size_t bytes, std::size_t offset,
                      int kind, Stream* stream),
                     symbolCopy(symbol, src, bytes, offset, kind, true, stream, which, true))
RIDGELINE_ASYNC_PAIR(cudaMemcpyFromSymbolAsync,
                     (void* dst, const void* symbol, std::size_t bytes, std::size_t offset,
                      int kind, Stream* stream),
                     symbolCopy(symbol, dst, bytes, offset, kind, false, stream, which, true))
RIDGELINE_SYNC_PAIR(cudaMemset, (void* pointer, int value, std::size_t bytes),
                    fill(pointer, value, bytes, nullptr, which, false))
RIDGELINE_ASYNC_PAIR(cudaMemsetAsync, (void* pointer, int value, std::size_t bytes, Stream* stream),
                     fill(pointer, value, bytes, stream, which, true))
RIDGELINE_SYNC_PAIR(cudaMemset2D,
                    (void* pointer, std::size_t pitch, int value, std::size_t width,
                     std::size_t height),
                    fill3D(pointer, pitch, 0, value, width, height, 1, nullptr, which, false))
RIDGELINE_ASYNC_PAIR(cudaMemset2DAsync,
                     (void* pointer, std::size_t pitch, int value, std::size_t width,
                      std::size_t height, Stream* stream),
                     fill3D(pointer, pitch, 0, value, width, height, 1, stream, which, true))
RIDGELINE_SYNC_PAIR(cudaMemset3D, (abi::PitchedPointer to, int value, abi::Extent extent),
                    fill3D(to.pointer, to.pitch, to.pitch* to.ysize, value, extent.width,
                           extent.height, extent.depth, nullptr, which, false))
RIDGELINE_ASYNC_PAIR(cudaMemset3DAsync,
                     (abi::PitchedPointer to, int value, abi::Extent extent, Stream* stream),
                     fill3D(to.pointer, to.pitch, to.pitch* to.ysize, value, extent.width,
                            extent.height, extent.depth, stream, which, true))
RIDGELINE_ASYNC_PAIR(cudaMemcpyBatchAsync,
                     (void* const* dsts, const void* const* srcs, const std::size_t* sizes,
                      std::size_t count, abi::CopyAttributes*, std::size_t*, std::size_t,
                      Stream* stream),
                     copyBatch(dsts, srcs, sizes, count, stream, which))

RIDGELINE_CUDA_API int cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice,
                                      std::size_t bytes)
{
    return apiCall("cudaMemcpyPeer", Waits::Yes, [&] {
        return peer(dst, dstDevice, src, srcDevice, bytes, nullptr, DefaultStream::Legacy);
    });
}

RIDGELINE_CUDA_API int cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice,
                                           std::size_t bytes, Stream* stream)
{
    return apiCall("cudaMemcpyPeerAsync", [&] {
        return peer(dst, dstDevice, src, srcDevice, bytes, stream, DefaultStream::Legacy);
    });
}

RIDGELINE_CUDA_API int cudaGetSymbolAddress(void** result, const void* symbol)
{
    return apiCall("cudaGetSymbolAddress", [&]() -> int {
        char* address = nullptr;
        std::size_t size = 0;
        if (!result)
            return abi::InvalidValue;
        const int error = symbolPlace(symbol, address, size);
        if (!error)
            *result = address;
        return error;
    });
}

RIDGELINE_CUDA_API int cudaGetSymbolSize(std::size_t* result, const void* symbol)
{
    return apiCall("cudaGetSymbolSize", [&]() -> int {
        char* address = nullptr;
        std::size_t size = 0;
        if (!result)
            return abi::InvalidValue;
        const int error = symbolPlace(symbol, address, size);
        if (!error)
            *result = size;
        return error;
    });
}

} // namespace ridgeline::emu
