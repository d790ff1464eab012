// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/chains/chains.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

namespace {

/// Full sectors are written once. Up to twice may be pairs of sectors of which one is written.
constexpr double kLeastWrites = 2.0;
/// Nearly all sectors that the L2 was asked to write must come from counted stores, because bulk
/// copies, atomics and spills write, too.
constexpr double kExplained = 1.1;
/// With a larger share of certain excess sectors, global-uncoalesced reports the stores.
constexpr double kCertainExcess = 0.10;

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const auto l2Bytes = deviceOf(input).l2Bytes;
    if (!q.dramRead.has() || !q.dramWrite.has() || !l2Bytes || !isDramLimited(input.kernel))
        return NotApplicable{};
    const CoalescingEstimate& stores = q.stores;
    if (!stores.requested.has() || !(stores.requested->value > 0) || !stores.certainExcess.has() ||
        *stores.certainExcess >= kCertainExcess * *stores.sectors)
        return NotApplicable{};
    // At the start, the L2 may have been full of what earlier launches wrote.
    const double written = q.dramWrite->value - static_cast<double>(*l2Bytes);
    const double stored = stores.requested->value, writes = written / stored;
    const double moved = q.dramRead->value + q.dramWrite->value;
    const double gain =
        limitToEmptyLaunch(input, std::min((written - stored) / moved,
                                           1.0 - resourcesOf(q).busiestExcept({ResourceId::Dram})));
    const RuledOut ruledOut{.args = {arg("written", q.dramWrite->value, Unit::Bytes),
                                     arg("stored", stored, Unit::Bytes)},
                            .cost = gain};
    if (writes < kLeastWrites) return ruledOut;
    const auto sectors = jointSums(input, {counter::kL2WriteSectors});
    if (!sectors.ok()) return cannotTell(sectors.missing, CounterGroup::Cache);
    if (sectors.mean(0) > kExplained * *stores.sectors) return NotApplicable{};
    if (gain < kLeastReportedGain) return ruledOut;
    Finding finding = makeEstimate(input, gain);
    finding.relief = {{ResourceId::Dram, 1.0 - (written - stored) / moved}, {ResourceId::L2, 0.0}};
    finding.args = {arg("written", q.dramWrite->value, Unit::Bytes),
                    arg("stored", stored, Unit::Bytes), arg("writes", writes, Unit::Factor)};
    finding.evidence = {{.label = Words("DRAM writes of each stored byte, lower bound"),
                         .formula = "(" + q.dramWrite.how + " − L2 size) / " +
                                    std::string(counter::kGlobalStoreBytes),
                         .value = writes,
                         .unit = Unit::Factor,
                         .threshold = kLeastWrites,
                         .healthy = 1.0},
                        {.label = Words("bytes per sector that the L2 writes"),
                         .formula = std::string(counter::kGlobalStoreBytes) + " / " +
                                    std::string(counter::kL2WriteSectors),
                         .value = stored / sectors.mean(0),
                         .unit = Unit::Bytes,
                         .healthy = 32.0}};
    finding.expected = {{.counter = Words("DRAM bytes written"),
                         .what = moved::Value::DramWritten,
                         .from = q.dramWrite->value,
                         .to = q.dramWrite->value - written + stored,
                         .unit = Unit::Bytes}};
    return finding;
}

}  // namespace

extern const Rule write_amplification;
const Rule write_amplification{
    .id = "write-amplification",
    .category = "memory",
    .needs = {CounterGroup::Default, CounterGroup::Cache},
    .before = "if (lane == 0) out[row * stride] = sum;  // 4 bytes of a 32-byte sector",
    .after = "out[row] = sum;  // rows of a warp side by side: one store of a full sector",
    .en = {.title = "More is written to DRAM than the kernel stores",
           .firesWhen =
               "The kernel is limited by the DRAM, writes at least twice as many bytes to it as it "
               "stores (what the L2 may have held before left out), and its stores are all that "
               "the L2 writes.",
           .sentence = "{written} are written to DRAM for {stored} that the kernel stores: each "
                       "byte is written at least {writes}.",
           .mechanism = "The DRAM is written in whole sectors of 32 bytes. Stores that fill a "
                        "sector in part, and at different times, write it as a whole each time it "
                        "leaves the L2.",
           .edit = "Fill whole sectors at once: collect results in shared memory or registers and "
                   "let neighbouring threads store neighbouring values, 16 bytes each; do not "
                   "store intermediate values of a loop.",
           .ruledOut = "writing more than it stores ({written} to DRAM, {stored} stored)",
           .gain = "min((DRAM bytes written − size of the L2 − bytes stored) / DRAM bytes, 1 − "
                   "busiest other resource) × duration"},
    .check = check};

}  // namespace roofscope::rules
