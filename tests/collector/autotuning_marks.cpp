// SPDX-License-Identifier: Apache-2.0
// What autotuning_marks_test.py and call_sites_test.py call from within a Python process.
#include <string>
#include <thread>

#include "collector/inject/nvtx_stack.h"
#include "collector/inject/python_hooks.h"
#include "collector/inject/python_lines.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
int g_buffersOff = 0;
}  // namespace

EXPORT void watch() {
    roofscope::inject::hookIntoPython(
        {.counting = true, .callSites = true, .commandBuffersOff = [] { ++g_buffersOff; }});
}
/// How often XLA was told to use no CUDA graphs.
EXPORT int buffers_off() { return g_buffersOff; }

/// "file:line:function" of the calling thread, "~" before it where it is another thread's.
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
/// The same for a thread that Python knows nothing of.
EXPORT const char* here_in_foreign_thread() {
    static std::string text;
    std::thread([] { text = here(); }).join();
    return text.c_str();
}

/// The open ranges of the calling thread within a launch of it.
EXPORT const char* path_of_launch() {
    const roofscope::inject::CompilersLaunch launch;
    thread_local std::string text;
    text = roofscope::inject::NvtxStack::ofThread().path();
    return text.c_str();
}

/// The same for a thread that Python knows nothing of.
EXPORT const char* path_of_foreign_launch() {
    static std::string text;
    std::thread([] { text = path_of_launch(); }).join();
    return text.c_str();
}

/// The open ranges of the calling thread; valid until its next call.
EXPORT const char* path() {
    thread_local std::string text;
    text = roofscope::inject::NvtxStack::ofThread().path();
    return text.c_str();
}
