// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/sentence.h"

namespace roofscope::rules {

namespace {

/// Compilers leave a few pairs unfused on purpose (order of rounding, reductions). Below a tenth of
/// the instructions, nothing is worth touching.
constexpr double kLeastFusable = 0.10;

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const bool fp64 = input.kernel.verdict.limiter == ResourceId::Fp64;
    const Precision precision = fp64 ? Precision::Fp64 : Precision::Fp32;
    const ResourceId pipe = fp64 ? ResourceId::Fp64 : ResourceId::Fp32;
    const auto& fusable = q.fusableShare[precision];
    if (fusable.notApplicable()) return NotApplicable{};
    if (!fusable.has()) return cannotTell(fusable.missing);
    const Resources resources = resourcesOf(q);
    if (!resources.find(pipe)) return cannotTell(q.pipeUtilisation[precision].missing);
    const double busy = std::min(1.0, resources.busy(pipe));
    // Issue slots shrink with the instructions, so they do not limit the gain.
    const double gain = limitToEmptyLaunch(
        input, std::max(0.0, std::min(fusable->value * busy,
                                      1.0 - resources.busiestExcept({pipe, ResourceId::Issue}))));
    // Only for a kernel that waits for this pipe: elsewhere the instructions cost nothing.
    if (fusable->value < kLeastFusable || busy < kBusyShare || gain < kLeastReportedGain)
        return RuledOut{
            .args = {arg("fusable", fusable->value, Unit::Share), arg("pipe", busy, Unit::Share),
                     arg("precision", Words::lasting(toString(precision)))},
            .cost = gain};
    Finding finding = makeEstimate(input, gain);
    finding.relief = {{pipe, 1.0 - fusable->value}, {ResourceId::Issue, 0.0}};
    finding.args = {arg("precision", Words::lasting(toString(precision))),
                    arg("fusable", fusable->value, Unit::Share),
                    arg("fused", q.fusedShare[precision]->value, Unit::Share),
                    arg("pipe", busy, Unit::Share)};
    finding.evidence = {{.label = Words("instructions that fusing could save, upper bound"),
                         .formula = fusable.how,
                         .value = fusable->value,
                         .unit = Unit::Share,
                         .threshold = kLeastFusable,
                         .healthy = 0.0},
                        {.label = wordsOf("{} pipe utilisation", toString(precision)),
                         .formula = q.pipeUtilisation[precision].how,
                         .value = busy,
                         .unit = Unit::Share,
                         .threshold = kBusyShare}};
    finding.expected = {{.counter = Words::lasting("fma / (add + mul + fma)"),
                         .what = moved::FusedShare{precision},
                         .from = q.fusedShare[precision]->value,
                         .to = 1.0,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule unfused_fma;
const Rule unfused_fma{
    .id = "unfused-fma",
    .category = "latency",
    .needs = {CounterGroup::Default},
    .before = "float t = a * b;\nsum = __fadd_rn(sum, t);",
    .after = "sum = fmaf(a, b, sum);",
    .en = {.title = "Unfused multiplications and additions",
           .firesWhen =
               "The FP32 or FP64 pipe is at least 60 % busy, and pairs of separate additions and "
               "multiplications make up at least 10 % of its instructions.",
           .sentence = "The {precision} pipe is {pipe} busy, but only {fused} of its instructions "
                       "are fused multiply-adds; fusing could save up to {fusable} of them.",
           .mechanism =
               "A fused multiply-add does two operations in one instruction slot. Separate "
               "multiplications and additions take two.",
           .edit =
               "Check that the program is not built with --fmad=false and does not use __fmul_rn "
               "and __fadd_rn; otherwise write a·b + c in one expression or call fmaf(a, b, c). "
               "Results change in the last bit: compare within the tolerance.",
           .ruledOut = "unfused arithmetic ({fusable} of the {precision} instructions could be "
                       "fused away, pipe {pipe} busy)",
           .gain = "min(min(add, mul) / (add + mul + fma) × pipe utilisation, 1 − busiest other "
                   "resource) × duration"},
    .check = check};

}  // namespace roofscope::rules
