// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/busy_pipe.h"
#include "analyzer/language/sentence.h"
#include "analyzer/source/source_analysis.h"

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

/// What an instruction of the machine code is to the special-function unit.
enum class UnitWork {
    None,
    Function,  ///< one that no cheaper instruction replaces
    Other      ///< a reciprocal, a conversion, a count or a search of bits
};

UnitWork unitWorkOf(std::string_view opcode) {
    constexpr std::array kFunctions{"MUFU.RSQ", "MUFU.SQRT", "MUFU.SIN", "MUFU.COS",
                                    "MUFU.EX2", "MUFU.LG2",  "MUFU.TANH"};
    constexpr std::array kOthers{"MUFU", "F2I", "I2F", "F2F", "FRND", "POPC", "FLO", "BREV"};
    // "MUFU.EX2.F16" begins with "MUFU.EX2"; "MUFU.RSQ64H" is the start of a root in FP64.
    const auto is = [opcode](std::string_view name) {
        return opcode.starts_with(name) &&
               (opcode.size() == name.size() || opcode[name.size()] == '.');
    };
    if (std::ranges::any_of(kFunctions, is)) return UnitWork::Function;
    return std::ranges::any_of(kOthers, is) ? UnitWork::Other : UnitWork::None;
}

/// Whether the machine code shows that the unit does hardly anything but functions that no cheaper
/// instruction replaces. Without counts of executions, samples stand for them.
bool isOfFunctions(const RuleInput& input) {
    constexpr double kHardly = 0.1;
    const SourceAnalysis* const source = input.kernel.source.get();
    if (!source || !source->hasSass) return false;
    const bool counted = source->total.executed.value_or(0) > 0;
    if (!counted && !source->stalls.enough()) return false;
    double functions = 0, others = 0;
    for (std::size_t row = 0; row < source->facts.size(); ++row) {
        const UnitWork work = unitWorkOf(source->facts[row].opcode);
        if (work == UnitWork::None) continue;
        const double weight =
            counted ? source->perRow[row].executed.value_or(0) : source->stalls.perRow[row];
        (work == UnitWork::Function ? functions : others) += weight;
    }
    return functions > 0 && others <= kHardly * (functions + others);
}

/// The share of the functions that polynomials should compute so that the unit is as busy as the
/// busiest other resource. A warp instruction takes the unit 8 cycles of an SM's quarter, and one
/// issue slot; a polynomial takes kPolynomial slots.
double balancedShare(const RuleInput& input, double busy) {
    constexpr double kPolynomial = 10, kCycles = 8;
    const Resources resources = resourcesOf(input.kernel.quantities);
    const double others =
        std::max(std::min(1.0, resources.busy(ResourceId::Issue)),
                 resources.busiestExcept({ResourceId::SpecialFunction, ResourceId::Issue}));
    return std::max(0.0, busy - others) / (busy + busy / kCycles * (kPolynomial - 1));
}

/// The answer for a kernel whose functions fill the unit.
RuleResult atLimit(const RuleInput& input, Finding finding, double busy) {
    const double share = balancedShare(input, busy);
    const double gain = limitToEmptyLaunch(input, share);
    if (gain < kLeastReportedGain)
        return RuledOut{.args = {arg("pipe", busy, Unit::Share)}, .cost = gain};
    Finding balanced = makeFinding(
        input, gain,
        Words("(u − v) / (u + u / 8 × 9) × duration: as many functions as polynomials of 10 "
              "instructions as makes the special-function unit (u) and the busiest other "
              "resource (v, instruction issue included) equally busy"));
    balanced.estimate = true;
    balanced.title = Words("The special-function unit is near its limit");
    balanced.edit = wordsOf(
        "The kernel is near the limit of this unit: hardly anything but roots, sines, exponentials "
        "and logarithms runs there, and no instruction computes these more cheaply. Compute a part "
        "of them as polynomials on the FP32 pipe, about {} % of them; fewer only by another "
        "method.",
        static_cast<int>(std::lround(100 * share)));
    balanced.relief = relieves({ResourceId::SpecialFunction});
    balanced.args = std::move(finding.args);
    balanced.evidence = std::move(finding.evidence);
    const auto sums = jointSums(input, {counter::kSpecialFunctionInstructions});
    if (sums.ok())
        balanced.expected = movementOf(counter::kSpecialFunctionInstructions, sums.mean(0),
                                       (1 - share) * sums.mean(0));
    return balanced;
}

RuleResult check(const RuleInput& input) {
    constexpr double kNearLimit = 0.85;
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
        if (const double busy = std::min(1.0, unit.utilisation->value);
            busy >= kNearLimit && isOfFunctions(input))
            return atLimit(input, std::move(*finding), busy);
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
