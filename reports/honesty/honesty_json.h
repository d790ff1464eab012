// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/honesty/honesty_report.h"

namespace roofscope::honesty {

/// The JSON documents; docs/honesty.md describes both.
[[nodiscard]] std::string reviewJson(const ReviewFacts& facts, const Review& review,
                                     const HonestyOptions& options);
[[nodiscard]] std::string loopJson(const std::vector<LoopKernel>& kernels,
                                   const std::string& command, const HonestyOptions& options);

}  // namespace roofscope::honesty
