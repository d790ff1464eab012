// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/block_reduction.h"
#include "analyzer/diagnosis/busy_pipe.h"
#include "analyzer/diagnosis/sibling_code.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/language/sentence.h"
#include "analyzer/roofline/roofline.h"
#include "analyzer/source/integer_work.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kStalls[] = {"math_pipe_throttle"};

constexpr double kPercent = 100;

/// Memory accesses by instruction.
constexpr double kFewAccesses = 0.002;

/// The same as worksOnIntegers() from the hardware's counters, which are all that is read of long
/// kernels. The FP32 pipe does some moves and sums of integers, too.
bool worksOnIntegersByPipes(const RuleInput& input) {
    constexpr double kFewFma = 0.15, kFewFp64 = 0.01;
    const auto sums = jointSums(input, {counter::kWarpInstructionsAgain, counter::kLsuInstructions,
                                        counter::kFmaInstructions, counter::kFp64Instructions});
    return sums.ok() && sums[1] < kFewAccesses * sums[0] && sums[2] < kFewFma * sums[0] &&
           sums[3] < kFewFp64 * sums[0];
}

/// Whether integers are the kernel's work (a hash, a cipher, a game, random numbers) and not
/// addresses: it hardly accesses memory. Addresses by 64-bit division take 300 instructions for two
/// accesses.
/// Absent if that was not counted.
std::optional<bool> hardlyAccesses(const RuleInput& input) {
    constexpr double kLineBytes = 128;  // textures are not among the counted accesses
    const auto sums = jointSums(input, {counter::kWarpInstructions, counter::kGlobalInstructions,
                                        counter::kSharedInstructions, counter::kLocalSectors});
    const auto& l2 = input.kernel.quantities.l2Counted;
    if (!sums.ok()) return std::nullopt;
    return sums[1] + sums[2] + sums[3] < kFewAccesses * sums[0] &&
           !(l2.has() && l2->value > kFewAccesses * kLineBytes * sums.mean(0));
}

/// Whether a kernel computes (nearly) nothing with floats; absent if that was not counted.
std::optional<bool> computesNoFloats(const RuleInput& input) {
    constexpr double kFewOperations = 0.01, kLanes = 32;
    const auto sums = jointSums(
        input, {counter::kWarpInstructions, counter::kFp32Add, counter::kFp32Mul, counter::kFp32Fma,
                counter::kFp64Add, counter::kFp64Mul, counter::kFp64Fma, counter::kFp16Add,
                counter::kFp16Mul, counter::kFp16Fma});
    if (!sums.ok()) return std::nullopt;
    double operations = 0;
    for (std::size_t i = 1; i < sums.sums.size(); ++i) operations += sums[i];
    return operations < kFewOperations * kLanes * sums[0];
}

/// Whether integers are all of a kernel's work.
bool worksOnIntegers(const RuleInput& input) {
    const std::optional<bool> noFloats = computesNoFloats(input), few = hardlyAccesses(input);
    return noFloats && few ? *noFloats && *few : worksOnIntegersByPipes(input);
}

/// What fewer integer instructions relieve.
constexpr std::initializer_list<ResourceId> kOfIntegers{
    ResourceId::Issue, ResourceId::Integer, ResourceId::SpecialFunction, ResourceId::Fp32};

/// Whether instruction issue limits the kernel, and it computes nothing with floats: then what it
/// issues are integers, even if they are spread over several pipes (products and moves use those of
/// floats).
bool issuesOnlyIntegers(const RuleInput& input) {
    constexpr double kMostAccesses = 0.2;  // of the instructions
    const Quantities& q = input.kernel.quantities;
    const Resources resources = resourcesOf(q);
    const auto sums = jointSums(input, {counter::kWarpInstructions, counter::kGlobalInstructions,
                                        counter::kSharedInstructions});
    return input.kernel.origin == KernelOrigin::Own && !usesTensorCores(q) && sums.ok() &&
           sums[1] + sums[2] <= kMostAccesses * sums[0] &&
           computesNoFloats(input).value_or(false) &&
           resources.busy(ResourceId::Issue) >= kBusyShare &&
           resources.busy(ResourceId::Issue) >= resources.busiestExcept(kOfIntegers) + kLead;
}

