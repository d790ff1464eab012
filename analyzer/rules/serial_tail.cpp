// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/writes_per_warp.h"
#include "analyzer/language/sentence.h"
#include "analyzer/over_time/over_time_analysis.h"

namespace roofscope::rules {

namespace {

/// Ends of blocks scatter: a copy of 512 MB on an H200 loses 3.6 % of its time to that, and nothing
/// is wrong with it.
constexpr double kLeastLost = 0.05;
/// With fewer SMs in the steady part, the grid is too small, which grid-too-small reports.
constexpr double kLeastSteady = 0.5;
/// As in wave-tail: below this wave efficiency, the last wave is the cause.
constexpr double kHealthyWaves = 0.8;

/// What the grid shows about the cause, and the edit that follows.
struct Cause {
    Words words, edit;
};

/// Whether the tail takes far longer than a block of the steady part: then its blocks have more
/// work than those, and no other grid makes them shorter.
bool hasLongItems(const OverTimeAnalysis& life, const Occupancy& occupancy) {
    constexpr double kFarLonger = 2;
    const double tail = life.tail->length.value;
    const double waves = occupancy.waves.has() ? std::max(1.0, std::floor(*occupancy.waves)) : 1;
    return tail > kFarLonger * (life.duration().value - tail) / waves;
}

Cause causeOf(const RuleInput& input, double activeSms) {
    constexpr double kFewSms = 0.5;
    const Occupancy& occupancy = input.kernel.quantities.occupancy;
    if (activeSms > 1.5 && activeSms < kFewSms * static_cast<double>(deviceOf(input).smCount) &&
        hasLongItems(*input.kernel.overTime, occupancy))
        return {.words = Words("Some threads or blocks have far more work than the others."),
                .edit = Words(
                    "Give a long item (a list, a row) to a warp or a block, or to several in "
                    "pieces of bounded size, if one thread walks through it now. If its parts "
                    "depend on each other, use a parallel scan. At least start the longest first. "
                    "A grid-stride loop does not make the longest shorter.")};
    if (occupancy.waves.has() && *occupancy.waves >= 1.0 && occupancy.waveEfficiency.has() &&
        occupancy.waveEfficiency->value < kHealthyWaves)
        return {.words = Words("The last wave of blocks is partly filled."),
                .edit = Words(
                    "Launch as many blocks as fit on the GPU at once, or a multiple of that, "
                    "and let each block loop over the work (grid-stride loop); or use smaller "
                    "blocks.")};
    constexpr double kOneBlock = 1.5;  // SMs
    if (activeSms <= kOneBlock)
        return {
            .words = Words("One block, or a few on one SM, still works when all others are done."),
            .edit = Words("Share its work among all blocks: let each block add its part with "
                          "atomics or in a tree, do it in a second kernel with a full grid, or "
                          "start that block first.")};
    // Blocks start in order, so those beyond the end of the data come last. If there are many, just
    // starting and ending them keeps many SMs active. A few long blocks keep a few SMs active.
    constexpr double kManyWithoutWork = 0.75, kManySms = 0.4;
    if (const auto writes = writesPerWarp(input);
        writes && *writes < kManyWithoutWork &&
        activeSms >= kManySms * static_cast<double>(deviceOf(input).smCount))
        return {.words = wordsOf("At most {:.0f} % of the warps write anything: the last blocks of "
                                 "the grid may have no work.",
                                 *writes * 100),
                .edit = Words("Start only blocks that have work: compare the grid with the "
                              "kernel's bounds check.")};
    return {.words = Words("Some blocks work longer than the others."),
            .edit = Words(
                "Start the longest blocks first, split them into pieces of equal size, or let "
                "blocks fetch work from a queue instead of owning a fixed part.")};
}

RuleResult check(const RuleInput& input) {
    const OverTimeAnalysis* life = input.kernel.overTime.get();
    // Without a curve, say nothing: few kernels have one.
    if (!life || life->lack != CurveProblem::None || life->steadySms < kLeastSteady)
        return NotApplicable{};
    const double time = life->duration().value;
    const double lost = life->tail ? life->tail->lost.value / time : 0;
    const double gain = limitToEmptyLaunch(
        input, std::min((life->tail ? life->tail->atMost.value : 0) / time,
                        1.0 - resourcesOf(input.kernel.quantities).busiestExcept({})));
    const RuledOut ruledOut{.args = {arg("lost", lost, Unit::Share)}, .cost = lost};
    if (lost < kLeastLost || gain < kLeastReportedGain) return ruledOut;

    const Tail& tail = *life->tail;
    const double sms = deviceOf(input).smCount;
    const double active = tail.medianSms * sms;
    const Cause cause = causeOf(input, active);
    Finding finding = makeFinding(input, gain);
    finding.args = {arg("share", tail.length.value / time, Unit::Share),
                    arg("length", tail.length.value, Unit::Seconds),
                    arg("active", std::max(1.0, std::round(active)), Unit::Count),
                    arg("before", std::round(life->steadySms * sms), Unit::Count),
                    arg("lost", lost, Unit::Share),
                    arg("cause", cause.words),
                    arg("edit", cause.edit)};
    finding.evidence = {
        {.label = Words("time lost after the last full SMs"),
         .formula = "sum over the tail of interval × (1 − busiest of SMs, DRAM, L2, issue and "
                    "tensor cores as shares of the steady part) / duration",
         .value = lost,
         .unit = Unit::Share,
         .threshold = kLeastLost,
         .healthy = 0.01},
        {.label = Words("SMs that are active in the tail, on average"),
         .formula = "sm__cycles_active.avg / sm__cycles_elapsed.max",
         .value = *tail.activity.sms,
         .unit = Unit::Share,
         .healthy = life->steadySms}};
    finding.expected = {{.counter = Words("SMs that are active in the tail, on average"),
                         .what = moved::OverTime{},
                         .from = *tail.activity.sms,
                         .to = life->steadySms,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule serial_tail;
const Rule serial_tail{
    .id = "serial-tail",
    .category = "parallelism",
    .needs = {CounterGroup::OverTime},
    .helpedBy = {CounterGroup::Default},
    .en = {.title = "Most SMs are done long before the kernel ends",
           .firesWhen =
               "Counters were sampled over the kernel's time, and at least 5 % of it is lost after "
               "fewer than 90 % of the SMs of its steady part are active: neither the SMs nor "
               "DRAM, L2, issue slots or tensor cores are then used as much as before.",
           .sentence = "The last {length} of the kernel ({share} of its time) run on about "
                       "{active} of the {before} SMs that were active before. {cause}",
           .mechanism = "A launch ends with its slowest block. Meanwhile the other SMs idle, and "
                        "nothing that limits the kernel before is busy.",
           .edit = "{edit} Then sample it again: most SMs should work until the end.",
           .ruledOut = "serial tail ({lost} of the time)",
           .gain = "min(tail − longest of its SM time on all SMs, its bytes at the attainable DRAM "
                   "roof and its instructions at the issue roof, duration × (1 − busiest "
                   "resource))",
           .editInGeneral = "Depends on the grid: fill the last wave, share the last block's work "
                            "among all, or start the longest blocks first."},
    .check = check,
    .explains = {"imbalance", "wave-tail"}};

}  // namespace roofscope::rules
