// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

/// What resident warps wait for, from the counter group "stalls" or from samples.
namespace roofscope {

/// A state of warps that do not issue, and its share of all resident warps' time.
struct Stall {
    std::string reason;  ///< as CUPTI names it: "long_scoreboard"
    double share = 0;    ///< 0 to 1
};

struct Stalls {
    /// Largest first, without "selected" and "not_selected", in which warps could issue. Empty if
    /// counters are missing.
    std::vector<Stall> reasons;
    SharedText missing;  ///< counters that are missing; empty if all are there
    /// True: the shares come from samples, which also show where warps wait. False: from counters.
    bool sampled = false;
    /// The share of a reason; 0 if it is not among them.
    [[nodiscard]] double shareOf(std::string_view reason) const;
};

/// The stalls of a launch group. Which reason is the largest is only known if all were counted.
[[nodiscard]] Stalls stallsOf(const Profile& profile, const LaunchGroup& group);
/// The stalls of a kernel: from the samples of its source pass when there are enough of them, else
/// from counters.
[[nodiscard]] Stalls stallsOf(const Profile& profile, const KernelAnalysis& kernel);
/// Where the share of a reason comes from: "COUNTER / sum over all reasons", "COUNTER / samples".
[[nodiscard]] std::string stallFormula(const Stalls& stalls, std::string_view reason);

/// The movement that the edit for a stall should cause: the stall goes away.
[[nodiscard]] ExpectedMovement withoutStall(const Stalls& stalls, const Stall& stall);

/// Name of the counter of a reason.
[[nodiscard]] std::string stallCounter(std::string_view reason);

/// What a stall reason means, and what to do about it.
struct StallCause {
    std::string_view reason;
    Words what;  ///< what the warps wait for, to follow "wait for"
    Words why;   ///< one sentence
    Words edit;  ///< one edit
    /// The edit for a Triton kernel; empty if it is the same.
    Words inTriton = {};
};
/// The cause of a reason; null if it is not known.
[[nodiscard]] const StallCause* findStallCause(std::string_view reason);
/// What the warps wait for, in words; the bare reason if it is not known.
[[nodiscard]] Words stallWords(std::string_view reason);

}  // namespace roofscope
