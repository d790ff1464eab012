// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/counter_names.h"
#include "analyzer/roofline.h"
#include "analyzer/rule_support.h"
#include "analyzer/verdict.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kId = "idle-lanes";
constexpr std::uint64_t kWarp = 32;

/// Whole kernels whose lanes diverge somewhere still keep most of them: single-thread epilogues and
/// half-used tiles showed 0.81 to 0.94 on an H200. Below 0.7, three lanes of ten idle in the
/// average instruction, which takes divergence where the kernel spends its instructions.
constexpr double kDivergent = 0.7;
/// A tenth of the lanes missing in every warp instruction because of the block's size: that is
/// cheap to change, so less is worth naming than for divergence. A block of 112 threads is beyond
/// (0.875), one of 240 threads is not (0.94).
constexpr double kFullBlock = 0.9;
/// The size of the block is the cause when it explains most of the idle lanes.
constexpr double kExplains = 0.5;
/// Divergence is counted in instructions. Where warps issue in less than a quarter of the cycles
/// and nothing is busy, they wait for something, and which lanes took part in how many instructions
/// does not tell for whom.
constexpr double kIssues = 0.25;
/// Lanes that the block's threads fill in its warps.
double blockFill(std::uint64_t threads) {
    const std::uint64_t warps = (threads + kWarp - 1) / kWarp;
    return warps == 0 ? 1.0 : static_cast<double>(threads) / static_cast<double>(kWarp * warps);
}

std::string blockCause(std::uint64_t threads) {
    if (threads < kWarp) return fmt::format("a block of {} threads is less than a warp", threads);
    return fmt::format("the last warp of a block of {} threads has {} of them", threads,
                       threads % kWarp);
}

/// Whether issuing instructions, or waiting with nothing busy, is what takes the time. Filled lanes
/// save instructions; bytes and arithmetic stay.
bool lanesLimit(const RuleInput& input, const Resources& resources, bool byBlock) {
    const double issue = resources.busy(ResourceId::Issue);
    if (issue >= kBusyShare && issue >= resources.busiestExcept({ResourceId::Issue})) return true;
    return input.kernel.verdict.cls == VerdictClass::LatencyBound && (byBlock || issue >= kIssues);
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (q.activeLanes.notApplicable()) return NotApplicable{};
    if (!q.activeLanes.has()) return cannotTell(kId, q.activeLanes.missing);
    const double active = std::min(1.0, q.activeLanes->value);
    const auto ruledOut = [&](const char* why) {
        return RuledOut{.ruleId = std::string(kId),
                        .args = {arg("active", active, Unit::Share), arg("why", why)}};
    };
    const std::uint64_t threads = input.kernel.group.block.total();
    const double fill = blockFill(threads);
    const bool byBlock = fill < kFullBlock && 1.0 - fill >= kExplains * (1.0 - active);
    if (!byBlock && active >= kDivergent) return ruledOut("healthy");

    if (isUnderfilled(deviceOf(input), input.kernel.group)) return NotApplicable{};
    if (!q.issueUtilisation.has()) return cannotTell(kId, q.issueUtilisation.missing);
    if (input.kernel.verdict.cls == VerdictClass::Unknown)
        return cannotTell(kId, resourcesOf(q).missing);
    // One elected lane feeds the tensor cores; that is how such kernels are meant.
    if (q.tensorUtilisation.has() && q.tensorUtilisation->value >= kTensorInUse)
        return NotApplicable{};
    const Resources resources = resourcesOf(q);
    if (!lanesLimit(input, resources, byBlock)) return ruledOut("instructions are not what limits");

    // What the block leaves out certainly comes back with a full one; divergence may be recovered
    // whole at best. Bytes and arithmetic operations remain, whatever the lanes.
    const double idle = byBlock ? 1.0 - std::max(fill, active) : 1.0 - active;
    const double gain = aboveEmptyLaunch(
        input, std::max(0.0, std::min(idle, 1.0 - resources.busiestExcept({ResourceId::Issue}))));
    if (gain < kWorthNaming) return ruledOut("filling them saves no time");
    Finding finding = makeFinding(
        input, kId, gain,
        byBlock ? "min(1 − threads / (32 × warps of a block), 1 − busiest resource other than "
                  "issue) × duration"
                : "min(1 − active lanes, 1 − busiest resource other than issue) × duration");
    finding.args = {
        arg("active", active, Unit::Share),
        arg("cause", byBlock ? blockCause(threads)
                             : std::string("lanes of a warp take different sides of branches, or "
                                           "loops of different length")),
        arg("step", byBlock ? std::string("Make the block a multiple of 32 threads and let each "
                                          "thread find its element from its index")
                            : std::string("Give neighbouring threads work of the same kind: sort "
                                          "or group the elements before, or swap the index that "
                                          "the branch depends on with one that is equal in a "
                                          "warp"))};
    finding.evidence = {{.label = "active lanes in the average instruction",
                         .formula = q.activeLanes.how,
                         .value = active,
                         .unit = Unit::Share,
                         .threshold = byBlock ? kFullBlock : kDivergent,
                         .healthy = 1.0},
                        {.label = "instruction issue",
                         .formula = q.issueUtilisation.how,
                         .value = q.issueUtilisation->value,
                         .unit = Unit::Share,
                         .threshold = std::nullopt,
                         .healthy = std::nullopt}};
    if (byBlock) {
        finding.evidence.push_back({.label = "lanes that the block's threads fill",
                                    .formula = "threads / (32 × ⌈threads / 32⌉)",
                                    .value = fill,
                                    .unit = Unit::Share,
                                    .threshold = kFullBlock,
                                    .healthy = 1.0});
        finding.before = fmt::format("kernel<<<blocks, {}>>>(...);", threads);
        finding.after = fmt::format(
            "kernel<<<fewerBlocks, {}>>>(...);  // i = blockIdx.x * "
            "blockDim.x + threadIdx.x; if (i < n)",
            std::max<std::uint64_t>(128, threads / kWarp * kWarp));
    } else {
        finding.before = "if (kind[i] == A) a(x[i]); else b(x[i]);";
        finding.after =
            "// order: the elements sorted by kind\nconst int j = order[i];\n"
            "if (kind[j] == A) a(x[j]); else b(x[j]);";
    }
    finding.expected = {{.counter = std::string(counter::kThreadInstructions) + " / (32 × " +
                                    std::string(counter::kWarpInstructions) + ")",
                         .from = active,
                         .to = active / (1.0 - idle),
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule idle_lanes;
const Rule idle_lanes{
    .id = kId,
    .category = "parallelism",
    .firesWhen =
        "On average at least 30 % of the lanes take no part in an instruction, or the block's "
        "size alone leaves more than 10 % of them empty, and issuing instructions is what limits "
        "or nothing is busy.",
    .needs = "default",
    .en = {.title = "Idle lanes in the warps",
           .sentence = "Only {active} of the lanes take part in the average instruction: {cause}.",
           .mechanism =
               "A warp issues an instruction once for all of its 32 lanes, however many of them "
               "need it. Lanes that took another side of a branch, or that have no thread, cost "
               "the same slots as those that work.",
           .edit = "{step}. Branches are free where whole warps take the same side.",
           .before = "",  // depends on the cause: see check()
           .after = "",
           .ruledOut = "not idle lanes ({active} of the lanes active on average: {why})"},
    .check = check};

}  // namespace roofscope::rules
