// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/over_time/over_time_analysis.h"

namespace roofscope::rules {

namespace {

/// Overlapping has costs of its own (buffers, barriers between warps), but less than this.
constexpr double kLeastGain = 0.05;

RuleResult check(const RuleInput& input) {
    const OverTimeAnalysis* life = input.kernel.overTime.get();
    // Without a curve, say nothing: few kernels have one.
    if (!life || life->lack != CurveProblem::None) return NotApplicable{};
    if (!life->phases) return RuledOut{.args = {arg("changes", 0, Unit::Count)}, .cost = 0};
    const Phases& phases = *life->phases;
    const double time = life->duration().value;
    const double gain = limitToEmptyLaunch(
        input, std::min(phases.hidden.value / time,
                        1.0 - resourcesOf(input.kernel.quantities).busiestExcept({})));
    const auto changes = static_cast<double>(phases.changes);
    if (gain < kLeastGain)
        return RuledOut{.args = {arg("changes", changes, Unit::Count)},
                        .cost = std::min(gain, kLeastGain)};
    const double compute = phases.tensor ? *phases.inCompute.tensor : *phases.inCompute.issue;
    Finding finding = makeEstimate(input, gain);
    const double rest =
        std::max(0.0, (phases.to - phases.from - phases.memory - phases.compute).value);
    finding.args = {arg("changes", changes, Unit::Count),
                    arg("memory", phases.memory.value, Unit::Seconds),
                    arg("dram", *phases.inMemory.dram, Unit::Share),
                    arg("dramIdle", *phases.inCompute.dram, Unit::Share),
                    arg("compute", phases.compute.value, Unit::Seconds),
                    arg("busy", compute, Unit::Share),
                    arg("what", phases.tensor ? Words("of the time of the tensor cores")
                                              : Words("of the issue slots")),
                    arg("rest", rest, Unit::Seconds)};
    finding.evidence = {
        {.label = Words("changes between memory and computing phases"),
         .formula = "changes between stretches of at least 3 intervals in which one of DRAM and "
                    "issue or tensor is above 60 % of the kernel's highest level and the other "
                    "below 40 %",
         .value = changes,
         .unit = Unit::Count,
         .threshold = 3},
        {.label = Words("DRAM in the computing phases"),
         .formula = "(dram__bytes_read.sum + dram__bytes_write.sum) / DRAM roof",
         .value = *phases.inCompute.dram,
         .unit = Unit::Share,
         .healthy = *phases.inMemory.dram}};
    finding.expected = {{.counter = Words("DRAM in the computing phases"),
                         .what = moved::OverTime{},
                         .from = *phases.inCompute.dram,
                         .to = *phases.inMemory.dram,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule alternating_phases;
const Rule alternating_phases{
    .id = "alternating-phases",
    .category = "latency",
    .needs = {CounterGroup::OverTime},
    .helpedBy = {CounterGroup::Default},
    .before = "load(tile, k);  grid.sync();  compute(tile);  grid.sync();",
    .after =
        "cuda::memcpy_async(tile[next], ...);  // or TMA by a warp of its own\n"
        "compute(tile[current]);               // meanwhile",
    .en = {.title = "Loading and computing take turns",
           .firesWhen =
               "Counters were sampled over the kernel's time, the whole GPU changes at least three "
               "times between moving data and issuing instructions (or tensor work), and running "
               "both at once would save at least 5 %.",
           .sentence =
               "The whole GPU changes {changes} times between moving data ({memory} with the DRAM "
               "at {dram}) and computing ({compute} with {busy} {what} used and the DRAM at "
               "{dramIdle}); in the {rest} between them it does little of either.",
           .mechanism = "Blocks that load at the same time and then compute at the same time leave "
                        "first the pipes and then the memory idle.",
           .edit = "Load the next part while this one is computed: two or more buffers filled by "
                   "cp.async or TMA, or warps that only load beside warps that only compute. Where "
                   "a grid-wide barrier keeps the blocks in step, let each wait only for the data "
                   "it needs, or let two blocks share an SM.",
           .ruledOut =
               "phases of memory and computing in turns ({changes} {changes?change:changes})",
           .gain = "min(time from the first to the last phase − longer of all DRAM bytes at the "
                   "rate of the memory phases and all instructions or tensor cycles at that of the "
                   "computing phases, duration × (1 − busiest resource))"},
    .check = check};

}  // namespace roofscope::rules
