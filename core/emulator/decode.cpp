// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/decode.h"
#include "core/emulator/tensor.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ridgeline::emu {
namespace {

std::uint32_t alignUp(std::uint32_t value, std::uint32_t align)
{
    return (value + align - 1) / align * align;
}

bool isHint(std::string_view mod)
{
    return mod == "uni" || mod.substr(0, 4) == "L1::" || mod.substr(0, 4) == "L2::";
}

} // namespace

const DecodeTable& decodeTable()
{
    static const DecodeTable table = [] {
        DecodeTable t;
        registerInteger(t);
        registerBits(t);
        registerFloat(t);
        registerCompare(t);
        registerConvert(t);
        registerMove(t);
        registerMemory(t);
        registerAtomic(t);
        registerWarp(t);
        registerControl(t);
        registerTensor(t);
        return t;
    }();
    return table;
}

Decoder::Decoder(Function& function, LinkContext& link) : m_function(function), m_link(link)
{
    m_registers = function.ast->registers;
    layoutVariables();
}

void Decoder::layoutVariables()
{
    const AstFunction& ast = *m_function.ast;
    const auto place = [&](const Variable& v) {
        CallSlot slot;
        slot.bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(v.bytes(), 1));
        if (v.isReg) {
            slot.isReg = true;
        } else {
            // Byte arrays of .param variables, lane after lane; offsets are fixed up behind the
            // registers.
            slot.offset = m_paramBytes;
            slot.bytes = alignUp(slot.bytes, 16);
            m_paramBytes += slot.bytes * 32;
        }
        m_params[&v] = slot;
        return slot;
    };
    if (!ast.isEntry) {
        for (const auto& p : ast.params) {
            place(*p);
        }
        for (const auto& p : ast.results) {
            place(*p);
        }
    }
    std::uint32_t local = 0;
    for (const auto& v : ast.variables) {
        if (v->space == Space::Param) {
            place(*v);
        } else if (v->space == Space::Local) {
            if (v->bytes() > (1U << 24)) {
                refuse("local variable '" + std::string(v->name) + "' is larger than 16 MiB");
            }
            local = alignUp(local, v->align);
            m_locals[v.get()] = local;
            local += static_cast<std::uint32_t>(v->bytes());
        }
    }
    m_function.localBytes = alignUp(local, 16);
}

