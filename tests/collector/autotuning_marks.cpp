// SPDX-License-Identifier: Apache-2.0
// Functions that autotuning_marks_test.py, call_sites_test.py and operators_test.py call from
// within a Python process.
#include <cstdlib>
#include <string>
#include <thread>

#include "collector/inject/python/operators.h"
#include "collector/inject/python/python_hooks.h"
#include "collector/inject/python/python_lines.h"
#include "collector/inject/ranges/nvtx_stack.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
int g_buffersOff = 0;
}  // namespace

EXPORT void watch() {
    const char* folder = std::getenv("TUNING_FOLDER");
    roofscope::inject::hookIntoPython({.counting = true,
                                       .callSites = true,
                                       .report = [](const roofscope::Issue&) { ++g_buffersOff; },
                                       .tuningFolder = folder ? folder : "",
                                       .tuned = std::getenv("TUNED") != nullptr});
}
/// Whether call sites are no longer followed.
EXPORT int leave() { return roofscope::inject::leavePython() ? 1 : 0; }
/// How often XLA was told not to use CUDA graphs.
EXPORT int buffers_off() { return g_buffersOff; }

/// "file:line:function" of the calling thread; with a leading "~" if it is another thread's.
EXPORT const char* here() {
    thread_local std::string text;
    namespace lines = roofscope::inject::python_lines;
    const auto place = lines::here();
    if (!place) return "";
    const auto [file, function] = lines::codeOf(place->code);
    text = (place->indirect ? "~" : "") + file.substr(file.rfind('/') + 1) + ":" +
           std::to_string(place->line) + ":" + function;
    return text.c_str();
}
/// The same for a thread unknown to Python.
EXPORT const char* here_in_foreign_thread() {
    static std::string text;
    std::thread([] { text = here(); }).join();
    return text.c_str();
}

/// The open ranges of the calling thread during one of its launches.
EXPORT const char* path_of_launch() {
    const roofscope::inject::CompilersLaunch launch;
    thread_local std::string text;
    text = roofscope::inject::NvtxStack::perThread().path();
    return text.c_str();
}

/// The same for a thread unknown to Python.
EXPORT const char* path_of_foreign_launch() {
    static std::string text;
    std::thread([] { text = path_of_launch(); }).join();
    return text.c_str();
}

/// The open ranges of the calling thread; valid until its next call.
EXPORT const char* path() {
    thread_local std::string text;
    text = roofscope::inject::NvtxStack::perThread().path();
    return text.c_str();
}

namespace operators = roofscope::inject::operators;

namespace {

// NVTX of a shared object: a table of pointers to functions, which an injected library fills in.
using Function = void (*)();
int pushRange(const char* name) {
    roofscope::inject::NvtxStack::perThread().push(0, name);
    return 0;
}
int popRange() {
    roofscope::inject::NvtxStack::perThread().pop(0);
    return 0;
}
constexpr unsigned kPush = 9, kPop = 11, kFunctions = 16;
Function g_functions[kFunctions] = {};
Function* g_table[kFunctions] = {};
int tableOf(int, Function*** table, unsigned* size) {
    *table = g_table;
    *size = kFunctions;
    return 1;
}
const void* tables(std::uint32_t) {
    static const struct {
        std::size_t size = sizeof(*this);
        int (*table)(int, Function***, unsigned*) = tableOf;
    } kCallbacks;
    return &kCallbacks;
}

}  // namespace

/// PyTorch's profiler starts to use NVTX. Whether its ranges were taken over.
EXPORT int profiler_nvtx() {
    for (unsigned i = 0; i < kFunctions; ++i) g_table[i] = &g_functions[i];
    g_functions[kPush] = reinterpret_cast<Function>(&pushRange);
    g_functions[kPop] = reinterpret_cast<Function>(&popRange);
    return operators::interpose(tables) ? 1 : 0;
}
EXPORT void push(const char* text) {
    reinterpret_cast<int (*)(const char*)>(g_functions[kPush])(text);
}
EXPORT void pop() { reinterpret_cast<int (*)()>(g_functions[kPop])(); }

/// The same for the real injection library (NVTX_INJECTION64_PATH), which gets all other ranges.
EXPORT int InitializeInjectionNvtx2(void* given) {
    const auto get = reinterpret_cast<roofscope::inject::nvtx::ExportTables>(given);
    if (!operators::areOfProfiler(get)) return 0;
    struct Callbacks {
        std::size_t size;
        int (*table)(int, Function***, unsigned*);
    };
    Function** table = nullptr;
    unsigned size = 0;
    static_cast<const Callbacks*>(get(1))->table(1, &table, &size);
    *table[kPush] = reinterpret_cast<Function>(&pushRange);
    *table[kPop] = reinterpret_cast<Function>(&popRange);
    return operators::interpose(get) ? 1 : 0;
}

/// Tells that the calling thread runs this line of the program.
EXPORT void at_line(const char* file, const char* function, unsigned line) {
    namespace lines = roofscope::inject::python_lines;
    lines::at(lines::code(file, function), line);
}
/// "aten::mm [3, 8], [8, 16] in MmBackward0 of train.py:12:forward" of the calling thread.
EXPORT const char* operator_now() {
    thread_local std::string text;
    const auto now = operators::current();
    const auto [name, sizes] = operators::name(now.op);
    text = name + (sizes.empty() ? "" : " " + sizes);
    if (now.backward != 0) text += " in " + operators::name(now.backward).name;
    if (now.forward) {
        const auto [file, function] = roofscope::inject::python_lines::codeOf(now.forward->code);
        text += " of " + file + ":" + std::to_string(now.forward->line) + ":" + function;
    }
    return text.c_str();
}
