// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/device.h"
#include "core/emulator/runtime/fatbin.h"

#include <algorithm>
#include <set>

namespace ridgeline::emu {

int Function::allowedDynamicShared() const
{
    const int asked = dynamicShared.load();
    const int fixed = info ? int(info->sharedStatic) : 0;
    return std::max(asked, std::max(0, sharedPerBlockDefault - fixed));
}

Binary::Binary(std::vector<const void*> images) : m_images(std::move(images)) {}

Binary::Binary(std::vector<std::vector<char>> images) : m_ownImages(std::move(images))
{
    for (const std::vector<char>& image : m_ownImages)
        m_images.push_back(image.data());
}

Binary::Binary(std::string ptxText) : m_ptx(std::move(ptxText)) {}

namespace {

std::string describe(const std::set<std::string>& found)
{
    std::string text;
    for (const std::string& item : found)
        text += (text.empty() ? "" : ", ") + item;
    return text.empty() ? "nothing" : text;
}

} // namespace

/// The newest PTX that the modelled device may run, of each image.
bool Binary::collectPtx(std::vector<std::string>& texts)
{
    const unsigned capability = unsigned(Device::instance().model().capability());
    std::set<std::string> seen;
    for (const void* image : m_images) {
        const Fatbin fatbin = parseFatbin(image, fatbinSize(image));
        if (!fatbin.error.empty()) {
            m_error = abi::InvalidKernelImage;
            m_message = "the program's fat binary cannot be read: " + fatbin.error;
            return false;
        }
        const FatbinEntry* best = nullptr;
        for (const FatbinEntry& entry : fatbin.entries) {
            const bool ptx = entry.kind == FatbinKind::Ptx;
            seen.insert((ptx ? "PTX for compute_" : "machine code for sm_") +
                        std::to_string(entry.arch));
            if (ptx && entry.arch <= capability && (!best || entry.arch > best->arch))
                best = &entry;
        }
        if (!best)
            continue;
        std::string text, error;
        if (!extractPtx(*best, text, error)) {
            m_error = abi::InvalidKernelImage;
            m_message = "the program's PTX cannot be read: " + error;
            return false;
        }
        texts.push_back(std::move(text));
    }
    if (texts.empty()) {
        m_error = abi::NoKernelImageForDevice;
        m_message = "no PTX for compute capability " + std::to_string(capability / 10) + "." +
                    std::to_string(capability % 10) + " or lower in the program (it has " +
                    describe(seen) + "). Compile with -gencode arch=compute_80,code=compute_80";
        return false;
    }
    return true;
}

int Binary::loadLocked()
{
    if (m_tried)
        return m_error;
    m_tried = true;
    std::vector<std::string> texts;
    if (!m_ptx.empty())
        texts.push_back(m_ptx);
    else if (!collectPtx(texts)) {
        complain(m_message);
        return m_error;
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    LoadResult result = loadModule(views, Device::instance().memory());
    if (!result.module) {
        m_error = abi::InvalidPtx;
        m_message = "PTX refused: " + result.error.message;
        if (!result.error.kernel.empty())
            m_message += ", kernel " + result.error.kernel;
        if (result.error.line > 0)
            m_message += ", PTX line " + std::to_string(result.error.line);
        complain(m_message);
        return m_error;
    }
    m_module = std::move(result.module);
    for (const auto& variable : m_variables) {
        if (!variable->managedPointer)
            continue;
        if (const GlobalInfo* found = m_module->global(variable->name))
            *variable->managedPointer = found->address;
    }
    return m_error;
}

int Binary::load()
{
    const std::lock_guard lock(m_mutex);
    return loadLocked();
}

int Binary::resolve(Function& function)
{
    const std::lock_guard lock(m_mutex);
    if (function.info)
        return abi::Success;
    if (const int error = loadLocked())
        return error;
    function.info = m_module->kernel(function.name);
    return function.info ? abi::Success : abi::InvalidDeviceFunction;
}

const GlobalInfo* Binary::global(const std::string& name, int& error)
{
    const std::lock_guard lock(m_mutex);
    error = loadLocked();
    if (error)
        return nullptr;
    const GlobalInfo* found = m_module->global(name);
    if (!found)
        error = abi::InvalidSymbol;
    return found;
}

Function* Binary::function(const std::string& name, int& error)
{
    const std::lock_guard lock(m_mutex);
    error = loadLocked();
    if (error)
        return nullptr;
    const KernelInfo* info = m_module->kernel(name);
    if (!info) {
        error = abi::SymbolNotFound;
        return nullptr;
    }
    Function*& known = m_byName[name];
    if (!known) {
        m_functions.push_back(std::make_unique<Function>());
        known = m_functions.back().get();
        known->binary = this;
        known->name = name;
    }
    known->info = info;
    return known;
}

std::vector<Function*> Binary::functions(int& error)
{
    error = load();
    std::vector<Function*> all;
    if (error)
        return all;
    for (const KernelInfo* info : m_module->kernels())
        all.push_back(function(info->name, error));
    return all;
}

Function* Binary::addFunction(const std::string& name, const void* hostSymbol)
{
    const std::lock_guard lock(m_mutex);
    m_functions.push_back(std::make_unique<Function>());
    Function* added = m_functions.back().get();
    added->binary = this;
    added->name = name;
    added->hostSymbol = hostSymbol;
    m_byName.emplace(name, added);
    return added;
}

Variable* Binary::addVariable(const std::string& name, const void* hostSymbol, std::size_t size,
                              void** managedPointer)
{
    const std::lock_guard lock(m_mutex);
    m_variables.push_back(std::make_unique<Variable>());
    Variable* added = m_variables.back().get();
    added->binary = this;
    added->name = name;
    added->hostSymbol = hostSymbol;
    added->managedPointer = managedPointer;
    added->size = size;
    return added;
}

} // namespace ridgeline::emu