void Decoder::run(LoadError& error)
{
    const AstFunction& ast = *m_function.ast;
    const std::size_t n = ast.code.size();
    std::vector<bool> leader(n + 1, false);
    for (const AstInstr& instr : ast.code) {
        for (const Operand& operand : instr.ops) {
            if (operand.kind == Operand::Kind::Label) {
                leader[operand.imm] = true;
            }
        }
    }
    for (const auto& [name, targets] : ast.branchTargets) {
        for (std::uint32_t target : targets) {
            leader[target] = true;
        }
    }
    m_astStart.assign(n + 1, 0);
    std::vector<std::pair<std::uint32_t, const AstInstr*>> branches;
    m_function.code.reserve(n + n / 8 + 2);
    for (std::size_t i = 0; i <= n; ++i) {
        m_astStart[i] = nextIndex();
        if (i == n || leader[i]) {
            // The end of the code is a place to jump to as well; falling off it is a return.
            m_ast = i < n ? &ast.code[i] : nullptr;
            m_instr = {};
            m_flow = {};
            m_cost = {};
            m_pendingRefs.clear();
            emit(labelHandler);
        }
        if (i == n) {
            break;
        }
        try {
            one(ast.code[i]);
        } catch (DecodeFailure& failure) {
            error.message = failure.message;
            error.opcode = ast.code[i].fullName();
            error.line = ast.code[i].line;
            error.kernel = m_function.name;
            throw;
        }
    }
    static const AstInstr implicitReturn = [] {
        AstInstr instr;
        instr.opcode = "ret";
        return instr;
    }();
    one(implicitReturn);
    // Branch targets were AST indices until now.
    for (std::size_t i = 0; i < m_flows.size(); ++i) {
        for (std::uint32_t& target : m_flows[i].targets) {
            target = targetIndex(target);
        }
        if ((m_function.code[i].aux & 0x400) != 0) { // brx.idx
            std::copy(m_flows[i].targets.begin(), m_flows[i].targets.end(),
                      m_function.extra.begin() + m_function.code[i].extra);
        } else if (m_flows[i].targets.size() == 1) {
            m_function.code[i].imm = m_flows[i].targets[0];
            if (m_flows[i].targets[0] <= i) {
                m_function.code[i].aux |= 0x100; // backward
            }
        }
    }
    allocate();
    m_function.prefix.resize(m_function.code.size() + 1);
    for (std::size_t i = 0; i < m_function.code.size(); ++i) {
        Prefix p = m_function.prefix[i];
        const Prefix& c = m_costs[i];
        p.instrs += c.instrs;
        p.fp64 += c.fp64;
        p.fp32 += c.fp32;
        p.fp16 += c.fp16;
        p.bf16 += c.bf16;
        p.special += c.special;
        p.tensor += c.tensor;
        m_function.prefix[i + 1] = p;
    }
    m_function.poolBytes = static_cast<std::uint32_t>(m_pool.size());
    m_function.poolMemory.reset(new std::byte[m_pool.size() + 128]);
    auto at = reinterpret_cast<std::uintptr_t>(m_function.poolMemory.get());
    m_function.pool = m_function.poolMemory.get() +
                      (alignUp(static_cast<std::uint32_t>(at & 127), 128) - (at & 127));
    if (!m_pool.empty()) {
        std::memcpy(m_function.pool, m_pool.data(), m_pool.size());
    }
    for (const auto& p : ast.params) {
        if (!ast.isEntry) {
            m_function.params.push_back(m_params.at(p.get()));
        }
    }
    for (const auto& p : ast.results) {
        m_function.results.push_back(m_params.at(p.get()));
    }
}

void Decoder::one(const AstInstr& ast)
{
    m_ast = &ast;
    m_instr = {};
    m_flow = {};
    m_cost = {};
    m_cost.instrs = 1;
    m_consumed = 0;
    m_pendingRefs.clear();
    const auto found = decodeTable().find(ast.opcode);
    if (found == decodeTable().end()) {
        refuse("opcode '" + ast.fullName() + "' is not implemented");
    }
    for (std::size_t i = 0; i < ast.mods.size(); ++i) {
        if (isHint(ast.mods[i])) {
            m_consumed |= 1ULL << i;
        }
    }
    found->second(*this);
}

void Decoder::checkModifiers(Handler handler) const
{
    for (std::size_t i = 0; i < m_ast->mods.size(); ++i) {
        if (((m_consumed >> i) & 1U) == 0) {
            refuse("modifier '." + std::string(m_ast->mods[i]) + "' of '" + m_ast->fullName() +
                   "' is not implemented");
        }
    }
    if (handler == nullptr) {
        refuse("'" + m_ast->fullName() + "' is not implemented for this type");
    }
}

void Decoder::finish(Handler handler)
{
    checkModifiers(handler);
    emit(handler);
}

void Decoder::finishBranch(Handler handler)
{
    checkModifiers(handler);
    emit(handler, GuardBy::Handler);
}

void Decoder::finishControl(Handler handler)
{
    checkModifiers(handler);
    emit(handler, GuardBy::Control);
}

void Decoder::emit(Handler handler, GuardBy guardBy)
{
    const std::uint32_t index = nextIndex();
    m_instr.fn = handler;
    if (m_ast != nullptr && m_ast->guard >= 0 && handler != labelHandler) {
        if (guardBy != GuardBy::Handler) {
            m_instr.inner = handler;
            m_instr.fn = guardBy == GuardBy::Control ? guardControlHandler : guardHandler;
        }
        m_instr.aux |= m_ast->guardNegated ? 0x80000000U : 0U;
        setField(Field::Guard, static_cast<std::uint32_t>(m_ast->guard), false, false);
        for (RegRef& ref : m_pendingRefs) {
            ref.partial |= ref.def;
        }
    }
    for (RegRef& ref : m_pendingRefs) {
        ref.instr = index;
        m_refs.push_back(ref);
    }
    m_pendingRefs.clear();
    m_function.code.push_back(m_instr);
    InstrInfo info;
    if (m_ast != nullptr) {
        info.line = m_ast->line;
        info.source = m_ast->source;
        info.ast = m_ast;
    }
    m_function.info.push_back(info);
    m_flows.push_back(m_flow);
    m_costs.push_back(handler == labelHandler ? Prefix{} : m_cost);
}

