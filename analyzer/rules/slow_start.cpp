// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/over_time/over_time_analysis.h"

namespace roofscope::rules {

namespace {

constexpr double kLeastLost = 0.05;  ///< as in startsSlowly()
/// Below this share of the SMs the blocks are not there yet; above it they wait.
constexpr double kBlocksAreThere = 0.5;

Words nameOf(SlowStart::Resource resource) {
    switch (resource) {
        case SlowStart::Resource::Dram:
            return {"the DRAM's bandwidth", "DRAM 带宽"};
        case SlowStart::Resource::L2:
            return {"the L2's bandwidth", "L2 带宽"};
        case SlowStart::Resource::Issue:
            return {"the issue slots", "发射槽"};
        case SlowStart::Resource::Tensor:
            return {"the tensor cores' time", "张量核心时间"};
    }
    return {};
}

RuleResult check(const RuleInput& input) {
    const OverTimeAnalysis* life = input.kernel.overTime.get();
    // Without a curve nothing is said: few kernels have one.
    if (!life || life->lack != OverTimeLack::None) return NotApplicable{};
    const double time = life->duration().value;
    const double lost = life->slowStart ? life->slowStart->lost.value / time : 0;
    const double gain = aboveEmptyLaunch(
        input, std::min(life->slowStart ? life->slowStart->atMost.value / time : 0,
                        1.0 - resourcesOf(input.kernel.quantities).busiestExcept({})));
    if (lost < kLeastLost || gain < kWorthNaming)
        return RuledOut{.args = {arg("lost", lost, Unit::Share)}, .cost = lost};
    if (!startsSlowly(*life)) return NotApplicable{};
    const SlowStart& start = *life->slowStart;
    const double length = start.length.value;

    const bool blocksAreThere = start.activity.sms.value_or(0) >= kBlocksAreThere * life->steadySms;
    Finding finding = makeFinding(input, gain);
    finding.args = {
        arg("length", length, Unit::Seconds),
        arg("share", length / time, Unit::Share),
        arg("use", std::max(0.0, 1.0 - start.lost.value / length), Unit::Share),
        arg("what", nameOf(start.resource)),
        arg("level", start.level, Unit::Share),
        arg("cause", blocksAreThere
                         ? Words("The blocks are on the SMs by then, and wait.",
                                 "此时线程块已在 SM 上等待。")
                         : Words("Most SMs have no block yet.", "此时大多数 SM 还没有线程块。")),
        arg("edit",
            blocksAreThere
                ? Words("Issue the first loads of the main part before the set-up (tables, "
                        "barriers, index searches, waiting for flags), and let few blocks that "
                        "stay do the set-up once instead of every block. If the launch waits for "
                        "the kernel before it, let the set-up overlap with that one's end "
                        "(programmatic dependent launch).",
                        "在准备工作（查表、屏障、索引搜索、等待标志）之前先发出主体部分的第一批加载"
                        "，并由少数常驻线程块只做一次准备，而不是每个线程块都做。如果启动要等前一个"
                        "内核，让准备工作与其结尾重叠（programmatic dependent launch）。")
                : Words("Give the first blocks less to wait for: smaller clusters and less shared "
                        "memory per block start sooner, and blocks that loop over the work start "
                        "once.",
                        "减少最先启动的线程块要等待的东西：更小的簇、每块更少的共享内存可以更早启动"
                        "，循环处理数据的线程块只需启动一次。"))};
    finding.evidence = {
        {.label = {"time lost before the first full use", "首次充分使用之前损失的时间"},
         .formula = "sum over the start of interval × (1 − busiest of DRAM, L2, issue and tensor "
                    "cores as shares of the level they hold later) / duration",
         .value = lost,
         .unit = Unit::Share,
         .threshold = kLeastLost,
         .healthy = 0.01}};
    finding.expected = {
        {.counter = {"time lost before the first full use", "首次充分使用之前损失的时间"},
         .from = lost,
         .to = 0,
         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule slow_start;
const Rule slow_start{
    .id = "slow-start",
    .category = "latency",
    .needs = {CounterGroup::OverTime},
    .helpedBy = {CounterGroup::Default},
    .en = {.title = "The kernel starts slowly",
           .firesWhen =
               "Counters were sampled over the kernel's time, and in its first part, of more than "
               "5 µs and at most half of its time, DRAM, L2, issue slots and tensor cores are "
               "used less than half as much as later: at least 5 % of the time is lost.",
           .sentence =
               "In its first {length} ({share} of its time) the kernel does little: {use} of "
               "what it does later, when it uses {level} of {what}. {cause}",
           .mechanism = "Until the first loads are on their way, the memory and the pipes that "
                        "limit the kernel later are idle, and that time is added to every launch.",
           .edit = "{edit} Then sample it again: what limits the kernel should be busy from the "
                   "start.",
           .ruledOut = "slow start ({lost} of the time)",
           .gain =
               "min(time that may be lost in the first part, duration × (1 − busiest resource))",
           .editInGeneral = "Depends on what it waits for: load before the set-up, do the set-up "
                            "once in blocks that stay, or overlap it with the kernel before."},
    .zh = {.title = "内核启动缓慢",
           .firesWhen =
               "已在内核的运行过程中采样计数器；在超过 5 µs、至多为其一半时间的开头部分，DRAM、"
               "L2、发射槽和张量核心的使用不到之后的一半：至少损失 5 % 的时间。",
           .sentence = "内核最初的 {length}（占其时间的 {share}）做得很少：只有之后的 {use}，而之后"
                       "使用{what}的 {level}。{cause}",
           .mechanism = "在第一批加载发出之前，之后限制内核的内存和流水线都闲置，每次启动都要付出"
                        "这段时间。",
           .edit = "{edit}然后重新采样：限制内核的资源应从一开始就繁忙。",
           .ruledOut = "启动缓慢（占时间的 {lost}）",
           .gain = "min(开头部分可能损失的时间, 耗时 × (1 − 最忙资源))",
           .editInGeneral = "取决于它在等什么：先加载再准备，由常驻线程块只做一次准备，或者与前一个"
                            "内核重叠。"},
    .check = check};

}  // namespace roofscope::rules
