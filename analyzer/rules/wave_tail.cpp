// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/over_time/over_time_analysis.h"

namespace roofscope::rules {

namespace {

/// From here on, the partly filled last wave costs at most a fifth of the time.
constexpr double kHealthyEfficiency = 0.8;

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const Occupancy& occupancy = q.occupancy;
    if (!occupancy.waves.has())
        return cannotTell(
            occupancy.waves.missing,
            Words("record again: the launch's occupancy and the device's limits are needed"));
    if (*occupancy.waves < 1.0) return NotApplicable{};  // a single wave has no tail
    const double waves = *occupancy.waves;
    const double efficiency = occupancy.waveEfficiency->value;
    const Resources resources = resourcesOf(q);
    // The DRAM serves a tail as fast as a full wave, so a kernel that it limits loses nothing.
    const bool dramLimits = resources.busy(ResourceId::Dram) >= kBusyShare ||
                            input.kernel.verdict.limiter == ResourceId::Dram;
    // A curve over the kernel's time confirms or rules out what the grid suggests.
    const double empty =
        std::min(1.0 - efficiency, idleAtEnds(input.kernel.overTime.get()).value_or(1.0));
    const double cost =
        dramLimits ? 0.0 : std::max(0.0, std::min(empty, 1.0 - resources.busiestExcept({})));
    const RuledOut ruledOut{
        .args = {arg("waves", waves, Unit::Count), arg("efficiency", efficiency, Unit::Share)},
        .cost = cost};
    if (efficiency >= kHealthyEfficiency) return ruledOut;
    if (!(duration(input) > 0)) return cannotTell(counter::kDuration);
    const Resource* dram = resources.find(ResourceId::Dram);
    // A recording of times alone has the launch's shape: the tail is certain, its cost an upper
    // bound.
    const bool onlyTimes = input.profile.counters.names().empty();
    if (!dram && !onlyTimes) return cannotTell(q.utilisation[Level::Dram].missing);
    // A kernel whose SMs are at a roof all the time loses nothing to the tail, either.
    if (dramLimits || input.kernel.verdict.cls == VerdictClass::NearRoof) return ruledOut;

    const double gain = limitToEmptyLaunch(input, cost);
    if (gain < kLeastReportedGain) return ruledOut;
    Finding finding = makeFinding(
        input, gain,
        onlyTimes ? Words("(1 − waves / ⌈waves⌉) × duration; nothing if the DRAM is what limits, "
                          "which was not measured")
                  : Words("min(1 − waves / ⌈waves⌉, 1 − busiest resource) × duration"));
    finding.args = {arg("waves", waves, Unit::Count), arg("full", std::floor(waves), Unit::Count),
                    arg("last", waves - std::floor(waves), Unit::Share),
                    arg("blocks", *occupancy.blocks, Unit::Count),
                    arg("slots", *occupancy.blocks / waves, Unit::Count)};
    finding.evidence = {{.label = Words("waves"),
                         .formula = occupancy.waves.how,
                         .value = waves,
                         .unit = Unit::Count,
                         .healthy = std::floor(waves)},
                        {.label = Words("wave efficiency"),
                         .formula = occupancy.waveEfficiency.how,
                         .value = efficiency,
                         .unit = Unit::Share,
                         .threshold = kHealthyEfficiency,
                         .healthy = 1.0}};
    finding.expected = {{.counter = Words("waves / ⌈waves⌉"),
                         .what = moved::Value::WaveEfficiency,
                         .from = efficiency,
                         .to = 1.0,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule wave_tail;
const Rule wave_tail{
    .id = "wave-tail",
    .category = "parallelism",
    .needs = {CounterGroup::Default},
    .before = "kernel<<<(n + 255) / 256, 256>>>(n, ...);",
    .after =
        "kernel<<<sms * residentBlocksPerSm, 256>>>(n, ...);\n"
        "// in the kernel: for (i = blockIdx.x * 256 + threadIdx.x; i < n; i += "
        "gridDim.x * 256)",
    .en = {.title = "The last wave is mostly empty",
           .firesWhen =
               "The grid fills the GPU at least once, its last wave is so empty that the wave "
               "efficiency is below 80 %, and neither the DRAM nor another roof limits the kernel.",
           .sentence = "{blocks} blocks make {waves} waves of {slots}: the last wave is filled to "
                       "{last}.",
           .mechanism =
               "Blocks run in waves of as many as fit on the GPU at once. The last, partly "
               "filled wave takes as long as a full one while most slots are empty.",
           .edit = "Make the number of blocks a multiple of what is resident at once, or launch "
                   "exactly that many and let each block loop over the work (grid-stride loop). "
                   "Smaller blocks also shorten the tail.",
           .ruledOut = "last wave ({waves} waves, efficiency {efficiency})",
           .gain = "min(1 − waves / ⌈waves⌉, 1 − busiest resource) × duration",
           .editInTriton =
               "In Triton, launch the {slots} programs that are resident at once and let each loop "
               "over tiles (range(pid, tiles, tl.num_programs(0))), or choose BLOCK sizes that "
               "make the number of programs a multiple of that."},
    .check = check,
    .tooLittleWork = true};

}  // namespace roofscope::rules
