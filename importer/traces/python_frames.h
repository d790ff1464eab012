// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace roofscope::traces {

/// A Python function in the profiler's notation: "train.py(12): main".
struct PythonFrame {
    std::string_view file, function;
    std::string_view line;  ///< digits; the line where the function begins, not the one that runs
    bool operator==(const PythonFrame&) const = default;
};

/// Absent if `name` is not a Python function.
[[nodiscard]] std::optional<PythonFrame> pythonFrame(std::string_view name);
/// The function if it belongs to the program, not to a framework, Python's library or compiled
/// code.
[[nodiscard]] std::optional<PythonFrame> ownFrame(std::string_view name);

}  // namespace roofscope::traces
