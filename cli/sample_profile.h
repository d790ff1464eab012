// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope::cli {

/// For "sample", if there is no such file: the path of a recording installed with roofscope, so
/// that users can see a report before they record anything. Returns other paths unchanged.
[[nodiscard]] std::string resolveSampleName(const std::string& path);

}  // namespace roofscope::cli
