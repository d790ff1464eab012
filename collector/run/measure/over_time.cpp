// SPDX-License-Identifier: Apache-2.0
#include "collector/run/measure/over_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collector/run/join/process_pairs.h"
#include "profile/text/count_text.h"

namespace roofscope {
namespace {

Issue unavailable(std::string why, std::string advice = {}) {
    return {.severity = Severity::DataLoss,
            .source = "record",
            .code = "over-time-unavailable",
            .message = "no kernel was sampled over time: " + std::move(why),
            .advice = std::move(advice)};
}

/// Drops launches that would have few samples, which cannot show how activity changes over time.
void dropShortLaunches(std::vector<SourceTarget>& targets, Profile& base) {
    constexpr double kFewest = 10;
    std::erase_if(targets, [&](const SourceTarget& target) {
        const Launch& launch = base.launches[target.launch];
        const double interval = static_cast<double>(samplingInterval(launch.duration)) / 1e9;
        if (!launch.duration || launch.duration->value >= kFewest * interval) return false;
        base.issues.push_back(
            {.severity = Severity::Info,
             .source = "record",
             .code = "over-time-too-short",
             .message =
                 fmt::format("{} takes {:.1f} µs, too short to be sampled every half microsecond",
                             base.kernels[launch.kernel].name, 1e6 * launch.duration->value)});
        return true;
    });
}

}  // namespace

std::uint64_t samplingInterval(std::optional<Seconds> duration) {
    constexpr double kSamples = 250, kShortest = 1e-6, kLongest = 0.1;
    // The shortest interval whose values were checked to be right is half a microsecond.
    constexpr Seconds kShort{25e-6};
    if (!duration) return 10'000;
    if (*duration < kShort) return 500;
    const double wanted = std::clamp(duration->value / kSamples, kShortest, kLongest);
    return static_cast<std::uint64_t>(std::ceil(wanted * 1e6 - 1e-6)) * 1000;
}

Result<void> recordOverTime(ProgramRuns& runner, RunConfiguration configuration,
                            const RecordOptions& options, Profile& base) {
    auto targets = sourceTargets(base, options.overTime);
    if (targets.empty()) {
        base.issues.push_back(unavailable("no matching kernel was launched outside of CUDA graphs",
                                          "check --over-time"));
        return {};
    }
    dropShortLaunches(targets, base);
    if (targets.empty()) return {};
    if (options.progress)
        options.progress(
            countText(targets.size(), "kernel over its time", "kernels over their time"));
    OverTimeMode mode;
    for (const SourceTarget& target : targets) {
        mode.picks[target.signature].push_back(target.ordinal);
        mode.intervals[target.signature] = samplingInterval(base.launches[target.launch].duration);
    }
    configuration.mode = std::move(mode);
    auto run = runner.run(configuration);
    if (!run) return run.error();
    Profile& sampled = run->profile;
    const ProcessPairs pairs = pairProcesses(base, sampled);
    for (const Issue& issue : sampled.issues) base.issues.push_back(issue);
    for (const SourceTarget& target : targets) {
        const Launch& wanted = base.launches[target.launch];
        const auto found =
            findDetail(sampled.overTime, sampled, pairs, wanted.process, target.signature);
        if (found != sampled.overTime.end()) {
            found->kernel = wanted.kernel;
            found->launch = target.launch;
            base.overTime.push_back(std::move(*found));
            sampled.overTime.erase(found);
        } else if (sampled.issues.empty()) {
            base.issues.push_back(unavailable(fmt::format("{} was not launched again as before",
                                                          base.kernels[wanted.kernel].name)));
        }
    }
    return {};
}

}  // namespace roofscope
