// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/names/multiplied_type.h"
#include "profile/chips/chip.h"

namespace roofscope::rules {

namespace {

/// Rate of mma.sync relative to wgmma in the same time of the pipe (H200, docs/rules.md).
constexpr double kRateOfMma = 2.0 / 3.0;
/// Below this share of its time the tensor pipe is not what a kernel waits for.
constexpr double kLeastBusy = 0.50;

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!chipHas(deviceOf(input), ChipFeature::Wgmma).value_or(false)) return NotApplicable{};
    if (!q.tensorInstructions.has() || q.tensorInstructions->value < kLeastBusy)
        return NotApplicable{};
    const auto type = multipliedType(input.kernel.fullName);
    if (type && type->type == Arithmetic{TensorType::Fp64}) return NotApplicable{};
    const GroupSums sums(input.counters, input.kernel.group.launches);
    const auto grouped = sums.joint({counter::kSharedGmma});
    if (!grouped.ok()) return cannotTell(grouped.missing);
    if (grouped[0] > 0) return RuledOut{.cost = 0};
    // FP64 products have no wgmma, and a kernel of nothing else shows in no other counter.
    const auto twice = sums.joint({counter::kTensorFp64});
    if (!twice.ok()) {
        CannotTell unknown = cannotTell(twice.missing, CounterGroup::Tensor);
        unknown.relief = {{ResourceId::Tensor, kRateOfMma}};
        return unknown;
    }
    if (twice[0] > 0) return NotApplicable{};

    const double busy = std::min(1.0, q.tensorInstructions->value);
    // wgmma reads its operands from shared memory itself, so the shared pipe and the issue slots do
    // not limit it.
    const double others = resourcesOf(q).busiestExcept(
        {ResourceId::Tensor, ResourceId::Issue, ResourceId::SharedPipe, ResourceId::L1});
    // A loop of wgmma waits less between its products, so it may fill the pipe as well: cuBLAS
    // takes a product from 64 % of the pipe to 90 %, in half the time.
    const double gain =
        limitToEmptyLaunch(input, std::max(0.0, 1.0 - std::max(busy * kRateOfMma, others)));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.relief = {{ResourceId::Tensor, kRateOfMma},
                      {ResourceId::Issue, 0.0},
                      {ResourceId::SharedPipe, 0.0},
                      {ResourceId::L1, 0.0}};
    finding.args = {arg("pipe", busy, Unit::Share)};
    finding.evidence = {{.label = Words("tensor pipe utilisation"),
                         .formula = q.tensorInstructions.how,
                         .value = busy,
                         .unit = Unit::Share,
                         .threshold = kLeastBusy},
                        {.label = Words("wgmma instructions"),
                         .formula = counter::kSharedGmma,
                         .value = 0.0,
                         .unit = Unit::Count}};
    finding.expected = movementOf(counter::kSharedGmma, 0.0, 1.0);
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
           .sentence =
               "The tensor pipe is {pipe} busy, with single-warp products (mma.sync, WMMA) only.",
           .mechanism = "On Hopper such a product keeps the pipe for longer than a wgmma of the "
                        "same size: with a pipe that never rests mma.sync reaches about two thirds "
                        "of the roof. wgmma also reads its operands from shared memory itself, "
                        "without ldmatrix and registers.",
           .edit = "Write the main loop with wgmma: CUTLASS 3 or CuTe for sm_90a, Triton's tl.dot "
                   "with at least four warps, or PTX (wgmma.mma_async, four warps per product, "
                   "tiles brought by TMA with 128-byte swizzle). For a library's kernel that was "
                   "built for sm_80, a newer version of the library has one with wgmma.",
           .ruledOut = "mma.sync in place of wgmma",
           .gain = "(1 − busiest of tensor pipe utilisation × 2/3, DRAM, L2 and the other pipes) × "
                   "duration: mma.sync does 2/3 of what wgmma does in the same time of the pipe"},
    .check = check,
    .canBeatItsRoof = true};

}  // namespace roofscope::rules
