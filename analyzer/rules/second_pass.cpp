// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/quantities/coalescing.h"
#include "analyzer/source/stalls.h"

namespace roofscope::rules {

namespace {

/// How often each byte is loaded, and comes through the L2. Beyond this, redundant-read tells it.
constexpr double kLeastReads = 1.75, kMostReads = 6;
/// What a block reads: rows of its own, which can be held on chip or be passed over once.
constexpr double kLeastOfBlock = 4e3, kMostOfBlock = 1e6;
/// Results are combined in shared memory between the passes; tiles would have an access for each
/// load.
constexpr double kFewShared = 0.25;
/// Share of the warps' time that waits for these loads, if the memory is not what limits.
constexpr double kWaits = 0.3;
/// Excess sectors are read again, too.
constexpr double kHardlyExcess = 0.1;

/// The rows that blocks read in several passes.
struct Passes {
    double bytes = 0;     ///< of all buffers
    double returned = 0;  ///< bytes that the L2 gives to loads
    double reads = 0;     ///< of each byte, through the L2
    double perBlock = 0;  ///< bytes
};

std::optional<Passes> passesOf(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    // Buffers that may be written may be read, too, once as well as those that are only read.
    const auto bytes = bufferBytes(input);
    const auto sums = jointSums(input, {counter::kGlobalLoads, counter::kSharedInstructions});
    const auto returned = returnedToLoads(q);
    if (!bytes || !sums.ok() || !q.loads.requested.has() || !returned ||
        !q.loads.certainExcess.has() || !q.loads.sectors.has() || !(sums[1] > 0) ||
        sums[1] > kFewShared * sums[0] || *q.loads.certainExcess > kHardlyExcess * *q.loads.sectors)
        return std::nullopt;
    const double reads = std::min(q.loads.requested->value, *returned) / *bytes;
    const double perBlock = *bytes / static_cast<double>(input.kernel.group.grid.total());
    if (reads < kLeastReads || reads > kMostReads || perBlock < kLeastOfBlock ||
        perBlock > kMostOfBlock)
        return std::nullopt;
    return Passes{.bytes = *bytes, .returned = *returned, .reads = reads, .perBlock = perBlock};
}

/// The share of the time that one pass saves: of the DRAM's or the L2's traffic, if they limit;
/// else of the waits for loads. Absent if stalls are needed and not known.
std::optional<double> savedShare(const RuleInput& input, const Passes& passes) {
    const Quantities& q = input.kernel.quantities;
    const Resources resources = resourcesOf(q);
    const double dram = resources.busy(ResourceId::Dram), l2 = resources.busy(ResourceId::L2);
    const double stored = q.stores.requested.has() ? q.stores.requested->value : 0;
    const double ofL2 = (passes.returned - passes.bytes) / (passes.returned + stored);
    if (std::max(dram, l2) >= kBusyShare) {
        if (l2 > dram) return ofL2;
        if (!q.dramRead.has() || !q.bytes[Level::Dram].has() || !(q.bytes[Level::Dram]->value > 0))
            return 0;
        return std::max(0.0, q.dramRead->value - passes.bytes) / q.bytes[Level::Dram]->value;
    }
    const Stalls stalls = stallsOf(input.profile, input.kernel);
    if (stalls.reasons.empty()) return std::nullopt;
    const double waits = stalls.shareOf("long_scoreboard");
    return waits >= kWaits ? std::min(waits, ofL2) : 0;
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    if (kernel.origin != KernelOrigin::Own || isNearlyEmptyLaunch(input)) return NotApplicable{};
    const auto passes = passesOf(input);
    if (!passes) return NotApplicable{};
    const auto saved = savedShare(input, *passes);
    if (!saved) return cannotTell(stallsOf(input.profile, kernel).missing, CounterGroup::Stalls);
    const double others =
        resourcesOf(kernel.quantities)
            .busiestExcept({ResourceId::Dram, ResourceId::L2, ResourceId::L1, ResourceId::Issue});
    const double gain = limitToEmptyLaunch(input, std::min(*saved, 1.0 - others));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeEstimate(input, gain);
    finding.relief = relieves({ResourceId::Dram, ResourceId::L2, ResourceId::L1});
    finding.args = {arg("reads", passes->reads, Unit::Count),
                    arg("bytes", passes->bytes, Unit::Bytes),
                    arg("block", passes->perBlock, Unit::Bytes)};
    finding.evidence = {
        {.label = Words("reads of each byte through the L2"),
         .formula =
             "min(requested by global loads, returned by the L2) / bytes of the launch's buffers",
         .value = passes->reads,
         .unit = Unit::Factor,
         .threshold = kLeastReads,
         .healthy = 1.0}};
    const double requested = kernel.quantities.loads.requested->value;
    finding.expected =
        movementOf(counter::kGlobalLoadBytes, requested, requested / passes->reads, Unit::Bytes);
    return finding;
}

}  // namespace

extern const Rule second_pass;
const Rule second_pass{
    .id = "second-pass",
    .category = "memory",
    .needs = {CounterGroup::Default, CounterGroup::Stalls},
    .before =
        "for (int i = threadIdx.x; i < n; i += blockDim.x) top = max(top, x[row * n + i]);\n"
        "top = blockMax(top);\n"
        "for (int i = threadIdx.x; i < n; i += blockDim.x) sum += exp(x[row * n + i] - top);",
    .after =
        "for (int i = threadIdx.x; i < n; i += blockDim.x) {  // one pass\n"
        "    float v = x[row * n + i], t = max(top, v);\n"
        "    sum = sum * exp(top - t) + exp(v - t);\n"
        "    top = t;\n"
        "}",
    .en = {.title = "Blocks read their rows again in a second pass",
           .firesWhen =
               "The program's own kernel loads each byte of its buffers 1.75 to 6 times, and as "
               "often through the L2; blocks read 4 KB to 1 MB each, with few accesses of shared "
               "memory in between; and the DRAM or the L2 is 60 % busy, or "
               "warps wait for loads for 30 % of their time.",
           .sentence =
               "Each of the {bytes} in the buffers crosses the L2 {reads} times on average, "
               "{block} for each block.",
           .mechanism = "A sum or a maximum of a row comes before the pass that uses it, so the "
                        "row is loaded again, from the L2 or, if others have taken its place, from "
                        "the DRAM.",
           .edit = "Read each row once: keep what a thread has loaded in registers, or the row in "
                   "shared memory, until the last pass. Or take one pass for all: sums of x and "
                   "x², a running maximum that rescales the sum (online softmax), sums for "
                   "gradients beside those of the row.",
           .ruledOut = "rows that are read again",
           .gain = "min(share of the L2's bytes that are read again, time in which warps wait for "
                   "loads, 1 − busiest pipe) × duration; where the DRAM limits, the share of its "
                   "bytes"},
    .check = check,
    .causesStalls = {"long_scoreboard"}};

}  // namespace roofscope::rules
