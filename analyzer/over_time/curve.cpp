// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/counters/counter_names.h"
#include "analyzer/launches/grouping.h"
#include "analyzer/over_time/facts.h"
#include "analyzer/over_time/over_time_analysis.h"
#include "analyzer/quantities/coalescing.h"
#include "analyzer/quantities/impossible_shares.h"

namespace roofscope {

namespace {

/// With fewer intervals neither the ends of a kernel nor phases show: each end takes one.
constexpr std::size_t kLeastIntervals = 20;
/// A launch that was sampled alone may differ from the others by this share: clocks, caches.
constexpr double kSameDuration = 0.15;
/// Warp schedulers of an SM, each of which issues one instruction per cycle: all chips since Volta.
constexpr double kSchedulers = 4;

std::optional<double> ratio(std::optional<double> amount, double whole) {
    return amount && whole > 0 ? std::optional(*amount / whole) : std::nullopt;
}

/// Drops what no GPU can do, and says of which resources. `l2Roof` is 0 if it is unknown.
std::vector<std::string_view> dropImpossibleShares(std::vector<OverTimeInterval>& curve,
                                                   double l2Roof) {
    struct Limit {
        const char* name;
        std::optional<double> Activity::*member;
        double most = kMostOfRoof;
    };
    std::vector<std::string_view> names;
    for (const auto& [name, member, most] :
         {Limit{"SMs", &Activity::sms}, Limit{"DRAM", &Activity::dram},
          Limit{"instruction issue", &Activity::issue}, Limit{"tensor", &Activity::tensor},
          Limit{"L2", &Activity::l2,
                l2Roof > 0 ? kMostOfRoof * l2Roof : std::numeric_limits<double>::infinity()}}) {
        bool found = false;
        for (OverTimeInterval& interval : curve) {
            std::optional<double>& value = interval.activity.*member;
            if (!value || *value <= most) continue;
            value.reset();
            found = true;
        }
        if (found) names.emplace_back(name);
    }
    return names;
}

std::vector<OverTimeInterval> curveOf(const OverTime& trace, const Device& device,
                                      double dramRoof) {
    std::vector<OverTimeInterval> curve;
    Seconds from;
    for (std::size_t row = 0; row < trace.ends.size(); ++row) {
        // A negative count means a damaged file; treat it as missing.
        const auto value = [&](std::string_view name) {
            const auto found = trace.counters.value(name, row);
            return found && *found >= 0 ? found : std::nullopt;
        };
        OverTimeInterval interval{.from = from, .to = trace.ends[row], .activity = {}};
        const double seconds = interval.length().value;
        const auto read = value(counter::kDramReadBytes), written = value(counter::kDramWriteBytes);
        const double cycles = value(counter::kSmCyclesElapsedMax).value_or(0);
        Activity& activity = interval.activity;
        activity.sms = ratio(value(counter::kSmCyclesActiveAvg), cycles);
        activity.dram = ratio(read && written ? std::optional(*read + *written) : std::nullopt,
                              dramRoof * seconds);
        activity.issue =
            ratio(value(counter::kSmInstructions), kSchedulers * device.smCount * cycles);
        activity.tensor = ratio(value(counter::kTensorPipe), 100);
        if (const auto sectors = value(counter::kL2Sectors))
            activity.l2 = ratio(*sectors * kSectorBytes, seconds);
        curve.push_back(interval);
        from = interval.to;
    }
    return curve;
}

bool isComplete(const std::vector<OverTimeInterval>& curve) {
    return std::ranges::all_of(curve, [](const OverTimeInterval& interval) {
        const Activity& activity = interval.activity;
        return activity.sms && activity.dram && activity.issue;
    });
}

/// The share of the kernel's first or last interval that belongs to it. Assumes that, while it
/// runs, as many of its SMs are active as in the neighbouring interval.
double shareOf(const OverTimeInterval& end, const OverTimeInterval& beside) {
    const double next = beside.activity.sms.value_or(0);
    return next > 0 ? std::min(1.0, end.activity.sms.value_or(0) / next) : 1.0;
}

void findEnds(OverTimeAnalysis& life) {
    const auto& curve = life.curve;
    life.begin = curve.front().from;
    life.end = curve.back().to;
    if (curve.size() < 2 || !isComplete(curve)) return;
    life.begin = curve.front().to - curve.front().length() * shareOf(curve.front(), curve[1]);
    life.end =
        curve.back().from + curve.back().length() * shareOf(curve.back(), curve[curve.size() - 2]);
}

CurveProblem curveProblemOf(const OverTimeAnalysis& life, const DurationStats& usual) {
    if (!isComplete(life.curve)) return CurveProblem::Counters;
    if (life.curve.size() < kLeastIntervals) return CurveProblem::Intervals;
    if (usual.count == 0) return CurveProblem::Duration;
    const double apart = std::abs(life.duration().value - usual.median.value);
    return apart > kSameDuration * usual.median.value + life.interval.value ? CurveProblem::Duration
                                                                            : CurveProblem::None;
}

}  // namespace

const char* toString(CurveProblem lack) {
    switch (lack) {
        case CurveProblem::None:
            return "none";
        case CurveProblem::Counters:
            return "counters";
        case CurveProblem::Intervals:
            return "intervals";
        case CurveProblem::Duration:
            return "duration";
    }
    return "";
}

double theoreticalRoof(std::span<const Roof> roofs, Level level, std::uint32_t device) {
    for (const Roof& roof : roofs)
        if (roof.kind == Roof::Kind::Bandwidth && roof.level == level && !roof.measured &&
            roof.device == device)
            return roof.rate;
    return 0;
}

OverTimeInterval joined(std::span<const OverTimeInterval> intervals) {
    OverTimeInterval all;
    if (intervals.empty()) return all;
    all.from = intervals.front().from;
    all.to = intervals.back().to;
    // The denominator of each share grows with time, so the mean over time is the ratio of sums.
    for (const auto member :
         {&Activity::sms, &Activity::dram, &Activity::issue, &Activity::tensor, &Activity::l2}) {
        double sum = 0, seconds = 0;
        bool known = true;
        for (const OverTimeInterval& interval : intervals) {
            const std::optional<double>& value = interval.activity.*member;
            known = known && value;
            sum += value.value_or(0) * interval.length().value;
            seconds += interval.length().value;
        }
        if (known && seconds > 0) all.activity.*member = sum / seconds;
    }
    return all;
}

std::shared_ptr<const OverTimeAnalysis> analyzeOverTime(const Profile& profile,
                                                        const LaunchGroup& group,
                                                        const Quantities& quantities,
                                                        std::span<const Roof> roofs,
                                                        bool onlyGroupOfKernel) {
    const auto belongs = [&](const OverTime& trace) {
        return !trace.ends.empty() && isAbout(trace, group, onlyGroupOfKernel);
    };
    const auto trace = std::ranges::find_if(profile.overTime, belongs);
    if (trace == profile.overTime.end()) return nullptr;
    auto life = std::make_shared<OverTimeAnalysis>();
    life->trace = static_cast<std::size_t>(trace - profile.overTime.begin());
    life->curve = curveOf(*trace, profile.devices[group.device],
                          theoreticalRoof(roofs, Level::Dram, group.device));
    life->impossible =
        dropImpossibleShares(life->curve, theoreticalRoof(roofs, Level::L2, group.device));
    life->interval = trace->ends.back() / static_cast<double>(trace->ends.size());
    findEnds(*life);
    life->lack = curveProblemOf(*life, quantities.duration);
    if (life->lack != CurveProblem::None) return life;
    findTail(*life, quantities, roofs, group.device);
    if (!(life->steadySms > 0)) life->lack = CurveProblem::Counters;
    if (life->lack != CurveProblem::None) return life;
    life->slowStart = findSlowStart(*life, theoreticalRoof(roofs, Level::L2, group.device));
    life->phases = findPhases(*life);
    return life;
}

}  // namespace roofscope
