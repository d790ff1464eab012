// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analyzer/model/analysis.h"

namespace roofscope::gui {

/// Statistics of a counter over a kernel's launches.
struct CounterValues {
    std::optional<double> median, min, max;  ///< of the finite values; absent if there are none
    std::size_t measured = 0;                ///< launches with a finite value
};
[[nodiscard]] CounterValues counterValues(const Profile& profile, const LaunchGroup& group,
                                          const std::string& counter);

}  // namespace roofscope::gui
