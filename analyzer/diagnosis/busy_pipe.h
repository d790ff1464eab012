// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/roofline/resources.h"

namespace roofscope::rules {

/// An arithmetic pipe that a rule watches, measured by the counter group "pipes".
struct WatchedPipe {
    ResourceId resource;
    const Derived<Ratio>& utilisation;
    std::string_view counter;       ///< of its utilisation
    std::string_view instructions;  ///< counter of its warp instructions
    moved::Value moved;             ///< its utilisation
    /// Stall reasons of a full pipe. If one of them dominates, a kernel that looks latency-bound
    /// may be bound by this pipe.
    std::span<const std::string_view> stalls;
    Words label;  ///< of the evidence: "… in use"
};

/// The share of the issue slots that instructions of other pipes take; nullopt if not counted.
[[nodiscard]] std::optional<double> issueOfOthers(const RuleInput& input, const WatchedPipe& pipe);

/// Fires when the pipe is busier than every other resource. Of instruction issue only the slots of
/// other pipes' instructions count, because the pipe's own are freed with it. Arguments of the
/// texts: {pipe} and {others}.
[[nodiscard]] RuleResult checkBusyPipe(const RuleInput& input, const WatchedPipe& pipe);

}  // namespace roofscope::rules
