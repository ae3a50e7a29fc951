// SPDX-License-Identifier: GPL-3.0-or-later
// The one emulated device of a process: its settings, memory, loaded programs and error state.
// Both faces, the runtime API (libcudart) and the driver API (libcuda), stand on this.
#pragma once

#include "core/emulator/memory.h"
#include "core/emulator/runtime/abi.h"
#include "core/emulator/runtime/models.h"
#include "core/emulator/vm.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ridgeline::emu {

/// From the environment; the variables are listed in core/emulator/README.md.
struct Settings {
    const DeviceModel* model = nullptr;
    std::string countersPath, reportPath;
    bool checkMemory = false, checkRace = false, checkInit = false, checkSync = false;
    std::uint64_t seed = 0;
    unsigned threads = 0;
    std::size_t memoryBytes = 0;

    /// Reads the environment. A value that cannot be used is named in `problems`, and the default
    /// stands in its place.
    static Settings fromEnvironment(std::vector<std::string>& problems);
};

class Binary;

/// A kernel as programs hold it: cudaKernel_t, cudaFunction_t and CUfunction point at one of these.
struct Function {
    Binary* binary = nullptr;
    std::string name;                  ///< mangled
    const void* hostSymbol = nullptr;  ///< address of the host stub, null when loaded by name
    std::atomic<int> dynamicShared{0}; ///< opted-in bytes, 0 = not asked
    std::atomic<int> carveout{-1};
    std::atomic<bool> nonPortableCluster{false};
    const KernelInfo* info = nullptr; ///< set by Binary::resolve()

    /// Bytes of dynamic shared memory a launch may ask for.
    int allowedDynamicShared() const;
};

/// A module variable as programs hold it.
struct Variable {
    Binary* binary = nullptr;
    std::string name;
    const void* hostSymbol = nullptr;
    void** managedPointer = nullptr; ///< where the program keeps a __managed__ variable's address
    std::size_t size = 0;
};

/// One fat binary (or PTX text) given to the device. Loading is lazy: programs link dozens of
/// libraries whose kernels they never launch.
class Binary {
public:
    /// `images`: fat binaries in memory that outlives this object, linked together when several.
    explicit Binary(std::vector<const void*> images);
    /// Fat binaries of its own.
    explicit Binary(std::vector<std::vector<char>> images);
    explicit Binary(std::string ptxText);

    /// Parses and loads on the first call. Success, or NoKernelImageForDevice, InvalidKernelImage,
    /// InvalidPtx; the reason goes to stderr once and to message().
    int load();
    const std::string& message() const { return m_message; }
    Module* module() { return m_module.get(); }

    /// Fills function.info. Success, a load() error, or InvalidDeviceFunction.
    int resolve(Function& function);
    /// The variable's place in device memory, or null with the error.
    const GlobalInfo* global(const std::string& name, int& error);
    /// The function of that name, made on the first request; null when the module has none.
    Function* function(const std::string& name, int& error);
    std::vector<Function*> functions(int& error);

    Function* addFunction(const std::string& name, const void* hostSymbol);
    Variable* addVariable(const std::string& name, const void* hostSymbol, std::size_t size,
                          void** managedPointer);
    const std::vector<std::unique_ptr<Variable>>& variables() const { return m_variables; }

private:
    int loadLocked();
    bool collectPtx(std::vector<std::string>& texts);

    std::vector<const void*> m_images;
    std::vector<std::vector<char>> m_ownImages;
    std::string m_ptx;
    std::mutex m_mutex;
    bool m_tried = false;
    int m_error = abi::Success;
    std::string m_message;
    std::shared_ptr<Module> m_module;
    std::vector<std::unique_ptr<Function>> m_functions;
    std::unordered_map<std::string, Function*> m_byName;
    std::vector<std::unique_ptr<Variable>> m_variables;
};

class Device {
public:
    /// Made on first use and never destroyed: programs call CUDA from their own atexit handlers.
    static Device& instance();

    const Settings& settings() const { return m_settings; }
    const DeviceModel& model() const { return *m_settings.model; }
    Memory& memory() { return m_memory; }

    Binary* addBinary(std::unique_ptr<Binary> binary);
    void removeBinary(Binary* binary);
    bool isBinary(const void* handle) const;
    void mapHostFunction(const void* symbol, Function* function);
    void mapHostVariable(const void* symbol, Variable* variable);
    /// By host stub address or by handle; null when neither.
    Function* findFunction(const void* symbolOrHandle) const;
    void adoptHandle(Function* function);
    Variable* findVariable(const void* symbol) const;

    /// A kernel went wrong: every later synchronising call reports it, then every call.
    void setFault(int code);
    bool faulted() const { return m_pendingFault.load() != 0; }
    /// The fault once a program has been told of it; 0 otherwise.
    int stickyError() const { return m_stickyFault.load(); }
    /// What a synchronising call has to return; from then on the fault is sticky.
    int synchronise();

    std::uint64_t nextId() { return ++m_ids; }

private:
    Device();

    Settings m_settings;
    Memory m_memory;
    mutable std::mutex m_mutex;
    std::map<const Binary*, std::unique_ptr<Binary>> m_binaries;
    std::unordered_map<const void*, Function*> m_functions;
    std::unordered_map<const void*, Variable*> m_variables;
    std::atomic<int> m_pendingFault{0}, m_stickyFault{0};
    std::atomic<std::uint64_t> m_ids{0};
};

/// One line on stderr with the device's prefix, so that people know who speaks.
void complain(const std::string& text);

} // namespace ridgeline::emu
