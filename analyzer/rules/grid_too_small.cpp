// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counter_names.h"
#include "analyzer/rule_support.h"
#include "analyzer/verdict.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kId = "grid-too-small";

RuleResult check(const RuleInput& input) {
    const Device& device = deviceOf(input);
    if (device.smCount == 0)
        return cannotTell(kId, "number of SMs", "record again with a driver that reports it");
    const auto blocks = static_cast<double>(input.kernel.group.grid.total());
    const double sms = device.smCount;
    const auto ruledOut = [&] {
        return RuledOut{.ruleId = std::string(kId),
                        .args = {arg("blocks", blocks, Unit::Count), arg("sms", sms, Unit::Count)}};
    };
    if (!isUnderfilled(device, input.kernel.group)) return ruledOut();
    const double time = duration(input);
    if (!(time > 0)) return cannotTell(kId, std::string(counter::kDuration));

    // What every launch takes cannot be spread over more SMs; nor can a chip-wide resource that is
    // already busy be used more.
    const double work = std::max(0.0, 1.0 - kEmptyLaunch.value / time);
    const Resources resources = resourcesOf(input.kernel.quantities);
    const double chipWide =
        std::max(resources.busy(ResourceId::Dram), resources.busy(ResourceId::L2));
    const double gain =
        std::max(0.0, std::min(work * (1.0 - blocks / sms), 1.0 - std::min(1.0, chipWide)));
    if (gain < kWorthNaming) return NotApplicable{};  // too small, and too short for it to matter

    Finding finding =
        makeFinding(input, kId, gain,
                    "min((duration − empty launch) × (1 − blocks / SMs), duration × (1 "
                    "− busiest of DRAM and L2))");
    finding.args = {arg("blocks", blocks, Unit::Count), arg("sms", sms, Unit::Count),
                    arg("idle", sms - blocks, Unit::Count),
                    arg("idleShare", 1.0 - blocks / sms, Unit::Share)};
    finding.evidence = {{.label = "blocks of the grid",
                         .formula = "grid.x × grid.y × grid.z",
                         .value = blocks,
                         .unit = Unit::Count,
                         .threshold = sms,
                         .healthy = sms}};
    const auto& occupancy = input.kernel.quantities.occupancy;
    if (occupancy.waves.has())
        finding.evidence.push_back({.label = "waves",
                                    .formula = occupancy.waves.how,
                                    .value = *occupancy.waves,
                                    .unit = Unit::Count,
                                    .threshold = std::nullopt,
                                    .healthy = 1.0});
    finding.expected = {{.counter = "blocks", .from = blocks, .to = sms, .unit = Unit::Count}};
    return finding;
}

}  // namespace

extern const Rule grid_too_small;
const Rule grid_too_small{
    .id = kId,
    .category = "parallelism",
    .firesWhen =
        "The grid has fewer blocks than the GPU has SMs, and the kernel runs longer than an "
        "empty launch.",
    .needs = "default",
    .en = {.title = "Grid too small for the GPU",
           .sentence = "{blocks} blocks on {sms} SMs: {idle} SMs ({idleShare}) do nothing.",
           .mechanism =
               "A block runs on one SM. With fewer blocks than SMs the rest of the GPU, its "
               "L1s and its share of the memory bandwidth lie idle, however good the kernel "
               "is.",
           .edit =
               "Split the work of a block: several blocks per head, row or tile (split the inner "
               "dimension and combine the parts with a second small kernel, atomics or a "
               "cluster), or use smaller blocks. Batching more work into one launch does the "
               "same.",
           .before = "kernel<<<batch * heads, threads>>>(...);",
           .after = "kernel<<<dim3(batch * heads, splits), threads>>>(...);  // splits >= SMs / "
                    "(batch * heads)",
           .ruledOut = "not the grid ({blocks} blocks for {sms} SMs)"},
    .check = check};

}  // namespace roofscope::rules