bool Decoder::has(std::string_view name)
{
    for (std::size_t i = 0; i < m_ast->mods.size(); ++i) {
        if (((m_consumed >> i) & 1U) == 0 && m_ast->mods[i] == name) {
            m_consumed |= 1ULL << i;
            return true;
        }
    }
    return false;
}

bool Decoder::hasPrefixed(std::string_view prefix)
{
    bool any = false;
    for (std::size_t i = 0; i < m_ast->mods.size(); ++i) {
        if (m_ast->mods[i].substr(0, prefix.size()) == prefix) {
            m_consumed |= 1ULL << i;
            any = true;
        }
    }
    return any;
}

std::string_view Decoder::nextModifier()
{
    for (std::size_t i = 0; i < m_ast->mods.size(); ++i) {
        if (((m_consumed >> i) & 1U) == 0) {
            m_consumed |= 1ULL << i;
            return m_ast->mods[i];
        }
    }
    return {};
}

Type Decoder::typeOr(Type fallback)
{
    for (std::size_t i = 0; i < m_ast->mods.size(); ++i) {
        const Type type = typeFromName(m_ast->mods[i]);
        if (((m_consumed >> i) & 1U) == 0 && type != Type::None) {
            m_consumed |= 1ULL << i;
            return type;
        }
    }
    return fallback;
}

Type Decoder::type()
{
    const Type type = typeOr(Type::None);
    if (type == Type::None) {
        refuse("'" + m_ast->fullName() + "' lacks a type");
    }
    return type;
}

const Operand& Decoder::op(std::size_t i) const
{
    if (i >= m_ast->ops.size()) {
        refuse("'" + m_ast->fullName() + "' has too few operands");
    }
    return m_ast->ops[i];
}

void Decoder::expectCount(std::size_t n) const
{
    if (m_ast->ops.size() != n) {
        refuse("'" + m_ast->fullName() + "' has " + std::to_string(m_ast->ops.size()) +
               " operands instead of " + std::to_string(n));
    }
}

unsigned Decoder::registerBits(const Operand& operand) const
{
    return operand.kind == Operand::Kind::Reg ? std::max(1U, bitsOf(m_registers[operand.reg])) : 0;
}

std::uint64_t Decoder::immediateBits(const Operand& operand, Type type) const
{
    switch (operand.kind) {
    case Operand::Kind::Imm:
        if (type == Type::F32) {
            return std::bit_cast<std::uint32_t>(
                static_cast<float>(static_cast<std::int64_t>(operand.imm)));
        }
        if (type == Type::F64) {
            return std::bit_cast<std::uint64_t>(
                static_cast<double>(static_cast<std::int64_t>(operand.imm)));
        }
        return operand.imm;
    case Operand::Kind::Float32:
        if (bitsOf(type) == 64) {
            return std::bit_cast<std::uint64_t>(
                static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.imm))));
        }
        return operand.imm;
    case Operand::Kind::Float64:
        if (bitsOf(type) == 32) {
            return std::bit_cast<std::uint32_t>(
                static_cast<float>(std::bit_cast<double>(operand.imm)));
        }
        return operand.imm;
    default:
        refuse("'" + m_ast->fullName() + "' needs a register or a constant here");
    }
}

std::uint32_t Decoder::newRegister(Type type)
{
    m_registers.push_back(type);
    return static_cast<std::uint32_t>(m_registers.size() - 1);
}

