// SPDX-License-Identifier: Apache-2.0
/// What the GPU waits for on another rank.
#include "analyzer/program/action_finder.h"

#include <algorithm>

namespace roofscope::program {

void ActionFinder::unevenRanks() {
    if (!m_order.uneven) return;
    const UnevenRanks& uneven = *m_order.uneven;
    const bool kernels = !uneven.kernel.empty();
    // Another batch is another shape, for which libraries choose other kernels.
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
    add({.rule = "uneven-ranks",
         .alwaysExplained = true,
         .bound = kernels ? Seconds{std::min(uneven.waits.value, difference * (ranks - 1) / ranks)}
                          : uneven.waits,
         .estimate = true,
         .title = {"Ranks wait for the slowest", "各 rank 等待最慢者"},
         .sentence =
             slowAlone
                 ? Words("Rank {waiting} waits {waits} in {in} for rank {slow}, whose kernels "
                         "take {slowTime} (rank {waiting}: {waitingTime}); {slowPart} of that "
                         "is {kernel}, which rank {waiting} does not launch (libraries "
                         "choose kernels by shape).",
                         "rank {waiting} 在 {in} 中等待 rank {slow} {waits}；后者的内核用时 "
                         "{slowTime}（rank {waiting}：{waitingTime}），其中 {slowPart} 是 "
                         "{kernel}，rank {waiting} 不启动它（库按形状选择内核）。")
             : kernels
                 ? Words("Rank {waiting} waits {waits} in {in} for rank {slow}, whose kernels "
                         "take {slowTime} (rank {waiting}: {waitingTime}), most of the "
                         "difference in {kernel}: {slowPart} against {waitingPart}.",
                         "rank {waiting} 在 {in} 中等待 rank {slow} {waits}；后者的内核用时 "
                         "{slowTime}（rank {waiting}：{waitingTime}），差别主要在 {kernel}："
                         "{slowPart} 对 {waitingPart}。")
                 : Words("Rank {waiting} waits {waits} in {in} for rank {slow}, whose kernels "
                         "take {slowTime} (rank {waiting}: {waitingTime}): it gets its work "
                         "later.",
                         "rank {waiting} 在 {in} 中等待 rank {slow} {waits}；后者的内核用时 "
                         "{slowTime}（rank {waiting}：{waitingTime}）：它更晚得到工作。"),
         .edit = kernels ? Words("Give all ranks the same work: equal batches, sequences of "
                                 "equal length, the same sampler.",
                                 "让各 rank 的工作相同：相等的批次、等长的序列、同样的采样"
                                 "器。")
                         : Words("Look at what the CPU of the slow rank does: data loading, "
                                 "logging, checkpoints on one rank only.",
                                 "查看慢 rank 的 CPU 在做什么：数据加载、日志、只在一个 rank "
                                 "上做的检查点。"),
         .args = std::move(args)});
}

}  // namespace roofscope::program
