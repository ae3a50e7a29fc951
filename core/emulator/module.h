// SPDX-License-Identifier: GPL-3.0-or-later
// A loaded module: parsed texts, linked names, kernels compiled on first use.
#pragma once

#include "core/emulator/ir.h"

#include <map>
#include <mutex>

namespace ridgeline::emu {

class LoadedModule final : public Module {
public:
    struct Kernel {
        KernelInfo info;
        const AstModule* module = nullptr;
        const AstFunction* ast = nullptr;
        std::once_flag compiled;
        std::unique_ptr<Program> program;
    };
    struct FunctionEntry {
        const AstModule* module = nullptr;
        const AstFunction* ast = nullptr;
    };

    ~LoadedModule() override;
    const KernelInfo* kernel(std::string_view name) const override;
    std::vector<const KernelInfo*> kernels() const override;
    const GlobalInfo* global(std::string_view name) const override;

    /// Compiles the kernel if that has not happened yet; its `error` says when it cannot run.
    const Program& program(const KernelInfo& info) const;

    // For loading and compiling.
    int functionId(const AstModule& module, std::string_view name) const; ///< −1: none
    const Variable* variable(const AstModule& module, std::string_view name) const;
    const GlobalInfo* globalFor(const Variable* variable) const;
    const FunctionEntry& function(int id) const
    {
        return m_functions[static_cast<std::size_t>(id)];
    }
    std::size_t functionCount() const { return m_functions.size(); }
    /// Links and places variables; false and `error` when that fails.
    bool link(Memory& memory, LoadError& error);
    void add(std::unique_ptr<AstModule> module) { m_modules.push_back(std::move(module)); }

private:
    bool placeVariables(Memory& memory, LoadError& error);
    bool initialise(const AstModule& module, const Variable& variable, std::byte* at,
                    LoadError& error) const;
    void describe(Kernel& kernel) const;

    std::vector<std::unique_ptr<AstModule>> m_modules;
    std::vector<FunctionEntry> m_functions;
    std::map<std::pair<const AstModule*, std::string_view>, int> m_localFunctions;
    std::map<std::string_view, int> m_globalFunctions;
    std::map<std::pair<const AstModule*, std::string_view>, const Variable*> m_localVariables;
    std::map<std::string_view, const Variable*> m_globalVariables;
    std::map<const Variable*, std::unique_ptr<GlobalInfo>> m_placed;
    std::map<std::string_view, std::unique_ptr<Kernel>> m_kernels;
    Memory* m_memory = nullptr;
};

/// What a kernel reaches: functions, and .shared variables laid out.
struct Reach {
    std::vector<int> functions; ///< besides the kernel itself
    std::map<const Variable*, std::uint64_t> shared;
    std::vector<const Variable*> dynamicShared;
    std::uint32_t sharedBytes = 0, dynamicOffset = 0;
};
Reach reachOf(const LoadedModule& module, const AstModule& ast, const AstFunction& kernel);

std::unique_ptr<Program> compileProgram(const LoadedModule& module,
                                        const LoadedModule::Kernel& kernel);

} // namespace ridgeline::emu
