// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

namespace {

/// Data-centre chips do half as many FP64 operations as FP32 operations, others a 32nd or a 64th.
/// With an eighth or less, a chip is not made for FP64.
constexpr double kWeak = 8.0;

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const auto& peaks = deviceOf(input).peaks;
    const auto single = peaks.find(std::string(counter::kFp32Peak));
    const auto twice = peaks.find(std::string(counter::kFp64Peak));
    if (input.kernel.verdict.limiter != ResourceId::Fp64) {
        if (!q.flops[Precision::Fp64].has() || !(q.flops[Precision::Fp64]->value > 0) ||
            single == peaks.end() || twice == peaks.end() ||
            !(single->second >= kWeak * twice->second))
            return NotApplicable{};
        const double use = resourcesOf(q).busy(ResourceId::Fp64);
        return RuledOut{.args = {arg("pipe", use, Unit::Share)}, .cost = use};
    }
    if (single == peaks.end() || twice == peaks.end() || !(twice->second > 0))
        return cannotTell(
            std::string(single == peaks.end() ? counter::kFp32Peak : counter::kFp64Peak));
    if (!q.flops[Precision::Fp64].has()) return cannotTell(q.flops[Precision::Fp64].missing);
    const double factor = single->second / twice->second;
    if (factor < kWeak) return NotApplicable{};
    const Resources resources = resourcesOf(q);
    const double busy = std::min(1.0, resources.busy(ResourceId::Fp64));
    // The pipe also holds up issue slots, and the FP32 pipe takes over the work. If the data is
    // double as well, half of its bytes go.
    const double moved = resources.busiestExcept(
        {ResourceId::Fp64, ResourceId::Fp32, ResourceId::Fp16, ResourceId::Tensor,
         ResourceId::Integer, ResourceId::SpecialFunction, ResourceId::Issue});
    const double others = std::max(
        moved / 2, resources.busiestExcept({ResourceId::Fp64, ResourceId::Issue, ResourceId::Dram,
                                            ResourceId::L2, ResourceId::L2Tags, ResourceId::L1,
                                            ResourceId::SharedPipe}));
    const double gain = limitToEmptyLaunch(
        input, std::max(0.0, std::min(busy * (1.0 - 1.0 / factor), 1.0 - others)));
    if (gain < kLeastReportedGain)
        return RuledOut{.args = {arg("pipe", busy, Unit::Share)}, .cost = gain};
    Finding finding = makeFinding(input, gain);
    finding.args = {arg("pipe", busy, Unit::Share), arg("factor", factor, Unit::Factor)};
    finding.relief = {{ResourceId::Fp64, 1.0 / factor},
                      {ResourceId::Dram, 0.5},
                      {ResourceId::L2, 0.5},
                      {ResourceId::L1, 0.5},
                      {ResourceId::SharedPipe, 0.5},
                      {ResourceId::Issue, 0.0}};
    finding.evidence = {
        {.label = Words("FP64 pipe utilisation"),
         .formula = q.pipeUtilisation[Precision::Fp64].how,
         .value = busy,
         .unit = Unit::Share,
         .threshold = kBusyShare},
        {.label = Words("FP32 operations in the time of one FP64 operation"),
         .formula = std::string(counter::kFp32Peak) + " / " + std::string(counter::kFp64Peak),
         .value = factor,
         .unit = Unit::Factor,
         .threshold = kWeak,
         .healthy = 2.0}};
    // The pipe's use comes from the same counters, so the operations are known.
    finding.expected = {{.counter = Words("FP64 operations"),
                         .what = moved::Operations{Precision::Fp64},
                         .from = q.flops[Precision::Fp64]->value,
                         .to = 0.0,
                         .unit = Unit::Count}};
    return finding;
}

}  // namespace

extern const Rule fp64_on_weak_fp64;
const Rule fp64_on_weak_fp64{
    .id = "fp64-on-weak-fp64",
    .category = "latency",
    .needs = {CounterGroup::Default},
    .before = "y[i] = 0.5 * x[i] * (1.0 + tanh(x[i]));  // float x: the literals make it double",
    .after = "y[i] = 0.5f * x[i] * (1.0f + tanhf(x[i]));",
    .en = {.title = "FP64 arithmetic on a GPU with few FP64 units",
           .firesWhen = "The FP64 pipe is what limits the kernel (at least 60 % busy), and the GPU "
                        "does at least 8 times as many FP32 operations in the same time.",
           .sentence = "The FP64 pipe is {pipe} busy, and this GPU does {factor} as many FP32 "
                       "operations in the same time.",
           .mechanism = "GPUs that are not made for data centres have very few FP64 units; one "
                        "literal without an f turns a whole expression into double.",
           .edit = "Where the result tolerates it use float: write literals with f (0.5f), call "
                   "sinf, expf, sqrtf, and look for double in templates and accumulators. Sums "
                   "that need more bits can be compensated (Kahan) or kept as two floats.",
           .ruledOut = "FP64 arithmetic (its pipe is {pipe} busy)",
           .gain = "min(FP64 pipe utilisation × (1 − FP64 rate / FP32 rate), 1 − busiest other "
                   "resource, memory at half) × duration: as if all of it were done in FP32"},
    .check = check,
    .changesDataTypes = true};

}  // namespace roofscope::rules
