// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Paths of NVTX ranges, as Profile::ranges has them: "epoch > step".
namespace roofscope::program {

/// Between the names of a path.
inline constexpr std::string_view kWithin = " > ";

/// The innermost name of a path: "epoch > step" → "step".
[[nodiscard]] inline std::string lastName(const std::string& path) {
    const auto inner = path.rfind(kWithin);
    return inner == path.npos ? path : path.substr(inner + kWithin.size());
}

/// Whether the path leads into the range of the other one: "epoch > step" into "epoch".
[[nodiscard]] inline bool isWithin(std::string_view path, std::string_view outer) {
    return path.starts_with(outer) && path.substr(outer.size()).starts_with(kWithin);
}

}  // namespace roofscope::program
