// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace roofscope::traces {

/// A Python function as the profiler names it: "train.py(12): main".
struct PythonFrame {
    std::string_view file, function;
    std::string_view line;  ///< digits: where the function begins, not the line that runs
    bool operator==(const PythonFrame&) const = default;
};

/// Absent if it is no name of a Python function.
[[nodiscard]] std::optional<PythonFrame> pythonFrame(std::string_view name);
/// The function, if it is the program's own: not of a framework, Python's library or compiled code.
[[nodiscard]] std::optional<PythonFrame> ownFrame(std::string_view name);

}  // namespace roofscope::traces
