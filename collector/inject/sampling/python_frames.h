// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/inject/sampling/python_layout.h"

/// What Python runs in a thread, read from the interpreter's memory without its lock.
namespace roofscope::inject {

/// A frame as the interpreter keeps it.
struct RawPythonFrame {
    std::uintptr_t code = 0;         ///< a code object
    std::uintptr_t instruction = 0;  ///< within its bytecode
    /// The next frame belongs to another frame of the interpreter's C code.
    bool last = false;
    bool shown = true;  ///< false: the interpreter's own, at the bottom of a C frame
};

/// Copies the innermost frames of a thread; returns how many. Exact only while the thread stands
/// still. Async-signal-safe.
std::size_t copyPythonFrames(const PythonLayout& layout, std::uintptr_t threadState,
                             std::span<RawPythonFrame> frames);

/// The state of the thread with this id of the operating system; 0: it runs no Python.
[[nodiscard]] std::uintptr_t pythonThread(const PythonLayout& layout, std::int64_t nativeId);

/// A line of Python code.
struct PythonPlace {
    std::string file, function;
    std::uint32_t line = 0;  ///< 0: not known
    auto operator<=>(const PythonPlace&) const = default;
};

/// The line of an instruction, `offset` bytes into the bytecode, by a code object's table of lines
/// (of 3.11 and later); 0: the table does not say.
[[nodiscard]] std::uint32_t lineOf(std::string_view table, std::uint32_t firstLine,
                                   std::size_t offset);

/// Names the code of frames. For one thread.
class PythonCode {
public:
    /// Absent if the code object is gone, or was changed meanwhile.
    std::optional<PythonPlace> place(const PythonLayout& layout, const RawPythonFrame& frame);

private:
    struct Known {
        std::uintptr_t filename = 0, name = 0, table = 0;  ///< what the object pointed to
        std::string file, function, lines;
        std::uint32_t firstLine = 0;
    };
    std::unordered_map<std::uintptr_t, Known> m_known;
};

}  // namespace roofscope::inject
