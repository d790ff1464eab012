// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/joined_sentences.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {

extern const Rule linear_search;

namespace {

/// Loads of one thread. A shorter walk takes no longer than looking up an index would.
constexpr double kLeastLoads = 1000;
/// How often each byte of the launch's buffers is loaded by a warp, and so for 32 threads.
constexpr double kLeastWalks = 16;
/// All lanes read the same element, of at most 16 bytes, which lies in one sector.
constexpr double kOneSector = 1.1, kElementBytes = 16;
/// A search loads, compares and goes on. A loop that does more with each element needs them all.
constexpr double kMostInstructions = 10;
/// If the elements come by way of tiles, the loop also fills the tiles and tests for the end of
/// each.
constexpr double kMostInstructionsInShared = 16;
/// Neighbouring elements share a sector, which the L1 keeps. Loads that wait for a word to change
/// fetch it from the L2 each time.
constexpr double kMostFromL2 = 0.5;
/// Share of the loads: results may be added up in shared memory at the end.
constexpr double kHardly = 0.05;
/// With fewer active lanes, it is one thread of a warp that reads.
constexpr double kMostLanes = 0.5;

/// The bytes that the launch can read: those of its buffers, if all are known (the largest of the
/// group's launches); else an upper bound from what came from the DRAM and may have been in the L2.
std::optional<double> readableBytes(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    std::optional<double> bytes;
    if (const auto l2 = deviceOf(input).l2Bytes; l2 && q.dramRead.has() && q.stores.requested.has())
        bytes = q.dramRead->value + static_cast<double>(*l2) + q.stores.requested->value;
    const auto largest = bufferBytes(input);
    if (!largest) return bytes;
    return bytes ? std::min(*bytes, *largest) : largest;
}

/// What the loop of a thread loads, one element after the other, each the same for all lanes.
struct Walk {
    double loads = 0;  ///< warp instructions of a launch
    double bytes = 0;  ///< that they ask for; lanes that read the same count once
    /// The elements are read from tiles in shared memory.
    bool shared = false;
};

/// All floating-point operations of a launch; absent if they were not counted.
std::optional<double> operationsOf(const Quantities& q) {
    if (!q.flops[Precision::Fp32].has() || !q.flops[Precision::Fp64].has()) return std::nullopt;
    double operations = 0;
    for (const Precision precision : kPrecisions)
        if (q.flops[precision].has()) operations += q.flops[precision]->value;
    return operations;
}

/// Whether these loads are many for each thread, and the kernel does little else.
bool isWalk(const RuleInput& input, const Walk& walk, double mostInstructions) {
    const Quantities& q = input.kernel.quantities;
    const auto operations = operationsOf(q);
    return operations && walk.loads >= kLeastLoads * launchedWarps(input) &&
           walk.bytes <= kElementBytes * walk.loads && q.activeLanes->value >= kMostLanes &&
           *q.warpInstructions <= mostInstructions * walk.loads &&
           *operations <= kHardly * deviceOf(input).warpSize * walk.loads;
}

std::optional<Walk> walkInGlobal(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!q.loads.requested.has() || !q.loads.sectors.has() || !q.loads.requests.has() ||
        !q.l2Counted.has())
        return std::nullopt;
    const Walk walk{.loads = *q.loads.requests, .bytes = q.loads.requested->value};
    if (!isWalk(input, walk, kMostInstructions) || *q.loads.sectors > kOneSector * walk.loads)
        return std::nullopt;
    const double stored = q.stores.sectors.has() ? *q.stores.sectors : 0;
    if (q.l2Counted->value / 32.0 - stored > kMostFromL2 * *q.loads.sectors) return std::nullopt;
    // If there are tiles in shared memory, threads walk through these (walkInShared()).
    const auto shared = jointSums(input, {counter::kSharedInstructions});
    if (!shared.ok() || shared.mean(0) > kHardly * walk.loads) return std::nullopt;
    return walk;
}

/// Tiles that a block loads together, for each of its threads to walk through.
std::optional<Walk> walkInShared(const RuleInput& input) {
    const auto sums = jointSums(
        input, {counter::kSharedLoads, counter::kSharedLoadBytes, counter::kSharedInstructions});
    if (!sums.ok()) return std::nullopt;
    const Walk walk{.loads = sums.mean(0), .bytes = sums.mean(1), .shared = true};
    // Results that stay in shared memory, as in a recurrence over a table, are no search.
    if (!isWalk(input, walk, kMostInstructionsInShared) ||
        sums.mean(2) > (1 + kHardly) * walk.loads)
        return std::nullopt;
    return walk;
}

