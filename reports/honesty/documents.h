// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/honesty/loop.h"
#include "analyzer/honesty/review.h"
#include "reports/document/document.h"

namespace roofscope::honesty {

/// A review: what a person should look at, the two functions side by side, and what was checked.
[[nodiscard]] doc::Document reviewDocument(const ReviewFacts& facts, const Review& review,
                                           Language language);

/// A timing loop: time and traffic per kernel in the loop, replayed, with an empty L2 and in the
/// program.
[[nodiscard]] doc::Document loopDocument(const std::vector<LoopKernel>& kernels,
                                         const std::string& command, Language language);

}  // namespace roofscope::honesty
