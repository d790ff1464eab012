// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/over_time/over_time_analysis.h"

namespace roofscope::rules {

namespace {

/// In even kernels, the average SM is active for 97 % of the busiest SM's time; ends of blocks
/// scatter by some per cent. A fifth of the machine's time is beyond that.
constexpr double kLeastIdle = 0.20;
/// As in wave-tail: below this wave efficiency, the last wave explains idle SMs, within the slack.
constexpr double kHealthyWaves = 0.8, kTailSlack = 0.05;
/// With a block or more for each SM, their number alone makes the busiest SM work at most twice as
/// long as the average one.
constexpr double kBeyondGranularity = 4.0;
const Words kSpread(
    "Start the longest blocks first, split them into pieces of equal size, or let blocks fetch "
    "work from a queue instead of owning a fixed part.");
const Words kDoInParallel(
    "One block, or very few, work alone for most of the time. If one thread or block does what can "
    "be done in parallel (a prefix sum, a search, a reduction), use a parallel algorithm in a "
    "kernel of its own. If one item is much larger than the others, give its parts to many "
    "threads.");
const Words kDivide(
    "One block, or very few, work alone for most of the time. If one item is much larger than the "
    "others (a row, a segment, a list), give it to several blocks in pieces of bounded size, whose "
    "results are combined by atomics or in a second launch. If one thread or block does what can "
    "be done in parallel (a prefix sum, a search), use a parallel algorithm.");
/// With busy lanes it is more likely that a block has much data than that one thread works alone.
constexpr double kMostLanesBusy = 0.5;

/// Whether on average at most 8 SMs, or a sixteenth of them, work while the busiest one does.
/// Nothing is left to start earlier then: the long blocks themselves have to be divided.
bool fewSmsWorkAlone(const RuleInput& input) {
    constexpr double kFewSms = 8, kShare = 1.0 / 16;
    const double sms = deviceOf(input).smCount;
    return sms > 0 && sms / *input.kernel.quantities.busiestSmFactor <=
                          std::min(kFewSms, std::max(1.0, kShare * sms));
}

/// Whether launches waited while their counters were read, for pages of managed memory for
/// instance. A block that waits makes its SM look busy.
bool waitedWhileCounted(const Quantities& q) {
    constexpr double kMuch = 1.5;
    return q.duration.whileCounted && q.counterDuration.has() &&
           *q.counterDuration > q.duration.sameCounted * kMuch;
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (waitedWhileCounted(q)) return NotApplicable{};
    if (isUnderfilled(deviceOf(input), input.kernel.group)) return NotApplicable{};
    if (q.busiestSmFactor.notApplicable()) return NotApplicable{};
    if (!q.busiestSmFactor.has()) return cannotTell(q.busiestSmFactor.missing);
    const double idle = 1.0 - 1.0 / *q.busiestSmFactor;
    const Resources resources = resourcesOf(q);
    const double chipWide =
        std::max(resources.busy(ResourceId::Dram), resources.busy(ResourceId::L2));
    const double time = duration(input);
    // The fixed part of every launch is no work that could be spread.
    const double work = time > 0 ? std::max(0.0, 1.0 - kEmptyLaunch.value / time) : 0.0;
    // SMs that finish early idle at the end, which a curve over the kernel's time shows.
    const double uneven =
        std::min(work * idle, idleAtEnds(input.kernel.overTime.get()).value_or(1.0));
    const double gain = std::max(0.0, std::min(uneven, 1.0 - std::min(1.0, chipWide)));
    // With fewer blocks than resident slots, a few SMs hold one block more than others. That is the
    // grid's granularity and not uneven work, but it does not rule out that blocks differ.
    const auto& waves = q.occupancy.waves;
    const bool fills = waves.has() && *waves >= 1.0;
    const bool isGranularity = !fills && *q.busiestSmFactor < kBeyondGranularity;
    // A nearly empty last wave looks the same; wave-tail names that cause.
    const auto& efficiency = q.occupancy.waveEfficiency;
    const bool isTail = fills && efficiency.has() && idle <= 1.0 - efficiency->value + kTailSlack &&
                        efficiency->value < kHealthyWaves;
    if (idle >= kLeastIdle && (isTail || isGranularity)) return NotApplicable{};
    if (idle < kLeastIdle || gain < kLeastReportedGain)
        return RuledOut{.args = {arg("idle", idle, Unit::Share)}, .cost = gain};
    Finding finding = makeFinding(input, gain);
    const bool alone = fewSmsWorkAlone(input);
    const bool divides = alone && q.activeLanes.has() && q.activeLanes->value >= kMostLanesBusy;
    finding.args = {arg("idle", idle, Unit::Share), arg("factor", *q.busiestSmFactor, Unit::Factor),
                    arg("edit", !alone    ? kSpread
                                : divides ? kDivide
                                          : kDoInParallel)};
    if (alone && divides) {
        finding.before = "sum(item = blockIdx.x, 0, size(item));  // all of an item";
        finding.after =
            "Piece p = pieces[blockIdx.x];  // at most a few thousand elements of an item\n"
            "float s = sum(p.item, p.begin, p.end);\n"
            "if (threadIdx.x == 0) atomicAdd(&sums[p.item], s);";
    } else if (alone) {
        finding.before =
            "if (blockIdx.x == 0 && threadIdx.x == 0)\n"
            "    for (int i = 1; i < n; ++i) sums[i] = sums[i - 1] + values[i];";
        finding.after = "cub::DeviceScan::InclusiveSum(scratch, bytes, values, sums, n);";
    }
    finding.evidence = {{.label = Words("idle SM time while the busiest SM works"),
                         .formula = "1 − " + std::string(counter::kSmCyclesActiveAvg) + " / " +
                                    std::string(counter::kSmCyclesActiveMax),
                         .value = idle,
                         .unit = Unit::Share,
                         .threshold = kLeastIdle,
                         .healthy = 0.03}};
    finding.expected = {{.counter = Words::lasting(q.busiestSmFactor.how),
                         .what = moved::Value::BusiestSm,
                         .from = *q.busiestSmFactor,
                         .to = 1.0,
                         .unit = Unit::Factor}};
    return finding;
}

}  // namespace

extern const Rule imbalance;
const Rule imbalance{
    .id = "imbalance",
    .category = "parallelism",
    .needs = {CounterGroup::Default},
    .before = "process(row = blockIdx.x);",
    .after =
        "for (int row = next(); row < rows; row = next()) process(row);\n"
        "// next(): thread 0 calls atomicAdd(&counter, 1) and shares the result",
    .en = {.title = "Uneven work between the SMs",
           .firesWhen =
               "The grid fills the GPU at least once, and the average SM is idle at least 20 % of "
               "the time that the busiest one works; or every SM has a block, and the busiest one "
               "works four times as long as the average.",
           .sentence = "The busiest SM works {factor} as long as the average one: {idle} of the "
                       "machine's time is spent waiting for it.",
           .mechanism =
               "A launch ends with its slowest block. When some blocks have much more to do "
               "than others, the SMs that finish early idle.",
           .edit = "{edit}",
           .ruledOut = "uneven work (the average SM idles {idle} of the busiest one's time)",
           .gain = "min((duration − empty launch) × (1 − average / busiest SM), duration × (1 − "
                   "busiest of DRAM and L2))",
           .editInGeneral = "Start the longest blocks first, split them into pieces of equal size, "
                            "or let blocks fetch work from a queue instead of owning a fixed "
                            "part. If one block works alone: do its work in parallel."},
    .check = check};

}  // namespace roofscope::rules
