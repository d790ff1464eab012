// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/language/joined_sentences.h"
#include "analyzer/language/sentence.h"
#include "analyzer/source/stalls.h"

namespace roofscope::rules {

namespace {

/// How many blocks of other launches are on the GPU while one of the group runs, on average. Each
/// launch counts for the SMs that it can fill. Looks at some launches, and at those issued around
/// them: streams may be some hundred launches apart.
double blocksBeside(const RuleInput& input) {
    constexpr std::size_t kLooked = 32, kAround = 1000;
    const auto& rows = input.kernel.group.launches;
    const auto& launches = input.profile.launches;
    const double sms = deviceOf(input).smCount;
    double beside = 0, time = 0;
    const std::size_t step = std::max<std::size_t>(1, rows.size() / kLooked);
    for (std::size_t i = 0; i < rows.size(); i += step) {
        const Launch& own = launches[rows[i]];
        if (!own.start || !own.duration || !(own.duration->value > 0)) continue;
        time += own.duration->value;
        const double begin = own.start->value, end = begin + own.duration->value;
        const std::size_t first = rows[i] - std::min<std::size_t>(rows[i], kAround);
        const std::size_t last = std::min<std::size_t>(launches.size(), rows[i] + kAround + 1);
        for (std::size_t other = first; other < last; ++other) {
            const Launch& launch = launches[other];
            if (other == rows[i] || launch.device != own.device || !launch.start ||
                !launch.duration)
                continue;
            const double overlap = std::min(end, launch.start->value + launch.duration->value) -
                                   std::max(begin, launch.start->value);
            if (overlap > 0)
                beside += overlap * std::min(sms, static_cast<double>(launch.grid.total()));
        }
    }
    return time > 0 ? beside / time : 0;
}

bool hasOneWarp(const RuleInput& input) {
    constexpr std::uint64_t kWarp = 32;
    const LaunchGroup& group = input.kernel.group;
    return group.grid.total() * group.block.total() <= kWarp;
}

/// What to do about a kernel that is launched again and again, and runs long each time.
Words launchesEdit(const RuleInput& input) {
    constexpr double kLong = 1e-3, kLongForWarp = 50e-6;
    constexpr std::size_t kMany = 20;
    const auto& rows = input.kernel.group.launches;
    const double least = hasOneWarp(input) ? kLongForWarp : kLong;
    if (duration(input) < least || rows.size() < kMany) return {};
    const auto& launches = input.profile.launches;
    const auto follows = std::ranges::count_if(rows, [&](std::uint32_t row) {
        return row > 0 && launches[row - 1].kernel == launches[row].kernel &&
               launches[row - 1].process == launches[row].process;
    });
    if (static_cast<std::size_t>(follows) * 5 < rows.size() * 4) return {};
    return wordsOf(
        "It is launched {} times, each after the other: if these do not need each other's results "
        "(tiles of an image, samples, trajectories), let one grid do many of them, and look for a "
        "batch size or memory limit that is fixed in the program.",
        rows.size());
}

/// What to do about the loop of a kernel whose few warps each run long.
Words loopEdit(const RuleInput& input) {
    const auto each = longLoopOf(input);
    if (!each) return {};
    constexpr double kThousand = 1e3, kMillion = 1e6;
    const Words count = *each < kMillion ? wordsOf("{:.0f} thousand", *each / kThousand)
                                         : wordsOf("{:.1f} million", *each / kMillion);
    return input.kernel.origin == KernelOrigin::Triton
               ? wordsOf(
                     "Each warp runs {} instructions in a row: split that loop "
                     "over more programs (where a step needs the one before, as in a scan: "
                     "chunks in parallel, tl.associative_scan within a chunk, and a short pass "
                     "that carries the state over).",
                     count)
               : wordsOf(
                     "Each warp runs {} instructions in a row: split that loop "
                     "over more blocks (where a step needs the one before: chunks in parallel "
                     "and a short pass that carries the state over; a search by halves can try "
                     "many points in each step).",
                     count);
}

constexpr std::uint64_t kSmallBlock = 64;
/// With blocks on this share of the SMs, a few idle ones do not matter.
constexpr double kFilled = 0.9;

/// How many blocks there are with kSmallBlock threads each, if the threads of a block seem to have
/// nothing in common: neither shared memory nor barriers. Absent if that is not known, or if
/// smaller blocks would not fill the GPU either.
std::optional<std::uint64_t> smallerBlocks(const RuleInput& input) {
    constexpr std::uint64_t kLeast = 256;
    constexpr double kMostSms = 0.75;
    const LaunchGroup& group = input.kernel.group;
    const Kernel& kernel = input.profile.kernels[group.kernel];
    const std::uint64_t threads = group.block.total();
    const std::uint64_t blocks = group.grid.total() * ((threads + kSmallBlock - 1) / kSmallBlock);
    if (input.kernel.origin != KernelOrigin::Own || threads < kLeast || threads != group.block.x ||
        static_cast<double>(blocks) < kMostSms * deviceOf(input).smCount ||
        !kernel.staticSharedBytes || *kernel.staticSharedBytes + group.dynamicSharedBytes > 0)
        return std::nullopt;
    const Stalls stalls = stallsOf(input.profile, input.kernel);
    if (!stalls.missing.empty() || stalls.reasons.empty() || stalls.shareOf("barrier") > 0)
        return std::nullopt;
    return blocks;
}

/// The edit that makes this many blocks.
void makeSmaller(const RuleInput& input, std::uint64_t blocks, Finding& finding) {
    const LaunchGroup& group = input.kernel.group;
    const std::uint64_t threads = group.block.total();
    finding.edit = wordsOf(
        "If each thread takes one element (blockIdx.x * blockDim.x + threadIdx.x), use blocks of "
        "{} threads in place of {}: that makes {} blocks. Otherwise split the work of a block.",
        kSmallBlock, threads, blocks);
    finding.before = fmt::format("kernel<<<{}, {}>>>(...);", group.grid.total(), threads);
    finding.after = fmt::format("kernel<<<{}, {}>>>(...);", blocks, kSmallBlock);
    finding.expected.front().to = static_cast<double>(blocks);
}

/// Launches that run beside this one are mentioned if they have at least this many blocks.
constexpr double kSomeBeside = 1.0;

Words besideWords(double beside) {
    return wordsOf("Launches on other streams run beside it, with {:.0f} blocks on average.",
                   beside);
}

Words editOf(const RuleInput& input, double beside) {
    const Words launches = beside < kSomeBeside ? launchesEdit(input) : Words();
    // Within one warp there is little to split: other launches have the work to add.
    const bool oneWarp = hasOneWarp(input);
    return joinedSentences(
        joinedSentences(beside < kSomeBeside ? Words() : besideWords(beside),
                        joinedSentences(oneWarp ? launches : loopEdit(input),
                                        oneWarp ? loopEdit(input) : launches)),
        input.kernel.origin == KernelOrigin::Triton
            ? Words("In Triton, launch more programs: smaller BLOCK sizes of the result, or "
                    "several programs for each row or tile (split the reduced dimension, and "
                    "combine the parts with tl.atomic_add or a second kernel). Batching more work "
                    "into one launch does the same.")
            : Words("Split the work of a block: several blocks per head, row or tile (split the "
                    "inner dimension and combine the parts with a second small kernel, atomics or "
                    "a cluster), or use smaller blocks. Batching more work into one launch does "
                    "the same."));
}

RuleResult check(const RuleInput& input) {
    const Device& device = deviceOf(input);
    if (device.smCount == 0)
        return cannotTell(Words("number of SMs"),
                          Words("record again with a driver that reports it"));
    const auto blocks = static_cast<double>(input.kernel.group.grid.total());
    const double sms = device.smCount;
    const Resources resources = resourcesOf(input.kernel.quantities);
    if (!isUnderfilled(device, input.kernel.group)) {
        // A grid that covers all SMs may still be small. With a full wave, no more blocks could run
        // at once. With less, more blocks gain at most what is missing to a full wave.
        const auto& waves = input.kernel.quantities.occupancy.waves;
        const double empty = waves.has() ? std::max(0.0, 1.0 - *waves) : 1.0;
        return RuledOut{.args = {arg("blocks", blocks, Unit::Count), arg("sms", sms, Unit::Count)},
                        .cost = std::min(empty, 1.0 - resources.busiestExcept({}))};
    }
    const double time = duration(input);
    if (!(time > 0)) return cannotTell(counter::kDuration);

    // The fixed cost of a launch cannot be spread over more SMs, and a busy chip-wide resource
    // cannot be used more. A kernel hardly longer than an empty launch may have no more work to
    // spread.
    if (isNearlyEmptyLaunch(input)) return NotApplicable{};
    const double work = std::max(0.0, 1.0 - kEmptyLaunch.value / time);
    // Launches on other streams use the SMs that this one leaves.
    const double beside = blocksBeside(input), used = blocks + beside;
    if (used >= kFilled * sms) return NotApplicable{};
    const double chipWide =
        std::max(resources.busy(ResourceId::Dram), resources.busy(ResourceId::L2));
    const double gain =
        std::max(0.0, std::min(work * (1.0 - used / sms), 1.0 - std::min(1.0, chipWide)));
    if (gain < kLeastReportedGain)
        return NotApplicable{};  // too small, and too short for it to matter

    Finding finding = makeFinding(input, gain);
    finding.args = {arg("blocks", blocks, Unit::Count), arg("sms", sms, Unit::Count),
                    arg("idle", std::floor(sms - used), Unit::Count),
                    arg("idleShare", 1.0 - used / sms, Unit::Share),
                    arg("edit", editOf(input, beside))};
    finding.evidence = {{.label = Words("blocks of the grid"),
                         .formula = "grid.x × grid.y × grid.z",
                         .value = blocks,
                         .unit = Unit::Count,
                         .threshold = sms,
                         .healthy = sms}};
    const auto& occupancy = input.kernel.quantities.occupancy;
    if (occupancy.waves.has())
        finding.evidence.push_back({.label = Words("waves"),
                                    .formula = occupancy.waves.how,
                                    .value = *occupancy.waves,
                                    .unit = Unit::Count,
                                    .healthy = 1.0});
    finding.expected = {{.counter = Words("blocks"),
                         .what = moved::Value::Blocks,
                         .from = blocks,
                         .to = sms,
                         .unit = Unit::Count}};
    if (const auto smaller = smallerBlocks(input)) makeSmaller(input, *smaller, finding);
    return finding;
}

}  // namespace

extern const Rule grid_too_small;
const Rule grid_too_small{
    .id = "grid-too-small",
    .category = "parallelism",
    .needs = {CounterGroup::Default},
    .before = "kernel<<<batch * heads, threads>>>(...);",
    .after =
        "kernel<<<dim3(batch * heads, splits), threads>>>(...);  // splits >= SMs / "
        "(batch * heads)",
    .en = {.title = "Grid too small for the GPU",
           .firesWhen =
               "The grid has blocks for less than 90 % of the SMs, and the kernel runs at least "
               "twice as long as an empty launch.",
           .sentence =
               "{blocks} {blocks?block:blocks} on {sms} SMs: {idle} SMs ({idleShare}) do nothing.",
           .mechanism =
               "A block runs on one SM. With fewer blocks than SMs the rest of the GPU, its "
               "L1s and its share of the memory bandwidth lie idle, however good the kernel "
               "is.",
           .edit = "{edit}",
           .ruledOut = "grid size ({blocks} {blocks?block:blocks} for {sms} SMs)",
           .gain = "min((duration − empty launch) × (1 − blocks / SMs), duration × (1 − busiest of "
                   "DRAM and L2))",
           .editInGeneral = "Split the work of a block (several blocks per head, row or tile, "
                            "combined by a second small kernel, atomics or a cluster), use smaller "
                            "blocks, or batch more work into one launch.",
           .editInTriton = "{edit}"},
    .check = check,
    .tooLittleWork = true};

}  // namespace roofscope::rules
