// SPDX-License-Identifier: Apache-2.0
/// GPU time that is spent waiting for another rank.
#include "analyzer/program/actions/action_finder.h"

#include <algorithm>

namespace roofscope::program {

void ActionFinder::unevenRanks() {
    if (!m_order.uneven) return;
    const UnevenRanks& uneven = *m_order.uneven;
    const bool kernels = !uneven.kernel.empty();
    // Another batch size means another shape, for which libraries choose other kernels.
    const bool slowAlone = kernels && !(uneven.waitingInKernel.value > 0);
    const double difference = (uneven.slowKernels - uneven.waitingKernels).value;
    const double ranks = static_cast<double>(m_program.lanes.size());
    std::vector<Arg> args{number("waiting", uneven.waiting, Unit::Count),
                          number("slow", uneven.slow, Unit::Count),
                          number("waits", uneven.waits.value, Unit::Seconds),
                          words("in", Words::same(shortKernelName(uneven.in, kLongestKernel))),
                          number("slowTime", uneven.slowKernels.value, Unit::Seconds),
                          number("waitingTime", uneven.waitingKernels.value, Unit::Seconds)};
    if (kernels) {
        args.push_back(
            words("kernel", Words::same(shortKernelName(uneven.kernel, kLongestKernel))));
        args.push_back(number("slowPart", uneven.slowInKernel.value, Unit::Seconds));
        args.push_back(number("waitingPart", uneven.waitingInKernel.value, Unit::Seconds));
    }
    add({.rule = action_rule::kUnevenRanks,
         .alwaysExplained = true,
         .bound = kernels ? Seconds{std::min(uneven.waits.value, difference * (ranks - 1) / ranks)}
                          : uneven.waits,
         .estimate = true,
         .title = Words("Ranks wait for the slowest"),
         .sentence =
             slowAlone
                 ? Words("Rank {waiting} waits {waits} in {in} for rank {slow}, whose kernels "
                         "take {slowTime} (rank {waiting}: {waitingTime}); {slowPart} of that "
                         "is {kernel}, which rank {waiting} does not launch (libraries "
                         "choose kernels by shape).")
             : kernels
                 ? Words("Rank {waiting} waits {waits} in {in} for rank {slow}, whose kernels "
                         "take {slowTime} (rank {waiting}: {waitingTime}), most of the "
                         "difference in {kernel}: {slowPart} against {waitingPart}.")
                 : Words("Rank {waiting} waits {waits} in {in} for rank {slow}, whose kernels take "
                         "{slowTime} (rank {waiting}: {waitingTime}): rank {slow} gets its work "
                         "later."),
         .edit = kernels ? Words("Give all ranks the same work: equal batches, equal "
                                 "lengths, one sampler.")
                         : Words("Look at what the CPU of the slow rank does: data loading, "
                                 "logging, checkpoints on one rank only."),
         .args = std::move(args)});
}

}  // namespace roofscope::program
