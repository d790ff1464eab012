// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope {

/// The last part of a Linux or Windows path, which need not exist: "a.cu" for "/home/a/a.cu" and
/// for "C:\\src\\a.cu", "src" for "/src/".
[[nodiscard]] inline std::string_view baseName(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const auto slash = path.find_last_of("/\\");
    return slash == path.npos ? path : path.substr(slash + 1);
}

}  // namespace roofscope
