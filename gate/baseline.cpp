// SPDX-License-Identifier: Apache-2.0
#include "gate/baseline.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "analyzer/compare/parts.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/launches/grouping.h"
#include "gate/keys.h"
#include "gate/program_time.h"
#include "profile/operations/redact.h"

namespace roofscope::gate {

namespace {

void addDurations(const compare::Side& side, BaselineKernel& kernel) {
    std::vector<double> unprofiled;
    if (groupDuration(side.profile(), side.kernel.group, unprofiled).unprofiled())
        if (const auto fact = durationFact(unprofiled)) kernel.facts.add(kTimingKey, *fact);
    std::vector<double> counted = GroupSums(side.profile().counters, side.kernel.group.launches)
                                      .perLaunch(counter::kDuration);
    for (double& value : counted) value *= 1e-9;  // CUPTI reports nanoseconds
    if (const auto fact = durationFact(counted)) kernel.facts.add(kCounterRunKey, *fact);
}

}  // namespace

struct BaselineMaker::State {
    explicit State(const Analysis& of)
        : analysis(of), formulas(*of.profile), privateParts(hostNames(*of.profile)) {}

    const Analysis& analysis;
    ProfileFormulas formulas;
    PrivateDataFilter privateParts;
    std::vector<std::string> names, ranges;  ///< by index into Analysis::kernels
    std::vector<std::size_t> order;
};

BaselineMaker::BaselineMaker(const Analysis& analysis) {
    auto state = std::make_unique<State>(analysis);
    std::unordered_map<std::string_view, std::string> ranges;  // few, each shared by many kernels
    for (const KernelAnalysis& kernel : analysis.kernels) {
        state->names.push_back(baselineName(kernel.fullName, state->privateParts));
        const auto [range, isNew] = ranges.try_emplace(kernel.range);
        if (isNew) range->second = baselineName(kernel.range, state->privateParts);
        state->ranges.push_back(range->second);
    }
    state->order.resize(analysis.kernels.size());
    std::iota(state->order.begin(), state->order.end(), 0);
    // Not by time: lines would move whenever two kernels are about equally slow.
    const auto key = [&](std::size_t i) {
        const LaunchGroup& group = analysis.kernels[i].group;
        return std::tie(state->names[i], state->ranges[i], group.device, group.grid, group.block,
                        group.cluster, group.dynamicSharedBytes, group.launches);
    };
    std::ranges::sort(state->order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    m_state = std::move(state);
}

BaselineMaker::~BaselineMaker() = default;

const std::vector<std::size_t>& BaselineMaker::order() const { return m_state->order; }
const std::string& BaselineMaker::name(std::size_t kernel) const { return m_state->names[kernel]; }
const std::string& BaselineMaker::range(std::size_t kernel) const {
    return m_state->ranges[kernel];
}

Baseline BaselineMaker::head() const {
    const Profile& profile = *m_state->analysis.profile;
    Baseline baseline;
    baseline.tool = "roofscope " + profile.capture.toolVersion;
    baseline.cacheControl = profile.capture.cacheControl;
    for (const Device& device : profile.devices)
        baseline.devices.push_back({.name = baselineName(device.name, m_state->privateParts),
                                    .chip = baselineName(device.chip, m_state->privateParts),
                                    .computeMajor = device.computeMajor,
                                    .computeMinor = device.computeMinor,
                                    .smCount = device.smCount});
    baseline.program = programTime(m_state->analysis, m_state->privateParts);
    for (const Rule* rule : allRules()) baseline.rules.emplace_back(rule->id);
    std::sort(baseline.rules.begin(), baseline.rules.end());
    return baseline;
}

BaselineKernel BaselineMaker::kernel(std::size_t index) const {
    const KernelAnalysis& kernel = m_state->analysis.kernels[index];
    const compare::Side side{m_state->analysis, kernel, m_state->formulas};
    BaselineKernel out{.name = name(index),
                       .range = range(index),
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
        // A quantity that is not compared is a property of the function or only has limits, so it
        // has no noise.
        if (value)
            out.facts.add(key.key,
                          {*value, key.quantity->uses.compared ? repeats.band(*key.quantity)
                                                               : Band{*value, *value, 0, true}});
    }
    for (const Finding& finding : kernel.findings) {
        bool* const known = out.findings.find(finding.ruleId.str());
        if (!known)
            out.findings.add(finding.ruleId, finding.minor);
        else
            *known = *known && finding.minor;
    }
    out.facts.close();
    return out;
}

}  // namespace roofscope::gate
