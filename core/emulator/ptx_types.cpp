// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/ptx_ast.h"

#include <array>
#include <utility>

namespace ridgeline::emu {
namespace {

struct TypeRow {
    std::string_view name;
    Type type;
    unsigned bits;
};

constexpr std::array<TypeRow, 33> typeRows{{
    {"b8", Type::B8, 8},
    {"b16", Type::B16, 16},
    {"b32", Type::B32, 32},
    {"b64", Type::B64, 64},
    {"b128", Type::B128, 128},
    {"u8", Type::U8, 8},
    {"u16", Type::U16, 16},
    {"u32", Type::U32, 32},
    {"u64", Type::U64, 64},
    {"s8", Type::S8, 8},
    {"s16", Type::S16, 16},
    {"s32", Type::S32, 32},
    {"s64", Type::S64, 64},
    {"f16", Type::F16, 16},
    {"f16x2", Type::F16x2, 32},
    {"bf16", Type::BF16, 16},
    {"bf16x2", Type::BF16x2, 32},
    {"f32", Type::F32, 32},
    {"f32x2", Type::F32x2, 64},
    {"f64", Type::F64, 64},
    {"tf32", Type::TF32, 32},
    {"e4m3", Type::E4M3, 8},
    {"e5m2", Type::E5M2, 8},
    {"e4m3x2", Type::E4M3x2, 16},
    {"e5m2x2", Type::E5M2x2, 16},
    {"e2m1x2", Type::E2M1x2, 8},
    {"e2m3x2", Type::E2M3x2, 16},
    {"e3m2x2", Type::E3M2x2, 16},
    {"ue8m0x2", Type::UE8M0x2, 16},
    {"u4", Type::U4, 4},
    {"s4", Type::S4, 4},
    {"b1", Type::B1, 1},
    {"pred", Type::Pred, 1},
}};

} // namespace

unsigned bitsOf(Type type)
{
    for (const TypeRow& row : typeRows) {
        if (row.type == type) {
            return row.bits;
        }
    }
    return 0;
}

Type typeFromName(std::string_view name)
{
    for (const TypeRow& row : typeRows) {
        if (row.name == name) {
            return row.type;
        }
    }
    return Type::None;
}

bool isSigned(Type type)
{
    return type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
}

bool isFloat(Type type)
{
    return type >= Type::F16 && type <= Type::UE8M0x2;
}

std::uint64_t Variable::bytes() const
{
    const std::uint64_t element = std::uint64_t(bitsOf(type) + 7) / 8 * vec;
    return element * count;
}

std::string AstInstr::fullName() const
{
    std::string name(opcode);
    for (std::string_view mod : mods) {
        name += '.';
        name += mod;
    }
    return name;
}

} // namespace ridgeline::emu
