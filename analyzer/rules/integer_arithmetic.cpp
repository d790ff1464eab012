// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counter_names.h"
#include "analyzer/rule_support.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kId = "integer-arithmetic";

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const Resources resources = resourcesOf(q);
    const Resource* pipe = resources.find(ResourceId::Integer);
    if (!pipe) {
        // Only a kernel that waits for instructions and not for a known pipe leaves room for this
        // one; others are explained without it.
        const std::string& limiter = input.kernel.verdict.limiter;
        if (limiter != "instruction issue") return NotApplicable{};
        return cannotTell(
            kId, q.integerUtilisation.missing,
            Words("record with the counter group \"pipes\"", "录制时加上计数器组 \"pipes\""));
    }
    const double busy = std::min(1.0, pipe->busy);
    const double others = resources.busiestExcept({ResourceId::Integer, ResourceId::Issue});
    const RuledOut ruledOut{.ruleId = std::string(kId), .args = {arg("pipe", busy, Unit::Share)}};
    if (busy < kBusyShare || busy < others + kLead) return ruledOut;
    // Whatever replaces the instructions takes issue slots again: those are not counted as gained.
    const double gain = aboveEmptyLaunch(input, std::min(busy, 1.0 - others));
    if (gain < kWorthNaming) return ruledOut;
    Finding finding = makeFinding(
        input, kId, gain,
        {"(1 − busiest other resource, issue aside) × duration, at most the pipe's utilisation; "
         "what "
         "replaces the instructions is not subtracted",
         "(1 − 除发射外的其他最忙资源) × 耗时，至多为该流水线利用率；替代指令所需时间未扣除"});
    finding.args = {arg("pipe", busy, Unit::Share), arg("others", others, Unit::Share)};
    finding.evidence = {
        {.label = {"integer, logic and comparison pipe (ALU) in use",
                   "整数、逻辑与比较流水线（ALU）利用率"},
         .formula = q.integerUtilisation.how,
         .value = busy,
         .unit = Unit::Share,
         .threshold = kBusyShare,
         .healthy = std::nullopt},
        {.label = {"busiest other resource, issue aside", "除发射外的其他最忙资源"},
         .formula = "largest busy share of DRAM, L2, L1, shared memory and other pipes",
         .value = others,
         .unit = Unit::Share,
         .threshold = std::nullopt,
         .healthy = std::nullopt}};
    finding.expected = {{.counter = Words::same(std::string(counter::kIntegerPipe)),
                         .from = busy,
                         .to = others,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule integer_arithmetic;
const Rule integer_arithmetic{
    .id = kId,
    .category = "latency",
    .needs = "default, pipes",
    .before = "for (int k = 0; k < depth; ++k) sum += x[(row * depth + k) * stride + k % period];",
    .after =
        "const float* p = x + row * depth * stride;\nfor (int k = 0; k < depth; ++k, p += stride) "
        "sum += p[phase[k]];",
    .en = {.title = "Integer arithmetic takes the time",
           .firesWhen =
               "The pipe for integers, logic and comparisons (ALU) is at least 60 % busy and "
               "leads every other resource but instruction issue by 10 points.",
           .sentence = "The pipe for integers, logic and comparisons is {pipe} busy, nothing else "
                       "more than {others}.",
           .mechanism = "Index arithmetic, bounds checks and bit operations run on a pipe of their "
                        "own. When it leads, the kernel computes addresses or bits, not results.",
           .edit =
               "If it is address arithmetic: take it out of the inner loop (advance a pointer by "
               "a constant), use 32-bit indices, replace / and % by a variable through shifts or "
               "precomputed reciprocals, let each thread handle several neighbouring elements, "
               "and make strides compile-time constants.",
           .ruledOut = "not integer arithmetic (its pipe is {pipe} busy)"},
    .zh =
        {.title = "时间花在整数运算上",
         .firesWhen =
             "整数、逻辑与比较流水线（ALU）利用率至少 60 %，并且比指令发射以外的其他资源都高"
             "出 10 个百分点。",
         .sentence = "整数、逻辑与比较流水线利用率 {pipe}，其他资源都不超过 {others}。",
         .mechanism =
             "下标计算、越界检查和位运算在单独的流水线上执行。它成为最忙资源时，内核在算地址"
             "或位，而不是在算结果。",
         .edit =
             "如果是地址计算：把它移出内层循环（指针按常量递增），使用 32 位下标，用移位或预先算好"
             "的倒数代替对变量的 / 和 %，让每个线程处理多个相邻元素，并把步长写成编译期常量。",
         .ruledOut = "不是整数运算的问题（其流水线利用率 {pipe}）"},
    .check = check};

}  // namespace roofscope::rules
