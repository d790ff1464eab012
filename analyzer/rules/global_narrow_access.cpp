// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/staged_loads.h"
#include "analyzer/language/sentence.h"

namespace roofscope::rules {

namespace {

/// Three of four global instructions are certainly at most 4 bytes per thread. A kernel with as
/// many scalar accesses as 16-byte accesses stays below.
constexpr double kMostlyNarrow = 0.75;
/// At least half of the bytes certainly move through narrow accesses.
constexpr double kNarrowBytes = 0.5;
/// Narrow accesses cost bandwidth only if they are coalesced; otherwise coalescing is the problem.
/// A word that a whole warp reads lowers the efficiency but wastes nothing, so somewhat less is
/// accepted if no excess sector is certain.
constexpr double kCoalesced = 0.8, kCoalescedWithUniform = 0.7;
/// Below the first share of the DRAM roof, width certainly costs: on an H200 a 4-byte copy reaches
/// 61 % of the roof and a 16-byte copy 97 %. Between the two, width may cost (rotating pairs reach
/// 83 % with 4 bytes and 96 % with 16) or not. From the second on, it certainly does not.
constexpr double kDramCeiling = 0.75, kDramFull = 0.90;
/// Below this share, the kernel hardly uses the DRAM. Even a 1-byte copy, the narrowest there is,
/// reaches 20 % of the roof on an H200.
constexpr double kDramInUse = 0.15;

/// Warp instructions for each access. Kernels that move data, with index arithmetic that wider
/// accesses share, run 9 to 36; a hash of 92 or a selection of 58 works on what it has loaded.
constexpr double kMostInstructions = 40;

/// Loads that request this many times what comes from the DRAM read some of it again.
constexpr double kReadAgain = 1.1;

/// The widest access of a thread.
constexpr double kWideBytes = 16;

/// Traffic smaller than the L2 need not reach the DRAM, and a kernel that short spends its few
/// microseconds starting and draining. PyTorch's 4-byte-wide boolean kernels of 12 MB stay at half
/// of the DRAM roof at 5.6 µs, and would with wider accesses, too.
bool smallTraffic(const RuleInput& input) {
    const auto& moved = input.kernel.quantities.bytes[Level::Dram];
    const auto l2 = input.profile.devices[input.kernel.group.device].l2Bytes;
    return l2 && moved.has() && moved->value < static_cast<double>(*l2);
}

/// Upper bound of the share of bytes moved 8 or 16 at a time: a full warp moves 256 or 512 bytes.
double wideBytesShare(const Quantities& q, double requested) {
    const auto& wide = q.widths.wideBytesPossible;
    if (!wide.has() || !(requested > 0)) return 1.0;
    return std::min(1.0, wide->value / requested);
}

/// "All" or "At least 92 % of the", before "global accesses"; "(inferred)" where the widths
/// themselves were not counted.
Arg howManyArg(const Quantities& q) {
    constexpr double kAll = 0.9995;  // shown with one decimal
    const double share = q.widths.globalNarrowCertain->value;
    if (q.widths.inferred) {
        const std::string percent = std::to_string(std::lround(share * 100.0)) + " %";
        return arg("most", share >= kAll ? Words("All (inferred)")
                                         : wordsOf("At least {} (inferred) of the", percent));
    }
    if (share >= kAll) return arg("most", Words("All"));
    Arg most = arg("most", share, Unit::Share);
    most.text = wordsOf("At least {:.3g} % of the", share * 100);
    return most;
}

Arg narrowArg(const Quantities& q) {
    Arg share = arg("narrow", q.widths.globalNarrowCertain->value, Unit::Share);
    if (q.widths.inferred) {
        const std::string percent = std::to_string(std::lround(share.value * 100.0)) + " %";
        share.text = wordsOf("{} (inferred)", percent);
    }
    return share;
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const auto& narrow = q.widths.globalNarrowCertain;
    if (narrow.notApplicable()) return NotApplicable{};
    if (const auto missing = firstMissing(narrow, q.loads.requested, q.stores.requested))
        return cannotTell(*missing);
    const Resources resources = resourcesOf(q);
    const Resource* dram = resources.find(ResourceId::Dram);
    if (!dram) return cannotTell(q.utilisation[Level::Dram].missing);

    const double requested = q.loads.requested->value + q.stores.requested->value;
    const double sectors = *q.loads.sectors + *q.stores.sectors;
    const double efficiency = sectors > 0 ? requested / (32.0 * sectors) : 0.0;
    // If all accesses are wide, there is nothing to widen. Otherwise width costs at most what the
    // busiest roof leaves.
    double narrowest = 0;
    bool counted = true;
    for (std::size_t i = 0; i < 3; ++i)  // 1, 2 and 4 bytes
        if (const auto& width = q.widths.instructions[i]; width.has())
            narrowest += *width;
        else
            counted = false;
    const bool wide = counted && narrowest < kMinorShare * (*q.loads.requests + *q.stores.requests);
    const RuledOut ruledOut{
        .args = {narrowArg(q), arg("dram", dram->busy, Unit::Share)},
        .cost = wide ? 0.0 : 1.0 - resources.busiestExcept({ResourceId::BlockStarts})};
    const bool noExcess = q.loads.certainExcess.has() && *q.loads.certainExcess == 0.0 &&
                          q.stores.certainExcess.has() && *q.stores.certainExcess == 0.0;
    if (efficiency < (noExcess ? kCoalescedWithUniform : kCoalesced))
        return NotApplicable{};  // reported by global-uncoalesced
    if (narrow->value < kMostlyNarrow || 1.0 - wideBytesShare(q, requested) < kNarrowBytes ||
        dram->busy >= kDramFull || dram->busy < kDramInUse || smallTraffic(input))
        return ruledOut;
    if (dram->busy >= kDramCeiling) return ruledOut;  // undecided, because of its cost
    const double accesses = *q.loads.requests + *q.stores.requests;
    if (q.warpInstructions.has() && *q.warpInstructions > kMostInstructions * accesses)
        return NotApplicable{};
    // The DRAM must be the limit: no other resource is busier, and the grid fills the GPU. Issuing
    // many narrow accesses is the fault itself, not another limit, until the issue slots are full.
    const auto cls = input.kernel.verdict.cls;
    // Wider accesses need fewer threads, and so fewer blocks.
    const bool blockStarts = input.kernel.verdict.limiter == ResourceId::BlockStarts;
    if (resources.busiestExcept({ResourceId::Dram, ResourceId::Issue, ResourceId::BlockStarts}) >
            dram->busy ||
        resources.busy(ResourceId::Issue) >= kBusyShare ||
        (cls != VerdictClass::MemoryBound && cls != VerdictClass::LatencyBound && !blockStarts))
        return ruledOut;
    // Staged loads wait at a barrier, however wide they are; dominant-stall reports that.
    if (!stagedLoadsEdit(input).empty()) return ruledOut;

    const double gain = limitToEmptyLaunch(input, 1.0 - std::min(1.0, dram->busy));
    if (gain < kLeastReportedGain) return ruledOut;
    // Repeated reads may hit the caches more often if they come sooner. A norm in Triton that reads
    // its rows twice read 115 MB from the DRAM with 2 bytes per thread and 89 MB with 16, and
    // gained 43.6 µs where the same traffic allowed 40.7 (H100).
    const bool rereads = q.dramRead.has() && q.dramWrite.has() &&
                         q.loads.requested->value > kReadAgain * q.dramRead->value;
    Finding finding = rereads ? makeEstimate(input, gain) : makeFinding(input, gain);
    finding.relief = relieves({ResourceId::Issue, ResourceId::L1, ResourceId::BlockStarts});
    if (rereads)
        finding.relief.push_back(
            {ResourceId::Dram, q.dramWrite->value / (q.dramRead->value + q.dramWrite->value)});
    finding.args = {narrowArg(q), howManyArg(q), arg("dram", dram->busy, Unit::Share),
                    arg("bytes", requested / accesses, Unit::Bytes)};
    if (input.kernel.origin == KernelOrigin::Triton) {
        const auto threads = static_cast<double>(input.kernel.group.block.total());
        finding.args.push_back(arg("elements", threads * kWideBytes / 2, Unit::Count));
    }
    finding.evidence = {
        {.label = Words("global accesses of at most 4 bytes per thread, lower bound"),
         .formula = narrow.how,
         .value = narrow->value,
         .unit = Unit::Share,
         .threshold = kMostlyNarrow,
         .healthy = 0.0},
        {.label = Words("DRAM bandwidth, share of what this mix can attain"),
         .formula = q.utilisation[Level::Dram].how + " / attainable share",
         .value = dram->busy,
         .unit = Unit::Share,
         .threshold = kDramCeiling,
         .healthy = 0.95},
        {.label = Words("coalescing efficiency, global loads and stores"),
         .formula = "requested bytes / (32 × sectors)",
         .value = efficiency,
         .unit = Unit::Share,
         .healthy = 1.0}};
    finding.expected = {{.counter = Words::same(std::string(counter::kGlobalLoads) + " + " +
                                                std::string(counter::kGlobalStores)),
                         .what = moved::Counters{counter::kGlobalLoads, counter::kGlobalStores},
                         .from = accesses,
                         .to = requested / 512.0,
                         .unit = Unit::Count}};
    return finding;
}

}  // namespace

extern const Rule global_narrow_access;
const Rule global_narrow_access{
    .id = "global-narrow-access",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "out[i] = in[i];",
    .after = "reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];",
    .en =
        {.title = "Narrow global memory accesses",
         .firesWhen =
             "At least 75 % of the global accesses are certainly at most 4 bytes wide, they are "
             "coalesced, at most 40 instructions come with each, more data than the L2 holds moves "
             "through the DRAM, which is the busiest resource but below 75 % of what the kernel's "
             "mix of reads and writes can attain.",
         .sentence = "{most} global accesses move 4 bytes per thread or less "
                     "({bytes} per warp), and the DRAM runs at {dram} of what it can attain.",
         .mechanism = "Each 4-byte access costs the same instruction, address and queue slot as a "
                      "16-byte one but keeps a quarter of the bytes in flight. Too few bytes are "
                      "in flight to cover the memory latency, so the DRAM waits.",
         .edit = "Let each thread move 16 bytes at once (float4 or uint4, pointers 16-byte "
                 "aligned), with a scalar loop for the remainder; several independent elements "
                 "per thread help the same way.",
         .ruledOut = "access width (DRAM at {dram} of what it can attain; {narrow} of the global "
                     "accesses are certainly 4 bytes or less)",
         .gain = "(1 − DRAM bandwidth / bandwidth that this mix of reads and writes can attain) × "
                 "duration",
         .editInTriton =
             "In Triton, give each thread 16 bytes of neighbouring elements: for as many threads "
             "as this launch has, a BLOCK of at least {elements} elements of 2 bytes (half as many "
             "of 4), or fewer warps (num_warps). Offsets must be contiguous (start + tl.arange) "
             "and begin at multiples of 16 bytes, else Triton moves element by element."},
    .check = check,
    // Wider accesses need fewer threads, and so fewer blocks.
    .explains = {"block-start-rate"},
    .causesStalls = {"long_scoreboard", "lg_throttle", "drain"}};

}  // namespace roofscope::rules
