// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/atomic_share.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/quantities/coalescing.h"

namespace roofscope::rules {

namespace {

/// A result that is updated a few times while it lies in the L2 is ordinary.
constexpr double kLeastWrites = 8.0;
/// Stores and atomics must be this share of what arrives at the L2.
constexpr double kLeastShare = 0.5;
/// Spilled registers or atomics may be at most this share of those. Other rules report them.
constexpr double kMostOthers = 0.3;
/// What loads and stores request, as a share of the sectors that they move. With less, coalescing
/// comes first.
constexpr double kCoalesced = 0.8;

/// Whether local memory, atomics or lanes far apart explain most of what arrives. Without
/// instrumented counters nothing is known of these.
bool isExplained(const RuleInput& input, double arrived) {
    using namespace counter;
    const Quantities& q = input.kernel.quantities;
    // Loads of local memory may stay in the L1, where the hardware counted stores apart from them.
    const auto stored = jointSums(input, {counter::kLocalStoreSectors});
    if (stored.ok() ? stored.mean(0) > kMostOthers * arrived
                    : q.localSectors.has() && *q.localSectors > kMostOthers * arrived)
        return true;
    if (atomicShareOfAccesses(input).value_or(0) > kMostOthers) return true;
    const auto sums = jointSums(input, {kGlobalSectors, kGlobalLoadSectors, kGlobalStoreSectors});
    if (sums.ok() && sums.mean(0) - sums.mean(1) - sums.mean(2) > kMostOthers * arrived)
        return true;
    return q.stores.efficiency.has() && q.stores.efficiency->value < kCoalesced;
}

RuleResult check(const RuleInput& input) {
    using namespace counter;
    const Quantities& q = input.kernel.quantities;
    const auto sums = jointSums(input, {kL2Arrivals, kL2ReadReturns});
    const auto l2Bytes = deviceOf(input).l2Bytes;
    if (!sums.ok() || !q.dramWrite.has() || !l2Bytes) return NotApplicable{};
    const Resources resources = resourcesOf(q);
    const double busy = resources.busy(ResourceId::L2);
    const double others = resources.busiestExcept({ResourceId::L2});
    // Each load arrives as one request and returns at least once, so arrivals − returns is a lower
    // bound of what is stored.
    const double stored = sums.mean(0) - sums.mean(1);
    // What is stored lies in the L2 at the end, or was written to DRAM.
    const double sectors = (static_cast<double>(*l2Bytes) + q.dramWrite->value) / kSectorBytes;
    const double writes = stored / sectors;
    if (writes < kLeastWrites || stored < kLeastShare * sums.mean(0) || isExplained(input, stored))
        return NotApplicable{};
    const double gain = limitToEmptyLaunch(input, std::min(1.0 - 1.0 / writes, 1.0 - others));
    if (busy < kBusyShare || busy < others + kLead || gain < kLeastReportedGain)
        return RuledOut{
            .args = {arg("writes", writes, Unit::Count), arg("busy", busy, Unit::Share)},
            .cost = gain};
    Finding finding = makeFinding(input, gain);
    finding.relief = relieves({ResourceId::L2, ResourceId::L1});
    finding.args = {arg("stored", stored, Unit::Count),
                    arg("dram", q.dramWrite->value, Unit::Bytes),
                    arg("l2", static_cast<double>(*l2Bytes), Unit::Bytes),
                    arg("writes", writes, Unit::Count), arg("busy", busy, Unit::Share)};
    finding.evidence = {
        {.label = Words("stores of each sector, lower bound"),
         .formula = std::string("(") + std::string(kL2Arrivals) + " − " +
                    std::string(kL2ReadReturns) + ") / ((L2 size + DRAM bytes written) / 32)",
         .value = writes,
         .unit = Unit::Factor,
         .threshold = kLeastWrites,
         .healthy = 1.0},
        {.label = Words("L2 in use"),
         .formula = q.utilisation[Level::L2].how,
         .value = busy,
         .unit = Unit::Share,
         .threshold = kBusyShare}};
    finding.expected = movementOf(kL2Arrivals, sums.mean(0), sums.mean(0) - stored / 2);
    return finding;
}

}  // namespace

extern const Rule redundant_write;
const Rule redundant_write{
    .id = "redundant-write",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "state[blockIdx.x * N + i] += rate * dt;  // in each of many steps, global memory",
    .after =
        "__shared__ float s[N];                   // the block's state, loaded once\n"
        "s[i] += rate * dt;                       // in each of many steps\n"
        "state[blockIdx.x * N + i] = s[i];        // once, at the end",
    .en = {.title = "The same memory is written again and again",
           .firesWhen =
               "The L2 is at least 60 % busy and leads, at least half of what arrives there are "
               "stores (or atomics), and each sector is stored at least 8 times.",
           .sentence =
               "At least {stored} stored sectors of 32 bytes (or atomics) arrive at the L2, which "
               "holds {l2}, and {dram} leave it for the DRAM. So each sector is stored {writes} "
               "times or more, and the L2 is {busy} busy.",
           .mechanism = "The L1 passes each store on to the L2, as a sector of its own unless the "
                        "lanes of a warp write neighbouring addresses.",
           .edit = "Keep what a thread or block writes and reads again in registers or shared "
                   "memory, and store it once, at the end. Where lanes store to scattered "
                   "addresses, let neighbours store neighbouring elements.",
           .ruledOut = "repeated stores (each sector at least {writes} times, but the L2 is {busy} "
                       "busy and not what leads)",
           .gain = "min(1 − 1 / stores of each sector, 1 − busiest other resource) × duration",
           .editInNumba =
               "In Numba, keep what a thread or block writes and reads again in local variables or "
               "a cuda.shared.array, and store it once, at the end. Where lanes store to scattered "
               "addresses, let neighbours store neighbouring elements."},
    .check = check};

}  // namespace roofscope::rules
