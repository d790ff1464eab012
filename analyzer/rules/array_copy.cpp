// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/roofline/resources.h"

namespace roofscope::rules {

namespace {

/// Loaded and stored bytes of a copy are equal but for its edges.
constexpr double kEqual = 0.01;
/// Floating-point operations per byte; a copy has none, a scaled copy at least 1/16.
constexpr double kNoArithmetic = 0.005;
/// Instructions for each load and store: address, bounds, a loop. A kernel that computes with
/// integers on the way, such as a sort or a prefix sum, takes more.
constexpr double kPerAccess = 16;
/// A smaller copy fits the caches, and its launch costs more than its bytes.
constexpr double kLeastBytes = 1e6;

/// Counters do not tell a copy from a reordering, or from integers that are computed; the name
/// does.
bool namesAnExchange(std::string name) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    // These change the order, take a part of an array, or change its bytes.
    for (const std::string_view other :
         {"transpose", "permute", "axes", "halo", "pack", "border", "boundary", "byte", "endian"})
        if (has(other)) return false;
    return has("swap") || has("copy") || has("exchange");
}

bool onlyMoves(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const auto sums = jointSums(
        input, {counter::kGlobalLoadBytes, counter::kGlobalStoreBytes, counter::kGlobalInstructions,
                counter::kGlobalLoads, counter::kGlobalStores, counter::kWarpInstructions,
                counter::kSharedLoads, counter::kSharedStores, counter::kAsyncCopies});
    if (!sums.ok()) return false;
    const double loaded = sums.mean(0), stored = sums.mean(1);
    double operations = 0;
    for (const Precision precision : {Precision::Fp64, Precision::Fp32}) {
        if (!q.flops[precision].has()) return false;
        operations += q.flops[precision]->value;
    }
    const bool atomics = sums.mean(2) > sums.mean(3) + sums.mean(4);
    const bool shared = sums.mean(6) + sums.mean(7) + sums.mean(8) > 0;
    return stored >= kLeastBytes && std::abs(loaded - stored) <= kEqual * stored && !atomics &&
           !shared && operations <= kNoArithmetic * (loaded + stored) &&
           sums.mean(5) <= kPerAccess * (sums.mean(3) + sums.mean(4));
}

/// Whether other kernels of the program use a buffer of this one: one of them made the data that it
/// copies, or reads the copy.
bool othersUseItsBuffers(const RuleInput& input) {
    const Profile& profile = input.profile;
    const auto buffersOf = [&profile](const Launch& launch) {
        return launch.arguments ? profile.argumentLists[*launch.arguments]
                                : std::span<const BufferArgument>();
    };
    const Launch& own = profile.launches[input.kernel.group.launches.front()];
    const auto mine = buffersOf(own);
    return !mine.empty() && std::ranges::any_of(profile.launches, [&](const Launch& other) {
        return other.process == own.process && other.kernel != own.kernel &&
               std::ranges::any_of(buffersOf(other), [&](const BufferArgument& argument) {
                   return std::ranges::find(mine, argument.buffer, &BufferArgument::buffer) !=
                          mine.end();
               });
    });
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const auto& limiter = kernel.verdict.limiter;
    const bool waits = kernel.verdict.cls == VerdictClass::LatencyBound;
    if (kernel.origin != KernelOrigin::Own || !(duration(input) > 0) ||
        (!waits && limiter != ResourceId::Dram && limiter != ResourceId::L2) ||
        kernel.group.launches.size() < 2 || !namesAnExchange(kernel.name) || !onlyMoves(input) ||
        !othersUseItsBuffers(input))
        return NotApplicable{};
    Finding finding = makeFinding(input, 1.0);
    finding.relief = relieves({ResourceId::Dram, ResourceId::L2, ResourceId::L1,
                               ResourceId::SharedPipe, ResourceId::Issue});
    const auto moved = jointSums(input, {counter::kGlobalLoadBytes, counter::kGlobalStoreBytes});
    finding.args = {arg("bytes", moved.ok() ? moved.mean(0) : 0, Unit::Bytes)};
    finding.evidence = {{.label = Words("bytes loaded per byte stored"),
                         .formula = std::string(counter::kGlobalLoadBytes) + " / " +
                                    std::string(counter::kGlobalStoreBytes),
                         .value = moved.ok() && moved[1] > 0 ? moved[0] / moved[1] : 1.0,
                         .unit = Unit::Factor}};
    return finding;
}

}  // namespace

extern const Rule array_copy;
const Rule array_copy{
    .id = "array-copy",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "step<<<grid, block>>>(next, now);\nswapArrays<<<grid, block>>>(next, now);",
    .after = "step<<<grid, block>>>(next, now);\nstd::swap(next, now);  // the pointers",
    .en =
        {.title = "A kernel that only copies arrays",
         .firesWhen =
             "The kernel is called swap, copy or exchange, DRAM or L2 limit it or nothing does, it "
             "stores as many bytes as it loads, computes nothing "
             "with floating-point numbers, has few other instructions, and other kernels are "
             "given its arrays.",
         .sentence = "Each launch loads {bytes}, stores as much and computes nothing with "
                     "floating-point numbers.",
         .mechanism = "Bytes that are only moved take as much of the memory's time as bytes that "
                      "are computed with. Two arrays that take turns as input and output need "
                      "no copy: only the pointers change.",
         .edit = "Exchange the pointers on the CPU instead of the arrays' contents "
                 "(std::swap(next, now) between the launches), or let the kernel before it "
                 "write to where the next one reads.",
         .ruledOut = "a copy of arrays",
         .gain = "duration"},
    .check = check,
    .editPlace = EditPlace::Program,
    .removesLaunch = true};

}  // namespace roofscope::rules