/// What limits such a kernel, and what would be left of it.
RuleResult checkIssue(const RuleInput& input) {
    const Resources resources = resourcesOf(input.kernel.quantities);
    const double issue = std::min(1.0, resources.busy(ResourceId::Issue));
    const double others = resources.busiestExcept(kOfIntegers);
    const double gain = limitToEmptyLaunch(input, std::min(issue, 1.0 - others));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.relief = relieves({ResourceId::Issue, ResourceId::Integer});
    finding.args = {
        arg("what", wordsOf("Instructions are issued in {:.0f} % of the cycles, and hardly any of "
                            "them adds or multiplies floats",
                            kPercent * issue)),
        arg("others", others, Unit::Share)};
    finding.evidence = {
        {.label = Words("instruction issue"),
         .formula = input.kernel.quantities.issueUtilisation.how,
         .value = issue,
         .unit = Unit::Share,
         .threshold = kBusyShare},
        {.label = Words("busiest other resource"),
         .formula = "largest busy share of DRAM, L2, L1, shared memory and other pipes",
         .value = others,
         .unit = Unit::Share}};
    finding.expected =
        movementOf(counter::kWarpInstructions, *input.kernel.quantities.warpInstructions,
                   *input.kernel.quantities.warpInstructions * (1 - gain), Unit::Count);
    return finding;
}

/// The lines with the most integer instructions.
void namePlaces(const RuleInput& input, const SourceAnalysis& source, const IntegerWork& work,
                Finding& finding) {
    finding.places = worstPlaces(input.profile, source, Words("integer instructions"), work.all,
                                 [&](std::size_t row) { return work.perRow[row]; });
}

/// The edit, if machine code shows what the integers are for. Empty otherwise.
Words editBySource(const std::optional<IntegerWork>& work) {
    constexpr double kMuch = 0.15;                  // of all instructions
    constexpr double kMostly = 0.6, kHardly = 0.3;  // of integer instructions
    if (!work || !(work->all > 0)) return {};
    if (work->divisions >= kMuch)
        return wordsOf(
            "Avoid the divisions and remainders of integers by variables, about {:.0f} % of the "
            "instructions: a grid of two or three dimensions, indices that go on by addition, "
            "32-bit integers, constants, or reciprocals from the host.",
            kPercent * work->divisions);
    const double addresses = work->addresses / work->all;
    if (addresses >= kMostly)
        return wordsOf(
            "By the machine code, {:.0f} % of the integer instructions compute addresses: advance "
            "pointers by constants instead, use 32-bit indices, let each thread handle several "
            "neighbouring elements, and make strides compile-time constants.",
            kPercent * addresses);
    if (addresses <= kHardly)
        return wordsOf(
            "By the machine code, {:.0f} % of the integer instructions work on values, not on "
            "addresses: treat several at once (packed types, __dp4a, three-input logic, tables), "
            "and take what is the same for many elements out of the loop.",
            kPercent * (1 - addresses));
    return wordsOf(
        "By the machine code, {:.0f} % of the integer instructions compute addresses and the "
        "others work on values: let each thread use what it loads for several elements, load wider "
        "(int4), advance pointers by constants, and take what is the same for many elements out of "
        "the loop.",
        kPercent * addresses);
}

Words editOf(const RuleInput& input, bool own, const std::optional<IntegerWork>& work) {
    if (Words edit = blockReductionEdit(input); !edit.empty()) return edit;
    if (own)
        return Words(
            "The kernel computes with integers and hardly accesses memory: do fewer of these "
            "operations (fewer rounds, parts that do not change between calls computed once, "
            "32-bit in place of 64-bit integers, __dp4a, three-input logic).");
    if (input.kernel.origin == KernelOrigin::Own)
        if (Words edit = editBySource(work); !edit.empty()) return edit;
    if (hardlyAccesses(input).value_or(false))
        return Words(
            "The kernel hardly accesses memory, so these are no addresses but numbers (random "
            "ones, a hash, indices of a table): compute what is the same in all threads once, "
            "let each thread go on from its last value, and use 32-bit in place of 64-bit "
            "integers.");
    return Words(
        "If it is address arithmetic: take it out of the inner loop (advance a pointer by "
        "a constant), use 32-bit indices, replace / and % by a variable through shifts or "
        "precomputed reciprocals, let each thread handle several neighbouring elements, "
        "and make strides compile-time constants. If it is a hash or a random-number "
        "generator: call it less often, or take one with fewer rounds.");
}

