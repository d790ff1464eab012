// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/sentence.h"
#include "analyzer/names/library_product.h"
#include "analyzer/roofline/occupancy.h"
#include "analyzer/roofline/roofline.h"

namespace roofscope::rules {

namespace {

/// With half of the warp slots filled, most kernels hide their latencies. Below that, one more
/// block often helps.
constexpr double kEnough = 0.5;
/// The SMs must hold about as many warps as they could. Otherwise the grid or an uneven load is the
/// reason, not the block's resources.
constexpr double kFilled = 0.7;

Words limiterWords(OccupancyLimiter limiter) {
    switch (limiter) {
        case OccupancyLimiter::Registers:
            return Words(inContext("what limits the occupancy", "registers"));
        case OccupancyLimiter::SharedMemory:
            return Words("shared memory");
        case OccupancyLimiter::BlockSize:
            return Words("block size");
        case OccupancyLimiter::BlocksPerSm:
            return Words("blocks per SM");
        case OccupancyLimiter::None:
            break;
    }
    return {};
}

/// Smaller blocks that keep more warps resident with the same registers.
struct SmallerBlocks {
    std::uint64_t threads = 0, warps = 0, now = 0;
    [[nodiscard]] double gain() const {
        return 1.0 - static_cast<double>(now) / static_cast<double>(warps);
    }
};

/// Where registers are left over because another block does not fit, smaller blocks use them, and
/// nothing has to spill. Only without shared memory, which often grows with the block.
std::optional<SmallerBlocks> smallerBlocks(const RuleInput& input) {
    constexpr std::uint64_t kLeastThreads = 64, kWarp = 32;
    constexpr double kWorth = 1.25;
    const LaunchGroup& group = input.kernel.group;
    const Kernel& kernel = input.profile.kernels[group.kernel];
    BlockResources block{
        .threads = group.block.total(),
        .registersPerThread = kernel.registersPerThread.value_or(0),
        .sharedBytes = kernel.staticSharedBytes.value_or(0) + group.dynamicSharedBytes};
    if (input.kernel.quantities.occupancy.limiter != OccupancyLimiter::Registers ||
        block.sharedBytes > 0 || block.threads % kWarp != 0)
        return std::nullopt;
    const auto warps = [&](std::uint64_t threads) -> std::uint64_t {
        block.threads = threads;
        return occupancyTerms(deviceOf(input), block).resident().value_or(0) * threads / kWarp;
    };
    const std::uint64_t now = warps(block.threads);
    if (now == 0) return std::nullopt;
    SmallerBlocks best{.warps = now, .now = now};
    for (std::uint64_t threads = group.block.total() / 2;
         threads >= kLeastThreads && threads % kWarp == 0; threads /= 2)
        if (const std::uint64_t then = warps(threads); then > best.warps)
            best = {.threads = threads, .warps = then, .now = now};
    const bool worth = static_cast<double>(best.warps) >= kWorth * static_cast<double>(now);
    return best.threads > 0 && worth ? std::optional(best) : std::nullopt;
}

/// What the SMs hold, and what more blocks could save at best.
struct ResidentBlocks {
    double theoretical = 0;  ///< occupancy
    double resident = 0;     ///< blocks of an SM
    double others = 0;       ///< busy share of the busiest resource
    bool filled = false;     ///< the grid has at least a full wave

