// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/launches/launch_gaps.h"

namespace roofscope::rules {

namespace {

/// From this share of time without a kernel on, the way the program launches is worth a look.
constexpr double kMaterial = 0.20;
/// Fewer gaps are how a program starts and ends, not how it runs.
constexpr std::size_t kLeastGaps = 10;
constexpr std::size_t kNameLength = 60;

/// Whether copies, waits and launch calls of all processes were recorded. Then the program's
/// account shows what the GPU waits for, including copies.
bool hasAccount(const Profile& profile) {
    const auto recorded = [](const Process& process) {
        const auto& parts = process.timeline;
        return parts && parts->copies && parts->waits && parts->launches;
    };
    return !profile.processes.empty() && std::ranges::all_of(profile.processes, recorded);
}

RuleResult checkSequence(const SequenceInput& input) {
    const Profile& profile = input.profile;
    if (hasAccount(profile)) return NotApplicable{};
    if (input.gaps.devices.empty())
        return cannotTell(Words("when each launch began"), CounterGroup::Timing);
    const DeviceGaps* worst = nullptr;
    for (const DeviceGaps& device : input.gaps.devices) {
        if (device.gaps.size() < kLeastGaps || !(device.span.value > 0)) continue;
        if (device.idle / device.span < kMaterial) continue;
        if (!worst || device.idle > worst->idle) worst = &device;
    }
    if (!worst) return NotApplicable{};
    const double share = worst->idle / worst->span;
    const auto count = static_cast<double>(worst->gaps.size());
    const double median = worst->gaps[worst->gaps.size() / 2];
    const std::string next = shortKernelName(
        profile.kernels[profile.launches[worst->launchAfterLargest].kernel].name, kNameLength);

    Finding finding;
    finding.gainFormula = Words("sum of the gaps of 2 to 200 µs between launches");
    const std::string how = finding.gainFormula.in(Language::En);
    finding.gain = Derived<Seconds>::of(worst->idle, how);
    finding.gainShare = Derived<Ratio>::of({share}, how + " / span");
    finding.args = {arg("idle", worst->idle.value, Unit::Seconds),
                    arg("share", share, Unit::Share),
                    arg("span", worst->span.value, Unit::Seconds),
                    arg("count", count, Unit::Count),
                    arg("median", median, Unit::Seconds),
                    arg("largest", worst->gaps.back(), Unit::Seconds),
                    arg("next", Words::same(next))};
    finding.evidence = {{.label = Words("time without a kernel, in gaps of 2 to 200 µs"),
                         .formula = "Σ (start of the next launch − end of the last one) / span",
                         .value = share,
                         .unit = Unit::Share,
                         .threshold = kMaterial,
                         .healthy = 0.0}};
    finding.expected = {{.counter = Words("time without a kernel"),
                         .what = moved::OverTime{},
                         .from = worst->idle.value,
                         .to = 0.0,
                         .unit = Unit::Seconds}};
    return finding;
}

}  // namespace

extern const Rule launch_gaps;
const Rule launch_gaps{
    .id = "launch-gaps",
    .category = "latency",
    .needs = {CounterGroup::Timing},
    .before = "for (int step = 0; step < steps; ++step) { a<<<...>>>(); b<<<...>>>(); }",
    .after =
        "cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);\n"
        "a<<<...>>>(); b<<<...>>>();\n"
        "cudaStreamEndCapture(stream, &graph);  // once; then per step:\n"
        "cudaGraphLaunch(instance, stream);",
    .en = {.title = "The GPU waits for launches",
           .firesWhen = "Of the time from the first launch to the last one (loading of kernels "
                        "left out), at least 20 % lie in at least 10 gaps of 2 to 200 µs in which "
                        "no kernel runs. Longer pauses and nodes of CUDA graphs do not count. With "
                        "a recorded timeline, the program's account is used instead.",
           .sentence =
               "For {idle} of {span} ({share}) no kernel runs, in {count} short gaps between "
               "launches (median {median}); the longest, {largest}, is before {next}.",
           .mechanism =
               "Gaps this short are the time that the program needs to launch, to copy a few "
               "bytes, or to notice that the GPU is done. Copies between launches are not "
               "in this profile, and recording lengthens the gaps somewhat.",
           .edit = "Launch ahead instead of waiting: remove synchronisations and copies of single "
                   "values from the loop (.item(), cudaMemcpy, cudaDeviceSynchronize), capture the "
                   "sequence once as a CUDA graph (torch.cuda.graph, torch.compile with "
                   "mode=\"reduce-overhead\"), or fuse small kernels.",
           .ruledOut = "gaps between launches",
           .gain = "the time between launches in which the GPU has nothing to do"},
    .checkSequence = checkSequence,
    .editPlace = EditPlace::Program};

}  // namespace roofscope::rules
