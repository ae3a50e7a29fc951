// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_vm.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <regex>

namespace ridgeline::emu {

struct Memory::Impl {
    mutable std::mutex mutex;
    std::size_t limit = 0, used = 0;
    std::uint64_t serial = 0;
    std::map<std::uintptr_t, Allocation> live;
};

Memory::Memory(std::size_t limit) : m_impl(std::make_unique<Impl>())
{
    m_impl->limit = limit;
}
Memory::~Memory() = default;

void* Memory::allocate(std::size_t size, MemoryKind kind, std::string label)
{
    const std::lock_guard lock(m_impl->mutex);
    if (size > m_impl->limit - m_impl->used)
        return nullptr;
    void* pointer = std::aligned_alloc(256, (size + 255) / 256 * 256);
    if (!pointer)
        return nullptr;
    std::memset(pointer, 0xcb, size);
    m_impl->used += size;
    const auto base = reinterpret_cast<std::uintptr_t>(pointer);
    m_impl->live[base] = {base, size, kind, ++m_impl->serial, false, std::move(label)};
    return pointer;
}

bool Memory::release(void* pointer)
{
    const std::lock_guard lock(m_impl->mutex);
    const auto found = m_impl->live.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == m_impl->live.end())
        return false;
    m_impl->used -= found->second.size;
    m_impl->live.erase(found);
    std::free(pointer);
    return true;
}

bool Memory::registerHost(void* pointer, std::size_t size, std::string label)
{
    const std::lock_guard lock(m_impl->mutex);
    const auto base = reinterpret_cast<std::uintptr_t>(pointer);
    return m_impl->live
        .emplace(base,
                 Allocation{base, size, MemoryKind::PinnedHost, ++m_impl->serial, false, label})
        .second;
}

bool Memory::unregisterHost(void* pointer)
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->live.erase(reinterpret_cast<std::uintptr_t>(pointer)) == 1;
}

std::unique_ptr<Allocation> Memory::find(std::uintptr_t address) const
{
    const std::lock_guard lock(m_impl->mutex);
    auto next = m_impl->live.upper_bound(address);
    if (next == m_impl->live.begin())
        return nullptr;
    --next;
    if (address - next->first >= next->second.size)
        return nullptr;
    return std::make_unique<Allocation>(next->second);
}

std::unique_ptr<Allocation> Memory::nearest(std::uintptr_t address) const
{
    return find(address);
}

void Memory::trackInitialisation() {}

void Memory::markInitialised(const void*, std::size_t) {}

std::size_t Memory::used() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->used;
}

std::size_t Memory::limit() const
{
    return m_impl->limit;
}

namespace {

struct FakeModule final : Module {
    std::vector<std::unique_ptr<KernelInfo>> infos;
    std::vector<std::unique_ptr<GlobalInfo>> globals;
    Memory* memory = nullptr;
    ~FakeModule() override
    {
        for (const auto& global : globals)
            memory->release(global->address);
    }
    const KernelInfo* kernel(std::string_view name) const override
    {
        for (const auto& info : infos) {
            if (info->name == name)
                return info.get();
        }
        return nullptr;
    }
    std::vector<const KernelInfo*> kernels() const override
    {
        std::vector<const KernelInfo*> all;
        for (const auto& info : infos)
            all.push_back(info.get());
        return all;
    }
    const GlobalInfo* global(std::string_view name) const override
    {
        for (const auto& info : globals) {
            if (info->name == name)
                return info.get();
        }
        return nullptr;
    }
};

fake::Behaviour& behaviour()
{
    static fake::Behaviour what;
    return what;
}

std::atomic<int> count{0};

} // namespace

// Enough of PTX's surface for the tests' own texts: entries with u32/u64 parameters, .maxntid, and
// .b8 arrays as variables.
LoadResult loadModule(const std::vector<std::string_view>& ptxTexts, Memory& memory, bool)
{
    auto module = std::make_shared<FakeModule>();
    module->memory = &memory;
    for (const std::string_view view : ptxTexts) {
        const std::string text(view);
        if (text.find(".version") == std::string::npos)
            return {nullptr, {"no .version directive", "", "", 1}};
        const std::regex entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\)(\s*\.maxntid\s+(\d+))?)");
        for (std::sregex_iterator at(text.begin(), text.end(), entry), end; at != end; ++at) {
            auto info = std::make_unique<KernelInfo>();
            info->name = (*at)[1];
            const std::string params = (*at)[2];
            const std::regex param(R"(\.param\s+\.[ufbs](\d+))");
            for (std::sregex_iterator p(params.begin(), params.end(), param); p != end; ++p) {
                const auto bytes = std::uint32_t(std::stoul((*p)[1]) / 8);
                info->paramBytes = (info->paramBytes + bytes - 1) / bytes * bytes;
                info->params.push_back({info->paramBytes, bytes, bytes});
                info->paramBytes += bytes;
            }
            if ((*at)[4].matched)
                info->maxThreads = std::uint32_t(std::stoul((*at)[4]));
            info->virtualRegisters = 20;
            module->infos.push_back(std::move(info));
        }
        const std::regex variable(R"(\.(global|const)\s+\.align\s+\d+\s+\.b8\s+(\w+)\[(\d+)\])");
        for (std::sregex_iterator at(text.begin(), text.end(), variable), end; at != end; ++at) {
            auto info = std::make_unique<GlobalInfo>();
            info->constant = (*at)[1] == "const";
            info->name = (*at)[2];
            info->size = std::stoul((*at)[3]);
            info->address = memory.allocate(info->size, MemoryKind::Module, info->name);
            module->globals.push_back(std::move(info));
        }
    }
    return {module, {}};
}

LaunchResult launch(const Module&, const KernelInfo& kernel, Memory& memory,
                    const LaunchConfig& config, const ExecOptions& options)
{
    ++count;
    return behaviour() ? behaviour()(kernel, memory, config, options) : LaunchResult{};
}

void fake::onLaunch(Behaviour what)
{
    behaviour() = std::move(what);
}

int fake::launches()
{
    return count;
}

} // namespace ridgeline::emu
