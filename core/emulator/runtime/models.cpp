// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/models.h"

namespace ridgeline::emu {

namespace {

constexpr std::size_t gib = std::size_t(1) << 30, mib = std::size_t(1) << 20;
constexpr int kib = 1024;

// clang-format off
constexpr DeviceModel models[] = {
    // id            name                      cc    SMs  memory     L2        clock    memory   bus   shared/SM  /block     threads blocks f64 copy ecc
    {"a100-80-sxm", "NVIDIA A100-SXM4-80GB",   8, 0, 108, 80 * gib, 40 * mib, 1410000, 1593000,  5120, 164 * kib, 163 * kib, 2048, 32,    2, 3, true},
    {"h100-sxm",    "NVIDIA H100 80GB HBM3",   9, 0, 132, 80 * gib, 50 * mib, 1980000, 2619000,  5120, 228 * kib, 227 * kib, 2048, 32,    2, 3, true},
    {"l4",          "NVIDIA L4",               8, 9,  58, 24 * gib, 48 * mib, 2040000, 6251000,   192, 100 * kib,  99 * kib, 1536, 24,   64, 2, true},
    {"rtx4090",     "NVIDIA GeForce RTX 4090", 8, 9, 128, 24 * gib, 72 * mib, 2520000, 10501000,  384, 100 * kib,  99 * kib, 1536, 24,   64, 2, false},
};
// clang-format on

} // namespace

const DeviceModel* findModel(std::string_view id)
{
    if (id.empty())
        return &models[0];
    for (const DeviceModel& model : models) {
        if (model.id == id)
            return &model;
    }
    return nullptr;
}

const char* modelList()
{
    return "a100-80-sxm, h100-sxm, l4, rtx4090";
}

} // namespace ridgeline::emu
