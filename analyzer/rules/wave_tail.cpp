// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/counter_names.h"
#include "analyzer/rule_support.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kId = "wave-tail";

/// Above this the last, partly filled wave costs less than a fifth of the time at most.
constexpr double kHealthyEfficiency = 0.8;

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const Occupancy& occupancy = q.occupancy;
    if (!occupancy.waves.has())
        return cannotTell(
            kId, occupancy.waves.missing,
            "record again: the launch's occupancy and the device's limits are needed");
    if (*occupancy.waves < 1.0) return NotApplicable{};  // a single wave has no tail
    const double waves = *occupancy.waves;
    const double efficiency = occupancy.waveEfficiency->value;
    const RuledOut ruledOut{
        .ruleId = std::string(kId),
        .args = {arg("waves", waves, Unit::Count), arg("efficiency", efficiency, Unit::Share)}};
    if (efficiency >= kHealthyEfficiency) return ruledOut;
    if (!(duration(input) > 0)) return cannotTell(kId, std::string(counter::kDuration));
    const Resources resources = resourcesOf(q);
    const Resource* dram = resources.find(ResourceId::Dram);
    if (!dram) return cannotTell(kId, q.utilisation[Level::Dram].missing);
    // The DRAM serves a tail as fast as a full wave: a memory-limited kernel loses nothing. Nor
    // does one whose SMs are at a roof all the time.
    if (dram->busy >= kBusyShare || input.kernel.verdict.limiter == "DRAM" ||
        input.kernel.verdict.cls == VerdictClass::NearRoof)
        return ruledOut;

    const double tail = 1.0 - waves / std::ceil(waves);
    const double gain =
        aboveEmptyLaunch(input, std::max(0.0, std::min(tail, 1.0 - resources.busiestExcept({}))));
    if (gain < kWorthNaming) return ruledOut;
    Finding finding =
        makeFinding(input, kId, gain, "min(1 − waves / ⌈waves⌉, 1 − busiest resource) × duration");
    finding.args = {arg("waves", waves, Unit::Count), arg("full", std::floor(waves), Unit::Count),
                    arg("last", waves - std::floor(waves), Unit::Share),
                    arg("blocks", *occupancy.blocks, Unit::Count),
                    arg("slots", *occupancy.blocks / waves, Unit::Count)};
    finding.evidence = {{.label = "waves",
                         .formula = occupancy.waves.how,
                         .value = waves,
                         .unit = Unit::Count,
                         .threshold = std::nullopt,
                         .healthy = std::floor(waves)},
                        {.label = "wave efficiency",
                         .formula = occupancy.waveEfficiency.how,
                         .value = efficiency,
                         .unit = Unit::Share,
                         .threshold = kHealthyEfficiency,
                         .healthy = 1.0}};
    finding.expected = {
        {.counter = "waves / ⌈waves⌉", .from = efficiency, .to = 1.0, .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule wave_tail;
const Rule wave_tail{
    .id = kId,
    .category = "parallelism",
    .firesWhen =
        "The grid fills the GPU at least once, its last wave is so empty that the waves are "
        "used to less than 80 %, and neither the DRAM nor another roof limits the kernel.",
    .needs = "default",
    .en = {.title = "The last wave is mostly empty",
           .sentence = "{blocks} blocks make {waves} waves of {slots}: the last wave is filled to "
                       "{last}.",
           .mechanism =
               "Blocks run in waves of as many as fit on the GPU at once. The last, partly "
               "filled wave takes as long as a full one while most slots are empty.",
           .edit = "Make the number of blocks a multiple of what is resident at once, or launch "
                   "exactly that many and let each block loop over the work (grid-stride loop). "
                   "Smaller blocks also shorten the tail.",
           .before = "kernel<<<(n + 255) / 256, 256>>>(n, ...);",
           .after = "kernel<<<sms * residentBlocksPerSm, 256>>>(n, ...);\n"
                    "// in the kernel: for (i = blockIdx.x * 256 + threadIdx.x; i < n; i += "
                    "gridDim.x * 256)",
           .ruledOut = "not the last wave ({waves} waves, used to {efficiency})"},
    .check = check};

}  // namespace roofscope::rules
