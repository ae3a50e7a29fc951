// SPDX-License-Identifier: GPL-3.0-or-later
// The devices that the emulated device can stand for.
#pragma once

#include <cstddef>
#include <string_view>

namespace ridgeline::emu {

/// Limits a program can see or run into. Sources: CUDA C++ Programming Guide, technical
/// specifications per compute capability; vendor data sheets for the rest.
struct DeviceModel {
    std::string_view id; ///< value of RIDGELINE_EMU_MODEL
    const char* name;    ///< what the real device calls itself
    int major, minor;    ///< compute capability
    int multiprocessors;
    std::size_t memoryBytes;
    std::size_t l2Bytes;
    int clockKHz; ///< boost clock
    int memoryClockKHz;
    int memoryBusBits;
    int sharedPerSm; ///< bytes
    int sharedPerBlockOptin;
    int threadsPerSm;
    int blocksPerSm;
    int fp32PerFp64; ///< single to double throughput
    int copyEngines;
    bool ecc;

    int capability() const { return major * 10 + minor; }
};

inline constexpr int sharedPerBlockDefault = 48 * 1024; ///< without opting in
inline constexpr int sharedReservedPerBlock = 1024;     ///< for the system, cc 8.0 on
inline constexpr int registersPerSm = 65536;
inline constexpr int maxThreadsPerBlock = 1024;

/// Null for an unknown id; the empty id is the default model, a100-80-sxm.
const DeviceModel* findModel(std::string_view id);
/// "a100-80-sxm, h100-sxm, l4, rtx4090", for messages.
const char* modelList();

} // namespace ridgeline::emu
