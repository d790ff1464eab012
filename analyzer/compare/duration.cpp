// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/compare/parts.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/language/sentence.h"
#include "analyzer/launches/grouping.h"
#include "analyzer/numbers/median.h"

namespace roofscope::compare {

namespace {

/// Moves the finite values to the front, and returns them sorted.
std::span<double> finite(std::span<double> values) {
    const auto end = std::partition(values.begin(), values.end(),
                                    [](double value) { return std::isfinite(value); });
    std::sort(values.begin(), end);
    return {values.begin(), end};
}

/// Durations of a side in seconds; of the counter run if `counted`.
std::vector<double> durations(const Side& side, bool counted) {
    std::vector<double> seconds;
    if (counted) {
        seconds = GroupSums(side.profile().counters, side.kernel.group.launches)
                      .perLaunch(counter::kDuration);
        for (double& value : seconds) value *= 1e-9;  // CUPTI reports nanoseconds
        std::erase_if(seconds, [](double value) { return !(value > 0); });
    } else if (side.kernel.quantities.duration.unprofiled()) {
        seconds.reserve(side.kernel.group.launches.size());
        for (const std::uint32_t launch : side.kernel.group.launches)
            if (const auto& duration = side.profile().launches[launch].duration;
                duration && duration->value > 0)
                seconds.push_back(duration->value);
    } else {
        static_cast<void>(groupDuration(side.profile(), side.kernel.group, seconds));
    }
    seconds.resize(finite(seconds).size());
    return seconds;
}

/// The larger of two clocks over the smaller, minus 1; 0 when one is unknown.
double apartBy(const Derived<Hertz>& a, const Derived<Hertz>& b) {
    if (!a.has() || !b.has() || !(a->value > 0) || !(b->value > 0)) return 0;
    return std::max(a->value, b->value) / std::min(a->value, b->value) - 1;
}

Remark clockRemark(Words phrase, const Side& from, const Side& to, bool sm) {
    const Quantities &a = from.kernel.quantities, &b = to.kernel.quantities;
    return {std::move(phrase),
            {word("clock", std::string(sm ? "SM" : "DRAM")),
             number("from", (sm ? a.smClock : a.dramClock)->value, Unit::Hertz),
             number("to", (sm ? b.smClock : b.dramClock)->value, Unit::Hertz)}};
}

}  // namespace

Band bandOf(std::span<double> values) {
    const std::span<const double> sorted = finite(values);
    if (sorted.empty()) return {};
    const bool few = sorted.size() < kQuartileRepeats;
    return {.low = few ? sorted.front() : quantileOf(sorted, 0.25),
            .high = few ? sorted.back() : quantileOf(sorted, 0.75),
            .repeats = sorted.size(),
            .agrees = sorted.size() > 1 && sorted.front() == sorted.back()};
}

bool apart(const Band& a, const Band& b) { return a.high < b.low || b.high < a.low; }

double differenceShare(double a, double b) {
    return a == b ? 0 : std::abs(a - b) / std::max(std::abs(a), std::abs(b));
}

double relativeChange(double from, double to) {
    if (from == to) return 0;
    return std::abs(to - from) / std::abs(from);  // infinite from 0
}

bool sameGpu(const Side& from, const Side& to) { return sameGpu(from.device(), to.device()); }

bool sameGpu(const Device& a, const Device& b) {
    return a.name == b.name && a.chip == b.chip && a.smCount == b.smCount &&
           a.computeMajor == b.computeMajor && a.computeMinor == b.computeMinor;
}

DurationChange durationChange(const Side& from, const Side& to) {
    using State = DurationChange::State;
    DurationChange change;
    const auto unprofiled = [](const Side& side) {
        return side.kernel.quantities.duration.count > 0 &&
               side.kernel.quantities.duration.unprofiled();
    };
    // Durations of a timing run and of a counter run must not be compared: they are measured
    // differently.
    const bool counted = unprofiled(from) != unprofiled(to);
    if (!counted) change.source = to.kernel.quantities.duration.source;
    std::vector<double> before = durations(from, counted), after = durations(to, counted);
    change.fromBand = bandOf(before);
    change.toBand = bandOf(after);
    if (!before.empty()) change.from = {quantileOf(before, 0.5)};
    if (!after.empty()) change.to = {quantileOf(after, 0.5)};
    if (!change.measured()) {
        const bool neither = before.empty() && after.empty();
        change.reason = {neither          ? Words("neither side has a duration")
                         : before.empty() ? Words("the baseline has no duration")
                                          : Words("the candidate has no duration"),
                         {}};
        return change;
    }
    if (!sameGpu(from, to)) {
        change.state = State::NotComparable;
        const bool named = from.device().name != to.device().name;
        const std::string &a = from.device().name, &b = to.device().name;
        change.reason = {
            Words("measured on different GPUs: {from} and {to}"),
            {word("from", named ? Words::same(a) : wordsOf("one {}", a)),
             word("to", named ? Words::same(b) : Words("another with other properties"))}};
        return change;
    }
    const double sm = apartBy(from.kernel.quantities.smClock, to.kernel.quantities.smClock);
    const double dram = apartBy(from.kernel.quantities.dramClock, to.kernel.quantities.dramClock);
    const double clocks = std::max(sm, dram);
    if (clocks > kClockLimit) {
        change.state = State::NotComparable;
        change.reason = clockRemark(Words("the {clock} clock differs too much: {from} and {to}"),
                                    from, to, sm >= dram);
        return change;
    }
    const double ratio = std::max(change.from / change.to, change.to / change.from) - 1;
    const bool known = std::min(before.size(), after.size()) >= kLeastRepeats;
    const double least = known ? kLeastDurationChange : kLeastUnrepeatedChange;
    const bool faster = change.to < change.from;
    if (clocks > kClockTolerance) {
        if (ratio <= clocks) {
            change.state = State::NotComparable;
            change.reason = clockRemark(
                Words("the {clock} clocks ({from} and {to}) differ more than the durations"), from,
                to, sm >= dram);
            return change;
        }
        // If the clock went the other way, the change is larger than it looks, not doubtful.
        const auto helped = [faster](const Derived<Hertz>& a, const Derived<Hertz>& b) {
            if (!a.has() || !b.has()) return false;
            return (faster ? b->value / a->value : a->value / b->value) > 1 + kClockTolerance;
        };
        const Quantities &q = from.kernel.quantities, &r = to.kernel.quantities;
        const bool bySm = helped(q.smClock, r.smClock);
        if (bySm || helped(q.dramClock, r.dramClock))
            change.reason = clockRemark(
                Words("part of the change comes from the {clock} clock ({from} and {to})"), from,
                to, bySm);
    }
    if (!known && change.reason.empty())
        change.reason = {
            Words("fewer than {least} launches on a side, so the noise is unknown and only a "
                  "change of {change} counts"),
            {number("least", static_cast<double>(kLeastRepeats), Unit::Count),
             number("change", kLeastUnrepeatedChange, Unit::Share)}};
    const bool tiny = &from.profile() != &to.profile() &&
                      std::abs(change.from.value - change.to.value) < kLeastBetweenRecordings.value;
    const bool beyond =
        ratio >= least && !tiny && (!known || apart(change.fromBand, change.toBand));
    change.state = beyond  ? (faster ? State::Faster : State::Slower)
                   : known ? State::WithinNoise
                           : State::NoiseUnknown;
    return change;
}

}  // namespace roofscope::compare
