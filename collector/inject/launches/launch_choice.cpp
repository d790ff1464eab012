// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/launch_choice.h"

#include <fnmatch.h>

#include <algorithm>

namespace roofscope::inject {
namespace {

bool anyMatches(const std::vector<std::string>& globs, const std::vector<std::string>& ranges) {
    return std::ranges::any_of(ranges, [&](const std::string& range) {
        return std::ranges::any_of(globs, [&](const std::string& glob) {
            return fnmatch(glob.c_str(), range.c_str(), 0) == 0;
        });
    });
}

}  // namespace

LaunchChoice::LaunchChoice(const RunConfiguration& configuration)
    : m_configuration(configuration), m_active(configuration.selection.fromStart) {
    if (!configuration.selection.autotuning)
        m_configuration.selection.notRanges.emplace_back(kAutotuningRange);
    if (configuration.selection.kernel.empty()) return;
    auto pattern = NamePattern::compile(configuration.selection.kernel);
    if (pattern)
        m_kernel.emplace(std::move(*pattern));
    else
        m_problem = pattern.error().what;
}

bool LaunchChoice::wantsDevice(std::uint32_t device) const {
    const auto& devices = m_configuration.selection.devices;
    return devices.empty() || std::ranges::find(devices, device) != devices.end();
}

bool LaunchChoice::wantsRanges(const std::vector<std::string>& ranges) const {
    const LaunchSelection& s = m_configuration.selection;
    if (!s.ranges.empty() && !anyMatches(s.ranges, ranges)) return false;
    return !anyMatches(s.notRanges, ranges);
}

bool LaunchChoice::wantsKernel(std::uint32_t id, std::string_view name) {
    if (!m_kernel) return true;
    if (id >= m_matches.size()) m_matches.resize(id + 1);
    std::optional<bool>& known = m_matches[id];
    if (!known) known = m_kernel->matchesKernel(name);
    return *known;
}

bool LaunchChoice::inTurns() const {
    const auto* const counters = as<CountersMode>();
    return counters && counters->replay == CountersMode::Replay::Multiplex;
}

bool LaunchChoice::onlyPicked() const { return as<StallsMode>() || as<OverTimeMode>(); }

bool LaunchChoice::bySignature() const {
    const auto* const counters = as<CountersMode>();
    return inTurns() || onlyPicked() || as<SourceMode>() || (counters && counters->perKernel > 0);
}

Choice LaunchChoice::choose(std::uint64_t signature) {
    const std::uint64_t nth = m_chosen++;
    const LaunchSelection& s = m_configuration.selection;
    if (nth < s.skip || (s.count && nth - s.skip >= *s.count)) return {};
    const auto* const counters = as<CountersMode>();
    if (inTurns() || !bySignature()) return {.recorded = true, .counted = counters != nullptr};
    const std::uint32_t ordinal = m_seen[signature]++;
    if (const auto* const source = as<SourceMode>()) {
        const bool wanted = signature == source->signature && ordinal == source->ordinal;
        return {.recorded = wanted, .counted = wanted};
    }
    const auto among = [&](const LaunchPicks& picks) -> std::optional<bool> {
        const auto found = picks.find(signature);
        if (found == picks.end()) return {};
        return std::ranges::find(found->second, ordinal) != found->second.end();
    };
    if (!counters) {
        const auto* const stalls = as<StallsMode>();
        const bool wanted =
            among(stalls ? stalls->picks : as<OverTimeMode>()->picks).value_or(false);
        return {.recorded = wanted, .counted = wanted};
    }
    bool counted =
        among(counters->picks).value_or(!counters->onlyPicks && ordinal < counters->perKernel);
    if (counted && counters->countOneIfCostly)
        counted = !m_cost.isCostly() || !m_counted.contains(signature);
    return {.recorded = true, .counted = counted};
}

}  // namespace roofscope::inject
