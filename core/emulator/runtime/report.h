// SPDX-License-Identifier: GPL-3.0-or-later
// Counters and checker reports, written as core/emulator/README.md says.
#pragma once

#include "core/emulator/runtime/work.h"

#include <string>
#include <string_view>

namespace ridgeline::emu {

/// The label of the launches to come (ridgeline_emu_mark).
void setLaunchLabel(std::string label);

/// Writes the launch's counters line and its checker reports. Thread-safe.
void recordLaunch(const KernelWork& work, const LaunchResult& result);

/// A failed API call, as the memory checker reports it. Never an error in itself: the program may
/// expect it.
void reportApiError(const char* function, int code);

/// A fault that ended a kernel, for people, when no checker said it already.
void reportFault(const LaunchResult& result, int code);

/// `text` with what JSON wants escaped; bytes that are no UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);
/// C++ names readable; anything else as it is.
std::string demangle(const std::string& name);
/// One counters line, without the newline.
std::string countersLine(std::uint64_t launch, const std::string& label, const KernelWork& work,
                         const LaunchResult& result);
/// One report line, without the newline.
std::string reportLine(const CheckReport& report);

} // namespace ridgeline::emu
