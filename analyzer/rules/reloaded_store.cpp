// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/source/reloads.h"

namespace roofscope::rules {

namespace {

/// With less waiting for such loads, something else decides.
constexpr double kLeastWaiting = 0.15;

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const SourceAnalysis* source = kernel.source.get();
    if (kernel.origin != KernelOrigin::Own || !source || !source->hasSass ||
        !source->stalls.enough())
        return NotApplicable{};
    const std::vector<Reload> reloads = findReloads(input.profile, *source);
    if (reloads.empty()) return NotApplicable{};
    double samples = 0;
    for (const Reload& reload : reloads) samples += reload.samples;
    const double waiting = samples / source->stalls.total;
    const double gain = limitToEmptyLaunch(input, std::min(waiting, 1.0));
    if (waiting < kLeastWaiting || gain < kLeastReportedGain)
        return RuledOut{.args = {arg("waiting", waiting, Unit::Share)}, .cost = gain};
    Finding finding = makeFinding(input, gain);
    finding.relief = relieves({ResourceId::L1, ResourceId::L2, ResourceId::Issue});
    finding.args = {arg("count", static_cast<double>(reloads.size()), Unit::Count),
                    arg("waiting", waiting, Unit::Share)};
    finding.evidence = {
        {.label = Words("samples of waits for values that the thread has stored itself"),
         .formula = "samples in long_scoreboard at instructions that need such a load / all",
         .value = waiting,
         .unit = Unit::Share,
         .threshold = kLeastWaiting,
         .healthy = 0.0}};
    std::vector<double> ofRow(source->facts.size());
    for (const Reload& reload : reloads) ofRow[reload.load] += reload.samples;
    finding.places =
        worstPlaces(input.profile, *source, Words("samples of waits for stored values"), samples,
                    [&ofRow](std::size_t row) { return ofRow[row]; });
    return finding;
}

}  // namespace

extern const Rule reloaded_store;
const Rule reloaded_store{
    .id = "reloaded-store",
    .category = "memory",
    .needs = {CounterGroup::Source},
    .before = "t[i] = a[i] * b[i];\nout[i] = t[i] + c[i];  // loads t[i] again",
    .after = "float t = a[i] * b[i];\nout[i] = t + c[i];",
    .en = {.title = "Values go through global memory and back",
           .firesWhen = "By the machine code of the program's own kernel, threads load what they "
                        "stored themselves a little earlier, with no barrier or atomic between, "
                        "and 15 % of the samples are of warps that wait for such loads.",
           .sentence = "{count} {count?load:loads} {count?reads:read} what the same thread stored "
                       "a little earlier; warps wait for that in {waiting} of the time.",
           .mechanism = "A store goes to the L2, and the load after it waits for the way there "
                        "and back. The compiler may not keep the value in a register where "
                        "another pointer could point to the same place. If threads share such "
                        "scratch memory, they also wait for each other, and overwrite each "
                        "other's values.",
           .edit = "Keep these values in local variables, and store only what is needed after the "
                   "kernel. Where the arrays are only scratch memory, drop them.",
           .ruledOut = "loads of values just stored ({waiting} of the time)",
           .gain = "share of the samples that wait for such loads × duration"},
    .check = check,
    .namesLine = NamesLine::BySamples,
    .causesStalls = {"long_scoreboard"}};

}  // namespace roofscope::rules
