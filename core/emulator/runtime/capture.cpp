// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/capture.h"

#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/graph.h"

#include <algorithm>
#include <set>
#include <thread>

namespace ridgeline::emu {

namespace {

std::recursive_mutex& captureMutex()
{
    static auto* mutex = new std::recursive_mutex;
    return *mutex;
}

/// Captures under way in the process, with the thread that began each.
struct Active {
    std::shared_ptr<Capture> capture;
    std::thread::id thread;
};

std::vector<Active>& active()
{
    static auto* all = new std::vector<Active>;
    return *all;
}

int& threadMode()
{
    thread_local int mode = 0;
    return mode;
}

void addTail(std::vector<GraphNode*>& tail, const std::vector<GraphNode*>& nodes)
{
    for (GraphNode* node : nodes) {
        if (std::find(tail.begin(), tail.end(), node) == tail.end())
            tail.push_back(node);
    }
}

/// Every node that `from` depends on, itself included.
std::set<const GraphNode*> ancestors(const std::vector<GraphNode*>& from)
{
    std::set<const GraphNode*> found;
    std::vector<const GraphNode*> open(from.begin(), from.end());
    while (!open.empty()) {
        const GraphNode* node = open.back();
        open.pop_back();
        if (!found.insert(node).second)
            continue;
        open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
    }
    return found;
}

int begin(Stream* handle, DefaultStream whichDefault, Graph* into, GraphNode* const* dependencies,
          std::size_t count, int mode)
{
    Stream* stream = findStream(handle, whichDefault);
    if (!stream)
        return abi::InvalidResourceHandle;
    if (mode < 0 || mode > 2)
        return abi::InvalidValue;
    if (stream == findStream(nullptr, DefaultStream::Legacy))
        return abi::StreamCaptureUnsupported;
    if (stream->capture)
        return abi::IllegalState;
    if (into && !isGraph(into))
        return abi::InvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
        if (!dependencies || !isGraphNode(dependencies[i]) || dependencies[i]->graph != into)
            return abi::InvalidValue;
    }
    auto capture = std::make_shared<Capture>();
    capture->id = Device::instance().nextId();
    capture->graph = into ? into : newGraph();
    capture->ownsGraph = !into;
    capture->origin = stream;
    capture->mode = mode;
    capture->streams.push_back(stream);
    stream->capture = capture;
    stream->captureTail.assign(dependencies, dependencies + count);
    const std::lock_guard lock(captureMutex());
    active().push_back({capture, std::this_thread::get_id()});
    return abi::Success;
}

int end(Stream* handle, DefaultStream whichDefault, Graph** result)
{
    Stream* stream = findStream(handle, whichDefault);
    if (!stream)
        return abi::InvalidResourceHandle;
    if (!result)
        return abi::InvalidValue;
    *result = nullptr;
    const std::shared_ptr<Capture> capture = stream->capture;
    if (!capture)
        return abi::IllegalState;
    const std::lock_guard lock(captureMutex());
    if (capture->origin != stream) {
        capture->invalidated = true;
        return abi::StreamCaptureUnmatched;
    }
    const auto self = std::find_if(active().begin(), active().end(),
                                   [&](const Active& entry) { return entry.capture == capture; });
    if (capture->mode != 2 && self != active().end() && self->thread != std::this_thread::get_id())
        return abi::StreamCaptureWrongThread;
    int error = capture->invalidated ? abi::StreamCaptureInvalidated : abi::Success;
    const std::set<const GraphNode*> joined = ancestors(stream->captureTail);
    for (const Stream* member : capture->streams) {
        for (const GraphNode* node : member->captureTail) {
            if (!error && !joined.count(node))
                error = abi::StreamCaptureUnjoined;
        }
    }
    for (const GraphNode* node : capture->orphans) {
        if (!error && !joined.count(node))
            error = abi::StreamCaptureUnjoined;
    }
    for (Stream* member : capture->streams) {
        member->capture.reset();
        member->captureTail.clear();
    }
    if (self != active().end())
        active().erase(self);
    if (!error)
        *result = capture->graph;
    else if (capture->ownsGraph)
        deleteGraph(capture->graph);
    return error;
}

int captureInfo(Stream* handle, DefaultStream whichDefault, int* status, unsigned long long* id,
                Graph** graph, GraphNode* const** dependencies, const abi::EdgeData** edges,
                std::size_t* count)
{
    Stream* stream = findStream(handle, whichDefault);
    if (!stream)
        return abi::InvalidResourceHandle;
    if (!status)
        return abi::InvalidValue;
    const Capture* capture = stream->capture.get();
    *status = !capture ? 0 : capture->invalidated ? 2 : 1;
    if (!capture || capture->invalidated)
        return abi::Success;
    if (id)
        *id = capture->id;
    if (graph)
        *graph = capture->graph;
    if (dependencies)
        *dependencies = stream->captureTail.data();
    if (edges)
        *edges = nullptr;
    if (count)
        *count = stream->captureTail.size();
    return abi::Success;
}

int updateDependencies(Stream* handle, DefaultStream whichDefault, GraphNode* const* dependencies,
                       std::size_t count, unsigned flags)
{
    Stream* stream = findStream(handle, whichDefault);
    if (!stream)
        return abi::InvalidResourceHandle;
    if (!stream->capture)
        return abi::IllegalState;
    if (flags > 1 || (count && !dependencies))
        return abi::InvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
        if (!isGraphNode(dependencies[i]) || dependencies[i]->graph != stream->capture->graph)
            return abi::InvalidValue;
    }
    if (flags == 1)
        stream->captureTail.clear();
    addTail(stream->captureTail, {dependencies, dependencies + count});
    return abi::Success;
}

} // namespace

