// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/step_times.h"

#include <cmath>

#include "analyzer/program/account/pace.h"
#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {
namespace {

/// How long `calls` launch calls took where they were only counted: the mean of as many whole steps
/// as there were.
std::optional<Seconds> timeOf(const Pace& pace, double calls) {
    if (!pace.any() || calls < 1) return std::nullopt;
    const double steps = std::floor((pace.lastCall() - pace.firstCall()) / calls);
    if (steps < 1) return std::nullopt;
    const double end = pace.timeAt(pace.firstCall() + steps * calls);
    return Seconds{(end - pace.timeAt(pace.firstCall())) / steps / 1e9};
}

}  // namespace

StepTimes stepTimes(const Profile& profile) {
    StepTimes times;
    const auto lanes = laneActivities(profile);
    if (lanes.empty()) return times;
    const LaneActivity& lane = lanes.front();
    const FoundWindow window = findWindow(profile, lane);
    if (window.window.isWhole() || window.spans.empty()) return times;
    times.steps = window.window.occurrences;
    const auto counted = static_cast<double>(window.spans.size());
    double length = 0;
    for (const TimeSpan& span : window.spans) length += static_cast<double>(span.end - span.start);
    times.recorded = Seconds{length / counted / 1e9};
    if (lanes.size() != 1 || lane.processes.size() != 1) return times;
    const auto& pace = profile.processes[lane.processes.front()].pace;
    if (!pace || pace->traced.size() < 2) return times;
    const double calls = std::round(coveredBy(Pace(pace->traced), window).calls / counted);
    times.before = timeOf(Pace(pace->alone), calls);
    times.after = timeOf(Pace(pace->after), calls);
    return times;
}

}  // namespace roofscope::program
