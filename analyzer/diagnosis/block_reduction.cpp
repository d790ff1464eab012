// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/block_reduction.h"

#include "analyzer/language/sentence.h"
#include "analyzer/source/stalls.h"

namespace roofscope::rules {

Words blockReductionEdit(const RuleInput& input) {
    constexpr double kMuch = 0.25;
    constexpr std::uint64_t kValuesOfWarps = 1024;  // bytes: 32 warps, 32 bytes each
    constexpr std::uint64_t kOneWarp = 32;
    const LaunchGroup& group = input.kernel.group;
    const Kernel& kernel = input.profile.kernels[group.kernel];
    if (input.kernel.origin == KernelOrigin::Triton || group.block.total() <= kOneWarp ||
        !kernel.staticSharedBytes)
        return {};
    const std::uint64_t shared = *kernel.staticSharedBytes + group.dynamicSharedBytes;
    if (shared == 0 || shared > kValuesOfWarps) return {};
    const double barrier = stallsOf(input.profile, input.kernel).shareOf("barrier");
    if (barrier < kMuch) return {};
    return wordsOf(
        "Warps wait {:.0f} % of their time at barriers, and a block of {} threads has "
        "only {} B of shared memory, as for reductions: give each row to one warp, "
        "which reduces by shuffles, without barriers and in fewer instructions.",
        100 * barrier, group.block.total(), shared);
}

}  // namespace roofscope::rules
