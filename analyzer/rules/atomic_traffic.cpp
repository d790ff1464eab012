// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

namespace {

/// From this share of what the SMs ask of the L2 on, its load is that of the atomics.
constexpr double kMost = 0.5;
/// Atomics that load one slice twice as much as the others go to few addresses, which is a finding
/// of its own (atomic-contention).
constexpr double kConcentrated = 2.0;

/// The share of atomics in the sectors that the SMs ask of the L2: at least what is neither read
/// nor written, because other units read and write as well.
std::optional<double> atomicShare(const RuleInput& input) {
    const auto sums = jointSums(
        input, {counter::kL2SectorsOfSms, counter::kL2ReadSectors, counter::kL2WriteSectors});
    if (!sums.ok() || !(sums[0] > 0)) return std::nullopt;
    return (sums[0] - sums[1] - sums[2]) / sums[0];
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const auto lookUps = jointSums(input, {counter::kL2TagRequests});
    if (!q.l2TagUtilisation.has() || !lookUps.ok()) return NotApplicable{};
    const auto atomics = atomicShare(input);
    if (!atomics || *atomics < kMost) return NotApplicable{};
    const bool counted = q.atomicUnitBusiest.has() && q.atomicUnitAverage.has();
    if (counted && q.atomicUnitBusiest->value >= kConcentrated * q.atomicUnitAverage->value)
        return NotApplicable{};
    const double busy =
        std::max(q.l2TagUtilisation->value, counted ? q.atomicUnitBusiest->value : 0.0);
    const double others =
        resourcesOf(q).busiestExcept({ResourceId::L2, ResourceId::L2Tags, ResourceId::L2Atomics,
                                      ResourceId::L1, ResourceId::Issue});
    const double stays = std::max(others, busy * (1 - *atomics));
    const double gain = limitToEmptyLaunch(input, std::max(0.0, 1 - stays));
    const RuledOut ruledOut{
        .args = {arg("atomics", *atomics, Unit::Share), arg("busy", busy, Unit::Share)},
        .cost = gain};
    if (busy < kBusyShare || busy < others + kLead || gain < kLeastReportedGain) return ruledOut;
    Finding finding = makeFinding(input, gain);
    finding.args = ruledOut.args;
    finding.relief = relieves({ResourceId::L2, ResourceId::L2Tags, ResourceId::L2Atomics,
                               ResourceId::L1, ResourceId::Issue});
    finding.evidence = {{.label = Words("atomics, of the sectors that the SMs ask of the L2"),
                         .formula = "1 − (" + std::string(counter::kL2ReadSectors) + " + " +
                                    std::string(counter::kL2WriteSectors) + ") / " +
                                    std::string(counter::kL2SectorsOfSms),
                         .value = *atomics,
                         .unit = Unit::Share,
                         .threshold = kMost},
                        {.label = Words("busier of the L2's tags and its atomic units"),
                         .formula = q.l2TagUtilisation.how,
                         .value = busy,
                         .unit = Unit::Share,
                         .threshold = kBusyShare}};
    finding.expected = {{.counter = Words::lasting(counter::kL2TagRequests),
                         .what = moved::Counters{counter::kL2TagRequests},
                         .from = lookUps.mean(0),
                         .to = lookUps.mean(0) * (1 - *atomics),
                         .unit = Unit::Count}};
    return finding;
}

}  // namespace

extern const Rule atomic_traffic;
const Rule atomic_traffic{
    .id = "atomic-traffic",
    .category = "memory",
    .needs = {CounterGroup::Default, CounterGroup::Cache},
    .before = "atomicAdd(&table[bin(x[i])], 1);  // every thread, in global memory",
    .after =
        "__shared__ int part[bins];  // of the block; zeroed first\n"
        "atomicAdd(&part[bin(x[i])], 1);\n"
        "__syncthreads();\n"
        "for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&table[b], part[b]);",
    .en = {.title = "Atomics fill the L2",
           .firesWhen = "Atomics are at least half of what the SMs ask of the L2, its tags or its "
                        "atomic units are at least 60 % busy and lead the DRAM and the pipes by 10 "
                        "points, and no slice has twice the load of the others.",
           .sentence = "{atomics} of what the SMs ask of the L2 are atomics, and they keep it "
                       "{busy} busy.",
           .mechanism = "Each lane's atomic is a request of its own: 32 for one instruction of a "
                        "warp, where a coalesced store takes four sectors of one line.",
           .edit = "Combine before going to the L2: give each block its own table in shared "
                   "memory and add the tables up at the end, or add equal addresses within the "
                   "warp first (__match_any_sync). If there are too many addresses for that, sort "
                   "or group the elements by address.",
           .ruledOut = "atomics that fill the L2 ({atomics} of its requests, {busy} busy)",
           .gain = "(1 − busiest of DRAM, pipes and what the L2 does besides) × duration"},
    .check = check,
    .canChangeVerdict = true,
    .explains = {"l2-tag-bound"}};

}  // namespace roofscope::rules