int captureWork(Stream& stream, Work work)
{
    Capture& capture = *stream.capture;
    if (capture.invalidated)
        return abi::StreamCaptureInvalidated;
    int error = abi::Success;
    GraphNode* node = addNode(capture.graph, stream.captureTail.data(), stream.captureTail.size(),
                              std::move(work), error);
    if (!node) {
        capture.invalidated = true;
        return error;
    }
    stream.captureTail.assign(1, node);
    return abi::Success;
}

void leaveCapture(Stream& stream)
{
    if (!stream.capture)
        return;
    const std::lock_guard lock(captureMutex());
    const std::shared_ptr<Capture> capture = stream.capture;
    std::erase(capture->streams, &stream);
    if (capture->origin != &stream) {
        // Legal, as long as the others have waited for its work by the end.
        addTail(capture->orphans, stream.captureTail);
    } else {
        for (Stream* member : capture->streams) {
            member->capture.reset();
            member->captureTail.clear();
        }
        capture->invalidated = true;
        std::erase_if(active(), [&](const Active& entry) { return entry.capture == capture; });
        if (capture->ownsGraph)
            deleteGraph(capture->graph);
    }
    stream.capture.reset();
}

bool invalidateBlockingCaptures()
{
    const std::lock_guard lock(captureMutex());
    bool any = false;
    for (const Active& entry : active()) {
        for (const Stream* stream : entry.capture->streams) {
            if (!(stream->flags & 1)) {
                entry.capture->invalidated = true;
                any = true;
            }
        }
    }
    return any;
}

int captureWait(Stream& stream, const Event& event)
{
    if (!event.capture) {
        if (!stream.capture)
            return submit(&stream, DefaultStream::Legacy,
                          EventWaitWork{const_cast<Event*>(&event)});
        if (!event.recorded)
            return abi::Success;
        stream.capture->invalidated = true;
        return abi::StreamCaptureIsolation;
    }
    const std::lock_guard lock(captureMutex());
    const bool alive = std::any_of(active().begin(), active().end(), [&](const Active& entry) {
        return entry.capture == event.capture;
    });
    if (!alive)
        return abi::CapturedEvent;
    if (stream.capture && stream.capture != event.capture) {
        stream.capture->invalidated = true;
        event.capture->invalidated = true;
        return abi::StreamCaptureMerge;
    }
    if (!stream.capture) {
        if (&stream == findStream(nullptr, DefaultStream::Legacy)) {
            event.capture->invalidated = true;
            return abi::StreamCaptureImplicit;
        }
        stream.capture = event.capture;
        stream.captureTail.clear();
        event.capture->streams.push_back(&stream);
    }
    addTail(stream.captureTail, event.captureNodes);
    return abi::Success;
}

int refuseDuringCapture()
{
    const std::lock_guard lock(captureMutex());
    bool refused = false;
    for (const Active& entry : active()) {
        const bool own = entry.thread == std::this_thread::get_id();
        const bool concerned = (own && entry.capture->mode != 2 && threadMode() != 2) ||
                               (entry.capture->mode == 0 && threadMode() == 0);
        if (concerned) {
            entry.capture->invalidated = true;
            refused = true;
        }
    }
    return refused ? abi::StreamCaptureUnsupported : abi::Success;
}

RIDGELINE_CUDA_API int cudaThreadExchangeStreamCaptureMode(int* mode)
{
    return apiCall("cudaThreadExchangeStreamCaptureMode", [&]() -> int {
        if (!mode || *mode < 0 || *mode > 2)
            return abi::InvalidValue;
        std::swap(*mode, threadMode());
        return abi::Success;
    });
}

#define RIDGELINE_CAPTURE_PAIR(name, parameters, call)                                             \
    RIDGELINE_CUDA_API int name parameters                                                         \
    {                                                                                              \
        constexpr DefaultStream which = DefaultStream::Legacy;                                     \
        return apiCall(#name, [&] { return call; });                                               \
    }                                                                                              \
    RIDGELINE_CUDA_API int name##_ptsz parameters                                                  \
    {                                                                                              \
        constexpr DefaultStream which = DefaultStream::PerThread;                                  \
        return apiCall(#name, [&] { return call; });                                               \
    }

RIDGELINE_CAPTURE_PAIR(cudaStreamBeginCapture, (Stream * stream, int mode),
                       begin(stream, which, nullptr, nullptr, 0, mode))
RIDGELINE_CAPTURE_PAIR(cudaStreamBeginCaptureToGraph,
                       (Stream * stream, Graph* graph, GraphNode* const* dependencies,
                        const abi::EdgeData*, std::size_t count, int mode),
                       graph ? begin(stream, which, graph, dependencies, count, mode)
                             : int(abi::InvalidValue))
RIDGELINE_CAPTURE_PAIR(cudaStreamEndCapture, (Stream * stream, Graph** graph),
                       end(stream, which, graph))
RIDGELINE_CAPTURE_PAIR(cudaStreamIsCapturing, (Stream * stream, int* status),
                       captureInfo(stream, which, status, nullptr, nullptr, nullptr, nullptr,
                                   nullptr))
RIDGELINE_CAPTURE_PAIR(cudaStreamGetCaptureInfo,
                       (Stream * stream, int* status, unsigned long long* id, Graph** graph,
                        GraphNode* const** dependencies, const abi::EdgeData** edges,
                        std::size_t* count),
                       captureInfo(stream, which, status, id, graph, dependencies, edges, count))
RIDGELINE_CAPTURE_PAIR(cudaStreamUpdateCaptureDependencies,
                       (Stream * stream, GraphNode** dependencies, const abi::EdgeData*,
                        std::size_t count, unsigned flags),
                       updateDependencies(stream, which, dependencies, count, flags))

} // namespace ridgeline::emu
