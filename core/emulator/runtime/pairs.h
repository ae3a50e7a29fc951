// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that exist twice: the second one, with a suffix, is what programs call that were
// compiled with --default-stream per-thread. `which` names the default stream in the expression.
#pragma once

#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/stream.h"

#define RIDGELINE_PAIR_(name, suffix, waits, parameters, call)                                     \
    RIDGELINE_CUDA_API int name parameters                                                         \
    {                                                                                              \
        [[maybe_unused]] constexpr DefaultStream which = DefaultStream::Legacy;                    \
        return apiCall(#name, waits, [&]() -> int { return call; });                               \
    }                                                                                              \
    RIDGELINE_CUDA_API int name##suffix parameters                                                 \
    {                                                                                              \
        [[maybe_unused]] constexpr DefaultStream which = DefaultStream::PerThread;                 \
        return apiCall(#name, waits, [&]() -> int { return call; });                               \
    }

/// A call that waits for the default stream: reports earlier faults.
#define RIDGELINE_SYNC_PAIR(name, parameters, call)                                                \
    RIDGELINE_PAIR_(name, _ptds, Waits::Yes, parameters, call)
/// A call that takes a stream and returns at once.
#define RIDGELINE_ASYNC_PAIR(name, parameters, call)                                               \
    RIDGELINE_PAIR_(name, _ptsz, Waits::No, parameters, call)
