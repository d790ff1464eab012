// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace roofscope::traces {

/// A Python function as the profiler names it: "train.py(12): main".
struct PythonFrame {
    std::string_view file, function;
    bool operator==(const PythonFrame&) const = default;
};

/// The function, if it is the program's own: not of a framework, Python's library or compiled code.
/// The line in the name is left out: it is where the function begins, not the one that runs.
[[nodiscard]] std::optional<PythonFrame> ownFrame(std::string_view name);

}  // namespace roofscope::traces
