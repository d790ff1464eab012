// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "collector/inject/sampling/process_memory.h"
#include "collector/inject/sampling/python_layout.h"

/// Reads from the interpreter's memory which Python code a thread runs, without taking the
/// interpreter's lock. The memory is that of this process or of one that it has forked, which has
/// the same layout.
namespace roofscope::inject {

/// A frame as it is in the interpreter's memory.
struct RawPythonFrame {
    std::uintptr_t code = 0;         ///< a code object
    std::uintptr_t instruction = 0;  ///< within its bytecode
    /// The last of the Python frames that one C frame of the interpreter runs.
    bool last = false;
    bool shown = true;  ///< false: a helper frame of the interpreter, at the bottom of a C frame
};

/// Copies the innermost frames of a thread and returns how many. Exact only while the thread is not
/// running. Async-signal-safe.
std::size_t copyPythonFrames(const PythonLayout& layout, std::uintptr_t threadState,
                             std::span<RawPythonFrame> frames, const ProcessMemory& memory = {});

/// The interpreter's state of the thread with this system id; 0 if the thread runs no Python.
[[nodiscard]] std::uintptr_t pythonThread(const PythonLayout& layout, std::int64_t nativeId,
                                          const ProcessMemory& memory = {});

/// A line of Python code.
struct PythonPlace {
    std::string file, function;
    std::uint32_t line = 0;  ///< 0: not known
    auto operator<=>(const PythonPlace&) const = default;
};

/// The line of the instruction at `offset` bytes in the bytecode, from a code object's line table
/// (format of 3.11 and later); 0: the table does not say.
[[nodiscard]] std::uint32_t lineOf(std::string_view table, std::uint32_t firstLine,
                                   std::size_t offset);

/// Finds file, function and line of frames. For use by one thread.
class PythonCode {
public:
    /// Absent if the code object is gone or has changed meanwhile.
    std::optional<PythonPlace> place(const PythonLayout& layout, const RawPythonFrame& frame,
                                     const ProcessMemory& memory = {});
    /// Forgets what was at the addresses of this process, which is gone.
    void forget(pid_t process);

private:
    struct Known {
        std::uintptr_t filename = 0, name = 0, table = 0;  ///< what the object pointed to
        std::string file, function, lines;
        std::uint32_t firstLine = 0;
    };
    /// Where the object is: a forked process has other objects at the addresses of its parent's.
    using Address = std::pair<pid_t, std::uintptr_t>;
    std::map<Address, Known> m_known;
};

}  // namespace roofscope::inject
