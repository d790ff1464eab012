// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/source/source_analysis.h"
#include "analyzer/source/stalls.h"

namespace roofscope::rules {

namespace {

constexpr double kLanes = 32;
/// With fewer lanes for each address, combining them costs about as much as it saves.
constexpr double kLeastLanes = 4;
/// As for dominant-stall.
constexpr double kLeastWaiting = 0.30;
/// If a level of memory is busier than this, other accesses may fill the queue.
constexpr double kHaveTime = 0.40;
/// The stall of warps whose accesses do not fit into the queue.
constexpr const char* kQueue = "lg_throttle";

/// What shows that the atomics of a launch group could be combined.
struct Combinable {
    /// By instructions: lanes for each address, at least. By the hardware: lanes of an atomic.
    double lanes = 0;
    bool byHardware = false;
    std::string formula;
};

/// By counters of instructions: the accesses to global memory that are neither loads nor stores,
/// and the different bytes that they change. Absent with asynchronous copies, whose bytes are not
/// counted apart. All lanes that were off in the whole kernel may have been off in its atomics:
/// that bounds their lanes from below.
std::optional<Combinable> byInstructions(const RuleInput& input) {
    using namespace counter;
    constexpr double kLeastBytes = 4;  // of an address
    const auto sums = jointSums(
        input, {kGlobalInstructions, kGlobalLoads, kGlobalStores, kAsyncCopies, kGlobalBytes,
                kGlobalLoadBytes, kGlobalStoreBytes, kWarpInstructions, kThreadInstructionsOn});
    if (!sums.ok() || sums[3] > 0) return std::nullopt;
    const double atomics = sums[0] - sums[1] - sums[2];
    const double bytes = sums[4] - sums[5] - sums[6];
    if (!(atomics > 0) || !(bytes > 0)) return std::nullopt;
    const double off = kLanes * sums[7] - sums[8];
    const double lanes = std::max(1.0, (kLanes * atomics - off) / atomics);
    return Combinable{.lanes = lanes / std::max(1.0, bytes / atomics / kLeastBytes),
                      .formula =
                          "(32 × atomics − lanes that were off) / (bytes of atomics / 4); "
                          "atomics: " +
                          std::string(kGlobalInstructions) + " − loads − stores"};
}

/// By counters of the hardware, for kernels whose instructions were not counted by kind. The L2
/// does the lanes of an atomic one by one. If its units, the caches and the DRAM idle while atomics
/// queue up, few addresses are served at a time: many would keep all units busy.
std::optional<Combinable> byUnits(const RuleInput& input) {
    using namespace counter;
    constexpr double kIdle = 0.2;
    const Quantities& q = input.kernel.quantities;
    const Resources resources = resourcesOf(q);
    const auto sums = jointSums(input, {kAtomicCycles, kReductionRequests, kAtomicRequests});
    // If few SMs work, the units idle for want of atomics.
    constexpr double kNearlyAll = 0.8;
    const auto active = jointSums(input, {kSmCyclesActiveAvg, kSmCyclesElapsed});
    if (!active.ok() || active[0] < kNearlyAll * active[1]) return std::nullopt;
    if (!sums.ok() || !(sums[1] + sums[2] > 0) || !q.atomicUnitBusiest.has() ||
        q.atomicUnitBusiest->value >= kBusyShare || resources.busy(ResourceId::L2) >= kIdle ||
        resources.busy(ResourceId::Dram) >= kIdle)
        return std::nullopt;
    return Combinable{.lanes = std::min(kLanes, sums[0] / (sums[1] + sums[2])),
                      .byHardware = true,
                      .formula = std::string(kAtomicCycles) + " / (" +
                                 std::string(kReductionRequests) + " + " +
                                 std::string(kAtomicRequests) + ")"};
}

/// The share in which warps wait for the queue of accesses, and ended ones for their atomics to
/// leave. Without accesses to shared memory, the queue before it is filled by the same.
double waitingForQueue(const RuleInput& input, const Stalls& stalls) {
    const auto shared = jointSums(input, {counter::kSharedInstructions});
    const bool alone = shared.ok() && shared[0] == 0;
    return stalls.shareOf(kQueue) + stalls.shareOf("drain") +
           (alone ? stalls.shareOf("mio_throttle") : 0.0);
}

std::vector<Place> atomicPlaces(const Profile& profile, const SourceAnalysis& source) {
    const auto samples = [&source](std::size_t row) {
        return isGlobalAtomic(source.facts[row].kind) ? source.stalls.perRow[row] : 0.0;
    };
    double all = 0;
    for (std::size_t row = 0; row < source.facts.size(); ++row) all += samples(row);
    return worstPlaces(profile, source, Words("samples of warps at atomics"), all, samples);
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    if (kernel.verdict.cls != VerdictClass::LatencyBound || isForeign(kernel.origin))
        return NotApplicable{};
    auto atomics = byInstructions(input);
    if (!atomics) atomics = byUnits(input);
    if (!atomics || atomics->lanes < kLeastLanes) return NotApplicable{};
    const Resources resources = resourcesOf(kernel.quantities);
    if (std::max({resources.busy(ResourceId::L1), resources.busy(ResourceId::L2),
                  resources.busy(ResourceId::Dram)}) > kHaveTime)
        return NotApplicable{};
    const Stalls stalls = stallsOf(input.profile, kernel);
    if (!stalls.missing.empty()) return cannotTell(stalls.missing, CounterGroup::Stalls);
    const double waiting = waitingForQueue(input, stalls);
    const double gain =
        limitToEmptyLaunch(input, std::min(waiting, 1.0 - resources.busiestExcept({})));
    const RuledOut ruledOut{
        .args = {arg("lanes", atomics->lanes, Unit::Count), arg("waiting", waiting, Unit::Share)},
        .cost = gain};
    if (waiting < kLeastWaiting || gain < kLeastReportedGain) return ruledOut;
    Finding finding = makeEstimate(input, gain);
    finding.args = ruledOut.args;
    finding.args.push_back(
        arg("how", atomics->byHardware
                       ? Words("lanes each and go to few addresses at a time, as the idle atomic "
                               "units of the L2 show")
                       : Words("lanes or more for each address")));
    finding.evidence = {
        {.label = atomics->byHardware ? Words("lanes of an atomic")
                                      : Words("lanes of an atomic for each address, at least"),
         .formula = atomics->formula,
         .value = atomics->lanes,
         .unit = Unit::Count,
         .threshold = kLeastLanes},
        {.label = Words("resident warps that wait for the queue of accesses"),
         .formula = stallFormula(stalls, kQueue),
         .value = waiting,
         .unit = Unit::Share,
         .threshold = kLeastWaiting}};
    finding.relief =
        relieves({ResourceId::L2Atomics, ResourceId::L2, ResourceId::L1, ResourceId::Issue});
    for (const Stall& stall : stalls.reasons)
        if (stall.reason == kQueue) finding.expected = {withoutStall(stalls, stall)};
    if (stalls.sampled) finding.places = atomicPlaces(input.profile, *kernel.source);
    return finding;
}

}  // namespace

extern const Rule same_address_atomics;
const Rule same_address_atomics{
    .id = "same-address-atomics",
    .category = "memory",
    .needs = {CounterGroup::Default, CounterGroup::Stalls},
    .helpedBy = {CounterGroup::Atomics, CounterGroup::Source},
    .before = "atomicMin(&low[object], x);  // all lanes of the warp: one object",
    .after =
        "int least = __reduce_min_sync(~0u, x);  // shuffles for float and sums of float\n"
        "if (threadIdx.x % 32 == 0) atomicMin(&low[object], least);",
    .en = {.title = "Lanes of a warp update the same address",
           .firesWhen =
               "The kernel is latency-bound, its atomics have at least four lanes for each "
               "address that they change (or four lanes, while the L2 idles), and 30 % of "
               "the warps wait for the queue of accesses although L1, L2 and DRAM are "
               "used to 40 % at most.",
           .sentence = "Atomics on global memory have {lanes} {how}; {waiting} of the warps' time "
                       "is waiting for the queue that they fill.",
           .mechanism =
               "The L2 does the atomics of the lanes one after the other, where they go to "
               "one address, and the next ones queue up in the SM although the caches "
               "have time.",
           .edit =
               "Combine within the warp first (__reduce_add_sync, __reduce_min_sync, shuffles), "
               "then in shared memory: one atomic for a block and address. If a block works "
               "on one object, it needs none; if keys are sorted, use a segmented reduction.",
           .ruledOut = "atomics of a warp on one address ({lanes} lanes, {waiting} of the warps' "
                       "time)",
           .gain = "min(share of the warps' time in the queue of accesses, 1 − busiest resource) × "
                   "duration"},
    .check = check,
    .namesLine = NamesLine::BySamples,
    .explains = {"global-uncoalesced", "global-narrow-access"},
    .causesStalls = {"lg_throttle", "drain", "mio_throttle", "long_scoreboard"}};

}  // namespace roofscope::rules
