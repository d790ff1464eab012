// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/added_by_tracing.h"

#include <algorithm>
#include <cmath>

#include "analyzer/program/account/pace.h"

namespace roofscope::program {
namespace {

/// The calls in common must take this share of the window's time, or the time of this many
/// occurrences. Fewer say little about the rest.
constexpr double kLeastCommon = 0.25, kLeastOccurrences = 4;
/// A shorter stretch takes less time than single rounds differ by.
constexpr double kLeastAlone = 20e6;  // ns
/// The most that tracing may add to a launch call; 25 µs was the most seen. Anything beyond it is
/// the program's own time.
constexpr double kMostPerCall = 30e3;  // ns

/// Time without tracing / time with tracing, over the calls that both stretches have in common.
std::optional<double> shareOfCommon(const Pace& traced, const Pace& alone,
                                    const FoundWindow& window, const Covered& covered) {
    double common = 0, inAlone = 0;
    for (const TimeSpan& span : window.spans) {
        const double from =
            std::max(traced.callsAt(static_cast<double>(span.start)), alone.firstCall());
        const double to = std::min(traced.callsAt(static_cast<double>(span.end)), alone.lastCall());
        if (from >= to) continue;
        common += traced.timeAt(to) - traced.timeAt(from);
        inAlone += alone.timeAt(to) - alone.timeAt(from);
    }
    const double enough =
        std::min(kLeastCommon, kLeastOccurrences / static_cast<double>(window.spans.size()));
    if (inAlone < kLeastAlone || common < enough * covered.length) return std::nullopt;
    return inAlone / common;
}

/// The same over as many calls as an occurrence has on average. Leaves out the first half of the
/// untraced stretch, in which the program may have been warming up.
std::optional<double> shareOfRounds(const Pace& alone, const FoundWindow& window,
                                    const Covered& covered) {
    // If repeats differ in size, the untraced stretch may consist of repeats of another size.
    if (window.window.isWhole() || window.window.counted < 2 || window.window.others.count > 0)
        return std::nullopt;
    const auto occurrences = static_cast<double>(window.spans.size());
    const double each = std::round(covered.calls / occurrences);
    if (each < 1) return std::nullopt;
    const double rounds = std::floor((alone.lastCall() - alone.firstCall()) / each);
    if (rounds < 1) return std::nullopt;
    const double last = alone.firstCall() + rounds * each;
    const double taken = std::ceil(rounds / 2);
    if (alone.timeAt(last) - alone.timeAt(alone.firstCall()) < kLeastAlone) return std::nullopt;
    const double time = alone.timeAt(last) - alone.timeAt(last - taken * each);
    return time / taken / (covered.length / occurrences);
}

}  // namespace

std::optional<Seconds> addedByTracing(const Profile& profile, const LaneActivity& lane,
                                      const FoundWindow& window) {
    if (lane.processes.size() != 1 || window.spans.empty()) return std::nullopt;
    const auto& pace = profile.processes[lane.processes.front()].pace;
    if (!pace) return std::nullopt;
    const Pace traced(pace->traced), alone(pace->alone);
    if (!traced.any() || !alone.any()) return std::nullopt;
    const Covered covered = coveredBy(traced, window);
    if (!(covered.length > 0)) return std::nullopt;
    const bool apart =
        alone.lastCall() <= traced.firstCall() || traced.lastCall() <= alone.firstCall();
    const auto share = apart ? shareOfRounds(alone, window, covered)
                             : shareOfCommon(traced, alone, window, covered);
    if (!share) return std::nullopt;
    const double added = covered.length * (1 - std::min(1.0, *share));
    if (added > kMostPerCall * covered.calls) return std::nullopt;
    return Seconds{added / 1e9};
}

}  // namespace roofscope::program
