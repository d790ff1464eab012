// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/over_time/facts.h"

namespace roofscope {

namespace {

/// From this share of its later level on, a resource counts as used.
constexpr double kStarted = 0.8;

/// Blocks are distributed, code and first addresses are fetched: a copy on an H200 reaches its DRAM
/// use after 2 to 4 µs, and nothing is wrong with it.
constexpr Seconds kUsualStart{5e-6};
constexpr double kLeastLost = 0.05;
/// A longer start, or one that does at least half as much as later, is a part of the work.
constexpr double kMostOfTime = 0.5, kMostUse = 0.5;

/// What the kernel may wait to use, and the highest level of it that the kernel holds.
struct Held {
    SlowStart::Resource resource;
    std::optional<double> Activity::*use;
    double ofRoof;  ///< divides a use into a share of the roof
    double level = 0;
};

std::array<Held, 4> heldLevels(std::span<const OverTimeInterval> curve, double l2Roof) {
    using enum SlowStart::Resource;
    std::array<Held, 4> all{{{Dram, &Activity::dram, 1},
                             {L2, &Activity::l2, l2Roof},
                             {Issue, &Activity::issue, 1},
                             {Tensor, &Activity::tensor, 1}}};
    for (Held& held : all)
        held.level = sustained(
            curve, [&](const Activity& activity) { return (activity.*held.use).value_or(0); });
    return all;
}

bool counts(const Held& held) { return held.ofRoof > 0 && held.level >= kCounts * held.ofRoof; }

/// The highest use of a resource that counts, as a share of the level that it holds.
double useOf(const Activity& activity, const std::array<Held, 4>& levels) {
    double most = 0;
    for (const Held& held : levels)
        if (counts(held)) most = std::max(most, (activity.*held.use).value_or(0) / held.level);
    return std::min(most, 1.0);
}

}  // namespace

std::optional<SlowStart> findSlowStart(const OverTimeAnalysis& life, double l2Roof) {
    const std::span<const OverTimeInterval> curve = life.curve;
    const auto levels = heldLevels(curve, l2Roof);
    const auto most = std::ranges::max_element(
        levels, {}, [](const Held& held) { return counts(held) ? held.level / held.ofRoof : 0.0; });
    if (!counts(*most)) return std::nullopt;
    const auto started = std::ranges::find_if(curve, [&](const OverTimeInterval& interval) {
        return useOf(interval.activity, levels) >= kStarted;
    });
    const std::span start(curve.begin(), started);
    if (start.size() <= kLeastStretch) return std::nullopt;
    const OverTimeInterval whole = joined(start);
    SlowStart found{.from = life.begin,
                    .length = whole.to - life.begin,
                    .activity = whole.activity,
                    .resource = most->resource,
                    .level = most->level / most->ofRoof,
                    .lost = {},
                    .atMost = {}};
    for (const OverTimeInterval& interval : start.subspan(1))
        found.lost += interval.length() * (1.0 - useOf(interval.activity, levels));
    const OverTimeInterval& first = start.front();
    const Seconds ofFirst = first.length() * (1.0 - useOf(first.activity, levels));
    found.atMost = found.lost + std::min(first.to - life.begin, ofFirst);
    return found;
}

bool startsSlowly(const OverTimeAnalysis& life) {
    if (!life.slowStart) return false;
    const auto& [length, lost] = std::pair(life.slowStart->length, life.slowStart->lost);
    return lost > kUsualStart && lost >= life.duration() * kLeastLost &&
           length <= life.duration() * kMostOfTime && lost >= length * (1 - kMostUse);
}

}  // namespace roofscope
