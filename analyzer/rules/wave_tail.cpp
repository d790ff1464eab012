// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/over_time/over_time_analysis.h"

namespace roofscope::rules {

namespace {

/// Above this the last, partly filled wave costs less than a fifth of the time at most.
constexpr double kHealthyEfficiency = 0.8;

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const Occupancy& occupancy = q.occupancy;
    if (!occupancy.waves.has())
        return cannotTell(
            occupancy.waves.missing,
            Words("record again: the launch's occupancy and the device's limits are needed",
                  "请重新录制：需要启动的占用率和设备的上限"));
    if (*occupancy.waves < 1.0) return NotApplicable{};  // a single wave has no tail
    const double waves = *occupancy.waves;
    const double efficiency = occupancy.waveEfficiency->value;
    const Resources resources = resourcesOf(q);
    // The DRAM serves a tail as fast as a full wave: a memory-limited kernel loses nothing.
    const bool dramLimits = resources.busy(ResourceId::Dram) >= kBusyShare ||
                            input.kernel.verdict.limiter == ResourceId::Dram;
    // What the grid suggests, a curve over the kernel's time shows or rules out.
    const double empty =
        std::min(1.0 - efficiency, idleAtEnds(input.kernel.overTime.get()).value_or(1.0));
    const double cost =
        dramLimits ? 0.0 : std::max(0.0, std::min(empty, 1.0 - resources.busiestExcept({})));
    const RuledOut ruledOut{
        .args = {arg("waves", waves, Unit::Count), arg("efficiency", efficiency, Unit::Share)},
        .cost = cost};
    if (efficiency >= kHealthyEfficiency) return ruledOut;
    if (!(duration(input) > 0)) return cannotTell(counter::kDuration);
    const Resource* dram = resources.find(ResourceId::Dram);
    // A recording of times alone has the launch's shape: the tail is a fact, its cost a bound.
    const bool onlyTimes = input.profile.counters.names().empty();
    if (!dram && !onlyTimes) return cannotTell(q.utilisation[Level::Dram].missing);
    // Nor does one whose SMs are at a roof all the time.
    if (dramLimits || input.kernel.verdict.cls == VerdictClass::NearRoof) return ruledOut;

    const double gain = aboveEmptyLaunch(input, cost);
    if (gain < kWorthNaming) return ruledOut;
    Finding finding = makeFinding(
        input, gain,
        onlyTimes ? Words("(1 − waves / ⌈waves⌉) × duration; nothing if the DRAM is what limits, "
                          "which was not measured",
                          "(1 − 波次数 / ⌈波次数⌉) × 耗时；若瓶颈是 DRAM（未测量）则没有收益")
                  : Words("min(1 − waves / ⌈waves⌉, 1 − busiest resource) × duration",
                          "min(1 − 波次数 / ⌈波次数⌉, 1 − 最忙资源) × 耗时"));
    finding.args = {arg("waves", waves, Unit::Count), arg("full", std::floor(waves), Unit::Count),
                    arg("last", waves - std::floor(waves), Unit::Share),
                    arg("blocks", *occupancy.blocks, Unit::Count),
                    arg("slots", *occupancy.blocks / waves, Unit::Count)};
    finding.evidence = {{.label = {"waves", "波次数"},
                         .formula = occupancy.waves.how,
                         .value = waves,
                         .unit = Unit::Count,
                         .healthy = std::floor(waves)},
                        {.label = {"wave efficiency", "波次效率"},
                         .formula = occupancy.waveEfficiency.how,
                         .value = efficiency,
                         .unit = Unit::Share,
                         .threshold = kHealthyEfficiency,
                         .healthy = 1.0}};
    finding.expected = {{.counter = {"waves / ⌈waves⌉", "波次数 / ⌈波次数⌉"},
                         .from = efficiency,
                         .to = 1.0,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule wave_tail;
const Rule wave_tail{
    .id = "wave-tail",
    .category = "parallelism",
    .needs = {CounterGroup::Default},
    .before = "kernel<<<(n + 255) / 256, 256>>>(n, ...);",
    .after =
        "kernel<<<sms * residentBlocksPerSm, 256>>>(n, ...);\n"
        "// in the kernel: for (i = blockIdx.x * 256 + threadIdx.x; i < n; i += "
        "gridDim.x * 256)",
    .en = {.title = "The last wave is mostly empty",
           .firesWhen =
               "The grid fills the GPU at least once, its last wave is so empty that the waves are "
               "used to less than 80 %, and neither the DRAM nor another roof limits the kernel.",
           .sentence = "{blocks} blocks make {waves} waves of {slots}: the last wave is filled to "
                       "{last}.",
           .mechanism =
               "Blocks run in waves of as many as fit on the GPU at once. The last, partly "
               "filled wave takes as long as a full one while most slots are empty.",
           .edit = "Make the number of blocks a multiple of what is resident at once, or launch "
                   "exactly that many and let each block loop over the work (grid-stride loop). "
                   "Smaller blocks also shorten the tail.",
           .ruledOut = "last wave (waves: {waves}, used to {efficiency})",
           .gain = "min(1 − waves / ⌈waves⌉, 1 − busiest resource) × duration",
           .editInTriton =
               "In Triton, launch the {slots} programs that are resident at once and let each loop "
               "over tiles (range(pid, tiles, tl.num_programs(0))), or choose BLOCK sizes that "
               "make the number of programs a multiple of that."},
    .zh = {.title = "最后一个波次大部分空着",
           .firesWhen =
               "网格至少能填满 GPU 一次，最后一个波次空得使各波次的利用率不到 80 %，并且内核既不受"
               " DRAM 也不受其他屋顶限制。",
           .sentence = "{blocks} 个线程块分成 {waves} 个波次，每个波次 {slots} "
                       "个：最后一个波次只填了 {last}。",
           .mechanism =
               "线程块按 GPU 一次能容纳的数量分波次运行。最后一个波次没有填满，耗时却与填满的一"
               "样，大部分槽位空着。",
           .edit = "让线程块数成为同时驻留数的整数倍，或者正好启动这么多线程块，让每个线程块循环"
                   "处理数据（grid-stride 循环）。更小的线程块也能缩短尾部。",
           .ruledOut = "最后一个波次（{waves} 个波次，利用率 {efficiency}）",
           .gain = "min(1 − 波次数 / ⌈波次数⌉, 1 − 最忙资源) × 耗时",
           .editInTriton = "在 Triton 中，启动可同时驻留的 {slots} 个 "
                           "program，让每个循环处理多个分块（range(pid, tiles, "
                           "tl.num_programs(0))），或选择使 program 数为其整数倍的 BLOCK 大小。"},
    .check = check,
    .tooLittleWork = true};

}  // namespace roofscope::rules
