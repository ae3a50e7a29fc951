// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/capture.h"

#include <set>

namespace ridgeline::emu {

namespace {

constexpr unsigned disableTiming = 2, interprocess = 4;

std::mutex& eventMutex()
{
    static auto* mutex = new std::mutex;
    return *mutex;
}

std::set<const Event*>& events()
{
    static auto* all = new std::set<const Event*>;
    return *all;
}

int createEvent(Event** result, unsigned flags)
{
    // Bits: 1 blocking synchronisation, 2 no timing, 4 between processes.
    if (!result || (flags & ~7u) || ((flags & interprocess) && !(flags & disableTiming)))
        return abi::InvalidValue;
    auto* event = new Event;
    event->flags = flags;
    const std::lock_guard lock(eventMutex());
    events().insert(event);
    *result = event;
    return abi::Success;
}

int recordEvent(Event* event, Stream* handle, unsigned flags, DefaultStream whichDefault)
{
    if (!isEvent(event))
        return abi::InvalidResourceHandle;
    if (flags > 1)
        return abi::InvalidValue;
    Stream* stream = findStream(handle, whichDefault);
    if (!stream)
        return abi::InvalidResourceHandle;
    const bool external = flags == 1;
    if (stream->capture && !external) {
        event->capture = stream->capture;
        event->captureNodes = stream->captureTail;
        return abi::Success;
    }
    return submit(handle, whichDefault, EventRecordWork{event});
}

int waitEvent(Stream* handle, Event* event, unsigned flags, DefaultStream whichDefault)
{
    if (!isEvent(event))
        return abi::InvalidResourceHandle;
    if (flags > 1)
        return abi::InvalidValue;
    Stream* stream = findStream(handle, whichDefault);
    if (!stream)
        return abi::InvalidResourceHandle;
    if (flags == 1)
        return submit(handle, whichDefault, EventWaitWork{event});
    return captureWait(*stream, *event);
}

/// For calls that ask an event: captured ones have no answer.
int askEvent(const Event* event)
{
    if (!isEvent(event))
        return abi::InvalidResourceHandle;
    if (event->capture)
        return abi::CapturedEvent;
    return event->recorded ? Device::instance().synchronise() : abi::Success;
}

} // namespace

bool isEvent(const Event* event)
{
    const std::lock_guard lock(eventMutex());
    return events().count(event) != 0;
}

RIDGELINE_CUDA_API int cudaEventCreate(Event** result)
{
    return apiCall("cudaEventCreate", [&] { return createEvent(result, 0); });
}

RIDGELINE_CUDA_API int cudaEventCreateWithFlags(Event** result, unsigned flags)
{
    return apiCall("cudaEventCreateWithFlags", [&] { return createEvent(result, flags); });
}

RIDGELINE_CUDA_API int cudaEventDestroy(Event* event)
{
    return apiCall("cudaEventDestroy", [&]() -> int {
        {
            const std::lock_guard lock(eventMutex());
            if (!events().erase(event))
                return abi::InvalidResourceHandle;
        }
        delete event;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaEventRecord(Event* event, Stream* stream)
{
    return apiCall("cudaEventRecord",
                   [&] { return recordEvent(event, stream, 0, DefaultStream::Legacy); });
}

RIDGELINE_CUDA_API int cudaEventRecord_ptsz(Event* event, Stream* stream)
{
    return apiCall("cudaEventRecord",
                   [&] { return recordEvent(event, stream, 0, DefaultStream::PerThread); });
}

RIDGELINE_CUDA_API int cudaEventRecordWithFlags(Event* event, Stream* stream, unsigned flags)
{
    return apiCall("cudaEventRecordWithFlags",
                   [&] { return recordEvent(event, stream, flags, DefaultStream::Legacy); });
}

RIDGELINE_CUDA_API int cudaEventRecordWithFlags_ptsz(Event* event, Stream* stream, unsigned flags)
{
    return apiCall("cudaEventRecordWithFlags",
                   [&] { return recordEvent(event, stream, flags, DefaultStream::PerThread); });
}

RIDGELINE_CUDA_API int cudaStreamWaitEvent(Stream* stream, Event* event, unsigned flags)
{
    return apiCall("cudaStreamWaitEvent",
                   [&] { return waitEvent(stream, event, flags, DefaultStream::Legacy); });
}

RIDGELINE_CUDA_API int cudaStreamWaitEvent_ptsz(Stream* stream, Event* event, unsigned flags)
{
    return apiCall("cudaStreamWaitEvent",
                   [&] { return waitEvent(stream, event, flags, DefaultStream::PerThread); });
}

RIDGELINE_CUDA_API int cudaEventQuery(Event* event)
{
    return apiCall("cudaEventQuery", [&] { return askEvent(event); });
}

RIDGELINE_CUDA_API int cudaEventSynchronize(Event* event)
{
    return apiCall("cudaEventSynchronize", [&] { return askEvent(event); });
}

RIDGELINE_CUDA_API int cudaEventElapsedTime(float* milliseconds, Event* start, Event* end)
{
    return apiCall("cudaEventElapsedTime", [&]() -> int {
        if (!isEvent(start) || !isEvent(end))
            return abi::InvalidResourceHandle;
        if (!milliseconds)
            return abi::InvalidValue;
        if (start->capture || end->capture)
            return abi::CapturedEvent;
        if (!start->recorded || !end->recorded || ((start->flags | end->flags) & disableTiming))
            return abi::InvalidResourceHandle;
        // Host time of the emulation: real, but no statement about the modelled device.
        *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
        return Device::instance().synchronise();
    });
}

} // namespace ridgeline::emu
