// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "analyzer/model/analysis.h"
#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// A few launches that come again and again within each occurrence of the window.
struct LaunchRounds {
    std::size_t length = 0;  ///< launches in a round
    double rounds = 0;       ///< per occurrence
    double launches = 0;     ///< per occurrence
};
/// This many rounds or more are a loop over items.
inline constexpr double kManyRounds = 32;

/// The shortest round that explains most launches, if these are most of the window's. Absent if it
/// multiplies matrices: then it is probably a layer, and its rounds need each other's results.
[[nodiscard]] std::optional<LaunchRounds> launchRounds(const Analysis& analysis,
                                                       const LaneActivity& lane,
                                                       const FoundWindow& window);

/// If the occurrences of the window are themselves the rounds of an inner loop: some of them, two
/// at least, also hold other work, with three times as many launches as the median. `rounds` is
/// then of each time that the loop is entered, and `launches` of an occurrence. Absent if it has
/// less than kManyRounds.
[[nodiscard]] std::optional<LaunchRounds> innerRounds(const LaneActivity& lane,
                                                      const FoundWindow& window);

}  // namespace roofscope::program
