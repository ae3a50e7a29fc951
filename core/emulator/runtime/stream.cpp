// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/stream.h"

#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/capture.h"

#include <algorithm>
#include <set>
#include <shared_mutex>

namespace ridgeline::emu {

namespace {

constexpr unsigned nonBlocking = 1;

struct Registry {
    std::mutex mutex;
    std::set<Stream*> streams;
    Stream legacy;
    /// Held shared by work of blocking streams and exclusively by the legacy stream's.
    std::shared_mutex legacyOrder;
    Registry()
    {
        legacy.isDefault = true;
        legacy.id = 1;
    }
};

Registry& registry()
{
    static auto* made = new Registry;
    return *made;
}

Stream& perThreadStream()
{
    // Leaked on purpose: events and graphs may outlive the thread.
    thread_local Stream* stream = [] {
        auto* fresh = new Stream;
        fresh->isDefault = true;
        fresh->flags = 0;
        fresh->id = Device::instance().nextId() + 2;
        return fresh;
    }();
    return *stream;
}

int runInStream(Stream* stream, const Work& work)
{
    // Host functions may wait for other threads' work: they must not hold up the other streams.
    if (const auto* host = std::get_if<HostWork>(&work)) {
        const std::lock_guard inOrder(stream->execution);
        host->function(host->userData);
        return abi::Success;
    }
    Registry& all = registry();
    const std::lock_guard inOrder(stream->execution);
    if (stream == &all.legacy) {
        const std::unique_lock alone(all.legacyOrder);
        return perform(work);
    }
    if (!(stream->flags & nonBlocking)) {
        const std::shared_lock shared(all.legacyOrder);
        return perform(work);
    }
    return perform(work);
}

int createStream(Stream** result, unsigned flags, int priority)
{
    if (!result || (flags & ~nonBlocking))
        return abi::InvalidValue;
    auto* stream = new Stream;
    stream->id = Device::instance().nextId() + 2;
    stream->flags = flags;
    stream->priority = std::clamp(priority, -5, 0);
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    all.streams.insert(stream);
    *result = stream;
    return abi::Success;
}

} // namespace

Stream* findStream(Stream* handle, DefaultStream whichDefault)
{
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    if (number == 1 || (number == 0 && whichDefault == DefaultStream::Legacy))
        return &registry().legacy;
    if (number == 2 || number == 0)
        return &perThreadStream();
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    if (all.streams.count(handle) || handle == &all.legacy || handle == &perThreadStream())
        return handle;
    return nullptr;
}

int submit(Stream* handle, DefaultStream whichDefault, Work work)
{
    Stream* stream = findStream(handle, whichDefault);
    if (!stream)
        return abi::InvalidResourceHandle;
    if (stream->capture)
        return captureWork(*stream, std::move(work));
    if (stream == &registry().legacy && invalidateBlockingCaptures())
        return abi::StreamCaptureImplicit;
    if (Device::instance().faulted())
        return abi::Success; // the device is dead; the fault is told at the next synchronisation
    return runInStream(stream, work);
}

int waitForStream(Stream* stream)
{
    if (stream->capture) {
        stream->capture->invalidated = true;
        return abi::StreamCaptureUnsupported;
    }
    // Another thread may be in the middle of this stream's work.
    const std::lock_guard inOrder(stream->execution);
    return Device::instance().synchronise();
}

RIDGELINE_CUDA_API int cudaStreamCreate(Stream** result)
{
    return apiCall("cudaStreamCreate", [&] { return createStream(result, 0, 0); });
}

RIDGELINE_CUDA_API int cudaStreamCreateWithFlags(Stream** result, unsigned flags)
{
    return apiCall("cudaStreamCreateWithFlags", [&] { return createStream(result, flags, 0); });
}

RIDGELINE_CUDA_API int cudaStreamCreateWithPriority(Stream** result, unsigned flags, int priority)
{
    return apiCall("cudaStreamCreateWithPriority",
                   [&] { return createStream(result, flags, priority); });
}

RIDGELINE_CUDA_API int cudaStreamDestroy(Stream* handle)
{
    return apiCall("cudaStreamDestroy", [&]() -> int {
        Registry& all = registry();
        Stream* doomed = nullptr;
        {
            const std::lock_guard lock(all.mutex);
            if (!all.streams.erase(handle))
                return abi::InvalidResourceHandle;
            doomed = handle;
        }
        leaveCapture(*doomed);
        {
            const std::lock_guard last(doomed->execution);
        }
        delete doomed;
        return abi::Success;
    });
}

namespace {

int streamSynchronize(const char* name, Stream* handle, DefaultStream whichDefault)
{
    return apiCall(name, [&]() -> int {
        Stream* stream = findStream(handle, whichDefault);
        return stream ? waitForStream(stream) : abi::InvalidResourceHandle;
    });
}

template <typename Get>
int streamGet(const char* name, Stream* handle, DefaultStream whichDefault, Get get)
{
    return apiCall(name, [&]() -> int {
        Stream* stream = findStream(handle, whichDefault);
        return stream ? get(*stream) : abi::InvalidResourceHandle;
    });
}

int copyAttributes(Stream* to, Stream* from, DefaultStream whichDefault)
{
    return apiCall("cudaStreamCopyAttributes", [&]() -> int {
        Stream* dst = findStream(to, whichDefault);
        Stream* src = findStream(from, whichDefault);
        if (!dst || !src)
            return abi::InvalidResourceHandle;
        dst->attributes = src->attributes;
        return abi::Success;
    });
}

int getAttribute(Stream& stream, int id, abi::LaunchAttributeValue* value)
{
    if (!value)
        return abi::InvalidValue;
    const auto found = stream.attributes.find(id);
    *value = found == stream.attributes.end() ? abi::LaunchAttributeValue{} : found->second;
    if (id == 8)
        value->priority = stream.priority;
    return abi::Success;
}

} // namespace

// Every stream function exists a second time, with the suffix _ptsz, for programs compiled with
// --default-stream per-thread.
#define RIDGELINE_STREAM_PAIR(name, parameters, call)                                              \
    RIDGELINE_CUDA_API int name parameters                                                         \
    {                                                                                              \
        constexpr DefaultStream whichDefault = DefaultStream::Legacy;                              \
        constexpr const char* self = #name;                                                        \
        (void)self;                                                                                \
        return call;                                                                               \
    }                                                                                              \
    RIDGELINE_CUDA_API int name##_ptsz parameters                                                  \
    {                                                                                              \
        constexpr DefaultStream whichDefault = DefaultStream::PerThread;                           \
        constexpr const char* self = #name;                                                        \
        (void)self;                                                                                \
        return call;                                                                               \
    }

RIDGELINE_STREAM_PAIR(cudaStreamSynchronize, (Stream * handle),
                      streamSynchronize(self, handle, whichDefault))
// Work is done when the call that submitted it returns, so a query is a synchronisation.
RIDGELINE_STREAM_PAIR(cudaStreamQuery, (Stream * handle),
                      streamSynchronize(self, handle, whichDefault))
RIDGELINE_STREAM_PAIR(cudaStreamGetPriority, (Stream * handle, int* value),
                      streamGet(self, handle, whichDefault, [&](Stream& stream) -> int {
                          return value ? (*value = stream.priority, abi::Success)
                                       : abi::InvalidValue;
                      }))
RIDGELINE_STREAM_PAIR(cudaStreamGetFlags, (Stream * handle, unsigned* value),
                      streamGet(self, handle, whichDefault, [&](Stream& stream) -> int {
                          return value ? (*value = stream.flags, abi::Success) : abi::InvalidValue;
                      }))
RIDGELINE_STREAM_PAIR(cudaStreamGetId, (Stream * handle, unsigned long long* value),
                      streamGet(self, handle, whichDefault, [&](Stream& stream) -> int {
                          return value ? (*value = stream.id, abi::Success) : abi::InvalidValue;
                      }))
RIDGELINE_STREAM_PAIR(cudaStreamGetDevice, (Stream * handle, int* value),
                      streamGet(self, handle, whichDefault, [&](Stream&) -> int {
                          return value ? (*value = 0, abi::Success) : abi::InvalidValue;
                      }))
RIDGELINE_STREAM_PAIR(cudaStreamCopyAttributes, (Stream * to, Stream* from),
                      copyAttributes(to, from, whichDefault))
RIDGELINE_STREAM_PAIR(cudaStreamGetAttribute,
                      (Stream * handle, int id, abi::LaunchAttributeValue* value),
                      streamGet(self, handle, whichDefault,
                                [&](Stream& stream) { return getAttribute(stream, id, value); }))
RIDGELINE_STREAM_PAIR(cudaStreamSetAttribute,
                      (Stream * handle, int id, const abi::LaunchAttributeValue* value),
                      streamGet(self, handle, whichDefault, [&](Stream& stream) -> int {
                          return value ? (stream.attributes[id] = *value, abi::Success)
                                       : abi::InvalidValue;
                      }))
RIDGELINE_STREAM_PAIR(cudaStreamAttachMemAsync,
                      (Stream * handle, void* pointer, std::size_t, unsigned),
                      streamGet(self, handle, whichDefault, [&](Stream&) -> int {
                          return Device::instance().memory().find(
                                     reinterpret_cast<std::uintptr_t>(pointer))
                                     ? abi::Success
                                     : abi::InvalidValue;
                      }))
RIDGELINE_STREAM_PAIR(cudaLaunchHostFunc,
                      (Stream * handle, abi::HostFunction function, void* userData),
                      apiCall(self, [&]() -> int {
                          return function
                                     ? submit(handle, whichDefault, HostWork{function, userData})
                                     : abi::InvalidValue;
                      }))

namespace {

int addCallback(Stream* handle, void (*callback)(Stream*, int, void*), void* userData,
                unsigned flags, DefaultStream whichDefault)
{
    return apiCall("cudaStreamAddCallback", [&]() -> int {
        Stream* stream = findStream(handle, whichDefault);
        if (!stream)
            return abi::InvalidResourceHandle;
        if (!callback || flags != 0)
            return abi::InvalidValue;
        if (stream->capture) {
            stream->capture->invalidated = true;
            return abi::StreamCaptureUnsupported;
        }
        const std::lock_guard inOrder(stream->execution);
        callback(handle,
                 Device::instance().faulted() ? Device::instance().synchronise() : abi::Success,
                 userData);
        return abi::Success;
    });
}

} // namespace

RIDGELINE_STREAM_PAIR(cudaStreamAddCallback,
                      (Stream * handle, void (*callback)(Stream*, int, void*), void* userData,
                       unsigned flags),
                      addCallback(handle, callback, userData, flags, whichDefault))

RIDGELINE_CUDA_API int cudaDeviceSynchronize()
{
    return apiCall("cudaDeviceSynchronize", Waits::Yes, []() -> int {
        if (const int error = refuseDuringCapture())
            return error;
        return Device::instance().synchronise();
    });
}

RIDGELINE_CUDA_API int cudaCtxResetPersistingL2Cache()
{
    return apiCall("cudaCtxResetPersistingL2Cache", [] { return abi::Success; });
}

RIDGELINE_CUDA_API int cudaDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    return apiCall("cudaDeviceGetStreamPriorityRange", [&] {
        if (least)
            *least = 0;
        if (greatest)
            *greatest = -5;
        return abi::Success;
    });
}

} // namespace ridgeline::emu
