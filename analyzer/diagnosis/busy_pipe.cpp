// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/busy_pipe.h"

#include <algorithm>

#include "analyzer/counters/counter_names.h"

namespace roofscope::rules {

std::optional<double> issueOfOthers(const RuleInput& input, const WatchedPipe& watched) {
    const Resource* issue = resourcesOf(input.kernel.quantities).find(ResourceId::Issue);
    const auto sums = jointSums(input, {watched.instructions, counter::kWarpInstructionsAgain});
    if (!issue || !sums.ok() || !(sums[1] > 0)) return std::nullopt;
    return std::min(1.0, issue->busy) * (1.0 - std::min(1.0, sums[0] / sums[1]));
}

RuleResult checkBusyPipe(const RuleInput& input, const WatchedPipe& watched) {
    const Resources resources = resourcesOf(input.kernel.quantities);
    const Resource* pipe = resources.find(watched.resource);
    if (!pipe) {
        // The pipe matters only if the kernel is bound by instruction issue, or if its warps wait
        // for this pipe; other kernels are explained without it. An instruction occupies a pipe for
        // two or more cycles, so the pipe may be full while few issue slots are taken.
        const Verdict& verdict = input.kernel.verdict;
        const bool waits =
            verdict.cls == VerdictClass::LatencyBound &&
            std::ranges::find(watched.stalls, verdict.reason.stall) != watched.stalls.end();
        if (verdict.limiter != ResourceId::Issue && !waits) return NotApplicable{};
        return cannotTell(watched.utilisation.missing, CounterGroup::Pipes);
    }
    const double busy = std::min(1.0, pipe->busy);
    const double others = std::max(resources.busiestExcept({watched.resource, ResourceId::Issue}),
                                   issueOfOthers(input, watched).value_or(0));
    const RuledOut ruledOut{.args = {arg("pipe", busy, Unit::Share)},
                            .cost = std::min(busy, 1.0 - others)};
    if (busy < kBusyShare || busy < others + kLead) return ruledOut;
    // The issue slots of whatever replaces the instructions are not subtracted.
    const double gain = limitToEmptyLaunch(input, std::min(busy, 1.0 - others));
    if (gain < kLeastReportedGain) return ruledOut;
    Finding finding = makeFinding(input, gain);
    finding.relief = relieves({watched.resource, ResourceId::Issue});
    finding.args = {arg("pipe", busy, Unit::Share), arg("others", others, Unit::Share)};
    finding.evidence = {
        {.label = watched.label,
         .formula = watched.utilisation.how,
         .value = busy,
         .unit = Unit::Share,
         .threshold = kBusyShare},
        {.label = Words("busiest other resource"),
         .formula = "largest busy share of DRAM, L2, L1, shared memory, other pipes, and the issue "
                    "slots of their instructions",
         .value = others,
         .unit = Unit::Share}};
    finding.expected = {{.counter = Words::lasting(watched.counter),
                         .what = watched.moved,
                         .from = busy,
                         .to = others,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace roofscope::rules
