// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// Kernel names as a list in a message: "\"first\", \"second\"".
[[nodiscard]] std::string quotedNames(const std::vector<std::string>& names);
/// Advice for a pattern that no kernel matches: "nearest: …", or that there are no kernels.
[[nodiscard]] std::string nearestKernels(const Analysis& analysis, std::string_view pattern);

}  // namespace roofscope
