// SPDX-License-Identifier: GPL-3.0-or-later
// The virtual machine's face: PTX text in, launches out. The runtime API (libcudart) stands on
// this.
#pragma once

#include "core/emulator/memory.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::emu {

struct Dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint64_t count() const { return std::uint64_t(x) * y * z; }
    bool operator==(const Dim3&) const = default;
};

struct ParamInfo {
    std::uint32_t offset = 0; ///< in the parameter block
    std::uint32_t size = 0;
    std::uint32_t align = 1;
};

struct KernelInfo {
    std::string name; ///< as in PTX, i.e. mangled
    std::vector<ParamInfo> params;
    std::uint32_t paramBytes = 0;
    std::uint32_t sharedStatic = 0;
    std::uint32_t localBytes = 0; ///< per thread
    std::uint32_t maxThreads = 0; ///< product of .maxntid/.reqntid, 0 = not said
    std::array<std::uint32_t, 3> requiredBlock{0, 0, 0};
    std::uint32_t virtualRegisters = 0;
};

struct GlobalInfo {
    std::string name;
    void* address = nullptr;
    std::size_t size = 0;
    bool constant = false;
};

/// A loaded and linked set of PTX texts. Immutable after loading except for its variables' bytes;
/// may be launched from several threads.
class Module {
public:
    virtual ~Module() = default;
    virtual const KernelInfo* kernel(std::string_view name) const = 0;
    virtual std::vector<const KernelInfo*> kernels() const = 0;
    virtual const GlobalInfo* global(std::string_view name) const = 0;
};

/// Why PTX was refused. Everything not implemented is refused here, at load, never guessed.
struct LoadError {
    std::string message; ///< e.g. "opcode 'wgmma.mma_async' is not implemented"
    std::string opcode;
    std::string kernel;
    int line = 0; ///< line of the PTX text, one-based
};

struct LoadResult {
    std::shared_ptr<Module> module; ///< null on error
    LoadError error;
};

/// Parses and links PTX texts (several when compiled with -rdc=true) into one module whose
/// variables live in `memory`.
/// An opcode that is not implemented in a kernel (or a function it calls) does not stop the other
/// kernels: `lazyErrors` true defers it to launch() of that kernel; false fails the load.
LoadResult loadModule(const std::vector<std::string_view>& ptxTexts, Memory& memory,
                      bool lazyErrors = true);

/// What one launch did. Definitions: README.md (the counters line).
struct Counters {
    std::uint64_t warpInstructions = 0, threadInstructions = 0;
    std::uint64_t flopsFp64 = 0, flopsFp32 = 0, flopsFp16 = 0, flopsBf16 = 0, flopsTensor = 0,
                  special = 0;
    std::uint64_t globalLoadBytes = 0, globalStoreBytes = 0, globalLoadRequests = 0,
                  globalStoreRequests = 0;
    std::uint64_t globalLoadSectors = 0, globalStoreSectors = 0, globalAtomics = 0;
    std::uint64_t sharedLoadBytes = 0, sharedStoreBytes = 0, sharedLoadRequests = 0,
                  sharedStoreRequests = 0;
    std::uint64_t sharedLoadWavefronts = 0, sharedStoreWavefronts = 0;
    std::uint64_t localLoadBytes = 0, localStoreBytes = 0;
    std::uint64_t uniqueLoadBytes = 0, uniqueStoreBytes = 0;
    void add(const Counters& other);
};

struct SourceLine {
    std::string file;
    int line = 0;
};

/// One thread's access, for reports.
struct AccessSite {
    Dim3 block, thread;     ///< indices, not sizes
    std::string access;     ///< "write", "read", "atomic"
    std::uint32_t size = 0; ///< bytes
    SourceLine source;      ///< from .loc; empty without -lineinfo
    int ptxLine = 0;
};

/// A checker's report, deduplicated by kind and site; `count` is how often it happened.
struct CheckReport {
    std::string checker; ///< memory, race, init, sync
    std::string kind;    ///< "out of bounds", "misaligned", "use after free", "RAW", "WAR", "WAW",
                         ///< "uninitialized read", "divergent barrier" …
    std::string space;   ///< global, shared, local
    std::string text;    ///< compute-sanitizer's wording, several lines
    std::string kernel;
    std::uint64_t address = 0;
    AccessSite site;
    AccessSite other; ///< second side of a race
    std::uint64_t count = 1;
};

enum class LaunchStatus {
    Ok,
    IllegalAddress,
    MisalignedAddress,
    Trap,
    Assert,
    IllegalInstruction,
    NotImplemented,
    OutOfMemory,
    Deadlock
};

struct LaunchConfig {
    Dim3 grid, block;
    std::uint32_t dynamicShared = 0;
    bool cooperative = false;
    const void* params = nullptr; ///< KernelInfo::paramBytes bytes laid out by ParamInfo::offset
};

struct ExecOptions {
    unsigned threads = 0;   ///< workers, 0 = all cores
    std::uint64_t seed = 0; ///< schedule seed, 0 = in order
    bool checkMemory = false, checkRace = false, checkInit = false, checkSync = false;
    bool count = true;
    std::function<void(std::string_view)> print; ///< device printf; null = stdout
};

struct LaunchResult {
    LaunchStatus status = LaunchStatus::Ok;
    std::string message; ///< for people: what, kernel, block, thread, address, source line
    Counters counters;
    std::vector<CheckReport> reports;
    std::uint64_t wallNs = 0;
};

/// Runs a kernel to its end. Bounds of global accesses are always enforced (an access outside any
/// allocation ends the launch with IllegalAddress instead of crashing the process); the checkers
/// report and go on where compute-sanitizer does.
LaunchResult launch(const Module& module, const KernelInfo& kernel, Memory& memory,
                    const LaunchConfig& config, const ExecOptions& options);

} // namespace ridgeline::emu
