// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/over_time/over_time_analysis.h"

namespace roofscope::rules {

namespace {

constexpr double kLeastLost = 0.05;  ///< as in startsSlowly()
/// Below this share of the SMs, the blocks have not started yet; above it, they wait.
constexpr double kBlocksAreThere = 0.5;

Words nameOf(SlowStart::Resource resource) {
    switch (resource) {
        case SlowStart::Resource::Dram:
            return Words("the DRAM's bandwidth");
        case SlowStart::Resource::L2:
            return Words("the L2's bandwidth");
        case SlowStart::Resource::Issue:
            return Words("the issue slots");
        case SlowStart::Resource::Tensor:
            return Words("the tensor cores' time");
    }
    return {};
}

RuleResult check(const RuleInput& input) {
    const OverTimeAnalysis* life = input.kernel.overTime.get();
    // Without a curve, say nothing: few kernels have one.
    if (!life || life->lack != CurveProblem::None) return NotApplicable{};
    const double time = life->duration().value;
    const double lost = life->slowStart ? life->slowStart->lost.value / time : 0;
    const double gain = limitToEmptyLaunch(
        input, std::min(life->slowStart ? life->slowStart->atMost.value / time : 0,
                        1.0 - resourcesOf(input.kernel.quantities).busiestExcept({})));
    if (lost < kLeastLost || gain < kLeastReportedGain)
        return RuledOut{.args = {arg("lost", lost, Unit::Share)}, .cost = lost};
    if (!startsSlowly(*life)) return NotApplicable{};
    const SlowStart& start = *life->slowStart;
    const double length = start.length.value;

    const bool blocksAreThere = start.activity.sms.value_or(0) >= kBlocksAreThere * life->steadySms;
    Finding finding = makeFinding(input, gain);
    finding.args = {
        arg("length", length, Unit::Seconds),
        arg("share", length / time, Unit::Share),
        arg("use", std::max(0.0, 1.0 - start.lost.value / length), Unit::Share),
        arg("what", nameOf(start.resource)),
        arg("level", start.level, Unit::Share),
        arg("cause", blocksAreThere ? Words("The blocks are already on the SMs and wait.")
                                    : Words("Most SMs have no block yet.")),
        arg("edit",
            blocksAreThere
                ? Words("Issue the first loads of the main part before the set-up (tables, "
                        "barriers, index searches, waiting for flags), and let few blocks that "
                        "stay do the set-up once instead of every block. If the launch waits for "
                        "the kernel before it, let the set-up overlap with that one's end "
                        "(programmatic dependent launch).")
                : Words("Give the first blocks less to wait for: smaller clusters and less shared "
                        "memory per block start sooner, and blocks that loop over the work start "
                        "once."))};
    finding.evidence = {
        {.label = Words("time lost before the first full use"),
         .formula = "sum over the start of interval × (1 − busiest of DRAM, L2, issue and tensor "
                    "cores as shares of the level they hold later) / duration",
         .value = lost,
         .unit = Unit::Share,
         .threshold = kLeastLost,
         .healthy = 0.01}};
    finding.expected = {{.counter = Words("time lost before the first full use"),
                         .what = moved::OverTime{},
                         .from = lost,
                         .to = 0,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule slow_start;
const Rule slow_start{
    .id = "slow-start",
    .category = "latency",
    .needs = {CounterGroup::OverTime},
    .helpedBy = {CounterGroup::Default},
    .en = {.title = "The kernel starts slowly",
           .firesWhen =
               "Counters were sampled over the kernel's time, and in its first part, of more than "
               "5 µs and at most half of its time, DRAM, L2, issue slots and tensor cores are "
               "used less than half as much as later: at least 5 % of the time is lost.",
           .sentence =
               "In its first {length} ({share} of its time) the kernel does little: {use} of "
               "what it does later, when it uses {level} of {what}. {cause}",
           .mechanism = "Until the first loads are on their way, the memory and the pipes that "
                        "limit the kernel later are idle, and that time is added to every launch.",
           .edit = "{edit} Then sample it again: what limits the kernel should be busy from the "
                   "start.",
           .ruledOut = "slow start ({lost} of the time)",
           .gain =
               "min(time that may be lost in the first part, duration × (1 − busiest resource))",
           .editInGeneral = "Depends on what it waits for: load before the set-up, do the set-up "
                            "once in blocks that stay, or overlap it with the kernel before."},
    .check = check};

}  // namespace roofscope::rules
