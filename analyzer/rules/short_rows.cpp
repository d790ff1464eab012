// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/source/source_analysis.h"
#include "analyzer/source/stalls.h"

namespace roofscope::rules {

namespace {

constexpr double kLanes = 32, kSectorBytes = 32;
/// Lanes that load, on average. A half-filled warp gains less than such an edit costs.
constexpr double kFewLanes = 16;
/// A single lane loads for others.
constexpr double kLeastLanes = 2;
/// Lanes next to each other read whole sectors, but for the ends, or one sector in all.
constexpr double kDense = 1.5, kOneSector = 1.1;
constexpr double kNearly = 0.15;
/// Without machine code: with more lanes that do work in the average instruction, it is not asked
/// for.
constexpr double kMostWorking = 0.65;
/// Loads of one or two bytes may fill all lanes with as few bytes.
constexpr double kHardlyAny = 0.02;
/// Otherwise something else takes the time.
constexpr double kWaits = 0.3;
/// Instructions on average between two loads; with more, a loop over other things decides.
constexpr double kPerLoad = 128;

/// Whether the average load asks for at most as many bytes as half a warp's words, and these lie
/// next to each other. All lanes may read a few words as well: each counts once.
bool asksForLittle(const RuleInput& input) {
    const auto sums = jointSums(
        input, {counter::kGlobalLoadBytes, counter::kGlobalLoads, counter::kWidth8,
                counter::kWidth16, counter::kWidth32, counter::kWidth64, counter::kWidth128,
                counter::kGlobalLoadSectors, counter::kWarpInstructions, counter::kAsyncCopies});
    if (!sums.ok() || !(sums[1] > 0) || sums[9] > 0) return false;
    const double bytes = sums[0], loads = sums[1], narrow = sums[2] + sums[3];
    const double wide = sums[4] + sums[5] + sums[6], all = narrow + wide;
    const double width = wide > 0 ? (4 * sums[4] + 8 * sums[5] + 16 * sums[6]) / wide : 0;
    return width > 0 && narrow <= kHardlyAny * all && bytes <= kFewLanes * width * loads &&
           sums[7] <= std::max(kDense * bytes / kSectorBytes, kOneSector * loads) &&
           sums[8] <= kPerLoad * loads;
}

/// Lanes that execute the average load, by the counters of each instruction.
std::optional<double> lanesThatLoad(const SourceAnalysis& source) {
    const SourceSums loads = source.sumOf(kGlobalLoadKinds);
    if (!source.hasSass || !loads.executed || !loads.threads || !(*loads.executed > 0))
        return std::nullopt;
    return *loads.threads / *loads.executed;
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    if (kernel.origin != KernelOrigin::Own || kernel.verdict.cls != VerdictClass::LatencyBound ||
        kernel.group.block.total() < static_cast<std::uint64_t>(kLanes) || !asksForLittle(input) ||
        isNearlyEmptyLaunch(input))
        return NotApplicable{};
    const Quantities& q = kernel.quantities;
    if (!kernel.source && !(q.activeLanes.has() && q.predicatedOn.has() &&
                            q.activeLanes->value * q.predicatedOn->value <= kMostWorking))
        return NotApplicable{};
    const Stalls stalls = stallsOf(input.profile, kernel);
    if (stalls.reasons.empty()) return cannotTell(stalls.missing, CounterGroup::Stalls);
    const double waits = stalls.shareOf("long_scoreboard");
    if (waits < kWaits) return NotApplicable{};
    if (!kernel.source)
        return cannotTell(Words("how many lanes execute the loads"), CounterGroup::Source);
    const auto lanes = lanesThatLoad(*kernel.source);
    if (!lanes || *lanes < kLeastLanes || *lanes > kFewLanes) return NotApplicable{};
    const double gain = limitToEmptyLaunch(input, waits * (1.0 - *lanes / kLanes));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.estimate = true;
    // Loads of something else (an index for each row) hardly change the mean.
    const double usual = std::exp2(std::round(std::log2(*lanes)));
    const int width =
        static_cast<int>(std::abs(*lanes - usual) <= kNearly * usual ? usual : std::round(*lanes));
    const int rows = static_cast<int>(kLanes) / width;
    finding.args = {arg("lanes", *lanes, Unit::Count), arg("rows", rows, Unit::Count),
                    arg("waits", waits, Unit::Share)};
    finding.before =
        fmt::format("row = warp; if (lane < {0}) sum(row, lane, x[row * {0} + lane]);", width);
    finding.after = fmt::format(
        "row = {1} * warp + lane / {0}; column = lane % {0};  // if lane < {2}\n"
        "sum(row, column, x[row * {0} + column]);",
        width, rows, width * rows);
    finding.evidence = {{.label = Words("lanes that execute the average load"),
                         .formula = "thread instructions / warp instructions of global loads",
                         .value = *lanes,
                         .unit = Unit::Count,
                         .threshold = kFewLanes,
                         .healthy = kLanes}};
    const auto counted = jointSums(input, {counter::kGlobalLoads});
    finding.expected = movementOf(counter::kGlobalLoads, counted.mean(0), counted.mean(0) / rows);
    return finding;
}

}  // namespace

extern const Rule short_rows;
const Rule short_rows{
    .id = "short-rows",
    .category = "memory",
    .needs = {CounterGroup::Default, CounterGroup::Stalls, CounterGroup::Source},
    .before = "row = warp; if (lane < 8) sum(row, lane, x[row * 8 + lane]);",
    .after =
        "row = 4 * warp + lane / 8; column = lane % 8;\n"
        "sum(row, column, x[row * 8 + column]);  // 32 lanes, 128 bytes",
    .en = {.title = "Few lanes of a warp load",
           .firesWhen =
               "From 2 to 16 lanes execute the average load, they read neighbouring words of at "
               "least 4 bytes, nothing is near its limit, and warps wait for global memory for 30 "
               "% of their time.",
           .sentence = "On average {lanes} of 32 lanes execute a load, and warps wait for "
                       "loads for {waits} of their time.",
           .mechanism = "A row that is shorter than a warp leaves lanes idle, and each load brings "
                        "fewer bytes for the same wait.",
           .edit = "Let a warp load about {rows} rows at once: the row is lane / width, the column "
                   "lane % width, so that all 32 lanes load.",
           .ruledOut = "rows shorter than a warp",
           .gain = "time in which warps wait for global memory × (1 − lanes / 32)",
           .editInGeneral =
               "Let a warp load several short rows at once (row: lane / width, column: "
               "lane % width)."},
    .check = check,
    .explains = {"idle-lanes"},
    .causesStalls = {"long_scoreboard"}};

}  // namespace roofscope::rules