void Decoder::setField(Field field, std::uint32_t reg, bool def, bool partial)
{
    m_pendingRefs.push_back({0, reg, 0, field, def, partial});
}

Reg& Decoder::fieldOf(Instr& instr, Field field) const
{
    switch (field) {
    case Field::Dst:
        return instr.dst;
    case Field::Dst2:
        return instr.dst2;
    case Field::Guard:
        return instr.guard;
    case Field::Extra:
        break;
    default:
        return instr.src[static_cast<int>(field) - static_cast<int>(Field::Src0)];
    }
    refuse("internal: no such field");
}

Reg Decoder::poolConstant(std::uint64_t bits, unsigned width)
{
    const unsigned bytes = width == 1 ? 4 : std::max(2U, width / 8);
    if (width < 64 && width > 1) {
        bits &= (1ULL << width) - 1;
    }
    const auto found = m_constants.find({bits, width});
    if (found != m_constants.end()) {
        return found->second;
    }
    const auto at = static_cast<std::uint32_t>(m_pool.size());
    if (width == 1) {
        m_pool.resize(at + 128);
        const std::uint32_t word = bits != 0 ? fullMask : 0;
        std::memcpy(m_pool.data() + at, &word, 4);
    } else {
        const unsigned stride = bytes > 8 ? 16 : bytes;
        m_pool.resize(at + (32 * stride + 127) / 128 * 128);
        for (unsigned lane = 0; lane < 32; ++lane) {
            std::memcpy(m_pool.data() + at + lane * stride, &bits, std::min(bytes, 8U));
        }
    }
    m_constants[{bits, width}] = at | poolBit;
    return at | poolBit;
}

void Decoder::constant(Field field, std::uint64_t bits, unsigned width)
{
    fieldOf(m_instr, field) = poolConstant(bits, width);
}

void Decoder::special(const Operand& operand, Type type, std::uint32_t& reg)
{
    bool is64 = false;
    const int code = specialRegister(operand.name, is64);
    if (code < 0) {
        refuse("special register '" + std::string(operand.name) + "' is not implemented");
    }
    const unsigned bits = bitsOf(type) == 64 || (bitsOf(type) == 0 && is64) ? 64
                          : bitsOf(type) == 16                              ? 16
                                                                            : 32;
    reg = before(specialHandler, static_cast<std::uint64_t>(code), bits,
                 bits == 64   ? Type::B64
                 : bits == 16 ? Type::B16
                              : Type::B32);
}

std::uint32_t Decoder::before(Handler handler, std::uint64_t imm, std::uint32_t aux, Type type)
{
    // The instruction being decoded is set aside.
    const Instr saved = m_instr;
    const Flow savedFlow = m_flow;
    const Prefix savedCost = m_cost;
    std::vector<RegRef> refs;
    refs.swap(m_pendingRefs);
    const AstInstr* ast = m_ast;
    m_ast = nullptr;
    m_instr = {};
    m_flow = {};
    m_cost = {};
    const std::uint32_t reg = newRegister(type);
    m_instr.imm = imm;
    m_instr.aux = aux;
    setField(Field::Dst, reg, true, false);
    emit(handler);
    m_function.info.back().line = ast->line;
    m_function.info.back().source = ast->source;
    m_ast = ast;
    m_instr = saved;
    m_flow = savedFlow;
    m_cost = savedCost;
    m_pendingRefs.swap(refs);
    return reg;
}

void Decoder::useLocalAddress(Field field, const Variable& variable, std::uint64_t extra)
{
    setField(field, before(localAddressHandler, localOffset(variable) + extra, 0, Type::B64), false,
             false);
}

void Decoder::use(Field field, const Operand& operand, Type type, bool loose)
{
    const unsigned width = bitsOf(type);
    std::uint32_t reg = operand.reg;
    if (operand.kind == Operand::Kind::Special) {
        special(operand, type, reg);
    } else if (operand.kind != Operand::Kind::Reg) {
        fieldOf(m_instr, field) =
            poolConstant(immediateBits(operand, type), std::max(width == 8 ? 16U : width, 1U));
        return;
    }
    const unsigned have = bitsOf(m_registers[reg]);
    if (!loose && have != width && !(have == 16 && width == 8)) {
        refuse("operand of '" + m_ast->fullName() + "' is " + std::to_string(have) +
               " bits wide instead of " + std::to_string(width));
    }
    setField(field, reg, false, false);
}

