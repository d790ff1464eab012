// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analyzer/numbers/median.h"
#include "analyzer/over_time/facts.h"

namespace roofscope {

namespace {

/// Share of the steady part's active SMs. Not 1, because blocks of a full wave do not end together.
constexpr double kSteady = 0.9;

/// Use of the resources that may be as busy in the tail as before.
using Uses = std::array<std::optional<double>, 4>;
Uses usesOf(const Activity& activity) {
    return {activity.dram, activity.l2, activity.issue, activity.tensor};
}

/// Which of them are used enough in the steady part to count. L2 look-ups have no roof of their
/// own, so the L2's bandwidth roof stands in; if that is not known, they count.
std::array<bool, 4> countingUses(const Activity& steady, double l2Roof) {
    const auto enough = [](std::optional<double> use, double roof) {
        return use && *use > 0 && *use >= kCounts * roof;
    };
    return {enough(steady.dram, 1), enough(steady.l2, l2Roof), enough(steady.issue, 1),
            enough(steady.tensor, 1)};
}

/// The highest use, of the SMs and of the resources that count, as a share of the steady part's
/// use.
double ofSteady(const Activity& now, const OverTimeAnalysis& life,
                const std::array<bool, 4>& counts) {
    double most = now.sms.value_or(0) / life.steadySms;
    const Uses uses = usesOf(now), steady = usesOf(life.steady);
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (counts[i] && uses[i]) most = std::max(most, *uses[i] / *steady[i]);
    return std::min(most, 1.0);
}

/// Turns a mean over the time `spread` into a mean over `over`, with the same sum.
Activity meanOver(Activity mean, Seconds spread, Seconds over) {
    for (const auto member :
         {&Activity::sms, &Activity::dram, &Activity::issue, &Activity::tensor, &Activity::l2})
        if (std::optional<double>& share = mean.*member) *share *= spread / over;
    return mean;
}

}  // namespace

void findTail(OverTimeAnalysis& life, const Quantities& quantities, std::span<const Roof> roofs,
              std::uint32_t device) {
    const std::span<const OverTimeInterval> curve = life.curve;
    life.steadySms =
        sustained(curve, [](const Activity& activity) { return activity.sms.value_or(0); });
    if (!(life.steadySms > 0)) return;
    const auto isSteady = [&](const OverTimeInterval& interval) {
        return interval.activity.sms.value_or(0) >= kSteady * life.steadySms;
    };
    const auto first = std::ranges::find_if(curve, isSteady);
    const auto last = std::find_if(curve.rbegin(), curve.rend(), isSteady).base();
    const OverTimeInterval steady = joined(std::span(first, last));
    life.steady = steady.activity;
    life.steadyFrom = std::max(steady.from, life.begin);
    life.steadyTo = std::min(steady.to, life.end);
    life.ramp = life.steadyFrom - life.begin;

    const std::span tail(last, curve.end());
    if (tail.size() <= kLeastStretch) return;
    const OverTimeInterval whole = joined(tail);
    std::vector<double> sms;
    for (const OverTimeInterval& interval : tail) sms.push_back(*interval.activity.sms);
    const Seconds length = life.end - whole.from;
    Tail found{.from = whole.from,
               .length = length,
               .activity = meanOver(whole.activity, whole.length(), length),
               .medianSms = medianOf(sms),
               .lost = {},
               .atMost = {}};
    const auto counts = countingUses(life.steady, theoreticalRoof(roofs, Level::L2, device));
    for (const OverTimeInterval& interval : tail.first(tail.size() - 1))
        found.lost += interval.length() * (1.0 - ofSteady(interval.activity, life, counts));
    // On an emptier SM, warps may issue faster than in the steady part. So the SM time counts only
    // up to what its instructions take at the steady rate.
    const double attainable =
        quantities.dramAttainable.has() ? quantities.dramAttainable->value : 1.0;
    const double seconds = whole.length().value;
    const double onAllSms = *whole.activity.sms / life.steadySms;
    const double atSteadyRate =
        *life.steady.issue > 0 ? *whole.activity.issue / *life.steady.issue : onAllSms;
    const double needed =
        std::max({std::min(onAllSms, atSteadyRate), *whole.activity.dram / attainable,
                  *whole.activity.issue, whole.activity.tensor.value_or(0)});
    found.atMost = {std::max(0.0, found.length.value - needed * seconds)};
    life.tail = found;
}

double shareBeforeTail(const OverTimeAnalysis* life) {
    if (!life || life->lack != CurveProblem::None || !life->tail) return 1.0;
    return std::clamp(1.0 - life->tail->lost / life->duration(), 0.0, 1.0);
}

std::optional<double> idleAtEnds(const OverTimeAnalysis* life) {
    if (!life || life->lack != CurveProblem::None) return std::nullopt;
    const Seconds end = life->tail ? life->tail->atMost : life->end - life->steadyTo;
    return std::clamp((life->ramp + end) / life->duration(), 0.0, 1.0);
}

}  // namespace roofscope
