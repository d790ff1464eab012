// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/language/sentence.h"
#include "analyzer/roofline/roofline.h"
#include "profile/text/count_text.h"

namespace roofscope::rules {

namespace {

constexpr std::uint64_t kWarp = 32;

/// Whole kernels whose lanes diverge somewhere still keep most of them: single-thread epilogues and
/// half-used tiles showed 0.81 to 0.94 on an H200. Below 0.7, three of ten lanes idle in the
/// average instruction. That takes divergence where the kernel spends its instructions.
constexpr double kDivergent = 0.7;
/// Where instruction issue is what limits, each idle lane costs its share: a fifth is an edit to a
/// kernel that can be changed.
constexpr double kDivergentAtIssue = 0.8;
/// The block's size leaves a tenth of the lanes empty in every warp instruction. That is cheap to
/// change, so this threshold is stricter than the one for divergence. A block of 112 threads is
/// below it (0.875), one of 240 threads is not (0.94).
constexpr double kFullBlock = 0.9;
/// The block's size is the cause if it explains at least this share of the idle lanes.
constexpr double kExplains = 0.5;
/// Divergence is counted in instructions. If warps issue in less than a quarter of the cycles and
/// nothing is busy, they wait for something, and instruction counts do not show which lanes they
/// wait for.
constexpr double kIssues = 0.25;
/// These pipes take an instruction of a warp whole, however many lanes take part in it: filled
/// lanes relieve them like instruction issue. What a rule says of a pipe is no fault any more if it
/// is then less than kBusyShare busy.
struct WholeWarpPipe {
    ResourceId resource;
    std::string_view rule;
};
constexpr WholeWarpPipe kWholeWarpPipes[] = {{ResourceId::Integer, "integer-arithmetic"},
                                             {ResourceId::SpecialFunction, "special-functions"}};

/// The share of the lanes in the block's warps that its threads fill.
double blockFill(std::uint64_t threads) {
    const std::uint64_t warps = (threads + kWarp - 1) / kWarp;
    return warps == 0 ? 1.0 : static_cast<double>(threads) / static_cast<double>(kWarp * warps);
}

Words blockCause(std::uint64_t threads) {
    if (threads < kWarp)
        return threads == 1 ? Words("a block of 1 thread is less than a warp")
                            : wordsOf("a block of {} threads is less than a warp", threads);
    return wordsOf("the last warp of a block of {} threads has only {} threads", threads,
                   threads % kWarp);
}

/// Whether the time goes into issuing instructions, or into waiting while nothing is busy. Filled
/// lanes save instructions; bytes and arithmetic stay.
bool lanesLimit(const RuleInput& input, const Resources& resources, bool byBlock) {
    const double issue = resources.busy(ResourceId::Issue);
    double most = issue;  // of what filled lanes relieve
    for (const WholeWarpPipe& pipe : kWholeWarpPipes)
        most = std::max(most, resources.busy(pipe.resource));
    if (most >= kBusyShare &&
        most >= resources.busiestExcept(
                    {ResourceId::Issue, ResourceId::Integer, ResourceId::SpecialFunction}))
        return true;
    return input.kernel.verdict.cls == VerdictClass::LatencyBound && (byBlock || issue >= kIssues);
}

/// What works in the average instruction, and whether the block's size explains the rest.
struct LaneUse {
    std::uint64_t threads = 0;  ///< of a block
    double fill = 1.0;          ///< share of the lanes that these fill
    bool counted = false;       ///< otherwise only lanes that are never filled are known
    double active = 1.0;        ///< share of the lanes
    double working = 1.0;       ///< of that, those whose predicate is true
    double others = 0.0;   ///< busy share of the busiest resource that filled lanes do not relieve
    bool byBlock = false;  ///< the block's size leaves most of the idle lanes empty
    /// As many lanes are active as threads have threadIdx.x == 0; 0: another number. A block has
    /// this many threads for each of them.
    std::uint32_t perFirst = 0;
    double divergent = kDivergent;  ///< with fewer active lanes, divergence is a fault

