// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/writes_per_warp.h"
#include "analyzer/language/sentence.h"
#include "analyzer/roofline/resources.h"

namespace roofscope::rules {

namespace {

/// Smaller blocks hold less than a quarter of an SM's threads when as many as possible are resident
/// (32 blocks per SM).
constexpr std::uint64_t kSmallBlock = 128, kGoodBlock = 256;
/// Threads at the edges of an array write nothing either, which is no fault.
constexpr double kFewWriters = 0.9;
/// A warp without work leaves after its bounds check. If the average warp runs more instructions
/// than this, warps that write nothing do work: they find out that there is nothing to write.
constexpr double kLeavesEarly = 60;
/// `few`: writes per warp, if they show that not all warps have work.
Words stepOf(bool smallBlocks, std::optional<double> few) {
    constexpr double kPercent = 100;
    if (few && smallBlocks)
        return wordsOf(
            "At most {:.0f} % of the warps write anything: use blocks of 128 to 256 threads, and "
            "start only those that have work (compare the grid with the kernel's bounds check)",
            *few * kPercent);
    if (few)
        return wordsOf(
            "At most {:.0f} % of the warps write anything: start only as many blocks as there is "
            "work (compare the grid with the kernel's bounds check)",
            *few * kPercent);
    return smallBlocks ? Words(
                             "Use blocks of 128 to 256 threads, and start only those that have "
                             "work")
                       : Words(
                             "Let each thread compute several elements, with wide loads: index "
                             "arithmetic is then done once for all of them");
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    // The chip's limit is not known, or the counters were read in another state than the time.
    if (!q.blockStartUtilisation.has()) return NotApplicable{};
    const double starts = q.blockStartUtilisation->value;
    const Resources resources = resourcesOf(q);
    const double others = resources.busiestExcept({ResourceId::BlockStarts});
    const RuledOut ruledOut{.args = {arg("starts", std::min(1.0, starts), Unit::Share)},
                            .cost = starts < kBlockStartsLimit ? 0.0 : 1.0 - others};
    if (starts < kBlockStartsLimit) return ruledOut;
    if (!resources.find(ResourceId::Dram)) return cannotTell(q.utilisation[Level::Dram].missing);
    const double gain = limitToEmptyLaunch(input, std::max(0.0, 1.0 - others));
    if (gain < kLeastReportedGain) return ruledOut;

    const auto blocks = static_cast<double>(input.kernel.group.grid.total());
    const std::uint64_t threads = input.kernel.group.block.total();
    const double perSecond =
        blocks * static_cast<double>(q.duration.count) / q.duration.total.value;
    const std::optional<double> writes = writesPerWarp(input);
    const bool fewWrite = writes && *writes < kFewWriters && q.warpInstructions.has() &&
                          *q.warpInstructions <= kLeavesEarly * launchedWarps(input);
    // Fewer blocks may also spare instructions and accesses of threads without work.
    Finding finding = makeEstimate(input, gain);
    finding.relief = relieves({ResourceId::BlockStarts, ResourceId::Issue});
    finding.args = {arg("blocks", blocks, Unit::Count),
                    arg("threads", static_cast<double>(threads), Unit::Count),
                    arg("rate", perSecond, Unit::Count),
                    arg("most", perSecond / starts, Unit::Count),
                    arg("step", stepOf(threads < kSmallBlock, fewWrite ? writes : std::nullopt))};
    finding.evidence = {{.label = Words("blocks started, share of the most that this GPU starts"),
                         .formula = q.blockStartUtilisation.how,
                         .value = starts,
                         .unit = Unit::Share,
                         .threshold = kBlockStartsLimit}};
    if (fewWrite && threads >= kSmallBlock) {
        finding.before = "kernel<<<n, 256>>>(n, ...);  // in the kernel: if (i >= n) return;";
        finding.after = "kernel<<<(n + 255) / 256, 256>>>(n, ...);";
    }
    if (fewWrite) {
        finding.evidence.push_back(writesOfWarp(*writes, kFewWriters));
        finding.evidence.back().healthy = 1.0;
    }
    // Larger blocks, several elements for each thread, or no blocks without work.
    const double left = threads < kSmallBlock ? static_cast<double>(threads) / kGoodBlock
                        : fewWrite            ? std::max(0.5, *writes)
                                              : 0.5;
    finding.expected = {{.counter = Words("blocks"),
                         .what = moved::Value::Blocks,
                         .from = blocks,
                         .to = blocks * left,
                         .unit = Unit::Count}};
    return finding;
}

}  // namespace

extern const Rule block_start_rate;
const Rule block_start_rate{
    .id = "block-start-rate",
    .category = "parallelism",
    .needs = {CounterGroup::Default},
    .before = "kernel<<<(n + 31) / 32, 32>>>(n, ...);",
    .after =
        "kernel<<<sms * residentBlocksPerSm, 256>>>(n, ...);\n"
        "// in the kernel: for (i = blockIdx.x * 256 + threadIdx.x; i < n; i += "
        "gridDim.x * 256)",
    .en = {.title = "Too many blocks to start",
           .firesWhen =
               "Blocks start at 85 % or more of the highest rate that was seen on the chip, and "
               "no other resource is near its roof.",
           .sentence =
               "{blocks} blocks of {threads} {threads?thread:threads} start at a rate of {rate} "
               "per second; this GPU starts at most {most}.",
           .mechanism =
               "One unit hands out the blocks of the whole GPU. A block that ends before the next "
               "ones have started leaves its SM empty, however few threads it has and however "
               "little they do.",
           .edit = "{step}; a grid-stride loop over as many blocks as are resident needs the "
                   "fewest.",
           .ruledOut = "block starts ({starts} of the most)",
           .gain = "(1 − busiest other resource) × duration",
           .editInGeneral = "Start fewer blocks: at least 128 threads each, several elements per "
                            "thread.",
           .editInTriton = "In Triton, choose larger BLOCK sizes, or launch as many programs as "
                           "are resident and let each loop over tiles."},
    .check = check};

}  // namespace roofscope::rules
