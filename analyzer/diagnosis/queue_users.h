// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "analyzer/diagnosis/rule.h"

namespace roofscope::rules {

/// What a wait for shared memory and special functions is really for. One queue serves shared
/// memory, special functions, shuffles, and loads from constant memory by an index.
struct QueueUser {
    Words what;  ///< what warps wait for, to follow "wait for"
    Words edit;
};

/// The user of that queue if it is not shared memory or a special function. `reason`:
/// "mio_throttle" or "short_scoreboard". By the instructions at which warps were sampled; without
/// samples, if the kernel has no shared memory and hardly uses special functions. Empty texts: not
/// known.
[[nodiscard]] QueueUser queueUserOf(const RuleInput& input, std::string_view reason);

}  // namespace roofscope::rules
