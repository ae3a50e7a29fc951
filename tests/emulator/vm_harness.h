// SPDX-License-Identifier: GPL-3.0-or-later
// Runs PTX on the virtual machine for tests: a snippet over 32 lanes, or a whole kernel.
#pragma once

#include "core/emulator/vm.h"

#include <QtTest>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

namespace ridgeline::emu::test {

/// Appends arguments as a kernel's parameter block wants them.
class Params {
public:
    template <class T>
    Params& add(T value)
    {
        m_bytes.resize((m_bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T));
        const std::size_t at = m_bytes.size();
        m_bytes.resize(at + sizeof(T));
        std::memcpy(m_bytes.data() + at, &value, sizeof(T));
        return *this;
    }
    const void* data() const { return m_bytes.data(); }

private:
    std::vector<char> m_bytes;
};

struct Device {
    Memory memory{1ULL << 30};
    std::shared_ptr<Module> module;
    std::string output;
    ExecOptions options;

    /// False and a failed test when the text does not load.
    bool load(const std::string& ptx)
    {
        LoadResult r = loadModule({ptx}, memory, false);
        if (!r.module) {
            qWarning("%s [%s] line %d", r.error.message.c_str(), r.error.opcode.c_str(),
                     r.error.line);
        }
        module = r.module;
        return module != nullptr;
    }

    LaunchResult run(const char* name, Dim3 grid, Dim3 block, const Params& params,
                     std::uint32_t dynamicShared = 0, bool cooperative = false)
    {
        const KernelInfo* kernel = module->kernel(name);
        if (kernel == nullptr) {
            LaunchResult r;
            r.status = LaunchStatus::NotImplemented;
            r.message = "no such kernel";
            return r;
        }
        LaunchConfig config;
        config.grid = grid;
        config.block = block;
        config.dynamicShared = dynamicShared;
        config.cooperative = cooperative;
        config.params = params.data();
        if (options.threads == 0) {
            options.threads = 2;
        }
        options.print = [this](std::string_view text) { output += text; };
        return launch(*module, *kernel, memory, config, options);
    }

    template <class T>
    T* array(std::size_t n, const std::vector<T>& values = {})
    {
        T* p = static_cast<T*>(memory.allocate(n * sizeof(T), MemoryKind::Device, "test"));
        for (std::size_t i = 0; i < values.size() && i < n; ++i) {
            p[i] = values[i];
        }
        memory.markInitialised(p, values.size() * sizeof(T));
        return p;
    }
};

inline std::string header()
{
    return ".version 8.7\n.target sm_80\n.address_size 64\n";
}

/// A kernel over pointer parameters p0…p(n-1); %rd0… hold them, %tid.x is in %t, and lane addresses
/// of 8-byte elements in %q0….
inline std::string kernel(const std::string& name, int pointers, const std::string& declarations,
                          const std::string& body)
{
    std::string text = ".visible .entry " + name + "(";
    for (int i = 0; i < pointers; ++i) {
        text += std::string(i != 0 ? ", " : "") + ".param .u64 p" + std::to_string(i);
    }
    text += ")\n{\n.reg .u32 %t;\n.reg .u64 %rd<16>, %q<16>, %o;\n" + declarations +
            "\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 8;\n";
    for (int i = 0; i < pointers; ++i) {
        const std::string n = std::to_string(i);
        text +=
            "ld.param.u64 %rd" + n + ", [p" + n + "];\nadd.u64 %q" + n + ", %rd" + n + ", %o;\n";
    }
    return text + body + "\nret;\n}\n";
}

/// Applies one instruction to lanes: `widths` of the result and the operands in bits (1 =
/// predicate). The instruction text has d, a, b, c as register names. Inputs and outputs are 64-bit
/// patterns.
inline std::vector<std::uint64_t> apply(const std::string& instruction, int result,
                                        const std::vector<int>& operands,
                                        const std::vector<std::vector<std::uint64_t>>& inputs,
                                        std::string* error = nullptr)
{
    const auto type = [](int bits) {
        return bits == 1 ? std::string(".pred") : ".b" + std::to_string(bits);
    };
    static const char* names[] = {"a", "b", "c", "e"};
    std::string declarations = ".reg " + type(result) + " d;\n";
    std::string body;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        declarations += ".reg " + type(operands[i]) + " " + names[i] + ";\n";
        const std::string q = "[%q" + std::to_string(i) + "]";
        if (operands[i] == 1) {
            declarations += ".reg .b32 p" + std::to_string(i) + "x;\n";
            body += "ld.global.b32 p" + std::to_string(i) + "x, " + q + ";\nsetp.ne.b32 " +
                    names[i] + ", p" + std::to_string(i) + "x, 0;\n";
        } else {
            body += "ld.global.b" + std::to_string(operands[i]) + " " + names[i] + ", " + q + ";\n";
        }
    }
    body += instruction + "\n";
    const std::string out = "[%q" + std::to_string(operands.size()) + "]";
    if (result == 1) {
        declarations += ".reg .b32 dx;\n";
        body += "selp.b32 dx, 1, 0, d;\nst.global.b32 " + out + ", dx;\n";
    } else {
        body += "st.global.b" + std::to_string(result) + " " + out + ", d;\n";
    }
    Device device;
    LoadResult loaded = loadModule(
        {header() + kernel("k", static_cast<int>(operands.size()) + 1, declarations, body)},
        device.memory, false);
    if (!loaded.module) {
        if (error != nullptr) {
            *error = loaded.error.message;
        }
        return {};
    }
    device.module = loaded.module;
    const std::size_t n = inputs.empty() ? 32 : inputs[0].size();
    const std::size_t rounded = (n + 31) / 32 * 32;
    Params params;
    for (const auto& input : inputs) {
        params.add(device.array<std::uint64_t>(rounded, input));
    }
    auto* results = device.array<std::uint64_t>(rounded, std::vector<std::uint64_t>(rounded, 0));
    params.add(results);
    // 1024 lanes at a time would be one block; blocks of 32 keep %tid the index.
    const LaunchResult r = device.run("k", {1}, {static_cast<std::uint32_t>(n)}, params);
    if (r.status != LaunchStatus::Ok) {
        if (error != nullptr) {
            *error = r.message;
        }
        return {};
    }
    return {results, results + n};
}

inline std::uint64_t bits(float x)
{
    return std::bit_cast<std::uint32_t>(x);
}
inline std::uint64_t bits(double x)
{
    return std::bit_cast<std::uint64_t>(x);
}

} // namespace ridgeline::emu::test
