// SPDX-License-Identifier: Apache-2.0
#include "cli/record_plan.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "collector/run/strategy/replay_strategy.h"
#include "collector/run/strategy/representative_launches.h"
#include "collector/run/tools/first_chip.h"

namespace roofscope::cli {

namespace {

std::string counted(std::size_t counters) {
    return fmt::format("{} counter{}", counters, counters == 1 ? "" : "s");
}

/// Runs in addition to those for counters of whole launches.
struct FurtherRuns {
    std::size_t sources = 0;  ///< upper limit
    int stalls = 0;
};

FurtherRuns furtherRuns(const RecordOptions& options) {
    FurtherRuns runs;
    if (options.source.any())
        runs.sources = options.source.pattern.empty() ? options.source.top : kMostSources;
    runs.stalls = runs.sources > 0 && options.stallSamples ? 1 : 0;
    return runs;
}

std::string toJson(const RecordOptions& options, Effort effort, const RecordPlan& plan) {
    const ReplayCosts costs = replayCosts();
    const FurtherRuns further = furtherRuns(options);
    nlohmann::ordered_json dropped = nlohmann::ordered_json::object();
    for (const auto& [counter, why] : plan.dropped) dropped[counter] = why;
    nlohmann::ordered_json document{
        {"chip", plan.chip},
        {"timing_only", options.timingOnly},
        {"counters", plan.counters},
        {"dropped", std::move(dropped)},
        {"kernel_replay",
         {{"passes_per_launch", plan.kernelPasses},
          {"seconds_per_launch", costs.kernelPass.value * static_cast<double>(plan.kernelPasses)}}},
        {"application_replay",
         {{"runs", plan.runs},
          {"not_collected", plan.severalPasses},
          {"seconds_per_launch",
           costs.applicationLaunch.value * static_cast<double>(plan.runs.size())}}},
        {"source", {{"most_runs", further.sources}, {"stall_sample_runs", further.stalls}}},
        {"over_time", {{"runs", options.overTime.any() ? 1 : 0}}},
        {"effort", toString(effort)}};
    if (!options.ranges.empty())
        document["ranges"] = {{"globs", options.ranges}, {"runs_per_depth", plan.runs.size()}};
    return document.dump(2) + "\n";
}

void printTimingRuns(const RecordOptions& options) {
    const unsigned runs = timingRunsOf(options);
    fmt::print("timing runs         {}{}\n", runs,
               runs > 0 ? ", and one more where tracing may lengthen kernels" : "");
}

void printCounterRuns(const RecordPlan& plan) {
    const ReplayCosts costs = replayCosts();
    fmt::print("kernel replay       {} pass{} per launch, about {:.0f} ms\n", plan.kernelPasses,
               plan.kernelPasses == 1 ? "" : "es",
               1e3 * costs.kernelPass.value * static_cast<double>(plan.kernelPasses));
    fmt::print("application replay  {} run{} of the program, about {:.1f} ms per launch\n",
               plan.runs.size(), plan.runs.size() == 1 ? "" : "s",
               1e3 * costs.applicationLaunch.value * static_cast<double>(plan.runs.size()));
    for (const std::string& counter : plan.severalPasses)
        fmt::print("  not {}: it needs several passes\n", counter);
    for (std::size_t i = 0; i < plan.runs.size(); ++i)
        fmt::print("  run {}: {}, {}{}\n", i + 1, counted(plan.runs[i].size()),
                   plan.runs[i].front(), plan.runs[i].size() == 1 ? "" : " …");
}

void printSourceRuns(const RecordOptions& options) {
    const FurtherRuns further = furtherRuns(options);
    if (further.sources > 0)
        fmt::print("source              at most {} run{}, one per kernel\n", further.sources,
                   further.sources == 1 ? "" : "s");
    if (options.overTime.any()) fmt::print("over time           1 run for all kernels asked for\n");
    if (further.stalls > 0)
        fmt::print("stall samples       {} run for all of these kernels\n", further.stalls);
}

/// Only prints the time limit: the questions depend on the results of the first runs.
void printFollowUps(Effort effort) {
    if (effort == Effort::Quick) return;
    fmt::print("follow-up questions {}\n",
               effort == Effort::Deep
                   ? "until no question is open"
                   : "until 2.1 times the program's time is over, for at least 6 s");
}

void printText(const RecordOptions& options, Effort effort, const RecordPlan& plan) {
    if (options.timingOnly) {
        fmt::print("no counters of launches are read (--timing-only)\n");
        printTimingRuns(options);
        printSourceRuns(options);
        return;
    }
    const ReplayCosts costs = replayCosts();
    fmt::print("{} on {}\n", counted(plan.counters.size()), plan.chip);
    for (const auto& [counter, why] : plan.dropped) fmt::print("  not {}: {}\n", counter, why);
    printTimingRuns(options);
    printCounterRuns(plan);
    printSourceRuns(options);
    if (!options.ranges.empty())
        fmt::print("ranges              {} run{} of the program for each nesting depth\n",
                   plan.runs.size(), plan.runs.size() == 1 ? "" : "s");
    printFollowUps(effort);
    fmt::print(
        "Costs were measured on an H200. With kernel replay, the program's device memory adds "
        "{:.1f} ms per GB\nand pass, or {:.0f} ms if it must be saved to host memory; pinned "
        "memory adds {:.1f} s per GB for each\nlaunch with several passes.\n",
        1e3 * costs.savingPerGB.value, 1e3 * costs.savingPerGBInHost.value,
        costs.savingPerPinnedGB.value);
}

/// With --timing-only there are no counters to plan, so a GPU or chip is not required.
Result<RecordPlan> planFor(const RecordOptions& options, std::string chip) {
    if (chip.empty()) chip = firstChip();
    if (options.timingOnly) return RecordPlan{.chip = std::move(chip)};
    if (chip.empty())
        return Error{.code = ErrorCode::Unavailable,
                     .what = "there is no GPU here to plan for",
                     .where = "--dry-run",
                     .advice = "name one: --chip GH100"};
    return planRecord(options, chip);
}

}  // namespace

Result<int> showPlan(const RecordOptions& options, Effort effort, const std::string& chip,
                     bool json) {
    // Report the same errors as a recording would.
    if (auto ok = checkRecordOptions(options); !ok) return ok.error();
    const auto plan = planFor(options, chip);
    if (!plan) return plan.error();
    if (json)
        std::cout << toJson(options, effort, *plan);
    else
        printText(options, effort, *plan);
    return 0;
}

}  // namespace roofscope::cli
