// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/diagnosis/rule_support.h"
#include "profile/chips/chip.h"

namespace roofscope::rules {

namespace {

/// What mma.sync does of what wgmma does in the same time of the pipe (H200, docs/rules.md).
constexpr double kRateOfMma = 2.0 / 3.0;
/// Below this share of its time the tensor pipe is not what a kernel waits for.
constexpr double kLeastBusy = 0.50;

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!chipHas(deviceOf(input), ChipFeature::Wgmma).value_or(false)) return NotApplicable{};
    if (!q.tensorInstructions.has() || q.tensorInstructions->value < kLeastBusy)
        return NotApplicable{};
    const GroupSums sums(input.counters, input.kernel.group.launches);
    const auto grouped = sums.joint({counter::kSharedGmma});
    if (!grouped.ok()) return cannotTell(grouped.missing);
    if (grouped[0] > 0) return RuledOut{.cost = 0};
    // Products in FP64 have no wgmma, and a kernel of nothing else shows in no other counter.
    const auto twice = sums.joint({counter::kTensorFp64});
    if (!twice.ok()) {
        CannotTell unknown = cannotTell(twice.missing, CounterGroup::Tensor);
        unknown.relief = {{ResourceId::Tensor, kRateOfMma}};
        return unknown;
    }
    if (twice[0] > 0) return NotApplicable{};

    const double busy = std::min(1.0, q.tensorInstructions->value);
    // wgmma reads its operands from shared memory by itself: neither the shared pipe nor the issue
    // slots are in its way.
    const double others = resourcesOf(q).busiestExcept(
        {ResourceId::Tensor, ResourceId::Issue, ResourceId::SharedPipe, ResourceId::L1});
    // A loop of wgmma waits for less between its products, so that it may fill the pipe as well:
    // cuBLAS takes a product at 64 % of the pipe to 90 %, which is half the time.
    const double gain =
        aboveEmptyLaunch(input, std::max(0.0, 1.0 - std::max(busy * kRateOfMma, others)));
    if (gain < kWorthNaming) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.relief = {{ResourceId::Tensor, kRateOfMma},
                      {ResourceId::Issue, 0.0},
                      {ResourceId::SharedPipe, 0.0},
                      {ResourceId::L1, 0.0}};
    finding.args = {arg("pipe", busy, Unit::Share)};
    finding.evidence = {{.label = {"tensor pipe utilisation", "张量流水线利用率"},
                         .formula = q.tensorInstructions.how,
                         .value = busy,
                         .unit = Unit::Share,
                         .threshold = kLeastBusy},
                        {.label = {"wgmma instructions", "wgmma 指令"},
                         .formula = counter::kSharedGmma,
                         .value = 0.0,
                         .unit = Unit::Count}};
    finding.expected = {{.counter = Words::lasting(counter::kSharedGmma),
                         .from = 0.0,
                         .to = 1.0,
                         .unit = Unit::Count}};
    return finding;
}

}  // namespace

extern const Rule mma_instead_of_wgmma;
const Rule mma_instead_of_wgmma{
    .id = "mma-instead-of-wgmma",
    .category = "latency",
    .needs = {CounterGroup::Default, CounterGroup::Tensor},
    .before = "mma.sync.aligned.m16n8k16…  // a warp; operands in its registers, by ldmatrix",
    .after = "wgmma.mma_async.sync.aligned.m64n256k16…  // four warps; operands in shared memory",
    .en = {.title = "Tensor cores of Hopper fed by mma.sync",
           .firesWhen = "Compute capability 9.0, the tensor pipe is at least 50 % busy, no wgmma "
                        "was executed, and no product in FP64 (group tensor).",
           .sentence = "The tensor pipe is {pipe} busy, with products of single warps (mma.sync, "
                       "WMMA) only.",
           .mechanism = "On Hopper such a product keeps the pipe for longer than a wgmma of the "
                        "same size: with a pipe that never rests mma.sync reaches about two thirds "
                        "of the roof. wgmma also reads its operands from shared memory itself, "
                        "without ldmatrix and registers.",
           .edit = "Write the main loop with wgmma: CUTLASS 3 or CuTe for sm_90a, Triton's tl.dot "
                   "with at least four warps, or PTX (wgmma.mma_async, four warps per product, "
                   "tiles brought by TMA with 128-byte swizzle). A kernel of a library that was "
                   "built for sm_80 has a newer one there.",
           .ruledOut = "mma.sync in place of wgmma",
           .gain = "(1 − busiest of tensor pipe utilisation × 2/3, DRAM, L2 and the other pipes) × "
                   "duration: mma.sync does 2/3 of what wgmma does in the same time of the pipe"},
    .zh = {.title = "Hopper 的张量核心由 mma.sync 驱动",
           .firesWhen = "计算能力 9.0，张量流水线利用率至少 50 %，没有执行 wgmma，也没有 FP64 "
                        "乘积（tensor 组）。",
           .sentence = "张量流水线利用率 {pipe}，全部是单个线程束的乘积（mma.sync、WMMA）。",
           .mechanism =
               "在 Hopper 上，这种乘积占用流水线的时间比同样大小的 wgmma 更长：即使流水线从不空"
               "闲，mma.sync 也只能达到屋顶的约三分之二。wgmma 还直接从共享内存读取操作数，不需要 "
               "ldmatrix 和寄存器。",
           .edit = "用 wgmma 编写主循环：面向 sm_90a 的 CUTLASS 3 或 CuTe，至少四个线程束的 "
                   "Triton tl.dot，或 PTX（wgmma.mma_async，每个乘积四个线程束，分块由 TMA 以 "
                   "128 字节 swizzle 搬运）。为 sm_80 构建的库内核通常已有更新的版本。",
           .ruledOut = "用 mma.sync 代替 wgmma",
           .gain = "(1 − 张量流水线利用率 × 2/3、DRAM、L2 与其他流水线中最忙者) × "
                   "耗时：流水线时间相同时 mma.sync 只完成 wgmma 的 2/3"},
    .check = check,
    .roofIsNotTheEnd = true};

}  // namespace roofscope::rules
