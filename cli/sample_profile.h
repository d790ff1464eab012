// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope::cli {

/// The profile that "sample" stands for where no such file exists: a recording that is installed
/// with roofscope, so that a report can be read before anything was recorded. Other names stay.
[[nodiscard]] std::string orSample(const std::string& path);

}  // namespace roofscope::cli
