// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/busy_pipe.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kStalls[] = {"math_pipe_throttle", "mio_throttle", "short_scoreboard"};

RuleResult check(const RuleInput& input) {
    return checkBusyPipe(input, {.resource = ResourceId::SpecialFunction,
                                 .utilisation = input.kernel.quantities.specialFunctionUtilisation,
                                 .counter = counter::kSpecialFunctionPipe,
                                 .moved = moved::Value::SpecialFunctionPipe,
                                 .stalls = kStalls,
                                 .label = Words("special-function unit (XU) in use")});
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
    .check = check,
    .canChangeVerdict = true};

}  // namespace roofscope::rules
