// SPDX-License-Identifier: GPL-3.0-or-later
// libcuda.so.1: every symbol of NVIDIA's driver library as one jump to the function that
// libcudart.so.13 names, so that parameters pass untouched and there is one device in the process.

extern "C" void* __cudaEmulatedDriverSymbol(const char* symbol);

#define RIDGELINE_DRIVER_SYMBOL(name, version, symbol)                                             \
    extern "C" __attribute__((visibility("hidden"))) void* ridgeline_slot_##symbol;                \
    void* ridgeline_slot_##symbol = nullptr;
#include "core/emulator/runtime/driver_symbols.inc"
#undef RIDGELINE_DRIVER_SYMBOL

#if defined(__x86_64__)
#define RIDGELINE_JUMP(symbol) "endbr64\n\tjmp *ridgeline_slot_" #symbol "(%rip)\n\t"
#elif defined(__aarch64__)
#define RIDGELINE_JUMP(symbol)                                                                     \
    "adrp x16, ridgeline_slot_" #symbol "\n\tldr x16, [x16, :lo12:ridgeline_slot_" #symbol         \
    "]\n\tbr x16\n\t"
#else
#error "libcuda.so.1 needs its jump instruction for this processor"
#endif

#define RIDGELINE_DRIVER_SYMBOL(name, version, symbol)                                             \
    asm(".text\n\t.globl " #symbol "\n\t.type " #symbol ", %function\n" #symbol                    \
        ":\n\t" RIDGELINE_JUMP(symbol) ".size " #symbol ", .-" #symbol "\n");
#include "core/emulator/runtime/driver_symbols.inc"
#undef RIDGELINE_DRIVER_SYMBOL

namespace {

__attribute__((constructor)) void fillSlots()
{
#define RIDGELINE_DRIVER_SYMBOL(name, version, symbol)                                             \
    ridgeline_slot_##symbol = __cudaEmulatedDriverSymbol(#symbol);
#include "core/emulator/runtime/driver_symbols.inc"
#undef RIDGELINE_DRIVER_SYMBOL
}

} // namespace
