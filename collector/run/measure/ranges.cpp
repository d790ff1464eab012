// SPDX-License-Identifier: Apache-2.0
#include "collector/run/measure/ranges.h"

#include <fmt/format.h>

#include <set>

#include "collector/run/join/join_parts.h"
#include "collector/run/join/join_ranges.h"
#include "profile/text/count_text.h"

namespace roofscope {
namespace {

void tell(Profile& base, Severity severity, const char* code, std::string message,
          const char* advice) {
    addIssue(base, {.severity = severity,
                    .source = "record",
                    .code = code,
                    .message = std::move(message),
                    .advice = advice});
}

}  // namespace

Result<void> recordRanges(const RangeRuns& runs, RunConfiguration configuration, Profile& base) {
    if (base.rangeMeasurements.empty()) {
        tell(base, Severity::DataLoss, "ranges-unavailable",
             "no range was measured: none that matches launched a kernel",
             "check --range: NVTX push and pop ranges that begin after CUDA is initialised");
        return {};
    }
    if (hasIssue(base, "counters-not-permitted") || hasIssue(base, "counters-unavailable"))
        return {};
    std::set<std::uint32_t> depths;
    for (const RangeMeasurement& m : base.rangeMeasurements) depths.insert(m.depth);
    const std::size_t all = runs.groups.size() * depths.size();
    std::size_t done = 0;
    for (const std::uint32_t depth : depths)
        for (const auto& group : runs.groups) {
            if (runs.over()) return {};
            runs.say(fmt::format("ranges, run {} of {}", ++done, all));
            configuration.mode =
                RangesMode{.ranges = runs.ranges, .depth = depth, .counters = group};
            const auto run = runs.run(configuration);
            if (!run) return run.error();
            const RangeJoin join = joinRanges(base, *run, depth);
            // An earlier issue may already say why an occurrence is absent.
            const bool absent = join.absent > 0 && !hasIssue(*run, "ranges-overlap") &&
                                !hasIssue(*run, "counters-unavailable") &&
                                !hasIssue(*run, "counters-not-permitted");
            if (join.differing > 0 || join.unknown > 0 || absent)
                tell(base, Severity::DataLoss, "ranges-differ",
                     fmt::format("the program's ranges differ between runs: {} "
                                 "launched other kernels than in the timing run, {} did not occur "
                                 "in it, {} occurred only in it; these have no counters",
                                 countText(join.differing, "occurrence", "occurrences"),
                                 join.unknown, join.absent),
                     "measure a part of the program that repeats");
        }
    return {};
}

}  // namespace roofscope
