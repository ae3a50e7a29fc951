// SPDX-License-Identifier: GPL-3.0-or-later
// Stream capture: work becomes graph nodes instead of running.
#pragma once

#include "core/emulator/runtime/stream.h"

namespace ridgeline::emu {

/// Adds the work to the stream's capture graph, after what the stream did before.
int captureWork(Stream& stream, Work work);
/// The stream is destroyed; a capture that it began is over.
void leaveCapture(Stream& stream);
/// Work in the legacy stream would order itself with every blocking stream: captures of those
/// become invalid. True when there was one.
bool invalidateBlockingCaptures();
/// `stream` waits for an event: joins or extends a capture. Success also when nobody captures.
int captureWait(Stream& stream, const Event& event);

} // namespace ridgeline::emu
