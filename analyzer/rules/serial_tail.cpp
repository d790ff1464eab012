// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/over_time/over_time_analysis.h"

namespace roofscope::rules {

namespace {

/// Ends of blocks scatter: a copy of 512 MB on an H200 loses 3.6 % of its time, and nothing is
/// wrong with it.
constexpr double kLeastLost = 0.05;
/// With fewer SMs in the steady part the grid is too small, which another rule says.
constexpr double kLeastSteady = 0.5;
/// From wave-tail: below this wave efficiency the last wave is the cause.
constexpr double kHealthyWaves = 0.8;

/// What the grid says of the cause, and the edit that follows.
struct Cause {
    Words words, edit;
};

Cause causeOf(const KernelAnalysis& kernel, double activeSms) {
    const Occupancy& occupancy = kernel.quantities.occupancy;
    if (occupancy.waves.has() && *occupancy.waves >= 1.0 && occupancy.waveEfficiency.has() &&
        occupancy.waveEfficiency->value < kHealthyWaves)
        return {.words = {"The last wave of blocks is partly filled.",
                          "最后一个波次的线程块没有填满。"},
                .edit = {"Launch as many blocks as fit on the GPU at once, or a multiple of that, "
                         "and let each block loop over the work (grid-stride loop); or use smaller "
                         "blocks.",
                         "启动 GPU 一次能容纳的线程块数或其整数倍，让每个线程块循环处理数据"
                         "（grid-stride 循环）；或者使用更小的线程块。"}};
    constexpr double kOneBlock = 1.5;  // SMs
    if (activeSms <= kOneBlock)
        return {.words = {"One block, or a few on one SM, still works when all others are done.",
                          "其他线程块都已完成时，还有一个线程块（或同一 SM 上的几个）在工作。"},
                .edit = {"Share its work among all blocks: let each block add its part with "
                         "atomics or in a tree, do it in a second kernel with a full grid, or "
                         "start that block first.",
                         "把它的工作分给所有线程块：让每个线程块用原子操作或树形归并加上自己的部"
                         "分，改在网格填满的第二个内核中完成，或者让该线程块最先启动。"}};
    return {
        .words = {"Some blocks work longer than the others.", "有些线程块比其他线程块耗时更长。"},
        .edit = {"Start the longest blocks first, split them into pieces of equal size, or let "
                 "blocks fetch work from a queue instead of owning a fixed part.",
                 "先启动耗时最长的线程块，把它们拆成大小相同的小块，或者让线程块从队列中领取"
                 "任务，而不是固定负责某一部分。"}};
}

RuleResult check(const RuleInput& input) {
    const OverTimeAnalysis* life = input.kernel.overTime.get();
    // Without a curve nothing is said: few kernels have one.
    if (!life || life->lack != OverTimeLack::None || life->steadySms < kLeastSteady)
        return NotApplicable{};
    const double time = life->duration().value;
    const double lost = life->tail ? life->tail->lost.value / time : 0;
    const double gain = aboveEmptyLaunch(
        input, std::min((life->tail ? life->tail->atMost.value : 0) / time,
                        1.0 - resourcesOf(input.kernel.quantities).busiestExcept({})));
    const RuledOut ruledOut{.args = {arg("lost", lost, Unit::Share)}, .cost = lost};
    if (lost < kLeastLost || gain < kWorthNaming) return ruledOut;

    const Tail& tail = *life->tail;
    const double sms = deviceOf(input).smCount;
    const double active = tail.medianSms * sms;
    const Cause cause = causeOf(input.kernel, active);
    Finding finding = makeFinding(input, gain);
    finding.args = {arg("share", tail.length.value / time, Unit::Share),
                    arg("length", tail.length.value, Unit::Seconds),
                    arg("active", std::max(1.0, std::round(active)), Unit::Count),
                    arg("before", std::round(life->steadySms * sms), Unit::Count),
                    arg("lost", lost, Unit::Share),
                    arg("cause", cause.words),
                    arg("edit", cause.edit)};
    finding.evidence = {
        {.label = {"time lost after the last full SMs", "SM 不再全部活动之后损失的时间"},
         .formula = "sum over the tail of interval × (1 − busiest of SMs, DRAM, L2, issue and "
                    "tensor cores as shares of the steady part) / duration",
         .value = lost,
         .unit = Unit::Share,
         .threshold = kLeastLost,
         .healthy = 0.01},
        {.label = {"SMs that are active in the tail", "尾部活动的 SM 比例"},
         .formula = "sm__cycles_active.avg / sm__cycles_elapsed.max",
         .value = *tail.activity.sms,
         .unit = Unit::Share,
         .healthy = life->steadySms}};
    finding.expected = {{.counter = {"SMs that are active in the tail", "尾部活动的 SM 比例"},
                         .from = *tail.activity.sms,
                         .to = life->steadySms,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule serial_tail;
const Rule serial_tail{
    .id = "serial-tail",
    .category = "parallelism",
    .needs = {CounterGroup::OverTime},
    .helpedBy = {CounterGroup::Default},
    .en = {.title = "Most SMs are done long before the kernel ends",
           .firesWhen =
               "Counters were sampled over the kernel's time, and at least 5 % of it is lost after "
               "fewer than 90 % of the SMs of its steady part are active: neither the SMs nor "
               "DRAM, L2, issue slots or tensor cores are then used as much as before.",
           .sentence = "The last {length} of the kernel ({share} of its time) run on about "
                       "{active} of the {before} SMs that were active before. {cause}",
           .mechanism = "A launch ends with its slowest block. Meanwhile the other SMs idle, and "
                        "nothing that limits the kernel before is busy.",
           .edit = "{edit} Then sample it again: most SMs should work until the end.",
           .ruledOut = "serial tail ({lost} of the time)",
           .gain = "min(tail − longest of its SM time on all SMs, its bytes at the attainable DRAM "
                   "roof and its instructions at the issue roof, duration × (1 − busiest "
                   "resource))",
           .editInGeneral = "Depends on the grid: fill the last wave, share the last block's work "
                            "among all, or start the longest blocks first."},
    .zh = {.title = "大多数 SM 远早于内核结束就已完成",
           .firesWhen = "已在内核的运行过程中采样计数器，并且在活动的 SM 少于平稳段的 90 % "
                        "之后损失了至少 5 % 的时间：此时 SM、DRAM、L2、发射槽和张量核心的使用"
                        "都低于之前。",
           .sentence = "内核最后的 {length}（占其时间的 {share}）大约只有 {active} 个 SM "
                       "在活动，之前有 {before} 个。{cause}",
           .mechanism = "一次启动要等最慢的线程块结束。其间其他 SM 闲置，而之前限制内核的资源也"
                        "不再繁忙。",
           .edit = "{edit}然后重新采样：大多数 SM 应一直工作到结束。",
           .ruledOut = "串行尾部（占时间的 {lost}）",
           .gain = "min(尾部 − max(其 SM 时间分摊到全部 SM, 其字节按可达到的 DRAM 屋顶, "
                   "其指令按发射屋顶), 耗时 × (1 − 最忙资源))",
           .editInGeneral =
               "取决于网格：填满最后一个波次，把最后一个线程块的工作分给所有线程块，或者先启动"
               "耗时最长的线程块。"},
    .check = check,
    .explains = {"imbalance", "wave-tail"}};

}  // namespace roofscope::rules
