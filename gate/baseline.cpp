// SPDX-License-Identifier: Apache-2.0
#include "gate/baseline.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <nlohmann/json.hpp>

#include "analyzer/compare/parts.h"
#include "analyzer/counter_names.h"
#include "analyzer/group_sums.h"
#include "analyzer/grouping.h"
#include "analyzer/rule.h"
#include "gate/keys.h"
#include "profile/redact.h"

namespace roofscope::gate {

namespace {

/// The middle of the values and their band; nothing when none is finite.
std::optional<Fact> durationFact(std::vector<double> seconds) {
    std::erase_if(seconds, [](double s) { return !(s > 0); });  // NaN too
    const Band band = compare::bandOf(seconds);
    if (band.repeats == 0) return std::nullopt;
    std::sort(seconds.begin(), seconds.end());
    const std::size_t half = seconds.size() / 2;
    const double median =
        seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
    return Fact{median, band};
}

void addDurations(const compare::Side& side, BaselineKernel& kernel) {
    std::vector<double> unprofiled;
    if (groupDuration(side.profile(), side.kernel.group, unprofiled).unprofiled)
        if (const auto fact = durationFact(unprofiled)) kernel.facts.emplace(kTimingKey, *fact);
    std::vector<double> counted = GroupSums(side.profile().counters, side.kernel.group.launches)
                                      .perLaunch(counter::kDuration);
    for (double& value : counted) value *= 1e-9;  // CUPTI reports nanoseconds
    if (const auto fact = durationFact(counted)) kernel.facts.emplace(kCounterRunKey, *fact);
}

BaselineKernel kernelOf(const Analysis& analysis, const KernelAnalysis& kernel,
                        const ProfileFormulas& formulas, const PrivateParts& privateParts) {
    const compare::Side side{analysis, kernel, formulas};
    BaselineKernel out{.name = baselineName(kernel.fullName, privateParts),
                       .range = baselineName(kernel.range, privateParts),
                       .device = kernel.group.device,
                       .grid = kernel.group.grid,
                       .block = kernel.group.block,
                       .cluster = kernel.group.cluster,
                       .dynamicSharedBytes = kernel.group.dynamicSharedBytes};
    if (kernel.quantities.smClock.has()) out.smClockHz = kernel.quantities.smClock->value;
    if (kernel.quantities.dramClock.has()) out.dramClockHz = kernel.quantities.dramClock->value;
    addDurations(side, out);
    const compare::Repeats repeats(side);
    for (const Key& key : allKeys()) {
        if (key.judged == Judged::Duration) continue;
        const auto value = repeats.value(*key.quantity).value;
        // What is not compared is a property of the function, or a limit only: without noise.
        if (value)
            out.facts[std::string(key.key)] = {*value, key.quantity->uses.compared
                                                           ? repeats.band(*key.quantity)
                                                           : Band{*value, *value, 0, true}};
    }
    for (const Finding& finding : kernel.findings) {
        const auto [at, added] = out.findings.emplace(finding.ruleId, finding.minor);
        if (!added) at->second = at->second && finding.minor;
    }
    return out;
}

}  // namespace

Baseline makeBaseline(const Analysis& analysis, std::vector<std::size_t>* order) {
    const PrivateParts privateParts(hostNames(*analysis.profile));
    Baseline baseline;
    baseline.tool = "roofscope " + analysis.profile->capture.toolVersion;
    baseline.cacheControl = analysis.profile->capture.cacheControl;
    for (const Device& device : analysis.profile->devices)
        baseline.devices.push_back({.name = baselineName(device.name, privateParts),
                                    .chip = baselineName(device.chip, privateParts),
                                    .computeMajor = device.computeMajor,
                                    .computeMinor = device.computeMinor,
                                    .smCount = device.smCount});
    for (const Rule* rule : allRules()) baseline.rules.emplace_back(rule->id);
    std::sort(baseline.rules.begin(), baseline.rules.end());

    const ProfileFormulas formulas(*analysis.profile);
    std::vector<BaselineKernel> kernels(analysis.kernels.size());
    std::vector<std::size_t> sorted(kernels.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    // In the order of the counters in memory: in another, 50,000 kernels take several times as
    // long.
    const auto firstLaunch = [&](std::size_t i) {
        const auto& launches = analysis.kernels[i].group.launches;
        return launches.empty() ? 0U : launches.front();
    };
    std::ranges::stable_sort(sorted, {}, firstLaunch);
    for (const std::size_t i : sorted)
        kernels[i] = kernelOf(analysis, analysis.kernels[i], formulas, privateParts);
    // Not by time, which would move lines whenever two kernels are about equally slow.
    const auto key = [&](std::size_t i) {
        const BaselineKernel& k = kernels[i];
        return std::tie(k.name, k.range, k.device, k.grid, k.block, k.cluster, k.dynamicSharedBytes,
                        analysis.kernels[i].group.launches);
    };
    std::sort(sorted.begin(), sorted.end(),
              [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    for (const std::size_t i : sorted) baseline.kernels.push_back(std::move(kernels[i]));
    if (order) *order = std::move(sorted);
    return baseline;
}

}  // namespace roofscope::gate