void Decoder::def(Field field, const Operand& operand, Type type, bool loose)
{
    const unsigned width = bitsOf(type);
    std::uint32_t reg = operand.reg;
    if (operand.kind == Operand::Kind::Sink) {
        reg = newRegister(type == Type::None ? Type::B32 : type);
    } else if (operand.kind != Operand::Kind::Reg) {
        refuse("the result of '" + m_ast->fullName() + "' must be a register");
    } else {
        const unsigned have = bitsOf(m_registers[reg]);
        if (!loose && have != width && !(have == 16 && width == 8)) {
            refuse("result of '" + m_ast->fullName() + "' is " + std::to_string(have) +
                   " bits wide instead of " + std::to_string(width));
        }
    }
    setField(field, reg, true, false);
}

void Decoder::extraUse(const Operand& operand, Type type, bool loose)
{
    const auto at = static_cast<std::uint32_t>(m_function.extra.size());
    m_function.extra.push_back(noReg);
    if (operand.kind == Operand::Kind::Reg || operand.kind == Operand::Kind::Special) {
        std::uint32_t reg = operand.reg;
        if (operand.kind == Operand::Kind::Special) {
            special(operand, type, reg);
        }
        const unsigned have = bitsOf(m_registers[reg]);
        if (!loose && have != bitsOf(type) && !(have == 16 && bitsOf(type) == 8)) {
            refuse("vector element of '" + m_ast->fullName() + "' has the wrong width");
        }
        m_pendingRefs.push_back({0, reg, at, Field::Extra, false, false});
    } else {
        m_function.extra[at] =
            poolConstant(immediateBits(operand, type), std::max(bitsOf(type), 16U));
    }
}

void Decoder::extraDef(const Operand& operand, Type type, bool loose)
{
    const auto at = static_cast<std::uint32_t>(m_function.extra.size());
    m_function.extra.push_back(noReg);
    std::uint32_t reg = operand.reg;
    if (operand.kind == Operand::Kind::Sink) {
        reg = newRegister(bitsOf(type) == 8 ? Type::B16 : type);
    } else if (operand.kind != Operand::Kind::Reg) {
        refuse("the result of '" + m_ast->fullName() + "' must be registers");
    } else if (const unsigned have = bitsOf(m_registers[reg]);
               !loose && have != bitsOf(type) && !(have == 16 && bitsOf(type) == 8)) {
        refuse("vector element of '" + m_ast->fullName() + "' has the wrong width");
    }
    m_pendingRefs.push_back({0, reg, at, Field::Extra, true, false});
}

CallSlot Decoder::paramSlot(const Operand& operand)
{
    if (operand.kind == Operand::Kind::Symbol && operand.variable != nullptr) {
        const auto found = m_params.find(operand.variable);
        if (found != m_params.end()) {
            return found->second;
        }
    }
    refuse("'" + m_ast->fullName() + "' needs a .param variable here");
}

std::uint32_t Decoder::localOffset(const Variable& variable) const
{
    const auto found = m_locals.find(&variable);
    if (found == m_locals.end()) {
        refuse("'" + std::string(variable.name) + "' is not a .local variable");
    }
    return found->second;
}

bool Decoder::isKernelParam(const Variable* variable, std::uint32_t& offset) const
{
    if (!m_function.ast->isEntry || variable == nullptr || variable->space != Space::Param) {
        return false;
    }
    std::uint32_t at = 0;
    for (const auto& p : m_function.ast->params) {
        at = alignUp(at, p->align);
        if (p.get() == variable) {
            offset = at;
            return true;
        }
        at += static_cast<std::uint32_t>(p->bytes());
    }
    return false;
}

} // namespace ridgeline::emu
