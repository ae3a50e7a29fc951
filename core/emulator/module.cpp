// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/module.h"

#include <algorithm>
#include <cstring>

namespace ridgeline::emu {
namespace {

std::uint64_t alignUp(std::uint64_t value, std::uint64_t align)
{
    return (value + align - 1) / align * align;
}

} // namespace

LoadedModule::~LoadedModule()
{
    for (auto& [variable, info] : m_placed) {
        if (m_memory != nullptr && info->address != nullptr) {
            m_memory->release(info->address);
        }
    }
}

const KernelInfo* LoadedModule::kernel(std::string_view name) const
{
    const auto found = m_kernels.find(name);
    return found != m_kernels.end() ? &found->second->info : nullptr;
}

std::vector<const KernelInfo*> LoadedModule::kernels() const
{
    std::vector<const KernelInfo*> list;
    for (const auto& [name, kernel] : m_kernels) {
        list.push_back(&kernel->info);
    }
    return list;
}

const GlobalInfo* LoadedModule::global(std::string_view name) const
{
    const auto found = m_globalVariables.find(name);
    if (found != m_globalVariables.end()) {
        return globalFor(found->second);
    }
    for (const auto& [key, variable] : m_localVariables) {
        if (key.second == name && globalFor(variable) != nullptr) {
            return globalFor(variable);
        }
    }
    return nullptr;
}

const Program& LoadedModule::program(const KernelInfo& info) const
{
    Kernel& kernel = *m_kernels.at(info.name);
    std::call_once(kernel.compiled, [&] { kernel.program = compileProgram(*this, kernel); });
    return *kernel.program;
}

int LoadedModule::functionId(const AstModule& module, std::string_view name) const
{
    if (const auto alias = module.aliases.find(name);
        alias != module.aliases.end() && alias->second != name) {
        name = alias->second;
    }
    if (const auto local = m_localFunctions.find({&module, name});
        local != m_localFunctions.end()) {
        return local->second;
    }
    const auto global = m_globalFunctions.find(name);
    return global != m_globalFunctions.end() ? global->second : -1;
}

const Variable* LoadedModule::variable(const AstModule& module, std::string_view name) const
{
    if (const auto local = m_localVariables.find({&module, name});
        local != m_localVariables.end()) {
        return local->second;
    }
    const auto global = m_globalVariables.find(name);
    return global != m_globalVariables.end() ? global->second : nullptr;
}

const GlobalInfo* LoadedModule::globalFor(const Variable* variable) const
{
    const auto found = m_placed.find(variable);
    return found != m_placed.end() ? found->second.get() : nullptr;
}

bool LoadedModule::link(Memory& memory, LoadError& error)
{
    m_memory = &memory;
    for (const auto& module : m_modules) {
        for (const auto& f : module->functions) {
            if (!f->hasBody) {
                continue;
            }
            const int id = static_cast<int>(m_functions.size());
            m_functions.push_back({module.get(), f.get()});
            m_localFunctions.try_emplace({module.get(), f->name}, id);
            if (f->isVisible || f->isWeak || f->isEntry) {
                m_globalFunctions.try_emplace(f->name, id);
            }
            if (f->isEntry) {
                auto& kernel = m_kernels[f->name];
                if (!kernel) {
                    kernel = std::make_unique<Kernel>();
                    kernel->module = module.get();
                    kernel->ast = f.get();
                }
            }
        }
    }
    if (!placeVariables(memory, error)) {
        return false;
    }
    for (auto& [name, kernel] : m_kernels) {
        describe(*kernel);
    }
    return true;
}

bool LoadedModule::placeVariables(Memory& memory, LoadError& error)
{
    std::vector<std::pair<const AstModule*, const Variable*>> place;
    for (const auto& module : m_modules) {
        for (const auto& v : module->variables) {
            if (v->space == Space::Shared) {
                m_localVariables.try_emplace({module.get(), v->name}, v.get());
                continue;
            }
            if (v->isExtern) {
                continue;
            }
            const bool shared = v->isVisible || v->isWeak;
            if (shared && m_globalVariables.count(v->name) != 0) {
                continue; // the first definition serves all
            }
            if (shared) {
                m_globalVariables[v->name] = v.get();
            } else if (!m_localVariables.try_emplace({module.get(), v->name}, v.get()).second) {
                continue;
            }
            place.emplace_back(module.get(), v.get());
        }
    }
    for (const auto& [module, v] : place) {
        auto info = std::make_unique<GlobalInfo>();
        info->name = std::string(v->name);
        info->size = static_cast<std::size_t>(v->bytes());
        info->constant = v->space == Space::Const;
        if (info->size != 0) {
            info->address = memory.allocate(
                info->size, v->managed ? MemoryKind::Managed : MemoryKind::Module, info->name);
            if (info->address == nullptr) {
                error.message = "variable '" + info->name + "' of " + std::to_string(info->size) +
                                " bytes does not fit into device memory";
                error.line = v->line;
                return false;
            }
            std::memset(info->address, 0, info->size);
            memory.markInitialised(info->address, info->size);
        }
        m_placed[v] = std::move(info);
    }
    for (const auto& [module, v] : place) {
        if (!v->init.empty() &&
            !initialise(*module, *v, static_cast<std::byte*>(m_placed[v]->address), error)) {
            return false;
        }
    }
    return true;
}

bool LoadedModule::initialise(const AstModule& module, const Variable& v, std::byte* at,
                              LoadError& error) const
{
    const std::size_t element = std::max<std::size_t>(1, bitsOf(v.type) / 8);
    const std::size_t size = static_cast<std::size_t>(v.bytes());
    for (std::size_t i = 0; i < v.init.size(); ++i) {
        const InitValue& value = v.init[i];
        if ((i + 1) * element > size) {
            error.message =
                "variable '" + std::string(v.name) + "' has more initial values than elements";
            error.line = v.line;
            return false;
        }
        std::uint64_t bits = value.bits;
        if (value.kind == InitValue::Kind::Symbol || value.kind == InitValue::Kind::GenericSymbol) {
            const Variable* target = variable(module, value.symbol);
            const GlobalInfo* info = globalFor(target);
            const int function = functionId(module, value.symbol);
            if (info != nullptr) {
                bits += reinterpret_cast<std::uint64_t>(info->address);
            } else if (function >= 0) {
                bits += codeWindow | static_cast<std::uint64_t>(function);
            } else {
                error.message = "variable '" + std::string(v.name) +
                                "' is initialised with the unknown symbol '" +
                                std::string(value.symbol) + "'";
                error.line = v.line;
                return false;
            }
            if (value.maskShift != 0xFF) {
                bits = (bits >> value.maskShift) & 0xFF;
            }
        } else if (value.kind == InitValue::Kind::Float64 && v.type == Type::F32) {
            double d = 0;
            std::memcpy(&d, &bits, 8);
            const float f = static_cast<float>(d);
            std::uint32_t b = 0;
            std::memcpy(&b, &f, 4);
            bits = b;
        }
        std::memcpy(at + i * element, &bits, std::min<std::size_t>(element, 8));
    }
    return true;
}

void LoadedModule::describe(Kernel& kernel) const
{
    KernelInfo& info = kernel.info;
    const AstFunction& ast = *kernel.ast;
    info.name = std::string(ast.name);
    std::uint64_t at = 0;
    for (const auto& p : ast.params) {
        ParamInfo param;
        param.align = p->align;
        at = alignUp(at, p->align);
        param.offset = static_cast<std::uint32_t>(at);
        param.size = static_cast<std::uint32_t>(p->bytes());
        at += param.size;
        info.params.push_back(param);
    }
    info.paramBytes = static_cast<std::uint32_t>(at);
    const Reach reach = reachOf(*this, *kernel.module, ast);
    info.sharedStatic = reach.sharedBytes;
    const auto localOf = [](const AstFunction& f) {
        std::uint64_t bytes = 0;
        for (const auto& v : f.variables) {
            if (v->space == Space::Local) {
                bytes = alignUp(bytes, v->align) + v->bytes();
            }
        }
        return bytes;
    };
    std::uint64_t local = localOf(ast);
    for (int id : reach.functions) {
        local += localOf(*function(id).ast);
    }
    info.localBytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(local, 0xFFFFFFFFU));
    const auto product = [](const std::array<std::uint32_t, 3>& d) { return d[0] * d[1] * d[2]; };
    info.maxThreads =
        product(ast.maxThreads) != 0 ? product(ast.maxThreads) : product(ast.requiredThreads);
    info.requiredBlock = ast.requiredThreads;
    info.virtualRegisters = static_cast<std::uint32_t>(ast.registers.size());
}

LoadResult loadModule(const std::vector<std::string_view>& texts, Memory& memory, bool lazyErrors)
{
    LoadResult result;
    auto module = std::make_shared<LoadedModule>();
    for (std::string_view text : texts) {
        ParseError error;
        auto ast = parsePtx(text, error);
        if (!ast) {
            result.error.message = "PTX line " + std::to_string(error.line) + ": " + error.message;
            result.error.line = error.line;
            return result;
        }
        module->add(std::move(ast));
    }
    if (!module->link(memory, result.error)) {
        return result;
    }
    if (!lazyErrors) {
        for (const KernelInfo* info : module->kernels()) {
            const Program& program = module->program(*info);
            if (!program.error.message.empty()) {
                result.error = program.error;
                return result;
            }
        }
    }
    result.module = std::move(module);
    return result;
}

} // namespace ridgeline::emu
