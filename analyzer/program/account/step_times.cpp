// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/step_times.h"

#include <cmath>

#include "analyzer/program/account/compilers.h"
#include "analyzer/program/account/pace.h"
#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {
namespace {

/// Calls per second; absent without a stretch.
std::optional<double> rateOf(const Pace& pace) {
    if (!pace.any()) return std::nullopt;
    const double time = pace.timeAt(pace.lastCall()) - pace.timeAt(pace.firstCall());
    if (!(time > 0)) return std::nullopt;
    return (pace.lastCall() - pace.firstCall()) / time * 1e9;
}

/// How long `calls` launch calls took while they were only counted: a mean over as many whole steps
/// as there were. If `calls` is not a whole number, because one call launches a graph of several
/// steps, the mean rate is used.
std::optional<Seconds> timeOf(const Pace& pace, double calls) {
    const auto rate = rateOf(pace);
    if (!rate) return std::nullopt;
    const double all = pace.lastCall() - pace.firstCall();
    constexpr double kAlmostWhole = 0.01;
    const double whole = std::round(calls);
    if (whole < 1 || std::abs(calls - whole) > kAlmostWhole * whole) return Seconds{calls / *rate};
    const double steps = std::floor(all / whole);
    if (steps < 1) return std::nullopt;
    const double end = pace.timeAt(pace.firstCall() + steps * whole);
    return Seconds{(end - pace.timeAt(pace.firstCall())) / steps / 1e9};
}

/// The steps of a window that is a loop; absent for others.
std::optional<StepsFound> stepsOf(const FoundWindow& window) {
    if (window.window.isWhole() || window.spans.empty()) return std::nullopt;
    double length = 0;
    for (const TimeSpan& span : window.spans) length += static_cast<double>(span.length());
    const auto counted = static_cast<double>(window.spans.size());
    return StepsFound{.count = window.window.occurrences, .each = Seconds{length / counted / 1e9}};
}

}  // namespace

std::optional<StepsFound> stepsFound(const Profile& profile) {
    const auto lanes = laneActivities(profile);
    return lanes.empty()
               ? std::nullopt
               : stepsOf(findWindow(profile, lanes.front(), compiledUntilTheEnd(profile)));
}

StepTimes stepTimes(const Profile& profile) {
    StepTimes times;
    const auto lanes = laneActivities(profile);
    if (lanes.empty()) return times;
    const LaneActivity& lane = lanes.front();
    static const LaunchPace none;
    const LaunchPace* pace = &none;
    if (lanes.size() == 1 && lane.processes.size() == 1)
        if (const auto& known = profile.processes[lane.processes.front()].pace) pace = &*known;
    const Pace alone(pace->alone), traced(pace->traced), after(pace->after);
    times.calls = {.before = rateOf(alone), .recorded = rateOf(traced), .after = rateOf(after)};
    const FoundWindow window = findWindow(profile, lane, compiledUntilTheEnd(profile));
    const auto steps = stepsOf(window);
    if (!steps) return times;
    times.steps = steps->count;
    times.recorded = steps->each;
    if (!traced.any()) return times;
    // Other sizes of the loop may have run before or afterwards.
    if (window.window.others.count > 0) return times;
    const double calls = coveredBy(traced, window).calls / static_cast<double>(window.spans.size());
    // Ranges leave out the time between them, which the other times include.
    if (window.window.kind == WindowKind::Range)
        times.recorded = timeOf(traced, calls).value_or(*times.recorded);
    times.before = timeOf(alone, calls);
    times.after = timeOf(after, calls);
    return times;
}

}  // namespace roofscope::program