RuleResult check(const RuleInput& input) {
    // At its roof, such a kernel does its work at full speed.
    constexpr double kNearRoof = 0.85;
    // Products wait for each other's halves, so their pipe is never as busy.
    constexpr double kProductsNearRoof = 0.75;
    const Quantities& q = input.kernel.quantities;
    const auto& use = integerUse(q);
    const bool own = worksOnIntegers(input), products = &use != &q.integerUtilisation;
    if (own && use.has() && use->value >= (products ? kProductsNearRoof : kNearRoof))
        return NotApplicable{};
    RuleResult result = checkBusyPipe(
        input,
        {.resource = ResourceId::Integer,
         .utilisation = use,
         .counter = products ? counter::kFmaHeavyPipe : counter::kIntegerPipe,
         .instructions = products ? counter::kFmaInstructions : counter::kIntegerInstructions,
         .moved = moved::Value::IntegerPipe,
         .stalls = kStalls,
         .label = products ? Words("pipe of integer products (FMA heavy) in use")
                           : Words("integer, logic and comparison pipe (ALU) in use")});
    if (auto* const finding = std::get_if<Finding>(&result))
        finding->args.push_back(
            arg("what", wordsOf("The pipe for integers, logic and comparisons is {:.0f} % busy",
                                kPercent * finding->args.front().value)));
    else if (!own && issuesOnlyIntegers(input))
        result = checkIssue(input);
    if (auto* const finding = std::get_if<Finding>(&result)) {
        const SourceAnalysis* source = ownOrSiblingCode(input.kernel);
        const auto work = source ? integerWork(input.profile, *source) : std::nullopt;
        if (work && work->all > 0) namePlaces(input, *source, *work, *finding);
        finding->args.push_back(arg("edit", editOf(input, own, work)));
    }
    return result;
}

}  // namespace

extern const Rule integer_arithmetic;
const Rule integer_arithmetic{
    .id = "integer-arithmetic",
    .category = "latency",
    .needs = {CounterGroup::Default, CounterGroup::Pipes},
    .before = "for (int k = 0; k < depth; ++k) sum += x[(row * depth + k) * stride + k % period];",
    .after =
        "const float* p = x + row * depth * stride;\nfor (int k = 0; k < depth; ++k, p += stride) "
        "sum += p[phase[k]];",
    .en = {.title = "Integer arithmetic takes the time",
           .firesWhen =
               "The pipe for integers, logic and comparisons (ALU) is at least 60 % busy and "
               "leads every other resource, the issue slots of other instructions included, by "
               "10 points. Or instructions are issued in 60 % of the cycles, lead by as much, and "
               "hardly any of them adds or multiplies floats.",
           .sentence = "{what}; nothing else is busier than {others}.",
           .mechanism = "Index arithmetic, bounds checks and bit operations run on a pipe of their "
                        "own. When it leads, the kernel computes addresses or bits, not results.",
           .edit = "{edit}",
           .ruledOut = "integer arithmetic (its pipe is {pipe} busy)",
           .gain = "(1 − busiest other resource, the issue slots of other instructions included) × "
                   "duration, at most the pipe's utilisation; what replaces the instructions is "
                   "not subtracted",
           .editInGeneral =
               "Take address arithmetic out of the inner loop, use 32-bit indices, let each thread "
               "handle several neighbouring elements. Call hashes and random-number generators "
               "less often. Blocks that reduce again and again: give each row to one warp.",
           .editInTriton = "In Triton, take address arithmetic out of the loop (advance the "
                           "pointers, or use tensor descriptors), keep offsets in 32 bits, avoid / "
                           "and % by values that are no tl.constexpr, and let each thread handle "
                           "more neighbouring elements (a larger BLOCK)."},
    .check = check,
    .namesLine = NamesLine::ByCounters,
    .canChangeVerdict = true};

}  // namespace roofscope::rules
