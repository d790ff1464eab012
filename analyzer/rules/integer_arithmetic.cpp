// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>
#include <variant>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/block_reduction.h"
#include "analyzer/diagnosis/busy_pipe.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kStalls[] = {"math_pipe_throttle"};

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

/// Whether a kernel does nothing but that: it computes nothing with floats.
bool worksOnIntegers(const RuleInput& input) {
    constexpr double kFewOperations = 0.01, kLanes = 32;
    const auto sums = jointSums(
        input, {counter::kWarpInstructions, counter::kFp32Add, counter::kFp32Mul, counter::kFp32Fma,
                counter::kFp64Add, counter::kFp64Mul, counter::kFp64Fma, counter::kFp16Add,
                counter::kFp16Mul, counter::kFp16Fma});
    const std::optional<bool> few = hardlyAccesses(input);
    if (!sums.ok() || !few) return worksOnIntegersByPipes(input);
    double operations = 0;
    for (std::size_t i = 1; i < sums.sums.size(); ++i) operations += sums[i];
    return *few && operations < kFewOperations * kLanes * sums[0];
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
    if (auto* const finding = std::get_if<Finding>(&result)) {
        Words edit = blockReductionEdit(input);
        if (edit.empty() && own)
            edit = Words(
                "The kernel computes with integers and hardly accesses memory: do fewer of these "
                "operations (fewer rounds, parts that do not change between calls computed once, "
                "32-bit in place of 64-bit integers, __dp4a, three-input logic).");
        if (edit.empty() && hardlyAccesses(input).value_or(false))
            edit = Words(
                "The kernel hardly accesses memory, so these are no addresses but numbers (random "
                "ones, a hash, indices of a table): compute what is the same in all threads once, "
                "let each thread go on from its last value, and use 32-bit in place of 64-bit "
                "integers.");
        if (edit.empty())
            edit = Words(
                "If it is address arithmetic: take it out of the inner loop (advance a pointer by "
                "a constant), use 32-bit indices, replace / and % by a variable through shifts or "
                "precomputed reciprocals, let each thread handle several neighbouring elements, "
                "and make strides compile-time constants. If it is a hash or a random-number "
                "generator: call it less often, or take one with fewer rounds.");
        finding->args.push_back(arg("edit", std::move(edit)));
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
               "10 points.",
           .sentence = "The pipe for integers, logic and comparisons is {pipe} busy, nothing else "
                       "more than {others}.",
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
    .canChangeVerdict = true};

}  // namespace roofscope::rules