    [[nodiscard]] double limited(double saved) const {
        return std::max(0.0, std::min(saved, 1.0 - others));
    }
    /// With one more block, the time shrinks at best in proportion to the resident blocks.
    [[nodiscard]] double withOneMore() const { return limited(1.0 / (resident + 1.0)); }
};

/// Whether an occupancy that is high enough is also used.
bool isUsed(const Occupancy& occupancy, const ResidentBlocks& blocks) {
    // With less than one full wave, the grid decides how many warps there are. They may be few
    // although an SM could hold more, so it is not ruled out that few warps cost time.
    if (!blocks.filled && !(occupancy.achieved.has() && occupancy.achieved->value >= kEnough))
        return false;
    // The same holds if the SMs do not get the warps that they have room for.
    return !occupancy.achieved.has() || occupancy.achieved->value >= kFilled * blocks.theoretical;
}

/// Whether the kernel hides latency by other means than many warps.
bool needsFewWarps(const RuleInput& input) {
    // Tensor-core kernels hide it with asynchronous copies and run at low occupancy on purpose.
    if (usesTensorCores(input.kernel.quantities)) return true;
    // So do libraries' products and convolutions on other pipes, and callers cannot change their
    // blocks.
    return input.kernel.origin == KernelOrigin::Library &&
           libraryProduct(input.kernel.fullName).has_value();
}

void setCode(Finding& finding, OccupancyLimiter limiter) {
    switch (limiter) {
        case OccupancyLimiter::Registers:
            finding.before = "__global__ void kernel(...)";
            finding.after = "__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) kernel(...)";
            break;
        case OccupancyLimiter::SharedMemory:
            finding.before =
                "constexpr int kRows = ROWS;      // rows of the tile in shared memory";
            finding.after =
                "constexpr int kRows = ROWS / 2;  // half a tile: two steps, more blocks per SM";
            break;
        case OccupancyLimiter::BlockSize:
        case OccupancyLimiter::BlocksPerSm:
            finding.before = "constexpr int kThreads = THREADS;";
            finding.after = "constexpr int kThreads = ...;  // the block size named above";
            break;
        case OccupancyLimiter::None:
            break;
    }
}

Finding findingOf(const RuleInput& input, const ResidentBlocks& blocks,
                  const std::optional<SmallerBlocks>& smaller, double gain) {
    const Occupancy& occupancy = input.kernel.quantities.occupancy;
    const std::uint64_t threads = input.kernel.group.block.total();
    Finding finding = makeEstimate(input, gain);
    finding.args = {
        arg("occupancy", blocks.theoretical, Unit::Share),
        arg("achieved", occupancy.achieved->value, Unit::Share),
        arg("limiter", limiterWords(occupancy.limiter)),
        arg("resident", blocks.resident, Unit::Count),
        arg("step", smaller ? wordsOf("blocks of {} threads (now {}) would keep {} "
                                      "warps per SM resident instead of {}, with the "
                                      "same registers",
                                      smaller->threads, threads, smaller->warps, smaller->now)
                            : occupancy.nextStep)};
    finding.evidence = {{.label = Words("theoretical occupancy"),
                         .formula = occupancy.theoretical.how,
                         .value = blocks.theoretical,
                         .unit = Unit::Share,
                         .threshold = kEnough,
                         .healthy = kEnough},
                        {.label = Words("achieved occupancy"),
                         .formula = occupancy.achieved.how,
                         .value = occupancy.achieved->value,
                         .unit = Unit::Share}};
    const double moreWarps =
        smaller ? 1.0 / (1.0 - smaller->gain()) : (blocks.resident + 1) / blocks.resident;
    finding.expected = {{.counter = Words::lasting(counter::kWarpsActive),
                         .what = moved::Value::AchievedOccupancy,
                         .from = occupancy.achieved->value,
                         .to = std::min(1.0, occupancy.achieved->value * moreWarps),
                         .unit = Unit::Share}};
    if (smaller) {
        finding.before = fmt::format("constexpr int kThreads = {};", threads);
        finding.after = fmt::format("constexpr int kThreads = {};", smaller->threads);
    } else {
        setCode(finding, occupancy.limiter);
    }
    return finding;
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const Occupancy& occupancy = q.occupancy;
    if (!occupancy.theoretical.has())
        return cannotTell(
            occupancy.theoretical.missing,
            Words("record again: the launch's occupancy and the device's limits are needed"));
    const Resources resources = resourcesOf(q);
    const ResidentBlocks blocks{
        .theoretical = occupancy.theoretical->value,
        .resident = occupancy.residentBlocksPerSm.has() ? *occupancy.residentBlocksPerSm : 0.0,
        .others = resources.busiestExcept({}),
        .filled = occupancy.waves.has() && *occupancy.waves >= 1.0};
    if (blocks.theoretical >= kEnough || occupancy.limiter == OccupancyLimiter::None) {
        if (!isUsed(occupancy, blocks)) return NotApplicable{};
        return RuledOut{.args = {arg("occupancy", blocks.theoretical, Unit::Share)},
                        .cost = blocks.theoretical >= 1.0 ? 0.0 : blocks.withOneMore()};
    }
    // From here on occupancy is low. If that is not what costs time, say nothing.
    if (!blocks.filled) return NotApplicable{};
    if (!isKnown(input.kernel.verdict.cls)) return cannotTell(resources.missing);
    // More warps only help if latency is exposed.
    if (input.kernel.verdict.cls != VerdictClass::LatencyBound) return NotApplicable{};
    if (needsFewWarps(input)) return NotApplicable{};
    if (!occupancy.achieved.has()) return cannotTell(occupancy.achieved.missing);
    if (occupancy.achieved->value < kFilled * blocks.theoretical) return NotApplicable{};
    const auto smaller = smallerBlocks(input);
    if (occupancy.nextStep.empty() && !smaller)
        return NotApplicable{};  // no step that certainly frees a block

    const double gain =
        limitToEmptyLaunch(input, smaller ? blocks.limited(smaller->gain()) : blocks.withOneMore());
    if (gain < kLeastReportedGain) return NotApplicable{};
    return findingOf(input, blocks, smaller, gain);
}

}  // namespace

extern const Rule low_occupancy;
const Rule low_occupancy{
    .id = "low-occupancy",
    .category = "parallelism",
    .needs = {CounterGroup::Default},
    .en = {.title = "Too few warps per SM",
           .firesWhen =
               "Registers, shared memory or the block size allow less than half of the warps an SM "
               "holds, the grid fills the GPU, and no resource is busy, so latency is exposed.",
           .sentence = "Limited by {limiter}, an SM holds only {resident} of these blocks at a "
                       "time, {occupancy} of its warps ({achieved} achieved), and no resource is "
                       "busy enough to be the limit.",
           .mechanism = "An SM hides the latency of one warp by running another. With few resident "
                        "warps all of them often wait at once.",
           .edit = "Keep more warps resident: {step}. Independent work within a thread (unrolling, "
                   "several "
                   "loads before their first use) hides latency without it.",
           .ruledOut = "occupancy ({occupancy} of an SM's warps can be resident)",
           .gain = "min(1 / (resident blocks + 1), 1 − busiest resource) × duration; with smaller "
                   "blocks, the share of the warps that are added instead of the former",
           .editInGeneral =
               "Keep more warps resident: fewer registers, less shared memory or another block "
               "size, as "
               "the limiter says. Independent work within a thread hides latency without it.",
           .editInTriton =
               "In Triton, smaller BLOCK sizes take fewer registers and less shared memory, fewer "
               "num_stages take less shared memory, and more warps (num_warps) spread the "
               "registers. More independent elements per thread hide latency without it."},
    .check = check,
    .tooLittleWork = true};

}  // namespace roofscope::rules
