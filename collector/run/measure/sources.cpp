// SPDX-License-Identifier: Apache-2.0
#include "collector/run/measure/sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "collector/run/join/join_parts.h"
#include "collector/run/join/process_pairs.h"
#include "collector/run/measure/stall_samples.h"
#include "profile/names/instrumented.h"
#include "profile/text/count_text.h"

namespace roofscope {
namespace {

bool isMeasured(const Profile& profile, const SourceTarget& target) {
    return std::ranges::find(profile.sources, target.launch, &SourcePass::launch) !=
           profile.sources.end();
}

/// Whether a pass has no counters: it only holds the code and lines that came with samples.
bool isCode(const SourcePass& pass) { return pass.counters.names().empty(); }

/// Moves such passes from a run's profile to `base`, for kernels that have no pass there.
void takeCode(Profile& sampled, const ProcessPairs& pairs, const std::vector<SourceTarget>& targets,
              Profile& base) {
    for (const SourceTarget& target : targets) {
        if (isMeasured(base, target)) continue;
        const Launch& launch = base.launches[target.launch];
        const auto found =
            findDetail(sampled.sources, sampled, pairs, launch.process, target.signature);
        if (found == sampled.sources.end() || !isCode(*found)) continue;
        found->kernel = launch.kernel;
        found->launch = target.launch;
        base.sources.push_back(std::move(*found));
        sampled.sources.erase(found);
    }
}

/// Runs the program once more for warp stall samples, and adds them to the passes of the kernels
/// that were measured per instruction. Kernels without a pass get one, with code and lines.
Result<void> recordStalls(ProgramRuns& runner, RunConfiguration configuration,
                          const RecordOptions& options, const std::vector<SourceTarget>& targets,
                          Profile& base) {
    if (options.progress)
        options.progress("stall samples of " + countText(targets.size(), "kernel", "kernels"));
    StallsMode mode{.samplingPeriod = samplingPeriod(base, targets)};
    for (const SourceTarget& target : targets) {
        mode.picks[target.signature].push_back(target.ordinal);
        mode.code = mode.code || !isMeasured(base, target);
    }
    configuration.mode = std::move(mode);
    auto run = runner.run(configuration);
    if (!run) return run.error();
    Profile& sampled = run->profile;
    const ProcessPairs pairs = pairProcesses(base, sampled);
    for (const Issue& issue : sampled.issues) base.issues.push_back(issue);
    takeCode(sampled, pairs, targets, base);
    std::erase_if(sampled.sources, isCode);
    const auto tell = [&](const SourceTarget& target, std::string_view why) {
        base.issues.push_back(
            {.severity = Severity::Info,
             .source = "record",
             .code = "stall-samples-unavailable",
             .message = fmt::format("{} has no stall samples: {}",
                                    base.kernels[base.launches[target.launch].kernel].name, why)});
    };
    for (const SourceTarget& target : targets) {
        const auto pass = std::ranges::find(base.sources, target.launch, &SourcePass::launch);
        if (pass == base.sources.end()) {  // an earlier issue may say why
            if (sampled.issues.empty() && !hasIssue(base, "source-unavailable"))
                tell(target, "no launch of it was sampled");
            continue;
        }
        const auto samples = findDetail(sampled.sources, sampled, pairs,
                                        base.launches[target.launch].process, target.signature);
        if (samples == sampled.sources.end()) {
            if (!hasIssue(sampled, "stall-samples-unavailable"))
                tell(target, "no launch of it was sampled");
        } else if (auto ok = mergeSamples(*pass, *samples); !ok) {
            tell(target, ok.error().what);
        }
    }
    std::erase_if(base.sources, isCode);  // without samples, code alone is useless
    return {};
}

}  // namespace

Result<void> recordSources(ProgramRuns& runner, RunConfiguration configuration,
                           const RecordOptions& options, Profile& base) {
    const auto targets = sourceTargets(base, options.source);
    if (targets.empty())
        base.issues.push_back({.severity = Severity::DataLoss,
                               .source = "record",
                               .code = "source-unavailable",
                               .message = "no kernel was measured per instruction: no matching "
                                          "kernel was launched outside of CUDA graphs",
                               .advice = "check --source"});
    // A follow-up question must not take longer than it is worth, so it skips long kernels.
    const bool spares =
        options.stallSamples && options.sparesLongKernels && !options.source.launches.empty();
    bool some = false;
    for (std::size_t i = 0; i < targets.size() && !runner.over(); ++i) {
        const SourceTarget& target = targets[i];
        const Launch& launch = base.launches[target.launch];
        if (spares && launch.duration && isLongToInstrument(launch.duration->value)) {
            some = true;
            continue;
        }
        if (options.progress)
            options.progress(fmt::format("source pass {} of {}: {}", i + 1, targets.size(),
                                         base.kernels[launch.kernel].name));
        configuration.mode = SourceMode{.signature = target.signature, .ordinal = target.ordinal};
        auto run = runner.run(configuration);
        if (!run) return run.error();
        for (const Issue& issue : run->profile.issues) base.issues.push_back(issue);
        const auto source =
            findDetail(run->profile.sources, run->profile, pairProcesses(base, run->profile),
                       launch.process, target.signature);
        if (source == run->profile.sources.end()) {
            if (run->profile.issues.empty())
                base.issues.push_back(
                    {.severity = Severity::DataLoss,
                     .source = "record",
                     .code = "source-unavailable",
                     .message = "a kernel to be measured per instruction was not launched again"});
            continue;
        }
        source->kernel = launch.kernel;
        source->launch = target.launch;
        base.sources.push_back(std::move(*source));
    }
    some = some || std::ranges::any_of(targets, [&](const SourceTarget& target) {
               return isMeasured(base, target);
           });
    if (options.stallSamples && some && !runner.over())
        return recordStalls(runner, std::move(configuration), options, targets, base);
    return {};
}

}  // namespace roofscope
