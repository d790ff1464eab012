// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/sentence.h"
#include "analyzer/quantities/coalescing.h"

namespace roofscope::rules {

namespace {

/// With less, products are only a small part of the kernel's work.
constexpr double kLeastTensor = 0.05;
/// If the tensor pipe is busy for half of the time, it does not wait much.
constexpr double kMostTensor = 0.50;
/// The path that brings operands must be this busy, and at least twice as busy as the tensor pipe.
/// With tiles of 128 × 128 it is as busy as the pipe, or less.
constexpr double kLeastPath = 0.40, kPathToTensor = 2.0;
/// Each byte of the DRAM goes to the SMs at least this often. With larger tiles, it would go less
/// often.
constexpr double kLeastReuse = 2.0;
/// Above this, bank conflicts fill the path, and shared-bank-conflict reports them.
constexpr double kMostConflicts = 0.1;
/// 128 × 128 in place of 32 × 32 needs a quarter of the operand traffic.
constexpr double kRemains = 0.25;

/// The busiest of the L1, shared memory and the L2.
const Resource* busiestPath(const Resources& resources) {
    const Resource* busiest = nullptr;
    for (const ResourceId id : {ResourceId::L1, ResourceId::SharedPipe, ResourceId::L2})
        if (const Resource* found = resources.find(id);
            found && (!busiest || found->busy > busiest->busy))
            busiest = found;
    return busiest;
}

RuleResult check(const RuleInput& input) {
    const KernelOrigin origin = input.kernel.origin;
    if (origin != KernelOrigin::Own && origin != KernelOrigin::Triton) return NotApplicable{};
    const Quantities& q = input.kernel.quantities;
    const Resources resources = resourcesOf(q);
    const Resource* const tensor = resources.find(ResourceId::Tensor);
    const Resource* const path = busiestPath(resources);
    if (!tensor || !path || tensor->busy < kLeastTensor || tensor->busy >= kMostTensor ||
        path->busy < kLeastPath || path->busy < kPathToTensor * tensor->busy ||
        path->busy < resources.busiestExcept({}))
        return NotApplicable{};
    if (q.shared.excessCertain.has() && q.shared.excessCertain->value >= kMostConflicts)
        return NotApplicable{};
    const auto reads = jointSums(input, {counter::kL2ReadReturns});
    if (!reads.ok()) return cannotTell(reads.missing);
    if (!q.dramRead.has()) return cannotTell(q.dramRead.missing);
    if (!(q.dramRead->value > 0)) return NotApplicable{};
    const double reuse = reads.mean(0) * kSectorBytes / q.dramRead->value;
    if (reuse < kLeastReuse) return NotApplicable{};
    const double stays =
        std::max({kRemains * path->busy, tensor->busy, resources.busy(ResourceId::Dram)});
    // If the path is not the limit, only the time in which it is busy can shrink.
    const double most = path->busy >= kBusyShare ? 1.0 - stays : path->busy * (1.0 - kRemains);
    const double gain = limitToEmptyLaunch(input, std::max(0.0, std::min(most, 1.0 - stays)));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeEstimate(input, gain);
    finding.relief = relieves({ResourceId::L1, ResourceId::SharedPipe, ResourceId::L2,
                               ResourceId::Issue, ResourceId::Integer});
    finding.args = {arg("tensor", tensor->busy, Unit::Share), arg("path", path->busy, Unit::Share),
                    arg("resource", path->id == ResourceId::L2 ? Words("the L2")
                                                               : Words("the L1 and shared memory")),
                    arg("reuse", reuse, Unit::Count)};
    finding.evidence = {{.label = Words("tensor pipe"),
                         .formula = q.tensorUtilisation.how,
                         .value = tensor->busy,
                         .unit = Unit::Share,
                         .threshold = kMostTensor},
                        {.label = Words("path of the operands / tensor pipe"),
                         .formula = "busiest of L1, shared memory and L2 / tensor pipe",
                         .value = path->busy / tensor->busy,
                         .unit = Unit::Factor,
                         .threshold = kPathToTensor,
                         .healthy = 1.0}};
    finding.expected = movementOf(counter::kL2ReadReturns, reads.mean(0), reads.mean(0) * kRemains);
    return finding;
}

}  // namespace

extern const Rule small_tiles;
const Rule small_tiles{
    .id = "small-tiles",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before =
        "wmma::load_matrix_sync(a, A + row * K + k, K);  // a warp, 16 x 16, from global memory",
    .after =
        "// a block: 128 x 128 results; k-steps of 64 through shared memory, copied ahead\n"
        "// (cuda::memcpy_async, 3 stages); a warp: 64 x 32 of them, its fragments in registers",
    .en = {.title = "Tiles too small for the tensor cores",
           .firesWhen =
               "The tensor pipe is busy for 5 % to 50 % of the time, the L1, shared memory or the "
               "L2 leads with at least 40 % and twice as much, each byte of the DRAM goes to the "
               "SMs at least twice, and there are few bank conflicts.",
           .sentence =
               "The tensor pipe is {tensor} busy and {resource}, by which its operands come, "
               "{path}; a byte from the DRAM goes to the SMs {reuse} times.",
           .mechanism =
               "A tile of m × n results reads m + n operands for m · n products: with 32 × 32, "
               "each operand is used 32 times, with 128 × 128 four times as often. Small tiles "
               "leave the tensor cores waiting for operands.",
           .edit = "Let a block compute 128 × 128 results or more in k-steps of 64, from operands "
                   "that it copies to shared memory ahead of time (three stages or more), a warp "
                   "64 × 32 of them; or call cuBLAS or CUTLASS for the product.",
           .ruledOut = "small tiles (tensor pipe {tensor} busy)",
           .gain = "(1 − the largest of tensor pipe, DRAM and a quarter of the path of the "
                   "operands) × duration",
           .editInTriton =
               "In Triton, use larger tiles: BLOCK_M 128, BLOCK_N 128 or 256, BLOCK_K 64, with 4 "
               "or 8 warps and 3 or 4 stages; let triton.autotune choose among such "
               "configurations, and order programs in groups that share operands in the L2."},
    .check = check,
    .explains = {"dominant-stall", "l2-tag-bound"},
    .causesStalls = {"long_scoreboard", "mio_throttle", "lg_throttle", "short_scoreboard",
                     "barrier", "wait"}};

}  // namespace roofscope::rules
