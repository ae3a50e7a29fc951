// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/device.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ridgeline::emu {

namespace {

std::string_view environment(const char* name)
{
    const char* value = std::getenv(name);
    return value ? std::string_view(value) : std::string_view();
}

bool number(std::string_view text, std::uint64_t& value)
{
    if (text.empty() || text.front() < '0' || text.front() > '9')
        return false;
    char* end = nullptr;
    errno = 0;
    value = std::strtoull(text.data(), &end, 10);
    return errno == 0 && end == text.data() + text.size();
}

std::size_t hostMemory()
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? std::size_t(pages) * std::size_t(page) : std::size_t(1) << 32;
}

Settings settingsWithComplaints()
{
    std::vector<std::string> problems;
    Settings settings = Settings::fromEnvironment(problems);
    for (const std::string& problem : problems)
        complain(problem);
    return settings;
}

} // namespace

void complain(const std::string& text)
{
    // One write, so that lines of several threads do not mix.
    const std::string line = "ridgeline emulated CUDA device: " + text + "\n";
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0)
        return;
}

Settings Settings::fromEnvironment(std::vector<std::string>& problems)
{
    Settings settings;
    const std::string_view model = environment("RIDGELINE_EMU_MODEL");
    settings.model = findModel(model);
    if (!settings.model) {
        settings.model = findModel({});
        problems.push_back("RIDGELINE_EMU_MODEL: no model '" + std::string(model) +
                           "' (there are " + modelList() + "); taking " +
                           std::string(settings.model->id));
    }
    settings.countersPath = environment("RIDGELINE_EMU_COUNTERS");
    settings.reportPath = environment("RIDGELINE_EMU_REPORT");
    std::string_view checks = environment("RIDGELINE_EMU_CHECK");
    while (!checks.empty()) {
        const std::size_t comma = checks.find(',');
        const std::string_view check = checks.substr(0, comma);
        checks = comma == std::string_view::npos ? std::string_view() : checks.substr(comma + 1);
        const bool all = check == "all";
        settings.checkMemory |= all || check == "memory";
        settings.checkRace |= all || check == "race";
        settings.checkInit |= all || check == "init";
        settings.checkSync |= all || check == "sync";
        if (!all && check != "memory" && check != "race" && check != "init" && check != "sync" &&
            !check.empty())
            problems.push_back("RIDGELINE_EMU_CHECK: no checker '" + std::string(check) +
                               "' (there are memory, race, init, sync, all)");
    }
    const auto read = [&](const char* name, std::uint64_t& value) {
        const std::string_view text = environment(name);
        if (text.empty())
            return;
        std::uint64_t parsed = 0;
        if (number(text, parsed))
            value = parsed;
        else
            problems.push_back(std::string(name) + ": '" + std::string(text) +
                               "' is no whole number; ignored");
    };
    read("RIDGELINE_EMU_SEED", settings.seed);
    std::uint64_t threads = 0;
    read("RIDGELINE_EMU_THREADS", threads);
    if (threads > 1024) {
        problems.push_back("RIDGELINE_EMU_THREADS: more than 1024 threads; ignored");
        threads = 0;
    }
    settings.threads = unsigned(threads);
    std::uint64_t bytes = 0;
    read("RIDGELINE_EMU_MEMORY", bytes);
    settings.memoryBytes = bytes ? bytes : std::min(settings.model->memoryBytes, hostMemory() / 2);
    return settings;
}

Device& Device::instance()
{
    static Device* device = new Device;
    return *device;
}

Device::Device() : m_settings(settingsWithComplaints()), m_memory(m_settings.memoryBytes)
{
    if (m_settings.checkInit)
        m_memory.trackInitialisation();
}

Binary* Device::addBinary(std::unique_ptr<Binary> binary)
{
    const std::lock_guard lock(m_mutex);
    Binary* raw = binary.get();
    m_binaries.emplace(raw, std::move(binary));
    return raw;
}

void Device::removeBinary(Binary* binary)
{
    std::unique_ptr<Binary> doomed;
    const std::lock_guard lock(m_mutex);
    const auto found = m_binaries.find(binary);
    if (found == m_binaries.end())
        return;
    std::erase_if(m_functions, [&](const auto& entry) { return entry.second->binary == binary; });
    std::erase_if(m_variables, [&](const auto& entry) { return entry.second->binary == binary; });
    doomed = std::move(found->second);
    m_binaries.erase(found);
}

bool Device::isBinary(const void* handle) const
{
    const std::lock_guard lock(m_mutex);
    return m_binaries.count(static_cast<const Binary*>(handle)) != 0;
}

void Device::mapHostFunction(const void* symbol, Function* function)
{
    const std::lock_guard lock(m_mutex);
    m_functions[symbol] = function;
    m_functions[function] = function;
}

void Device::adoptHandle(Function* function)
{
    const std::lock_guard lock(m_mutex);
    m_functions[function] = function;
}

void Device::mapHostVariable(const void* symbol, Variable* variable)
{
    const std::lock_guard lock(m_mutex);
    m_variables[symbol] = variable;
}

Function* Device::findFunction(const void* symbolOrHandle) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_functions.find(symbolOrHandle);
    return found == m_functions.end() ? nullptr : found->second;
}

Variable* Device::findVariable(const void* symbol) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_variables.find(symbol);
    return found == m_variables.end() ? nullptr : found->second;
}

void Device::setFault(int code)
{
    int none = 0;
    m_pendingFault.compare_exchange_strong(none, code);
}

int Device::synchronise()
{
    const int fault = m_pendingFault.load();
    if (fault != 0)
        m_stickyFault.store(fault);
    return fault;
}

} // namespace ridgeline::emu
