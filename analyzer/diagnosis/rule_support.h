// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/counters/group_sums.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/roofline/resources.h"

/// What rules share: how a gain is bounded, and how results are put together.
namespace roofscope::rules {

/// A finding that saves less than this share of the kernel's time is listed as minor
/// (docs/rules.md): not worth rewriting a kernel for.
inline constexpr double kMinorShare = 0.03;
/// A fault below this share is not reported, because repeated launches scatter more.
inline constexpr double kLeastReportedGain = 0.005;

/// The launch group's duration in seconds, or 0 when unknown.
[[nodiscard]] double duration(const RuleInput& input);
/// Whether a launch takes hardly longer than an empty one, so that an edit of the kernel has
/// nothing to gain.
[[nodiscard]] bool isNearlyEmptyLaunch(const RuleInput& input);
/// The device of the group.
[[nodiscard]] const Device& deviceOf(const RuleInput& input);
/// The warps of one launch, partly filled ones included.
[[nodiscard]] double launchedWarps(const RuleInput& input);
/// A warp that runs at least this many instructions, one after another, takes some 20 µs and more:
/// a loop that can be split.
inline constexpr double kLongLoop = 20'000;
/// How many instructions each warp runs, if at least `least`.
[[nodiscard]] std::optional<double> longLoopOf(const RuleInput& input, double least = kLongLoop);

/// Size of all buffers that a launch is given, for the launch that has most; absent if some sizes
/// are not known.
[[nodiscard]] std::optional<double> bufferBytes(const RuleInput& input);

/// Sums of the counters over those launches of the group that have all of them.
[[nodiscard]] GroupSums::Joint jointSums(const RuleInput& input,
                                         std::initializer_list<std::string_view> counters);

/// What the first quantity without a value lacks; nullopt if all have a value.
[[nodiscard]] std::optional<SharedText> firstMissing(const auto&... quantities) {
    std::optional<SharedText> missing;
    const auto look = [&missing](const auto& quantity) {
        if (!quantity.has()) missing = quantity.missing;
        return quantity.has();
    };
    (void)(look(quantities) && ...);
    return missing;
}

/// Limits a gain so that the kernel still takes as long as an empty launch. `share` and the result
/// are shares of the duration.
[[nodiscard]] double limitToEmptyLaunch(const RuleInput& input, double share);

/// Upper bound of what fewer memory accesses can save in an underfilled launch: the share of time
/// in which memory is busy. For memory that belongs to an SM (L1, shared memory), it counts only
/// SMs that have a block. The rest of the time is latency. 1 if the launch is not underfilled.
[[nodiscard]] double memoryTimeIfUnderfilled(const RuleInput& input);

/// The same for uneven work: a launch lasts as long as its busiest SM, so only the time in which
/// that SM's L1 is busy counts. Its L1 takes one wavefront per cycle, and its wavefronts are in
/// proportion to the time that it works. 1 if work is not uneven, or that is not known.
[[nodiscard]] double memoryTimeIfUneven(const RuleInput& input);

/// Whether a single SM works, while nearly all others have ended, for half of the time or more: the
/// busiest SM's time is at least (number of SMs / 2) × that of the average SM.
[[nodiscard]] bool oneSmWorksAlone(const RuleInput& input);

/// A finding whose gain, gain share and minor flag follow from `share` (of the duration).
[[nodiscard]] Finding makeFinding(const RuleInput& input, double share, Words formula);
/// The same with the formula from the rule's text.
[[nodiscard]] Finding makeFinding(const RuleInput& input, double share);
/// The same for a gain that is an estimate.
[[nodiscard]] Finding makeEstimate(const RuleInput& input, double share);
/// Reliefs of unknown size: no part of the load on these resources is certain to remain.
[[nodiscard]] std::vector<Relief> relieves(std::initializer_list<ResourceId> resources);
/// For Finding::expected: the edit moves this counter (a constant) from one value per launch to
/// another.
[[nodiscard]] std::vector<ExpectedMovement> movementOf(std::string_view counter, double from,
                                                       double to, Unit unit = Unit::Count);
/// `missing`: names of counters in that group.
[[nodiscard]] CannotTell cannotTell(SharedText missing, CounterGroup group = CounterGroup::Default);
/// `missing`: in words, what recording that group would provide.
[[nodiscard]] CannotTell cannotTell(Words missing, CounterGroup group);
/// No counters would help.
[[nodiscard]] CannotTell cannotTell(Words missing, Words advice);
[[nodiscard]] CannotTell cannotTell(SharedText missing, Words advice);
/// That each warp runs this many instructions on average.
[[nodiscard]] Evidence instructionsOfWarp(double each, double threshold);
[[nodiscard]] Arg arg(SharedText name, double value, Unit unit);
[[nodiscard]] Arg arg(SharedText name, Words text);

}  // namespace roofscope::rules