    /// Lanes that the block leaves empty certainly come back with a full block; divergence is
    /// recovered as a whole at best.
    [[nodiscard]] double idle() const {
        return byBlock ? 1.0 - std::max(fill, active) : 1.0 - active;
    }
};

/// Threads of a row of the block, or of a warp, if only the first of them seems to work.
std::uint32_t threadsPerFirst(const LaneUse& use, Dim3 block) {
    // What all lanes do (indices, barriers) comes on top. Shorter rows have shares that divergence
    // has as well.
    constexpr double kAndOthers = 1.15, kAndOthersOfRow = 1.05;
    constexpr std::uint32_t kShortest = 8;
    const auto row = static_cast<std::uint32_t>(std::min<std::uint64_t>(block.x, kWarp));
    const double first = 1.0 / std::max(row, 1U);
    return use.counted && row >= kShortest && kWarp % row == 0 && use.active >= first &&
                   use.active <= (row == kWarp ? kAndOthers : kAndOthersOfRow) * first
               ? row
               : 0;
}

LaneUse laneUse(const RuleInput& input, const Resources& resources) {
    const Quantities& q = input.kernel.quantities;
    LaneUse use{.threads = input.kernel.group.block.total(), .counted = q.activeLanes.has()};
    use.fill = blockFill(use.threads);
    // Without the counter, the block's size shows at least which lanes are never filled.
    use.active = use.counted ? std::min(1.0, q.activeLanes->value) : use.fill;
    use.others = resources.busiestExcept(
        {ResourceId::Issue, ResourceId::Integer, ResourceId::SpecialFunction});
    // A lane whose predicate is false does nothing, although it counts as active.
    use.working = q.predicatedOn.has() ? use.active * q.predicatedOn->value
                  : use.counted        ? 0.0
                                       : use.active;
    use.perFirst = threadsPerFirst(use, input.kernel.group.block);
    use.byBlock = use.fill < kFullBlock && 1.0 - use.fill >= kExplains * (1.0 - use.active);
    const double issue = resources.busy(ResourceId::Issue);
    if (input.kernel.origin == KernelOrigin::Own && issue >= kBusyShare && issue >= use.others)
        use.divergent = kDivergentAtIssue;
    return use;
}

/// Full warps relieve instruction issue and the pipes that take a warp whole.
void setRelief(Finding& finding, const Resources& resources, double idle) {
    finding.relief = {{ResourceId::Issue, 1.0 - idle}};
    double busiest = 0;
    for (const WholeWarpPipe& pipe : kWholeWarpPipes) {
        const double busy = resources.busy(pipe.resource);
        if (!(busy > 0)) continue;
        finding.relief.push_back({pipe.resource, 1.0 - idle});
        if (busy < kBusyShare || busy * (1.0 - idle) >= kBusyShare || busy <= busiest) continue;
        busiest = busy;
        finding.alsoFixes = pipe.rule;
    }
}

Words causeFor(const LaneUse& use) {
    if (use.byBlock) return blockCause(use.threads);
    if (use.perFirst > 0)
        return wordsOf(
            "that is one of {}, as if only threads with threadIdx.x == 0 (or the first lane of "
            "each "
            "warp) worked",
            use.perFirst);
    return Words("lanes of a warp take different sides of branches, or loops of different length");
}

Words stepFor(const LaneUse& use) {
    if (!use.byBlock && use.perFirst > 0)
        return wordsOf(
            "Let all threads work: an item for each thread in place of one for every {}, or the "
            "loop of an item in {} parts that shuffles add up",
            use.perFirst, use.perFirst);

    if (use.byBlock)
        return Words(
            "Make the block a multiple of 32 threads and let each thread find its element from its "
            "index");
    if (use.active >= kDivergent)
        return Words(
            "Find which lanes idle: in branches (sort or group the elements by kind), in loops of "
            "different length, or because blocks have more threads than elements, so that their "
            "last warp is partly empty (let blocks take multiples of 32 elements)");
    return Words(
        "Give neighbouring threads work of the same kind: sort or group the elements before, or "
        "swap the index that the branch depends on with one that is equal in a warp. Division, "
        "square roots and exponentials of tiny or huge values branch, too: multiply by a "
        "reciprocal, or allow approximations (-use_fast_math) where the result tolerates it");
}

void addEvidence(Finding& finding, const Quantities& q, const LaneUse& use) {
    if (use.counted)
        finding.evidence.push_back({.label = Words("active lanes in the average instruction"),
                                    .formula = q.activeLanes.how,
                                    .value = use.active,
                                    .unit = Unit::Share,
                                    .threshold = use.byBlock ? kFullBlock : use.divergent,
                                    .healthy = 1.0});
    finding.evidence.push_back({.label = Words("instruction issue"),
                                .formula = q.issueUtilisation.how,
                                .value = q.issueUtilisation->value,
                                .unit = Unit::Share});
    if (use.byBlock)
        finding.evidence.push_back({.label = Words("lanes that the block's threads fill"),
                                    .formula = "threads / (32 × ⌈threads / 32⌉)",
                                    .value = use.fill,
                                    .unit = Unit::Share,
                                    .threshold = kFullBlock,
                                    .healthy = 1.0});
}

void setCode(Finding& finding, const LaneUse& use) {
    if (use.byBlock) {
        finding.before = fmt::format("kernel<<<blocks, {}>>>(...);", use.threads);
        finding.after = fmt::format(
            "kernel<<<fewerBlocks, {}>>>(...);  // i = blockIdx.x * "
            "blockDim.x + threadIdx.x; if (i < n)",
            std::max<std::uint64_t>(128, use.threads / kWarp * kWarp));
    } else if (use.perFirst > 0) {
        finding.before = "if (threadIdx.x == 0) y[row] = work(row);";
        finding.after =
            "int row = blockIdx.x * blockDim.x + threadIdx.x;  // fewer, full blocks\n"
            "if (row < rows) y[row] = work(row);";
    } else {
        finding.before = "if (kind[i] == A) a(x[i]); else b(x[i]);";
        finding.after =
            "// order: the elements sorted by kind\nconst int j = order[i];\n"
            "if (kind[j] == A) a(x[j]); else b(x[j]);";
    }
}

Finding findingOf(const RuleInput& input, const Resources& resources, const LaneUse& use,
                  double gain) {
    const Quantities& q = input.kernel.quantities;
    const double idle = use.idle();
    Finding finding = makeFinding(
        input, gain,
        use.byBlock
            ? Words("min(1 − threads / (32 × warps of a block), 1 − busiest resource that full "
                    "warps do not relieve) × duration")
            : Words("min(1 − active lanes, 1 − busiest resource that full warps do not relieve) × "
                    "duration"));
    finding.estimate = true;
    setRelief(finding, resources, idle);
    finding.args = {arg("active", use.active, Unit::Share), arg("cause", causeFor(use)),
                    arg("step", stepFor(use))};
    addEvidence(finding, q, use);
    setCode(finding, use);
    if (!use.counted) return finding;
    finding.expected = {
        {.counter = Words::same(std::string(counter::kThreadInstructions) + " / (32 × " +
                                std::string(counter::kWarpInstructions) + ")"),
         .what = moved::Value::ActiveLanes,
         .from = use.active,
         .to = use.active / (1.0 - idle),
         .unit = Unit::Share}};
    return finding;
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (q.activeLanes.notApplicable()) return NotApplicable{};
    const Resources resources = resourcesOf(q);
    const LaneUse use = laneUse(input, resources);
    if (!use.counted && use.fill >= kFullBlock) return cannotTell(q.activeLanes.missing);
    const RuledOut ruledOut{
        .args = {arg("active", q.predicatedOn.has() ? use.working : use.active, Unit::Share)},
        .cost = std::min(1.0 - use.working, 1.0 - use.others)};
    if (!use.byBlock && use.active >= use.divergent) return ruledOut;

    if (isUnderfilled(deviceOf(input), input.kernel.group)) return NotApplicable{};
    if (!q.issueUtilisation.has()) return cannotTell(q.issueUtilisation.missing);
    if (!isKnown(input.kernel.verdict.cls)) return cannotTell(resources.missing);
    // One elected lane feeds the tensor cores; such kernels are meant to work like this.
    if (usesTensorCores(q)) return NotApplicable{};
    if (!lanesLimit(input, resources, use.byBlock)) return ruledOut;

    // Bytes and arithmetic operations remain.
    const double gain =
        limitToEmptyLaunch(input, std::max(0.0, std::min(use.idle(), 1.0 - use.others)));
    if (gain < kLeastReportedGain) return ruledOut;
    return findingOf(input, resources, use, gain);
}

}  // namespace

extern const Rule idle_lanes;
const Rule idle_lanes{
    .id = "idle-lanes",
    .category = "parallelism",
    .needs = {CounterGroup::Default},
    .en = {.title = "Idle lanes in the warps",
           .firesWhen = "On average at least 30 % of the lanes (20 % where instruction issue is "
                        "the limit) take no part in an instruction, or the block's size alone "
                        "leaves more than 10 % of them empty, and "
                        "instruction issue is the limit or nothing is busy.",
           .sentence = "Only {active} of the lanes take part in the average instruction: {cause}.",
           .mechanism =
               "A warp issues an instruction once for all of its 32 lanes, however many of them "
               "need it. Lanes that took another side of a branch, or that have no thread, cost "
               "the same slots as those that work.",
           .edit = "{step}. Branches are free where whole warps take the same side.",
           .ruledOut = "idle lanes ({active} of the lanes do work in the average instruction)",
           .gain = "min(1 − working lanes, 1 − busiest resource other than issue, integer pipe and "
                   "special functions, which full warps relieve) × duration",
           .editInGeneral =
               "Make the block a multiple of 32 threads, or give neighbouring threads work of the "
               "same kind. Branches are free where whole warps take the same side."},
    .check = check};

}  // namespace roofscope::rules
