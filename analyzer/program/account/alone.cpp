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
/// A program that runs in less than this share of its traced time did something else.
constexpr double kLeastShare = 0.2;

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

/// Of the calls that both have in common, within the window.
std::optional<double> shareOfCommon(const Pace& traced, const Pace& alone,
                                    const FoundWindow& window) {
    double all = 0, common = 0, inAlone = 0;
    for (const TimeSpan& span : window.spans) {
        const double first = traced.callsAt(static_cast<double>(span.start));
        const double last = traced.callsAt(static_cast<double>(span.end));
        all += traced.timeAt(last) - traced.timeAt(first);
        const double from = std::max(first, alone.firstCall());
        const double to = std::min(last, alone.lastCall());
        if (from >= to) continue;
        common += traced.timeAt(to) - traced.timeAt(from);
        inAlone += alone.timeAt(to) - alone.timeAt(from);
    }
    if (inAlone < kLeastAlone || common < kLeastCommon * all) return std::nullopt;
    return inAlone / common;
}

/// Of as many calls as an occurrence has on average.
std::optional<double> shareOfRounds(const Pace& traced, const Pace& alone,
                                    const FoundWindow& window) {
    if (window.window.isWhole() || window.window.counted < 2) return std::nullopt;
    double calls = 0, length = 0;
    for (const TimeSpan& span : window.spans) {
        const double first = traced.callsAt(static_cast<double>(span.start));
        const double last = traced.callsAt(static_cast<double>(span.end));
        calls += last - first;
        length += traced.timeAt(last) - traced.timeAt(first);
    }
    const auto occurrences = static_cast<double>(window.spans.size());
    const double each = std::round(calls / occurrences);
    if (each < 1) return std::nullopt;
    const double rounds = std::floor((alone.lastCall() - alone.firstCall()) / each);
    if (rounds < 1) return std::nullopt;
    const double time = alone.timeAt(alone.firstCall() + rounds * each);
    if (time < kLeastAlone) return std::nullopt;
    return time / rounds / (length / occurrences);
}

}  // namespace

std::optional<double> shareAlone(const Profile& profile, const LaneActivity& lane,
                                 const FoundWindow& window) {
    if (lane.processes.size() != 1 || window.spans.empty()) return std::nullopt;
    const auto& pace = profile.processes[lane.processes.front()].pace;
    if (!pace) return std::nullopt;
    const Pace traced(pace->traced), alone(pace->alone);
    if (!traced.any() || !alone.any()) return std::nullopt;
    const bool apart =
        alone.lastCall() <= traced.firstCall() || traced.lastCall() <= alone.firstCall();
    const auto share =
        apart ? shareOfRounds(traced, alone, window) : shareOfCommon(traced, alone, window);
    if (!share || *share < kLeastShare) return std::nullopt;
    return std::min(1.0, *share);
}

}  // namespace roofscope::program
