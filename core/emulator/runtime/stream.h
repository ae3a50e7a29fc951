// SPDX-License-Identifier: GPL-3.0-or-later
// Streams and events. Work runs in the calling thread when it is submitted, so a stream is an
// order, not a thread: every interleaving a program sees is one that a real device may show.
#pragma once

#include "core/emulator/runtime/work.h"

#include <chrono>
#include <optional>

namespace ridgeline::emu {

/// A capture sequence: several streams may take part in one.
struct Capture {
    std::uint64_t id = 0;
    Graph* graph = nullptr;
    bool ownsGraph = true; ///< false after cudaStreamBeginCaptureToGraph
    Stream* origin = nullptr;
    int mode = 0; ///< 0 global, 1 thread-local, 2 relaxed
    bool invalidated = false;
    std::vector<Stream*> streams;
    std::vector<GraphNode*> orphans; ///< last work of streams destroyed since; must be joined too
};

struct Stream {
    std::uint64_t id = 0;
    unsigned flags = 0; ///< 1 = does not wait for the legacy stream
    int priority = 0;
    bool isDefault = false;
    std::recursive_mutex execution;
    std::shared_ptr<Capture> capture;    ///< null when not capturing
    std::vector<GraphNode*> captureTail; ///< what the next captured work depends on
    std::map<int, abi::LaunchAttributeValue> attributes;
};

struct Event {
    unsigned flags = 0; ///< 2 = no timing
    bool recorded = false;
    std::chrono::steady_clock::time_point time;
    std::shared_ptr<Capture> capture;     ///< when last recorded in a capturing stream
    std::vector<GraphNode*> captureNodes; ///< what a stream that waits for it depends on
};

/// Which default stream a null handle means.
enum class DefaultStream { Legacy, PerThread };

/// The stream a handle means, null when it is no stream.
Stream* findStream(Stream* handle, DefaultStream whichDefault = DefaultStream::Legacy);
bool isEvent(const Event* event);

/// Performs the work, or records it when the stream captures.
int submit(Stream* handle, DefaultStream whichDefault, Work work);

/// For calls that may not run while the thread captures (cudaMalloc and friends): an error code,
/// or Success. Invalidates the capture, as CUDA does.
int refuseDuringCapture();

/// Wakes nothing, waits for nothing (work is done already), but reports a fault.
int waitForStream(Stream* stream);

} // namespace ridgeline::emu
