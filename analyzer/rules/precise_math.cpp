// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/sibling_code.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/language/joined_sentences.h"
#include "analyzer/language/sentence.h"
#include "analyzer/source/math_functions.h"
#include "analyzer/source/source_analysis.h"
#include "analyzer/source/stalls.h"

namespace roofscope::rules {

namespace {

/// Below a fifth of the instructions, other work decides.
constexpr double kLeastInstructions = 0.20;
/// An FP32 function of CUDA's library needs one instruction of the special-function unit in 10 to
/// 60. Without these, there is no such function.
constexpr double kLeastSpecial = 0.10;

/// Where nothing is near its limit, but instructions are issued in this share of the cycles, warps
/// mostly wait for one instruction after the other. Fewer of them are less time, if they are a
/// large part.
constexpr double kMuchIssue = 0.4, kLeastInChain = 0.4, kWaitsForMemory = 0.3;

/// Whether instructions are waited for, one after the other, and memory is not.
bool isChainOfInstructions(const Profile& profile, const KernelAnalysis& kernel) {
    const Quantities& q = kernel.quantities;
    if (stallsOf(profile, kernel).shareOf("long_scoreboard") >= kWaitsForMemory) return false;
    return kernel.verdict.cls == VerdictClass::LatencyBound && q.issueUtilisation.has() &&
           q.issueUtilisation->value >= kMuchIssue &&
           resourcesOf(q).busiestExcept({ResourceId::Issue, ResourceId::Fp32, ResourceId::Fp64,
                                         ResourceId::Fp16, ResourceId::Integer,
                                         ResourceId::SpecialFunction}) < q.issueUtilisation->value;
}

/// Functions in double precision take integer and logic instructions, too; a loop of multiply-adds
/// hardly does.
bool isNearlyAllFp64(const RuleInput& input) {
    constexpr double kNearlyAll = 0.75;
    const auto sums = jointSums(input, {counter::kFp64Add, counter::kFp64Mul, counter::kFp64Fma,
                                        counter::kThreadInstructionsOn});
    return !sums.ok() || sums[0] + sums[1] + sums[2] >= kNearlyAll * sums[3];
}

struct MathEdit {
    Words edit;
    std::string before, after;
};

/// Powers with small whole exponents take a few products; 64 needs six.
constexpr double kHighestProduct = 64;

MathEdit editFor(const MathUse& use) {
    const bool twice = use.precision == Precision::Fp64;
    switch (use.function) {
        case MathFunction::Power:
            if (use.exponent && *use.exponent == std::round(*use.exponent) &&
                std::abs(*use.exponent) <= kHighestProduct)
                return {.edit = wordsOf("Multiply instead of calling pow with the exponent {:g}: "
                                        "square step by step (x2 = x * x, x4 = x2 * x2, …) and "
                                        "multiply the powers that are needed.",
                                        *use.exponent),
                        .before = "y = powf(x, 20.0f);",
                        .after =
                            "float x2 = x * x, x4 = x2 * x2, x16 = (x4 * x4) * (x4 * x4);\n"
                            "y = x16 * x4;"};
            return {.edit = Words("Replace pow: products and sqrt for fixed exponents; else "
                                  "__powf, or exp2f(y * __log2f(x)), where the result tolerates "
                                  "it. In double precision, use float if the result tolerates it."),
                    .before = "y = powf(x, 1.5f);",
                    .after = "y = x * sqrtf(x);"};
        case MathFunction::SineCosine:
            return {.edit = Words("Use __sinf and __cosf (or -use_fast_math) where the result "
                                  "tolerates an error of 2^-21 and arguments are small; sincosf "
                                  "where both are needed."),
                    .before = "y = sinf(x);",
                    .after = "y = __sinf(x);"};
        case MathFunction::Exponential:
        case MathFunction::Logarithm:
            if (twice) break;
            return {.edit = Words("Use __expf and __logf (or -use_fast_math) where the result "
                                  "tolerates it, and take factors that do not change out of the "
                                  "loop."),
                    .before = "y = expf(x);",
                    .after = "y = __expf(x);"};
        case MathFunction::Division:
        case MathFunction::SquareRoot:
            if (twice)
                return {.edit = Words("Divide once: compute the reciprocal outside of the loop and "
                                      "multiply by it, and 1 / sqrt(x) as rsqrt(x). Use float if "
                                      "the result tolerates it."),
                        .before = "y[i] = x[i] / (h * h);",
                        .after = "y[i] = x[i] * perArea;  // 1 / (h * h), computed once"};
            return {.edit = Words("Divide once: compute the reciprocal outside of the loop and "
                                  "multiply by it. Where the result tolerates it: __fdividef, "
                                  "rsqrtf(x) for 1 / sqrtf(x), -prec-div=false, -prec-sqrt=false."),
                    .before = "y[i] = x[i] / scale;",
                    .after = "y[i] = x[i] * perScale;  // 1 / scale, computed once"};
    }
    return {.edit = Words("Use float functions if the result tolerates it, and take factors that "
                          "do not change out of the loop."),
            .before = "y = exp(x);",
            .after = "y = expf(x);"};
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const Quantities& q = kernel.quantities;
    const bool limited = isLimitedByInstructions(kernel.verdict);
    if ((!limited && !isChainOfInstructions(input.profile, kernel)) || isForeign(kernel.origin))
        return NotApplicable{};
    const SourceAnalysis* source = ownOrSiblingCode(kernel);
    if (!source || !source->hasSass || !(source->issuedTotal > 0)) {
        const auto& special = q.specialFunctionUtilisation;
        const bool mayCall =
            kernel.verdict.limiter == ResourceId::Fp64
                ? !isNearlyAllFp64(input)
                : special.has() &&
                      special->value >= kLeastSpecial * (limited ? 1.0 : q.issueUtilisation->value);
        if (source || !mayCall) return NotApplicable{};
        return cannotTell(Words("what the instructions are spent on"), CounterGroup::Source);
    }
    const std::vector<MathUse> uses = mathUses(input.profile.sources[source->pass], *source);
    const double all = source->issuedTotal;
    double share = 0;
    for (const MathUse& use : uses) share += use.instructions / all;
    share = std::min(share, 1.0);
    if (uses.empty()) return NotApplicable{};
    const Resources resources = resourcesOf(q);
    const double others = resources.busiestExcept(
        {ResourceId::Issue, ResourceId::Fp32, ResourceId::Fp64, ResourceId::Fp16,
         ResourceId::Integer, ResourceId::SpecialFunction});
    // Only the functions that take most get an edit.
    constexpr std::size_t kMostEdits = 2;
    constexpr double kWorthAnEdit = 0.1;
    Words edits;
    double edited = 0;
    for (std::size_t i = 0; i < std::min(uses.size(), kMostEdits); ++i) {
        if (i > 0 && uses[i].instructions < kWorthAnEdit * all) break;
        edited += uses[i].instructions / all;
        edits = joinedSentences(edits, editFor(uses[i]).edit);
    }
    const double gain =
        limitToEmptyLaunch(input, std::max(0.0, std::min({edited, 1.0, 1.0 - others})));
    if (share < (limited ? kLeastInstructions : kLeastInChain) || gain < kLeastReportedGain)
        return RuledOut{.args = {arg("share", share, Unit::Share)}, .cost = gain};
    // What a call takes is an estimate, without what surrounds it.
    Finding finding = makeEstimate(input, gain);
    finding.relief = relieves({ResourceId::Issue, ResourceId::Fp32, ResourceId::Fp64,
                               ResourceId::Integer, ResourceId::SpecialFunction});
    constexpr std::size_t kMostNamed = 3;
    constexpr double kLeastNamed = 0.03;
    Words spent;
    for (std::size_t i = 0; i < std::min(uses.size(), kMostNamed); ++i) {
        const double part = 100 * std::min(1.0, uses[i].instructions / all);
        if (i > 0 && part < 100 * kLeastNamed) break;
        const Words one = wordsOf("{} {:.0f} %", nameOf(uses[i]), part);
        spent = spent.empty() ? one : wordsOf("{}, {}", spent, one);
    }
    MathEdit edit = editFor(uses.front());  // for the code
    finding.args = {arg("share", share, Unit::Share), arg("spent", std::move(spent)),
                    arg("edit", std::move(edits))};
    finding.before = std::move(edit.before);
    finding.after = std::move(edit.after);
    finding.evidence = {{.label = Words("instructions of precise math functions"),
                         .formula = "calls by their constants in the machine code × instructions "
                                    "of a call / " +
                                    (source->total.executed.value_or(0) > 0
                                         ? std::string(counter::kSassExecuted)
                                         : std::string("all that were issued, by samples")),
                         .value = share,
                         .unit = Unit::Share,
                         .threshold = limited ? kLeastInstructions : kLeastInChain}};
    if (const auto executed = source->total.executed; kernel.source && executed && *executed > 0)
        finding.expected = movementOf(counter::kWarpInstructions, *executed,
                                      *executed * (1.0 - std::min(1.0, edited)));
    double calls = 0;
    std::vector<double> ofRow(source->issued.size());
    for (const MathUse& use : uses)
        for (const std::size_t row : use.rows) {
            ofRow[row] = source->issued[row] * use.instructions / use.calls;
            calls += ofRow[row];
        }
    finding.places = worstPlaces(input.profile, *source, Words("instructions of math functions"),
                                 calls, [&ofRow](std::size_t row) { return ofRow[row]; });
    return finding;
}

}  // namespace

extern const Rule precise_math;
const Rule precise_math{
    .id = "precise-math",
    .category = "latency",
    .needs = {CounterGroup::Default, CounterGroup::Source},
    .helpedBy = {CounterGroup::Pipes},
    .before = "y = powf(x, 20.0f);",
    .after = "float x2 = x * x, x4 = x2 * x2, x16 = (x4 * x4) * (x4 * x4);\ny = x16 * x4;",
    .en = {.title = "Precise math functions take the instructions",
           .firesWhen = "Instruction issue or an arithmetic pipe limits the kernel, and at least a "
                        "fifth of its instructions are those of pow, sine, cosine, exp, log, "
                        "division or square root with IEEE accuracy; or nothing is near its "
                        "limit, instructions are issued in 40 % of the cycles, and two fifths are "
                        "such.",
           .sentence = "About {share} of the instructions are those of precise math functions: "
                       "{spent}.",
           .mechanism = "A function of CUDA's math library is exact to the last bit or two and "
                        "takes all arguments: powf is about 60 instructions, sinf 27, a division "
                        "9, and about 110 for pow in double precision. A product is one.",
           .edit = "{edit}",
           .ruledOut = "precise math functions (about {share} of the instructions)",
           .gain =
               "min(share of the instructions of the functions that the edit names, 1 − busiest "
               "of memory) × duration; what replaces them is not subtracted",
           .editInGeneral = "Products instead of pow with a small whole exponent, __sinf, __expf "
                            "or -use_fast_math where the result tolerates it, one reciprocal "
                            "instead of many divisions, float instead of double functions."},
    .check = check,
    .namesLine = NamesLine::ByCounters,
    .canBeatItsRoof = true};

}  // namespace roofscope::rules
