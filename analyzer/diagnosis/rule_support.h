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

/// A finding that recovers less than this share of the kernel's time is listed as minor
/// (docs/rules.md): no one should rewrite a kernel for it.
inline constexpr double kMinorShare = 0.03;
/// Below this share a fault is not worth a line: durations of repeated launches scatter more.
inline constexpr double kWorthNaming = 0.005;

/// The launch group's duration in seconds, or 0 when unknown.
[[nodiscard]] double duration(const RuleInput& input);
/// The device of the group.
[[nodiscard]] const Device& deviceOf(const RuleInput& input);

/// What the counters sum up to over the launches of the group that have all of them.
[[nodiscard]] GroupSums::Joint jointSums(const RuleInput& input,
                                         std::initializer_list<std::string_view> counters);

/// What the first of these quantities lacks that has no value; nothing where all have one.
[[nodiscard]] std::optional<SharedText> firstMissing(const auto&... quantities) {
    std::optional<SharedText> missing;
    const auto look = [&missing](const auto& quantity) {
        if (!quantity.has()) missing = quantity.missing;
        return quantity.has();
    };
    (void)(look(quantities) && ...);
    return missing;
}

/// Caps a gain so that the kernel stays as long as an empty launch takes. Returns a share of the
/// duration.
[[nodiscard]] double aboveEmptyLaunch(const RuleInput& input, double share);

/// The most that fewer memory accesses can win where blocks are fewer than SMs: the share of time
/// in which the memory is busy, for what each SM has of its own on the SMs that have a block. What
/// such a launch waits for besides is latency. 1 with blocks for all SMs.
[[nodiscard]] double memoryTimeWhereUnderfilled(const RuleInput& input);

/// A finding with gain, share and minor mark set from `share` (of the duration).
[[nodiscard]] Finding makeFinding(const RuleInput& input, double share, Words formula);
/// The same by the formula of the rule's text.
[[nodiscard]] Finding makeFinding(const RuleInput& input, double share);
/// The same, where what is gained is estimated.
[[nodiscard]] Finding makeEstimate(const RuleInput& input, double share);
/// What the edit takes off these resources is not known: nothing of their load is certain to stay.
[[nodiscard]] std::vector<Relief> relieves(std::initializer_list<ResourceId> resources);
/// `missing`: names of counters, of that group.
[[nodiscard]] CannotTell cannotTell(SharedText missing, CounterGroup group = CounterGroup::Default);
/// What is missing, in words, is read with that group.
[[nodiscard]] CannotTell cannotTell(Words missing, CounterGroup group);
/// No counters would help.
[[nodiscard]] CannotTell cannotTell(Words missing, Words advice);
[[nodiscard]] CannotTell cannotTell(SharedText missing, Words advice);
[[nodiscard]] Arg arg(SharedText name, double value, Unit unit);
[[nodiscard]] Arg arg(SharedText name, Words text);

}  // namespace roofscope::rules
