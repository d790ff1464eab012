// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/alone.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace roofscope::program {
namespace {

/// A shorter stretch says little about the rest of the window.
constexpr double kLeastCommon = 0.25;  // of the window
/// A shorter one is shorter than single rounds differ.
constexpr double kLeastAlone = 20e6;  // ns
/// Tracing adds at most this to a launch call: 25 µs where most was seen. What is more is the
/// program's.
constexpr double kMostPerCall = 30e3;  // ns

/// Calls and time of a process, between whose marks both grow evenly.
class Pace {
public:
    explicit Pace(const std::vector<PaceMark>& marks) : m_marks(marks) {}

    [[nodiscard]] bool any() const { return m_marks.size() >= 2; }
    [[nodiscard]] double firstCall() const { return calls(m_marks.front()); }
    [[nodiscard]] double lastCall() const { return calls(m_marks.back()); }
    /// Calls until this time, in ns; those of the nearest mark outside of the marks.
    [[nodiscard]] double callsAt(double time) const { return between(time, timeOf, calls); }
    /// The time in ns at which so many calls had come, likewise.
    [[nodiscard]] double timeAt(double call) const { return between(call, calls, timeOf); }

private:
    static double calls(const PaceMark& mark) { return static_cast<double>(mark.calls); }
    static double timeOf(const PaceMark& mark) { return static_cast<double>(mark.time); }

    template <class From, class To>
    [[nodiscard]] double between(double value, From from, To to) const {
        const auto next = std::ranges::lower_bound(m_marks, value, {}, from);
        if (next == m_marks.begin()) return to(m_marks.front());
        if (next == m_marks.end()) return to(m_marks.back());
        const PaceMark &a = *std::prev(next), &b = *next;
        const double length = from(b) - from(a);
        const double part = length > 0 ? (value - from(a)) / length : 0;
        return to(a) + part * (to(b) - to(a));
    }

    const std::vector<PaceMark>& m_marks;
};

/// The part of a window between marks of launches.
struct Covered {
    double calls = 0, length = 0;  ///< over all occurrences; ns
};
Covered coveredBy(const Pace& traced, const FoundWindow& window) {
    Covered covered;
    for (const TimeSpan& span : window.spans) {
        const double first = traced.callsAt(static_cast<double>(span.start));
        const double last = traced.callsAt(static_cast<double>(span.end));
        covered.calls += last - first;
        covered.length += traced.timeAt(last) - traced.timeAt(first);
    }
    return covered;
}

/// The time alone, as a share of the traced time: of the calls that both have in common.
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
    if (inAlone < kLeastAlone || common < kLeastCommon * covered.length) return std::nullopt;
    return inAlone / common;
}

/// The same, of as many calls as an occurrence has on average. The first half of the stretch alone
/// is left out: the program may have been warming up.
std::optional<double> shareOfRounds(const Pace& alone, const FoundWindow& window,
                                    const Covered& covered) {
    if (window.window.isWhole() || window.window.counted < 2) return std::nullopt;
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
