// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/atomic_share.h"
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

namespace {

/// If atomics are at least this share of what the SMs ask of the L2, its load is theirs.
constexpr double kMost = 0.5;
/// Atomics that load one slice twice as much as the others go to few addresses, which is a finding
/// of its own (atomic-contention).
constexpr double kConcentrated = 2.0;

/// How much of the L2's load comes from atomics.
struct Load {
    double atomics = 0;  ///< their share
    double busy = 0;     ///< of the L2
    Evidence share, use;
    std::string_view counter;  ///< the counter that they add to
    double each = 0;           ///< of that counter, per launch
    bool ofL2 = true;          ///< the share is that of the L2's requests
};

/// By the L2's own counters: the sectors that are neither read nor written are those of atomics. A
/// lower bound, because the sectors read and written include those of other units.
std::optional<Load> loadInL2(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const auto sums = jointSums(
        input, {counter::kL2SectorsOfSms, counter::kL2ReadSectors, counter::kL2WriteSectors});
    const auto lookUps = jointSums(input, {counter::kL2TagRequests});
    if (!q.l2TagUtilisation.has() || !lookUps.ok() || !sums.ok() || !(sums[0] > 0))
        return std::nullopt;
    const bool counted = q.atomicUnitBusiest.has() && q.atomicUnitAverage.has();
    const double busy =
        std::max(q.l2TagUtilisation->value, counted ? q.atomicUnitBusiest->value : 0.0);
    return Load{.atomics = (sums[0] - sums[1] - sums[2]) / sums[0],
                .busy = busy,
                .share = {.label = Words("atomics, of the sectors that the SMs ask of the L2"),
                          .formula = "1 − (" + std::string(counter::kL2ReadSectors) + " + " +
                                     std::string(counter::kL2WriteSectors) + ") / " +
                                     std::string(counter::kL2SectorsOfSms)},
                .use = {.label = Words("busier of the L2's tags and its atomic units"),
                        .formula = q.l2TagUtilisation.how},
                .counter = counter::kL2TagRequests,
                .each = lookUps.mean(0)};
}

/// By the sectors of the kernel's accesses that come from neither loads nor stores. A lower bound,
/// because the L2 serves the lanes of an atomic one by one.
std::optional<Load> loadOfAccesses(const RuleInput& input) {
    const auto sums = jointSums(input, {counter::kGlobalSectors, counter::kGlobalLoadSectors,
                                        counter::kGlobalStoreSectors});
    const auto arrivals = jointSums(input, {counter::kL2Arrivals});
    const auto& use = input.kernel.quantities.utilisation[Level::L2];
    // If no atomics were counted among the instructions, the difference comes from other accesses.
    if (!sums.ok() || !(sums[0] > 0) || !arrivals.ok() || !use.has() ||
        !(atomicShareOfAccesses(input).value_or(0) > 0))
        return std::nullopt;
    return Load{.atomics = (sums[0] - sums[1] - sums[2]) / sums[0],
                .busy = resourcesOf(input.kernel.quantities).busy(ResourceId::L2),
                .share = {.label = Words("atomics, of the sectors of global accesses"),
                          .formula = "1 − (" + std::string(counter::kGlobalLoadSectors) + " + " +
                                     std::string(counter::kGlobalStoreSectors) + ") / " +
                                     std::string(counter::kGlobalSectors)},
                .use = {.label = Words("L2 in use"), .formula = use.how},
                .counter = counter::kL2Arrivals,
                .each = arrivals.mean(0),
                .ofL2 = false};
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    auto load = loadInL2(input);
    if (!load) load = loadOfAccesses(input);
    if (!load || load->atomics < kMost) return NotApplicable{};
    if (q.atomicUnitBusiest.has() && q.atomicUnitAverage.has() &&
        q.atomicUnitBusiest->value >= kConcentrated * q.atomicUnitAverage->value)
        return NotApplicable{};
    const double others =
        resourcesOf(q).busiestExcept({ResourceId::L2, ResourceId::L2Tags, ResourceId::L2Atomics,
                                      ResourceId::L1, ResourceId::Issue});
    const double stays = std::max(others, load->busy * (1 - load->atomics));
    const double gain = limitToEmptyLaunch(input, std::max(0.0, 1 - stays));
    const RuledOut ruledOut{
        .args = {arg("atomics", load->atomics, Unit::Share), arg("busy", load->busy, Unit::Share)},
        .cost = gain};
    if (load->busy < kBusyShare || load->busy < others + kLead || gain < kLeastReportedGain)
        return ruledOut;
    Finding finding = load->ofL2 ? makeFinding(input, gain) : makeEstimate(input, gain);
    finding.args = ruledOut.args;
    finding.args.push_back(arg("of", load->ofL2 ? Words("what the SMs ask of the L2")
                                                : Words("the sectors of global accesses")));
    finding.relief = relieves({ResourceId::L2, ResourceId::L2Tags, ResourceId::L2Atomics,
                               ResourceId::L1, ResourceId::Issue});
    load->share.value = load->atomics;
    load->share.unit = Unit::Share;
    load->share.threshold = kMost;
    load->use.value = load->busy;
    load->use.unit = Unit::Share;
    load->use.threshold = kBusyShare;
    finding.evidence = {load->share, load->use};
    finding.expected = {{.counter = Words::lasting(load->counter),
                         .what = moved::Counters{load->counter},
                         .from = load->each,
                         .to = load->each * (1 - load->atomics),
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
           .firesWhen = "Atomics are at least half of what the SMs ask of the L2 (or of the "
                        "sectors of global accesses), the L2, its tags or its atomic units are at "
                        "least 60 % busy and lead the DRAM and the pipes by 10 points, and no "
                        "slice is known to have twice the load of the others.",
           .sentence = "{atomics} of {of} are atomics, and the L2 is {busy} busy.",
           .mechanism = "Each lane's atomic is a request of its own: 32 for one instruction of a "
                        "warp, where a coalesced store takes four sectors of one line.",
           .edit = "Combine before going to the L2: give each block its own table in shared "
                   "memory and add the tables up at the end, or add equal addresses within the "
                   "warp first (__match_any_sync). If there are too many addresses for that, sort "
                   "or group the elements by address. From compute capability 9.0 on, one atomic "
                   "of a vector (float2, float4) adds neighbouring values.",
           .ruledOut = "atomics that fill the L2 ({atomics} are atomics, {busy} busy)",
           .gain = "(1 − busiest of DRAM, pipes and what the L2 does besides) × duration"},
    .check = check,
    .canChangeVerdict = true,
    .explains = {"l2-tag-bound"}};

}  // namespace roofscope::rules
