// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel and what it calls, decoded into one program.
#include "core/emulator/decode.h"
#include "core/emulator/module.h"

#include <algorithm>
#include <set>

namespace ridgeline::emu {
namespace {

std::uint64_t alignUp(std::uint64_t value, std::uint64_t align)
{
    return (value + align - 1) / align * align;
}
constexpr std::uint32_t recursionStack = 16384;

class Linker final : public LinkContext {
public:
    Linker(const LoadedModule& module, const Reach& reach, Program& program)
        : m_module(module), m_reach(reach), m_program(program)
    {
        program.byId.assign(module.functionCount(), nullptr);
    }

    std::uint64_t globalAddress(const AstModule& module, std::string_view name) override
    {
        const GlobalInfo* info = m_module.globalFor(m_module.variable(module, name));
        if (info == nullptr) {
            throw DecodeFailure{"symbol '" + std::string(name) + "' is not defined in any module"};
        }
        return reinterpret_cast<std::uint64_t>(info->address);
    }

    bool sharedOffset(const AstModule& module, std::string_view name, const Variable* local,
                      std::uint64_t& offset) override
    {
        const Variable* variable = local != nullptr ? local : m_module.variable(module, name);
        if (variable == nullptr || variable->space != Space::Shared) {
            return false;
        }
        const auto found = m_reach.shared.find(variable);
        offset = found != m_reach.shared.end() ? found->second : m_reach.dynamicOffset;
        return true;
    }

    Function* functionFor(const AstModule& module, std::string_view name) override
    {
        const int id = m_module.functionId(module, name);
        if (id < 0 || m_module.function(id).ast->isEntry) {
            return nullptr;
        }
        Function*& slot = m_program.byId[static_cast<std::size_t>(id)];
        if (slot == nullptr) {
            slot = add(*m_module.function(id).module, *m_module.function(id).ast,
                       static_cast<std::uint32_t>(id));
        }
        return slot;
    }

    std::uint32_t memorySlot() override { return m_program.memorySlots++; }

    Function* add(const AstModule& module, const AstFunction& ast, std::uint32_t id)
    {
        auto function = std::make_unique<Function>();
        function->name = std::string(ast.name);
        function->module = &module;
        function->ast = &ast;
        function->id = id;
        m_program.functions.push_back(std::move(function));
        return m_program.functions.back().get();
    }

private:
    const LoadedModule& m_module;
    const Reach& m_reach;
    Program& m_program;
};

/// Deepest sum of local memory over call chains; false when the calls are recursive or indirect.
bool stackOf(const Function& f, std::set<const Function*>& open, std::uint32_t& bytes)
{
    if (!open.insert(&f).second) {
        return false;
    }
    std::uint32_t deepest = 0;
    bool known = true;
    for (const CallSite& site : f.calls) {
        if (site.builtin != Builtin::None) {
            continue;
        }
        std::uint32_t below = 0;
        if (site.target == nullptr || !stackOf(*site.target, open, below)) {
            known = false;
            break;
        }
        deepest = std::max(deepest, below);
    }
    open.erase(&f);
    bytes = f.localBytes + deepest;
    return known;
}

} // namespace

Reach reachOf(const LoadedModule& module, const AstModule& ast, const AstFunction& kernel)
{
    Reach reach;
    std::set<int> seen;
    std::vector<std::pair<const AstModule*, const AstFunction*>> open{{&ast, &kernel}};
    const auto lay = [&](const Variable* v) {
        if (v->isExtern || v->unsized) {
            if (std::find(reach.dynamicShared.begin(), reach.dynamicShared.end(), v) ==
                reach.dynamicShared.end()) {
                reach.dynamicShared.push_back(v);
            }
        } else if (reach.shared.count(v) == 0) {
            const std::uint64_t at = alignUp(reach.sharedBytes, v->align);
            reach.shared[v] = at;
            reach.sharedBytes =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(at + v->bytes(), 1U << 30));
        }
    };
    const auto visit = [&](const AstModule& in, std::string_view name) {
        const int id = module.functionId(in, name);
        if (id >= 0 && seen.insert(id).second && !module.function(id).ast->isEntry) {
            reach.functions.push_back(id);
            open.emplace_back(module.function(id).module, module.function(id).ast);
        }
    };
    while (!open.empty()) {
        const auto [in, f] = open.back();
        open.pop_back();
        for (const auto& v : f->variables) {
            if (v->space == Space::Shared) {
                lay(v.get());
            }
        }
        for (std::string_view name : f->symbols) {
            const Variable* v = module.variable(*in, name);
            if (v != nullptr && v->space == Space::Shared) {
                lay(v);
            }
            visit(*in, name);
        }
        for (const AstInstr& instr : f->code) {
            if (!instr.callTarget.empty()) {
                visit(*in, instr.callTarget);
            }
        }
    }
    std::uint64_t align = 16;
    for (const Variable* v : reach.dynamicShared) {
        align = std::max<std::uint64_t>(align, v->align);
    }
    reach.dynamicOffset = static_cast<std::uint32_t>(alignUp(reach.sharedBytes, align));
    return reach;
}

std::unique_ptr<Program> compileProgram(const LoadedModule& module,
                                        const LoadedModule::Kernel& kernel)
{
    auto program = std::make_unique<Program>();
    const Reach reach = reachOf(module, *kernel.module, *kernel.ast);
    Linker linker(module, reach, *program);
    program->sharedBytes = reach.sharedBytes;
    program->dynamicOffset = reach.dynamicOffset;
    linker.add(*kernel.module, *kernel.ast, 0xFFFFFFFFU);
    // Functions whose address is stored in a variable may be called through it.
    bool indirect = false;
    const auto scan = [&](const AstFunction& f) {
        for (const AstInstr& instr : f.code) {
            indirect |= instr.opcode == "call" && instr.callTarget.empty();
        }
    };
    scan(*kernel.ast);
    for (int id : reach.functions) {
        scan(*module.function(id).ast);
    }
    if (indirect) {
        for (std::size_t id = 0; id < module.functionCount(); ++id) {
            const auto& entry = module.function(static_cast<int>(id));
            if (!entry.ast->isEntry && entry.module == kernel.module) {
                linker.functionFor(*entry.module, entry.ast->name);
            }
        }
    }
    try {
        for (std::size_t i = 0; i < program->functions.size(); ++i) {
            Decoder(*program->functions[i], linker).run(program->error);
        }
    } catch (const DecodeFailure& failure) {
        if (program->error.message.empty()) {
            program->error.message = failure.message;
        }
        program->error.kernel = std::string(kernel.ast->name);
        return program;
    }
    std::set<const Function*> open;
    std::uint32_t stack = 0;
    if (stackOf(*program->functions[0], open, stack)) {
        program->localBytes = stack;
    } else {
        program->recursive = true;
        program->localBytes = recursionStack;
        for (const auto& f : program->functions) {
            program->localBytes += f->localBytes;
        }
    }
    program->localBytes = static_cast<std::uint32_t>(alignUp(program->localBytes, 64));
    return program;
}

} // namespace ridgeline::emu
