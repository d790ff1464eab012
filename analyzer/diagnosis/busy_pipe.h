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
    moved::Value moved;        ///< its utilisation
    /// Stall reasons of a full pipe. If one of them dominates, a kernel that looks latency-bound
    /// may be bound by this pipe.
    std::span<const std::string_view> stalls;
    Words label;  ///< of the evidence: "… in use"
};

/// Fires when the pipe is busier than every other resource except instruction issue, whose slots
/// are freed together with the pipe's instructions. Arguments of the texts: {pipe} and {others}.
[[nodiscard]] RuleResult checkBusyPipe(const RuleInput& input, const WatchedPipe& pipe);

}  // namespace roofscope::rules
