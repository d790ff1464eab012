// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/staged_loads.h"

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/joined_sentences.h"
#include "analyzer/language/sentence.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/stalls.h"

namespace roofscope::rules {

Words stagedLoadsEdit(const RuleInput& input) {
    // Shares of the time of resident warps: at the barrier, and together with waits for loads.
    constexpr double kAtBarrier = 0.15, kTogether = 0.5;
    // Bytes stored to shared memory as a share of the bytes loaded. Beyond kExchanged, threads
    // exchange results through shared memory.
    constexpr double kStaged = 0.4, kExchanged = 1.2;
    // How often each byte in shared memory is read, for tiles of a stencil. A transpose reads it
    // once, a matrix product many times, and takes hardly anything from the DRAM.
    constexpr double kLeastReads = 2, kFewReads = 8, kMostReads = 20, kFromDram = 0.3;
    constexpr std::uint64_t kLargeBlock = 512;
    if (input.kernel.origin != KernelOrigin::Own) return {};
    const Stalls stalls = stallsOf(input.profile, input.kernel);
    const double barrier = stalls.shareOf("barrier");
    if (barrier < kAtBarrier || barrier + stalls.shareOf("long_scoreboard") < kTogether) return {};
    const auto sums = jointSums(
        input, {counter::kGlobalLoadBytes, counter::kSharedStoreBytes, counter::kSharedLoadBytes});
    if (!sums.ok() || !(sums[1] > 0) || sums[1] < kStaged * sums[0] ||
        sums[1] > kExchanged * sums[0])
        return {};
    const double reads = sums[2] / sums[1];
    const bool streams = resourcesOf(input.kernel.quantities).busy(ResourceId::Dram) >= kFromDram;
    if (reads < kLeastReads || reads > (streams ? kMostReads : kFewReads)) return {};
    const Words next(
        "Load the next tile while this one is used: into registers before the "
        "barrier, or by cp.async into a second buffer.");
    const Words stage = wordsOf(
        "Blocks load tiles into shared memory and wait for them at a barrier ({:.0f} % of "
        "the time), while each byte there is read {:.1f} times",
        100 * barrier, reads);
    if (reads > kFewReads) return joinedSentences(wordsOf("{}.", stage), next);
    const std::uint64_t threads = input.kernel.group.block.total();
    const Words direct = wordsOf(
        "{}: read directly what only one thread uses, and stage only what neighbours share.",
        stage);
    const Words blocks =
        threads >= kLargeBlock
            ? wordsOf(
                  "Use blocks of 128 or 256 threads in place of {}: more of them fit on an "
                  "SM, and work while one waits.",
                  threads)
            : Words();
    return joinedSentences(joinedSentences(direct, blocks), next);
}

}  // namespace roofscope::rules
