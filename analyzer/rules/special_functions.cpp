// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/busy_pipe.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kStalls[] = {"math_pipe_throttle", "mio_throttle", "short_scoreboard"};

/// Whether the unit does something else than functions of floats, which come with additions and
/// products.
bool worksOnIntegers(const RuleInput& input) {
    // For each of the unit's instructions, a function of floats takes at least this many
    // floating-point operations by thread, or this many instructions of the other pipes, integer
    // products included.
    constexpr double kFewOperations = 0.1, kFewInstructions = 0.75, kLanes = 32;
    const auto sums = jointSums(
        input, {counter::kSpecialFunctionInstructions, counter::kFp32Add, counter::kFp32Mul,
                counter::kFp32Fma, counter::kFp64Add, counter::kFp64Mul, counter::kFp64Fma,
                counter::kFp16Add, counter::kFp16Mul, counter::kFp16Fma});
    if (sums.ok()) {
        double operations = 0;
        for (std::size_t i = 1; i < sums.sums.size(); ++i) operations += sums[i];
        return operations < kFewOperations * kLanes * sums[0];
    }
    const auto pipes = jointSums(input, {counter::kSpecialFunctionInstructions,
                                         counter::kFmaInstructions, counter::kFp64Instructions});
    return pipes.ok() && pipes[1] + pipes[2] < kFewInstructions * pipes[0];
}

RuleResult check(const RuleInput& input) {
    // With fuller issue slots, a polynomial in place of a function gains nothing.
    constexpr double kFewSlots = 0.6;
    const WatchedPipe unit{.resource = ResourceId::SpecialFunction,
                           .utilisation = input.kernel.quantities.specialFunctionUtilisation,
                           .counter = counter::kSpecialFunctionPipe,
                           .instructions = counter::kSpecialFunctionInstructions,
                           .moved = moved::Value::SpecialFunctionPipe,
                           .stalls = kStalls,
                           .label = Words("special-function unit (XU) in use")};
    RuleResult result = checkBusyPipe(input, unit);
    auto* const finding = std::get_if<Finding>(&result);
    if (!finding || input.kernel.origin != KernelOrigin::Own) return result;
    if (!worksOnIntegers(input)) {
        if (issueOfOthers(input, unit).value_or(0) >= kFewSlots)
            finding->edit = Words(
                "Compute fewer elements, or keep results that repeat in a table; one reciprocal "
                "instead of several divisions, and factors folded into the argument of exp2f. "
                "Polynomials would not help, because the issue slots are nearly full, too.");
        return result;
    }
    finding->title = Words("Population counts, bit searches or conversions take the time");
    finding->edit = Words(
        "Do fewer __popc, __clz, __ffs or conversions, which share that unit (the kernel computes "
        "next to nothing with floats): derive counts from others (a total less the rest), add up "
        "bit planes before counting (carry-save adders), let tensor cores count (binary mma).");
    return result;
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
               "resource, the issue slots of other instructions included, by 10 points.",
           .sentence = "The special-function unit is {pipe} busy, nothing else more than {others} "
                       "(issue slots of its own instructions left out).",
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
           .gain = "(1 − busiest other resource, the issue slots of other instructions included) × "
                   "duration, at most the pipe's utilisation; what replaces the instructions is "
                   "not subtracted",
           .editInTriton =
               "In Triton, do fewer of them: tl.exp2 with the factor folded into its argument, one "
               "reciprocal instead of several divisions, tl.rsqrt instead of 1 / tl.sqrt, and none "
               "on values that are the same for the whole block."},
    .check = check,
    .canChangeVerdict = true};

}  // namespace roofscope::rules
