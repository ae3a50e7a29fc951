// SPDX-License-Identifier: GPL-3.0-or-later
// Device memory of the emulated device: host memory with a map of who owns which range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ridgeline::emu {

enum class MemoryKind { Device, Managed, PinnedHost, Module, Array };

/// One live (or recently freed) allocation. `base` is a host address: emulated device pointers
/// are host pointers.
struct Allocation {
    std::uintptr_t base = 0;
    std::size_t size = 0;
    MemoryKind kind = MemoryKind::Device;
    std::uint64_t serial = 0; ///< order of allocation, from 1
    bool freed = false;
    std::string label; ///< who asked: "cudaMalloc", or a module variable's name
};

/// The device's memory. All members are thread-safe.
class Memory {
public:
    /// `limit`: bytes of device memory; allocations beyond it fail.
    explicit Memory(std::size_t limit);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    /// 256-byte aligned, uninitialised as far as the init checker is concerned; filled with a
    /// poison pattern (0xCB…) so that unwritten results are visible. Null when the limit is hit.
    void* allocate(std::size_t size, MemoryKind kind, std::string label);
    /// False when `pointer` is no live allocation's base.
    bool release(void* pointer);
    /// Makes a range of the caller's own host memory known (cudaHostRegister).
    bool registerHost(void* pointer, std::size_t size, std::string label);
    bool unregisterHost(void* pointer);

    /// The live allocation holding the address, or null. The value is a copy.
    std::unique_ptr<Allocation> find(std::uintptr_t address) const;
    /// The allocation nearest to the address, freed ones included, or null.
    std::unique_ptr<Allocation> nearest(std::uintptr_t address) const;

    /// The host wrote (or copied) these bytes: they count as initialised from now on.
    void markInitialised(const void* pointer, std::size_t size);
    /// Keep a byte map of what was written (the init checker needs it). What is allocated before
    /// the first call counts as initialised, so call it before the first allocation.
    void trackInitialisation();

    std::size_t used() const;
    std::size_t limit() const;

    struct Impl;
    Impl& impl() { return *m_impl; }

private:
    std::unique_ptr<Impl> m_impl;
};

} // namespace ridgeline::emu
