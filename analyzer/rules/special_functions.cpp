// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/busy_pipe.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kStalls[] = {"math_pipe_throttle", "mio_throttle", "short_scoreboard"};

RuleResult check(const RuleInput& input) {
    return checkBusyPipe(
        input, {.resource = ResourceId::SpecialFunction,
                .utilisation = input.kernel.quantities.specialFunctionUtilisation,
                .counter = counter::kSpecialFunctionPipe,
                .stalls = kStalls,
                .label = {"special-function unit (XU) in use", "特殊函数单元（XU）利用率"}});
}

}  // namespace

extern const Rule special_functions;
const Rule special_functions{
    .id = "special-functions",
    .category = "latency",
    .needs = {CounterGroup::Default, CounterGroup::Pipes},
    .before = "y[i] = expf(x[i] * scale) / sum;",
    .after = "y[i] = exp2f(x[i] * scaleLog2e) * inverseSum;  // one reciprocal per row",
    .en = {.title = "Special functions take the time",
           .firesWhen =
               "The special-function unit (XU) is at least 60 % busy and leads every other "
               "resource but instruction issue by 10 points.",
           .sentence = "The special-function unit is {pipe} busy, nothing else more than {others}.",
           .mechanism =
               "Exponentials, logarithms, sines, reciprocals, roots and conversions between "
               "integers and floats share one unit of 16 lanes per SM on most chips, a "
               "quarter to an eighth of the FP32 rate.",
           .edit =
               "Do fewer of them: one reciprocal instead of several divisions, rsqrtf instead of "
               "1 / sqrtf, exp2f with the factor folded into the argument, converted indices "
               "kept. Where the tolerance allows, compute some of them as polynomials on the "
               "FP32 pipe.",
           .ruledOut = "special functions (their unit is {pipe} busy)",
           .gain = "(1 − busiest other resource, issue aside) × duration, at most the pipe's "
                   "utilisation; what replaces the instructions is not subtracted",
           .editInTriton =
               "In Triton, do fewer of them: tl.exp2 with the factor folded into its argument, one "
               "reciprocal instead of several divisions, tl.rsqrt instead of 1 / tl.sqrt, and none "
               "on values that are the same for the whole block."},
    .zh =
        {.title = "时间花在特殊函数上",
         .firesWhen =
             "特殊函数单元（XU）利用率至少 60 %，并且比指令发射以外的其他资源都高出 10 个百"
             "分点。",
         .sentence = "特殊函数单元利用率 {pipe}，其他资源都不超过 {others}。",
         .mechanism =
             "指数、对数、正弦、倒数、开方以及整数与浮点之间的转换共用一个单元，多数芯片上每个 "
             "SM 每周期只处理 16 个线程，是 FP32 速率的四分之一到八分之一。",
         .edit =
             "减少这类运算：用一次倒数代替多次除法，用 rsqrtf 代替 1 / sqrtf，用 exp2f 并把系数并"
             "入自变量，保留已转换的下标。容差允许时，用 FP32 流水线上的多项式计算其中一部分。",
         .ruledOut = "特殊函数（其单元利用率 {pipe}）",
         .gain =
             "(1 − 除发射外的其他最忙资源) × 耗时，至多为该流水线利用率；替代指令所需时间未扣除",
         .editInTriton =
             "在 Triton 中减少这类运算：用 tl.exp2 并把系数并入自变量，用一次倒数代替多次除法，用 "
             "tl.rsqrt 代替 1 / tl.sqrt，对整个分块相同的值不要逐元素计算。"},
    .check = check,
    .canChangeVerdict = true};

}  // namespace roofscope::rules
