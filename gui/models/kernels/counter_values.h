// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analyzer/model/analysis.h"

namespace roofscope::gui {

/// A counter over the launches of a kernel that have it.
struct CounterValues {
    std::optional<double> median, min, max;  ///< absent without a finite value
    std::size_t measured = 0;                ///< launches that have one
};
[[nodiscard]] CounterValues counterValues(const Profile& profile, const LaunchGroup& group,
                                          const std::string& counter);

}  // namespace roofscope::gui
