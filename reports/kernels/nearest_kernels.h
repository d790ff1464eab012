// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// "\"first\", \"second\"": names of kernels as a message lists them.
[[nodiscard]] std::string quotedNames(const std::vector<std::string>& names);
/// What to say of a pattern that no kernel matches: "nearest: …", or that there are none.
[[nodiscard]] std::string nearestKernels(const Analysis& analysis, std::string_view pattern);

}  // namespace roofscope
