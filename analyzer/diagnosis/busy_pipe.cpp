// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/busy_pipe.h"

#include <algorithm>

namespace roofscope::rules {

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
    const double others = resources.busiestExcept({watched.resource, ResourceId::Issue});
    const RuledOut ruledOut{.args = {arg("pipe", busy, Unit::Share)},
                            .cost = std::min(busy, 1.0 - others)};
    if (busy < kBusyShare || busy < others + kLead) return ruledOut;
    // Instruction issue is no limit here: without the pipe's instructions, their issue slots are
    // free as well. The slots of whatever replaces them are not subtracted.
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
        {.label = Words("busiest other resource, issue aside"),
         .formula = "largest busy share of DRAM, L2, L1, shared memory and other pipes",
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
