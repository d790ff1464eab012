// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/python_layout.h"

#include <dlfcn.h>

#include <array>
#include <cstring>

#include "collector/inject/sampling/own_memory.h"

namespace roofscope::inject {
namespace {

constexpr std::uint32_t kTextSize311 = 48, kTextSize312 = 40;

PythonLayout layout311() {
    return {.version = 0x030b,
            .interpreters = 40,
            .threads = 16,
            .nativeId = 160,
            .frame = 56,
            .indirectFrame = 8,
            .code = 32,
            .previous = 48,
            .instruction = 56,
            .owner = 69,
            .isEntry = 68,
            .filename = 112,
            .qualifiedName = 128,
            .lines = 136,
            .firstLine = 72,
            .bytecode = 184,
            .text = kTextSize311,
            .wideText = kTextSize311 + 24,
            .textBits = 2};
}

PythonLayout layout312() {
    return {.version = 0x030c,
            .interpreters = 40,
            .threads = 72,
            .nativeId = 144,
            .frame = 56,
            .indirectFrame = 0,
            .code = 0,
            .previous = 8,
            .instruction = 56,
            .owner = 70,
            .filename = 112,
            .qualifiedName = 128,
            .lines = 136,
            .firstLine = 68,
            .bytecode = 192,
            .text = kTextSize312,
            .wideText = kTextSize312 + 16,
            .textBits = 2};
}

/// From 3.13 on, _PyRuntime begins with a table of offsets (_Py_DebugOffsets). It consists of
/// words: a cookie, the version, then groups of offsets that begin at the indices below.
std::optional<PythonLayout> layoutOfTable(std::uintptr_t runtime, std::uint32_t version) {
    std::array<std::uint64_t, 64> words{};
    if (!own_memory::read(runtime, words)) return std::nullopt;
    if (std::memcmp(words.data(), "xdebugpy", sizeof words[0]) != 0) return std::nullopt;
    constexpr std::size_t kRuntime = 3, kInterpreter = 6;
    // 3.14 has three more words about interpreters.
    const std::size_t thread = kInterpreter + (version == 0x030d ? 13 : 16);
    const std::size_t frame = thread + 9;
    const std::size_t code = frame + (version == 0x030d ? 6 : 8);
    constexpr std::uint64_t kFar = 1U << 20U;
    for (std::size_t i = kRuntime; i < code + 10; ++i)
        if (words[i] > kFar * 64) return std::nullopt;
    if (words[2] != 0) return std::nullopt;  // without the GIL: strings and frames differ
    return PythonLayout{.version = version,
                        .interpreters = words[kRuntime + 2],
                        .threads = words[kInterpreter + 3],
                        .nextInterpreter = words[kInterpreter + 2],
                        .nextThread = words[thread + 2],
                        .nativeId = words[thread + 6],
                        .frame = words[thread + 4],
                        .code = words[frame + 2],
                        .previous = words[frame + 1],
                        .instruction = words[frame + 3],
                        .owner = words[frame + 5],
                        .filename = words[code + 1],
                        .qualifiedName = words[code + 3],
                        .lines = words[code + 4],
                        .firstLine = words[code + 5],
                        .bytecode = words[code + 9],
                        .text = kTextSize312,
                        .wideText = kTextSize312 + 16,
                        .textBits = version == 0x030d ? 2U : 16U,
                        .taggedCode = version != 0x030d};
}

std::uintptr_t addressOf(const char* symbol) {
    return reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, symbol));
}

/// Whether the first interpreter and its first thread are where the layout says, compared with the
/// results of Python's own functions.
bool fits(const PythonLayout& layout) {
    const auto firstInterpreter =
        reinterpret_cast<void* (*)()>(addressOf("PyInterpreterState_Head"));
    const auto firstThread =
        reinterpret_cast<void* (*)(void*)>(addressOf("PyInterpreterState_ThreadHead"));
    if (!firstInterpreter || !firstThread) return false;
    std::uintptr_t interpreter = 0, thread = 0;
    void* const expected = firstInterpreter();
    return expected && own_memory::read(layout.runtime + layout.interpreters, interpreter) &&
           interpreter == reinterpret_cast<std::uintptr_t>(expected) &&
           own_memory::read(interpreter + layout.threads, thread) &&
           thread == reinterpret_cast<std::uintptr_t>(firstThread(expected));
}

}  // namespace

std::optional<PythonLayout> pythonLayout(std::string& unknown) {
    const std::uintptr_t runtime = addressOf("_PyRuntime");
    const auto versionOf = reinterpret_cast<const char* (*)()>(addressOf("Py_GetVersion"));
    if (runtime == 0 || !versionOf) return std::nullopt;
    const std::string text = versionOf();
    const std::string version = text.substr(0, text.find('.', 2));
    std::optional<PythonLayout> layout;
    if (version == "3.11") layout = layout311();
    if (version == "3.12") layout = layout312();
    if (version == "3.13") layout = layoutOfTable(runtime, 0x030d);
    if (version == "3.14") layout = layoutOfTable(runtime, 0x030e);
    if (layout) {
        layout->runtime = runtime;
        layout->codeType = addressOf("PyCode_Type");
        layout->evaluator = addressOf("_PyEval_EvalFrameDefault");
        if (layout->codeType != 0 && fits(*layout)) return layout;
    }
    unknown = version;
    return std::nullopt;
}

}  // namespace roofscope::inject
