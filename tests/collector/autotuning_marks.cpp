// SPDX-License-Identifier: Apache-2.0
// What autotuning_marks_test.py calls from within a Python process.
#include <string>
#include <thread>

#include "collector/inject/nvtx_stack.h"
#include "collector/inject/python_autotuners.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void watch() { roofscope::inject::markPythonAutotuners(); }

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
