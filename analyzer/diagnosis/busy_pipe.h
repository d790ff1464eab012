// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/roofline/resources.h"

namespace roofscope::rules {

/// An arithmetic pipe that a rule watches, measured by the counter group "pipes".
struct WatchedPipe {
    ResourceId resource;
    const Derived<Ratio>& utilisation;
    std::string_view counter;  ///< of its utilisation
    /// What warps wait for where this pipe is full: where that is what most of them wait for, a
    /// kernel that looks latency-bound may be bound by the pipe.
    std::span<const std::string_view> stalls;
    Words label;  ///< of the evidence: "… in use"
};

/// Fires when the pipe leads every other resource but instruction issue, whose slots whatever
/// replaces its instructions would take again. Arguments of the texts: {pipe} and {others}.
[[nodiscard]] RuleResult checkBusyPipe(const RuleInput& input, const WatchedPipe& pipe);

}  // namespace roofscope::rules
