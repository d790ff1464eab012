// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/rule_support.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "analyzer/chains/buffer_access.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/roofline/occupancy.h"

namespace roofscope::rules {

double duration(const RuleInput& input) {
    const DurationStats& stats = input.kernel.quantities.duration;
    return stats.count > 0 ? stats.judged().value : 0.0;
}

bool isNearlyEmptyLaunch(const RuleInput& input) {
    constexpr double kWorthwhile = 2.0;
    return duration(input) < kWorthwhile * kEmptyLaunch.value;
}

std::optional<double> longLoopOf(const RuleInput& input, double least) {
    const auto& instructions = input.kernel.quantities.warpInstructions;
    if (!instructions.has()) return std::nullopt;
    const double each = *instructions / launchedWarps(input);
    return each < least ? std::nullopt : std::optional(each);
}

std::optional<double> bufferBytes(const RuleInput& input) {
    const Profile& profile = input.profile;
    const KernelBuffers buffersOf(input.kernel.fullName);
    double largest = 0;
    std::set<std::uint32_t> lists;
    for (const std::uint32_t row : input.kernel.group.launches) {
        const auto list = profile.launches[row].arguments;
        if (!list) return std::nullopt;
        lists.insert(*list);
    }
    for (const std::uint32_t list : lists) {
        if (!buffersOf.access(profile.argumentLists[list]).known) return std::nullopt;
        double sum = 0;
        std::set<std::uint32_t> seen;
        for (const BufferArgument& argument : profile.argumentLists[list])
            if (seen.insert(argument.buffer).second)
                sum += static_cast<double>(profile.buffers[argument.buffer].bytes);
        largest = std::max(largest, sum);
    }
    return largest > 0 ? std::optional(largest) : std::nullopt;
}

double launchedWarps(const RuleInput& input) {
    const LaunchGroup& group = input.kernel.group;
    return static_cast<double>(group.grid.total() * warpsOf(deviceOf(input), group.block.total()));
}

const Device& deviceOf(const RuleInput& input) {
    return input.profile.devices[input.kernel.group.device];
}

double limitToEmptyLaunch(const RuleInput& input, double share) {
    const double time = duration(input);
    if (!(time > 0)) return share;
    return std::clamp(share, 0.0, std::max(0.0, 1.0 - kEmptyLaunch.value / time));
}

double memoryTimeIfUnderfilled(const RuleInput& input) {
    const Device& device = deviceOf(input);
    const LaunchGroup& group = input.kernel.group;
    if (!isUnderfilled(device, group)) return 1;
    const double inUse = static_cast<double>(group.grid.total()) / device.smCount;
    double most = 0;
    for (const Resource& resource : resourcesOf(input.kernel.quantities).items) {
        if (!resource.memory) continue;
        const bool ofTheSm =
            ownerOf(resource.id) == ResourceId::L1 || resource.id == ResourceId::SharedPipe;
        most = std::max(most, ofTheSm ? resource.busy / inUse : resource.busy);
    }
    return std::min(most, 1.0);
}

bool oneSmWorksAlone(const RuleInput& input) {
    const auto& factor = input.kernel.quantities.busiestSmFactor;
    return factor.has() && *factor >= 0.5 * deviceOf(input).smCount;
}

double memoryTimeIfUneven(const RuleInput& input) {
    constexpr double kUneven = 2;  // the busiest SM works this many times as long as the average
    const auto& factor = input.kernel.quantities.busiestSmFactor;
    if (!factor.has() || *factor < kUneven) return 1;
    const GroupSums sums(input.counters, input.kernel.group.launches);
    // Launch by launch: the one that is uneven may not be the one that uses memory.
    std::vector<double> ofBusiest = sums.perLaunch(counter::kLsuWavefronts);
    const auto most = sums.perLaunch(counter::kSmCyclesActiveMax);
    const auto average = sums.perLaunch(counter::kSmCyclesActiveAvg);
    for (std::size_t i = 0; i < ofBusiest.size(); ++i)
        ofBusiest[i] *= average[i] > 0 ? most[i] / average[i] : 1.0;
    const GroupSums::Extra extras[] = {{counter::kLsuWavefronts, ofBusiest}};
    const auto joint = sums.joint({counter::kSmCyclesElapsed, counter::kLsuWavefronts}, extras);
    if (!joint.ok() || !(joint[0] > 0)) return 1;
    return std::min(1.0, joint.sums.back() / deviceOf(input).smCount / joint[0]);
}

GroupSums::Joint jointSums(const RuleInput& input,
                           std::initializer_list<std::string_view> counters) {
    return GroupSums(input.counters, input.kernel.group.launches).joint(counters);
}

Finding makeFinding(const RuleInput& input, double share, Words formula) {
    Finding finding;
    const double time = duration(input);
    const std::string how = formula.in(Language::En);
    finding.gain = time > 0 ? Derived<Seconds>::of({share * time}, how)
                            : Derived<Seconds>::absent(counter::kDuration, how);
    const double ofProgram = share / input.kernel.quantities.duration.inProgram();
    finding.gainShare = Derived<Ratio>::of({ofProgram}, how);
    finding.gainFormula = std::move(formula);
    finding.minor = ofProgram < kMinorShare;
    return finding;
}

Finding makeFinding(const RuleInput& input, double share) {
    return makeFinding(input, share, Words::translatable(input.rule.en.gain));
}

Finding makeEstimate(const RuleInput& input, double share) {
    Finding finding = makeFinding(input, share);
    finding.estimate = true;
    return finding;
}

std::vector<Relief> relieves(std::initializer_list<ResourceId> resources) {
    std::vector<Relief> relief;
    for (const ResourceId id : resources) relief.push_back({.resource = id});
    return relief;
}

std::vector<ExpectedMovement> movementOf(std::string_view counter, double from, double to,
                                         Unit unit) {
    return {{.counter = Words::lasting(counter),
             .what = moved::Counters{counter},
             .from = from,
             .to = to,
             .unit = unit}};
}

CannotTell cannotTell(SharedText missing, CounterGroup group) {
    return cannotTell(Words::lasting(missing), group);
}

CannotTell cannotTell(Words missing, CounterGroup group) {
    return {
        .missing = std::move(missing), .advice = adviceToRecord({&group, 1}), .groups = {group}};
}

CannotTell cannotTell(SharedText missing, Words advice) {
    return cannotTell(Words::lasting(missing), std::move(advice));
}

CannotTell cannotTell(Words missing, Words advice) {
    return {.missing = std::move(missing), .advice = std::move(advice)};
}

Evidence instructionsOfWarp(double each, double threshold) {
    return {.label = Words("instructions of each warp"),
            .formula = std::string(counter::kWarpInstructions) + " / warps",
            .value = each,
            .unit = Unit::Count,
            .threshold = threshold};
}

Arg arg(SharedText name, double value, Unit unit) {
    return {.name = name, .value = value, .unit = unit};
}

Arg arg(SharedText name, Words text) {
    return {.name = name, .value = 0, .unit = Unit::Count, .text = std::move(text)};
}

}  // namespace roofscope::rules
