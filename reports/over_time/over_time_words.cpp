// SPDX-License-Identifier: Apache-2.0
#include "reports/over_time/over_time_words.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/language/number_format.h"
#include "reports/language/say.h"

namespace roofscope {

namespace {

/// A part with a smaller share of the kernel's time is not mentioned separately.
constexpr double kNotable = 0.05;

std::string wholePercent(double share) { return fmt::format("{:.0f} %", share * 100); }

/// "all 132 SMs", "1 of 132 SMs".
std::string smWords(double share, std::uint32_t all, Language l) {
    const auto active = static_cast<std::uint32_t>(std::max(1.0, std::round(share * all)));
    constexpr double kAll = 0.98;
    return share >= kAll ? say(l, "all {} SMs", all) : say(l, "{} of {} SMs", active, all);
}

/// "the DRAM at 82 %": the most used unit, and others used at least half as much.
std::string useWords(const Activity& activity, Language l) {
    constexpr double kLeast = 0.1, kBeside = 0.5;
    std::vector<std::pair<double, std::string>> uses;
    const auto add = [&](std::optional<double> use, std::string words) {
        if (use && *use >= kLeast) uses.emplace_back(*use, std::move(words));
    };
    const auto shown = [](std::optional<double> use) { return wholePercent(use.value_or(0)); };
    add(activity.dram, say(l, "the DRAM at {}", shown(activity.dram)));
    add(activity.issue, say(l, "{} of the issue slots used", shown(activity.issue)));
    add(activity.tensor, say(l, "tensor cores at {}", shown(activity.tensor)));
    std::ranges::stable_sort(uses, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (const auto& [use, words] : uses)
        if (use >= kBeside * uses.front().first)
            text += text.empty() ? words : std::string(marksOf(l).comma) + words;
    return text;
}

/// "16.2 µs with all 132 SMs and the DRAM at 82 %".
std::string partWords(Seconds length, const std::string& sms, const std::string& use, Language l) {
    return use.empty() ? say(l, "{} with {}", formatTime(length), sms)
                       : say(l, "{} with {} and {}", formatTime(length), sms, use);
}

std::string phaseWords(const Phases& phases, Language l) {
    const Seconds rest = phases.to - phases.from - phases.memory - phases.compute;
    const std::string between =
        rest.value >= kNotable * (phases.to - phases.from).value
            ? say(l, "; {} in between with little of either", formatTime(rest))
            : std::string();
    return say(
        l,
        " It alternates between {} phases of moving data ({}; {}) and {} of computing ({}; {}){}.",
        phases.memoryCount, formatTime(phases.memory), useWords(phases.inMemory, l),
        phases.computeCount, formatTime(phases.compute), useWords(phases.inCompute, l), between);
}

std::string lackWords(const OverTimeAnalysis& life, const DurationStats& usual, Language l) {
    switch (life.lack) {
        case CurveProblem::None:
            break;
        case CurveProblem::Counters:
            return say(l,
                       "It was sampled over time, but counters are missing in some intervals, so "
                       "no conclusions are drawn.");
        case CurveProblem::Intervals:
            return say(l,
                       "Its {} were sampled in {} intervals of {}: too few to distinguish phases.",
                       formatTime(life.duration()), life.curve.size(), formatTime(life.interval));
        case CurveProblem::Duration:
            if (usual.count == 0)
                return say(l,
                           "It was sampled over time, but its usual duration is unknown, so no "
                           "conclusions are drawn from the samples.");
            return say(
                l, "The sampled launch took {} instead of {}, so no conclusions are drawn from it.",
                formatTime(life.duration()), formatTime(usual.median));
    }
    return {};
}

/// The mean over the intervals that lie within [from, to].
Activity activityBetween(const OverTimeAnalysis& life, Seconds from, Seconds to) {
    std::vector<OverTimeInterval> some;
    for (const OverTimeInterval& interval : life.curve)
        if (interval.from >= from && interval.to <= to) some.push_back(interval);
    return joined(some).activity;
}

}  // namespace

bool hasNotableTail(const OverTimeAnalysis& life) {
    return life.tail && life.tail->length.value >= kNotable * life.duration().value;
}

std::string overTimeWords(const Profile& profile, const KernelAnalysis& kernel, Language l) {
    if (!kernel.overTime) return {};
    const OverTimeAnalysis& life = *kernel.overTime;
    if (life.lack != CurveProblem::None) return lackWords(life, kernel.quantities.duration, l);
    const std::uint32_t all = profile.devices[kernel.group.device].smCount;
    std::vector<std::string> parts;
    Seconds from = life.begin;
    if (life.ramp.value >= kNotable * life.duration().value && life.ramp > life.interval * 3) {
        parts.push_back(say(l, "{} until 90 % of its SMs are active", formatTime(life.ramp)));
        from = life.steadyFrom;
    }
    const bool tail = hasNotableTail(life);
    const Seconds to = tail ? life.tail->from : life.end;
    Activity steady = life.steady;
    if (startsSlowly(life)) {
        const SlowStart& start = *life.slowStart;
        parts = {say(l, "{} with little activity", formatTime(start.length))};
        from = start.from + start.length;
        steady = activityBetween(life, from, to);
    }
    parts.push_back(partWords(to - from, smWords(life.steadySms, all, l),
                              life.phases ? "" : useWords(steady, l), l));
    if (tail)
        parts.push_back(partWords(life.tail->length, smWords(life.tail->medianSms, all, l),
                                  useWords(life.tail->activity, l), l));
    std::string list;
    for (const std::string& part : parts) list += list.empty() ? part : say(l, ", then {}", part);
    std::string text = say(l, "Over its {} (sampled every {}): {}.", formatTime(life.duration()),
                           formatTime(life.interval), list);
    if (life.phases) text += phaseWords(*life.phases, l);
    return text;
}

}  // namespace roofscope
