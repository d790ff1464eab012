// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "analyzer/chains/buffer_access.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

namespace {

/// Loads of one thread. Shorter walks are done in the time that an index needs to be looked up.
constexpr double kLeastLoads = 1000;
/// How often warps load each byte of the launch's buffers. Each of them has 32 threads.
constexpr double kLeastWalks = 16;
/// All lanes read the same element, of at most 16 bytes, which lies in one sector.
constexpr double kOneSector = 1.1, kElementBytes = 16;
/// A search loads, compares and goes on. A loop that does more with each element needs them all.
constexpr double kMostInstructions = 10;
/// Neighbouring elements share a sector, which the L1 keeps. Loads that wait for a word to change
/// fetch it from the L2 each time.
constexpr double kMostFromL2 = 0.5;
/// Share of the loads: results may be added up in shared memory at the end.
constexpr double kHardly = 0.05;
/// With fewer lanes, it is one thread of a warp that reads.
constexpr double kMostLanes = 0.5;

/// The bytes that the launch can read: those of its buffers, if all are known (the largest of the
/// group's launches); else an upper bound from what came from the DRAM and may have been in the L2.
std::optional<double> readableBytes(const RuleInput& input) {
    const Profile& profile = input.profile;
    const Quantities& q = input.kernel.quantities;
    std::optional<double> bytes;
    if (const auto l2 = deviceOf(input).l2Bytes; l2 && q.dramRead.has() && q.stores.requested.has())
        bytes = q.dramRead->value + static_cast<double>(*l2) + q.stores.requested->value;
    const KernelBuffers buffersOf(input.kernel.fullName);
    double largest = 0;
    std::set<std::uint32_t> lists;
    for (const std::uint32_t row : input.kernel.group.launches) {
        const auto list = profile.launches[row].arguments;
        if (!list) return bytes;
        lists.insert(*list);
    }
    for (const std::uint32_t list : lists) {
        if (!buffersOf.access(profile.argumentLists[list]).known) return bytes;
        double sum = 0;
        std::set<std::uint32_t> seen;
        for (const BufferArgument& argument : profile.argumentLists[list])
            if (seen.insert(argument.buffer).second)
                sum += static_cast<double>(profile.buffers[argument.buffer].bytes);
        largest = std::max(largest, sum);
    }
    if (!(largest > 0)) return bytes;
    return bytes ? std::min(*bytes, largest) : largest;
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (input.kernel.origin != KernelOrigin::Own) return NotApplicable{};
    if (!q.loads.requested.has() || !q.loads.sectors.has() || !q.loads.requests.has() ||
        !q.l2Counted.has() || !q.warpInstructions.has() || !q.activeLanes.has())
        return NotApplicable{};
    const double requests = *q.loads.requests;
    const double warps = launchedWarps(input);
    if (!(requests >= kLeastLoads * warps)) return NotApplicable{};
    if (*q.loads.sectors > kOneSector * requests || q.activeLanes->value < kMostLanes ||
        q.loads.requested->value > kElementBytes * requests ||
        *q.warpInstructions > kMostInstructions * requests)
        return NotApplicable{};
    const double stored = q.stores.sectors.has() ? *q.stores.sectors : 0;
    if (q.l2Counted->value / 32.0 - stored > kMostFromL2 * *q.loads.sectors) return NotApplicable{};
    // Arithmetic on the elements, and tiles in shared memory, mean that all of them are needed.
    double operations = 0;
    for (const Precision precision : kPrecisions)
        if (q.flops[precision].has()) operations += q.flops[precision]->value;
    const auto shared = jointSums(input, {counter::kSharedInstructions});
    if (operations > kHardly * deviceOf(input).warpSize * requests || !shared.ok() ||
        shared.mean(0) > kHardly * requests)
        return NotApplicable{};
    const Resources resources = resourcesOf(q);
    if (resources.busiestExcept({ResourceId::Issue, ResourceId::L1, ResourceId::Integer}) >=
        kBusyShare)
        return NotApplicable{};
    const auto readable = readableBytes(input);
    if (!readable || q.loads.requested->value < kLeastWalks * *readable) return NotApplicable{};

    const double gain =
        limitToEmptyLaunch(input, std::max(0.0, 1.0 - resources.busy(ResourceId::Dram)));
    if (gain < kMinorShare) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.relief =
        relieves({ResourceId::L1, ResourceId::L2, ResourceId::Issue, ResourceId::Integer});
    const double perThread = requests / warps, walks = q.loads.requested->value / *readable;
    finding.args = {arg("loads", perThread, Unit::Count), arg("walks", walks, Unit::Count),
                    arg("requested", q.loads.requested->value, Unit::Bytes),
                    arg("readable", *readable, Unit::Bytes),
                    arg("instructions", *q.warpInstructions / requests, Unit::Count)};
    finding.evidence = {{.label = Words("loads of each thread"),
                         .formula = "global load instructions / warps of the grid",
                         .value = perThread,
                         .unit = Unit::Count,
                         .threshold = kLeastLoads},
                        {.label = Words("loads of each byte, by warps"),
                         .formula = "requested by global loads / bytes of the launch's buffers",
                         .value = walks,
                         .unit = Unit::Factor,
                         .threshold = kLeastWalks,
                         .healthy = 1.0},
                        {.label = Words("sectors per load (1: all lanes read the same element)"),
                         .formula = "sectors / warp instructions",
                         .value = *q.loads.sectors / requests,
                         .unit = Unit::Count,
                         .threshold = kOneSector}};
    finding.expected = {{.counter = Words::lasting(counter::kGlobalLoadBytes),
                         .what = moved::Counters{counter::kGlobalLoadBytes},
                         .from = q.loads.requested->value,
                         .to = q.loads.requested->value / 2,
                         .unit = Unit::Bytes}};
    return finding;
}

}  // namespace

extern const Rule linear_search;
const Rule linear_search{
    .id = "linear-search",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "for (int i = 0; i < n; ++i)\n    if (sums[i] >= u) { found = i; break; }",
    .after =
        "int found = 0;  // first i with sums[i] >= u\n"
        "for (int step = n; step > 0;) {\n"
        "    int half = step / 2, middle = found + half;\n"
        "    if (sums[middle] < u) { found = middle + 1; step -= half + 1; }\n"
        "    else step = half;\n"
        "}",
    .en = {.title = "Every thread walks through the same data",
           .firesWhen =
               "Each thread loads at least 1,000 elements, all lanes of a warp the same ones, does "
               "next to nothing with them, and warps load each byte of the launch's buffers at "
               "least 16 times.",
           .sentence =
               "Each thread loads {loads} elements one after the other, {requested} in all from "
               "buffers of {readable} ({walks} times each byte, and each for 32 threads), with "
               "{instructions} instructions per load.",
           .mechanism = "Every thread looks at nearly everything to find little, so that the work "
                        "grows with threads × elements. Caches hold the data; the loop itself is "
                        "the time.",
           .edit = "Replace the walk by an index. If the data are sorted (a cumulative sum, a "
                   "table of limits), use a binary search: about log2(n) loads. If not, sort them "
                   "once or put them into cells or a hash table. If every element counts (a sum, "
                   "a minimum), compute it once for all threads.",
           .ruledOut = "linear search ({loads} loads per thread)",
           .gain = "min(1 − DRAM use, 1 − empty launch / duration) × duration"},
    .check = check,
    .explains = {"redundant-read"},
    .causesStalls = {"wait", "long_scoreboard", "lg_throttle", "short_scoreboard",
                     "branch_resolving", "math_pipe_throttle", "no_instruction"}};

}  // namespace roofscope::rules
