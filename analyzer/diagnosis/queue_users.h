// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "analyzer/diagnosis/rule.h"

namespace roofscope::rules {

/// What warps really wait for if they seem to wait for shared memory or special functions. The same
/// queue also serves shuffles and loads from constant memory by an index.
struct QueueUser {
    Words what;  ///< what warps wait for, to follow "wait for"
    Words edit;
};

/// The user of that queue if it is neither shared memory nor special functions. `reason`:
/// "mio_throttle" or "short_scoreboard". Found by the instructions at which warps were sampled.
/// Without samples, known only if the kernel has no shared memory and hardly uses special
/// functions. Empty texts: not known.
[[nodiscard]] QueueUser queueUserOf(const RuleInput& input, std::string_view reason);

}  // namespace roofscope::rules