/// Replaces the edit if all threads walk through tiles: then elements are probably added where they
/// match, and the loop can be turned around.
void turnAround(Finding& finding) {
    finding.relief.push_back({ResourceId::SharedPipe});
    finding.edit = Words(
        "If each element concerns few threads (it is added to a cell), turn the loop around: one "
        "thread for each element, which adds it where it belongs (atomicAdd). If a thread looks "
        "for elements, sort them once, or put them into cells or a hash table, and look only "
        "there.");
    finding.before =
        "for (int k = 0; k < n; ++k)\n    if (tile[k].cell == cell) sum += tile[k].value;";
    finding.after =
        "int k = blockIdx.x * blockDim.x + threadIdx.x;  // a thread for each element\n"
        "if (k < n) atomicAdd(&sums[elements[k].cell], elements[k].value);";
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (input.kernel.origin != KernelOrigin::Own || !q.warpInstructions.has() ||
        !q.activeLanes.has())
        return NotApplicable{};
    auto walk = walkInGlobal(input);
    if (!walk) walk = walkInShared(input);
    if (!walk) return NotApplicable{};
    const Resources resources = resourcesOf(q);
    const double other =
        walk->shared
            ? resources.busiestExcept({ResourceId::Issue, ResourceId::L1, ResourceId::SharedPipe})
            : resources.busiestExcept({ResourceId::Issue, ResourceId::L1, ResourceId::Integer});
    if (other >= kBusyShare) return NotApplicable{};
    const auto readable = readableBytes(input);
    if (!readable || walk->bytes < kLeastWalks * *readable) return NotApplicable{};

    const double gain =
        limitToEmptyLaunch(input, std::max(0.0, 1.0 - resources.busy(ResourceId::Dram)));
    if (gain < kMinorShare) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.relief =
        relieves({ResourceId::L1, ResourceId::L2, ResourceId::Issue, ResourceId::Integer});
    if (walk->shared)
        turnAround(finding);
    else if (!input.kernel.source)
        // A table that skips ahead looks the same (generator-setup knows it by its lines).
        finding.edit = joinedSentences(
            Words::translatable(linear_search.en.edit),
            Words("If the kernel sets up random generators (curand_init), do that once and keep "
                  "their states."));
    const double perThread = walk->loads / launchedWarps(input), walks = walk->bytes / *readable;
    finding.args = {
        arg("loads", perThread, Unit::Count),
        arg("walks", walks, Unit::Count),
        arg("where", walk->shared ? Words("tiles in shared memory") : Words("global memory")),
        arg("requested", walk->bytes, Unit::Bytes),
        arg("readable", *readable, Unit::Bytes),
        arg("instructions", *q.warpInstructions / walk->loads, Unit::Count)};
    const std::string_view bytes =
        walk->shared ? counter::kSharedLoadBytes : counter::kGlobalLoadBytes;
    finding.evidence = {
        {.label = Words("loads of each thread"),
         .formula = walk->shared ? "load instructions of shared memory / warps of the grid"
                                 : "global load instructions / warps of the grid",
         .value = perThread,
         .unit = Unit::Count,
         .threshold = kLeastLoads},
        {.label = Words("loads of each byte, by warps"),
         .formula = walk->shared ? "bytes loaded from shared memory / bytes of the launch's buffers"
                                 : "requested by global loads / bytes of the launch's buffers",
         .value = walks,
         .unit = Unit::Factor,
         .threshold = kLeastWalks,
         .healthy = 1.0}};
    if (walk->shared)
        finding.evidence.push_back(
            {.label = Words("bytes per load (at most 16: all lanes read the same element)"),
             .formula = "bytes loaded from shared memory / its load instructions",
             .value = walk->bytes / walk->loads,
             .unit = Unit::Bytes,
             .threshold = kElementBytes});
    else
        finding.evidence.push_back(
            {.label = Words("sectors per load (1: all lanes read the same element)"),
             .formula = "sectors / warp instructions",
             .value = *q.loads.sectors / walk->loads,
             .unit = Unit::Count,
             .threshold = kOneSector});
    finding.expected = movementOf(bytes, walk->bytes, walk->bytes / 2, Unit::Bytes);
    if (const SourceAnalysis* source = input.kernel.source.get();
        source && !source->waitState.empty())
        finding.places = waitingPlaces(input.profile, *source, source->waitState);
    return finding;
}

}  // namespace

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
    .en =
        {.title = "Every thread walks through the same data",
         .firesWhen =
             "Each thread loads at least 1,000 elements, all lanes of a warp the same ones, does "
             "next to nothing with them, and warps load each byte of the launch's buffers at "
             "least 16 times.",
         .sentence =
             "Each thread loads {loads} elements one after the other from {where}: {requested} in "
             "all, where buffers hold {readable} ({walks} times each byte, and each for 32 "
             "threads), with {instructions} instructions per load.",
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
    .namesLine = NamesLine::BySamples,
    .explains = {"redundant-read"},
    .causesStalls = {"wait", "long_scoreboard", "lg_throttle", "short_scoreboard",
                     "branch_resolving", "math_pipe_throttle", "no_instruction"}};

}  // namespace roofscope::rules
